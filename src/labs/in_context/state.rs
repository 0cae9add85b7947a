//! The page's state of a run on prompts of points: the parameters of the first network, the prompt that is shown, and
//! R² of the baselines.
//!
//! # Why
//! Baselines are measured once for each distribution of prompts, in slices of [`PAGE_SLICE_OPERATIONS`], here and not
//! in the worker: they do not depend on the network, and the previous run may have had the same prompts. Predictions of
//! the network for many inputs are computed in slices too.
//!
//! The user may multiply the inputs by a factor, to test the network out of distribution. Then the baselines are
//! measured again on such prompts, and so is the network, which the worker measures only on the prompts of the run.

use super::baselines::{self, BaselineCurve, BaselineEvaluator};
use super::probes::curve::R2Curve;
use super::probes::measured::R2Measurement;
use super::sweep_regression::SweepRegression;
use super::weights::{self, PARAMETERS, forward_operations, require_small};
use vivarium_core::bounds::PAGE_SLICE_OPERATIONS;
use vivarium_model::models::in_context_transformer::{Head, Plain};
use vivarium_model::permalink::{Link, ViewSettings};
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_science::functions::FunctionPrompts;
use vivarium_science::functions::baselines::{Baseline, FittedBaseline, TRAINING_EPOCHS};
use vivarium_view::display::{LabState, WorkProgress};

/// Maximum number of operations, approximately counted, for training a baseline network on the held-out prompt that the
/// page shows; a more expensive training is left out, and the baseline has no prediction.
const MAX_TRAINING_OPERATIONS: u64 = 2 * PAGE_SLICE_OPERATIONS;
/// Number of x values at which the curves of target function and predictions are computed for the held-out prompt
/// shown.
const CURVE_POINTS: usize = 37;
/// The x range of the curves of a prompt extends beyond its smallest and largest input by this fraction of their
/// distance.
const X_MARGIN: f64 = 0.08;

/// The held-out prompt that the page shows, and the predictions of network and baselines for it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InspectedPrompt {
    /// Number of the prompt among the held-out prompts of the run, from 1.
    pub prompt_number: usize,
    /// The prompt as one row: inputs `[points, input_size]`, then labels `[points]`.
    pub row: Vec<f32>,
    /// Count of numbers that the network reads for one input, including the constant coordinate 1 if there is one.
    pub input_size: usize,
    /// Count of numbers in one input x, without the constant coordinate 1.
    pub dim: usize,
    /// The network's prediction of the label of each point of the prompt, from the points before it; empty until
    /// computed.
    pub predictions: Vec<f64>,
    /// The network's attention heads, layer by layer, each with its attention weights on the prompt; empty until
    /// computed.
    pub heads: Vec<Head>,
    /// Number of the prompt's first points that are shown as examples; the point after them is the query.
    pub shown_count: usize,
    /// Pairs of a baseline and its prediction of the query's label from the examples shown.
    pub baseline_predictions: Vec<(Baseline, f64)>,
    /// Whether the baselines lack a network trained on this prompt, because training would take too long.
    pub lacks_own: bool,
    /// Target function and predictions as curves over x; none if inputs have more than one number.
    pub curves: Option<PromptCurves>,
}

/// The target function of one prompt, and the predictions by network and baselines, as curves over x.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PromptCurves {
    /// The x values, increasing, at which the curves are computed.
    pub positions: Vec<f64>,
    /// The value of the prompt's target function, without noise, at each x in `positions`.
    pub target: Vec<f64>,
    /// The network's prediction for a query at each x in `positions`, after the examples shown; NaN until computed.
    pub network: Vec<f64>,
    /// Pairs of a baseline and its predictions for a query at each x in `positions`, after the examples shown.
    pub baselines: Vec<(Baseline, Vec<f64>)>,
}

impl InspectedPrompt {
    /// The number of points (inputs with labels) of the prompt shown, including the query.
    pub fn point_count(&self) -> usize {
        self.row.len() / (self.input_size + 1)
    }

    /// The input of the prompt's point `at`, from 0, without the constant coordinate; empty for a point that the prompt
    /// does not have, as while the page still shows the table of a longer prompt.
    pub fn input(&self, at: usize) -> &[f32] {
        self.row.get(at * self.input_size..at * self.input_size + self.dim).unwrap_or_default()
    }

