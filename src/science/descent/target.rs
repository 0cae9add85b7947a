//! Target functions that give the labels, and the examples drawn from them.

use super::activation::Activation;
use super::examples::DescentExamples;
use super::network::{DescentNetwork, draw_normal_weights};
use super::plan::MAX_HIDDEN_LAYERS;
use vivarium_core::bounds::saturating_product;
use vivarium_core::choices;
use vivarium_core::rng::{Purpose, RandomStream};
use vivarium_core::settings::InvalidSetting;

/// The largest number of examples of a prompt.
pub const MAX_EXAMPLES: usize = 512;

/// The largest number of weights of a random network that serves as target function.
pub const MAX_TEACHER_WEIGHTS: u64 = 1 << 14;

/// Upper bound on the absolute value of a drawn normal number: √(2 · 24 ln 2), because uniform numbers have 24
/// bits.
const MAX_NORMAL: f64 = 5.77;

/// The largest dimension of an input.
pub const MAX_INPUTS: usize = 64;

choices! {
    /// Kinds of target functions.
    pub enum TargetKind {
        /// sin(ωx) of the first coordinate of the input.
        Sine = "sin", "sin(ωx)";
        /// A network with random weights.
        Network = "network", "Random network";
        /// Labelled points that the user entered.
        Points = "points", "Own points";
    }
}

choices! {
    /// Distributions of the inputs.
    pub enum InputSpacing {
        /// Equidistant from −a to a; inputs of several dimensions are drawn uniformly.
        Even = "even", "At equal distances";
        /// Uniform between −a and a.
        Uniform = "uniform", "Uniform";
        /// Normal with standard deviation a.
        Normal = "normal", "Normal";
    }
}

choices! {
    /// The order of the examples, which must not change any result.
    pub enum ExampleOrder {
        /// The order in which the examples were drawn.
        Drawn = "drawn", "As generated";
        /// A random permutation of the examples.
        Shuffled = "shuffled", "Shuffled";
    }
}

/// A distribution of prompts: labelled examples of one target function, with a query.
#[derive(Debug, Clone, PartialEq)]
pub struct DescentPrompts {
    /// Number n of examples; entered points determine their own number.
    pub examples: usize,
    /// Dimension of an input without the constant coordinate 1, which replaces biases.
    pub dim: usize,
    /// Whether an input has an additional coordinate that is always 1 and replaces biases, which the networks do
    /// not have.
    pub constant: bool,
    /// Distribution of the inputs of the examples, such as equidistant or normal.
    pub spacing: InputSpacing,
    /// Size a of the inputs: half-width of their interval, or their standard deviation if they are normal.
    pub input_range: f64,
    /// Kind of the target function, such as a sine or a random network, that gives the labels.
    pub function: TargetKind,
    /// Frequency ω of the target function sin(ωx).
    pub frequency: f64,
    /// Number of neurons in each hidden layer of the random network that serves as target function.
    pub teacher_hidden: Vec<usize>,
    /// Activation function of the random network that serves as target function.
    pub activation: Activation,
    /// Examples (x, y) that the user entered, if the target function is given by points.
    pub points: Vec<[f64; 2]>,
    /// Input of the query if inputs have one dimension; otherwise it is drawn.
    pub query: f64,
    /// Label in the query's token: 0 in the paper. It must not change any result.
    pub query_label: f64,
    /// The order of the examples.
    pub order: ExampleOrder,
}

impl Default for DescentPrompts {
    /// Examples: sin(2x) at 16 points of \[−1.5, 1.5\].
    fn default() -> Self {
        DescentPrompts {
            examples: 16,
            dim: 1,
            constant: true,
            spacing: InputSpacing::Even,
            input_range: 1.5,
            function: TargetKind::Sine,
            frequency: 2.0,
            teacher_hidden: vec![8, 8],
            activation: Activation::Relu,
            points: vec![],
            query: 0.4,
            query_label: 0.0,
            order: ExampleOrder::Drawn,
        }
    }
}

/// The target function that gives the labels.
#[derive(Debug, Clone, PartialEq)]
pub enum TargetFunction {
    /// sin(ωx) with this frequency ω.
    Sine(f64),
    /// A network with its weights w.
    Network(DescentNetwork, Vec<f64>),
    /// Only the entered points are known.
    Unknown,
}

impl TargetFunction {
    /// The value of the target function at the input `x`, `[inputs]`, which includes the constant coordinate if there
    /// is one; `None` if only entered points are known.
    pub fn evaluate(&self, x: &[f64]) -> Option<f64> {
        match self {
            TargetFunction::Sine(frequency) => x.first().map(|x| libm::sin(frequency * x)),
            TargetFunction::Network(network, w) => network.compute_output(w, x).first().copied(),
            TargetFunction::Unknown => None,
        }
    }
}

