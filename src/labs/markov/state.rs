//! State of the lab for a run on sequences: KL divergences of the strategies, results of probes, and the sequence that
//! is inspected.
//!
//! # Why
//! Strategies on all held-out sequences and an attention trace of a large network take seconds, so they are computed in
//! slices of [`PAGE_SLICE_OPERATIONS`]; what fits into one slice is ready at once. Until then there are no lines, and
//! the network's logits are NaN, as for an unknown network.

use super::own_network;
use super::probes::{ABLATION, PARAMETERS};
use super::swaps::LayerSwaps;
use vivarium_core::bounds::PAGE_SLICE_OPERATIONS;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_model::models::attention_only::{Look, LookJob};
use vivarium_model::models::minimal_markov::{KERNEL, LAGS};
use vivarium_model::models::{Model, attention_only, minimal_markov};
use vivarium_model::permalink::{Link, ViewSettings};
use vivarium_model::protocol::{Measurement, ProbeResult};
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::Task;
use vivarium_model::tasks::markov::{MarkovChain, charts};
use vivarium_plot::analysis::chains::curves;
use vivarium_plot::analysis::chains::parts::{DistanceWeights, normalise_lags};
use vivarium_plot::analysis::chains::{head_names, symbol_letter};
use vivarium_plot::analysis::thinned::ThinnedHistory;
use vivarium_science::markov::theory::{TheoryResult, TheorySettings};
use vivarium_science::markov::{
    BayesDivergence, BayesDivergenceJob, BayesPredictor, Chain, Strategy, kl_to_log_probabilities,
    log_softmax, softmax, validate_symbols,
};
use vivarium_training::session::evaluator::{LinesJob, TargetStrategies, between};
use vivarium_view::display::{LabState, WorkProgress};

/// Maximum number of earlier training steps for which the state keeps the first layer's attention weights by distance.
const MAX_SNAPSHOTS: usize = 6;

/// Origin of the sequence shown in the panel: entered by the user, drawn from the user's chain, or held out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SequenceOrigin {
    /// Sequence that the user has entered.
    Entered,
    /// Sequence drawn from the Markov chain that the user has entered; the number counts from 1.
    Drawn(usize),
    /// Held-out sequence of the run; the number counts from 1.
    HeldOut(usize),
}

/// Sequence of symbols shown in the panel, with the first network's logits and attention for it.
#[derive(Debug, Clone, PartialEq)]
pub struct InspectedSequence {
    /// Symbols of the inspected sequence, numbered from 0; at least one and at most as many as the context length.
    pub symbols: Vec<u8>,
    /// Origin of the inspected sequence: held out, entered by the user, or drawn from the user's chain.
    pub origin: SequenceOrigin,
    /// Markov chain that generated the sequence; `None` if it is unknown.
    pub chain: Option<Chain>,
    /// Attention weights and logits of the first network on the sequence, computed without the heads that are switched
    /// off.
    pub trace: Look,
    /// Logits of the first network with all its heads, `[length of the sequence, task's symbols]`; empty if no head is
    /// switched off.
    pub whole_logits: Vec<f64>,
}

/// Running computation of attention and logits for the inspected sequence: first with all heads, and then, if some are
/// switched off, without those.
#[derive(Debug, Clone)]
struct PendingTrace {
    /// Evaluations of the network on the inspected sequence still to run; the last one of the list runs first.
    jobs: Vec<LookJob>,
    /// Numbers of the attention heads that are switched off, counted through all layers from 1.
    off: Vec<usize>,
    /// Logits for the inspected sequence with all heads; empty until they are computed, and if no head is switched off.
    whole_logits: Vec<f64>,
    /// Whether the network's parameters have changed since this computation started, so that it must be repeated.
    is_stale: bool,
}

