//! What the page knows of a run on prompts of points: the parameters of the first network, the prompt that is looked into,
//! and how well methods do that see one prompt alone.
//!
//! # Why
//! Methods are measured once for each kind of prompts, in parts of [`SLICE`], here and not in the worker: they know nothing
//! of the network, and the run before may have had the same prompts. What the network makes of many inputs is made in parts
//! too.
//!
//! A person may multiply the inputs by a number, to see what a network that was trained on other inputs makes of them. Then
//! methods are measured anew on such prompts, and the network, which the worker measures on those of the run, is measured
//! here.

use super::across::Across;
use super::judge::{self, Judge, Judged};
use super::probes::curve::Curve;
use super::probes::measured::Measurement;
use super::weights::{self, PARAMETERS, forward, is_small};
use vivarium_core::bounds::SLICE;
use vivarium_model::models::in_context_transformer::{Head, Plain};
use vivarium_model::permalink::{Link, View};
use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_science::functions::FunctionPrompts;
use vivarium_science::functions::baselines::{Baseline, FittedBaseline, TRAINING_EPOCHS};
use vivarium_view::display::{LabState, Work};

/// Operations, roughly, that a network of the prompt's own may take at once, for the prompt that is looked into.
const MOST_TRAINING: u64 = 2 * SLICE;
/// Places at which functions of one number are drawn.
const PLACES: usize = 37;
/// How far they are drawn beyond the points, as a share of the distance of the outer points.
const BEYOND: f64 = 0.08;

/// The prompt that is looked into, and what the network makes of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inspected {
    /// Which held-out prompt it is, from 1.
    pub example: usize,
    /// All of it, as a row: inputs `[points, inputs]` and labels `[points]`.
    pub row: Vec<f32>,
    /// Numbers of an input with the constant, and without.
    pub inputs: usize,
    /// The same without the constant.
    pub dim: usize,
    /// What the network answers at each point, from the points before it; not a number as long as it is not known.
    pub answers: Vec<f64>,
    /// Its heads; empty as long as they are not known.
    pub heads: Vec<Head>,
    /// Examples that are shown; the point after them is asked.
    pub shown: usize,
    /// What methods predict for the point that is asked.
    pub others: Vec<(Baseline, f64)>,
    /// Whether a network of the prompt's own is not among them, because training it would take too long.
    pub is_left_out: bool,
    /// The functions, where inputs are one number.
    pub drawn: Option<Drawn>,
}

/// Functions of one number, at the same places.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drawn {
    /// The places, rising.
    pub places: Vec<f64>,
    /// The prompt's function.
    pub truth: Vec<f64>,
    /// What the network predicts after the examples shown; not a number as long as it is not known.
    pub network: Vec<f64>,
    /// What methods predict.
    pub others: Vec<(Baseline, Vec<f64>)>,
}

impl Inspected {
    /// Points of the prompt.
    pub fn points(&self) -> usize {
        self.row.len() / (self.inputs + 1)
    }

    /// The numbers of an input that were drawn; none of a point that the prompt does not have, as while a table of a longer
    /// one is still on the page.
    pub fn input(&self, at: usize) -> &[f32] {
        self.row.get(at * self.inputs..at * self.inputs + self.dim).unwrap_or_default()
    }

    /// A label; not a number of a point that the prompt does not have.
    pub fn label(&self, at: usize) -> f64 {
        self.row.get(self.points() * self.inputs + at).map_or(f64::NAN, |y| f64::from(*y))
    }

    /// What the network answers at a point.
    pub fn answer(&self, at: usize) -> f64 {
        self.answers.get(at).copied().unwrap_or(f64::NAN)
    }

    /// The first `examples` points and one more at `x`, as a row; the label of that one is not read.
    fn asked(&self, examples: usize, x: &[f32]) -> Vec<f32> {
        let labels = self.points() * self.inputs;
        [&self.row[..examples * self.inputs], x, &self.row[labels..][..examples], &[0.0]].concat()
    }
}

