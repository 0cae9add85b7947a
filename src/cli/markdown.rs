//! Markdown for generated READMEs.

/// A table in Markdown: `head` has the column headings, and each of `rows` the cells of a row, escaped
/// already.
pub(super) fn format_table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|name| (*name).into()).collect();
    let rows: String = rows.map(|row| line(&row)).collect();
    format!("{}|{}\n{rows}", line(&head), "---|".repeat(head.len()))
}

/// Text for a table cell: escapes characters that Markdown would read as a link, emphasis, HTML or the end of
/// the cell, unless they are escaped already or in code.
pub(super) fn escape_cell(text: &str) -> String {
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

/// Text as Markdown code, in backticks.
pub(super) fn format_code(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_shows_its_text_as_it_stands() {
        assert_eq!(escape_cell("read at [CLS], |w| < 1, (*i)"), r"read at \[CLS\], \|w\| \< 1, (\*i)");
        assert_eq!(escape_cell(r"the token \[CLS\]"), r"the token \[CLS\]");
        assert_eq!(escape_cell("`a[0]*b`, a|b"), r"`a[0]*b`, a\|b");
        assert_eq!(
            format_table(&["a", "b"], [vec!["1".into(), "2".into()]].into_iter()),
            "| a | b |\n|---|---|\n| 1 | 2 |\n"
        );
    }
}
