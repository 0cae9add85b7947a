//! What the page knows of a run on sequences: the strategies' lines, what probes have found, and the sequence that is
//! looked into.
//!
//! # Why
//! Lines over all held-out sequences and a look into a large network take seconds, so they are made in parts of
//! [`SLICE`]; what fits into one part is there at once. Until then there are no lines, and the network expects nothing
//! (not a number), as where it is not known.

use super::probes::{ABLATION, PARAMETERS};
use vivarium_core::bounds::SLICE;
use vivarium_core::rng::{Purpose, Stream};
use vivarium_model::models::attention_only::{Look, LookJob};
use vivarium_model::models::minimal_markov::{KERNEL, LAGS};
use vivarium_model::models::{Model, attention_only, minimal_markov};
use vivarium_model::permalink::{Link, View};
use vivarium_model::protocol::{Finding, Row};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;
use vivarium_model::tasks::markov::MarkovChain;
use vivarium_plot::analysis::chains::curves;
use vivarium_plot::analysis::chains::parts::{Distances, normalised};
use vivarium_plot::analysis::chains::{head_names, letter};
use vivarium_plot::analysis::thinned::Thinned;
use vivarium_science::markov::theory::{TheoryResult, TheorySettings};
use vivarium_science::markov::{
    BayesDivergence, BayesDivergenceJob, BayesPredictor, Chain, Strategy, kl_to_log_probabilities,
    log_softmax, softmax, validate_symbols,
};
use vivarium_training::session::evaluator::{LinesJob, between};
use vivarium_view::display::{LabState, Work};

/// Earlier weights of distances that are kept, at most.
const SNAPSHOTS: usize = 6;

/// Where the sequence that is looked into comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was entered.
    Own,
    /// It was drawn from the entered chain; the number counts from 1.
    Drawn(usize),
    /// It is a held-out one of the run; the number counts from 1.
    HeldOut(usize),
}

/// The sequence that is looked into, and what the network makes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Inspected {
    /// Its symbols, at least one and at most as many as a context has.
    pub symbols: Vec<u8>,
    /// Where it comes from.
    pub origin: Origin,
    /// Its chain, where that is known.
    pub chain: Option<Chain>,
    /// Attention and logits of the first network, without the heads that are switched off.
    pub look: Look,
    /// Logits with all heads, `[symbols, task's symbols]`; empty where none is switched off.
    pub whole: Vec<f64>,
}

/// A look under way: without the heads that are switched off, and before that with all of them, where that differs.
#[derive(Debug, Clone)]
struct Looking {
    jobs: Vec<LookJob>,
    off: Vec<usize>,
    /// Logits with all heads.
    whole: Vec<f64>,
    /// Whether the network has changed meanwhile.
    is_stale: bool,
}

/// Who expects a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The chain that the sequence was drawn from.
    Truth,
    /// The first network.
    Network,
    /// A strategy.
    Strategy(Strategy),
    /// The posterior mean of the next symbol's probabilities.
    Bayes,
}

impl Who {
    /// What it is called.
    pub fn name(self) -> String {
        match self {
            Who::Truth => tr!("truth").into(),
            Who::Network => tr!("network").into(),
            Who::Strategy(strategy) => strategy.name().to_lowercase(),
            Who::Bayes => tr!("Bayes-optimal").into(),
        }
    }
}

/// Where a prediction looks, by one head.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadWeights {
    /// The head, "2.1"; of the minimal model, its name.
    pub name: String,
    /// Weight of each symbol of the sequence: shares that sum to one, but of the minimal model parts of its logits with
    /// their signs, whose sizes sum to one.
    pub weights: Vec<f64>,
}

/// What is known of a run on sequences.
#[derive(Debug, Clone)]
pub struct MarkovState {
    /// The task.
    pub task: MarkovChain,
    /// KL of the truth to each strategy, from the uniform one up to the task's order; none as long as they are computed.
    pub lines: Vec<(Strategy, f64)>,
    /// KL of the truth to the Bayes-optimal prediction; none as long as it is computed, and where it cannot be.
    pub bayes: Option<BayesDivergence>,
    /// Parameters of the first network, as newly as they are known; none before a worker has sent as many as a page
    /// does not draw at once.
    pub parameters: Vec<Vec<f32>>,
    /// Steps made when they were read.
    pub step: u64,
    /// KL to the truth of the whole network and without each head.
    pub ablation: Option<Vec<f32>>,
    /// Weights of distances along the run, a few of them.
    pub distances: Thinned<Distances>,
    /// What is looked into.
    pub inspected: Inspected,
    /// The theory beside the minimal model, and what it makes of its knobs.
    pub theory: Option<(TheorySettings, TheoryResult)>,
    spec: RunSpec,
    /// What is being computed.
    to_line: Option<LinesJob>,
    to_bayes: Option<BayesDivergenceJob>,
    looking: Option<Looking>,
}