/// The network at the places of a drawing, in parts.
#[derive(Clone)]
struct Making {
    network: Plain,
    /// What it has predicted so far.
    made: Vec<f64>,
    /// Operations, roughly, of one place.
    each: f64,
    /// Whether the network has changed meanwhile.
    is_stale: bool,
}

/// The network on prompts whose inputs are multiplied by a number.
#[derive(Clone, Default)]
struct Shifted {
    /// The measurement on its way.
    measurement: Option<Measurement>,
    /// R² by number of examples, as newly as it is known.
    curve: Option<Curve>,
    /// Whether the network has changed since the measurement began.
    is_stale: bool,
}

/// What is known of a run on prompts of points.
#[derive(Clone)]
pub struct InContextState {
    /// Its held-out prompts, with inputs multiplied as the view wants it.
    pub prompts: FunctionPrompts,
    /// Parameters of the first network, as newly as they are known; none where they are too many for a page.
    pub parameters: Vec<Vec<f32>>,
    /// Steps made when they were read.
    pub step: u64,
    /// How well methods do that see one prompt alone, as far as it has been measured.
    pub judged: Vec<Judged>,
    /// What is looked into.
    pub inspected: Inspected,
    spec: RunSpec,
    judging: Judge,
    making: Option<Making>,
    shifted: Shifted,
    /// Linear regression on the prompts of every run, where prompts are swept.
    pub across: Option<Across>,
    /// Parts made so far: curves of the network and methods take turns.
    turns: u64,
}

/// The held-out prompts of a run, with inputs multiplied as the view wants it.
fn prompts_of(spec: &RunSpec, view: &View) -> Option<FunctionPrompts> {
    let prompts = spec.task.examples().function_prompts()?;
    Some(FunctionPrompts { test_scale: prompts.test_scale * view.shift, ..prompts })
}

impl InContextState {
    /// Of a run on prompts of points, before its first step; what does not change from the run `before` is taken from there.
    pub fn of(spec: &RunSpec, link: &Link, before: Option<&InContextState>) -> Option<Self> {
        let prompts = prompts_of(spec, &link.view)?;
        let same = |old: &&InContextState| old.prompts == prompts && old.spec.run.seed == spec.run.seed;
        let (judged, judging) = match before.filter(same) {
            Some(old) => (old.judged.clone(), old.judging.clone()),
            None => (vec![], Judge::new(&prompts, spec.run.seed)),
        };
        let mut state = InContextState {
            parameters: if is_small(spec).is_ok() && spec.is_drawn_at_once() {
                spec.initial_of(1)
            } else {
                vec![]
            },
            step: 0,
            inspected: Inspected::default(),
            spec: spec.clone(),
            making: None,
            shifted: Shifted::default(),
            across: before
                .and_then(|old| old.across.clone().filter(|across| across.is_of(&link.spec)))
                .or_else(|| Across::of(&link.spec)),
            turns: 0,
            prompts,
            judged,
            judging,
        };
        state.look_into(&link.view);
        Some(state)
    }

    /// Most examples of a prompt that can be shown: all points but the one that is asked.
    pub fn most_shown(&self) -> usize {
        self.prompts.max_points().saturating_sub(1).max(1)
    }

    /// Examples that are shown; the point after them is asked.
    pub fn shown(&self, view: &View) -> usize {
        let most = self.most_shown();
        if view.place == 0 { most } else { view.place.min(most) }
    }

    /// How well a method does, where that is known.
    pub fn judged(&self, baseline: Baseline) -> Option<&Judged> {
        self.judged.iter().find(|judged| judged.baseline == baseline)
    }

    /// Whether inputs are multiplied by a number, so that what is known of the run's own prompts does not hold here.
    pub fn is_shifted(view: &View) -> bool {
        view.shift != 1.0
    }

    /// R² of the network by number of examples where inputs are [multiplied by a number](InContextState::is_shifted), as
    /// newly as it is known.
    pub fn shifted(&self) -> Option<&Curve> {
        self.shifted.curve.as_ref()
    }

