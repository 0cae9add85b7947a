//! What a network on traces of a machine is measured by: its loss and its accuracy on held-out traces, apart for new cells and
//! for written ones by how long ago that was, and its attention on the most recent write.
//!
//! All learners are measured by our loops, as other networks on sequences are.

use super::evaluator::Evaluation;
use crate::kernels::cpu::sequence_net::View;
use crate::machines::random::Place;
use crate::machines::random::TAPE_SYMBOLS;
use crate::machines::traces::{DISTANCES, MOST_LAYERS, WINDOWS, class_of};
use crate::machines::{TraceMeasure, Traces};
use crate::run::RunSpec;

/// Most traces on which attention is looked at.
const MOST_SCORED: usize = 64;
/// Most traces of each longer run.
const MOST_LONGER: usize = 256;
/// From so many steps back on attention counts: where the write was two steps ago, any head that looks at the token before
/// the last one would have it.
pub const FROM_BACK: usize = 4;

/// Held-out traces with what is known of each place.
#[derive(Debug, Clone)]
pub struct TraceEvaluator {
    tokens: usize,
    length: usize,
    /// Traces from the beginning of a run.
    held_out: usize,
    /// `[count, length + 1]`, first those from the beginning, then those of longer runs.
    places: Vec<Place>,
    /// Their tokens before the last one, `[count, length]`.
    contexts: Vec<u8>,
    /// Traces before those of each window, and at the end all.
    starts: Vec<usize>,
    least: f64,
}

/// Right answers and how many were asked for.
#[derive(Debug, Clone, Copy, Default)]
struct Share(u64, u64);

impl Share {
    fn add(&mut self, right: bool) {
        self.0 += u64::from(right);
        self.1 += 1;
    }

    /// None where nothing was asked for.
    fn of(self) -> Option<f32> {
        (self.1 > 0).then(|| (self.0 as f64 / self.1 as f64) as f32)
    }
}

/// What is counted on the way through the traces.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    loss: f64,
    new: Share,
    written: Share,
    by_distance: [Share; DISTANCES.len()],
    longer: [Share; WINDOWS.len()],
    /// Of every head, and of even attention.
    heads: Vec<f64>,
    even: f64,
    scored: u64,
}

/// The likelier symbol, whatever the state, by the logits of all tokens; 0 where both are alike.
pub fn likeliest_symbol(logits: &[f64]) -> usize {
    let top = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut mass = [0.0; TAPE_SYMBOLS];
    for (token, logit) in logits.iter().enumerate() {
        mass[token % TAPE_SYMBOLS] += libm::exp(logit - top);
    }
    usize::from(mass[1] > mass[0])
}

impl TraceEvaluator {
    /// The evaluator of a run on traces; none for other tasks.
    pub fn new(spec: &RunSpec) -> Option<Self> {
        Some(TraceEvaluator::of(&spec.task.examples().traces()?, spec.run.seed, spec.held_out()))
    }

    /// Of so many held-out traces.
    pub fn of(traces: &Traces, seed: u64, held_out: usize) -> Self {
        let (mut source, length) = (traces.source(), traces.length);
        let (mut places, mut starts) = (vec![], vec![0]);
        let longer = (held_out / 2).clamp(1, MOST_LONGER);
        for window in 0..WINDOWS.len() {
            let count = if window == 0 { held_out } else { longer };
            source.held_out(seed, window, 0..count, &mut places);
            starts.push(places.len() / (length + 1));
        }
        let tokens =
            places.chunks(length + 1).flat_map(|trace| trace[..length].iter().map(|place| place.token));
        TraceEvaluator {
            tokens: traces.tokens(),
            length,
            held_out,
            contexts: tokens.collect(),
            least: traces.least_loss(&places[..held_out * (length + 1)]),
            places,
            starts,
        }
    }

    /// Tokens of all contexts, `[count, length]`.
    pub fn contexts(&self) -> &[u8] {
        &self.contexts
    }

    /// The least loss on the held-out traces from the beginning, in nats a token.
    pub fn least(&self) -> f64 {
        self.least
    }

    /// Counts what a network makes of context number `at`.
    pub fn count(&self, at: usize, view: &View, counts: &mut Counts) {
        let trace = &self.places[at * (self.length + 1)..][..self.length + 1];
        let window = self.starts.iter().rposition(|start| *start <= at).unwrap_or(0);
        for from in 0..self.length {
            let place = trace[from + 1];
            let right = self.symbol(view, from) == usize::from(place.token) % TAPE_SYMBOLS;
            if window > 0 {
                if place.written.is_some() {
                    counts.longer[window.min(WINDOWS.len() - 1)].add(right);
                }
                continue;
            }
            counts.loss += view.surprise(from, usize::from(place.token));
            let Some(last) = place.written else {
                counts.new.add(right);
                continue;
            };
            counts.written.add(right);
            let back = from + 1 - last;
            if let Some(class) = class_of(back) {
                counts.by_distance[class].add(right);
            }
            if at < MOST_SCORED && back >= FROM_BACK {
                self.score(view, from, last, counts);
            }
        }
    }

    /// The symbol that the network expects after the place `from`, whatever the state.
    fn symbol(&self, view: &View, from: usize) -> usize {
        let logits: Vec<f64> = (0..self.tokens).map(|token| f64::from(view.logit(from, token))).collect();
        likeliest_symbol(&logits)
    }

    /// Adds the attention of every head on the place that is the most recent write.
    fn score(&self, view: &View, from: usize, last: usize, counts: &mut Counts) {
        let layers = view.heads();
        counts.heads.resize(layers.iter().sum(), 0.0);
        let mut at = 0;
        for (layer, heads) in layers.iter().enumerate() {
            for head in 0..*heads {
                counts.heads[at] += f64::from(view.share(layer, head, from, last));
                at += 1;
            }
        }
        counts.even += 1.0 / (from + 1) as f64;
        counts.scored += 1;
    }

    /// What is to be said of a network of these layers of heads with these counts.
    pub fn evaluate(&self, counts: &Counts, layers: &[usize]) -> Evaluation {
        let loss = counts.loss / (self.held_out * self.length).max(1) as f64;
        let mut measures = vec![None; TraceMeasure::ALL.len()];
        measures[TraceMeasure::Excess as usize] = Some((loss - self.least) as f32);
        measures[TraceMeasure::New as usize] = counts.new.of();
        let first = TraceMeasure::Two as usize;
        for (measure, share) in measures[first..].iter_mut().zip(counts.by_distance) {
            *measure = share.of();
        }
        let scored = counts.scored.max(1) as f64;
        let (mut from, first) = (0, TraceMeasure::First as usize);
        for (measure, heads) in measures[first..first + MOST_LAYERS].iter_mut().zip(layers) {
            let own = counts.heads.get(from..from + heads).unwrap_or_default();
            *measure = own.iter().map(|sum| (sum / scored) as f32).reduce(f32::max);
            from += heads;
        }
        if counts.scored > 0 {
            measures[TraceMeasure::Even as usize] = Some((counts.even / scored) as f32);
        }
        let first = TraceMeasure::Twice as usize;
        for (measure, share) in measures[first..].iter_mut().zip(&counts.longer[1..]) {
            *measure = share.of();
        }
        Evaluation { kl: loss as f32, way: counts.written.of().unwrap_or(0.0), measures }
    }

    /// Tokens that there are.
    pub fn tokens(&self) -> usize {
        self.tokens
    }
}
