//! Markdown for generated READMEs.

/// A table in Markdown.
pub(super) fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|name| (*name).into()).collect();
    let rows: String = rows.map(|row| line(&row)).collect();
    format!("{}|{}\n{rows}", line(&head), "---|".repeat(head.len()))
}

/// A text as it stands, for a cell: what Markdown would read as a link, emphasis, HTML or the end of the cell is
/// escaped, unless the text has done so.
pub(super) fn cell(text: &str) -> String {
    let (mut escaped, mut before, mut is_code) = (String::new(), ' ', false);
    for letter in text.chars() {
        is_code ^= letter == '`';
        let is_special = letter == '|' || !is_code && "[]*<".contains(letter);
        if is_special && before != '\\' {
            escaped.push('\\');
        }
        escaped.push(letter);
        before = letter;
    }
    escaped
}

/// A text as code.
pub(super) fn code(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_shows_its_text_as_it_stands() {
        assert_eq!(cell("read at [CLS], |w| < 1, (*i)"), r"read at \[CLS\], \|w\| \< 1, (\*i)");
        assert_eq!(cell(r"the token \[CLS\]"), r"the token \[CLS\]");
        assert_eq!(cell("`a[0]*b`, a|b"), r"`a[0]*b`, a\|b");
        assert_eq!(
            table(&["a", "b"], [vec!["1".into(), "2".into()]].into_iter()),
            "| a | b |\n|---|---|\n| 1 | 2 |\n"
        );
    }
}
