//! The picture of a network that learns in context: the examples of one prompt as points that can be dragged, the
//! network's prediction for every query as a curve, and the predictions of methods that are fitted to the same examples.
//!
//! If inputs have several numbers, the curves are drawn over the first of them, and the others are those of the query.

mod picture;
mod prompt_reader;

use super::baselines::{applicable_baselines, training_operations};
use super::weights::points_network;
use prompt_reader::PromptReader;
use vivarium_model::models::in_context_transformer::OnPoints;
use vivarium_model::run::RunSpec;
use vivarium_plot::scene::Scene;
use vivarium_science::functions::baselines::{Baseline, TRAINING_EPOCHS};
use vivarium_science::functions::{FunctionPrompts, InputDistribution, PromptFunction};
use vivarium_view::display::hero::{Frame, Hero, StageProgress, Touch};
use vivarium_view::display::words::{MISSING, format_signed, format_thousands, join_list};

/// Time in which an example is shown while nobody touches the picture, in milliseconds.
const EXAMPLE_MS: f64 = 2_000.0;

/// Largest number of examples in the picture.
const MAX_EXAMPLES: usize = 16;
/// Number of held-out prompts that are shown one after the other.
const PROMPTS: usize = 64;
/// Number of examples that are added to the prompt while nobody touches the picture.
const EXAMPLES_PER_STEP: usize = 2;
/// Largest number of parameters of a network of which a picture is drawn: a curve takes about 50 times as many
/// multiplications.
const MAX_PARAMETERS: u64 = 1 << 17;
/// Smallest and largest number of x values at which curves are computed.
const POSITION_COUNTS: (usize, usize) = (17, 49);
/// Approximate number of multiplications for the network's curve, without its examples; it sets the number of x values.
const MAX_CURVE_OPERATIONS: u64 = 1 << 20;
/// Approximate number of operations for training a network on the examples; if it takes more, this method is left out.
const MAX_TRAINING_OPERATIONS: u64 = 1 << 21;
/// Number of held-out prompts whose labels set the range of the vertical axis.
const LABEL_PROMPTS: usize = 8;
/// Part of half an axis by which an arrow key moves a point, and the part with Shift.
const NUDGE: (f64, f64) = (0.04, 0.004);

/// The run's transformer with the distribution of its prompts, if the picture can be drawn: a transformer on prompts of
/// points that is small enough for a curve at each frame.
fn drawable_network(spec: &RunSpec) -> Option<OnPoints> {
    let network = points_network(spec)?;
    let numbers = spec.architecture().numbers(spec.task.examples().inputs(), 1);
    let is_small = numbers <= MAX_PARAMETERS && crate::parameters::check_is_small(spec).is_ok();
    (is_small && network.prompts.max_points() >= 2).then_some(network)
}

/// Whether the lab has a picture of the run.
pub fn has_hero(spec: &RunSpec) -> bool {
    drawable_network(spec).is_some()
}

/// The picture of a run; `None` if the lab has none for its network.
pub fn new_hero(spec: &RunSpec) -> Option<Box<dyn Hero>> {
    Some(Box::new(InContextHero::new(spec)?))
}

/// A point of the prompt with its label.
#[derive(Debug, Clone, PartialEq)]
struct Example {
    /// Input, `[inputs]`, with the constant coordinate 1 if there is one.
    x: Vec<f64>,
    /// Label.
    y: f64,
}

/// A function of the query's first number: what one method predicts.
#[derive(Debug, Clone, Default, PartialEq)]
struct Curve {
    /// Values at the x values of the picture.
    values: Vec<f64>,
    /// Values from which the curve moves to `values`; empty if it does not move.
    before: Vec<f64>,
    /// Value at the query.
    at_query: f64,
}

impl Curve {
    /// Replaces the values of the curve; the old ones are where the movement begins if `is_eased`.
    fn replace(&mut self, values: Vec<f64>, at_query: f64, is_eased: bool) {
        let old = std::mem::replace(&mut self.values, values);
        self.before = if is_eased { old } else { vec![] };
        self.at_query = at_query;
    }