    /// The network with the parameters that are known now, if any are.
    fn network(&self) -> Option<Plain> {
        if self.parameters.is_empty() {
            return None;
        }
        let slices: Vec<&[f32]> = self.parameters.iter().map(Vec::as_slice).collect();
        Some(weights::network(&self.spec)?.plain(&slices))
    }

    /// Has the prompt of the view looked into, the network's curve in parts.
    fn look_into(&mut self, view: &View) {
        if let Some(prompts) = prompts_of(&self.spec, view).filter(|prompts| *prompts != self.prompts) {
            self.judging = Judge::new(&prompts, self.spec.run.seed);
            (self.judged, self.shifted) = (vec![], Shifted::default());
            (self.prompts, self.inspected) = (prompts, Inspected::default());
        }
        let (example, shown) = (view.example.max(1), self.shown(view));
        if self.inspected.example != example || self.inspected.shown != shown {
            self.show(example, shown);
        }
        let network = self.network();
        if InContextState::is_shifted(view) {
            // A measurement comes to its end before it begins anew, as a curve does.
            self.shifted.is_stale = self.shifted.measurement.is_some();
            if !self.shifted.is_stale {
                self.measure(network.clone());
            }
        }
        let look = network.as_ref().map(|network| network.look(&self.inspected.row));
        (self.inspected.answers, self.inspected.heads) =
            look.map_or((vec![], vec![]), |look| (look.outputs, look.heads));
        match &mut self.making {
            // It comes to an end before it begins anew: a network may be quicker to change than a curve to be made.
            Some(making) => making.is_stale = true,
            None => self.make(network),
        }
    }

    /// Has another prompt, or another number of its examples, on show, as far as no network is needed.
    fn show(&mut self, example: usize, shown: usize) {
        let (prompts, seed) = (&self.prompts, self.spec.run.seed);
        let (inputs, dim, mut row) = (prompts.inputs(), prompts.dim, vec![]);
        prompts.append_held_out_prompts(seed, prompts.max_points(), example - 1..example, &mut row);
        let (x, y) = prompts.split_row(&row);
        let wide = |numbers: &[f32]| numbers.iter().map(|x| f64::from(*x)).collect::<Vec<f64>>();
        let (x, y) = (wide(x), wide(&y[..shown]));
        let (seen, asked) = (&x[..shown * inputs], &x[shown * inputs..][..inputs]);
        let is_quick = |of: &Baseline| !of.is_trained() || judge::training(prompts, shown) <= MOST_TRAINING;
        let (all, slow): (Vec<Baseline>, Vec<Baseline>) =
            judge::methods(prompts).into_iter().filter(|of| !of.uses_query_labels()).partition(is_quick);
        let fit = |of: Baseline| (of, of.fit(prompts, (seed, example - 1), seen, &y, TRAINING_EPOCHS));
        let fitted: Vec<(Baseline, FittedBaseline)> = all.into_iter().map(fit).collect();
        let drawn = (dim == 1).then(|| {
            let places = places(x.iter().step_by(inputs).copied());
            let at = |x: f64| if prompts.constant { vec![x, 1.0] } else { vec![x] };
            let truth = prompts.held_out_function(seed, example - 1);
            Drawn {
                truth: places.iter().map(|x| truth.evaluate(&at(*x))).collect(),
                network: vec![f64::NAN; places.len()],
                others: fitted
                    .iter()
                    .map(|(of, fitted)| (*of, places.iter().map(|x| fitted.predict(&at(*x))).collect()))
                    .collect(),
                places,
            }
        });
        let others = fitted.iter().map(|(of, fitted)| (*of, fitted.predict(asked))).collect();
        let is_left_out = !slow.is_empty();
        self.inspected = Inspected {
            example,
            row,
            inputs,
            dim,
            shown,
            others,
            is_left_out,
            drawn,
            ..Inspected::default()
        };
        self.making = None;
    }