    /// The label of the prompt's point `at`, from 0; NaN for a point that the prompt does not have.
    pub fn label(&self, at: usize) -> f64 {
        self.row.get(self.point_count() * self.input_size + at).map_or(f64::NAN, |y| f64::from(*y))
    }

    /// The network's prediction of the label of the prompt's point `at`, from 0, from the points before it; NaN until
    /// computed.
    pub fn prediction(&self, at: usize) -> f64 {
        self.predictions.get(at).copied().unwrap_or(f64::NAN)
    }

    /// A prompt of the first `examples` points of the prompt shown and the query input `x`, as one row for the network;
    /// the query's label is set to 0 and not read.
    fn query_row(&self, examples: usize, x: &[f32]) -> Vec<f32> {
        let labels = self.point_count() * self.input_size;
        [&self.row[..examples * self.input_size], x, &self.row[labels..][..examples], &[0.0]].concat()
    }
}

/// Job that computes, in slices, the network's predictions over x for the held-out prompt that the page shows.
#[derive(Clone)]
struct CurveJob {
    /// The network that is evaluated, with the parameters at the start of the job.
    network: Plain,
    /// The network's predictions so far, one for each x in increasing order.
    predictions: Vec<f64>,
    /// Approximate number of operations of the forward pass that predicts the label at one x.
    operations_per_point: f64,
    /// Whether newer parameters of the network have arrived since the job began, so that it must run again.
    is_stale: bool,
}

/// R² of the first replica's network on held-out prompts whose inputs are multiplied by the view's factor, measured by
/// the page.
#[derive(Clone, Default)]
struct ScaledMeasurement {
    /// The measurement of R² in progress; none while no measurement is in progress.
    measurement: Option<R2Measurement>,
    /// R² of the network by number of examples in the prompt, from the latest completed measurement; none before the
    /// first one.
    curve: Option<R2Curve>,
    /// Whether newer parameters of the network have arrived since the measurement began, so that it must run again.
    is_stale: bool,
}

/// The page's state of a run on prompts of points, for its first replica.
#[derive(Clone)]
pub struct InContextState {
    /// The distribution of the held-out prompts, with inputs multiplied by the view's factor.
    pub prompts: FunctionPrompts,
    /// The latest parameters of the first replica's network, one vector per parameter tensor in the model's order;
    /// empty if there are too many for the page.
    pub parameters: Vec<Vec<f32>>,
    /// Training step at which the network's `parameters` were read.
    pub step: u64,
    /// For each baseline measured so far, R² on held-out prompts by number of examples in the prompt.
    pub baseline_curves: Vec<BaselineCurve>,
    /// The held-out prompt that the page shows, with the predictions for it.
    pub inspected: InspectedPrompt,
    /// Settings of the run whose state this is.
    spec: RunSpec,
    /// Measurement of R² of the baselines on held-out prompts, in progress or finished.
    evaluator: BaselineEvaluator,
    /// Computation of the network's predictions over x for the prompt shown, in progress; none while no computation is
    /// in progress.
    curve_job: Option<CurveJob>,
    /// R² of the network on held-out prompts whose inputs are multiplied by the view's factor.
    scaled: ScaledMeasurement,
    /// R² of a linear baseline on the prompts of each run of a sweep; none unless a setting of the prompts is swept.
    pub sweep_regression: Option<SweepRegression>,
    /// Number of calls of `continue_work` so far; from call to call, work on the network and work on the baselines take
    /// turns.
    turn_count: u64,
}

/// The distribution of the held-out prompts of a run, with inputs multiplied by the view's factor; none for tasks
/// without prompts of points.
fn scaled_prompts(spec: &RunSpec, view: &ViewSettings) -> Option<FunctionPrompts> {
    let prompts = spec.task.data().function_prompts()?;
    Some(FunctionPrompts { test_scale: prompts.test_scale * view.in_context.shift, ..prompts })
}