    /// The values after the share `moved`, from 0 to 1, of the movement.
    fn shown(&self, moved: f64) -> Vec<f64> {
        if self.before.len() != self.values.len() {
            return self.values.clone();
        }
        self.before.iter().zip(&self.values).map(|(from, to)| from + (to - from) * moved).collect()
    }
}

/// State of the picture of one run on prompts of points.
#[derive(Debug, Clone)]
struct InContextHero {
    /// Settings of the run.
    spec: RunSpec,
    /// The run's transformer, and the distribution of its prompts.
    network: OnPoints,
    /// Lengths of the parameter tensors of one replica, in the order of `RunSpec::parameters`.
    lengths: Vec<usize>,
    /// Parameters of the first replica, one vector per tensor; empty before the first weights.
    weights: Vec<Vec<f64>>,
    /// Methods that are fitted to the examples, with which the network is compared.
    methods: Vec<Baseline>,
    /// Index of the held-out prompt, from 0.
    prompt: usize,
    /// The function that gave the prompt's labels; `None` after the user has moved a point.
    function: Option<PromptFunction>,
    /// Examples of the prompt; the first `example_count` of them are in the picture.
    examples: Vec<Example>,
    /// Number of examples that network and methods read.
    example_count: usize,
    /// Input of the query, `[inputs]`.
    query: Vec<f64>,
    /// Largest |x| and |y| of the axes.
    limits: [f64; 2],
    /// Predictions of the network; `None` before the first weights.
    network_curve: Option<Curve>,
    /// Predictions of each of the `methods`.
    method_curves: Vec<Curve>,
    /// Values of `function`.
    true_curve: Option<Curve>,
    /// Attention of the query to each example in the network's last layer, mean over heads, both tokens together.
    attention: Vec<f64>,
    /// Time at which the curves began to move, in milliseconds.
    changed_ms: f64,
    /// Index of the example that was moved last.
    moved_example: Option<usize>,
    /// Progress of the run.
    progress: StageProgress,
}

/// A number of the picture with two decimals and its sign; a dash if it is not finite.
fn format_value(value: f64) -> String {
    if value.is_finite() { format_signed(value as f32, 2) } else { MISSING.into() }
}

/// A short name of a method that is fitted to the examples.
fn method_name(method: Baseline) -> &'static str {
    match method {
        Baseline::LeastSquares => tr!("least squares"),
        Baseline::Ridge => tr!("ridge"),
        Baseline::Affine => tr!("ridge on (x, 1)"),
        Baseline::Neighbours => tr!("3 neighbours"),
        Baseline::BestForAll | Baseline::BestPerPrompt | Baseline::LastEpoch => tr!("trained anew"),
    }
}

/// The smallest power of two that is at least `value`.
fn power_of_two_above(value: f64) -> f64 {
    libm::exp2(libm::ceil(libm::log2(value.clamp(1e-3, 1e6))))
}

/// Largest |x| and |y| of the axes for most points of such prompts: three standard deviations of the inputs, and about
/// two and a half of the labels, rounded up to a power of two.
fn usual_limits(prompts: &FunctionPrompts, seed: u64) -> [f64; 2] {
    let x = match prompts.distribution {
        InputDistribution::Normal => 3.0 * prompts.input_scale,
        // Means of −2 and 2, and a standard deviation of 1.
        InputDistribution::Mixture => 5.0,
    };
    let points = prompts.max_points().min(MAX_EXAMPLES + 1);
    let (mut rows, mut sum, mut count) = (vec![], 0.0, 0.0);
    prompts.append_held_out_prompts(seed, points, 0..LABEL_PROMPTS, &mut rows);
    for row in rows.chunks_exact(prompts.row_len_for(points)) {
        for y in prompts.split_row(row).1 {
            sum += f64::from(*y) * f64::from(*y);
            count += 1.0;
        }
    }
    [(x * prompts.test_scale).max(1e-3), power_of_two_above(2.5 * libm::sqrt(sum / f64::max(count, 1.0)))]
}

