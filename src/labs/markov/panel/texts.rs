//! Texts of the panel "Inside the network": weights of symbols, next-symbol probabilities, the heads, and the
//! chain.

use super::action::displayed_chain;
use crate::markov::state::{MarkovState, SequenceOrigin};
use vivarium_model::permalink::ViewSettings;
use vivarium_plot::analysis::chains::symbol_letter;
use vivarium_science::markov::Chain;
use vivarium_view::display::words::{self, MISSING, format_decimal, format_probability, join_list};

/// Number of sequences among which the user can choose in the panel, held-out ones or ones drawn from the user's chain.
pub const SEQUENCE_COUNT: usize = 64;

/// Sentence on the origin and length of the inspected sequence.
pub fn describe_origin(state: &MarkovState) -> String {
    let count = state.inspected.symbols.len();
    let of = match state.inspected.origin {
        SequenceOrigin::Entered => tr!("Your own sequence").into(),
        SequenceOrigin::Drawn(number) => tr!("Sequence {number} of your chain", number),
        SequenceOrigin::HeldOut(number) => {
            tr!("Held-out sequence {number} of {all}", number, all = SEQUENCE_COUNT)
        }
    };
    tr!("{of}: {symbols}.", of, symbols = words::format_count(count, "symbol"))
}

/// Name of a position of the inspected sequence, given from 0: "symbol 17 (b)".
pub fn position_name(state: &MarkovState, position: usize) -> String {
    let symbol = state
        .inspected
        .symbols
        .get(position)
        .map_or(MISSING.into(), |symbol| symbol_letter(usize::from(*symbol)));
    tr!("symbol {at} ({symbol})", at = position + 1, symbol)
}

/// Name of the selected head, or of all heads of the last layer that are on, and its weight (their mean weight) of each
/// symbol for the prediction at the selected position.
pub fn mean_head_weights(state: &MarkovState, view: &ViewSettings) -> (String, Vec<f64>) {
    let (at, names) = (state.shown_position(view), state.head_names());
    let length = state.inspected.symbols.len();
    if let Some(chosen) = view.head.checked_sub(1)
        && let (Some(head), Some(name)) = (state.inspected.trace.heads.get(chosen), names.get(chosen))
    {
        return (tr!("head {name}", name), head.shares[at * length..][..length].to_vec());
    }
    let on: Vec<_> = state
        .head_weights(at)
        .into_iter()
        .filter(|glance| {
            let number = names.iter().position(|name| *name == glance.name).map_or(0, |head| head + 1);
            !view.markov.off.contains(&number)
        })
        .collect();
    let mut mean = vec![0.0; length];
    for glance in &on {
        mean.iter_mut().zip(&glance.weights).for_each(|(sum, weight)| *sum += weight / on.len() as f64);
    }
    let who = match (on.as_slice(), state.inspected.trace.heads.is_empty()) {
        ([], true) => "nothing".into(),
        ([], false) => tr!("the last layer, whose heads are all off").into(),
        ([one], true) => one.name.clone(),
        ([one], false) => tr!("head {head}", head = one.name),
        (many, _) => {
            tr!(
                "heads {heads}",
                heads = join_list(&many.iter().map(|glance| glance.name.clone()).collect::<Vec<_>>())
            )
        }
    };
    (who, mean)
}

/// Sentence on the weights that the symbols' colours show, or on the symbol under the pointer (`hovered`, from 0).
pub fn describe_weights(state: &MarkovState, view: &ViewSettings, hovered: Option<usize>) -> String {
    let (who, weights) = mean_head_weights(state, view);
    let here = state.shown_position(view);
    let weight = |at: usize| weights.get(at).copied().unwrap_or(0.0);
    let upper = |at: usize| words::capitalize(&position_name(state, at));
    match hovered {
        Some(at) if at > here => tr!("{symbol} comes after the chosen symbol.", symbol = upper(at)),
        Some(at) => format!("{}: {} ({who}).", upper(at), format_decimal(weight(at) as f32)),
        None => {
            let max_value = weights.iter().fold(0.0f64, |most, weight| most.max(weight.abs()));
            tr!(
                "Colours show the weight of each symbol in {who}, for the prediction after {place}. The strongest colour stands for a weight of {most}.",
                place = position_name(state, here),
                who,
                most = format_decimal(max_value as f32)
            )
        }
    }
}

/// Row of the table of next-symbol predictions: name of the predictor, and for each symbol the pair (probability,
/// probability as text).
pub type PredictionRow = (String, Vec<(f64, String)>);

/// Next-symbol predictions after the selected position by the truth, the network, the reference strategies and the
/// Bayes predictor.
pub fn prediction_rows(state: &MarkovState, view: &ViewSettings) -> Vec<PredictionRow> {
    let cell = |p: f64| (if p.is_finite() { p } else { 0.0 }, format_probability(p));
    let rows = state.predict_next(state.shown_position(view)).into_iter();
    rows.map(|(who, p)| (who.name(), p.into_iter().map(cell).collect())).collect()
}

/// Sentence on the network's loss on the inspected sequence, with and without the heads that are off: "KL to the truth,
/// mean over this sequence: 0.210; with all heads 0.020."; cross-entropy if the chain is unknown, `None` without a
/// symbol to compare.
pub fn describe_loss(state: &MarkovState) -> Option<String> {
    let now = state.compute_loss(&state.inspected.trace.logits)?;
    let whole = state.compute_loss(&state.inspected.whole_logits);
    let with = whole
        .map_or(String::new(), |whole| tr!("; with all heads {whole}", whole = format_decimal(whole as f32)));
    let what = match state.inspected.chain {
        Some(_) => tr!("KL to the truth"),
        None => tr!("Loss of the network"),
    };
    Some(tr!("{what}, mean over this sequence: {now}{with}.", what, now = format_decimal(now as f32), with))
}