impl InContextState {
    /// The state of a run before its first training step; none for tasks without prompts of points. If the state
    /// `before` of the previous run has the same held-out prompts, its measurements of the baselines are kept, and so
    /// is the linear baseline of the same sweep.
    pub fn from_spec(spec: &RunSpec, link: &Link, before: Option<&InContextState>) -> Option<Self> {
        let prompts = scaled_prompts(spec, &link.view)?;
        let same = |old: &&InContextState| old.prompts == prompts && old.spec.run.seed == spec.run.seed;
        let (judged, judging) = match before.filter(same) {
            Some(old) => (old.baseline_curves.clone(), old.evaluator.clone()),
            None => (vec![], BaselineEvaluator::new(&prompts, spec.run.seed)),
        };
        let mut state = InContextState {
            parameters: if require_small(spec).is_ok() && spec.can_page_initialize() {
                spec.initialize_replicas(1)
            } else {
                vec![]
            },
            step: 0,
            inspected: InspectedPrompt::default(),
            spec: spec.clone(),
            curve_job: None,
            scaled: ScaledMeasurement::default(),
            sweep_regression: before
                .and_then(|old| old.sweep_regression.clone().filter(|across| across.is_for(&link.spec)))
                .or_else(|| SweepRegression::from_spec(&link.spec)),
            turn_count: 0,
            prompts,
            baseline_curves: judged,
            evaluator: judging,
        };
        state.update_inspected(&link.view);
        Some(state)
    }

    /// The maximum number of examples that the view can show: all points of the longest held-out prompt except the
    /// query.
    pub fn max_shown(&self) -> usize {
        self.prompts.max_points().saturating_sub(1).max(1)
    }

    /// The number of examples of the prompt that the view selects by its field `place`, where 0 stands for all; the
    /// point after them is the query.
    pub fn shown_count(&self, view: &ViewSettings) -> usize {
        let most = self.max_shown();
        if view.place == 0 { most } else { view.place.min(most) }
    }

    /// R² of a baseline on held-out prompts by number of examples; none if it has not been measured.
    pub fn baseline_curve(&self, baseline: Baseline) -> Option<&BaselineCurve> {
        self.baseline_curves.iter().find(|judged| judged.baseline == baseline)
    }

    /// Whether the view multiplies inputs by a factor, so that measurements on the run's own prompts do not apply.
    pub fn has_scaled_inputs(view: &ViewSettings) -> bool {
        view.in_context.shift != 1.0
    }

    /// R² of the first replica's network on held-out prompts with [scaled inputs](InContextState::has_scaled_inputs),
    /// by number of examples, from the latest completed measurement; none before the first one.
    pub fn scaled_curve(&self) -> Option<&R2Curve> {
        self.scaled.curve.as_ref()
    }

    /// The first replica's network with the latest parameters; none if the page does not have the parameters.
    fn network(&self) -> Option<Plain> {
        if self.parameters.is_empty() {
            return None;
        }
        let slices: Vec<&[f32]> = self.parameters.iter().map(Vec::as_slice).collect();
        Some(weights::points_network(&self.spec)?.plain(&slices))
    }

    /// Predictions for the prompt shown of a network other than the in-context transformer, which reads prompts of the training length
    /// alone; empty for prompts of another length, without parameters, and for a network that is too large.
    fn predict_training_length(&self) -> Vec<f64> {
        let (row, is_small) = (&self.inspected.row, require_small(&self.spec).is_ok());
        if self.parameters.is_empty() || !is_small || row.len() != self.prompts.row_len() {
            return vec![];
        }
        let slices: Vec<&[f32]> = self.parameters.iter().map(Vec::as_slice).collect();
        let inputs = self.spec.task.examples().inputs();
        self.spec.network().evaluate(&slices, inputs, row, 0).into_iter().map(f64::from).collect()
    }

