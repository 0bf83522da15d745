//! Where two files of a run differ, in words: the first place, and how many more there are.

use serde_json::Value;

use crate::words::one_line;

/// Longest piece of a file that is quoted, characters.
const QUOTED: usize = 60;

/// The first of some differences, and how many more.
fn first(differences: Vec<String>) -> Option<String> {
    let more = differences.len().saturating_sub(1);
    let words = differences.into_iter().next()?;
    Some(if more > 0 { format!("{words} (and {more} more)") } else { words })
}

fn quoted(text: &str) -> String {
    let text = one_line(text);
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Differences of two JSON values; paths are written as in `lanes[0].dt`.
pub(super) fn json(file: &str, then: &Value, now: &Value) -> Option<String> {
    let mut differences = Vec::new();
    walk("", then, now, &mut differences);
    first(differences).map(|words| format!("{file}: {words}"))
}

fn walk(path: &str, then: &Value, now: &Value, out: &mut Vec<String>) {
    const NOTHING: &str = "nothing";
    let inside = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    let told = |value: Option<&Value>| value.map_or_else(|| NOTHING.to_owned(), |v| quoted(&v.to_string()));
    match (then, now) {
        (Value::Object(a), Value::Object(b)) => {
            let new = b.keys().filter(|key| !a.contains_key(*key));
            for key in a.keys().chain(new) {
                match (a.get(key), b.get(key)) {
                    (Some(x), Some(y)) => walk(&inside(key), x, y, out),
                    (x, y) => out.push(format!("{} was {} and is {}", inside(key), told(x), told(y))),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for k in 0..a.len().max(b.len()) {
                let path = format!("{path}[{k}]");
                match (a.get(k), b.get(k)) {
                    (Some(x), Some(y)) => walk(&path, x, y, out),
                    (x, y) => out.push(format!("{path} was {} and is {}", told(x), told(y))),
                }
            }
        }
        _ if then == now => {}
        _ => out.push(format!("{path} was {} and is {}", told(Some(then)), told(Some(now)))),
    }
}

/// Differences of two tables: line and column.
pub(super) fn table(file: &str, then: &str, now: &str) -> Option<String> {
    let columns: Vec<String> = now.lines().next().map(cells).unwrap_or_default();
    let describe = |line: usize, a: &str, b: &str| {
        let (a, b) = (cells(a), cells(b));
        let k = a.iter().zip(&b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len()));
        let cell = |row: &[String]| row.get(k).map_or_else(|| "nothing".to_owned(), |c| quoted(c));
        let column = match columns.get(k) {
            Some(name) if line > 1 => quoted(name),
            _ => format!("column {}", k + 1),
        };
        format!("{column} was {} and is {}", cell(&a), cell(&b))
    };
    by_line(file, then, now, describe)
}

/// Differences of two texts: line.
pub(super) fn text(file: &str, then: &str, now: &str) -> Option<String> {
    by_line(file, then, now, |_, a, b| format!("was {} and is {}", quoted(a), quoted(b)))
}

fn by_line(
    file: &str,
    then: &str,
    now: &str,
    describe: impl Fn(usize, &str, &str) -> String,
) -> Option<String> {
    if then == now {
        return None;
    }
    let (a, b): (Vec<&str>, Vec<&str>) = (then.lines().collect(), now.lines().collect());
    let mut differences = Vec::new();
    for k in 0..a.len().max(b.len()) {
        let line = k + 1;
        match (a.get(k), b.get(k)) {
            (Some(x), Some(y)) if x == y => {}
            (Some(x), Some(y)) => differences.push(format!("{file}:{line}: {}", describe(line, x, y))),
            (Some(x), None) => differences.push(format!("{file}:{line}: {} is too much", quoted(x))),
            (None, y) => {
                let missing = quoted(y.copied().unwrap_or_default());
                differences.push(format!("{file}:{line}: {missing} is missing"));
            }
        }
    }
    first(differences).or_else(|| Some(format!("{file}: lines end in another way than they did")))
}

/// The cells of a line of CSV, where some may stand in quotes.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let (mut quoted, mut characters) = (false, line.chars().peekable());
    while let Some(c) = characters.next() {
        let last = cells.len() - 1;
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cells[last].push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells[last].push(c),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_named_by_their_path() {
        let then = serde_json::json!({ "a": [1, { "b": "x" }], "c": null, "gone": 2 });
        let now = serde_json::json!({ "a": [1, { "b": "y" }, 3], "c": null, "new": true });
        let words = json("m.json", &then, &now).unwrap();
        assert_eq!(words, "m.json: a[1].b was \"x\" and is \"y\" (and 3 more)");
        assert_eq!(json("m.json", &now, &now), None);
        let words = json("m.json", &serde_json::json!({ "a": 1 }), &serde_json::json!({})).unwrap();
        assert_eq!(words, "m.json: a was 1 and is nothing");
        let words = json("m.json", &serde_json::json!({ "a": 0.5 }), &serde_json::json!({ "a": 0.25 }));
        assert_eq!(words.unwrap(), "m.json: a was 0.5 and is 0.25");
    }

    #[test]
    fn cells_are_named_by_line_and_column() {
        let then = "time,\"a,b\",c\n0,1,2\n1,1,2\n";
        assert_eq!(
            table("log.csv", then, &then.replace("0,1,2", "0,1.5,2")).unwrap(),
            "log.csv:2: a,b was 1 and is 1.5"
        );
        assert_eq!(
            table("log.csv", "time,c\n0,1\n", "time,d\n0,1\n").unwrap(),
            "log.csv:1: column 2 was c and is d"
        );
        assert_eq!(table("log.csv", "time\n0", "time\n0\n1\n").unwrap(), "log.csv:3: 1 is missing");
        assert_eq!(table("log.csv", "time\n0\n1\n", "time\n0\n").unwrap(), "log.csv:3: 1 is too much");
        assert_eq!(table("log.csv", then, then), None);
        let cut = table("log.csv", then.trim_end(), then).unwrap();
        assert_eq!(cut, "log.csv: lines end in another way than they did");
    }

    #[test]
    fn long_lines_are_cut_and_others_told() {
        let words = text("run.bvh", &"ä".repeat(100), "\t").unwrap();
        assert_eq!(words, format!("run.bvh:1: was {}… and is \\t", "ä".repeat(60)));
    }
}
