//! What the panel "Inside the network" shows of the state: where the prediction looks, what is expected next, the heads, and the
//! chain.

use super::action::shown_chain;
use crate::markov::state::{MarkovState, Origin};
use vivarium_model::permalink::View;
use vivarium_plot::analysis::chains::letter;
use vivarium_science::markov::Chain;
use vivarium_view::display::words::{self, MISSING, decimal, list, probability};

/// Sequences that there are to look into, held-out ones or of the own chain.
pub const EXAMPLES: usize = 64;

/// Where the sequence comes from, as a sentence.
pub fn origin(chains: &MarkovState) -> String {
    let count = chains.inspected.symbols.len();
    let of = match chains.inspected.origin {
        Origin::Own => tr!("Your own sequence").into(),
        Origin::Drawn(number) => tr!("Sequence {number} of your chain", number),
        Origin::HeldOut(number) => {
            tr!("Held-out sequence {number} of {all}", number, all = EXAMPLES)
        }
    };
    tr!("{of}: {symbols}.", of, symbols = words::count(count, "symbol"))
}

/// What a place of the sequence is called: "symbol 17 (b)".
pub fn place(chains: &MarkovState, at: usize) -> String {
    let symbol =
        chains.inspected.symbols.get(at).map_or(MISSING.into(), |symbol| letter(usize::from(*symbol)));
    tr!("symbol {at} ({symbol})", at = at + 1, symbol)
}

/// How much the prediction at the chosen place looks at each symbol, and by which heads: the enlarged one, or all heads of
/// the last layer that are on, on average.
pub fn gaze(chains: &MarkovState, view: &View) -> (String, Vec<f64>) {
    let (at, names) = (chains.place(view), chains.head_names());
    let length = chains.inspected.symbols.len();
    if let Some(chosen) = view.head.checked_sub(1)
        && let (Some(head), Some(name)) = (chains.inspected.look.heads.get(chosen), names.get(chosen))
    {
        return (tr!("head {name}", name), head.shares[at * length..][..length].to_vec());
    }
    let on: Vec<_> = chains
        .glances(at)
        .into_iter()
        .filter(|glance| {
            let number = names.iter().position(|name| *name == glance.name).map_or(0, |head| head + 1);
            !view.off.contains(&number)
        })
        .collect();
    let mut mean = vec![0.0; length];
    for glance in &on {
        mean.iter_mut().zip(&glance.weights).for_each(|(sum, weight)| *sum += weight / on.len() as f64);
    }
    let who = match (on.as_slice(), names.is_empty()) {
        ([], true) => "nothing".into(),
        ([], false) => tr!("the last layer, whose heads are all off").into(),
        ([one], true) => one.name.clone(),
        ([one], false) => tr!("head {head}", head = one.name),
        (many, _) => {
            tr!(
                "heads {heads}",
                heads = list(&many.iter().map(|glance| glance.name.clone()).collect::<Vec<_>>())
            )
        }
    };
    (who, mean)
}

/// What the colours of the symbols mean, or of the one that is pointed at.
pub fn gazed(chains: &MarkovState, view: &View, pointed: Option<usize>) -> String {
    let (who, weights) = gaze(chains, view);
    let here = chains.place(view);
    let weight = |at: usize| weights.get(at).copied().unwrap_or(0.0);
    let upper = |at: usize| words::capital(&place(chains, at));
    match pointed {
        Some(at) if at > here => tr!("{symbol} comes after the chosen symbol.", symbol = upper(at)),
        Some(at) => format!("{}: {} ({who}).", upper(at), decimal(weight(at) as f32)),
        None => {
            let most = weights.iter().fold(0.0f64, |most, weight| most.max(weight.abs()));
            tr!(
                "Colours show the weight of each symbol in {who}, for the prediction after {place}. The strongest colour stands for a weight of {most}.",
                place = place(chains, here),
                who,
                most = decimal(most as f32)
            )
        }
    }
}

/// A row of the table of what is expected next: who expects it, and of each symbol the probability and its text.
pub type Expected = (String, Vec<(f64, String)>);

/// What truth, network and strategies expect after the chosen place.
pub fn expected(chains: &MarkovState, view: &View) -> Vec<Expected> {
    let cell = |p: f64| (if p.is_finite() { p } else { 0.0 }, probability(p));
    let rows = chains.expected(chains.place(view)).into_iter();
    rows.map(|(who, p)| (who.name(), p.into_iter().map(cell).collect())).collect()
}

/// How well the network does on the sequence, as a sentence, and what heads that are switched off change: "KL to the truth,
/// mean over this sequence: 0.210; with all heads 0.020."
pub fn cost(chains: &MarkovState) -> Option<String> {
    let now = chains.cost(&chains.inspected.look.logits)?;
    let whole = chains.cost(&chains.inspected.whole);
    let with =
        whole.map_or(String::new(), |whole| tr!("; with all heads {whole}", whole = decimal(whole as f32)));
    let what = match chains.inspected.chain {
        Some(_) => tr!("KL to the truth"),
        None => tr!("Loss of the network"),
    };
    Some(tr!("{what}, mean over this sequence: {now}{with}.", what, now = decimal(now as f32), with))
}