/// Source of a next-symbol prediction that the panel compares: truth, network, reference strategy or Bayes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predictor {
    /// True next-symbol distribution of the Markov chain that generated the sequence.
    Truth,
    /// First network of the run, with its latest known parameters.
    Network,
    /// Reference strategy, such as unigram or bigram.
    Strategy(Strategy),
    /// Bayes-optimal prediction: posterior mean of the next symbol's probabilities.
    Bayes,
}

impl Predictor {
    /// Name of the predictor in charts and tables.
    pub fn name(self) -> String {
        match self {
            Predictor::Truth => tr!("truth").into(),
            Predictor::Network => tr!("network").into(),
            Predictor::Strategy(strategy) => strategy.name().to_lowercase(),
            Predictor::Bayes => tr!("Bayes-optimal").into(),
        }
    }
}

/// Weights that one attention head (or the minimal model) gives to the earlier symbols in one prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct HeadWeights {
    /// Name of the head, "2.1"; for the minimal model, "W and v".
    pub name: String,
    /// Weight of each symbol of the sequence: attention weights, which sum to one; for the minimal model signed
    /// contributions to a logit, whose absolute values sum to one.
    pub weights: Vec<f64>,
}

/// State of the lab for one run on sequences of Markov chains: its task, its first network's latest parameters and the
/// inspected sequence.
#[derive(Debug, Clone)]
pub struct MarkovState {
    /// Settings of the Markov-chain task on which the run trains.
    pub task: MarkovChain,
    /// Reference strategies (uniform, unigram, bigram, …, up to the task's order) with the KL divergence from the true
    /// next-symbol distribution to each; empty until computed.
    pub strategy_kl: Vec<(Strategy, f64)>,
    /// KL divergence from the true next-symbol distribution to the Bayes-optimal prediction; `None` until it is
    /// computed, and if it cannot be.
    pub bayes: Option<BayesDivergence>,
    /// Latest known parameters of the first network, one list per parameter tensor in the model's order; empty for a
    /// large network until a worker has sent them.
    pub parameters: Vec<Vec<f32>>,
    /// Training step after which the first network had these `parameters`; 0 before the first step.
    pub step: u64,
    /// KL divergence from the truth to the prediction of the whole network, then without each head, counted through all
    /// layers; `None` until it is measured.
    pub ablation: Option<Vec<f32>>,
    /// First layer's attention weights by distance of query and key, at some training steps of the run.
    pub distances: ThinnedHistory<DistanceWeights>,
    /// Networks that combine layers of different training steps; `None` for networks of another kind, and for large ones.
    pub swaps: Option<LayerSwaps>,
    /// Sequence of symbols shown in the panel, with the first network's attention and logits for it.
    pub inspected: InspectedSequence,
    /// Settings of the theoretical training of the minimal model, and its result; `None` for other networks.
    pub theory: Option<(TheorySettings, TheoryResult)>,
    /// Settings of the run that the lab displays: task, model, optimiser and seed.
    spec: RunSpec,
    /// Number of heads in each attention layer of the network.
    heads: Vec<usize>,
    /// Running computation of `strategy_kl`, the KL divergences of the reference strategies; `None` when it is
    /// finished.
    strategies_job: Option<LinesJob>,
    /// Running computation of `bayes`, the KL divergence of the Bayes-optimal prediction; `None` when it is finished,
    /// and if there is none.
    bayes_job: Option<BayesDivergenceJob>,
    /// Running computation of attention and logits for the inspected sequence; `None` when it is finished.
    pending_trace: Option<PendingTrace>,
}

