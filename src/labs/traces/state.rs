//! What the page knows of a run on traces: the machine, the least loss, the trace that is looked into, and what the first
//! network makes of it.

use super::probes::PARAMETERS;
use vivarium_core::bounds::SLICE;
use vivarium_model::models::attention_only::{Look, LookJob, OfLength};
use vivarium_model::models::{AttentionOnly, Model};
use vivarium_model::permalink::{Link, View};
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::chains::head_names;
use vivarium_science::machines::random::{TAPE_SYMBOLS, TracePosition};
use vivarium_science::machines::{RandomMachine, TraceSettings};
use vivarium_training::session::trace_evaluator::{FROM_BACK, likeliest_symbol};
use vivarium_view::display::{LabState, Work};

/// Most held-out traces that the least loss is taken over at once: the page draws them before the run begins.
const MOST_FOR_LEAST: usize = 1024;

/// What is known of a run on traces: that of its first replica.
#[derive(Debug, Clone)]
pub struct TracesState {
    /// What is drawn.
    pub traces: TraceSettings,
    /// The machine.
    pub machine: RandomMachine,
    /// The least loss on the held-out traces, in nats a token; of many, on the first ones.
    pub least: f64,
    /// The trace that is looked into, one place more than a context has.
    pub places: Vec<TracePosition>,
    /// Which of the held-out ones it is, from 1.
    pub example: usize,
    /// What the network makes of it; no head and no logits as long as that is not known.
    pub look: Look,
    /// Parameters of the first network, as newly as they are known.
    parameters: Vec<Vec<f32>>,
    /// A look under way, and whether the network has changed meanwhile.
    job: Option<(LookJob, bool)>,
    net: AttentionOnly,
    spec: RunSpec,
}

impl TracesState {
    /// Of a run, before its first step.
    pub fn of(spec: &RunSpec, link: &Link) -> Option<Self> {
        let traces = spec.task.examples().traces()?;
        let Model::AttentionOnly(net) = &spec.model else { return None };
        let mut source = traces.build_source();
        let mut places = vec![];
        source.sample_held_out(spec.run.seed, 0, 0..spec.held_out().min(MOST_FOR_LEAST), &mut places);
        let mut state = TracesState {
            machine: source.machine().clone(),
            least: traces.min_loss(&places),
            traces,
            places: vec![],
            example: 0,
            look: Look { heads: vec![], logits: vec![] },
            parameters: if spec.is_drawn_at_once() { spec.initial_of(1) } else { vec![] },
            job: None,
            net: net.clone(),
            spec: spec.clone(),
        };
        state.look_into(&link.view);
        state.work(SLICE);
        Some(state)
    }

    /// Names of the heads, layer by layer.
    pub fn head_names(&self) -> Vec<String> {
        head_names(&self.net.heads)
    }

    /// Has the chosen trace looked into, in parts.
    fn look_into(&mut self, view: &View) {
        if view.example != self.example {
            self.example = view.example;
            self.places.clear();
            let example = view.example.saturating_sub(1);
            self.traces.build_source().sample_held_out(
                self.spec.run.seed,
                0,
                example..example + 1,
                &mut self.places,
            );
            (self.look, self.job) = (Look { heads: vec![], logits: vec![] }, None);
        }
        match &mut self.job {
            // It comes to an end before it begins anew: a network may be quicker to change than a look to be made.
            Some((_, is_stale)) => *is_stale = true,
            None => self.begin_look(),
        }
    }

    fn begin_look(&mut self) {
        if self.parameters.is_empty() || self.places.is_empty() {
            return;
        }
        let of_length = OfLength { net: self.net.clone(), length: self.traces.length };
        let context: Vec<u8> = self.places[..self.traces.length].iter().map(|place| place.token).collect();
        let weights: Vec<&[f32]> = self.parameters.iter().map(Vec::as_slice).collect();
        let job = of_length.look_job(&weights, self.traces.vocab_size(), &context, &[]);
        self.job = Some((job, false));
    }

    /// The predictions of written cells whose last write was at least so many steps ago: the place that predicts, and
    /// the place of the write.
    pub fn writes(&self, back: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let places = self.places.iter().enumerate().skip(1);
        places.filter_map(move |(at, place)| {
            let last = place.last_write.filter(|last| at - last >= back)?;
            Some((at - 1, last))
        })
    }

    /// Mean attention of every head on the most recent write, where that was four or more steps ago, and what even
    /// attention has there; nothing as long as the network is not looked into.
    pub fn on_writes(&self) -> Option<(Vec<f64>, f64)> {
        let (t, count) = (self.traces.length, self.writes(FROM_BACK).count());
        if self.look.heads.is_empty() || count == 0 {
            return None;
        }
        let mean = |of: &dyn Fn(usize, usize) -> f64| {
            self.writes(FROM_BACK).map(|(from, to)| of(from, to)).sum::<f64>() / count as f64
        };
        let heads = self.look.heads.iter().map(|head| mean(&|from, to| head.shares[from * t + to]));
        Some((heads.collect(), mean(&|from, _| 1.0 / (from + 1) as f64)))
    }

    /// The head whose attention is drawn, from 0: the chosen one, or else that with the most attention on the writes.
    pub fn head(&self, view: &View) -> Option<usize> {
        let count = self.look.heads.len();
        if count == 0 {
            return None;
        }
        if view.head > 0 {
            return Some((view.head - 1).min(count - 1));
        }
        let (means, _) = self.on_writes()?;
        (0..count).max_by(|a, b| means[*a].total_cmp(&means[*b]))
    }

    /// Places of the trace, from 1 on, whose symbol the network predicts wrongly.
    pub fn wrong(&self) -> Vec<usize> {
        let predictions = self.look.logits.chunks_exact(self.traces.vocab_size()).enumerate();
        let wrong = predictions.filter(|(at, logits)| {
            let place = self.places.get(at + 1);
            place.is_some_and(|place| likeliest_symbol(logits) != usize::from(place.token) % TAPE_SYMBOLS)
        });
        wrong.map(|(at, _)| at + 1).collect()
    }
}

impl LabState for TracesState {
    fn cloned(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn work(&mut self, operations: u64) -> Work {
        let Some((job, _)) = &mut self.job else { return Work::Done };
        let Some(look) = job.advance(operations) else { return Work::GoesOn };
        let is_stale = self.job.take().is_some_and(|(_, is_stale)| is_stale);
        self.look = look;
        if is_stale {
            self.begin_look();
        }
        Work::News
    }

    fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    fn found(&mut self, _step: u64, finding: &Finding, link: &Link) {
        if let Some(parameters) = PARAMETERS.parameters(&self.spec, finding) {
            self.parameters = parameters;
            self.look_into(&link.view);
        }
    }

    fn look_anew(&mut self, link: &Link) {
        self.look_into(&link.view);
    }
}
