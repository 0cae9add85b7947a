//! What goes into the sequence kernels and what comes out, as plain numbers.

use super::plan::Network;
use super::steps::FIELDS;
use vivarium_model::run::RunSpec;

/// A parameter's place and shape, and whether weight decay pulls on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// First number, among those of a replica.
    pub begin: usize,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Whether weight decay pulls on it.
    pub decays: bool,
}

impl Layout {
    /// All parameters of a run's model.
    pub fn of(spec: &RunSpec) -> Vec<Self> {
        let (mut begin, model) = (0, spec.architecture());
        let each = spec.parameters();
        let place = |(which, parameter): (usize, &vivarium_model::models::Parameter)| {
            let [_, rows, columns] = parameter.shape;
            begin += rows * columns;
            Layout { begin: begin - rows * columns, rows, columns, decays: model.decays(which) }
        };
        each.iter().enumerate().map(place).collect()
    }

    /// Places of its numbers with rows and columns exchanged, in their own order.
    fn exchanged(self) -> impl Iterator<Item = usize> {
        let Layout { begin, rows, columns, .. } = self;
        (0..rows * columns).map(move |at| begin + at % columns * rows + at / columns)
    }
}

/// For each parameter twice its place with rows and columns exchanged, and one more if weight decay pulls on it.
pub(super) fn places(layout: &[Layout]) -> Vec<u32> {
    let each = layout.iter().flat_map(|p| p.exchanged().map(|at| 2 * at as u32 + u32::from(p.decays)));
    each.collect()
}

/// The parameters of every network with rows and columns exchanged; a network's state has `size` numbers.
pub(super) fn mirrored(layout: &[Layout], state: &[f32], size: usize) -> Vec<f32> {
    let parameters: usize = layout.iter().map(|p| p.rows * p.columns).sum();
    let mut out = vec![0.0; state.len() / size * parameters];
    for (out, state) in out.chunks_mut(parameters).zip(state.chunks(size)) {
        let places = layout.iter().flat_map(|p| p.exchanged());
        places.zip(state).for_each(|(place, value)| out[place] = *value);
    }
    out
}

/// What was measured before a step of every network that was trained, one run after the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// Steps made before.
    pub step: u64,
    /// Mean cross-entropy of the next batch, for each network; not a number if any of it is.
    pub loss: Vec<f32>,
    /// Share of its positions whose label has the largest logit, for each network.
    pub accuracy: Vec<f32>,
    /// For each network, logits after the contexts it was asked about, `[count, symbols]`.
    pub logits: Vec<Vec<f32>>,
    /// For each network and head, layer by layer, previous-token and induction score: means over the scored contexts,
    /// the second over those in which the last symbol has been followed before.
    pub heads: Vec<Vec<[f32; 2]>>,
}

impl Record {
    /// Adds what the groups say of one network.
    pub(super) fn push(&mut self, groups: &[f32], positions: usize) {
        let sum = |field: usize| groups.iter().skip(field).step_by(FIELDS).sum::<f32>();
        self.loss.push(if sum(2) > 0.0 { f32::NAN } else { sum(0) / positions as f32 });
        self.accuracy.push(sum(1) / positions as f32);
    }
}

/// Contexts that networks are asked about: of each run its own, as many for each.
#[derive(Debug, Clone)]
pub(super) struct Questions {
    symbols: usize,
    replicas: usize,
    heads: usize,
    /// Contexts.
    pub count: usize,
    /// Those on which heads are scored, which are first.
    pub scored: usize,
    /// Of these, those whose last symbol has been followed before, in each run.
    followed: Vec<usize>,
}

impl Questions {
    /// Contexts `[count, length]` of each run.
    pub fn new(network: &Network, replicas: usize, runs: &[&[u8]], scored: usize) -> Self {
        let count = runs.first().map_or(0, |contexts| contexts.len() / network.length);
        let scored = scored.min(count);
        let followed = |contexts: &&[u8]| {
            let scored = contexts.chunks(network.length).take(scored);
            let is_followed = |context: &&[u8]| {
                let (last, before) = context.split_last().unwrap_or((&0, &[]));
                before.contains(last)
            };
            scored.filter(is_followed).count()
        };
        let heads = network.heads().iter().sum();
        let followed = runs.iter().map(followed).collect();
        Questions { symbols: network.symbols, replicas, heads, count, scored, followed }
    }

    /// Numbers of the answers of so many networks.
    pub fn numbers(&self, networks: usize) -> usize {
        networks * self.each()
    }

    /// Numbers of an answer of one network.
    fn each(&self) -> usize {
        self.count * (self.symbols + 1) + self.scored * self.heads * 2
    }

    /// Logits and proofs among the answers.
    fn logits(&self, answers: &[f32]) -> usize {
        answers.len() / self.each().max(1) * self.count * (self.symbols + 1)
    }

    /// The numbers that launches have left beside their answers.
    pub fn proofs<'a>(&self, answers: &'a [f32]) -> impl Iterator<Item = f32> + use<'a> {
        answers[..self.logits(answers)].chunks(self.symbols + 1).map(|each| each[each.len() - 1])
    }

    /// Adds the answers of the networks of these runs.
    pub fn note(&self, answers: &[f32], runs: &[usize], record: &mut Record) {
        let (logits, scores) = answers.split_at(self.logits(answers));
        for answers in logits.chunks((self.count * (self.symbols + 1)).max(1)) {
            let each = answers.chunks(self.symbols + 1).flat_map(|each| &each[..self.symbols]);
            record.logits.push(each.copied().collect());
        }
        let width = 2 * self.heads;
        if width == 0 {
            return record.heads.resize(runs.len() * self.replicas, vec![]);
        }
        let runs = runs.iter().flat_map(|run| std::iter::repeat_n(*run, self.replicas));
        for (scores, run) in scores.chunks(self.scored * width).zip(runs) {
            let mean = |which: usize, over: usize| {
                scores.iter().skip(which).step_by(width).sum::<f32>() / over.max(1) as f32
            };
            let head = |head: usize| [mean(2 * head, self.scored), mean(2 * head + 1, self.followed[run])];
            record.heads.push((0..self.heads).map(head).collect());
        }
    }
}
