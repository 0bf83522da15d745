//! Texts that stay on one line.

/// Whether a character would end or garble a line of a file or of a terminal.
fn breaks_a_line(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The first character of a text that would break a line, in words.
pub fn line_break(text: &str) -> Option<String> {
    text.chars().find(|c| breaks_a_line(*c)).map(|c| c.escape_default().to_string())
}

/// A text with whatever would break a line escaped.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if breaks_a_line(c) { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_breaks_a_line_is_escaped() {
        assert_eq!(one_line("a\nb\r\tc\u{7f}\u{2028}\u{85}"), "a\\nb\\r\\tc\\u{7f}\\u{2028}\\u{85}");
        assert_eq!(one_line("größe \"x\", ☂"), "größe \"x\", ☂");
        assert_eq!(line_break("a\u{1b}[2J"), Some("\\u{1b}".to_owned()));
        assert_eq!(line_break("walk 2"), None);
    }
}
