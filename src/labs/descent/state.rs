//! The page's state of a run: the transformer, the latest weights, and one step of gradient descent layer by layer.

use super::trace::{MAX_SYNC_OPERATIONS, StepTrace};
use super::weights::{PARAMETERS, split_parameters};
use vivarium_model::models::{DescentTransformer, Family};
use vivarium_model::permalink::{Link, ViewSettings};
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_science::descent::{
    ComparisonState, ConstructedTransformer, DescentExamples, DescentPlan, DescentPrompts, DescentTokens,
    TargetFunction, TokenLayout,
};
use vivarium_view::display::{LabState, WorkProgress};

/// Maximum number of coordinates of a token for which names, such as "`p(2)[3]`", are computed; coordinates of longer
/// tokens have none.
const MAX_NAMED_NUMBERS: usize = 2048;

/// Maximum number of tokens of a prompt for which attention weights are computed; for longer prompts no attention map
/// is drawn.
const MAX_ATTENTION_TOKENS: usize = 128;

/// The page's state of a run of a transformer that performs gradient descent, for its first replica.
#[derive(Debug, Clone)]
pub struct DescentState {
    /// The distribution that the target function, the examples and the query are drawn from.
    pub prompts: DescentPrompts,
    /// Choices from which the transformer is constructed: the network in the tokens, its loss, the learning rate of
    /// descent, and the approximation of the activation.
    pub plan: DescentPlan,
    /// The target function of the prompt, whose values are the labels of the examples.
    pub target: TargetFunction,
    /// The labelled examples of the prompt, and after them the query.
    pub examples: DescentExamples,
    /// The variance of the labels over the prompt's examples, without the query.
    pub label_variance: f64,
    /// The transformer whose layers perform one step of descent, constructed for the current learning rate, on which
    /// its weights depend.
    pub transformer: ConstructedTransformer,
    /// The name of each coordinate of a token, such as "`p(2)[3]`"; empty if tokens have more than
    /// [`MAX_NAMED_NUMBERS`] coordinates.
    pub coordinate_names: Vec<String>,
    /// All weights of the network in the tokens, as one vector, before the first step of gradient descent.
    pub initial_weights: Vec<f64>,
    /// The latest weights of three networks: the one stored in the tokens, and those trained by direct gradient descent
    /// in double and in single precision.
    pub comparison: ComparisonState,
    /// Number of steps of gradient descent after which the weights in `comparison` were read.
    pub step: u64,
    /// The page's trace of the transformer's next step of descent from the latest weights, through all layers; in large
    /// transformers it may be that of an earlier step until the latest one has been executed.
    pub trace: StepTrace,
    /// The trace of a step of descent that the page has not executed to its end yet, and whether newer weights have
    /// arrived since it started; none if no trace is in progress.
    pending_trace: Option<(StepTrace, bool)>,
    /// Settings of the transformer model: the network in the tokens, and the approximation of its activation.
    settings: DescentTransformer,
    /// Settings of the run whose state this is.
    spec: RunSpec,
    /// Whether a whole step of descent is cheap enough for the page to execute it at once for the trace, instead of in
    /// slices.
    runs_at_once: bool,
}

impl DescentState {
    /// The state of a run before its first step of descent, for the view of `link`; none for other tasks and models,
    /// and if the settings are invalid.
    pub fn from_spec(spec: &RunSpec, link: &Link) -> Option<Self> {
        let draw = spec.task.data().descent_prompts()?;
        let Some(Family::Descent(net)) = spec.model.config().family() else { return None };
        let plan = net.plan(&draw, spec.learning_rate(0));
        // Invalid settings are not built.
        if !plan.invalid_settings(draw.example_count(), draw.bound_magnitudes()).is_empty() {
            return None;
        }
        let examples = draw.draw_examples(spec.run.seed, 0);
        let (transformer, start) =
            (ConstructedTransformer::new(&plan, &examples), net.start(&draw, spec.run.seed, 0));
        let layout = transformer.layout();
        let tokens = transformer.tokens(&examples, &start);
        let mut state = DescentState {
            target: draw.draw_target(spec.run.seed),
            label_variance: examples.label_variance(),
            coordinate_names: match layout.len() {
                ..=MAX_NAMED_NUMBERS => (0..layout.len()).map(|c| layout.coordinate_name(c)).collect(),
                _ => vec![],
            },
            comparison: ComparisonState::initial(&start),
            step: 0,
            trace: StepTrace::new(0, tokens, 0, 0),
            pending_trace: None,
            runs_at_once: plan.compute_sizes(draw.example_count()).operations <= MAX_SYNC_OPERATIONS,
            spec: spec.clone(),
            settings: net,
            prompts: draw,
            plan,
            examples,
            transformer,
            initial_weights: start,
        };
        state.start_trace(&link.view);
        Some(state)
    }

