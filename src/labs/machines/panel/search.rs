//! The search for the step that last wrote the cell of the head: one row of attention for each block that looks at the
//! past, over all tokens so far.
//!
//! ```text
//! candidates of bit j + 1   tokens t that wrote this cell and whose number begins with the j bits found so far
//! ```
//!
//! # Why
//! A row has one pixel for a token, or of long runs for a few tokens that follow each other: then the pixel shows the
//! most that one of them is, so that no candidate is ever lost.

use super::bits::{decode_binary, format_bit};
use vivarium_science::machines::{
    AttentionTrace, BlockKind, Machine, ResidualLayout, StepTrace, TokenGroup, Transformer,
};

/// Maximum number of pixels in a row of the search chart; if there are more past tokens, several share a pixel.
pub const MAX_ROW_PIXELS: usize = 240;

/// Role of a past token in the attention of one block that searches for the last step that wrote the cell of the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenMark {
    /// Past token of a step that wrote another cell than the one of the head.
    Other,
    /// Past token that wrote the cell of the head, but whose step number differs from the bits found so far.
    Dropped,
    /// Past token that wrote the cell of the head, and whose step number begins with the bits found so far.
    Candidate,
    /// Past token with (nearly) the largest attention weight, whose value the block took.
    Chosen,
}

impl TokenMark {
    /// All marks; where several tokens share a pixel of the chart, the mark that is later in this list wins.
    pub const ALL: [TokenMark; 4] =
        [TokenMark::Other, TokenMark::Dropped, TokenMark::Candidate, TokenMark::Chosen];

    /// Role of the past token, as text for the legend of the search chart.
    pub fn name(self) -> &'static str {
        match self {
            TokenMark::Other => tr!("token of a step that wrote to another cell"),
            TokenMark::Dropped => tr!("token of a step that wrote to this cell, no longer a candidate"),
            TokenMark::Candidate => tr!("candidate"),
            TokenMark::Chosen => tr!("token with the largest attention weight"),
        }
    }
}

/// Row of the search chart: the attention of one block over past tokens.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRow {
    /// Number of the transformer's block, from 1.
    pub block: usize,
    /// Kind of the transformer's block: which part of the search its attention does.
    pub block_kind: BlockKind,
    /// Mark of each pixel of the row, from the first past token to the last: how the search has treated the tokens that
    /// share the pixel.
    pub marks: Vec<TokenMark>,
    /// Number of past tokens that wrote the cell of the head and match the bits found before this block.
    pub candidate_count: usize,
    /// Number of past tokens with (nearly) the largest attention weight, whose value the block took.
    pub chosen_count: usize,
    /// Attention weight, from 0 to 1, of the null slot, a key without a token that wins if no token matches.
    pub null_weight: f64,
    /// Value that the block wrote into the token, as text: yes or no for "written before?", a bit of the step's number,
    /// or a symbol in the last block.
    pub written_value: String,
}

impl SearchRow {
    /// Name of the row's block in the search chart: "Written?", "Bit 3" or "Fetch".
    pub fn name(&self) -> String {
        match self.block_kind {
            BlockKind::Visited => tr!("Written?").into(),
            BlockKind::Search(round) => tr!("Bit {bit}", bit = round + 1),
            _ => tr!("Fetch").into(),
        }
    }

    /// Whether the null slot (a key without a token) has the largest attention weight of the block.
    pub fn is_null(&self) -> bool {
        self.null_weight > 0.5
    }

