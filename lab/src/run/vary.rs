//! The worlds of a run: a scene's own variants, or those of `--vary key=a,b`, given several times a grid.

use crate::scene::{Scene, SceneError, Variant};
use crate::words::line_break;

/// Most values of one `--vary`.
const MOST_VALUES: usize = 12;
/// Most worlds of a grid.
const MOST_WORLDS: usize = 64;

/// The variants a scene is run in: its own, or those of `--vary key=a,b,c`, or a single nameless one.
///
/// # Errors
/// A text that is no list of values.
pub fn variants_of(scene: &Scene, vary: Option<&str>) -> Result<Vec<Variant>, SceneError> {
    grid_of(scene, vary.as_slice())
}

/// The same for several `--vary`: all combinations of their values, the last changing fastest. The worlds of one are
/// named by its values, those of several by `key=value` of each.
///
/// # Errors
/// A text that is no list of values, a key that is varied twice, more worlds than anybody can look at.
pub fn grid_of(scene: &Scene, vary: &[impl AsRef<str>]) -> Result<Vec<Variant>, SceneError> {
    if vary.is_empty() {
        let own = &scene.variants;
        return Ok(if own.is_empty() { vec![Variant::default()] } else { own.clone() });
    }
    let axes = vary.iter().map(|text| Varied::read(text.as_ref())).collect::<Result<Vec<_>, _>>()?;
    for (k, axis) in axes.iter().enumerate() {
        if axes[..k].iter().any(|other| other.key == axis.key) {
            return Err(bad(axis.text, format!("varies {} a second time, expected another key", axis.key)));
        }
    }
    let worlds = axes.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.values.len()));
    if worlds.is_none_or(|n| n > MOST_WORLDS) {
        let counts: Vec<String> = axes.iter().map(|a| a.values.len().to_string()).collect();
        let all = vary.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" --vary ");
        let problem = format!("is a grid of {} worlds, expected at most {MOST_WORLDS}", counts.join(" x "));
        return Err(bad(&all, problem));
    }
    let mut variants = vec![Variant::default()];
    for axis in &axes {
        let mut grown: Vec<Variant> = Vec::new();
        for variant in &variants {
            for value in &axis.values {
                let said =
                    if axes.len() > 1 { format!("{}={value}", axis.last_word()) } else { value.clone() };
                let name = if variant.name.is_empty() { said } else { format!("{}, {said}", variant.name) };
                let mut set = variant.set.clone();
                set.push(format!("{}={value}", axis.key));
                grown.push(Variant { name: free_name(&name, &grown), set, foil: None });
            }
        }
        variants = grown;
    }
    Ok(variants)
}

/// One `--vary`: a key and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Path of the value in the scene.
    pub key: String,
    /// Values it takes.
    pub values: Vec<String>,
}

/// Reads `key=a,b,c`; commas inside brackets, braces and quotes belong to a value.
///
/// # Errors
/// A text that is no list of values.
pub fn read_axis(text: &str) -> Result<Axis, SceneError> {
    Varied::read(text).map(|axis| Axis { key: axis.key.to_owned(), values: axis.values })
}

/// One `--vary` with its text.
struct Varied<'a> {
    text: &'a str,
    key: &'a str,
    values: Vec<String>,
}

impl<'a> Varied<'a> {
    fn read(text: &'a str) -> Result<Self, SceneError> {
        let (key, values) = text
            .split_once('=')
            .ok_or_else(|| bad(text, "expected key=a,b, such as formulation=lcp-pgs,penalty".to_owned()))?;
        if let Some(c) = line_break(text) {
            return Err(bad(text, format!("has {c}, expected text on one line")));
        }
        let values = split(values);
        match values.len() {
            1..=MOST_VALUES => Ok(Self { text, key: key.trim(), values }),
            n => Err(bad(text, format!("has {n} values, expected 1 to {MOST_VALUES}"))),
        }
    }

    /// The last word of the path: enough to tell worlds apart.
    fn last_word(&self) -> &str {
        self.key.rsplit('.').next().unwrap_or(self.key)
    }
}

fn bad(vary: &str, problem: String) -> SceneError {
    SceneError { file: format!("--vary {vary}"), line: 0, key: String::new(), problem, absent: false }
}

/// The values between commas; those inside brackets, braces and quotes belong to a value.
fn split(text: &str) -> Vec<String> {
    let (mut values, mut depth, mut quote) = (vec![String::new()], 0i32, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            _ => {}
        }
        match values.last_mut() {
            Some(value) if c != ',' || depth > 0 || quote.is_some() => value.push(c),
            _ => values.push(String::new()),
        }
    }
    values.iter().map(|v| v.trim().to_owned()).filter(|v| !v.is_empty()).collect()
}

/// The name of another variant: as asked for, with a number where it is there already.
fn free_name(name: &str, variants: &[Variant]) -> String {
    let taken = |name: &String| variants.iter().any(|v| v.name == *name);
    let numbered = (2..).map(|n| format!("{name} {n}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !taken(name)).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene() -> Scene {
        Scene::parse("a.toml", "schema = 1\nshows = \"a\"\nduration = 1.0\n", &[]).unwrap()
    }

    #[test]
    fn several_make_a_grid_with_the_last_changing_fastest() {
        let variants = grid_of(&scene(), &["seed=1,2", "solver.margin=0.1,0.2,0.3"]).unwrap();
        let names: Vec<&str> = variants.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names.len(), 6);
        assert_eq!(names[1], "seed=1, margin=0.2");
        assert_eq!(variants[5].set, ["seed=2", "solver.margin=0.3"]);
        // One alone names its worlds by the values.
        let variants = grid_of(&scene(), &["seed=1, 2,1"]).unwrap();
        assert_eq!(variants.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["1", "2", "1 2"]);
        assert_eq!(grid_of(&scene(), &[] as &[&str]).unwrap(), [Variant::default()]);
    }

    #[test]
    fn values_with_commas_of_their_own_stay_whole() {
        assert_eq!(split("[0, 0, 1],[1,0,0]"), ["[0, 0, 1]", "[1,0,0]"]);
        assert_eq!(split("{ a = [1,2], b = 2 }, \"x,y\" ,,"), ["{ a = [1,2], b = 2 }", "\"x,y\""]);
        assert!(split(" , ").is_empty());
    }

    #[test]
    fn what_is_no_grid_is_refused_in_words() {
        let ten = "seed=1,2,3,4,5,6,7,8,9,10";
        for (vary, words) in [
            (vec!["seed"], "--vary seed: expected key=a,b"),
            (vec!["seed=,"], "has 0 values, expected 1 to 12"),
            (vec!["seed=1,2", "seed=3"], "varies seed a second time"),
            (
                vec![ten, "rate=60,120,240,480,960,1920,3840"],
                "is a grid of 10 x 7 worlds, expected at most 64",
            ),
            (vec!["seed=1\n2"], "expected text on one line"),
        ] {
            let message = grid_of(&scene(), &vary).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
            assert_eq!(message.lines().count(), 1, "{message}");
        }
    }
}