    /// Updates the held-out prompt shown and the predictions for it to the view and the latest parameters, and starts
    /// the computation of the network's predictions over x.
    fn update_inspected(&mut self, view: &ViewSettings) {
        if let Some(prompts) = scaled_prompts(&self.spec, view).filter(|prompts| *prompts != self.prompts) {
            self.evaluator = BaselineEvaluator::new(&prompts, self.spec.run.seed);
            (self.baseline_curves, self.scaled) = (vec![], ScaledMeasurement::default());
            (self.prompts, self.inspected) = (prompts, InspectedPrompt::default());
        }
        let (example, shown) = (view.example.max(1), self.shown_count(view));
        if self.inspected.prompt_number != example || self.inspected.shown_count != shown {
            self.inspect(example, shown);
        }
        let network = self.network();
        if InContextState::has_scaled_inputs(view) {
            // A measurement is completed before the next one starts.
            self.scaled.is_stale = self.scaled.measurement.is_some();
            if !self.scaled.is_stale {
                self.start_measurement(network.clone());
            }
        }
        let look = network.as_ref().map(|network| network.look(&self.inspected.row));
        (self.inspected.predictions, self.inspected.heads) = match look {
            Some(look) => (look.outputs, look.heads),
            None => (self.predict_training_length(), vec![]),
        };
        match &mut self.curve_job {
            // The job is completed before the next one starts: the network may change faster than a curve is computed.
            Some(making) => making.is_stale = true,
            None => self.start_curve(network),
        }
    }

    /// Loads the held-out prompt with number `example`, from 1, with its first `shown` points as examples, and computes
    /// the predictions of the baselines for it.
    fn inspect(&mut self, example: usize, shown: usize) {
        let (prompts, seed) = (&self.prompts, self.spec.run.seed);
        let (inputs, dim, mut row) = (prompts.inputs(), prompts.dim, vec![]);
        prompts.append_held_out_prompts(seed, prompts.max_points(), example - 1..example, &mut row);
        let (x, y) = prompts.split_row(&row);
        let wide = |numbers: &[f32]| numbers.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
        let (x, y) = (wide(x), wide(&y[..shown]));
        let (seen, asked) = (&x[..shown * inputs], &x[shown * inputs..][..inputs]);
        let is_quick = |of: &Baseline| {
            !of.is_trained() || baselines::training_operations(prompts, shown) <= MAX_TRAINING_OPERATIONS
        };
        let (all, slow): (Vec<Baseline>, Vec<Baseline>) = baselines::applicable_baselines(prompts)
            .into_iter()
            .filter(|of| !of.uses_query_labels())
            .partition(is_quick);
        let fit = |of: Baseline| (of, of.fit(prompts, (seed, example - 1), seen, &y, TRAINING_EPOCHS));
        let fitted: Vec<(Baseline, FittedBaseline)> = all.into_iter().map(fit).collect();
        let drawn = (dim == 1).then(|| {
            let places = curve_positions(x.iter().step_by(inputs).copied());
            let at = |x: f64| if prompts.constant { vec![x, 1.0] } else { vec![x] };
            let truth = prompts.held_out_function(seed, example - 1);
            PromptCurves {
                target: places.iter().map(|x| truth.evaluate(&at(*x))).collect(),
                network: vec![f64::NAN; places.len()],
                baselines: fitted
                    .iter()
                    .map(|(of, fitted)| (*of, places.iter().map(|x| fitted.predict(&at(*x))).collect()))
                    .collect(),
                positions: places,
            }
        });
        let others = fitted.iter().map(|(of, fitted)| (*of, fitted.predict(asked))).collect();
        let is_left_out = !slow.is_empty();
        self.inspected = InspectedPrompt {
            prompt_number: example,
            row,
            input_size: inputs,
            dim,
            shown_count: shown,
            baseline_predictions: others,
            lacks_own: is_left_out,
            curves: drawn,
            ..InspectedPrompt::default()
        };
        self.curve_job = None;
    }

    /// Starts the measurement of R² of `network`, if there is one, on held-out prompts whose inputs are multiplied by
    /// the view's factor.
    fn start_measurement(&mut self, network: Option<Plain>) {
        let of = |network| R2Measurement::new(&self.spec, self.prompts.clone(), network);
        self.scaled.measurement = network.map(of);
    }

    /// Continues the measurement of R² on held-out prompts with multiplied inputs by about this many operations; true
    /// when it has just been finished.
    fn advance_measurement(&mut self, operations: u64) -> bool {
        let Some(measurement) = &mut self.scaled.measurement else { return false };
        if !measurement.advance(operations as f64) {
            return false;
        }
        self.scaled.curve = Some(measurement.r2_curve_of_read_prompts());
        self.scaled.measurement = None;
        if std::mem::take(&mut self.scaled.is_stale) {
            let network = self.network();
            self.start_measurement(network);
        }
        true
    }