impl MarkovState {
    /// Of a run on sequences, before its first step; what does not change from the run `before` is taken from there.
    pub fn of(spec: &RunSpec, link: &Link, before: Option<&MarkovState>) -> Option<Self> {
        let (view, theory) = (&link.view, &link.theory);
        let Task::MarkovChain(task) = &spec.task else { return None };
        let (seed, held_out) = (spec.run.seed, spec.held_out());
        let same = |old: &&MarkovState| {
            old.task == *task && (old.spec.run.seed, old.spec.held_out()) == (seed, held_out)
        };
        let (lines, to_line, bayes, to_bayes) = match before.filter(same) {
            Some(old) => (old.lines.clone(), old.to_line.clone(), old.bayes, old.to_bayes.clone()),
            None => {
                let to_bayes = BayesDivergenceJob::new(&task.drawn(), seed, held_out);
                (vec![], LinesJob::new(task, seed, held_out), None, to_bayes)
            }
        };
        let look = Look { heads: vec![], logits: vec![] };
        let mut chains = MarkovState {
            task: task.clone(),
            lines,
            bayes,
            parameters: if spec.is_drawn_at_once() { spec.initial_of(1) } else { vec![] },
            step: 0,
            ablation: None,
            distances: Thinned::new(SNAPSHOTS + 1),
            inspected: Inspected {
                symbols: vec![],
                origin: Origin::HeldOut(1),
                chain: None,
                look,
                whole: vec![],
            },
            theory: before.and_then(|old| old.theory.clone()),
            spec: spec.clone(),
            to_line,
            to_bayes,
            looking: None,
        };
        chains.explore(theory);
        if !chains.parameters.is_empty() {
            let weights = distances(&chains.spec, &chains.weights());
            chains.distances.push(0, weights);
        }
        chains.look_into(view);
        chains.work(SLICE);
        if chains.to_bayes.as_ref().is_some_and(|job| job.remaining_operations() <= SLICE) {
            chains.work(SLICE);
        }
        Some(chains)
    }

    /// Has the theory follow its knobs.
    fn explore(&mut self, knobs: &TheorySettings) {
        if !matches!(self.spec.model, Model::MinimalMarkov(_)) {
            self.theory = None;
        } else if self.theory.as_ref().is_none_or(|(old, _)| old != knobs) {
            self.theory = Some((knobs.clone(), knobs.compute()));
        }
    }

    /// Heads of each layer; none where the network has no heads.
    pub fn heads(&self) -> &[usize] {
        match &self.spec.model {
            Model::AttentionOnly(net) => &net.heads,
            _ => &[],
        }
    }

    /// The heads' names, layer by layer.
    pub fn head_names(&self) -> Vec<String> {
        head_names(self.heads())
    }

    /// W and v of the minimal model.
    pub fn minimal(&self) -> Option<(&[f32], &[f32])> {
        matches!(self.spec.model, Model::MinimalMarkov(_))
            .then(|| (self.parameters[KERNEL].as_slice(), self.parameters[LAGS].as_slice()))
    }

    /// Has the chosen sequence looked into, now or in parts.
    fn look_into(&mut self, view: &View) {
        let (symbols, origin, chain) = self.chosen(view);
        let is_same = symbols == self.inspected.symbols && self.inspected.origin == origin;
        if let Some(looking) = self.looking.as_mut().filter(|looking| is_same && looking.off == view.off) {
            // It comes to an end before it begins anew: a network may be quicker to change than a look to be made.
            looking.is_stale = true;
            self.inspected.chain = chain;
            return;
        }
        self.looking = None;
        let is_lengthy = self.spec.cost().look > SLICE;
        match &self.spec.model {
            Model::AttentionOnly(_) if self.parameters.is_empty() || is_lengthy => {
                if !is_same {
                    let look = self.unknown(symbols.len());
                    self.inspected = Inspected { symbols, origin, chain, look, whole: vec![] };
                } else {
                    self.inspected.chain = chain;
                }
                self.begin_look(view.off.clone());
            }
            _ => {
                let look = self.look(&symbols, &view.off);
                let whole = if view.off.is_empty() { vec![] } else { self.look(&symbols, &[]).logits };
                self.inspected = Inspected { symbols, origin, chain, look, whole };
            }
        }
    }