    /// The layout of a token: which of its coordinates belong to which block, such as the weights or the outputs.
    pub fn layout(&self) -> &TokenLayout {
        self.transformer.layout()
    }

    /// The index, from 0, of the token that the view selects by its field `place`; the query, which is the last token,
    /// if `place` is 0.
    pub fn shown_token(&self, view: &ViewSettings) -> usize {
        let last = self.examples.len();
        if view.place == 0 { last } else { (view.place - 1).min(last) }
    }

    /// The index, from 0, of the attention head that the view selects in the transformer layer shown; 0 if this layer
    /// has no heads.
    pub fn shown_head(&self, view: &ViewSettings) -> usize {
        let heads = self.trace.shown_layer(&self.transformer).map_or(0, |layer| layer.head_count());
        view.head.saturating_sub(1).min(heads.saturating_sub(1))
    }

    /// The attention weights of the head and layer that the view selects, `[query tokens, key tokens]`; none if the
    /// layer has no heads or there are more than [`MAX_ATTENTION_TOKENS`] tokens.
    pub fn attention_weights(&self, view: &ViewSettings) -> Option<Vec<f64>> {
        let layer = self
            .trace
            .shown_layer(&self.transformer)
            .filter(|_| self.trace.before.token_count() <= MAX_ATTENTION_TOKENS)?;
        layer.attention_weights(self.shown_head(view), &self.trace.before)
    }

    /// The number, from 1, of the transformer layer that the view selects; 0 stands for the tokens before the first
    /// layer.
    pub fn shown_layer(&self, view: &ViewSettings) -> usize {
        view.layer.min(self.transformer.layers().len())
    }

    /// All tokens of the prompt before the next step of descent, with the latest weights of the network stored in them.
    fn step_input_tokens(&self) -> DescentTokens<f64> {
        self.transformer.tokens(&self.examples, &self.comparison.tokens)
    }

    /// Starts the execution, layer by layer, of the step of descent after the latest weights, for the layer and token
    /// that the view selects; a cheap step is executed at once.
    fn start_trace(&mut self, view: &ViewSettings) {
        // The transformer's weights depend on the learning rate.
        let rate = self.spec.learning_rate(self.step);
        if rate != self.plan.learning_rate {
            self.plan = self.settings.plan(&self.prompts, rate);
            self.transformer = ConstructedTransformer::new(&self.plan, &self.examples);
        }
        let (layer, place) = (self.shown_layer(view), self.shown_token(view));
        let mut trace = StepTrace::new(self.step, self.step_input_tokens(), layer, place);
        if self.runs_at_once {
            trace.advance(&self.transformer, u64::MAX);
            self.trace = trace;
        } else {
            self.pending_trace = Some((trace, false));
        }
    }
}

impl LabState for DescentState {
    fn clone_boxed(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn continue_work(&mut self, operations: u64) -> WorkProgress {
        let Some((mut trace, is_old)) = self.pending_trace.take() else { return WorkProgress::Done };
        trace.advance(&self.transformer, operations);
        if trace.is_unfinished(&self.transformer) {
            self.pending_trace = Some((trace, is_old));
            return WorkProgress::Continuing;
        }
        if is_old {
            let next = StepTrace::new(self.step, self.step_input_tokens(), trace.layer, trace.token_index);
            self.pending_trace = Some((next, false));
        }
        self.trace = trace;
        WorkProgress::Updated
    }

    fn is_busy(&self) -> bool {
        self.pending_trace.is_some()
    }

    fn add_finding(&mut self, step: u64, finding: &ProbeResult, link: &Link) {
        if finding.probe != PARAMETERS.id() {
            return;
        }
        // The probe result of another run has other sizes.
        let Some(parts) = split_parameters(&self.spec, &finding.numbers) else { return };
        self.spec.run.schedule.clone_from(&link.spec.run.schedule);
        (self.comparison, self.step) = (ComparisonState::from_tensors(parts), step);
        match &mut self.pending_trace {
            // The trace in progress goes on: if training is faster than traces, no trace would ever be completed
            // otherwise.
            Some((_, is_old)) if self.spec.learning_rate(step) == self.plan.learning_rate => *is_old = true,
            _ => self.start_trace(&link.view),
        }
    }

    fn recompute_view(&mut self, link: &Link) {
        self.start_trace(&link.view);
    }
}
