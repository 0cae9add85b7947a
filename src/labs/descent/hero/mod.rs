//! The picture of a transformer whose layers are gradient descent: the curve of the network in the tokens, which bends to the
//! points of the prompt, and the layers of one step with the numbers that they write.

mod picture;

use super::panel::plane::{PlotFrame, round_coordinate};
use super::panel::steps::layer_heading;
use super::weights::PARAMETERS;
use vivarium_model::models::{DescentTransformer, Family};
use vivarium_model::run::RunSpec;
use vivarium_plot::scene::Scene;
use vivarium_science::descent::direct::{compute_loss, descent_step, loss_and_gradient};
use vivarium_science::descent::{
    ComparisonState, ConstructedTransformer, DescentExamples, DescentPlan, DescentPrompts, DescentTokens,
    LayerPhase,
};
use vivarium_view::display::hero::{Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{format_decimal, format_significant, format_thousands};
use vivarium_view::probing::Probe;

/// Probe whose results are the weights in the tokens, from which the picture is computed.
pub const HERO_PROBE: Probe = PARAMETERS;

/// Largest number of arithmetic operations of a step of descent of which there is a picture.
const MAX_STEP_OPERATIONS: u64 = 200_000;
/// Number of arithmetic operations that steps of descent on changed points may take at once.
const OPERATIONS_AT_ONCE: u64 = 6_000_000;
/// Number of steps of descent on changed points, if the run has fewer.
const MIN_CHANGED_STEPS: u64 = 40;
/// Number of equal parts into which the curves are divided.
const CURVE_SEGMENTS: usize = 64;
/// Margin of the horizontal axis: its end, divided by the largest |x| of a point.
const MARGIN: f64 = 1.08;
/// A point can be dragged to this share of the vertical axis.
const REACH: f64 = 0.97;
/// Number of presses of an arrow key from 0 to the end of the vertical axis.
const PRESSES: f64 = 25.0;
/// Number of presses that are one press without Shift.
const FINE_PRESSES: f64 = 5.0;

/// Settings of the network in the tokens and of its prompt, and the construction, if the hero can draw the run: inputs of one
/// number, and few operations.
fn drawable_plan(spec: &RunSpec) -> Option<(DescentTransformer, DescentPrompts, DescentPlan)> {
    let prompts = spec.task.data().descent_prompts()?;
    let Some(Family::Descent(net)) = spec.model.config().family() else { return None };
    let plan = net.plan(&prompts, spec.learning_rate(0));
    let count = prompts.example_count();
    let is_drawable = prompts.dim == 1
        && count > 0
        && plan.invalid_settings(count, prompts.bound_magnitudes()).is_empty()
        && plan.compute_sizes(count).operations <= MAX_STEP_OPERATIONS;
    is_drawable.then_some((net, prompts, plan))
}

/// Whether the lab has a picture of the run.
pub fn has_hero(spec: &RunSpec) -> bool {
    drawable_plan(spec).is_some()
}

/// The picture of a run; `None` if the lab has none for its network or examples.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    Some(Box::new(DescentHero::new(spec)?))
}

/// Descent on points that the user has changed, from the initial weights of the run.
#[derive(Debug, Clone)]
struct ChangedDescent {
    /// Tokens of the transformer after the last step.
    tokens: DescentTokens<f64>,
    /// Weights after the same number of steps of direct gradient descent.
    direct: Vec<f64>,
    /// Number of steps made.
    step: u64,
}

/// Curve and loss of the shown weights.
#[derive(Debug, Clone, Default)]
struct Numbers {
    /// The network's outputs at equal distances along the horizontal axis, `[CURVE_SEGMENTS + 1]`.
    curve: Vec<f64>,
    /// Curve and loss of the weights of direct gradient descent.
    direct_curve: Vec<f64>,
    /// Curve and loss of the weights in the tokens after one more step of the transformer.
    next_curve: Vec<f64>,
    /// Curve of the weights of direct gradient descent after one more step.
    direct_next_curve: Vec<f64>,
    /// Outputs at the inputs of the examples, `[examples]`.
    outputs: Vec<f64>,
    /// Outputs at the inputs of the examples after one more step of the transformer, `[examples]`.
    next_outputs: Vec<f64>,
    /// Loss of the weights in the tokens, of those of direct descent, and of those after one more step.
    losses: [f64; 3],
    /// Loss of the weights of direct gradient descent after one more step.
    direct_next_loss: f64,
    /// For each layer of the next step the numbers that it writes into the token of the shown example.
    written: Vec<Vec<f32>>,
}

