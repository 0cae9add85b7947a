//! A line of the table that holds our figures beside those found elsewhere.

/// One line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The instance's name.
    pub name: String,
    /// What was found elsewhere.
    pub elsewhere: String,
    /// What was found here.
    pub here: String,
    /// Whether the two agree.
    pub agree: bool,
    /// Seconds it took.
    pub seconds: f64,
}

/// The line in Markdown.
pub(super) fn line(row: &Comparison) -> String {
    let sign = if row.agree { "yes" } else { "no" };
    format!("| {} | {} | {} | {sign} |\n", row.name, row.elsewhere, row.here)
}
