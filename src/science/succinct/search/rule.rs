//! A rule of the small search space: the new value of a cell as a function of the cell and the cell above it.
//!
//! ```text
//! f(centre, above)       centre and above are −1, 0 or +1: 9 entries, 3⁹ = 19,683 rules
//!
//! text and number        above  −0+ −0+ −0+
//!                        centre −−− 000 +++        the text read as a number in base 3, with − as 0, 0 as 1, + as 2
//! identity               ---000+++
//! consensus              -0000000+
//! ```
//!
//! The space is ours: the filters of Goel, Kakade, Kalai and Zhang 2022, definition 5, see nine cells with many channels, and
//! are far too many to be searched (see [`odds`](super::odds)).

use super::error::SearchError;
use super::limits::RULE_COUNT;

/// Value of a cell of an image: −1, 0 or 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellValue {
    /// −1.
    Minus,
    /// 0.
    Zero,
    /// +1.
    Plus,
}

impl CellValue {
    /// The values −1, 0 and 1 of a cell, in ascending order.
    pub const ALL: [CellValue; 3] = [CellValue::Minus, CellValue::Zero, CellValue::Plus];

    /// The cell value −1, 0 or 1 that is the sign of `number`.
    pub fn from_sign_of(number: i8) -> Self {
        match number.signum() {
            -1 => CellValue::Minus,
            0 => CellValue::Zero,
            _ => CellValue::Plus,
        }
    }

    /// The cell value as a number: −1, 0 or 1.
    pub fn value(self) -> i32 {
        match self {
            CellValue::Minus => -1,
            CellValue::Zero => 0,
            CellValue::Plus => 1,
        }
    }

    /// Index of the value in [`CellValue::ALL`]: 0 for −1, 1 for 0, 2 for 1.
    pub fn index(self) -> usize {
        match self {
            CellValue::Minus => 0,
            CellValue::Zero => 1,
            CellValue::Plus => 2,
        }
    }

    /// The character for the value in the text of a rule: `-`, `0` or `+`.
    pub fn sign(self) -> char {
        match self {
            CellValue::Minus => '-',
            CellValue::Zero => '0',
            CellValue::Plus => '+',
        }
    }

    /// The text for the value in a sentence: −1, 0 or +1.
    fn word(self) -> &'static str {
        match self {
            CellValue::Minus => "−1",
            CellValue::Zero => "0",
            CellValue::Plus => "+1",
        }
    }
}

/// A rule f(centre, above): a table with the new value of a cell for each pair of its value and the value above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellRule {
    /// The new value of a cell, `[centre][above]`, for its value and the value of the cell above it, both as
    /// indices of [`CellValue::ALL`].
    table: [[CellValue; 3]; 3],
}

impl CellRule {
    /// No cell changes: the sum of all cells is a vote of all examples (Hebb's rule).
    pub const IDENTITY: CellRule =
        CellRule { table: [[CellValue::Minus; 3], [CellValue::Zero; 3], [CellValue::Plus; 3]] };

    /// A cell keeps its value if the cell above is equal, and else becomes 0: only columns with equal signs remain.
    pub const CONSENSUS: CellRule = CellRule {
        table: [
            [CellValue::Minus, CellValue::Zero, CellValue::Zero],
            [CellValue::Zero; 3],
            [CellValue::Zero, CellValue::Zero, CellValue::Plus],
        ],
    };

    /// The rule with these entries: `table[c][a]` is the new value of a cell c below a cell a, in the order of
    /// [`CellValue::ALL`].
    pub fn new(table: [[CellValue; 3]; 3]) -> Self {
        CellRule { table }
    }

    /// The rule with this number, which must be below [`RULE_COUNT`].
    ///
    /// # Errors
    /// [`SearchError::RuleNumber`] for a larger one.
    pub fn from_number(number: u32) -> Result<Self, SearchError> {
        if number >= RULE_COUNT {
            return Err(SearchError::RuleNumber(number));
        }
        Ok(CellRule::from_number_modulo(number))
    }