    /// Sentence on the candidates of the block, the tokens that its attention chose, and the value that it wrote.
    pub fn describe(&self) -> String {
        let (candidates, chosen, wrote) = (self.candidate_count, self.chosen_count, &self.written_value);
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

/// Search, by attention over past tokens, for the last step that wrote the cell on which the head is in one step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepSearch {
    /// Machine step in which the search takes place.
    pub step: usize,
    /// Rows of the blocks with attention to the past: whether the cell was written, one block per bit of the step's
    /// number, and the block that fetches the symbol.
    pub rows: Vec<SearchRow>,
    /// Number of the step that the search found as the last to write the cell, i′ in Wei, Chen and Ma 2022; 0 if no
    /// earlier step did.
    pub found_step: usize,
    /// Tape cell, from 0, on which the head is, and whose last write the search finds.
    pub cell: usize,
    /// The symbol that is read in the end.
    pub symbol: char,
    /// Whether an earlier step wrote the cell of the head, according to the flag in the transformer's tokens.
    pub was_written: bool,
}

/// Those of the step numbers `tokens` that agree with the step number `number` in its highest `known_bits` of `bits`
/// bits.
///
/// Of the tokens that wrote a cell, these are the candidates when `known_bits` bits of the last of them are found.
pub fn matching_tokens(tokens: &[usize], number: usize, bits: usize, known_bits: usize) -> Vec<usize> {
    let open = bits.saturating_sub(known_bits).min(usize::BITS as usize - 1);
    tokens.iter().copied().filter(|token| token >> open == number >> open).collect()
}

/// Pixel, from 0, of token number `token` (from 1) in a row where the tokens 1 to `last` share `columns` pixels.
pub fn pixel_of_token(token: usize, last: usize, columns: usize) -> usize {
    let at = (token.saturating_sub(1) as u64).saturating_mul(columns as u64) / (last.max(1) as u64);
    (at as usize).min(columns.saturating_sub(1))
}

/// Whether a block took the value of a past token or null slot with this attention weight: it must be at least half of
/// the largest weight.
fn is_chosen(weight: f64, max_weight: f64) -> bool {
    weight > 0.0 && weight >= 0.5 * max_weight
}

impl StepSearch {
    /// Reads the search for the last write from the attention weights of an executed step.
    pub fn new(machine: &Machine, transformer: &Transformer, trace: &StepTrace) -> StepSearch {
        let layout = transformer.construction().layout();
        let bits = layout.bits();
        let writers = transformer.search_candidates(trace, 0);
        // The prefix is complete after the last search block, which precedes the last block.
        let searched = trace.blocks.len().checked_sub(2).and_then(|at| trace.blocks.get(at));
        let found = searched.map_or(0, |stage| decode_binary(layout, &stage.residual, TokenGroup::Prefix));
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
            let candidates = matching_tokens(&writers, found, bits, known);
            let one = |group, place| {
                let number = stage.residual.get(layout.coordinate(group, place)).copied().unwrap_or(0.0);
                format_bit(number)
            };
            let wrote = match stage.kind {
                BlockKind::Visited if has_written_flag(layout, &stage.residual) => tr!("yes").to_string(),
                BlockKind::Visited => tr!("no").into(),
                BlockKind::Search(round) => one(TokenGroup::Prefix, round),
                _ => symbol.to_string(),
            };
            let (marks, chosen) = mark_tokens(&writers, &candidates, look, trace.step);
            let (phase, candidates) = (stage.kind, candidates.len());
            Some(SearchRow {
                block: at + 1,
                block_kind: phase,
                marks,
                candidate_count: candidates,
                chosen_count: chosen,
                null_weight: look.null_weight,
                written_value: wrote,
            })
        });
        let rows: Vec<SearchRow> = rows.collect();
        let visited = trace.blocks.iter().find(|stage| stage.kind == BlockKind::Visited);
        let was_written = visited.is_some_and(|stage| has_written_flag(layout, &stage.residual));
        StepSearch { step: trace.step, rows, found_step: found, cell: trace.record.head, symbol, was_written }
    }

    /// Sentence on which step the search found and which symbol the token then holds.
    pub fn describe_result(&self) -> String {
        let StepSearch { found_step: found, cell, symbol, .. } = self;
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

    /// Sentence on which past tokens the rows of the search chart cover.
    pub fn describe_range(&self) -> String {
        match self.step {
            0 => tr!("Step 0 comes before all tokens, so each row shows attention to the null slot only.")
                .into(),
            1 => tr!("Each row shows token 1, the only one so far.").into(),
            last => tr!("Each row shows all tokens, from 1 on the left to {last} on the right.", last),
        }
    }
}

/// Whether the flag in a residual vector says that an earlier step wrote the cell of the head.
fn has_written_flag(layout: &ResidualLayout, residual: &[f64]) -> bool {
    residual.get(layout.coordinate(TokenGroup::Flags, 0)).is_some_and(|flag| *flag > 0.5)
}

