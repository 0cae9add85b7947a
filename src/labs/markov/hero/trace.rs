//! Values that a network computes on one sequence: attention weights of its first and last layer, and probabilities of the next
//! symbol.

use crate::markov::own_network;
use crate::markov::state::logit_contributions;
use vivarium_core::sorting::argsort;
use vivarium_model::models::Model;
use vivarium_model::models::attention_only::{self, Head};
use vivarium_model::models::minimal_markov::{self, KERNEL, LAGS};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;
use vivarium_science::markov::softmax;

/// Largest number of keys of a query that are drawn.
const MAX_KEYS: usize = 6;
/// Keys are drawn until their attention weights have this share of the sum.
const SHOWN_SHARE: f32 = 0.9;

/// Attention weights and probabilities of a network on a sequence of n symbols, of k different ones.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trace {
    /// Attention weights of the first layer, the mean over its heads that are on, `[n, n]`: a row per query; for the
    /// minimal model the entries of v, divided by the sum of their absolute values. Empty if the network has one layer.
    pub(super) first: Vec<f32>,
    /// Attention weights of the last layer, the mean over its heads that are on, `[n, n]`; for the minimal model the
    /// contributions of symbols to their logits, divided by the sum of their absolute values. Zeros if nothing attends.
    pub(super) last: Vec<f32>,
    /// Probabilities of the next symbol after each symbol, `[n, k]`.
    pub(super) probabilities: Vec<f32>,
}

impl Trace {
    /// The trace of the network of a run with these parameter tensors, without the heads in `off`, which count from 0
    /// through all layers; `None` if the tensors or the symbols do not belong to the run.
    pub(super) fn new(spec: &RunSpec, weights: &[Vec<f32>], symbols: &[u8], off: &[usize]) -> Option<Trace> {
        let Task::MarkovChain(task) = &spec.task else { return None };
        let (k, n) = (task.symbols, symbols.len());
        if !fits(spec, weights, symbols) {
            return None;
        }
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let (first, last, logits) = match &spec.model {
            Model::AttentionOnly(net) => {
                let of_length = attention_only::OfLength { net: net.clone(), length: task.length };
                let look = of_length.plain(&slices, k).look(symbols, off);
                let end = net.heads.len().saturating_sub(1);
                let first = if end > 0 { mean_attention(&look.heads, 0, off, n) } else { vec![] };
                (first, mean_attention(&look.heads, end, off, n), look.logits)
            }
            Model::MinimalMarkov(net) => {
                let of_length = minimal_markov::OfLength { net: net.clone(), length: task.length };
                let (w, v) = (*slices.get(KERNEL)?, *slices.get(LAGS)?);
                let row = |position| logit_contributions(symbols, k, position, w, v);
                let last = (0..n).flat_map(row).map(|weight| weight as f32).collect();
                (distance_weights(v, n), last, of_length.logits(&slices, k, symbols))
            }
            Model::OwnNetwork(_) => {
                let look = own_network::trace(spec, &slices, symbols, off)?;
                let end = look.heads.last().map_or(0, |head| head.layer);
                let first = if end > 0 { mean_attention(&look.heads, 0, off, n) } else { vec![] };
                (first, mean_attention(&look.heads, end, off, n), look.logits)
            }
            _ => return None,
        };
        let mut probabilities = vec![0.0; logits.len()];
        for (logits, out) in logits.chunks_exact(k).zip(probabilities.chunks_exact_mut(k)) {
            softmax(logits, out);
        }
        Some(Trace { first, last, probabilities: probabilities.into_iter().map(|p| p as f32).collect() })
    }
}

/// Whether the tensors have the lengths of the run's parameters of one replica, and the symbols, of which there is at least
/// one, fit into its contexts.
fn fits(spec: &RunSpec, weights: &[Vec<f32>], symbols: &[u8]) -> bool {
    let Task::MarkovChain(task) = &spec.task else { return false };
    let parameters = spec.parameters();
    let length = |shape: [usize; 3]| shape[1] * shape[2];
    parameters.len() == weights.len()
        && parameters.iter().zip(weights).all(|(parameter, values)| length(parameter.shape) == values.len())
        && (1..=task.length).contains(&symbols.len())
        && symbols.iter().all(|symbol| usize::from(*symbol) < task.symbols)
}

