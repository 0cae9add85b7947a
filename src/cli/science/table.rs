//! A row of the table that compares our results with those of independent programs.

use super::notes::find_note;

/// One row of the table that compares our results with those of independent programs.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonRow {
    /// Name of the compared result, such as "look-up 5.3: MLP, N = 8".
    pub name: String,
    /// Result of the independent program as text, such as a median number of steps or an error.
    pub reference_result: String,
    /// Our result as text, in the unit of the independent program's result.
    pub our_result: String,
    /// Whether the two agree within the tolerance.
    pub agrees: bool,
    /// Seconds that training and measuring for our result took.
    pub seconds: f64,
}

impl ComparisonRow {
    /// Whether our result agrees with that of the independent program, or is known to differ from it.
    pub fn is_settled_or_known(&self) -> bool {
        self.agrees || find_note(&self.name).is_some_and(|note| note.is_known_difference)
    }

    /// Explanation of the difference between the two results; empty if there is none.
    pub fn reason(&self) -> &'static str {
        find_note(&self.name).map_or("", |note| note.reason)
    }
}

/// The comparison as a line of a Markdown table: name, both results, whether they agree, and the explanation
/// of a difference.
pub(super) fn format_row(row: &ComparisonRow) -> String {
    let sign = if row.agrees { "yes" } else { "no" };
    // A bar would end the cell.
    let [name, why] = [&row.name, row.reason()].map(|text| text.replace('|', "\\|"));
    format!("| {name} | {} | {} | {sign} | {why} |\n", row.reference_result, row.our_result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_difference_has_its_reason_next_to_it() {
        let row = |name: &str, agree| ComparisonRow {
            name: name.into(),
            reference_result: "1".into(),
            our_result: "2".into(),
            agrees: agree,
            seconds: 0.0,
        };
        let known = row("look-up 5.1: mean, q = 2, H = 1", false);
        assert!(known.is_settled_or_known() && format_row(&known).contains("| no | With one matrix"));
        let unknown = row("look-up 5.1: mean, q = 9, H = 1", false);
        assert!(!unknown.is_settled_or_known() && format_row(&unknown).ends_with("| no |  |\n"));
        // A note on a figure that agrees does not let it differ.
        let noted = row("look-up 5.3: MLP, N = 8", false);
        assert!(!noted.is_settled_or_known() && !noted.reason().is_empty());
        let barred = row("look-up 4 (iii): pairs of codes with |⟨ω, ω⟩| > 1/2, N = 12", true);
        assert_eq!(format_row(&barred).replace("\\|", "").matches('|').count(), 6);
    }
}