/// Marks of the pixels of one row of the search chart, and the number of past tokens whose value the block took. Tokens
/// are numbered from 1: `writers` wrote the cell of the head, `candidates` of them match the bits found so far, and
/// `last` is the latest token.
fn mark_tokens(
    writers: &[usize],
    candidates: &[usize],
    attention: &AttentionTrace,
    last: usize,
) -> (Vec<TokenMark>, usize) {
    let columns = last.clamp(1, MAX_ROW_PIXELS);
    let mut marks = vec![TokenMark::Other; columns];
    let mut put = |token: usize, mark: TokenMark| {
        let pixel = &mut marks[pixel_of_token(token, last, columns)];
        *pixel = (*pixel).max(mark);
    };
    writers.iter().for_each(|token| put(*token, TokenMark::Dropped));
    candidates.iter().for_each(|token| put(*token, TokenMark::Candidate));
    let max_value = attention.weights.iter().copied().fold(attention.null_weight, f64::max);
    let taken = attention.weights.iter().zip(1..).filter(|(weight, _)| is_chosen(**weight, max_value));
    let mut chosen = 0;
    taken.for_each(|(_, token)| {
        put(token, TokenMark::Chosen);
        chosen += 1;
    });
    (marks, chosen)
}

/// RGBA pixels of a row of the search chart, with one colour for each of the [marks](TokenMark::ALL).
pub fn render_row(row: &SearchRow, colours: &[[u8; 3]; 4]) -> Vec<u8> {
    let pixel = |mark: &TokenMark| {
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

    fn build_machine(
        of: &MachineExample,
        how: ExecutionMode,
        steps: usize,
    ) -> (Machine, MachineRun, Transformer) {
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
        assert_eq!(matching_tokens(&writers, 6, 4, 0), writers);
        assert_eq!(matching_tokens(&writers, 6, 4, 1), [1, 5, 6]);
        assert_eq!(matching_tokens(&writers, 6, 4, 2), [5, 6]);
        assert_eq!(matching_tokens(&writers, 6, 4, 3), [6]);
        assert_eq!(matching_tokens(&writers, 6, 4, 4), [6]);
        assert_eq!(matching_tokens(&writers, 0, 4, 4), [0usize; 0]);
        assert_eq!(matching_tokens(&writers, 6, 400, 0), writers, "more bits than a number has");
    }

    #[test]
    fn each_search_ends_on_the_step_that_wrote_the_cell_last() {
        for of in EXAMPLES.iter().filter(|of| of.steps <= 120) {
            let (machine, run, transformer) = build_machine(of, ExecutionMode::default(), of.steps);
            let bits = transformer.construction().layout().bits();
            for step in 1..=of.steps {
                let trace = transformer.recompute_step(step).unwrap();
                let search = StepSearch::new(&machine, &transformer, &trace);
                assert_eq!(search.rows.len(), bits + 2);
                // Step t writes the cell where the head was before it.
                let before = |t: usize| crate::machines::tape::record_after(&run, t - 1).head;
                let head = run.records[step - 1].head;
                let writers: Vec<usize> = (1..=step).filter(|t| before(*t) == head).collect();
                assert_eq!(search.found_step, writers.last().copied().unwrap_or(0), "{} {step}", of.slug);
                assert_eq!(search.was_written, !writers.is_empty());
                for row in &search.rows[..=bits] {
                    let known = match row.block_kind {
                        BlockKind::Search(round) => round,
                        _ => 0,
                    };
                    let expected = matching_tokens(&writers, search.found_step, bits, known);
                    assert_eq!(row.candidate_count, expected.len());
                    assert_eq!(row.candidate_count, transformer.search_candidates(&trace, known).len());
                    // Where nothing is chosen the null slot is, and what is chosen was a candidate.
                    assert_eq!(row.chosen_count == 0, row.is_null());
                    assert!(row.chosen_count <= row.candidate_count);
                    let bit = |round: usize| search.found_step >> (bits - 1 - round) & 1;
                    if let BlockKind::Search(round) = row.block_kind {
                        assert_eq!(row.written_value, bit(round).to_string());
                        assert_eq!(row.is_null(), bit(round) == 0);
                    }
                }
                let last = search.rows.last().unwrap();
                assert_eq!(
                    (last.candidate_count, last.chosen_count),
                    (usize::from(search.was_written), last.candidate_count)
                );
            }
        }
    }

    #[test]
    fn rows_are_stated_in_words() {
        let (machine, _, transformer) = build_machine(&EXAMPLES[5], ExecutionMode::default(), 60);
        let searches = (1..=60).map(|step| {
            let trace = transformer.recompute_step(step).unwrap();
            StepSearch::new(&machine, &transformer, &trace)
        });
        let searches: Vec<StepSearch> = searches.collect();
        let first = &searches[0];
        assert_eq!(first.describe_range(), "Each row shows token 1, the only one so far.");
        assert_eq!(
            first.rows[0].describe(),
            "Written?: 0 candidates; the null slot has the largest attention weight, and the block writes no."
        );
        assert!(
            first
                .describe_result()
                .starts_with("According to the search, no step has written to cell 65 yet"),
            "{}",
            first.describe_result()
        );
        let later = searches.iter().find(|search| search.was_written).unwrap();
        assert!(
            later.describe_result().starts_with("According to the search, step "),
            "{}",
            later.describe_result()
        );
        assert!(later.describe_range().ends_with(&format!("to {} on the right.", later.step)));
        let last = later.rows.last().unwrap();
        assert_eq!((last.name().as_str(), later.rows[3].name().as_str()), ("Fetch", "Bit 3"));
        let text = last.describe();
        assert!(
            text.starts_with(
                "Fetch: 1 candidate; 1 token has the largest attention weight, and the block writes "
            ),
            "{text}"
        );
    }

    #[test]
    fn softmax_takes_what_counts_most() {
        let how = ExecutionMode { attention: AttentionMode::Soft(10.0), rounding: true };
        let (machine, _, transformer) = build_machine(&EXAMPLES[5], how, 40);
        let (_, _, hard) = build_machine(&EXAMPLES[5], ExecutionMode::default(), 40);
        for step in 1..=40 {
            let rows = |of: &Transformer| {
                let search = StepSearch::new(&machine, of, &of.recompute_step(step).unwrap());
                search.rows.into_iter().map(|row| (row.marks, row.chosen_count)).collect::<Vec<_>>()
            };
            assert_eq!(rows(&transformer), rows(&hard), "step {step}");
        }
    }

    #[test]
    fn long_runs_share_pixels_and_lose_no_candidate() {
        assert_eq!(
            (pixel_of_token(1, 1, 1), pixel_of_token(1, 1000, 240), pixel_of_token(1000, 1000, 240)),
            (0, 0, 239)
        );
        assert_eq!((pixel_of_token(0, 0, 0), pixel_of_token(7, 3, 3)), (0, 2));
        for token in 1..1000 {
            assert!(
                pixel_of_token(token + 1, 1000, MAX_ROW_PIXELS) - pixel_of_token(token, 1000, MAX_ROW_PIXELS)
                    < 2
            );
        }
        let mut weights = vec![0.0; 1000];
        weights[499] = 1.0;
        let look =
            AttentionTrace { weights, null_weight: 0.0, scores: vec![], null_score: 0.0, score_gap: None };
        let (marks, chosen) = mark_tokens(&[3, 4, 500], &[4, 500], &look, 1000);
        let count = |mark| marks.iter().filter(|other| **other == mark).count();
        assert_eq!((marks.len(), chosen, count(TokenMark::Chosen)), (MAX_ROW_PIXELS, 1, 1));
        // Tokens 3 and 4 share a pixel.
        assert_eq!((count(TokenMark::Candidate), count(TokenMark::Dropped)), (1, 0));
        let row = SearchRow {
            block: 3,
            block_kind: BlockKind::Visited,
            marks: vec![TokenMark::Other, TokenMark::Chosen],
            candidate_count: 1,
            chosen_count: 1,
            null_weight: 0.0,
            written_value: "yes".into(),
        };
        let colours = [[1; 3], [2; 3], [3; 3], [4; 3]];
        assert_eq!(render_row(&row, &colours), [1, 1, 1, 255, 4, 4, 4, 255]);
        assert_eq!(TokenMark::ALL.map(TokenMark::name).len(), 4);
    }
}
