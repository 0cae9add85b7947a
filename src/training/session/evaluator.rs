//! What a network on sequences is measured by: how far its prediction of the last symbol of held-out contexts is
//! from the truth and from what each strategy predicts.
//!
//! A learner answers for all [`Evaluator::contexts`] at once, and the evaluator does the rest, so that every
//! learner is measured alike. Divergences are in nats.

use vivarium_kernels::cpu::sequence_net::Answers;
use vivarium_model::protocol::Measurement;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Sampler;
use vivarium_science::markov::{
    ChainFamily, ChainMeasure, ChainSequences, Strategy, kl_divergence, kl_to_log_probabilities, log_softmax,
};

/// Most contexts on which attention is looked at.
const MOST_SCORED: usize = 64;
/// Most contexts of each other law.
const MOST_OTHERS: usize = 256;

/// The chains that a network is tried on besides those of the test, each with what is measured on them.
const OTHERS: [(ChainFamily, ChainMeasure); 3] = [
    (ChainFamily::Dirichlet, ChainMeasure::OnDirichlet),
    (ChainFamily::Independent, ChainMeasure::OnIndependent),
    (ChainFamily::DoublyStochastic, ChainMeasure::OnDoubly),
];

/// What the evaluator says.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// KL(truth ‖ network), the mean over the contexts of the test.
    pub kl: f32,
    /// Share of the way from the strategy before the best to the best that the network has gone: 0 and 1 are their
    /// lines, and a network may be below or above.
    pub way: f32,
    /// Further measures, in the order of [`ChainMeasure`]; none where one does not apply.
    pub measures: Vec<Option<f32>>,
}

impl Evaluation {
    /// Adds it behind the measurements of the replicas before.
    pub fn append_to(self, row: &mut Measurement) {
        row.test_loss.push(self.kl);
        row.test_accuracy.push(self.way);
        row.measures.resize(self.measures.len(), vec![]);
        for (all, one) in row.measures.iter_mut().zip(self.measures) {
            all.extend(one);
        }
    }
}

/// Contexts with the truth and the strategies' predictions after each.
#[derive(Debug, Clone)]
pub struct Evaluator {
    /// How chains and sequences are generated.
    drawn: ChainSequences,
    /// Contexts of the test.
    held_out: usize,
    /// `[count, length]`.
    contexts: Vec<u8>,
    /// `[count, symbols]`.
    truths: Vec<f64>,
    /// Of each strategy after the contexts of the test, `[held_out, symbols]`.
    predictions: Vec<Vec<f64>>,
    /// Which contexts each measure of [`OTHERS`] is of.
    others: Vec<(ChainMeasure, std::ops::Range<usize>)>,
    lines: Vec<(Strategy, f64)>,
}

/// KL(truth ‖ strategy) of each strategy up to the task's order, the mean over the first `held_out` contexts of the
/// test: the lines that a network is held against. None for a task that is not on sequences.
pub fn lines(task: &dyn Sampler, seed: u64, held_out: usize) -> Vec<(Strategy, f64)> {
    LinesJob::new(task, seed, held_out).and_then(|mut job| job.advance(u64::MAX)).unwrap_or_default()
}

/// Contexts that are drawn together for the lines.
const TOGETHER: usize = 16;

/// The [`lines`] on their way: of 65,536 long contexts they take most of a minute.
#[derive(Debug, Clone)]
pub struct LinesJob {
    drawn: ChainSequences,
    seed: u64,
    held_out: usize,
    /// Contexts so far.
    done: usize,
    /// Of the divergences of each strategy.
    sums: Vec<f64>,
}

impl LinesJob {
    /// Nothing yet; none for a task that is not on sequences.
    pub fn new(task: &dyn Sampler, seed: u64, held_out: usize) -> Option<Self> {
        let drawn = task.data().chain_sequences()?;
        Some(LinesJob { drawn, seed, held_out, done: 0, sums: vec![0.0; drawn.order + 1] })
    }

    /// Goes on by about so many operations, but by a few contexts at least; the lines come with the last of them.
    pub fn advance(&mut self, operations: u64) -> Option<Vec<(Strategy, f64)>> {
        let (k, length, mut left) = (self.drawn.symbols, self.drawn.length, operations);
        let mut predicted = vec![0.0; k];
        while self.done < self.held_out {
            let until = (self.done + TOGETHER).min(self.held_out);
            let (mut contexts, mut truths) = (vec![], vec![]);
            add(&self.drawn, self.drawn.test_family, self.seed, self.done..until, &mut contexts, &mut truths);
            for (context, truth) in contexts.chunks(length).zip(truths.chunks(k)) {
                for (sum, strategy) in self.sums.iter_mut().zip(Strategy::ALL) {
                    strategy.predict(k, self.drawn.pseudocount(), context, &mut predicted);
                    *sum += kl_divergence(truth, &predicted);
                }
            }
            left = left.saturating_sub((until - self.done) as u64 * self.drawn.operations_per_sequence());
            self.done = until;
            if left == 0 && self.done < self.held_out {
                return None;
            }
        }
        let mean = |(strategy, sum): (&Strategy, &f64)| (*strategy, sum / self.held_out as f64);
        Some(Strategy::ALL.iter().zip(&self.sums).map(mean).collect())
    }
}

