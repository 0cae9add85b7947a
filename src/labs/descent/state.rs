//! What the page knows of a run: the transformer, the newest weights, and one step of it layer by layer.

use super::trace::{AT_ONCE, Trace};
use super::weights::{PARAMETERS, parted};
use vivarium_model::models::{DescentTransformer, Family};
use vivarium_model::permalink::{Link, View};
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_science::descent::{
    ComparisonState, ConstructedTransformer, DescentExamples, DescentPlan, DescentPrompts, DescentTokens,
    TargetFunction, TokenLayout,
};
use vivarium_view::display::{LabState, Work};

/// Most numbers of a token that all are named.
const MOST_NAMED: usize = 2048;

/// Most tokens between which attention is drawn.
const MOST_TOKENS: usize = 128;

/// What is known of a run of a transformer that is descent: that of its first replica.
#[derive(Debug, Clone)]
pub struct DescentState {
    /// What examples are drawn.
    pub draw: DescentPrompts,
    /// What is built.
    pub plan: DescentPlan,
    /// The function that is to be learned.
    pub target: TargetFunction,
    /// The examples, and the query.
    pub examples: DescentExamples,
    /// The variance of their labels.
    pub variance: f64,
    /// The transformer.
    pub transformer: ConstructedTransformer,
    /// What stands at each coordinate of a token; empty where these are too many to be named.
    pub names: Vec<String>,
    /// Weights before the first step.
    pub start: Vec<f64>,
    /// The newest weights in the tokens and of direct descent, with what is measured.
    pub state: ComparisonState,
    /// Steps made when they were read.
    pub step: u64,
    /// The step that follows, layer by layer; of large transformers that of a moment ago, until the newest is executed.
    pub trace: Trace,
    /// The same under way, and whether there are newer weights by now.
    job: Option<(Trace, bool)>,
    net: DescentTransformer,
    spec: RunSpec,
    at_once: bool,
}

impl DescentState {
    /// Of a run, before its first step.
    pub fn of(spec: &RunSpec, link: &Link) -> Option<Self> {
        let draw = spec.task.examples().regression()?;
        let Some(Family::Descent(net)) = spec.model.config().family() else { return None };
        let plan = net.plan(&draw, spec.learning_rate(0));
        // Nothing is built of a run that is refused.
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
            variance: examples.label_variance(),
            names: match layout.len() {
                ..=MOST_NAMED => (0..layout.len()).map(|c| layout.coordinate_name(c)).collect(),
                _ => vec![],
            },
            state: ComparisonState::initial(&start),
            step: 0,
            trace: Trace::of(0, tokens, 0, 0),
            job: None,
            at_once: plan.compute_sizes(draw.example_count()).operations <= AT_ONCE,
            spec: spec.clone(),
            net,
            draw,
            plan,
            examples,
            transformer,
            start,
        };
        state.look_into(&link.view);
        Some(state)
    }

    /// What stands where in a token.
    pub fn layout(&self) -> &TokenLayout {
        self.transformer.layout()
    }

    /// The token that the view shows, from 0: the query, which is the last, where it says 0.
    pub fn place(&self, view: &View) -> usize {
        let last = self.examples.len();
        if view.place == 0 { last } else { (view.place - 1).min(last) }
    }

    /// The head that is shown, from 0.
    pub fn head(&self, view: &View) -> usize {
        let heads = self.trace.acting(&self.transformer).map_or(0, |layer| layer.head_count());
        view.head.saturating_sub(1).min(heads.saturating_sub(1))
    }

    /// How much each token takes of each through the head that is shown: `[tokens, tokens]`; none where the layer has no
    /// heads or tokens are too many.
    pub fn attention(&self, view: &View) -> Option<Vec<f64>> {
        let looks = self
            .trace
            .acting(&self.transformer)
            .filter(|_| self.trace.before.token_count() <= MOST_TOKENS)?;
        looks.attention_weights(self.head(view), &self.trace.before)
    }

    /// The layer that the view shows, from 1; 0 before the first.
    pub fn layer(&self, view: &View) -> usize {
        view.layer.min(self.transformer.layers().len())
    }

    /// All tokens before the step that is shown.
    fn tokens(&self) -> DescentTokens<f64> {
        self.transformer.tokens(&self.examples, &self.state.tokens)
    }

    /// Has the step after the newest weights executed for what the view shows.
    fn look_into(&mut self, view: &View) {
        // Another learning rate is another transformer.
        let rate = self.spec.learning_rate(self.step);
        if rate != self.plan.learning_rate {
            self.plan = self.net.plan(&self.draw, rate);
            self.transformer = ConstructedTransformer::new(&self.plan, &self.examples);
        }
        let (layer, place) = (self.layer(view), self.place(view));
        let mut trace = Trace::of(self.step, self.tokens(), layer, place);
        if self.at_once {
            trace.go_on(&self.transformer, u64::MAX);
            self.trace = trace;
        } else {
            self.job = Some((trace, false));
        }
    }
}

impl LabState for DescentState {
    fn cloned(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn work(&mut self, operations: u64) -> Work {
        let Some((mut trace, is_old)) = self.job.take() else { return Work::Done };
        trace.go_on(&self.transformer, operations);
        if trace.is_busy(&self.transformer) {
            self.job = Some((trace, is_old));
            return Work::GoesOn;
        }
        if is_old {
            let next = Trace::of(self.step, self.tokens(), trace.layer, trace.place);
            self.job = Some((next, false));
        }
        self.trace = trace;
        Work::News
    }

    fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    fn found(&mut self, step: u64, finding: &Finding, link: &Link) {
        if finding.probe != PARAMETERS.id() {
            return;
        }
        // A finding of another run than this one has other sizes.
        let Some(parts) = parted(&self.spec, &finding.numbers) else { return };
        self.spec.run.schedule.clone_from(&link.spec.run.schedule);
        (self.state, self.step) = (ComparisonState::from_tensors(parts), step);
        match &mut self.job {
            // Otherwise a run that is faster than its steps are executed here would never be seen.
            Some((_, is_old)) if self.spec.learning_rate(step) == self.plan.learning_rate => *is_old = true,
            _ => self.look_into(&link.view),
        }
    }

    fn look_anew(&mut self, link: &Link) {
        self.look_into(&link.view);
    }
}
