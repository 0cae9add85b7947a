//! A rule of the small search space: what a cell becomes, given itself and the cell above it.
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
use super::limits::RULES;

/// The content of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    /// −1.
    Minus,
    /// 0.
    Zero,
    /// +1.
    Plus,
}

impl Cell {
    /// All contents, in rising order.
    pub const ALL: [Cell; 3] = [Cell::Minus, Cell::Zero, Cell::Plus];

    /// The sign of a number.
    pub fn of(number: i8) -> Self {
        match number.signum() {
            -1 => Cell::Minus,
            0 => Cell::Zero,
            _ => Cell::Plus,
        }
    }

    /// −1, 0 or 1.
    pub fn value(self) -> i32 {
        match self {
            Cell::Minus => -1,
            Cell::Zero => 0,
            Cell::Plus => 1,
        }
    }

    /// Its place in [`Cell::ALL`].
    pub fn place(self) -> usize {
        match self {
            Cell::Minus => 0,
            Cell::Zero => 1,
            Cell::Plus => 2,
        }
    }

    /// One character: `-`, `0` or `+`.
    pub fn sign(self) -> char {
        match self {
            Cell::Minus => '-',
            Cell::Zero => '0',
            Cell::Plus => '+',
        }
    }

    /// As it is written in a sentence.
    fn word(self) -> &'static str {
        match self {
            Cell::Minus => "−1",
            Cell::Zero => "0",
            Cell::Plus => "+1",
        }
    }
}

/// A table of nine entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    /// f(centre, above), with the place of centre first.
    table: [[Cell; 3]; 3],
}

impl Rule {
    /// Every cell stays as it is: the sum of all cells is a vote of all examples (Hebb's rule).
    pub const IDENTITY: Rule = Rule { table: [[Cell::Minus; 3], [Cell::Zero; 3], [Cell::Plus; 3]] };

    /// A cell stays where the cell above is equal, and becomes 0 otherwise: a column survives whose signs are all equal.
    pub const CONSENSUS: Rule = Rule {
        table: [[Cell::Minus, Cell::Zero, Cell::Zero], [Cell::Zero; 3], [Cell::Zero, Cell::Zero, Cell::Plus]],
    };

    /// The rule with these entries: `table[c][a]` is what a cell c becomes under a cell a, in the order of [`Cell::ALL`].
    pub fn new(table: [[Cell; 3]; 3]) -> Self {
        Rule { table }
    }

    /// The rule of a number below [`RULES`].
    ///
    /// # Errors
    /// [`SearchError::Number`] for a larger one.
    pub fn numbered(number: u32) -> Result<Self, SearchError> {
        if number >= RULES {
            return Err(SearchError::Number(number));
        }
        Ok(Rule::wrapped(number))
    }

    /// The rule of `number` modulo [`RULES`].
    pub(super) fn wrapped(number: u32) -> Self {
        let mut rest = number;
        let mut table = Rule::IDENTITY.table;
        for entry in table.iter_mut().flatten().rev() {
            *entry = match rest % 3 {
                0 => Cell::Minus,
                1 => Cell::Zero,
                _ => Cell::Plus,
            };
            rest /= 3;
        }
        Rule { table }
    }