    /// Starts the computation of the predictions of `network` over x for the prompt shown, if there is a network and
    /// inputs have one number.
    fn start_curve(&mut self, network: Option<Plain>) {
        let each = forward_operations(&self.spec, self.inspected.shown_count + 1);
        let network = network.filter(|_| self.inspected.curves.is_some());
        self.curve_job = network.map(|network| CurveJob {
            network,
            predictions: vec![],
            operations_per_point: each,
            is_stale: false,
        });
    }

    /// Continues the computation of the network's predictions over x by about this many operations; true when it has
    /// just been finished.
    fn advance_curve(&mut self, operations: u64) -> bool {
        let (Some(making), Some(drawn)) = (&mut self.curve_job, &self.inspected.curves) else { return false };
        let portion = ((operations as f64 / making.operations_per_point) as usize).max(1);
        let begin = making.predictions.len();
        for x in drawn.positions.iter().skip(begin).take(portion) {
            let mut input = vec![*x as f32];
            input.resize(self.inspected.input_size, 1.0);
            let outputs =
                making.network.outputs(&self.inspected.query_row(self.inspected.shown_count, &input));
            making.predictions.push(outputs.last().copied().unwrap_or(f64::NAN));
        }
        if making.predictions.len() < drawn.positions.len() {
            return false;
        }
        let Some(CurveJob { predictions: made, is_stale, .. }) = self.curve_job.take() else { return false };
        if let Some(drawn) = &mut self.inspected.curves {
            drawn.network = made;
        }
        if is_stale {
            let network = self.network();
            self.start_curve(network);
        }
        true
    }
}

/// Evenly spaced x values for curves, from slightly below the smallest of the inputs `x` to slightly above the largest.
fn curve_positions(x: impl Iterator<Item = f64>) -> Vec<f64> {
    let (low, high) = x.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let beyond = X_MARGIN * (high - low).max(1e-3);
    let (low, high) = (low - beyond, high + beyond);
    (0..CURVE_POINTS).map(|at| low + (high - low) * at as f64 / (CURVE_POINTS - 1) as f64).collect()
}

impl LabState for InContextState {
    fn clone_boxed(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn continue_work(&mut self, operations: u64) -> WorkProgress {
        self.turn_count += 1;
        let is_turn = self.evaluator.is_done() || self.turn_count.is_multiple_of(2);
        // A curve takes less time than a measurement.
        if self.curve_job.is_some() && is_turn {
            return if self.advance_curve(operations) {
                WorkProgress::Updated
            } else {
                WorkProgress::Continuing
            };
        }
        if self.scaled.measurement.is_some() && is_turn {
            return if self.advance_measurement(operations) {
                WorkProgress::Updated
            } else {
                WorkProgress::Continuing
            };
        }
        match self.evaluator.advance(operations) {
            Some(judged) => {
                self.baseline_curves.extend(judged);
                return WorkProgress::Updated;
            }
            None if !self.evaluator.is_done() => return WorkProgress::Continuing,
            None => {}
        }
        if self.sweep_regression.as_mut().is_some_and(|across| across.advance(operations)) {
            return WorkProgress::Updated;
        }
        if self.is_busy() { WorkProgress::Continuing } else { WorkProgress::Done }
    }

    fn is_busy(&self) -> bool {
        self.curve_job.is_some()
            || self.scaled.measurement.is_some()
            || !self.evaluator.is_done()
            || self.sweep_regression.as_ref().is_some_and(|across| !across.is_done())
    }

    fn add_finding(&mut self, step: u64, finding: &ProbeResult, link: &Link) {
        if let Some(parameters) = PARAMETERS.parameters(&self.spec, finding) {
            (self.parameters, self.step) = (parameters, step);
            self.update_inspected(&link.view);
        }
    }

    fn recompute_view(&mut self, link: &Link) {
        self.update_inspected(&link.view);
    }
}
