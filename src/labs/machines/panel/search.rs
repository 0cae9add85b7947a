//! The search for the step that last wrote the cell of the head: one row of attention for each block that looks at the past,
//! over all tokens so far.
//!
//! ```text
//! candidates of bit j + 1   tokens t that wrote this cell and whose number begins with the j bits found so far
//! ```
//!
//! # Why
//! A row has one pixel for a token, or of long runs for a few tokens that follow each other: then the pixel shows the most
//! that one of them is, so that no candidate is ever lost.

use super::bits::{binary, digit};
use vivarium_science::machines::{
    AttentionTrace, BlockKind, Machine, ResidualLayout, StepTrace, TokenGroup, Transformer,
};

/// Most pixels of a row.
pub const COLUMNS: usize = 240;

/// What a token is to a block that looks at the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mark {
    /// It wrote another cell.
    Other,
    /// It wrote this cell, but its number begins with other bits than those found so far.
    Dropped,
    /// It wrote this cell, and its number begins with the bits found so far.
    Candidate,
    /// The block took its value.
    Chosen,
}

impl Mark {
    /// All of them, from the least.
    pub const ALL: [Mark; 4] = [Mark::Other, Mark::Dropped, Mark::Candidate, Mark::Chosen];

    /// What it means.
    pub fn name(self) -> &'static str {
        match self {
            Mark::Other => tr!("token of a step that wrote to another cell"),
            Mark::Dropped => tr!("token of a step that wrote to this cell, no longer a candidate"),
            Mark::Candidate => tr!("candidate"),
            Mark::Chosen => tr!("token with the largest attention weight"),
        }
    }
}

/// The row of a block.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The block, from 1, as the view counts them.
    pub stage: usize,
    /// What it does.
    pub phase: BlockKind,
    /// Each pixel from the left.
    pub marks: Vec<Mark>,
    /// How many tokens were candidates before it.
    pub candidates: usize,
    /// How many tokens it took the value of.
    pub chosen: usize,
    /// How much the null slot counts, from 0 to 1.
    pub null: f64,
    /// The number that it wrote: whether the cell was written, or a bit; for the last block the symbol.
    pub wrote: String,
}

impl Row {
    /// "Bit 3".
    pub fn name(&self) -> String {
        match self.phase {
            BlockKind::Visited => tr!("Written?").into(),
            BlockKind::Search(round) => tr!("Bit {bit}", bit = round + 1),
            _ => tr!("Fetch").into(),
        }
    }

    /// Whether the null slot counts most.
    pub fn is_null(&self) -> bool {
        self.null > 0.5
    }

    /// The row in a sentence.
    pub fn sentence(&self) -> String {
        let (candidates, chosen, wrote) = (self.candidates, self.chosen, &self.wrote);
        let named = |count: usize| match count {
            1 => tr!("1 candidate").into(),
            _ => tr!("{count} candidates", count),
        };
        let (name, candidates) = (self.name(), named(candidates));
        match (self.is_null(), chosen) {
            (true, _) => {
                tr!(
                    "{name}: {candidates}; the null slot has the largest attention weight, and the block writes {wrote}.",
                    name,
                    candidates,
                    wrote
                )
            }
            (false, 1) => {
                tr!(
                    "{name}: {candidates}; 1 token has the largest attention weight, and the block writes {wrote}.",
                    name,
                    candidates,
                    wrote
                )
            }
            (false, _) => {
                tr!(
                    "{name}: {candidates}; {chosen} tokens have the largest attention weights, and the block writes {wrote}.",
                    name,
                    candidates,
                    chosen,
                    wrote
                )
            }
        }
    }
}

/// All rows of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// The step.
    pub step: usize,
    /// Written?, one row for each bit, and fetch.
    pub rows: Vec<Row>,
    /// The number that was found, i′; 0 where no earlier step wrote the cell.
    pub found: usize,
    /// The cell of the head.
    pub cell: usize,
    /// The symbol that is read in the end.
    pub symbol: char,
    /// Whether an earlier step wrote the cell, as the tokens have it.
    pub was_written: bool,
}