impl DescentPrompts {
    /// Dimension d_x of an input, including the constant coordinate 1 if there is one.
    pub fn inputs(&self) -> usize {
        self.dim.saturating_add(usize::from(self.constant))
    }

    /// Number n of examples.
    pub fn example_count(&self) -> usize {
        if self.function == TargetKind::Points { self.points.len() } else { self.examples }
    }

    /// Draws the target function, which is the same for all replicas. A random network has normal weights of variance
    /// 2 divided by the inputs of the neuron (He et al. 2015), and 1 divided by the inputs in the output layer.
    pub fn draw_target(&self, seed: u64) -> TargetFunction {
        match self.function {
            TargetKind::Sine => TargetFunction::Sine(self.frequency),
            TargetKind::Points => TargetFunction::Unknown,
            TargetKind::Network => {
                let network = DescentNetwork {
                    inputs: self.inputs(),
                    hidden: self.teacher_hidden.clone(),
                    activation: self.activation,
                    ..DescentNetwork::default()
                };
                let stream = RandomStream::new(seed, Purpose::Support, 0);
                let w =
                    draw_normal_weights(
                        &network,
                        &stream,
                        |j| if j < network.layer_count() { 2.0 } else { 1.0 },
                    );
                TargetFunction::Network(network, w)
            }
        }
    }

    /// Draws the labelled examples of replica `replica`, from 0, and the query.
    pub fn draw_examples(&self, seed: u64, replica: u32) -> DescentExamples {
        let (target, stream) = (self.draw_target(seed), RandomStream::new(seed, Purpose::Sample, replica));
        let (n, mut x, mut y) = (self.example_count(), vec![], vec![]);
        for i in 0..=n {
            let from = x.len();
            let is_query = i == n;
            x.extend((0..self.dim).map(|c| match self.dim {
                1 if is_query => self.query,
                1 if self.function == TargetKind::Points => self.points[i][0],
                _ => self.draw_coordinate(&stream, i, c),
            }));
            x.extend(self.constant.then_some(1.0));
            y.push(match self.function {
                _ if is_query => self.query_label,
                TargetKind::Points => self.points[i][1],
                _ => target.evaluate(&x[from..]).unwrap_or(0.0),
            });
        }
        let examples = DescentExamples { inputs: self.inputs(), outputs: 1, x, y };
        match self.order {
            ExampleOrder::Drawn => examples,
            ExampleOrder::Shuffled => {
                let order = RandomStream::new(seed, Purpose::Order, replica).epoch_order(0, n as u32);
                examples.permuted(&(0..n as u32).map(|i| order.position(i) as usize).collect::<Vec<_>>())
            }
        }
    }

    /// An upper bound on the absolute value of all inputs, and one on that of all labels, both with the query's,
    /// computed from the settings alone.
    pub fn bound_magnitudes(&self) -> [f64; 2] {
        let spread = if self.spacing == InputSpacing::Normal {
            MAX_NORMAL * self.input_range.abs()
        } else {
            self.input_range.abs()
        };
        let points =
            |which: usize| self.points.iter().fold(0.0, |max: f64, point| max.max(point[which].abs()));
        let has_points = self.function == TargetKind::Points;
        let inputs = if has_points { points(0) } else { spread };
        let inputs = inputs.max(self.query.abs()).max(if self.constant { 1.0 } else { 0.0 });
        let labels = match self.function {
            TargetKind::Sine => 1.0,
            TargetKind::Points => points(1),
            // Bounds every weight by its maximum; |r(z)| is at most the larger of |z| and 1.
            TargetKind::Network => {
                let widths = [self.inputs()].into_iter().chain(self.teacher_hidden.iter().copied());
                widths.fold(inputs, |max, width| MAX_NORMAL * libm::sqrt(2.0 * width as f64) * max.max(1.0))
            }
        };
        [inputs, labels.max(self.query_label.abs())]
    }

    /// Coordinate `c` of input `i`, both from 0: drawn with `stream`, or one of equidistant points.
    fn draw_coordinate(&self, stream: &RandomStream, i: usize, c: usize) -> f64 {
        let index = (i * self.dim + c) as u32;
        match self.spacing {
            InputSpacing::Even if self.dim == 1 => match self.example_count() {
                0 | 1 => 0.0,
                n => -self.input_range + 2.0 * self.input_range * i as f64 / (n - 1) as f64,
            },
            InputSpacing::Even | InputSpacing::Uniform => {
                self.input_range * (2.0 * f64::from(stream.draw_uniform(0, index)) - 1.0)
            }
            InputSpacing::Normal => self.input_range * f64::from(stream.draw_normal(0, index)),
        }
    }