/// Of the strategies up to `order`, the one whose KL to the network is the least; the measures begin as [`ChainMeasure`]
/// does, and none counts where one is missing.
pub fn nearest(order: usize, measures: &[Option<f32>]) -> Option<Strategy> {
    let strategies = Strategy::ALL.iter().take(order + 1).zip(measures);
    let known =
        strategies.filter_map(|(strategy, kl)| kl.filter(|kl| kl.is_finite()).map(|kl| (strategy, kl)));
    known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(strategy, _)| *strategy)
}

/// Appends held-out contexts of a law with the truth after each.
fn add(
    drawn: &ChainSequences,
    chains: ChainFamily,
    seed: u64,
    examples: std::ops::Range<usize>,
    contexts: &mut Vec<u8>,
    truths: &mut Vec<f64>,
) {
    let mut sequences = vec![];
    drawn.append_held_out_sequences(chains, seed, examples.clone(), &mut sequences);
    for (example, sequence) in examples.zip(sequences.chunks(drawn.length + 1)) {
        let (context, chain) = (&sequence[..drawn.length], drawn.held_out_chain(chains, seed, example));
        contexts.extend(context);
        truths.extend(chain.next_symbol_distribution(chain.context_index(context)));
    }
}

/// What each strategy predicts after these contexts, `[contexts, symbols]`.
fn predict(drawn: &ChainSequences, contexts: &[u8]) -> Vec<Vec<f64>> {
    let ChainSequences { symbols, length, .. } = *drawn;
    let of = |strategy: &Strategy| {
        let mut out = vec![0.0; contexts.len() / length * symbols];
        for (context, out) in contexts.chunks(length).zip(out.chunks_mut(symbols)) {
            strategy.predict(symbols, drawn.pseudocount(), context, out);
        }
        out
    };
    Strategy::ALL.iter().map(of).collect()
}