    /// What a network expects that is not known yet.
    fn unknown(&self, symbols: usize) -> Look {
        Look { heads: vec![], logits: vec![f64::NAN; symbols * self.task.symbols] }
    }

    /// Begins to look into the inspected sequence with the parameters that are known now, if any are.
    fn begin_look(&mut self, off: Vec<usize>) {
        let Model::AttentionOnly(net) = &self.spec.model else { return };
        if self.parameters.is_empty() {
            return;
        }
        let of_length = attention_only::OfLength { net: net.clone(), length: self.task.length };
        let (weights, symbols) = (self.weights(), &self.inspected.symbols);
        let job = |off: &[usize]| of_length.look_job(&weights, self.task.symbols, symbols, off);
        let some = if off.is_empty() { vec![] } else { vec![job(&from_zero(&off))] };
        let jobs = some.into_iter().chain([job(&[])]).collect();
        self.looking = Some(Looking { jobs, off, whole: vec![], is_stale: false });
    }

    /// Goes on with a look; whether it has come to an end.
    fn go_on_looking(&mut self, operations: u64) -> bool {
        let Some(looking) = &mut self.looking else { return false };
        let Some(look) = looking.jobs.last_mut().and_then(|job| job.advance(operations)) else {
            return false;
        };
        looking.jobs.pop();
        if !looking.jobs.is_empty() {
            looking.whole = look.logits;
            return false;
        }
        let Some(Looking { off, whole, is_stale, .. }) = self.looking.take() else { return false };
        (self.inspected.look, self.inspected.whole) = (look, whole);
        if is_stale {
            self.begin_look(off);
        }
        true
    }

    /// How badly predictions with these logits, `[symbols, task's symbols]`, do on the sequence that is looked into: the mean
    /// KL of the truth to them, or where the chain is not known the mean cross-entropy, in nats per symbol. None where
    /// there is nothing to compare.
    pub fn cost(&self, logits: &[f64]) -> Option<f64> {
        let (k, symbols) = (self.task.symbols, &self.inspected.symbols);
        let mut logs = vec![0.0; k];
        let mut costs = vec![];
        for (at, logits) in logits.chunks_exact(k).take(symbols.len()).enumerate() {
            log_softmax(logits, &mut logs);
            match &self.inspected.chain {
                Some(chain) if at + 2 >= chain.order => {
                    costs.push(kl_to_log_probabilities(
                        &chain.next_symbol_distribution(chain.context_index(&symbols[..=at])),
                        &logs,
                    ));
                }
                Some(_) => {}
                None => costs.extend(symbols.get(at + 1).map(|next| -logs[usize::from(*next)])),
            }
        }
        (!costs.is_empty()).then(|| costs.iter().sum::<f64>() / costs.len() as f64)
    }

    /// The symbol, from 0, whose prediction is looked into.
    pub fn place(&self, view: &View) -> usize {
        let last = self.inspected.symbols.len() - 1;
        if view.place == 0 { last } else { (view.place - 1).min(last) }
    }

    /// What each who expects something expects after the symbol at `place`, from 0: the truth where it is known, the
    /// network, the strategies up to the task's order, and the posterior mean where it can be computed.
    pub fn expected(&self, place: usize) -> Vec<(Who, Vec<f64>)> {
        let k = self.task.symbols;
        let context = &self.inspected.symbols[..=place];
        let truth = self.inspected.chain.as_ref().map(|chain| {
            let of = chain.context_index(context);
            (Who::Truth, (0..k).map(|symbol| chain.probability(of, symbol)).collect())
        });
        // The context of a chain of higher order is not whole at the first symbols.
        let truth = truth
            .filter(|_| self.inspected.chain.as_ref().is_some_and(|chain| context.len() + 1 >= chain.order));
        let mut network = vec![f64::NAN; k];
        softmax(&self.inspected.look.logits[place * k..][..k], &mut network);
        let drawn = self.task.drawn();
        let strategies = Strategy::ALL.iter().take(self.task.order + 1).map(|strategy| {
            let mut out = vec![0.0; k];
            strategy.predict(k, drawn.pseudocount(), context, &mut out);
            (Who::Strategy(*strategy), out)
        });
        let bayes = BayesPredictor::new(&drawn, drawn.test_family, self.spec.run.seed);
        let bayes =
            bayes.and_then(|mut bayes| bayes.predict(context, 0)).map(|found| (Who::Bayes, found.mean));
        truth.into_iter().chain([(Who::Network, network)]).chain(strategies).chain(bayes).collect()
    }