/// Sentence on which heads are switched off and which displays that affects; `None` if all are on.
pub fn describe_disabled_heads(state: &MarkovState, view: &ViewSettings) -> Option<String> {
    let names = state.head_names();
    let off: Vec<String> =
        view.markov.off.iter().filter_map(|head| names.get(head.checked_sub(1)?).cloned()).collect();
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
        many => Some(sentence(tr!("Heads {heads}", heads = join_list(many)), "are")),
    }
}

/// KL divergence without attention head number `head`, counted through all layers from 0: "KL without this head: 0.210
/// (+0.190)"; `None` until it is measured.
pub fn describe_ablation(state: &MarkovState, head: usize) -> Option<String> {
    let found = state.ablation.as_deref()?;
    let (whole, kl) = (*found.first()?, *found.get(head + 1)?);
    let change = kl - whole;
    let sign = if change >= 0.0 { "+" } else { "" };
    Some(tr!(
        "KL without this head: {kl} ({sign}{change})",
        kl = format_decimal(kl),
        sign,
        change = format_decimal(change)
    ))
}

/// One entry of an attention map in words: "Head 1.1: symbol 17 (b) attends to symbol 16 (a): 0.930". Heads and
/// positions count from 0; `None` beyond the last.
pub fn describe_attention(state: &MarkovState, head: usize, query: usize, key: usize) -> Option<String> {
    let length = state.inspected.symbols.len();
    if query >= length || key >= length {
        return None;
    }
    let (name, found) = (state.head_names().get(head)?.clone(), state.inspected.trace.heads.get(head)?);
    let who = position_name(state, query);
    Some(match key > query {
        true => tr!("Head {name}: {who} cannot attend to later symbols.", name, who),
        false => {
            let share = format_decimal(found.shares[query * length + key] as f32);
            tr!(
                "Head {name}: {who} attends to {place}: {share}",
                name,
                who,
                place = position_name(state, key),
                share
            )
        }
    })
}

/// Key position with the largest attention weight of head number `head` (counted through all layers) for the query
/// position `query`, all from 0; `None` without such a head or position.
pub fn max_attention_position(state: &MarkovState, head: usize, query: usize) -> Option<usize> {
    let length = state.inspected.symbols.len();
    let shares = state.inspected.trace.heads.get(head)?.shares.get(query * length..(query + 1) * length)?;
    (0..=query).max_by(|a, b| shares[*a].total_cmp(&shares[*b]))
}

/// Sentence, for screen readers, on the key with the largest attention weight of head number `head` (counted through
/// all layers) for the query position `query`, both from 0; `None` without such a head or position.
pub fn describe_max_attention(state: &MarkovState, head: usize, query: usize) -> Option<String> {
    describe_attention(state, head, query, max_attention_position(state, head, query)?)
}

/// Table of a Markov chain's transition probabilities, as text: a row per context, a column per symbol.
#[derive(Debug, Clone, PartialEq)]
pub struct TransitionTable {
    /// Names of the contexts (one or more preceding symbols), earliest symbol first.
    pub contexts: Vec<String>,
    /// Probability of each symbol after each context, as text, `[contexts, symbols]`.
    pub entries: Vec<String>,
}

/// Table of the transition probabilities of a Markov chain of any order.
pub fn transition_table(chain: &Chain) -> TransitionTable {
    let k = chain.symbols;
    let name = |context: usize| -> String {
        (0..chain.order - 1).rev().map(|back| symbol_letter(context / k.pow(back as u32) % k)).collect()
    };
    let entries = (0..chain.context_count()).flat_map(|context| chain.next_symbol_distribution(context));
    TransitionTable {
        contexts: (0..chain.context_count()).map(name).collect(),
        entries: entries.map(format_probability).collect(),
    }
}

/// Displayed transition matrix in percent, "90 10 / 30 70"; `None` if it is unknown or not of order 2 (bigrams).
pub fn format_rows(state: &MarkovState, view: &ViewSettings) -> Option<String> {
    let chain = displayed_chain(state, view)?;
    let row = |row: &[usize]| row.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    Some(chain.chunks(state.task.symbols).map(row).collect::<Vec<_>>().join(" / "))
}

/// Sentence on the stationary distribution of symbols under the chain of the inspected sequence; `None` if the chain is
/// unknown.
pub fn describe_stationary(state: &MarkovState) -> Option<String> {
    let chain = state.inspected.chain.as_ref()?;
    let mut shares = vec![0.0; chain.symbols];
    // The last symbol of a context is the lowest digit of its index.
    chain
        .stationary_distribution()
        .iter()
        .enumerate()
        .for_each(|(context, share)| shares[context % chain.symbols] += share);
    let one =
        |(symbol, share): (usize, &f64)| format!("{} {}", symbol_letter(symbol), format_probability(*share));
    Some(tr!(
        "Shares of the symbols in a very long sequence from this chain: {shares}.",
        shares = join_list(&shares.iter().enumerate().map(one).collect::<Vec<_>>())
    ))
}

/// Error message "Expected …." for a text field, with the kind of input that was expected.
pub fn describe_rejection(expected: &str) -> String {
    tr!("Expected {expected}.", expected = expected.trim_end_matches('.'))
}