/// State of the picture of one run.
#[derive(Debug, Clone)]
struct DescentHero {
    /// Settings of the run.
    spec: RunSpec,
    /// Settings of the network in the tokens.
    net: DescentTransformer,
    /// Which examples are drawn.
    prompts: DescentPrompts,
    /// Construction of the transformer for the latest learning rate.
    plan: DescentPlan,
    /// The transformer for the latest learning rate and the shown examples.
    transformer: ConstructedTransformer,
    /// Examples of the run.
    original: DescentExamples,
    /// Shown examples, with labels that the user has changed.
    examples: DescentExamples,
    /// Initial weights of the network in the tokens, `[weights]`.
    start: Vec<f64>,
    /// Latest weights of the run.
    run: ComparisonState,
    /// Descent on changed points; `None` while the points are those of the run.
    changed: Option<ChangedDescent>,
    /// Part of the plane that is shown.
    frame: PlotFrame,
    /// The curve of the initial weights, `[CURVE_SEGMENTS + 1]`.
    start_curve: Vec<f64>,
    /// Loss of the initial weights on the run's examples.
    start_loss: f64,
    /// Index of the shown example.
    example: usize,
    /// Index, from 0, of the layer that the user has chosen.
    layer: Option<usize>,
    /// Curves and losses of the shown weights.
    numbers: Numbers,
    /// The curve from which the shown curve moves, `[CURVE_SEGMENTS + 1]` or empty.
    from_curve: Vec<f64>,
    /// Time at which the movement of the curve began, in milliseconds.
    since_ms: f64,
    /// Progress of the run.
    progress: StageProgress,
}

impl DescentHero {
    /// The picture of a run; `None` if it cannot be drawn.
    fn new(spec: &RunSpec) -> Option<Self> {
        let (net, prompts, plan) = drawable_plan(spec)?;
        let (original, start) =
            (prompts.draw_examples(spec.run.seed, 0), net.start(&prompts, spec.run.seed, 0));
        let points: Vec<[f64; 2]> = (0..original.len()).map(|at| point_of(&original, at)).collect();
        let largest = points.iter().map(|point| point[0].abs()).filter(|x| x.is_finite()).fold(0.1, f64::max);
        let mut hero = DescentHero {
            frame: PlotFrame { max_x: MARGIN * largest, ..PlotFrame::fit(&points) },
            transformer: ConstructedTransformer::new(&plan, &original),
            start_loss: compute_loss(&plan.network, &original, &start),
            run: ComparisonState::initial(&start),
            examples: original.clone(),
            spec: spec.clone(),
            net,
            prompts,
            plan,
            original,
            start,
            changed: None,
            start_curve: vec![],
            example: 0,
            layer: None,
            numbers: Numbers::default(),
            from_curve: vec![],
            since_ms: f64::NEG_INFINITY,
            progress: StageProgress::default(),
        };
        hero.start_curve = hero.compute_curve(&hero.start);
        hero.refresh(f64::NEG_INFINITY);
        Some(hero)
    }

    /// Number of layers of the transformer, 2N + 4.
    fn layer_count(&self) -> usize {
        self.transformer.layers().len()
    }

    /// Number of steps of descent after which the shown weights are.
    fn step(&self) -> u64 {
        self.changed.as_ref().map_or(self.progress.step, |changed| changed.step)
    }

    /// Loss of the initial weights on the shown examples.
    fn loss_at_start(&self) -> f64 {
        compute_loss(&self.plan.network, &self.examples, &self.start)
    }

