//! State of the lab for a run on traces: the machine, the least possible loss, the inspected trace, and the
//! attention and logits of the first network on it.

use super::probes::PARAMETERS;
use vivarium_core::bounds::PAGE_SLICE_OPERATIONS;
use vivarium_model::models::attention_only::{Look, LookJob, OfLength};
use vivarium_model::models::{AttentionOnly, Model};
use vivarium_model::permalink::{Link, ViewSettings};
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::chains::head_names;
use vivarium_science::machines::random::{TAPE_SYMBOLS, TracePosition};
use vivarium_science::machines::{RandomMachine, TraceSettings};
use vivarium_training::session::trace_evaluator::{FROM_BACK, likeliest_symbol};
use vivarium_view::display::{LabState, WorkProgress};

/// Maximum number of held-out traces from which the least possible loss is computed, since this computation delays the
/// start of the run.
const MAX_LOSS_TRACES: usize = 1024;

/// State of the lab for the first replica of one run on traces.
#[derive(Debug, Clone)]
pub struct TracesState {
    /// Settings of the traces: size of the machine, length of a trace and choice of the next state.
    pub traces: TraceSettings,
    /// Random Turing machine whose traces the network learns to predict.
    pub machine: RandomMachine,
    /// Least possible mean loss on the first [`MAX_LOSS_TRACES`] held-out traces, or all if there are fewer, in nats
    /// per token.
    pub min_loss: f64,
    /// Steps of the inspected trace, each with its token and cell; one more than the context length, as the last is
    /// only predicted.
    pub positions: Vec<TracePosition>,
    /// Number, from 1, of the held-out trace shown in the panel.
    pub example: usize,
    /// Attention weights and logits of the network on the inspected trace; both empty until they are computed.
    pub attention: Look,
    /// Latest known parameters of the first network, one list per parameter tensor in the model's order; empty if
    /// unknown.
    parameters: Vec<Vec<f32>>,
    /// Running computation of `attention`, and whether the network's parameters have changed since its start.
    job: Option<(LookJob, bool)>,
    /// Settings of the attention-only network that the run trains.
    net: AttentionOnly,
    /// Settings of the run that the lab displays: task, model, optimiser and seed.
    spec: RunSpec,
}

impl TracesState {
    /// State of a run before its first step; `None` unless an attention-only network is trained on traces.
    pub fn new(spec: &RunSpec, link: &Link) -> Option<Self> {
        let traces = spec.task.data().traces()?;
        let Model::AttentionOnly(net) = &spec.model else { return None };
        let mut source = traces.build_source();
        let mut places = vec![];
        source.sample_held_out(spec.run.seed, 0, 0..spec.held_out_count().min(MAX_LOSS_TRACES), &mut places);
        let mut state = TracesState {
            machine: source.machine().clone(),
            min_loss: traces.min_loss(&places),
            traces,
            positions: vec![],
            example: 0,
            attention: Look { heads: vec![], logits: vec![] },
            parameters: if spec.can_page_initialize() { spec.initialize_replicas(1) } else { vec![] },
            job: None,
            net: net.clone(),
            spec: spec.clone(),
        };
        state.update_inspected(&link.view);
        state.continue_work(PAGE_SLICE_OPERATIONS);
        Some(state)
    }

    /// Names of the network's attention heads, "2.1" for the first head of layer 2, layer by layer.
    pub fn head_names(&self) -> Vec<String> {
        head_names(&self.net.heads)
    }

    /// Starts to evaluate the network on the trace selected in the view; the work is done in slices.
    fn update_inspected(&mut self, view: &ViewSettings) {
        if view.example != self.example {
            self.example = view.example;
            self.positions.clear();
            let example = view.example.saturating_sub(1);
            self.traces.build_source().sample_held_out(
                self.spec.run.seed,
                0,
                example..example + 1,
                &mut self.positions,
            );
            (self.attention, self.job) = (Look { heads: vec![], logits: vec![] }, None);
        }
        match &mut self.job {
            // It finishes before it restarts: a network may change faster than its attention is computed.
            Some((_, is_stale)) => *is_stale = true,
            None => self.start_trace(),
        }
    }