    /// Where the prediction after the symbol at `place` looks: by each head of the last layer, or in the minimal model.
    pub fn glances(&self, place: usize) -> Vec<HeadWeights> {
        if let Some((w, v)) = self.minimal() {
            return vec![HeadWeights { name: "W and v".into(), weights: self.shares_of_logits(place, w, v) }];
        }
        let t = self.inspected.symbols.len();
        let last = self.heads().len().saturating_sub(1);
        let heads = self.inspected.look.heads.iter().zip(self.head_names());
        let of_last = heads.filter(|(head, _)| head.layer == last);
        of_last
            .map(|(head, name)| HeadWeights { name, weights: head.shares[place * t..][..t].to_vec() })
            .collect()
    }

    /// What each symbol up to `place` adds to the minimal model's logit of itself, divided by the sum of sizes.
    fn shares_of_logits(&self, place: usize, w: &[f32], v: &[f32]) -> Vec<f64> {
        let symbols = &self.inspected.symbols;
        let row = &w[usize::from(symbols[place]) * self.task.symbols..][..self.task.symbols];
        let part = |q: usize| -> f64 {
            if q > place {
                return 0.0;
            }
            let terms = (0..=q).map(|s| f64::from(v[q - s]) * f64::from(row[usize::from(symbols[s])]));
            terms.sum()
        };
        let parts: Vec<f64> = (0..symbols.len()).map(part).collect();
        let total: f64 = parts.iter().map(|part| part.abs()).sum();
        parts.into_iter().map(|part| if total > 0.0 { part / total } else { 0.0 }).collect()
    }

    /// The chosen sequence with its origin and, where it is known, its chain. What the task cannot have is passed over.
    fn chosen(&self, view: &View) -> (Vec<u8>, Origin, Option<Chain>) {
        let (task, seed) = (&self.task, self.spec.run.seed);
        let (k, t) = (task.symbols, task.length);
        let own = Chain::from_percent(k, &view.chain).ok();
        if let Ok(symbols) = validate_symbols(&view.sequence, k)
            && !symbols.is_empty()
        {
            return (symbols[symbols.len().saturating_sub(t)..].to_vec(), Origin::Own, own);
        }
        if let Some(chain) = own {
            let mut words = vec![0; t];
            // No replica of the held-out sequences' own, which have replica 0.
            Stream::new(seed, Purpose::HeldOut, 1).words(view.example as u64, 0, &mut words);
            return (chain.draw_sequence(&words), Origin::Drawn(view.example), Some(chain));
        }
        let example = view.example.max(1) - 1;
        let mut symbols = vec![];
        task.held_out_sequences(task.test, seed, example..example + 1, &mut symbols);
        symbols.truncate(t);
        (symbols, Origin::HeldOut(view.example), Some(task.held_out_chain(task.test, seed, example)))
    }

    fn weights(&self) -> Vec<&[f32]> {
        self.parameters.iter().map(Vec::as_slice).collect()
    }

    /// What the network makes of a sequence without the heads in `off`, counted layer by layer from 1.
    fn look(&self, symbols: &[u8], off: &[usize]) -> Look {
        let (k, length) = (self.task.symbols, self.task.length);
        match &self.spec.model {
            Model::AttentionOnly(net) => {
                let of_length = attention_only::OfLength { net: net.clone(), length };
                of_length.plain(&self.weights(), k).look(symbols, &from_zero(off))
            }
            Model::MinimalMarkov(net) => {
                let of_length = minimal_markov::OfLength { net: net.clone(), length };
                Look { heads: vec![], logits: of_length.logits(&self.weights(), k, symbols) }
            }
            _ => Look { heads: vec![], logits: vec![f64::NAN; symbols.len() * k] },
        }
    }