    /// Begins to measure the network on prompts whose inputs are multiplied, where it is known.
    fn measure(&mut self, network: Option<Plain>) {
        let of = |network| Measurement::new(&self.spec, self.prompts.clone(), network);
        self.shifted.measurement = network.map(of);
    }

    /// Goes on measuring; whether all of it is there now.
    fn go_on_measuring(&mut self, operations: u64) -> bool {
        let Some(measurement) = &mut self.shifted.measurement else { return false };
        if !measurement.advance(operations as f64) {
            return false;
        }
        self.shifted.curve = Some(measurement.own_curve());
        self.shifted.measurement = None;
        if std::mem::take(&mut self.shifted.is_stale) {
            let network = self.network();
            self.measure(network);
        }
        true
    }

    /// Begins to draw what the network predicts, where that is drawn and known.
    fn make(&mut self, network: Option<Plain>) {
        let each = forward(&self.spec, self.inspected.shown + 1);
        let network = network.filter(|_| self.inspected.drawn.is_some());
        self.making = network.map(|network| Making { network, made: vec![], each, is_stale: false });
    }

    /// Goes on drawing what the network predicts; whether all of it is there now.
    fn go_on_making(&mut self, operations: u64) -> bool {
        let (Some(making), Some(drawn)) = (&mut self.making, &self.inspected.drawn) else { return false };
        let portion = ((operations as f64 / making.each) as usize).max(1);
        let begin = making.made.len();
        for x in drawn.places.iter().skip(begin).take(portion) {
            let mut input = vec![*x as f32];
            input.resize(self.inspected.inputs, 1.0);
            let outputs = making.network.outputs(&self.inspected.asked(self.inspected.shown, &input));
            making.made.push(outputs.last().copied().unwrap_or(f64::NAN));
        }
        if making.made.len() < drawn.places.len() {
            return false;
        }
        let Some(Making { made, is_stale, .. }) = self.making.take() else { return false };
        if let Some(drawn) = &mut self.inspected.drawn {
            drawn.network = made;
        }
        if is_stale {
            let network = self.network();
            self.make(network);
        }
        true
    }
}

/// Places at which functions are drawn: even, from the least of these inputs to the largest and a little beyond.
fn places(x: impl Iterator<Item = f64>) -> Vec<f64> {
    let (low, high) = x.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let beyond = BEYOND * (high - low).max(1e-3);
    let (low, high) = (low - beyond, high + beyond);
    (0..PLACES).map(|at| low + (high - low) * at as f64 / (PLACES - 1) as f64).collect()
}

impl LabState for InContextState {
    fn cloned(&self) -> Box<dyn LabState> {
        Box::new(self.clone())
    }

    fn work(&mut self, operations: u64) -> Work {
        self.turns += 1;
        let is_turn = self.judging.is_done() || self.turns.is_multiple_of(2);
        // A curve is there sooner than a measurement.
        if self.making.is_some() && is_turn {
            return if self.go_on_making(operations) { Work::News } else { Work::GoesOn };
        }
        if self.shifted.measurement.is_some() && is_turn {
            return if self.go_on_measuring(operations) { Work::News } else { Work::GoesOn };
        }
        match self.judging.advance(operations) {
            Some(judged) => {
                self.judged.extend(judged);
                return Work::News;
            }
            None if !self.judging.is_done() => return Work::GoesOn,
            None => {}
        }
        if self.across.as_mut().is_some_and(|across| across.advance(operations)) {
            return Work::News;
        }
        if self.is_busy() { Work::GoesOn } else { Work::Done }
    }

    fn is_busy(&self) -> bool {
        self.making.is_some()
            || self.shifted.measurement.is_some()
            || !self.judging.is_done()
            || self.across.as_ref().is_some_and(|across| !across.is_done())
    }

    fn found(&mut self, step: u64, finding: &Finding, link: &Link) {
        if let Some(parameters) = PARAMETERS.parameters(&self.spec, finding) {
            (self.parameters, self.step) = (parameters, step);
            self.look_into(&link.view);
        }
    }

    fn look_anew(&mut self, link: &Link) {
        self.look_into(&link.view);
    }
}