/// Mean of the attention weights `[n, n]` of the heads of `layer` that are not in `off`; zeros if all are off.
fn mean_attention(heads: &[Head], layer: usize, off: &[usize], n: usize) -> Vec<f32> {
    let is_on = |(at, head): &(usize, &Head)| head.layer == layer && !off.contains(at);
    let on: Vec<&Head> = heads.iter().enumerate().filter(is_on).map(|(_, head)| head).collect();
    let mut mean = vec![0.0; n * n];
    for head in &on {
        mean.iter_mut().zip(&head.shares).for_each(|(sum, weight)| *sum += *weight as f32 / on.len() as f32);
    }
    mean
}

/// Entries of the minimal model's vector v as attention weights `[n, n]`: for each query the entry of the distance to each
/// key, divided by the sum of the absolute values; 0 for later keys.
fn distance_weights(v: &[f32], n: usize) -> Vec<f32> {
    let mut out = vec![0.0; n * n];
    for (query, row) in out.chunks_exact_mut(n).enumerate() {
        let total: f32 = v.iter().take(query + 1).map(|entry| entry.abs()).sum();
        if total > 0.0 {
            let keys = row[..=query].iter_mut().rev();
            keys.zip(v).for_each(|(weight, entry)| *weight = entry / total);
        }
    }
    out
}

/// The keys of a query that are drawn, and what remains.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Attended {
    /// Positions of keys and their attention weights, the largest in absolute value first.
    pub(super) keys: Vec<(usize, f32)>,
    /// Share of all other keys in the sum of the absolute values of the attention weights.
    pub(super) rest: f32,
}

impl Attended {
    /// The largest attention weights of a row until they have 90 % of the sum of absolute values, at most 6; none if the sum
    /// is 0 or not a number.
    pub(super) fn new(row: &[f32]) -> Attended {
        let total: f32 = row.iter().map(|weight| weight.abs()).sum();
        if !total.is_finite() || total <= 0.0 {
            return Attended::default();
        }
        let (mut keys, mut sum) = (vec![], 0.0);
        for at in argsort(row.len(), &|a, b| row[b].abs().total_cmp(&row[a].abs())) {
            if keys.len() == MAX_KEYS || sum >= SHOWN_SHARE * total || row[at] == 0.0 {
                break;
            }
            sum += row[at].abs();
            keys.push((at, row[at]));
        }
        Attended { keys, rest: (1.0 - sum / total).max(0.0) }
    }
}

/// Mean attention weight of the preceding symbol over all symbols but the first, in the head of the first of several layers
/// where it is largest; for the minimal model |v| at distance 1, divided by the sum of |v| over distances in the
/// sequence. `None` for one layer, and for tensors that do not belong to the run.
pub(super) fn previous_attention(spec: &RunSpec, weights: &[Vec<f32>], symbols: &[u8]) -> Option<f32> {
    let Task::MarkovChain(task) = &spec.task else { return None };
    let n = symbols.len();
    if n < 2 || !fits(spec, weights, symbols) {
        return None;
    }
    let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let of_first_layer = |heads: &[Head]| {
        let of_head = |head: &Head| {
            let before = (1..n).filter_map(|query| head.shares.get(query * n + query - 1));
            (before.sum::<f64>() / (n - 1) as f64) as f32
        };
        heads.iter().filter(|head| head.layer == 0).map(of_head).fold(f32::NAN, f32::max)
    };
    let found = match &spec.model {
        Model::AttentionOnly(net) if net.heads.len() > 1 => {
            let of_length = attention_only::OfLength { net: net.clone(), length: task.length };
            of_first_layer(&of_length.plain(&slices, task.symbols).look(symbols, &[]).heads)
        }
        Model::OwnNetwork(_) if own_network::attention_layers(spec).len() > 1 => {
            of_first_layer(&own_network::trace(spec, &slices, symbols, &[])?.heads)
        }
        Model::MinimalMarkov(_) => {
            let v = weights.get(LAGS)?;
            v.get(1)?.abs() / v.iter().take(n).map(|entry| entry.abs()).sum::<f32>()
        }
        _ => return None,
    };
    found.is_finite().then_some(found)
}