/// Those of some tokens whose numbers begin with the first bits of another number, both with `bits` bits.
///
/// Given the tokens that wrote a cell, these are the candidates when so many bits of the last of them are `known`.
pub fn survivors(tokens: &[usize], number: usize, bits: usize, known: usize) -> Vec<usize> {
    let open = bits.saturating_sub(known).min(usize::BITS as usize - 1);
    tokens.iter().copied().filter(|token| token >> open == number >> open).collect()
}

/// The pixel of a token, from 1, where all up to `last` share so many pixels.
pub fn column(token: usize, last: usize, columns: usize) -> usize {
    let at = (token.saturating_sub(1) as u64).saturating_mul(columns as u64) / (last.max(1) as u64);
    (at as usize).min(columns.saturating_sub(1))
}

/// Whether a block took the value of a slot that counts so much, where the most that a slot counts is `most`.
fn is_chosen(weight: f64, most: f64) -> bool {
    weight > 0.0 && weight >= 0.5 * most
}

impl Search {
    /// What the blocks of a step looked at.
    pub fn of(machine: &Machine, transformer: &Transformer, trace: &StepTrace) -> Search {
        let layout = transformer.construction().layout();
        let bits = layout.bits();
        let writers = transformer.search_candidates(trace, 0);
        // The prefix is complete after the last search, which stands before the last block.
        let searched = trace.blocks.len().checked_sub(2).and_then(|at| trace.blocks.get(at));
        let found = searched.map_or(0, |stage| binary(layout, &stage.residual, TokenGroup::Prefix));
        let symbol =
            machine.symbols().get(trace.record.symbol).copied().unwrap_or(vivarium_science::machines::BLANK);
        let stages = trace.blocks.iter().enumerate();
        let rows = stages.filter_map(|(at, stage)| {
            let look = stage.self_attention.as_ref()?;
            let known = match stage.kind {
                BlockKind::Search(round) => round,
                BlockKind::Fetch => bits,
                _ => 0,
            };
            let candidates = survivors(&writers, found, bits, known);
            let one = |group, place| {
                let number = stage.residual.get(layout.coordinate(group, place)).copied().unwrap_or(0.0);
                digit(number)
            };
            let wrote = match stage.kind {
                BlockKind::Visited if is_one(layout, &stage.residual) => tr!("yes").to_string(),
                BlockKind::Visited => tr!("no").into(),
                BlockKind::Search(round) => one(TokenGroup::Prefix, round),
                _ => symbol.to_string(),
            };
            let (marks, chosen) = marks(&writers, &candidates, look, trace.step);
            let (phase, candidates) = (stage.kind, candidates.len());
            Some(Row { stage: at + 1, phase, marks, candidates, chosen, null: look.null_weight, wrote })
        });
        let rows: Vec<Row> = rows.collect();
        let visited = trace.blocks.iter().find(|stage| stage.kind == BlockKind::Visited);
        let was_written = visited.is_some_and(|stage| is_one(layout, &stage.residual));
        Search { step: trace.step, rows, found, cell: trace.record.head, symbol, was_written }
    }

    /// Where the search has ended, in a sentence.
    pub fn conclusion(&self) -> String {
        let Search { found, cell, symbol, .. } = self;
        match (*found, self.was_written) {
            (0, false) => tr!(
                "According to the search, no step has written to cell {cell} yet, so the token holds the symbol of the input or the blank: {symbol}.",
                cell,
                symbol
            ),
            (0, true) => {
                tr!(
                    "The search has found no step that wrote to cell {cell}; the symbol in the token is {symbol}.",
                    cell,
                    symbol
                )
            }
            _ => tr!(
                "According to the search, step {found} is the last step that wrote to cell {cell}; the symbol in the token is {symbol}.",
                found,
                cell,
                symbol
            ),
        }
    }

    /// The tokens that the rows reach over.
    pub fn about(&self) -> String {
        match self.step {
            0 => tr!("Step 0 comes before all tokens, so each row shows attention to the null slot only.")
                .into(),
            1 => tr!("Each row shows token 1, the only one so far.").into(),
            last => tr!("Each row shows all tokens, from 1 on the left to {last} on the right.", last),
        }
    }
}

/// Whether the flag says that an earlier step wrote the cell.
fn is_one(layout: &ResidualLayout, residual: &[f64]) -> bool {
    residual.get(layout.coordinate(TokenGroup::Flags, 0)).is_some_and(|flag| *flag > 0.5)
}

