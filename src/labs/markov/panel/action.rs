//! Actions of the user on the inspected sequence. All changes are in the link and can be undone; none of them
//! restarts the run.

use crate::markov::state::MarkovState;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::sorting;
use vivarium_model::permalink::ViewSettings;
use vivarium_plot::analysis::chains::symbol_letter;

/// User action on the inspected sequence, on the chain that the user has entered, or on the heads.
#[derive(Debug, Clone, PartialEq)]
pub enum SequenceAction {
    /// Inspects this sequence of letters or digits, which spaces, commas and dots may separate. Empty text returns to
    /// the held-out sequence, or to one of the user's chain.
    SetSequence(String),
    /// Appends this symbol, numbered from 0, to the inspected sequence.
    Append(u8),
    /// Removes the last symbol of the inspected sequence.
    RemoveLast,
    /// Sets one entry of the user's chain in percent, and divides the rest of its row among the other entries.
    SetEntry {
        /// Row of the transition matrix (the preceding symbol), from 0.
        row: usize,
        /// Column of the transition matrix (the next symbol), from 0.
        column: usize,
        /// New transition probability in percent.
        percent: usize,
    },
    /// Sets one entry of the user's chain to the text of its field; rejected unless it is a percentage.
    SetEntryText {
        /// Row of the transition matrix (the preceding symbol), from 0.
        row: usize,
        /// Column of the transition matrix (the next symbol), from 0.
        column: usize,
        /// Percentage, as the user typed it.
        text: String,
    },
    /// Sets the user's chain to these percentages, row by row with spaces, commas, dots, slashes or bars between;
    /// rejected unless each row sums to 100.
    SetRows(String),
    /// Copies the displayed chain, rounded to whole percents, into the user's chain; uniform rows if no chain is known.
    CopyChain,
    /// Sets the user's chain to a random one, drawn with this seed.
    RandomChain(u64),
    /// Removes the chain that the user has entered, so that the task's own chains are shown again.
    RemoveChain,
    /// Switches this head off, or on again; counted layer by layer from 1.
    ToggleHead(usize),
    /// Switches all attention heads of the network on.
    EnableAllHeads,
    /// Inspects the prediction after this symbol, from 1; 0 for the last.
    SelectPosition(usize),
    /// Draws this head, counted layer by layer from 1; 0 for all.
    SelectHead(usize),
    /// Inspects this held-out sequence, or this one of the user's chain, from 1.
    SelectSequence(usize),
}

/// Parses text as symbols of an alphabet of `symbols` symbols, which get numbers from 0: letters from a, or digits from
/// 0, in upper or lower case with separators between.
///
/// # Errors
///
/// The character that is no symbol, and the valid symbols.
pub fn parse_symbols(text: &str, symbols: usize) -> Result<Vec<usize>, String> {
    let last = symbol_letter(symbols - 1);
    let one = |sign: char| {
        let sign = sign.to_ascii_lowercase();
        let symbol = match sign {
            'a'..='z' => sign as usize - 'a' as usize,
            '0'..='9' => sign as usize - '0' as usize,
            _ => usize::MAX,
        };
        let wrong = || {
            tr!(
                "symbols from a to {last}, or from 0 to {symbols}; “{sign}” is not one of these symbols",
                last,
                symbols = symbols - 1,
                sign
            )
        };
        if symbol < symbols { Ok(symbol) } else { Err(wrong()) }
    };
    text.chars().filter(|sign| !sign.is_whitespace() && !",.;".contains(*sign)).map(one).collect()
}

/// Row of a transition matrix in percent with the entry at `column` set to `percent`: the other entries keep their
/// proportions, are rounded to whole percents, and the row sums to 100.
pub(super) fn rescale_row(row: &[usize], column: usize, percent: usize) -> Vec<usize> {
    let percent = percent.min(100);
    let others: usize = row.iter().enumerate().filter(|(at, _)| *at != column).map(|(_, p)| p).sum();
    let shares = row.iter().enumerate().map(|(at, p)| match (at == column, others) {
        (true, _) => 0.0,
        (false, 0) => 1.0,
        (false, _) => *p as f64,
    });
    let mut row = round_to_sum(&shares.collect::<Vec<f64>>(), 100 - percent);
    row[column] = percent;
    row
}

/// Rounds numbers in proportion to `weights` (not all 0) to whole numbers that sum to `sum`, by the method of largest
/// remainders.
pub(super) fn round_to_sum(weights: &[f64], sum: usize) -> Vec<usize> {
    let total: f64 = weights.iter().sum();
    let exact: Vec<f64> = weights.iter().map(|share| share / total * sum as f64).collect();
    let mut parts: Vec<usize> = exact.iter().map(|x| libm::floor(*x) as usize).collect();
    let mut order: Vec<usize> = (0..weights.len()).filter(|at| weights[*at] > 0.0).collect();
    let rest = |at: &usize| exact[*at] - libm::floor(exact[*at]);
    sorting::sort_by(&mut order, |a, b| rest(b).total_cmp(&rest(a)));
    let missing = sum - parts.iter().sum::<usize>();
    order.iter().take(missing).for_each(|at| parts[*at] += 1);
    parts
}

/// Random transition matrix in whole percents, `[symbols, symbols]`, whose rows are drawn uniformly from the simplex by
/// `seed`, with at least 1 % per entry.
pub(super) fn random_chain(symbols: usize, seed: u64) -> Vec<usize> {
    let stream = RandomStream::new(seed, Purpose::Chain, 0);
    let row = |row: usize| {
        // Normalised exponential variables are uniform on the simplex; no entry is 0, so that the chain visits all
        // symbols.
        let shares = (0..symbols).map(|at| {
            let unit = f64::from(stream.draw_uniform(row as u64, at as u32));
            -libm::log(unit.clamp(1e-6, 1.0 - 1e-6))
        });
        let shares: Vec<f64> = shares.collect();
        round_to_sum(&shares, 100 - symbols).into_iter().map(|percent| percent + 1).collect::<Vec<_>>()
    };
    (0..symbols).flat_map(row).collect()
}

/// Displayed transition matrix in whole percents, `[symbols, symbols]`: the one entered by the user, or else that of
/// the inspected sequence's chain; `None` if that is unknown or not of order 2 (bigrams).
pub fn displayed_chain(state: &MarkovState, view: &ViewSettings) -> Option<Vec<usize>> {
    let k = state.task.symbols;
    if view.markov.chain.len() == k * k {
        return Some(view.markov.chain.clone());
    }
    let chain = state.inspected.chain.as_ref().filter(|chain| chain.order == 2)?;
    Some((0..k).flat_map(|row| round_to_sum(&chain.next_symbol_distribution(row), 100)).collect())
}

/// Encodes symbols, percentages or head numbers in the notation of a link, "1.0.2".
pub(super) fn encode_numbers(numbers: impl IntoIterator<Item = usize>) -> String {
    numbers.into_iter().map(|n| n.to_string()).collect::<Vec<_>>().join(".")
}