    /// The input vector of the network for a number x.
    fn input(&self, x: f64) -> Vec<f64> {
        if self.prompts.constant { vec![x, 1.0] } else { vec![x] }
    }

    /// The network's output for a number x with the weights `w`, `[weights]`.
    fn output(&self, w: &[f64], x: f64) -> f64 {
        self.plan.network.compute_output(w, &self.input(x)).first().copied().unwrap_or(f64::NAN)
    }

    /// The network's outputs at equal distances along the horizontal axis with the weights `w`, `[weights]`.
    fn compute_curve(&self, w: &[f64]) -> Vec<f64> {
        let x = |at: usize| self.frame.max_x * (2.0 * at as f64 / CURVE_SEGMENTS as f64 - 1.0);
        (0..=CURVE_SEGMENTS).map(|at| self.output(w, x(at))).collect()
    }

    /// Builds plan and transformer for the learning rate at a step, if it is another one.
    fn set_rate(&mut self, step: u64) {
        let rate = self.spec.learning_rate(step);
        if rate != self.plan.learning_rate {
            self.plan = self.net.plan(&self.prompts, rate);
            self.transformer = ConstructedTransformer::new(&self.plan, &self.examples);
        }
    }

    /// Makes steps of descent on the changed points, as many as may be made at once, until there are as many as the run has
    /// made.
    fn advance_changed(&mut self) {
        let Some(mut changed) = self.changed.take() else { return };
        let target = self.progress.step.max(MIN_CHANGED_STEPS);
        if changed.step > target {
            changed = self.begin_changed();
        }
        let each = self.plan.compute_sizes(self.examples.len()).operations;
        let until = target.min(changed.step + (OPERATIONS_AT_ONCE / each.max(1)).max(1));
        while changed.step < until {
            self.set_rate(changed.step);
            self.transformer.step(&mut changed.tokens);
            let (gradient, _) = loss_and_gradient(&self.plan.network, &self.examples, &changed.direct);
            changed.direct = descent_step(&self.plan, &changed.direct, &gradient);
            changed.step += 1;
        }
        self.changed = Some(changed);
    }

    /// Descent on the shown points before its first step.
    fn begin_changed(&self) -> ChangedDescent {
        let tokens = self.transformer.tokens(&self.examples, &self.start);
        ChangedDescent { tokens, direct: self.start.clone(), step: 0 }
    }

    /// Computes what the shown weights give; the curve moves there from the time `now_ms` on.
    fn refresh(&mut self, now_ms: f64) {
        self.set_rate(self.step());
        let (tokens, direct) = match &self.changed {
            None => (self.run.tokens.clone(), self.run.direct.clone()),
            Some(changed) => (changed.tokens.weights(self.transformer.layout()), changed.direct.clone()),
        };
        let (network, layout) = (&self.plan.network, self.transformer.layout());
        let states = self.transformer.trace(self.transformer.tokens::<f64>(&self.examples, &tokens));
        let next = states.last().map_or_else(|| tokens.clone(), |state| state.weights(layout));
        let (gradient, _) = loss_and_gradient(network, &self.examples, &direct);
        let direct_next = descent_step(&self.plan, &direct, &gradient);
        let written = self.transformer.layers().iter().zip(states.iter().skip(1)).map(|(layer, state)| {
            let range = match layer.phase {
                LayerPhase::CleanUp => layout.workspace(),
                phase => layout.written_by(phase),
            };
            let token = state.token(self.example);
            token.get(range).unwrap_or_default().iter().map(|value| *value as f32).collect::<Vec<f32>>()
        });
        let outputs = |w: &[f64]| -> Vec<f64> {
            (0..self.examples.len()).map(|at| self.output(w, point_of(&self.examples, at)[0])).collect()
        };
        let numbers = Numbers {
            outputs: outputs(&tokens),
            next_outputs: outputs(&next),
            curve: self.compute_curve(&tokens),
            direct_curve: self.compute_curve(&direct),
            next_curve: self.compute_curve(&next),
            direct_next_curve: self.compute_curve(&direct_next),
            direct_next_loss: compute_loss(network, &self.examples, &direct_next),
            losses: [&tokens, &direct, &next].map(|w| compute_loss(network, &self.examples, w)),
            written: written.collect(),
        };
        self.from_curve = std::mem::replace(&mut self.numbers, numbers).curve;
        self.since_ms = now_ms;
    }