impl MarkovState {
    /// State of a run before its first step; takes unchanged results from the state of the run `before`. `None` if the
    /// task is not a Markov chain.
    pub fn new(spec: &RunSpec, link: &Link, before: Option<&MarkovState>) -> Option<Self> {
        let (view, theory) = (&link.view, &link.theory);
        let Task::MarkovChain(task) = &spec.task else { return None };
        let (seed, held_out) = (spec.run.seed, spec.held_out_count());
        let same = |old: &&MarkovState| {
            old.task == *task && (old.spec.run.seed, old.spec.held_out_count()) == (seed, held_out)
        };
        let (lines, to_line, bayes, to_bayes) = match before.filter(same) {
            Some(old) => {
                (old.strategy_kl.clone(), old.strategies_job.clone(), old.bayes, old.bayes_job.clone())
            }
            None => {
                let to_bayes = BayesDivergenceJob::new(&task.sequence_spec(), seed, held_out);
                (vec![], LinesJob::new(task, seed, held_out), None, to_bayes)
            }
        };
        let look = Look { heads: vec![], logits: vec![] };
        let mut chains = MarkovState {
            task: task.clone(),
            strategy_kl: lines,
            bayes,
            parameters: if spec.can_page_initialize() { spec.initialize_replicas(1) } else { vec![] },
            step: 0,
            ablation: None,
            distances: ThinnedHistory::new(MAX_SNAPSHOTS + 1),
            swaps: LayerSwaps::new(spec, task),
            inspected: InspectedSequence {
                symbols: vec![],
                origin: SequenceOrigin::HeldOut(1),
                chain: None,
                trace: look,
                whole_logits: vec![],
            },
            theory: before.and_then(|old| old.theory.clone()),
            spec: spec.clone(),
            heads: own_network::attention_layers(spec),
            strategies_job: to_line,
            bayes_job: to_bayes,
            pending_trace: None,
        };
        chains.update_theory(theory);
        if !chains.parameters.is_empty() {
            let weights = compute_distance_weights(&chains.spec, &chains.weights());
            chains.distances.push(0, weights);
            if let Some(swaps) = &mut chains.swaps {
                swaps.push(0, &chains.parameters);
            }
        }
        chains.update_swaps(view);
        chains.update_inspected(view);
        chains.continue_work(PAGE_SLICE_OPERATIONS);
        if chains.bayes_job.as_ref().is_some_and(|job| job.remaining_operations() <= PAGE_SLICE_OPERATIONS) {
            chains.continue_work(PAGE_SLICE_OPERATIONS);
        }
        Some(chains)
    }

    /// Recomputes the theoretical training of the minimal model if its settings have changed.
    fn update_theory(&mut self, settings: &TheorySettings) {
        if !matches!(self.spec.model, Model::MinimalMarkov(_)) {
            self.theory = None;
        } else if self.theory.as_ref().is_none_or(|(old, _)| old != settings) {
            self.theory = Some((settings.clone(), settings.compute()));
        }
    }

    /// Computes the networks that combine layers of different steps only while their chart is shown.
    fn update_swaps(&mut self, view: &ViewSettings) {
        if let Some(swaps) = &mut self.swaps {
            swaps.is_shown = view.show.contains(&charts::SWAPS);
        }
    }

    /// Number of attention heads in each layer of the network; empty if it has no heads.
    pub fn heads(&self) -> &[usize] {
        &self.heads
    }

    /// Whether the attention of the network on the inspected sequence can be shown.
    pub fn has_attention_maps(&self) -> bool {
        !self.heads.is_empty() && own_network::check_traceable(&self.spec).is_ok()
    }

    /// Names of the network's attention heads, "2.1" for the first head of layer 2, layer by layer.
    pub fn head_names(&self) -> Vec<String> {
        head_names(self.heads())
    }

    /// Matrix W over symbols and vector v over distances of the minimal model; `None` for other networks.
    pub fn minimal_parameters(&self) -> Option<(&[f32], &[f32])> {
        matches!(self.spec.model, Model::MinimalMarkov(_))
            .then(|| (self.parameters[KERNEL].as_slice(), self.parameters[LAGS].as_slice()))
    }