impl InContextHero {
    /// The picture of a run with its first held-out prompt and its initial network; `None` if it cannot be drawn.
    fn new(spec: &RunSpec) -> Option<Self> {
        let network = drawable_network(spec)?;
        let prompts = &network.prompts;
        let is_fitted = |method: &Baseline| {
            let is_quick = training_operations(prompts, MAX_EXAMPLES) <= MAX_TRAINING_OPERATIONS;
            !method.uses_query_labels() && (is_quick || !method.is_trained())
        };
        let methods: Vec<Baseline> = applicable_baselines(prompts).into_iter().filter(is_fitted).collect();
        let mut hero = InContextHero {
            lengths: spec.parameters().iter().map(|tensor| tensor.shape[1] * tensor.shape[2]).collect(),
            weights: vec![],
            method_curves: vec![Curve::default(); methods.len()],
            methods,
            prompt: 0,
            function: None,
            examples: vec![],
            example_count: 0,
            query: vec![],
            limits: usual_limits(prompts, spec.run.seed),
            network_curve: None,
            true_curve: None,
            attention: vec![],
            changed_ms: f64::NEG_INFINITY,
            moved_example: None,
            progress: StageProgress::default(),
            spec: spec.clone(),
            network,
        };
        hero.load_prompt(0);
        hero.update_methods(false);
        if spec.can_page_initialize() {
            hero.set_weights(StageProgress::default(), &spec.initialize_replicas(1), f64::NEG_INFINITY);
        }
        Some(hero)
    }

    /// Loads the held-out prompt with this index, from 0, with all examples that fit into the picture; the point after
    /// them is the query.
    fn load_prompt(&mut self, prompt: usize) {
        let (prompts, seed) = (&self.network.prompts, self.spec.run.seed);
        let points = prompts.max_points().min(MAX_EXAMPLES + 1);
        let mut row = vec![];
        prompts.append_held_out_prompts(seed, points, prompt..prompt + 1, &mut row);
        let (x, y) = prompts.split_row(&row);
        let example = |(x, y): (&[f32], &f32)| Example {
            x: x.iter().map(|x| f64::from(*x)).collect(),
            y: f64::from(*y),
        };
        let mut examples: Vec<Example> = x.chunks_exact(prompts.inputs()).zip(y).map(example).collect();
        let function = prompts.held_out_function(seed, prompt);
        let Some(query) = examples.pop() else { return };
        let first = |x: &[f64]| x.first().map_or(0.0, |x| x.abs());
        let points = || examples.iter().chain([&query]);
        let sizes = [
            points().map(|point| first(&point.x)).fold(0.0, f64::max),
            points().map(|point| point.y.abs()).fold(0.0, f64::max),
        ];
        for (limit, size) in self.limits.iter_mut().zip(sizes) {
            while size.is_finite() && *limit < size {
                *limit *= 2.0;
            }
        }
        (self.prompt, self.function, self.query) = (prompt, Some(function), query.x);
        (self.example_count, self.examples) = (examples.len(), examples);
        self.moved_example = None;
    }

    /// The x values of the curves, evenly spaced from one end of the axis to the other; fewer for larger networks.
    fn positions(&self) -> Vec<f64> {
        let numbers: usize = self.lengths.iter().sum();
        let count = (MAX_CURVE_OPERATIONS / (numbers as u64).max(1)) as usize;
        let last = count.clamp(POSITION_COUNTS.0, POSITION_COUNTS.1) - 1;
        let half = self.limits[0];
        (0..=last).map(|at| half * (2.0 * at as f64 / last as f64 - 1.0)).collect()
    }

    /// The queries of the curves: the query's input with its first number replaced by each of the x values.
    fn curve_inputs(&self) -> Vec<Vec<f64>> {
        let input = |x: f64| [&[x][..], self.query.get(1..).unwrap_or_default()].concat();
        self.positions().into_iter().map(input).collect()
    }

    /// The examples that network and methods read.
    fn shown_examples(&self) -> &[Example] {
        self.examples.get(..self.example_count).unwrap_or(&self.examples)
    }