    /// Starts to evaluate the network on the inspected trace with the latest known parameters; does nothing without
    /// parameters.
    fn start_trace(&mut self) {
        if self.parameters.is_empty() || self.positions.is_empty() {
            return;
        }
        let of_length = OfLength { net: self.net.clone(), length: self.traces.length };
        let context: Vec<u8> = self.positions[..self.traces.length].iter().map(|place| place.token).collect();
        let weights: Vec<&[f32]> = self.parameters.iter().map(Vec::as_slice).collect();
        let job = of_length.look_job(&weights, self.traces.vocab_size(), &context, &[]);
        self.job = Some((job, false));
    }

    /// Pairs (query position, position of the write), from 0: at the query position the network predicts the symbol of
    /// a cell that was last written at least `min_distance` steps earlier.
    pub fn writes_since(&self, min_distance: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let places = self.positions.iter().enumerate().skip(1);
        places.filter_map(move |(at, place)| {
            let last = place.last_write.filter(|last| at - last >= min_distance)?;
            Some((at - 1, last))
        })
    }

    /// Mean attention weight of each head on the step that last wrote the predicted cell, over cells written four or
    /// more steps ago, and the mean that uniform attention would have; `None` until the network is evaluated or without
    /// such cells.
    pub fn mean_write_attention(&self) -> Option<(Vec<f64>, f64)> {
        let (t, count) = (self.traces.length, self.writes_since(FROM_BACK).count());
        if self.attention.heads.is_empty() || count == 0 {
            return None;
        }
        let mean = |of: &dyn Fn(usize, usize) -> f64| {
            self.writes_since(FROM_BACK).map(|(from, to)| of(from, to)).sum::<f64>() / count as f64
        };
        let heads = self.attention.heads.iter().map(|head| mean(&|from, to| head.shares[from * t + to]));
        Some((heads.collect(), mean(&|from, _| 1.0 / (from + 1) as f64)))
    }

    /// Head selected in the view, counted through all layers from 0, or else the head with the most attention on the
    /// last writes; `None` until the network is evaluated.
    pub fn selected_head(&self, view: &ViewSettings) -> Option<usize> {
        let count = self.attention.heads.len();
        if count == 0 {
            return None;
        }
        if view.head > 0 {
            return Some((view.head - 1).min(count - 1));
        }
        let (means, _) = self.mean_write_attention()?;
        (0..count).max_by(|a, b| means[*a].total_cmp(&means[*b]))
    }

    /// Indices into `positions` of the inspected trace whose tape symbol the network predicts wrongly; index 0 is never
    /// predicted.
    pub fn wrong_positions(&self) -> Vec<usize> {
        let predictions = self.attention.logits.chunks_exact(self.traces.vocab_size()).enumerate();
        let wrong = predictions.filter(|(at, logits)| {
            let place = self.positions.get(at + 1);
            place.is_some_and(|place| likeliest_symbol(logits) != usize::from(place.token) % TAPE_SYMBOLS)
        });
        wrong.map(|(at, _)| at + 1).collect()
    }
}

impl LabState for TracesState {
    fn clone_boxed(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn continue_work(&mut self, operations: u64) -> WorkProgress {
        let Some((job, _)) = &mut self.job else { return WorkProgress::Done };
        let Some(look) = job.advance(operations) else { return WorkProgress::Continuing };
        let is_stale = self.job.take().is_some_and(|(_, is_stale)| is_stale);
        self.attention = look;
        if is_stale {
            self.start_trace();
        }
        WorkProgress::Updated
    }

    fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    fn add_finding(&mut self, _step: u64, finding: &ProbeResult, link: &Link) {
        if let Some(parameters) = PARAMETERS.parameters(&self.spec, finding) {
            self.parameters = parameters;
            self.update_inspected(&link.view);
        }
    }

    fn recompute_view(&mut self, link: &Link) {
        self.update_inspected(&link.view);
    }
}