    /// Moves the point of an example to another label and makes the steps of descent on the changed points; returns what has
    /// changed in words.
    fn move_point(&mut self, at: usize, label: f64) -> Option<String> {
        let reach = REACH * self.frame.max_y;
        let label = round_coordinate(label.clamp(-reach, reach));
        if at >= self.examples.len() || point_of(&self.examples, at)[1] == label {
            return None;
        }
        *self.examples.y.get_mut(at)? = label;
        let before = self.numbers.losses[0];
        self.transformer = ConstructedTransformer::new(&self.plan, &self.examples);
        self.changed = Some(self.begin_changed());
        self.advance_changed();
        self.example = at;
        self.refresh(f64::NEG_INFINITY);
        let [before, after] = [before, self.numbers.losses[0]].map(|loss| format_decimal(loss as f32));
        Some(tr!(
            "Point {number} is at {label}. After {steps} steps of gradient descent the loss is {after}; before the move it was {before}.",
            number = at + 1,
            label = format_label(label),
            steps = format_thousands(self.step()),
            after,
            before
        ))
    }

    /// Shows the points and the weights of the run again.
    fn restore_points(&mut self) -> Option<String> {
        self.changed.take()?;
        self.examples = self.original.clone();
        self.transformer = ConstructedTransformer::new(&self.plan, &self.examples);
        self.refresh(f64::NEG_INFINITY);
        let loss = format_decimal(self.numbers.losses[0] as f32);
        Some(tr!("All points are as in the run again. The loss is {loss}.", loss))
    }

    /// Sentence on the loss after a layer of the next step, counted from 0.
    fn describe_layer(&self, layer: usize) -> String {
        let heading = layer_heading(self.plan.network.layer_count(), layer + 1);
        let [loss, _, next] = self.numbers.losses.map(|loss| format_decimal(loss as f32));
        match self.has_moved_weights(layer) {
            true => {
                tr!("{heading}. The loss was {loss} before this step; now it is {next}.", heading, loss, next)
            }
            false => tr!(
                "{heading}. The weights have not changed yet, and the loss is still {loss}.",
                heading,
                loss
            ),
        }
    }

    /// Whether the picture shows both descents after one more step, because the user has chosen a layer that changes the
    /// weights.
    fn is_after_step(&self) -> bool {
        self.layer.is_some_and(|layer| self.has_moved_weights(layer))
    }

    /// The curves of the weights in the tokens and of direct gradient descent, after the same number of steps.
    fn shown_curves(&self) -> [&[f64]; 2] {
        let numbers = &self.numbers;
        match self.is_after_step() {
            true => [&numbers.next_curve, &numbers.direct_next_curve],
            false => [&numbers.curve, &numbers.direct_curve],
        }
    }

    /// Outputs of the network in the tokens at the inputs of the examples, which are on the shown curve.
    fn shown_outputs(&self) -> &[f64] {
        if self.is_after_step() { &self.numbers.next_outputs } else { &self.numbers.outputs }
    }

    /// Losses of the weights in the tokens and of direct gradient descent, after the same number of steps.
    fn shown_losses(&self) -> [f64; 2] {
        let [loss, direct, next] = self.numbers.losses;
        if self.is_after_step() { [next, self.numbers.direct_next_loss] } else { [loss, direct] }
    }

    /// Whether the weights have changed after a layer of a step, counted from 0: the last two layers move and bound them.
    fn has_moved_weights(&self, layer: usize) -> bool {
        layer + 2 >= self.layer_count()
    }
}