    /// Fits all methods to the examples and computes their curves and that of the true function.
    fn update_methods(&mut self, is_eased: bool) {
        let x: Vec<f64> =
            self.shown_examples().iter().flat_map(|example| example.x.iter().copied()).collect();
        let y: Vec<f64> = self.shown_examples().iter().map(|example| example.y).collect();
        let (inputs, prompt) = (self.curve_inputs(), (self.spec.run.seed, self.prompt));
        for (method, curve) in self.methods.iter().zip(&mut self.method_curves) {
            let fitted = method.fit(&self.network.prompts, prompt, &x, &y, TRAINING_EPOCHS);
            let values = inputs.iter().map(|x| fitted.predict(x)).collect();
            curve.replace(values, fitted.predict(&self.query), is_eased);
        }
        match &self.function {
            Some(function) => {
                let values = inputs.iter().map(|x| function.evaluate(x)).collect();
                let curve = self.true_curve.get_or_insert_default();
                curve.replace(values, function.evaluate(&self.query), is_eased);
            }
            None => self.true_curve = None,
        }
    }

    /// Computes the network's curve and the attention of the query.
    fn update_network(&mut self, is_eased: bool) {
        if self.weights.is_empty() {
            return;
        }
        let mut reader = PromptReader::new(&self.network.net, &self.weights);
        for example in self.shown_examples() {
            reader.read_example(&example.x, example.y);
        }
        let values = self.curve_inputs().iter().map(|x| reader.predict(x).output).collect();
        let query = reader.predict(&self.query);
        // Two tokens for each example; the last one is the query itself.
        self.attention = query.attention.chunks_exact(2).map(|tokens| tokens.iter().sum()).collect();
        self.network_curve.get_or_insert_default().replace(values, query.output, is_eased);
    }

    /// Computes all curves after a change of examples or query.
    fn update_all(&mut self, is_eased: bool) {
        self.update_methods(is_eased);
        self.update_network(is_eased);
    }

    /// Number after the current one among the held-out prompts that are shown.
    fn next_prompt(&self) -> usize {
        (self.prompt + 1) % PROMPTS
    }

    /// The network's prediction for the query; NaN before the first weights.
    fn answer(&self) -> f64 {
        self.network_curve.as_ref().map_or(f64::NAN, |curve| curve.at_query)
    }

    /// The first number of the query.
    fn query_x(&self) -> f64 {
        self.query.first().copied().unwrap_or(0.0)
    }

    /// Where a touch moves something that was at `from` (x, y); `None` if it does not move it.
    fn moved_to(&self, from: [f64; 2], touch: Touch, frame: &Frame) -> Option<[f64; 2]> {
        let [x, y] = match touch {
            Touch::Press => return None,
            Touch::Drag(point) => picture::values_at(point, self.limits, frame),
            Touch::Nudge { x, y, fine } => {
                let part = if fine { NUDGE.1 } else { NUDGE.0 };
                // Direction 1 is down, where labels are smaller.
                [
                    from[0] + f64::from(x) * part * self.limits[0],
                    from[1] - f64::from(y) * part * self.limits[1],
                ]
            }
        };
        let [half_width, half_height] = self.limits;
        (x.is_finite() && y.is_finite())
            .then(|| [x.clamp(-half_width, half_width), y.clamp(-half_height, half_height)])
    }

    /// Moves the example of a target's key; returns a sentence on where it is.
    fn move_example(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        let at: usize = key.strip_prefix("example-")?.parse().ok()?;
        let example = self.shown_examples().get(at)?;
        let [x, y] = self.moved_to([*example.x.first()?, example.y], touch, frame)?;
        let example = self.examples.get_mut(at)?;
        *example.x.first_mut()? = x;
        example.y = y;
        (self.function, self.moved_example) = (None, Some(at));
        Some(tr!(
            "Example {number} is at x = {x}, y = {y}.",
            number = at + 1,
            x = format_value(x),
            y = format_value(y)
        ))
    }

