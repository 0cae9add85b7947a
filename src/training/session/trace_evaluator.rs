//! What a network on traces of a machine is measured by: its loss and its accuracy on held-out traces, apart for new cells and
//! for written ones by how long ago that was, and its attention on the most recent write.
//!
//! All learners are measured by our loops, as other networks on sequences are.

use super::evaluator::Evaluation;
use vivarium_kernels::cpu::sequence_net::View;
use vivarium_model::run::RunSpec;
use vivarium_science::machines::random::TAPE_SYMBOLS;
use vivarium_science::machines::random::TracePosition;
use vivarium_science::machines::traces::{
    MAX_MEASURED_LAYERS, WINDOW_STARTS, WRITE_DISTANCES, distance_class,
};
use vivarium_science::machines::{TraceMetric, TraceSettings};

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
    places: Vec<TracePosition>,
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
    by_distance: [Share; WRITE_DISTANCES.len()],
    longer: [Share; WINDOW_STARTS.len()],
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
        Some(TraceEvaluator::of(&spec.task.data().traces()?, spec.run.seed, spec.held_out_count()))
    }

    /// Of so many held-out traces.
    pub fn of(traces: &TraceSettings, seed: u64, held_out: usize) -> Self {
        let (mut source, length) = (traces.build_source(), traces.length);
        let (mut places, mut starts) = (vec![], vec![0]);
        let longer = (held_out / 2).clamp(1, MOST_LONGER);
        for window in 0..WINDOW_STARTS.len() {
            let count = if window == 0 { held_out } else { longer };
            source.sample_held_out(seed, window, 0..count, &mut places);
            starts.push(places.len() / (length + 1));
        }
        let tokens =
            places.chunks(length + 1).flat_map(|trace| trace[..length].iter().map(|place| place.token));
        TraceEvaluator {
            tokens: traces.vocab_size(),
            length,
            held_out,
            contexts: tokens.collect(),
            least: traces.min_loss(&places[..held_out * (length + 1)]),
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
                if place.last_write.is_some() {
                    counts.longer[window.min(WINDOW_STARTS.len() - 1)].add(right);
                }
                continue;
            }
            counts.loss += view.surprise(from, usize::from(place.token));
            let Some(last) = place.last_write else {
                counts.new.add(right);
                continue;
            };
            counts.written.add(right);
            let back = from + 1 - last;
            if let Some(class) = distance_class(back) {
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
        let mut measures = vec![None; TraceMetric::ALL.len()];
        measures[TraceMetric::Excess as usize] = Some((loss - self.least) as f32);
        measures[TraceMetric::NewCells as usize] = counts.new.of();
        let first = TraceMetric::TwoBack as usize;
        for (measure, share) in measures[first..].iter_mut().zip(counts.by_distance) {
            *measure = share.of();
        }
        let scored = counts.scored.max(1) as f64;
        let (mut from, first) = (0, TraceMetric::WriteAttentionLayer1 as usize);
        for (measure, heads) in measures[first..first + MAX_MEASURED_LAYERS].iter_mut().zip(layers) {
            let own = counts.heads.get(from..from + heads).unwrap_or_default();
            *measure = own.iter().map(|sum| (sum / scored) as f32).reduce(f32::max);
            from += heads;
        }
        if counts.scored > 0 {
            measures[TraceMetric::UniformAttention as usize] = Some((counts.even / scored) as f32);
        }
        let first = TraceMetric::RunTwice as usize;
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

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_kernels::cpu::sequence_net::Inference;
    use vivarium_model::permalink::decode;
    use vivarium_science::machines::traces::StateControl;

    const TRACES: TraceSettings =
        TraceSettings { control: StateControl::Random, states: 2, machine: 1, length: 8 };

    fn pair(share: Share) -> (u64, u64) {
        (share.0, share.1)
    }

    #[test]
    fn the_symbol_is_that_of_the_larger_mass_over_all_states() {
        for (logits, symbol) in [
            ([4.0, 0.0, 0.0, 0.0], 0),
            ([0.0, 4.0, 0.0, 0.0], 1),
            ([0.0, 0.0, 0.0, 4.0], 1),
            ([0.0, 0.0, 0.0, 0.0], 0),
            ([2.0, 2.0, -1.0, -1.0], 0),
            // The largest logit is of a 1, and two that are nearly as large are of a 0.
            ([1.0, 1.3, 1.0, -5.0], 0),
            // Only differences count: neither e^1000 nor a quotient of negative logits may come in.
            ([999.0, 1000.0, 0.0, 0.0], 1),
            ([-1.0, -2.0, -3.0, -3.0], 0),
            ([-2.0, -1.0, -3.0, -3.0], 1),
        ] {
            assert_eq!(likeliest_symbol(&logits), symbol, "{logits:?}");
        }
    }

    #[test]
    fn shares_are_of_what_was_requested() {
        let mut share = Share::default();
        assert_eq!(share.of(), None);
        for right in [false, true, false, false] {
            share.add(right);
        }
        assert_eq!((pair(share), share.of()), ((1, 4), Some(0.25)));
    }

    /// Half as many traces of each longer run, but one at least.
    #[test]
    fn traces_of_longer_runs_stand_behind_those_from_the_beginning() {
        for (held_out, starts) in [(6, [0, 6, 9, 12, 15]), (1, [0, 1, 2, 3, 4])] {
            let evaluator = TraceEvaluator::of(&TRACES, 3, held_out);
            assert_eq!(evaluator.starts, starts);
            assert_eq!(evaluator.contexts().len(), starts[4] * 8);
            // A context is a trace without its last token.
            let traces: Vec<u8> = evaluator.places.iter().map(|place| place.token).collect();
            for (context, trace) in evaluator.contexts().chunks(8).zip(traces.chunks(9)) {
                assert_eq!(context, &trace[..8]);
            }
            let mut second = vec![];
            TRACES.build_source().sample_held_out(3, 1, 0..1, &mut second);
            assert_eq!(evaluator.places[held_out * 9..][..9], second);
        }
        let table = TraceSettings { control: StateControl::Table, states: 3, ..TRACES };
        assert_eq!([TRACES, table].map(|traces| TraceEvaluator::of(&traces, 3, 2).tokens()), [8, 6]);
    }

    /// A network that expects the last token again, with a logit of 5 where all others have 0, and looks at all places
    /// alike: what it makes of a trace can be counted by hand.
    ///
    /// ```text
    /// place      0  1  2  3  4  5  6  7  8
    /// token      0  1  1  3  2  2  0  1  1
    /// symbol     0  1  1  1  0  0  0  1  1
    /// back          -  2  -  4  2  6  -  8     to the write
    /// right         ✗  ✓  ✓  ✗  ✓  ✓  ✗  ✓     the symbol before is the same
    /// token is the same   ✓        ✓        ✓  at places 2, 5 and 8
    /// ```
    #[test]
    fn a_trace_is_counted_as_by_hand() {
        let (link, notices) = decode("#v1/machine-traces?t=8&d=8&heads=2.1&norm=none&mlp=off&held=80");
        assert!(notices.is_empty(), "{notices:?}");
        let weights: Vec<Vec<f32>> = link
            .spec
            .parameters()
            .iter()
            .map(|parameter| {
                let (rows, columns) = (parameter.shape[1], parameter.shape[2]);
                let diagonal = match parameter.name.as_str() {
                    "embed" => 1.0,
                    "readout" => 5.0,
                    _ => 0.0,
                };
                let number = |at: usize| if at / columns == at % columns { diagonal } else { 0.0 };
                (0..rows * columns).map(number).collect()
            })
            .collect();
        let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let tokens = [0, 1, 1, 3, 2, 2, 0, 1, 1];
        let written = [None, None, Some(0), None, Some(0), Some(3), Some(0), None, Some(0)];
        let trace = tokens.into_iter().zip(written).map(|(token, written)| TracePosition {
            token,
            last_write: written,
            cell: 0,
        });
        let trace: Vec<TracePosition> = trace.collect();
        // 66 traces from the beginning, two of each longer run.
        let evaluator = TraceEvaluator {
            tokens: 4,
            length: 8,
            held_out: 66,
            places: trace.repeat(72),
            contexts: tokens[..8].to_vec(),
            starts: vec![0, 66, 68, 70, 72],
            least: 0.0,
        };
        let mut inference = Inference::new(&link.spec).unwrap();
        let mut counted = |numbers: &[usize]| {
            let mut counts = Counts::default();
            inference.look(&weights, evaluator.contexts(), &mut |_, view| {
                numbers.iter().for_each(|at| evaluator.count(*at, view, &mut counts));
            });
            counts
        };
        let hit = libm::log(libm::exp(5.0) + 3.0) - 5.0;
        let near = |found: f64, exact: f64| assert!((found - exact).abs() < 1e-5, "{found} {exact}");

        // Of the first 64 traces attention is looked at, where the write is four or more steps back.
        let of_two = counted(&[0, 63]);
        near(of_two.loss, 2.0 * (8.0 * hit + 5.0 * 5.0));
        assert_eq!((pair(of_two.new), pair(of_two.written)), ((2, 6), (8, 10)));
        assert_eq!(of_two.by_distance.map(pair), [(4, 4), (0, 2), (2, 2), (2, 2), (0, 0), (0, 0)]);
        assert_eq!(of_two.longer.map(pair), [(0, 0); 4]);
        let even = 2.0 * (1.0 / 4.0 + 1.0 / 6.0 + 1.0 / 8.0);
        assert_eq!((of_two.scored, of_two.heads.len()), (6, 3));
        near(of_two.even, even);
        of_two.heads.iter().for_each(|sum| near(*sum, even));

        let behind = counted(&[64, 65]);
        near(behind.loss, of_two.loss);
        assert_eq!((pair(behind.new), pair(behind.written)), ((2, 6), (8, 10)));
        assert_eq!((behind.scored, behind.even, behind.heads), (0, 0.0, vec![]));

        // The first and the last trace of each longer run, in which only cells that were written count.
        let longer = counted(&[66, 67, 68, 70, 71, 71]);
        assert_eq!(longer.longer.map(pair), [(0, 0), (8, 10), (4, 5), (12, 15)]);
        assert_eq!(
            (longer.loss, pair(longer.new), pair(longer.written), longer.scored),
            (0.0, (0, 0), (0, 0), 0)
        );
    }

    #[test]
    fn an_evaluation_has_the_means_and_the_best_head_of_each_layer() {
        let evaluator = TraceEvaluator { held_out: 2, least: 0.25, ..TraceEvaluator::of(&TRACES, 3, 2) };
        let counts = Counts {
            loss: 8.0,
            new: Share(1, 4),
            written: Share(3, 4),
            by_distance: [Share(1, 2), Share(0, 0), Share(3, 3), Share(0, 0), Share(0, 0), Share(0, 5)],
            longer: [Share(0, 0), Share(1, 4), Share(0, 0), Share(1, 2)],
            heads: vec![2.0, 1.0, 3.0],
            even: 1.0,
            scored: 4,
        };
        // Excess and new cells; six distances; four layers and even attention; three longer runs.
        let measures = vec![
            Some(0.25),
            Some(0.25),
            Some(0.5),
            None,
            Some(1.0),
            None,
            None,
            Some(0.0),
            Some(0.5),
            Some(0.75),
            None,
            None,
            Some(0.25),
            Some(0.25),
            None,
            Some(0.5),
        ];
        assert_eq!(evaluator.evaluate(&counts, &[1, 2]), Evaluation { kl: 0.5, way: 0.75, measures });
        let mut measures = vec![None; 16];
        measures[0] = Some(-0.25);
        let nothing = evaluator.evaluate(&Counts::default(), &[1, 2]);
        assert_eq!(nothing, Evaluation { kl: 0.0, way: 0.0, measures });
    }
}