    /// All invalid settings, each with the expected values.
    pub fn invalid_settings(&self) -> Vec<InvalidSetting> {
        let mut problems = vec![];
        if self.dim == 0 || self.inputs() > MAX_INPUTS {
            let expected = tr!("from 1 to {most}", most = MAX_INPUTS - usize::from(self.constant));
            problems.push(InvalidSetting::new("dim", &self.dim.to_string(), expected));
        }
        let numbers = [
            ("wide", self.input_range),
            ("freq", self.frequency),
            ("query", self.query),
            ("qy", self.query_label),
        ];
        let infinite = numbers.into_iter().filter(|(_, number)| !number.is_finite());
        problems.extend(
            infinite.map(|(key, x)| InvalidSetting::new(key, &x.to_string(), tr!("a finite number"))),
        );
        let teacher =
            self.function == TargetKind::Network && self.teacher_weight_count() > MAX_TEACHER_WEIGHTS;
        if teacher || self.teacher_hidden.contains(&0) || self.teacher_hidden.len() > MAX_HIDDEN_LAYERS {
            let sizes = self.teacher_hidden.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
            let expected = tr!(
                "at most {layers} hidden layers, at least one neuron in each layer, and at most {most} weights in all layers together",
                layers = MAX_HIDDEN_LAYERS,
                most = MAX_TEACHER_WEIGHTS
            );
            problems.push(InvalidSetting::new("teacher", &sizes, expected));
        }
        if self.function == TargetKind::Points {
            problems.extend(self.invalid_points());
        } else if self.examples == 0 || self.examples > MAX_EXAMPLES {
            let expected = tr!("from 1 to {most}", most = MAX_EXAMPLES);
            problems.push(InvalidSetting::new("n", &self.examples.to_string(), expected));
        }
        problems
    }

    /// Number of weights of the random network that serves as target function.
    fn teacher_weight_count(&self) -> u64 {
        let widths: Vec<usize> =
            [self.inputs()].into_iter().chain(self.teacher_hidden.iter().copied()).chain([1]).collect();
        let layers = widths.windows(2).map(|pair| saturating_product(pair.iter().map(|width| *width as u64)));
        layers.fold(0, u64::saturating_add)
    }