/// Which heads are switched off, and what that means; none where all are on.
pub fn off(chains: &MarkovState, view: &View) -> Option<String> {
    let names = chains.head_names();
    let off: Vec<String> =
        view.off.iter().filter_map(|head| names.get(head.checked_sub(1)?).cloned()).collect();
    let sentence = |who: String, are: &str| {
        tr!(
            "{who} {are} switched off: predictions and maps on this page use the remaining heads. \
             Training and the measured curves use all heads.",
            who,
            are
        )
    };
    match off.as_slice() {
        [] => None,
        [one] => Some(sentence(tr!("Head {head}", head = one), "is")),
        many => Some(sentence(tr!("Heads {heads}", heads = list(many)), "are")),
    }
}

/// What the loss is without this head, from 0, once that has been measured: "KL without this head: 0.210 (+0.190)".
pub fn without(chains: &MarkovState, head: usize) -> Option<String> {
    let found = chains.ablation.as_deref()?;
    let (whole, kl) = (*found.first()?, *found.get(head + 1)?);
    let change = kl - whole;
    let sign = if change >= 0.0 { "+" } else { "" };
    Some(tr!("KL without this head: {kl} ({sign}{change})", kl = decimal(kl), sign, change = decimal(change)))
}

/// One cell of a head's map: "head 1.1: symbol 17 (b) looks at symbol 16 (a): 0.930".
pub fn cell(chains: &MarkovState, head: usize, from: usize, to: usize) -> Option<String> {
    let length = chains.inspected.symbols.len();
    if from >= length || to >= length {
        return None;
    }
    let (name, found) = (chains.head_names().get(head)?.clone(), chains.inspected.look.heads.get(head)?);
    let who = place(chains, from);
    Some(match to > from {
        true => tr!("Head {name}: {who} cannot attend to later symbols.", name, who),
        false => {
            let share = decimal(found.shares[from * length + to] as f32);
            tr!("Head {name}: {who} attends to {place}: {share}", name, who, place = place(chains, to), share)
        }
    })
}

/// The place that a head looks at most from the symbol at `from`.
pub fn most(chains: &MarkovState, head: usize, from: usize) -> Option<usize> {
    let length = chains.inspected.symbols.len();
    let shares = chains.inspected.look.heads.get(head)?.shares.get(from * length..(from + 1) * length)?;
    (0..=from).max_by(|a, b| shares[*a].total_cmp(&shares[*b]))
}

/// Where a head looks mostly from the symbol at `from`, for those who do not see its map.
pub fn mostly(chains: &MarkovState, head: usize, from: usize) -> Option<String> {
    cell(chains, head, from, most(chains, head, from)?)
}

/// A table of a chain's probabilities: names of the contexts, and the text of every entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Names of the contexts, the earliest symbol first.
    pub contexts: Vec<String>,
    /// Probability of each symbol after each context, as text, `[contexts, symbols]`.
    pub entries: Vec<String>,
}

/// The table of a chain, for chains of any order.
pub fn table(chain: &Chain) -> Table {
    let k = chain.symbols;
    let name = |context: usize| -> String {
        (0..chain.order - 1).rev().map(|back| letter(context / k.pow(back as u32) % k)).collect()
    };
    let entries = (0..chain.context_count()).flat_map(|context| chain.next_symbol_distribution(context));
    Table {
        contexts: (0..chain.context_count()).map(name).collect(),
        entries: entries.map(probability).collect(),
    }
}

/// The chain on show row by row in percent, "90 10 / 30 70"; none where it is not of order 2 or not known.
pub fn rows(chains: &MarkovState, view: &View) -> Option<String> {
    let chain = shown_chain(chains, view)?;
    let row = |row: &[usize]| row.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    Some(chain.chunks(chains.task.symbols).map(row).collect::<Vec<_>>().join(" / "))
}

/// How often each symbol comes in the long run, as a sentence; none where the chain is not known.
pub fn stationary(chains: &MarkovState) -> Option<String> {
    let chain = chains.inspected.chain.as_ref()?;
    let mut shares = vec![0.0; chain.symbols];
    // The last symbol of a context counts one.
    chain
        .stationary_distribution()
        .iter()
        .enumerate()
        .for_each(|(context, share)| shares[context % chain.symbols] += share);
    let one = |(symbol, share): (usize, &f64)| format!("{} {}", letter(symbol), probability(*share));
    Some(tr!(
        "Shares of the symbols in a very long sequence from this chain: {shares}.",
        shares = list(&shares.iter().enumerate().map(one).collect::<Vec<_>>())
    ))
}

/// What is wrong with what was entered where this was expected.
pub fn refused(expected: &str) -> String {
    tr!("Expected {expected}.", expected = expected.trim_end_matches('.'))
}
