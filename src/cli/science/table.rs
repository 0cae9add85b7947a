//! A line of the table that holds our figures beside those found elsewhere.

use super::notes::note;

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

impl Comparison {
    /// Whether the two agree, or are known to differ.
    pub fn is_settled(&self) -> bool {
        self.agree || note(&self.name).is_some_and(|note| note.apart)
    }

    /// Why the two differ, or may, where that is known.
    pub fn why(&self) -> &'static str {
        note(&self.name).map_or("", |note| note.why)
    }
}

/// The line in Markdown.
pub(super) fn line(row: &Comparison) -> String {
    let sign = if row.agree { "yes" } else { "no" };
    // A bar would end the cell.
    let [name, why] = [&row.name, row.why()].map(|text| text.replace('|', "\\|"));
    format!("| {name} | {} | {} | {sign} | {why} |\n", row.elsewhere, row.here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_difference_has_its_reason_beside_it() {
        let row = |name: &str, agree| Comparison {
            name: name.into(),
            elsewhere: "1".into(),
            here: "2".into(),
            agree,
            seconds: 0.0,
        };
        let known = row("look-up 5.1: mean, q = 2, H = 1", false);
        assert!(known.is_settled() && line(&known).contains("| no | With one matrix"));
        let unknown = row("look-up 5.1: mean, q = 9, H = 1", false);
        assert!(!unknown.is_settled() && line(&unknown).ends_with("| no |  |\n"));
        // A note on a figure that agrees does not let it differ.
        let noted = row("look-up 5.3: MLP, N = 8", false);
        assert!(!noted.is_settled() && !noted.why().is_empty());
        let barred = row("look-up 4 (iii): pairs of codes with |⟨ω, ω⟩| > 1/2, N = 12", true);
        assert_eq!(line(&barred).replace("\\|", "").matches('|').count(), 6);
    }
}