    /// The first error in the points that the user entered; `None` if they are valid.
    fn invalid_points(&self) -> Option<InvalidSetting> {
        let count = self.points.len();
        if self.dim != 1 {
            return Some(InvalidSetting::new(
                "dim",
                &self.dim.to_string(),
                tr!("1, because each of your own points has one input number"),
            ));
        }
        if count == 0 {
            // No default can replace entered points that were rejected.
            let expected = tr!("another function, or at least one point of your own");
            return Some(InvalidSetting::new("f", TargetKind::Points.slug(), expected));
        }
        if count > MAX_EXAMPLES {
            let expected = tr!("at most {most} points", most = MAX_EXAMPLES);
            return Some(InvalidSetting::new("points", &count.to_string(), expected));
        }
        let bad = self.points.iter().position(|point| point.iter().any(|x| !x.is_finite()))?;
        let [x, y] = self.points[bad];
        let expected = tr!("finite numbers: a coordinate of point {number} is not finite", number = bad + 1);
        Some(InvalidSetting::new("points", &format!("{x}:{y}"), expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_table_are_an_equidistant_sine() {
        let examples = DescentPrompts::default().draw_examples(0, 0);
        assert_eq!((examples.len(), examples.inputs, examples.token_count()), (16, 2, 17));
        assert_eq!(examples.input(0), [-1.5, 1.0]);
        assert!((examples.input(15)[0] - 1.5).abs() < 1e-15);
        assert!((examples.input(7)[0] + 0.1).abs() < 1e-15);
        assert_eq!(examples.label(3), [libm::sin(2.0 * examples.input(3)[0])]);
        assert_eq!((examples.input(16), examples.label(16)), (&[0.4, 1.0][..], &[0.0][..]));
        assert_eq!(examples, DescentPrompts::default().draw_examples(5, 3), "nothing is drawn");
    }

    #[test]
    fn replicas_share_the_function_and_not_the_examples() {
        let draw = DescentPrompts {
            dim: 3,
            spacing: InputSpacing::Normal,
            function: TargetKind::Network,
            activation: Activation::Tanh,
            ..DescentPrompts::default()
        };
        let (a, b) = (draw.draw_examples(1, 0), draw.draw_examples(1, 1));
        assert_eq!(draw.draw_examples(1, 0), a);
        assert_ne!(a.x, b.x);
        let target = draw.draw_target(1);
        for (examples, i) in [(&a, 2), (&b, 9)] {
            assert_eq!(target.evaluate(examples.input(i)), Some(examples.label(i)[0]));
            assert_eq!(examples.input(i)[3], 1.0);
        }
        assert_ne!(draw.draw_target(2), target);
        let plain = DescentPrompts { constant: false, spacing: InputSpacing::Uniform, ..draw };
        let examples = plain.draw_examples(1, 0);
        assert_eq!((examples.inputs, examples.x.len()), (3, 17 * 3));
        assert!(examples.x.iter().all(|x| x.abs() <= 1.5));
    }

    #[test]
    fn a_shuffled_prompt_has_the_same_examples_in_another_order() {
        let drawn =
            DescentPrompts { spacing: InputSpacing::Normal, query_label: 7.0, ..DescentPrompts::default() };
        let shuffled = DescentPrompts { order: ExampleOrder::Shuffled, ..drawn.clone() };
        let (a, b) = (drawn.draw_examples(2, 0), shuffled.draw_examples(2, 0));
        assert_ne!(a, b);
        assert_eq!((a.input(16), a.label(16)), (b.input(16), &[7.0][..]), "the query stays the last");
        let sorted = |examples: &DescentExamples| {
            let mut all: Vec<_> = (0..16).map(|i| (examples.input(i)[0], examples.label(i)[0])).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            all
        };
        assert_eq!(sorted(&a), sorted(&b));
    }

    #[test]
    fn no_drawn_number_exceeds_its_bound() {
        for function in [TargetKind::Sine, TargetKind::Network, TargetKind::Points] {
            for spread in [InputSpacing::Even, InputSpacing::Uniform, InputSpacing::Normal] {
                let points = vec![[0.5, -9.0], [-3.0, 1.0]];
                let draw = DescentPrompts {
                    function,
                    spacing: spread,
                    points,
                    examples: 512,
                    teacher_hidden: vec![3, 4],
                    ..DescentPrompts::default()
                };
                let (bounds, found) = (draw.bound_magnitudes(), draw.draw_examples(1, 0).max_magnitudes());
                assert!(
                    found[0] <= bounds[0] && found[1] <= bounds[1],
                    "{function:?} {spread:?}: {found:?} {bounds:?}"
                );
            }
        }
        let largest =
            (0..20).map(|bits| libm::sqrt(-2.0 * libm::log(0.5f64.powi(24 - bits)))).fold(0.0, f64::max);
        assert!(largest < MAX_NORMAL && largest > MAX_NORMAL - 0.01, "{largest}");
    }

    #[test]
    fn entered_points_are_used_unchanged() {
        let points = vec![[0.5, 2.0], [-1.0, 3.0]];
        let draw = DescentPrompts { function: TargetKind::Points, points, ..DescentPrompts::default() };
        let examples = draw.draw_examples(0, 0);
        assert_eq!(examples.x, [0.5, 1.0, -1.0, 1.0, 0.4, 1.0]);
        assert_eq!(examples.y, [2.0, 3.0, 0.0]);
        assert_eq!(draw.draw_target(0).evaluate(&[0.5]), None);
    }

    #[test]
    fn invalid_prompt_settings_are_listed() {
        let points = |points: Vec<[f64; 2]>| DescentPrompts {
            function: TargetKind::Points,
            points,
            ..DescentPrompts::default()
        };
        for (draw, key, expected) in [
            (points(vec![]), "f", "another function, or at least one point of your own"),
            (
                points(vec![[0.0, 1.0], [f64::NAN, 1.0]]),
                "points",
                "finite numbers: a coordinate of point 2 is not finite",
            ),
            (
                points(vec![[0.0, f64::INFINITY]]),
                "points",
                "finite numbers: a coordinate of point 1 is not finite",
            ),
            (points(vec![[0.0; 2]; 513]), "points", "at most 512 points"),
            (
                DescentPrompts { dim: 2, ..points(vec![[0.0; 2]]) },
                "dim",
                "1, because each of your own points has one input number",
            ),
            (DescentPrompts { examples: 0, ..DescentPrompts::default() }, "n", "from 1 to 512"),
            (DescentPrompts { examples: usize::MAX, ..DescentPrompts::default() }, "n", "from 1 to 512"),
            (DescentPrompts { dim: 64, ..DescentPrompts::default() }, "dim", "from 1 to 63"),
            (
                DescentPrompts {
                    function: TargetKind::Network,
                    teacher_hidden: vec![1 << 20; 2],
                    ..DescentPrompts::default()
                },
                "teacher",
                "at most 5 hidden layers, at least one neuron in each layer, and at most 16384 weights in all layers together",
            ),
            (
                DescentPrompts { input_range: f64::INFINITY, ..DescentPrompts::default() },
                "wide",
                "a finite number",
            ),
        ] {
            let problems = draw.invalid_settings();
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert_eq!((problems[0].key.as_str(), problems[0].expected.as_str()), (key, expected));
        }
        assert!(DescentPrompts::default().invalid_settings().is_empty());
        assert!(points(vec![[0.0; 2]; 512]).invalid_settings().is_empty());
    }
}
