//! What a person does to the sequence that is looked into. All of it is in the link and can be undone; none of it
//! restarts the run.

use crate::markov::state::MarkovState;
use vivarium_core::rng::{Purpose, Stream};
use vivarium_core::sorting;
use vivarium_model::permalink::View;
use vivarium_plot::analysis::chains::letter;

/// What can be done to what is looked into.
#[derive(Debug, Clone, PartialEq)]
pub enum SequenceAction {
    /// Look into this sequence of letters or digits; spaces, commas and dots may stand between. Nothing goes back to
    /// the held-out one, or to one of the own chain.
    Sequence(String),
    /// Add this symbol, from 0, at the end.
    Append(u8),
    /// Take the last symbol away.
    Shorten,
    /// Give this entry of the own chain this many percent, and share what is left of its row among the others.
    Entry {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// Percent.
        percent: usize,
    },
    /// The same with what was typed into the entry's field, which is refused where it is no percentage.
    Typed {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// What was typed.
        text: String,
    },
    /// Make these percents the own chain, row by row with spaces, commas, dots or strokes between; rows that do not sum to
    /// 100 are refused.
    Rows(String),
    /// Make the chain on show the own one, in whole percents, to go on from; even rows where none is known.
    OwnChain,
    /// A chain at random, by this number.
    RandomChain(u64),
    /// Forget the own chain.
    NoChain,
    /// Switch this head off, or on again; counted layer by layer from 1.
    ToggleHead(usize),
    /// Switch all heads on.
    AllHeads,
    /// Look into the prediction after this symbol, from 1; 0 takes the last.
    Place(usize),
    /// Draw this head, counted layer by layer from 1; 0 draws all.
    Head(usize),
    /// Look into this held-out sequence, or this one of the own chain, from 1.
    Example(usize),
}

/// Text of a person as symbols: letters from a, or digits from 0, in either case with separators between.
///
/// # Errors
/// Which sign is no symbol, and what the symbols are.
pub fn symbols_in(text: &str, symbols: usize) -> Result<Vec<usize>, String> {
    let last = letter(symbols - 1);
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

/// A row in percent with one entry changed: the others keep their proportions as whole percents, and all sum to 100.
pub(super) fn rescaled(row: &[usize], column: usize, percent: usize) -> Vec<usize> {
    let percent = percent.min(100);
    let others: usize = row.iter().enumerate().filter(|(at, _)| *at != column).map(|(_, p)| p).sum();
    let shares = row.iter().enumerate().map(|(at, p)| match (at == column, others) {
        (true, _) => 0.0,
        (false, 0) => 1.0,
        (false, _) => *p as f64,
    });
    let mut row = whole(&shares.collect::<Vec<f64>>(), 100 - percent);
    row[column] = percent;
    row
}

/// Whole numbers with this sum in proportion to shares of which not all are 0, by the largest remainders.
pub(super) fn whole(shares: &[f64], sum: usize) -> Vec<usize> {
    let total: f64 = shares.iter().sum();
    let exact: Vec<f64> = shares.iter().map(|share| share / total * sum as f64).collect();
    let mut parts: Vec<usize> = exact.iter().map(|x| libm::floor(*x) as usize).collect();
    let mut order: Vec<usize> = (0..shares.len()).filter(|at| shares[*at] > 0.0).collect();
    let rest = |at: &usize| exact[*at] - libm::floor(exact[*at]);
    sorting::sort_by(&mut order, |a, b| rest(b).total_cmp(&rest(a)));
    let missing = sum - parts.iter().sum::<usize>();
    order.iter().take(missing).for_each(|at| parts[*at] += 1);
    parts
}

/// A chain in percent with uniform rows, by this number.
pub(super) fn random_chain(symbols: usize, number: u64) -> Vec<usize> {
    let stream = Stream::new(number, Purpose::Chain, 0);
    let row = |row: usize| {
        // Gaps between uniform numbers are uniform on the simplex; none is nothing, so that a chain visits all.
        let shares = (0..symbols).map(|at| {
            let unit = f64::from(stream.unit(row as u64, at as u32));
            -libm::log(unit.clamp(1e-6, 1.0 - 1e-6))
        });
        let shares: Vec<f64> = shares.collect();
        whole(&shares, 100 - symbols).into_iter().map(|percent| percent + 1).collect::<Vec<_>>()
    };
    (0..symbols).flat_map(row).collect()
}

/// The chain on show in whole percents, `[symbols, symbols]`: the own one, or that of the sequence where it is known and
/// has order 2.
pub fn shown_chain(chains: &MarkovState, view: &View) -> Option<Vec<usize>> {
    let k = chains.task.symbols;
    if view.chain.len() == k * k {
        return Some(view.chain.clone());
    }
    let chain = chains.inspected.chain.as_ref().filter(|chain| chain.order == 2)?;
    Some((0..k).flat_map(|row| whole(&chain.next_symbol_distribution(row), 100)).collect())
}

/// Numbers as they stand in a link.
pub(super) fn dotted(numbers: impl IntoIterator<Item = usize>) -> String {
    numbers.into_iter().map(|n| n.to_string()).collect::<Vec<_>>().join(".")
}