fn lines_of(drawn: &ChainSequences, truths: &[f64], predictions: &[Vec<f64>]) -> Vec<(Strategy, f64)> {
    let k = drawn.symbols;
    let line = |(strategy, predicted): (&Strategy, &Vec<f64>)| {
        let each = truths.chunks(k).zip(predicted.chunks(k)).map(|(p, q)| kl_divergence(p, q));
        (*strategy, mean(each))
    };
    Strategy::ALL.iter().zip(predictions).take(drawn.order + 1).map(line).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

impl Evaluator {
    /// The evaluator of a run on sequences; none for other tasks.
    pub fn new(spec: &RunSpec) -> Option<Self> {
        let drawn = spec.task.data().chain_sequences()?;
        let (seed, held_out) = (spec.run.seed, spec.held_out_count());
        let (mut contexts, mut truths) = (vec![], vec![]);
        add(&drawn, drawn.test_family, seed, 0..held_out, &mut contexts, &mut truths);
        let predictions = predict(&drawn, &contexts);
        let lines = lines_of(&drawn, &truths, &predictions);
        let (mut others, mut count) = (vec![], held_out);
        let wanted = (held_out / 2).clamp(1, MOST_OTHERS);
        // The other laws are of Markov chains.
        for (chains, measure) in OTHERS.into_iter().filter(|_| drawn.order == 2) {
            if chains == drawn.test_family {
                others.push((measure, 0..held_out));
                continue;
            }
            add(&drawn, chains, seed, 0..wanted, &mut contexts, &mut truths);
            others.push((measure, count..count + wanted));
            count += wanted;
        }
        Some(Evaluator { drawn, held_out, contexts, truths, predictions, others, lines })
    }

    /// Symbols of all contexts, `[count, length]`: first those of the test, then those of other laws.
    pub fn contexts(&self) -> &[u8] {
        &self.contexts
    }

    /// How many contexts there are.
    pub fn count(&self) -> usize {
        self.truths.len() / self.drawn.symbols
    }

    /// How many contexts, from the first on, attention is looked at on.
    pub fn scored(&self) -> usize {
        self.held_out.min(MOST_SCORED)
    }

    /// The truth after each context, `[count, symbols]`.
    pub fn truths(&self) -> &[f64] {
        &self.truths
    }

    /// KL(truth ‖ strategy) on the contexts of the test, of each strategy up to the task's order.
    pub fn lines(&self) -> &[(Strategy, f64)] {
        &self.lines
    }

    /// The strategy that the network is nearest to; see [`nearest`].
    pub fn nearest(&self, measures: &[Option<f32>]) -> Option<Strategy> {
        nearest(self.drawn.order, measures)
    }

    /// The share of the way that a network with this KL to the truth has gone: 0 at the line of the strategy before the
    /// best, 1 at that of the best. The best is the strategy of the task's order, unless the test's chains let a
    /// simpler one predict better, as unigrams do for independent symbols. Where guessing is best, 1 is being as good.
    pub fn way(&self, kl: f64) -> f64 {
        way(&self.lines, kl)
    }

    /// What is to be said of these answers.
    pub fn evaluate(&self, answers: &Answers) -> Evaluation {
        let k = self.drawn.symbols;
        let mut logs = vec![0.0; self.truths.len()];
        let mut row = vec![0.0; k];
        for (logits, logs) in answers.logits.chunks(k).zip(logs.chunks_mut(k)) {
            row.iter_mut().zip(logits).for_each(|(wide, logit)| *wide = f64::from(*logit));
            log_softmax(&row, logs);
        }
        let mean_kl = |of: &[f64], logs: &[f64]| {
            mean(of.chunks(k).zip(logs.chunks(k)).map(|(p, q)| kl_to_log_probabilities(p, q)))
        };
        let within = |range: &std::ops::Range<usize>| range.start * k..range.end * k;
        let test = within(&(0..self.held_out));
        let kl = mean_kl(&self.truths[test.clone()], &logs[test.clone()]);
        let mut measures = vec![None; ChainMeasure::ALL.len()];
        for (measure, predicted) in measures.iter_mut().zip(&self.predictions) {
            *measure = Some(mean_kl(predicted, &logs[test.clone()]) as f32);
        }
        let first = answers.layers.first().map_or(0, |heads| *heads).min(answers.heads.len());
        let (first, later) = answers.heads.split_at(first);
        let largest =
            |heads: &[[f32; 2]], which: usize| heads.iter().map(|scores| scores[which]).reduce(f32::max);
        measures[ChainMeasure::Previous as usize] = largest(first, 0);
        measures[ChainMeasure::Induction as usize] = largest(later, 1);
        for (measure, range) in &self.others {
            let range = within(range);
            measures[*measure as usize] = Some(mean_kl(&self.truths[range.clone()], &logs[range]) as f32);
        }
        Evaluation { kl: kl as f32, way: self.way(kl) as f32, measures }
    }
}

/// The row of all replicas at `step`, from what was measured of the next batch and a evaluation for each.
pub fn evaluated_row(
    step: u64,
    train_loss: Vec<f32>,
    train_accuracy: Vec<f32>,
    evaluations: &[Evaluation],
) -> Measurement {
    let count = evaluations.first().map_or(0, |evaluation| evaluation.measures.len());
    let measure =
        |which: usize| evaluations.iter().filter_map(|evaluation| evaluation.measures[which]).collect();
    Measurement {
        step,
        train_loss,
        train_accuracy,
        test_loss: evaluations.iter().map(|evaluation| evaluation.kl).collect(),
        test_accuracy: evaluations.iter().map(|evaluation| evaluation.way).collect(),
        measures: (0..count).map(measure).collect(),
        ..Default::default()
    }
}

/// A strategy of the order below the best (`None` below the uniform strategy) and the best strategy, each with its KL
/// divergence from the truth.
pub type TargetStrategies = (Option<(Strategy, f64)>, (Strategy, f64));

/// Between which lines the share of the way is counted: the strategy with the smallest KL, and before it the strategy of
/// the order below; none before the uniform one. None where there are no lines.
pub fn between(lines: &[(Strategy, f64)]) -> Option<TargetStrategies> {
    let best = (0..lines.len()).min_by(|a, b| lines[*a].1.total_cmp(&lines[*b].1))?;
    Some((best.checked_sub(1).map(|before| lines[before]), lines[best]))
}

fn way(lines: &[(Strategy, f64)], kl: f64) -> f64 {
    match between(lines) {
        Some((Some((_, before)), (_, best))) => (before - kl) / (before - best),
        Some((None, (_, best))) => f64::from(kl <= best),
        None => f64::NAN,
    }
}

#[cfg(test)]
mod tests;