/// The pixels of a row, and how many tokens were taken.
fn marks(writers: &[usize], candidates: &[usize], look: &AttentionTrace, last: usize) -> (Vec<Mark>, usize) {
    let columns = last.clamp(1, COLUMNS);
    let mut marks = vec![Mark::Other; columns];
    let mut put = |token: usize, mark: Mark| {
        let pixel = &mut marks[column(token, last, columns)];
        *pixel = (*pixel).max(mark);
    };
    writers.iter().for_each(|token| put(*token, Mark::Dropped));
    candidates.iter().for_each(|token| put(*token, Mark::Candidate));
    let most = look.weights.iter().copied().fold(look.null_weight, f64::max);
    let taken = look.weights.iter().zip(1..).filter(|(weight, _)| is_chosen(**weight, most));
    let mut chosen = 0;
    taken.for_each(|(_, token)| {
        put(token, Mark::Chosen);
        chosen += 1;
    });
    (marks, chosen)
}

/// The pixels of a row, four bytes each, in these colours of the [marks](Mark::ALL).
pub fn pixels(row: &Row, colours: &[[u8; 3]; 4]) -> Vec<u8> {
    let pixel = |mark: &Mark| {
        let [red, green, blue] = colours[*mark as usize];
        [red, green, blue, 255]
    };
    row.marks.iter().flat_map(pixel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_science::machines::{
        AttentionMode, Construction, ExecutionMode, MachineRun, library::EXAMPLES, library::MachineExample,
    };

    fn made(of: &MachineExample, how: ExecutionMode, steps: usize) -> (Machine, MachineRun, Transformer) {
        let machine = of.parse_machine().unwrap();
        let input = machine.parse_input(of.input).unwrap();
        let run = MachineRun::new(&machine, &input, of.start, of.steps).unwrap();
        let weights = Construction::new(&machine, run.position_bits()).unwrap();
        let mut transformer = Transformer::new(weights.into(), &input, of.start, how).unwrap();
        (0..steps).for_each(|_| assert!(transformer.advance().is_some()));
        (machine, run, transformer)
    }

    #[test]
    fn survivors_agree_with_the_first_bits() {
        // 5 is 0101, 6 is 0110, 13 is 1101.
        let writers = [1, 5, 6, 13];
        assert_eq!(survivors(&writers, 6, 4, 0), writers);
        assert_eq!(survivors(&writers, 6, 4, 1), [1, 5, 6]);
        assert_eq!(survivors(&writers, 6, 4, 2), [5, 6]);
        assert_eq!(survivors(&writers, 6, 4, 3), [6]);
        assert_eq!(survivors(&writers, 6, 4, 4), [6]);
        assert_eq!(survivors(&writers, 0, 4, 4), [0usize; 0]);
        assert_eq!(survivors(&writers, 6, 400, 0), writers, "more bits than a number has");
    }

    #[test]
    fn each_search_ends_on_the_step_that_wrote_the_cell_last() {
        for of in EXAMPLES.iter().filter(|of| of.steps <= 120) {
            let (machine, run, transformer) = made(of, ExecutionMode::default(), of.steps);
            let bits = transformer.construction().layout().bits();
            for step in 1..=of.steps {
                let trace = transformer.recompute_step(step).unwrap();
                let search = Search::of(&machine, &transformer, &trace);
                assert_eq!(search.rows.len(), bits + 2);
                // Step t writes the cell where the head was before it.
                let before = |t: usize| crate::machines::tape::moment(&run, t - 1).head;
                let head = run.records[step - 1].head;
                let writers: Vec<usize> = (1..=step).filter(|t| before(*t) == head).collect();
                assert_eq!(search.found, writers.last().copied().unwrap_or(0), "{} {step}", of.slug);
                assert_eq!(search.was_written, !writers.is_empty());
                for row in &search.rows[..=bits] {
                    let known = match row.phase {
                        BlockKind::Search(round) => round,
                        _ => 0,
                    };
                    let expected = survivors(&writers, search.found, bits, known);
                    assert_eq!(row.candidates, expected.len());
                    assert_eq!(row.candidates, transformer.search_candidates(&trace, known).len());
                    // Where nothing is chosen the null slot is, and what is chosen was a candidate.
                    assert_eq!(row.chosen == 0, row.is_null());
                    assert!(row.chosen <= row.candidates);
                    let bit = |round: usize| search.found >> (bits - 1 - round) & 1;
                    if let BlockKind::Search(round) = row.phase {
                        assert_eq!(row.wrote, bit(round).to_string());
                        assert_eq!(row.is_null(), bit(round) == 0);
                    }
                }
                let last = search.rows.last().unwrap();
                assert_eq!(
                    (last.candidates, last.chosen),
                    (usize::from(search.was_written), last.candidates)
                );
            }
        }
    }

    #[test]
    fn rows_are_said_in_words() {
        let (machine, _, transformer) = made(&EXAMPLES[5], ExecutionMode::default(), 60);
        let searches = (1..=60).map(|step| {
            let trace = transformer.recompute_step(step).unwrap();
            Search::of(&machine, &transformer, &trace)
        });
        let searches: Vec<Search> = searches.collect();
        let first = &searches[0];
        assert_eq!(first.about(), "Each row shows token 1, the only one so far.");
        assert_eq!(
            first.rows[0].sentence(),
            "Written?: 0 candidates; the null slot has the largest attention weight, and the block writes no."
        );
        assert!(
            first.conclusion().starts_with("According to the search, no step has written to cell 65 yet"),
            "{}",
            first.conclusion()
        );
        let later = searches.iter().find(|search| search.was_written).unwrap();
        assert!(later.conclusion().starts_with("According to the search, step "), "{}", later.conclusion());
        assert!(later.about().ends_with(&format!("to {} on the right.", later.step)));
        let last = later.rows.last().unwrap();
        assert_eq!((last.name().as_str(), later.rows[3].name().as_str()), ("Fetch", "Bit 3"));
        let said = last.sentence();
        assert!(
            said.starts_with(
                "Fetch: 1 candidate; 1 token has the largest attention weight, and the block writes "
            ),
            "{said}"
        );
    }

    #[test]
    fn softmax_takes_what_counts_most() {
        let how = ExecutionMode { attention: AttentionMode::Soft(10.0), rounding: true };
        let (machine, _, transformer) = made(&EXAMPLES[5], how, 40);
        let (_, _, hard) = made(&EXAMPLES[5], ExecutionMode::default(), 40);
        for step in 1..=40 {
            let rows = |of: &Transformer| {
                let search = Search::of(&machine, of, &of.recompute_step(step).unwrap());
                search.rows.into_iter().map(|row| (row.marks, row.chosen)).collect::<Vec<_>>()
            };
            assert_eq!(rows(&transformer), rows(&hard), "step {step}");
        }
    }

    #[test]
    fn long_runs_share_pixels_and_lose_no_candidate() {
        assert_eq!((column(1, 1, 1), column(1, 1000, 240), column(1000, 1000, 240)), (0, 0, 239));
        assert_eq!((column(0, 0, 0), column(7, 3, 3)), (0, 2));
        for token in 1..1000 {
            assert!(column(token + 1, 1000, COLUMNS) - column(token, 1000, COLUMNS) < 2);
        }
        let mut weights = vec![0.0; 1000];
        weights[499] = 1.0;
        let look =
            AttentionTrace { weights, null_weight: 0.0, scores: vec![], null_score: 0.0, score_gap: None };
        let (marks, chosen) = marks(&[3, 4, 500], &[4, 500], &look, 1000);
        let count = |mark| marks.iter().filter(|other| **other == mark).count();
        assert_eq!((marks.len(), chosen, count(Mark::Chosen)), (COLUMNS, 1, 1));
        // Tokens 3 and 4 share a pixel.
        assert_eq!((count(Mark::Candidate), count(Mark::Dropped)), (1, 0));
        let row = Row {
            stage: 3,
            phase: BlockKind::Visited,
            marks: vec![Mark::Other, Mark::Chosen],
            candidates: 1,
            chosen: 1,
            null: 0.0,
            wrote: "yes".into(),
        };
        let colours = [[1; 3], [2; 3], [3; 3], [4; 3]];
        assert_eq!(pixels(&row, &colours), [1, 1, 1, 255, 4, 4, 4, 255]);
        assert_eq!(Mark::ALL.map(Mark::name).len(), 4);
    }
}