/// Input and label of an example.
fn point_of(examples: &DescentExamples, at: usize) -> [f64; 2] {
    [examples.input(at), examples.label(at)].map(|numbers| numbers.first().copied().unwrap_or(0.0))
}

/// A label with three significant digits, 0 without decimals.
fn format_label(label: f64) -> String {
    if label == 0.0 { "0".into() } else { format_significant(label) }
}

impl Hero for DescentHero {
    fn set_weights(&mut self, progress: StageProgress, weights: &[Vec<f32>], now_ms: f64) {
        let [tokens, direct, single, measured] = weights else { return };
        let run = ComparisonState::from_tensors([tokens, direct, single, measured].map(Vec::as_slice));
        if run.tokens.len() != self.start.len() || run.direct.len() != self.start.len() {
            return;
        }
        (self.run, self.progress) = (run, progress);
        self.advance_changed();
        self.refresh(now_ms);
    }

    fn show_next_example(&mut self, now_ms: f64) {
        self.example = (self.example + 1) % self.examples.len().max(1);
        self.advance_changed();
        self.refresh(now_ms);
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        if key == "restore" {
            return if touch == Touch::Press { self.restore_points() } else { None };
        }
        if let Some(layer) = key.strip_prefix("layer-") {
            let layer = layer.parse::<usize>().ok().filter(|layer| *layer < self.layer_count())?;
            if touch != Touch::Press {
                return None;
            }
            if self.layer == Some(layer) {
                self.layer = None;
                return Some(tr!("All layers are shown one after another.").into());
            }
            self.layer = Some(layer);
            return Some(self.describe_layer(layer));
        }
        let at = key.strip_prefix("point-")?.parse::<usize>().ok().filter(|at| *at < self.examples.len())?;
        let label = match touch {
            Touch::Drag(to) => picture::label_at(self, frame, to),
            Touch::Nudge { y, fine, .. } if y != 0.0 => {
                let step = self.frame.max_y / PRESSES / if fine { FINE_PRESSES } else { 1.0 };
                point_of(&self.examples, at)[1] - f64::from(y) * step
            }
            Touch::Nudge { .. } | Touch::Press => return None,
        };
        self.move_point(at, label)
    }

    fn scene(&self, frame: &Frame) -> Scene {
        picture::draw(self, frame)
    }

    fn has_diverged(&self) -> bool {
        !self.numbers.losses[0].is_finite()
    }

    fn own_headline(&self) -> String {
        let (layers, loss) = (self.layer_count() as u64, self.numbers.losses[0]);
        let all = format_thousands(self.step().saturating_mul(layers));
        if self.progress.has_ended && self.changed.is_none() && self.run.tokens == self.start {
            return tr!("The curve has not moved in {all} layers. Drag a point.", all);
        }
        match self.progress.has_ended && self.changed.is_none() && loss < 0.9 * self.start_loss {
            true => tr!("{all} layers have bent the curve to the points. Drag one: the curve follows.", all),
            false => {
                tr!("{layers} layers of a transformer do one step of gradient descent. Drag a point.", layers)
            }
        }
    }

    fn own_description(&self) -> String {
        let (step, all) = (format_thousands(self.step()), format_thousands(self.spec.run.steps));
        let [loss, direct, _] = self.numbers.losses.map(|loss| format_decimal(loss as f32));
        let start = format_decimal(self.loss_at_start() as f32);
        let [x, label] = match self.example < self.examples.len() {
            true => point_of(&self.examples, self.example).map(format_label),
            false => return String::new(),
        };
        let output = self.numbers.outputs.get(self.example).copied().unwrap_or(f64::NAN);
        tr!(
            "Step {step} of {all}. The loss of the weights in the tokens is {loss}; at the start it was {start}. With ordinary gradient descent it is {direct}. Example {number}: x is {x}, the label is {label}, and the network gives {output}.",
            step,
            all,
            loss,
            start,
            direct,
            number = self.example + 1,
            x,
            label,
            output = format_label(output)
        )
    }
}

#[cfg(test)]
mod tests;