    /// All rules, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = Rule> {
        (0..RULES).map(Rule::wrapped)
    }

    /// Its number, below [`RULES`].
    pub fn number(self) -> u32 {
        self.table.iter().flatten().fold(0, |number, entry| {
            3 * number
                + match entry {
                    Cell::Minus => 0,
                    Cell::Zero => 1,
                    Cell::Plus => 2,
                }
        })
    }

    /// What a cell becomes under the cell `above`.
    pub fn apply(self, centre: Cell, above: Cell) -> Cell {
        self.table[centre.place()][above.place()]
    }

    /// The same rule with one other entry, for tables that a person edits.
    pub fn with(mut self, centre: Cell, above: Cell, becomes: Cell) -> Self {
        self.table[centre.place()][above.place()] = becomes;
        self
    }

    /// Its nine signs.
    pub fn text(self) -> String {
        self.table.iter().flatten().map(|entry| entry.sign()).collect()
    }

    /// The rule that is written as these nine signs; blanks are left out, and − may be a minus sign or a hyphen.
    ///
    /// # Errors
    /// [`SearchError::Text`] for any other text.
    pub fn read(text: &str) -> Result<Self, SearchError> {
        let wrong = || SearchError::Text(text.chars().take(40).collect());
        let mut table = Rule::IDENTITY.table;
        let mut entries = table.iter_mut().flatten();
        for sign in text.chars().filter(|sign| !sign.is_whitespace()) {
            *entries.next().ok_or_else(wrong)? = match sign {
                '-' | '−' => Cell::Minus,
                '0' => Cell::Zero,
                '+' => Cell::Plus,
                _ => return Err(wrong()),
            };
        }
        if entries.next().is_some() {
            return Err(wrong());
        }
        Ok(Rule { table })
    }

    /// The name of a rule that has one.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Rule::IDENTITY => Some("identity"),
            Rule::CONSENSUS => Some("consensus"),
            _ => None,
        }
    }

    /// One entry as a sentence.
    pub fn case(self, centre: Cell, above: Cell) -> String {
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

    /// All nine entries as three to nine sentences: entries with the same centre and the same result share one.
    pub fn reading(self) -> Vec<String> {
        let mut sentences = Vec::new();
        for centre in Cell::ALL {
            let mut read: Vec<Cell> = Vec::new();
            for above in Cell::ALL {
                let becomes = self.apply(centre, above);
                if read.contains(&becomes) {
                    continue;
                }
                read.push(becomes);
                let same: Vec<Cell> =
                    Cell::ALL.into_iter().filter(|other| self.apply(centre, *other) == becomes).collect();
                sentences.push(self.sentence(centre, &same, becomes));
            }
        }
        sentences
    }

    /// One sentence for a cell, under these cells, that becomes this.
    fn sentence(self, centre: Cell, above: &[Cell], becomes: Cell) -> String {
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
            ([above], _) => self.case(centre, *above),
            (_, true) => tr!("A cell with the value {cell} always stays {cell}.", cell),
            (_, false) => tr!("A cell with the value {cell} always becomes {result}.", cell, result),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_are_the_rules() {
        for (number, rule) in (0..).zip(Rule::all()) {
            assert_eq!(rule.number(), number);
            assert_eq!(Rule::read(&rule.text()), Ok(rule));
        }
        assert_eq!(Rule::all().count(), 19_683);
        assert_eq!(Rule::numbered(RULES), Err(SearchError::Number(RULES)));
        assert_eq!(Rule::IDENTITY.text(), "---000+++");
        assert_eq!(Rule::read("−00 000 00+"), Ok(Rule::CONSENSUS));
        for wrong in ["", "--------", "----------", "---000++x"] {
            assert_eq!(Rule::read(wrong), Err(SearchError::Text(wrong.into())));
        }
    }

    #[test]
    fn cells_are_signs() {
        assert_eq!([-3, -1, 0, 1, 7].map(|number| Cell::of(number).value()), [-1, -1, 0, 1, 1]);
        assert!(Cell::ALL.iter().enumerate().all(|(at, cell)| cell.place() == at));
    }

    #[test]
    fn named_rules_do_what_they_say() {
        for centre in Cell::ALL {
            for above in Cell::ALL {
                assert_eq!(Rule::IDENTITY.apply(centre, above), centre);
                let agreed = if centre == above { centre } else { Cell::Zero };
                assert_eq!(Rule::CONSENSUS.apply(centre, above), agreed);
            }
        }
        assert_eq!(Rule::CONSENSUS.name(), Some("consensus"));
        let edited = Rule::IDENTITY.with(Cell::Zero, Cell::Plus, Cell::Minus);
        assert_eq!((edited.text().as_str(), edited.name()), ("---00-+++", None));
    }

    #[test]
    fn readings_are_literal() {
        assert_eq!(
            Rule::IDENTITY.reading(),
            [
                "A cell with the value −1 always stays −1.",
                "A cell with the value 0 always stays 0.",
                "A cell with the value +1 always stays +1."
            ]
        );
        assert_eq!(
            Rule::CONSENSUS.reading(),
            [
                "A cell with the value −1 stays −1 if the cell above it has the value −1.",
                "A cell with the value −1 becomes 0 if the cell above it has the value 0 or +1.",
                "A cell with the value 0 always stays 0.",
                "A cell with the value +1 becomes 0 if the cell above it has the value −1 or 0.",
                "A cell with the value +1 stays +1 if the cell above it has the value +1.",
            ]
        );
        assert_eq!(Rule::read("-0+-0+-0+").unwrap().reading().len(), 9);
        let case = Rule::CONSENSUS.case(Cell::Plus, Cell::Zero);
        assert_eq!(case, "A cell with the value +1 becomes 0 if the cell above it has the value 0.");
    }
}