    /// Predictions of the methods for the query and, if known, the true value, as a list for a sentence.
    fn list_other_answers(&self) -> String {
        let methods = self.methods.iter().map(|method| method_name(*method));
        let mut all: Vec<(&'static str, &Curve)> = methods.zip(&self.method_curves).collect();
        all.extend(self.true_curve.as_ref().map(|curve| (tr!("true function"), curve)));
        let words = |(name, curve): (&'static str, &Curve)| {
            tr!("{name} {value}", name, value = format_value(curve.at_query))
        };
        join_list(&all.into_iter().map(words).collect::<Vec<String>>())
    }
}

impl Hero for InContextHero {
    fn set_weights(&mut self, progress: StageProgress, weights: &[Vec<f32>], _now_ms: f64) {
        if !weights.iter().map(Vec::len).eq(self.lengths.iter().copied()) {
            return;
        }
        self.progress = progress;
        self.weights =
            weights.iter().map(|tensor| tensor.iter().map(|weight| f64::from(*weight)).collect()).collect();
        self.update_network(false);
    }

    fn example_interval_ms(&self) -> f64 {
        EXAMPLE_MS
    }

    fn show_next_example(&mut self, now_ms: f64) {
        // Examples are added to a prompt until it is full; the next prompt begins with few again.
        if self.function.is_none() || self.example_count >= self.examples.len() {
            self.load_prompt(self.next_prompt());
            self.example_count = 0;
        }
        self.example_count = (self.example_count + EXAMPLES_PER_STEP).min(self.examples.len());
        self.changed_ms = now_ms;
        self.update_all(true);
    }

    fn touch(&mut self, key: &str, touch: Touch, frame: &Frame) -> Option<String> {
        let before = format_value(self.answer());
        let changed: String = match (key, touch) {
            ("add", Touch::Press) if self.example_count < self.examples.len() => {
                self.example_count += 1;
                tr!("Number of examples: {count}.", count = self.example_count)
            }
            ("remove", Touch::Press) if self.example_count > 1 => {
                self.example_count -= 1;
                tr!("Number of examples: {count}.", count = self.example_count)
            }
            ("another", Touch::Press) => {
                self.load_prompt(self.next_prompt());
                tr!("Examples of another function.").into()
            }
            ("query", _) => {
                let [x, _] = self.moved_to([self.query_x(), 0.0], touch, frame)?;
                *self.query.first_mut()? = x;
                tr!("The query is x = {x}.", x = format_value(x))
            }
            _ => self.move_example(key, touch, frame)?,
        };
        // A pressed point moves there; a dragged point is there at once.
        self.changed_ms = frame.now_ms;
        self.update_all(touch == Touch::Press);
        let (after, others) = (format_value(self.answer()), self.list_other_answers());
        Some(tr!(
            "{changed} The network's prediction for the query changed from {before} to {after}. Compare: {others}.",
            changed,
            before,
            after,
            others
        ))
    }

    fn scene(&self, frame: &Frame) -> Scene {
        picture::draw(self, frame)
    }

    fn has_diverged(&self) -> bool {
        self.network_curve.as_ref().is_some_and(|curve| !curve.at_query.is_finite())
    }

    fn own_headline(&self) -> String {
        match (self.progress.has_ended, self.progress.has_succeeded) {
            (true, true) => {
                tr!("Drag a point: the network's curve follows, without any further training.").into()
            }
            (true, false) => {
                tr!("Drag a point, and compare the network's curve with the other methods.").into()
            }
            _ => tr!("A network learns to predict a new function from a few of its points. Drag a point.")
                .into(),
        }
    }

    fn own_description(&self) -> String {
        let (step, count) = (format_thousands(self.progress.step), self.example_count);
        let (x, answer) = (format_value(self.query_x()), format_value(self.answer()));
        tr!(
            "Step {step}. Number of examples: {count}. For the query x = {x} the network predicts {answer}. Compare: {others}.",
            step,
            count,
            x,
            answer,
            others = self.list_other_answers()
        )
    }
}

#[cfg(test)]
mod tests;