    /// The strategies between which the share of the way is counted, each with its KL to the truth: the best one, and the one
    /// before it, which is missing where the uniform strategy is the best.
    pub fn way(&self) -> Option<(Option<(Strategy, f64)>, (Strategy, f64))> {
        between(&self.lines)
    }

    /// The letters of the task's symbols.
    pub fn letters(&self) -> Vec<String> {
        (0..self.task.symbols).map(letter).collect()
    }
}

impl LabState for MarkovState {
    fn cloned(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn work(&mut self, operations: u64) -> Work {
        if self.looking.is_some() {
            return if self.go_on_looking(operations) { Work::News } else { Work::GoesOn };
        }
        if let Some(job) = &mut self.to_line {
            let Some(lines) = job.advance(operations) else { return Work::GoesOn };
            (self.lines, self.to_line) = (lines, None);
            return Work::News;
        }
        let Some(job) = &mut self.to_bayes else { return Work::Done };
        let Some(line) = job.advance(operations) else { return Work::GoesOn };
        (self.bayes, self.to_bayes) = (Some(line), None);
        Work::News
    }

    fn is_busy(&self) -> bool {
        self.looking.is_some() || self.to_line.is_some() || self.to_bayes.is_some()
    }

    fn found(&mut self, step: u64, finding: &Finding, link: &Link) {
        if finding.probe == ABLATION.id() {
            self.ablation = Some(finding.numbers.clone());
        } else if let Some(parameters) = PARAMETERS.parameters(&self.spec, finding) {
            (self.parameters, self.step) = (parameters, step);
            self.distances.push(step, distances(&self.spec, &self.weights()));
            self.look_into(&link.view);
        }
    }

    fn take_curves(&mut self, end: &dyn LabState) {
        if let Some(end) = end.of::<Self>() {
            self.distances = end.distances.clone();
        }
    }

    fn look_anew(&mut self, link: &Link) {
        self.look_into(&link.view);
        self.explore(&link.theory);
    }

    fn nearest(&self, row: &Row) -> Option<String> {
        curves::nearest(row, self.task.order).map(|of| curves::name(of).to_string())
    }
}

/// Heads that are switched off, counted from 0 instead of 1.
fn from_zero(off: &[usize]) -> Vec<usize> {
    off.iter().filter(|head| **head > 0).map(|head| head - 1).collect()
}

/// Weights of distances by these parameters of one network, for each head of the first layer.
pub fn distances(spec: &RunSpec, weights: &[&[f32]]) -> Distances {
    let Task::MarkovChain(task) = &spec.task else { return vec![] };
    match &spec.model {
        Model::AttentionOnly(net) => {
            let of_length = attention_only::OfLength { net: net.clone(), length: task.length };
            of_length.plain(weights, task.symbols).distances()
        }
        Model::MinimalMarkov(_) => vec![normalised(weights[LAGS])],
        _ => vec![],
    }
}

/// The least of the ratios of weights of distances 1 to 0, 3 to 2 and 5 to 4, in the first head of the first layer:
/// above 1 all three odd distances weigh more than the even ones before them (Edelman 2024, section 8.3.2).
///
/// None where distances have no weights, or there are fewer than six.
pub fn odd_over_even(spec: &RunSpec, weights: &[&[f32]]) -> Option<f32> {
    let all = distances(spec, weights);
    let pairs = all.first()?.get(..6)?.chunks_exact(2);
    // An even distance that counts against its symbol is below any odd one that counts for it.
    let ratio =
        |pair: &[f64]| if pair[0] > 0.0 { pair[1] / pair[0] } else { pair[1].signum() * f64::INFINITY };
    Some(pairs.map(ratio).fold(f64::INFINITY, f64::min) as f32)
}

/// The weight of distance 1 over the largest weight of another distance, in the first head of the first layer; none where
/// distances have no weights.
pub fn first_distance(spec: &RunSpec, weights: &[&[f32]]) -> Option<f32> {
    let all = distances(spec, weights);
    let first = all.first()?;
    let others = first.iter().enumerate().filter(|(distance, _)| *distance != 1);
    let most = others.map(|(_, weight)| *weight).fold(f64::NEG_INFINITY, f64::max);
    Some((first.get(1)? / most) as f32)
}

#[cfg(test)]
mod tests;