    /// Evaluates the network on the sequence selected in the view: at once, or in slices if it takes long.
    fn update_inspected(&mut self, view: &ViewSettings) {
        let (symbols, origin, chain) = self.build_sequence(view);
        let is_same = symbols == self.inspected.symbols && self.inspected.origin == origin;
        if let Some(looking) =
            self.pending_trace.as_mut().filter(|looking| is_same && looking.off == view.markov.off)
        {
            // It finishes before it restarts: a network may change faster than a trace is computed.
            looking.is_stale = true;
            self.inspected.chain = chain;
            return;
        }
        self.pending_trace = None;
        let is_lengthy = self.spec.estimate_cost().inspection_operations > PAGE_SLICE_OPERATIONS;
        match &self.spec.model {
            Model::AttentionOnly(_) if self.parameters.is_empty() || is_lengthy => {
                if !is_same {
                    let look = self.unknown_trace(symbols.len());
                    self.inspected =
                        InspectedSequence { symbols, origin, chain, trace: look, whole_logits: vec![] };
                } else {
                    self.inspected.chain = chain;
                }
                self.start_trace(view.markov.off.clone());
            }
            _ => {
                let look = self.trace_attention(&symbols, &view.markov.off);
                let whole = if view.markov.off.is_empty() {
                    vec![]
                } else {
                    self.trace_attention(&symbols, &[]).logits
                };
                self.inspected =
                    InspectedSequence { symbols, origin, chain, trace: look, whole_logits: whole };
            }
        }
    }

    /// Placeholder for attention and logits until the network is evaluated: no heads, and NaN for the logits after each
    /// of `symbols` positions.
    fn unknown_trace(&self, symbols: usize) -> Look {
        Look { heads: vec![], logits: vec![f64::NAN; symbols * self.task.symbols] }
    }

    /// Starts to evaluate the network on the inspected sequence, with all heads and without those in `off` (numbers
    /// from 1); does nothing without parameters.
    fn start_trace(&mut self, off: Vec<usize>) {
        let Model::AttentionOnly(net) = &self.spec.model else { return };
        if self.parameters.is_empty() {
            return;
        }
        let of_length = attention_only::OfLength { net: net.clone(), length: self.task.length };
        let (weights, symbols) = (self.weights(), &self.inspected.symbols);
        let job = |off: &[usize]| of_length.look_job(&weights, self.task.symbols, symbols, off);
        let some = if off.is_empty() { vec![] } else { vec![job(&to_zero_based(&off))] };
        let jobs = some.into_iter().chain([job(&[])]).collect();
        self.pending_trace = Some(PendingTrace { jobs, off, whole_logits: vec![], is_stale: false });
    }

    /// Continues the evaluation of the inspected sequence for about `operations` operations; returns true when it has
    /// finished.
    fn advance_trace(&mut self, operations: u64) -> bool {
        let Some(looking) = &mut self.pending_trace else { return false };
        let Some(look) = looking.jobs.last_mut().and_then(|job| job.advance(operations)) else {
            return false;
        };
        looking.jobs.pop();
        if !looking.jobs.is_empty() {
            looking.whole_logits = look.logits;
            return false;
        }
        let Some(PendingTrace { off, whole_logits: whole, is_stale, .. }) = self.pending_trace.take() else {
            return false;
        };
        (self.inspected.trace, self.inspected.whole_logits) = (look, whole);
        if is_stale {
            self.start_trace(off);
        }
        true
    }