    /// The rule whose number is `number` modulo [`RULE_COUNT`], for random numbers.
    pub(super) fn from_number_modulo(number: u32) -> Self {
        let mut rest = number;
        let mut table = CellRule::IDENTITY.table;
        for entry in table.iter_mut().flatten().rev() {
            *entry = match rest % 3 {
                0 => CellValue::Minus,
                1 => CellValue::Zero,
                _ => CellValue::Plus,
            };
            rest /= 3;
        }
        CellRule { table }
    }

    /// All rules for cells, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = CellRule> {
        (0..RULE_COUNT).map(CellRule::from_number_modulo)
    }

    /// Number of the rule, below [`RULE_COUNT`]: its table read in base 3, with the digits 0, 1 and 2 for the
    /// values −1, 0 and 1.
    pub fn number(self) -> u32 {
        self.table.iter().flatten().fold(0, |number, entry| {
            3 * number
                + match entry {
                    CellValue::Minus => 0,
                    CellValue::Zero => 1,
                    CellValue::Plus => 2,
                }
        })
    }

    /// The new value of a cell with the value `centre` below a cell with the value `above`.
    pub fn apply(self, centre: CellValue, above: CellValue) -> CellValue {
        self.table[centre.index()][above.index()]
    }

    /// A copy of the rule with one entry replaced, for tables that the user edits.
    pub fn with_entry(mut self, centre: CellValue, above: CellValue, becomes: CellValue) -> Self {
        self.table[centre.index()][above.index()] = becomes;
        self
    }

    /// The table of the rule as text: nine signs `-`, `0` or `+`, the new values for all pairs (cell, cell above)
    /// in the order of [`CellValue::ALL`], with the cell above varying fastest.
    pub fn to_text(self) -> String {
        self.table.iter().flatten().map(|entry| entry.sign()).collect()
    }

    /// Parses a rule from its nine signs. Spaces are ignored, and − may be a minus sign or a hyphen.
    ///
    /// # Errors
    /// [`SearchError::RuleText`] for any other text.
    pub fn parse(text: &str) -> Result<Self, SearchError> {
        let wrong = || SearchError::RuleText(text.chars().take(40).collect());
        let mut table = CellRule::IDENTITY.table;
        let mut entries = table.iter_mut().flatten();
        for sign in text.chars().filter(|sign| !sign.is_whitespace()) {
            *entries.next().ok_or_else(wrong)? = match sign {
                '-' | '−' => CellValue::Minus,
                '0' => CellValue::Zero,
                '+' => CellValue::Plus,
                _ => return Err(wrong()),
            };
        }
        if entries.next().is_some() {
            return Err(wrong());
        }
        Ok(CellRule { table })
    }

    /// Name of the rule, "identity" or "consensus", if it is one of these two rules; else `None`.
    pub fn name(self) -> Option<&'static str> {
        match self {
            CellRule::IDENTITY => Some("identity"),
            CellRule::CONSENSUS => Some("consensus"),
            _ => None,
        }
    }

    /// A sentence that says what a cell with the value `centre` becomes below a cell with the value `above`.
    pub fn describe_entry(self, centre: CellValue, above: CellValue) -> String {
        let becomes = self.apply(centre, above);
        let (cell, above, result) = (centre.word(), above.word(), becomes.word());
        if becomes == centre {
            tr!(
                "A cell with the value {cell} stays {cell} if the cell above it has the value {above}.",
                cell,
                above
            )
        } else {
            tr!(
                "A cell with the value {cell} becomes {result} if the cell above it has the value {above}.",
                cell,
                above,
                result
            )
        }
    }

    /// Three to nine sentences that describe all nine entries of the rule's table; entries with the same centre and
    /// the same result share one sentence.
    pub fn describe(self) -> Vec<String> {
        let mut sentences = Vec::new();
        for centre in CellValue::ALL {
            let mut read: Vec<CellValue> = Vec::new();
            for above in CellValue::ALL {
                let becomes = self.apply(centre, above);
                if read.contains(&becomes) {
                    continue;
                }
                read.push(becomes);
                let same: Vec<CellValue> = CellValue::ALL
                    .into_iter()
                    .filter(|other| self.apply(centre, *other) == becomes)
                    .collect();
                sentences.push(self.describe_entries(centre, &same, becomes));
            }
        }
        sentences
    }

    /// A sentence for the entries with these `centre` and `above` values, whose new value is `becomes`.
    fn describe_entries(self, centre: CellValue, above: &[CellValue], becomes: CellValue) -> String {
        let (cell, result, stays) = (centre.word(), becomes.word(), centre == becomes);
        match (above, stays) {
            ([first, second], true) => tr!(
                "A cell with the value {cell} stays {cell} if the cell above it has the value {first} or {second}.",
                cell,
                first = first.word(),
                second = second.word()
            ),
            ([first, second], false) => tr!(
                "A cell with the value {cell} becomes {result} if the cell above it has the value {first} or {second}.",
                cell,
                first = first.word(),
                second = second.word(),
                result
            ),
            ([above], _) => self.describe_entry(centre, *above),
            (_, true) => tr!("A cell with the value {cell} always stays {cell}.", cell),
            (_, false) => tr!("A cell with the value {cell} always becomes {result}.", cell, result),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_identify_rules() {
        for (number, rule) in (0..).zip(CellRule::all()) {
            assert_eq!(rule.number(), number);
            assert_eq!(CellRule::parse(&rule.to_text()), Ok(rule));
        }
        assert_eq!(CellRule::all().count(), 19_683);
        assert_eq!(CellRule::from_number(RULE_COUNT), Err(SearchError::RuleNumber(RULE_COUNT)));
        assert_eq!(CellRule::IDENTITY.to_text(), "---000+++");
        assert_eq!(CellRule::parse("−00 000 00+"), Ok(CellRule::CONSENSUS));
        for wrong in ["", "--------", "----------", "---000++x"] {
            assert_eq!(CellRule::parse(wrong), Err(SearchError::RuleText(wrong.into())));
        }
    }

    #[test]
    fn cell_values_are_signs() {
        assert_eq!(
            [-3, -1, 0, 1, 7].map(|number| CellValue::from_sign_of(number).value()),
            [-1, -1, 0, 1, 1]
        );
        assert!(CellValue::ALL.iter().enumerate().all(|(at, cell)| cell.index() == at));
    }

    #[test]
    fn named_rules_compute_their_definitions() {
        for centre in CellValue::ALL {
            for above in CellValue::ALL {
                assert_eq!(CellRule::IDENTITY.apply(centre, above), centre);
                let agreed = if centre == above { centre } else { CellValue::Zero };
                assert_eq!(CellRule::CONSENSUS.apply(centre, above), agreed);
            }
        }
        assert_eq!(CellRule::CONSENSUS.name(), Some("consensus"));
        let edited = CellRule::IDENTITY.with_entry(CellValue::Zero, CellValue::Plus, CellValue::Minus);
        assert_eq!((edited.to_text().as_str(), edited.name()), ("---00-+++", None));
    }

    #[test]
    fn descriptions_are_literal_sentences() {
        assert_eq!(
            CellRule::IDENTITY.describe(),
            [
                "A cell with the value −1 always stays −1.",
                "A cell with the value 0 always stays 0.",
                "A cell with the value +1 always stays +1."
            ]
        );
        assert_eq!(
            CellRule::CONSENSUS.describe(),
            [
                "A cell with the value −1 stays −1 if the cell above it has the value −1.",
                "A cell with the value −1 becomes 0 if the cell above it has the value 0 or +1.",
                "A cell with the value 0 always stays 0.",
                "A cell with the value +1 becomes 0 if the cell above it has the value −1 or 0.",
                "A cell with the value +1 stays +1 if the cell above it has the value +1.",
            ]
        );
        assert_eq!(CellRule::parse("-0+-0+-0+").unwrap().describe().len(), 9);
        let case = CellRule::CONSENSUS.describe_entry(CellValue::Plus, CellValue::Zero);
        assert_eq!(case, "A cell with the value +1 becomes 0 if the cell above it has the value 0.");
    }
}