    /// Mean KL divergence from the true next-symbol distribution to predictions with these logits, `[length, task's
    /// symbols]`, on the inspected sequence, in nats per symbol; mean cross-entropy if the chain is unknown, `None`
    /// without a symbol to compare.
    pub fn compute_loss(&self, logits: &[f64]) -> Option<f64> {
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

    /// Position of the inspected sequence that is selected in the view, from 0; the last one if none is selected.
    pub fn shown_position(&self, view: &ViewSettings) -> usize {
        let last = self.inspected.symbols.len() - 1;
        if view.place == 0 { last } else { (view.place - 1).min(last) }
    }

    /// Next-symbol probabilities after `position`, from 0, by each predictor: truth if known, network, strategies
    /// up to the task's order, and posterior mean if it can be computed.
    pub fn predict_next(&self, position: usize) -> Vec<(Predictor, Vec<f64>)> {
        let k = self.task.symbols;
        let context = &self.inspected.symbols[..=position];
        let truth = self.inspected.chain.as_ref().map(|chain| {
            let of = chain.context_index(context);
            (Predictor::Truth, (0..k).map(|symbol| chain.probability(of, symbol)).collect())
        });
        // At the first symbols the context is too short for a chain of higher order.
        let truth = truth
            .filter(|_| self.inspected.chain.as_ref().is_some_and(|chain| context.len() + 1 >= chain.order));
        let mut network = vec![f64::NAN; k];
        softmax(&self.inspected.trace.logits[position * k..][..k], &mut network);
        let drawn = self.task.sequence_spec();
        let strategies = Strategy::ALL.iter().take(self.task.order + 1).map(|strategy| {
            let mut out = vec![0.0; k];
            strategy.predict(k, drawn.pseudocount(), context, &mut out);
            (Predictor::Strategy(*strategy), out)
        });
        let bayes = BayesPredictor::new(&drawn, drawn.test_family, self.spec.run.seed);
        let bayes =
            bayes.and_then(|mut bayes| bayes.predict(context, 0)).map(|found| (Predictor::Bayes, found.mean));
        truth.into_iter().chain([(Predictor::Network, network)]).chain(strategies).chain(bayes).collect()
    }

    /// Weights of all symbols of the inspected sequence in the prediction after `position` (from 0): for each head of
    /// the last layer, or for the minimal model.
    pub fn head_weights(&self, position: usize) -> Vec<HeadWeights> {
        if let Some((w, v)) = self.minimal_parameters() {
            return vec![HeadWeights {
                name: "W and v".into(),
                weights: logit_contributions(&self.inspected.symbols, self.task.symbols, position, w, v),
            }];
        }
        let t = self.inspected.symbols.len();
        let last = self.heads().len().saturating_sub(1);
        let heads = self.inspected.trace.heads.iter().zip(self.head_names());
        let of_last = heads.filter(|(head, _)| head.layer == last);
        of_last
            .map(|(head, name)| HeadWeights { name, weights: head.shares[position * t..][..t].to_vec() })
            .collect()
    }

    /// Sequence selected in the view, with its origin and, if known, its chain; settings of the view that the task does
    /// not allow are ignored.
    fn build_sequence(&self, view: &ViewSettings) -> (Vec<u8>, SequenceOrigin, Option<Chain>) {
        let (task, seed) = (&self.task, self.spec.run.seed);
        let (k, t) = (task.symbols, task.length);
        let own = Chain::from_percent(k, &view.markov.chain).ok();
        if let Ok(symbols) = validate_symbols(&view.markov.sequence, k)
            && !symbols.is_empty()
        {
            return (symbols[symbols.len().saturating_sub(t)..].to_vec(), SequenceOrigin::Entered, own);
        }
        if let Some(chain) = own {
            let mut words = vec![0; t];
            // Replica 1, because replica 0 is used for the held-out sequences.
            RandomStream::new(seed, Purpose::HeldOut, 1).fill_u32(view.example as u64, 0, &mut words);
            return (chain.draw_sequence(&words), SequenceOrigin::Drawn(view.example), Some(chain));
        }
        let example = view.example.max(1) - 1;
        let mut symbols = vec![];
        task.append_held_out_sequences(task.test, seed, example..example + 1, &mut symbols);
        symbols.truncate(t);
        (symbols, SequenceOrigin::HeldOut(view.example), Some(task.held_out_chain(task.test, seed, example)))
    }

    /// Latest known parameters of the first network, one slice per parameter tensor in the model's order.
    fn weights(&self) -> Vec<&[f32]> {
        self.parameters.iter().map(Vec::as_slice).collect()
    }

    /// Attention weights and logits of the network on a sequence without `disabled_heads`, whose numbers count through
    /// all layers from 1.
    fn trace_attention(&self, symbols: &[u8], disabled_heads: &[usize]) -> Look {
        let (k, length) = (self.task.symbols, self.task.length);
        match &self.spec.model {
            Model::AttentionOnly(net) => {
                let of_length = attention_only::OfLength { net: net.clone(), length };
                of_length.plain(&self.weights(), k).look(symbols, &to_zero_based(disabled_heads))
            }
            Model::MinimalMarkov(net) => {
                let of_length = minimal_markov::OfLength { net: net.clone(), length };
                Look { heads: vec![], logits: of_length.logits(&self.weights(), k, symbols) }
            }
            _ => {
                let off = to_zero_based(disabled_heads);
                let trace = match self.parameters.is_empty() {
                    true => None,
                    false => own_network::trace(&self.spec, &self.weights(), symbols, &off),
                };
                trace.unwrap_or_else(|| self.unknown_trace(symbols.len()))
            }
        }
    }

    /// Reference strategies between which progress is measured, with the KL divergence from the truth to each: the
    /// strategy of the order below the best one (`None` if the uniform strategy is the best), and the one with the
    /// smallest KL divergence. `None` until the divergences are computed.
    pub fn target_strategies(&self) -> Option<TargetStrategies> {
        between(&self.strategy_kl)
    }

    /// Letters that name the task's symbols in charts and texts, such as "a" for symbol 0.
    pub fn symbol_letters(&self) -> Vec<String> {
        (0..self.task.symbols).map(symbol_letter).collect()
    }
}

impl LabState for MarkovState {
    fn clone_boxed(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn continue_work(&mut self, operations: u64) -> WorkProgress {
        if self.pending_trace.is_some() {
            return if self.advance_trace(operations) {
                WorkProgress::Updated
            } else {
                WorkProgress::Continuing
            };
        }
        if let Some(job) = &mut self.strategies_job {
            let Some(lines) = job.advance(operations) else { return WorkProgress::Continuing };
            (self.strategy_kl, self.strategies_job) = (lines, None);
            return WorkProgress::Updated;
        }
        if let Some(job) = &mut self.bayes_job {
            let Some(line) = job.advance(operations) else { return WorkProgress::Continuing };
            (self.bayes, self.bayes_job) = (Some(line), None);
            return WorkProgress::Updated;
        }
        match &mut self.swaps {
            Some(swaps) if swaps.is_busy() => {
                swaps.advance(operations);
                if swaps.is_busy() { WorkProgress::Continuing } else { WorkProgress::Updated }
            }
            _ => WorkProgress::Done,
        }
    }

    fn is_busy(&self) -> bool {
        self.pending_trace.is_some()
            || self.strategies_job.is_some()
            || self.bayes_job.is_some()
            || self.swaps.as_ref().is_some_and(LayerSwaps::is_busy)
    }

    fn add_finding(&mut self, step: u64, finding: &ProbeResult, link: &Link) {
        if finding.probe == ABLATION.id() {
            self.ablation = Some(finding.numbers.clone());
        } else if let Some(parameters) = PARAMETERS.parameters(&self.spec, finding) {
            (self.parameters, self.step) = (parameters, step);
            self.distances.push(step, compute_distance_weights(&self.spec, &self.weights()));
            if let Some(swaps) = &mut self.swaps {
                swaps.push(step, &self.parameters);
            }
            self.update_inspected(&link.view);
        }
    }

    fn copy_curves(&mut self, end: &dyn LabState) {
        if let Some(end) = end.downcast_state::<Self>() {
            self.distances = end.distances.clone();
            self.swaps = end.swaps.clone();
        }
    }

    fn recompute_view(&mut self, link: &Link) {
        self.update_inspected(&link.view);
        self.update_theory(&link.theory);
        self.update_swaps(&link.view);
    }

    fn nearest_stage(&self, row: &Measurement) -> Option<String> {
        curves::nearest_strategy(row, self.task.order).map(|of| curves::strategy_name(of).to_string())
    }
}

/// Contributions of `symbols` up to `position` (from 0) to the minimal model's logits for them, divided by the sum of
/// their absolute values; 0 for later symbols. `w` is the matrix W over `symbol_count` symbols, `v` the vector over
/// distances.
pub(super) fn logit_contributions(
    symbols: &[u8],
    symbol_count: usize,
    position: usize,
    w: &[f32],
    v: &[f32],
) -> Vec<f64> {
    let row = &w[usize::from(symbols[position]) * symbol_count..][..symbol_count];
    let part = |q: usize| -> f64 {
        if q > position {
            return 0.0;
        }
        let terms = (0..=q).map(|s| f64::from(v[q - s]) * f64::from(row[usize::from(symbols[s])]));
        terms.sum()
    };
    let parts: Vec<f64> = (0..symbols.len()).map(part).collect();
    let total: f64 = parts.iter().map(|part| part.abs()).sum();
    parts.into_iter().map(|part| if total > 0.0 { part / total } else { 0.0 }).collect()
}

/// Converts head numbers that count from 1 to numbers that count from 0; a 0 is left out.
fn to_zero_based(disabled_heads: &[usize]) -> Vec<usize> {
    disabled_heads.iter().filter(|head| **head > 0).map(|head| head - 1).collect()
}

/// Attention weights by distance of query and key for each head of the first layer (for the minimal model its vector v,
/// normalised, as one head), from the parameters `weights` of one network, one slice per tensor; empty if attention
/// does not depend on distances.
pub fn compute_distance_weights(spec: &RunSpec, weights: &[&[f32]]) -> DistanceWeights {
    let Task::MarkovChain(task) = &spec.task else { return vec![] };
    match &spec.model {
        Model::AttentionOnly(net) => {
            let of_length = attention_only::OfLength { net: net.clone(), length: task.length };
            of_length.plain(weights, task.symbols).distances()
        }
        Model::MinimalMarkov(_) => vec![normalise_lags(weights[LAGS])],
        _ => vec![],
    }
}

/// Smallest ratio of the attention weights of distances 1 to 0, 3 to 2 and 5 to 4 in the first head of the first layer
/// (for the minimal model in its vector v): above 1 each of these odd distances weighs more than the even one before it
/// (Edelman 2024, section 8.3.2).
///
/// `None` if distances have no weights, or there are fewer than six.
pub fn odd_over_even(spec: &RunSpec, weights: &[&[f32]]) -> Option<f32> {
    let all = compute_distance_weights(spec, weights);
    let pairs = all.first()?.get(..6)?.chunks_exact(2);
    // If the even weight is not positive, the ratio is infinite with the sign of the odd weight.
    let ratio =
        |pair: &[f64]| if pair[0] > 0.0 { pair[1] / pair[0] } else { pair[1].signum() * f64::INFINITY };
    Some(pairs.map(ratio).fold(f64::INFINITY, f64::min) as f32)
}

/// Attention weight of distance 1 divided by the largest weight of another distance, in the first head of the first
/// layer (for the minimal model in its vector v); `None` if attention does not depend on distances.
pub fn first_distance_ratio(spec: &RunSpec, weights: &[&[f32]]) -> Option<f32> {
    let all = compute_distance_weights(spec, weights);
    let first = all.first()?;
    let others = first.iter().enumerate().filter(|(distance, _)| *distance != 1);
    let max_value = others.map(|(_, weight)| *weight).fold(f64::NEG_INFINITY, f64::max);
    Some((first.get(1)? / max_value) as f32)
}

#[cfg(test)]
mod tests;
