//! What is learned in the prompt: functions whose values are the labels, and how examples of them are drawn.

use super::activation::Activation;
use super::examples::Examples;
use super::network::{Network, drawn};
use super::plan::MOST_HIDDEN;
use vivarium_core::bounds::product;
use vivarium_core::choices;
use vivarium_core::rng::{Purpose, Stream};
use vivarium_core::settings::Problem;

/// Most examples of a prompt.
pub const MOST_EXAMPLES: usize = 512;

/// Most weights of a random network that is to be learned.
pub const MOST_IN_TEACHER: u64 = 1 << 14;

/// No normal number that is drawn is larger: √(2 · 24 ln 2), as uniform numbers have 24 bits.
const MOST_NORMAL: f64 = 5.77;

/// Most numbers of an input.
pub const MOST_INPUTS: usize = 64;

choices! {
    /// What the labels are.
    pub enum Function {
        /// sin(ωx) of the first number of the input.
        Sine = "sin", "sin(ωx)";
        /// A random network of its own.
        Network = "network", "Random network";
        /// Points that a person has put down.
        Points = "points", "Own points";
    }
}

choices! {
    /// Where inputs lie.
    pub enum Spread {
        /// At equal distances between −a and a; inputs of more than one number are drawn.
        Even = "even", "At equal distances";
        /// Drawn uniformly between −a and a.
        Uniform = "uniform", "Uniform";
        /// Normal with standard deviation a.
        Normal = "normal", "Normal";
    }
}

choices! {
    /// The order of the examples, which must not matter.
    pub enum Order {
        /// As they were drawn.
        Drawn = "drawn", "As generated";
        /// Shuffled.
        Shuffled = "shuffled", "Shuffled";
    }
}

/// What prompts are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Draw {
    /// Examples n; of own points as many as there are.
    pub examples: usize,
    /// Numbers of an input, before the constant.
    pub dim: usize,
    /// Whether a last number 1 is added to each input: the network has no biases.
    pub constant: bool,
    /// Where inputs lie.
    pub spread: Spread,
    /// How far, a.
    pub reach: f64,
    /// What the labels are.
    pub function: Function,
    /// Frequency ω of the sine.
    pub frequency: f64,
    /// Neurons of the hidden layers of the random network.
    pub teacher: Vec<usize>,
    /// Their activation.
    pub activation: Activation,
    /// Own points, x and y.
    pub points: Vec<[f64; 2]>,
    /// Where the query lies, if an input is one number; else it is drawn.
    pub query: f64,
    /// Label that is written into the query's token: 0 in the paper, and no other may change anything.
    pub query_label: f64,
    /// The order of the examples.
    pub order: Order,
}

impl Default for Draw {
    /// The examples of section 5.1's table: sin(2x) at 16 points of \[−1.5, 1.5\].
    fn default() -> Self {
        Draw {
            examples: 16,
            dim: 1,
            constant: true,
            spread: Spread::Even,
            reach: 1.5,
            function: Function::Sine,
            frequency: 2.0,
            teacher: vec![8, 8],
            activation: Activation::Relu,
            points: vec![],
            query: 0.4,
            query_label: 0.0,
            order: Order::Drawn,
        }
    }
}

/// A function to be learned.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// sin(ωx).
    Sine(f64),
    /// A network with its weights.
    Network(Network, Vec<f64>),
    /// Nothing is known of it but the points.
    Unknown,
}

impl Target {
    /// Its value, where it is known; `x` has the constant of the input, if there is one.
    pub fn value(&self, x: &[f64]) -> Option<f64> {
        match self {
            Target::Sine(frequency) => x.first().map(|x| libm::sin(frequency * x)),
            Target::Network(network, w) => network.predict(w, x).first().copied(),
            Target::Unknown => None,
        }
    }
}

impl Draw {
    /// Numbers d_x of an input with its constant.
    pub fn inputs(&self) -> usize {
        self.dim.saturating_add(usize::from(self.constant))
    }

    /// Examples n.
    pub fn count(&self) -> usize {
        if self.function == Function::Points { self.points.len() } else { self.examples }
    }

    /// The function, which all replicas have in common. A random network has normal weights of variance 2 / inputs of the
    /// neuron (He et al. 2015), and 1 / inputs in its output.
    pub fn target(&self, seed: u64) -> Target {
        match self.function {
            Function::Sine => Target::Sine(self.frequency),
            Function::Points => Target::Unknown,
            Function::Network => {
                let network = Network {
                    inputs: self.inputs(),
                    hidden: self.teacher.clone(),
                    activation: self.activation,
                    ..Network::default()
                };
                let stream = Stream::new(seed, Purpose::Support, 0);
                let w = drawn(&network, &stream, |j| if j < network.layers() { 2.0 } else { 1.0 });
                Target::Network(network, w)
            }
        }
    }

    /// The examples of a replica, and the query with its label.
    pub fn draw(&self, seed: u64, replica: u32) -> Examples {
        let (target, stream) = (self.target(seed), Stream::new(seed, Purpose::Sample, replica));
        let (n, mut x, mut y) = (self.count(), vec![], vec![]);
        for i in 0..=n {
            let from = x.len();
            let is_query = i == n;
            x.extend((0..self.dim).map(|c| match self.dim {
                1 if is_query => self.query,
                1 if self.function == Function::Points => self.points[i][0],
                _ => self.coordinate(&stream, i, c),
            }));
            x.extend(self.constant.then_some(1.0));
            y.push(match self.function {
                _ if is_query => self.query_label,
                Function::Points => self.points[i][1],
                _ => target.value(&x[from..]).unwrap_or(0.0),
            });
        }
        let examples = Examples { inputs: self.inputs(), outputs: 1, x, y };
        match self.order {
            Order::Drawn => examples,
            Order::Shuffled => {
                let order = Stream::new(seed, Purpose::Order, replica).order(0, n as u32);
                examples.permuted(&(0..n as u32).map(|i| order.place(i) as usize).collect::<Vec<_>>())
            }
        }
    }

    /// Bounds on the |numbers| of all inputs and on those of all labels, from the settings alone.
    pub fn largest(&self) -> [f64; 2] {
        let spread =
            if self.spread == Spread::Normal { MOST_NORMAL * self.reach.abs() } else { self.reach.abs() };
        let points =
            |which: usize| self.points.iter().fold(0.0, |most: f64, point| most.max(point[which].abs()));
        let own = self.function == Function::Points;
        let inputs = if own { points(0) } else { spread };
        let inputs = inputs.max(self.query.abs()).max(if self.constant { 1.0 } else { 0.0 });
        let labels = match self.function {
            Function::Sine => 1.0,
            Function::Points => points(1),
            // Each weight is at most as large, and no activation is larger than its sum and 1.
            Function::Network => {
                let widths = [self.inputs()].into_iter().chain(self.teacher.iter().copied());
                widths
                    .fold(inputs, |most, width| MOST_NORMAL * libm::sqrt(2.0 * width as f64) * most.max(1.0))
            }
        };
        [inputs, labels.max(self.query_label.abs())]
    }

    /// Number `c` of input `i`.
    fn coordinate(&self, stream: &Stream, i: usize, c: usize) -> f64 {
        let index = (i * self.dim + c) as u32;
        match self.spread {
            Spread::Even if self.dim == 1 => match self.count() {
                0 | 1 => 0.0,
                n => -self.reach + 2.0 * self.reach * i as f64 / (n - 1) as f64,
            },
            Spread::Even | Spread::Uniform => self.reach * (2.0 * f64::from(stream.unit(0, index)) - 1.0),
            Spread::Normal => self.reach * f64::from(stream.normal(0, index)),
        }
    }

    /// What cannot be in these settings, each with what would be right.
    pub fn problems(&self) -> Vec<Problem> {
        let mut problems = vec![];
        if self.dim == 0 || self.inputs() > MOST_INPUTS {
            let expected = tr!("from 1 to {most}", most = MOST_INPUTS - usize::from(self.constant));
            problems.push(Problem::new("dim", &self.dim.to_string(), expected));
        }
        let numbers =
            [("wide", self.reach), ("freq", self.frequency), ("query", self.query), ("qy", self.query_label)];
        let infinite = numbers.into_iter().filter(|(_, number)| !number.is_finite());
        problems.extend(infinite.map(|(key, x)| Problem::new(key, &x.to_string(), tr!("a finite number"))));
        let teacher = self.function == Function::Network && self.teacher_weights() > MOST_IN_TEACHER;
        if teacher || self.teacher.contains(&0) || self.teacher.len() > MOST_HIDDEN {
            let sizes = self.teacher.iter().map(usize::to_string).collect::<Vec<_>>().join(".");
            let expected = tr!(
                "at most {layers} hidden layers, at least one neuron in each layer, and at most {most} weights in all layers together",
                layers = MOST_HIDDEN,
                most = MOST_IN_TEACHER
            );
            problems.push(Problem::new("teacher", &sizes, expected));
        }
        if self.function == Function::Points {
            problems.extend(self.problem_of_points());
        } else if self.examples == 0 || self.examples > MOST_EXAMPLES {
            let expected = tr!("from 1 to {most}", most = MOST_EXAMPLES);
            problems.push(Problem::new("n", &self.examples.to_string(), expected));
        }
        problems
    }

    /// Weights of the random network.
    fn teacher_weights(&self) -> u64 {
        let widths: Vec<usize> =
            [self.inputs()].into_iter().chain(self.teacher.iter().copied()).chain([1]).collect();
        let layers = widths.windows(2).map(|pair| product(pair.iter().map(|width| *width as u64)));
        layers.fold(0, u64::saturating_add)
    }

    fn problem_of_points(&self) -> Option<Problem> {
        let count = self.points.len();
        if self.dim != 1 {
            return Some(Problem::new(
                "dim",
                &self.dim.to_string(),
                tr!("1, because each of your own points has one input number"),
            ));
        }
        if count == 0 {
            // The points themselves may have been refused: nothing can be put in their place.
            let expected = tr!("another function, or at least one point of your own");
            return Some(Problem::new("f", Function::Points.slug(), expected));
        }
        if count > MOST_EXAMPLES {
            let expected = tr!("at most {most} points", most = MOST_EXAMPLES);
            return Some(Problem::new("points", &count.to_string(), expected));
        }
        let bad = self.points.iter().position(|point| point.iter().any(|x| !x.is_finite()))?;
        let [x, y] = self.points[bad];
        let expected = tr!("finite numbers: a coordinate of point {number} is not finite", number = bad + 1);
        Some(Problem::new("points", &format!("{x}:{y}"), expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_sine_at_equal_distances() {
        let examples = Draw::default().draw(0, 0);
        assert_eq!((examples.len(), examples.inputs, examples.tokens()), (16, 2, 17));
        assert_eq!(examples.input(0), [-1.5, 1.0]);
        assert!((examples.input(15)[0] - 1.5).abs() < 1e-15);
        assert!((examples.input(7)[0] + 0.1).abs() < 1e-15);
        assert_eq!(examples.label(3), [libm::sin(2.0 * examples.input(3)[0])]);
        assert_eq!((examples.input(16), examples.label(16)), (&[0.4, 1.0][..], &[0.0][..]));
        assert_eq!(examples, Draw::default().draw(5, 3), "nothing is drawn");
    }

    #[test]
    fn replicas_share_the_function_and_not_the_examples() {
        let draw = Draw {
            dim: 3,
            spread: Spread::Normal,
            function: Function::Network,
            activation: Activation::Tanh,
            ..Draw::default()
        };
        let (a, b) = (draw.draw(1, 0), draw.draw(1, 1));
        assert_eq!(draw.draw(1, 0), a);
        assert_ne!(a.x, b.x);
        let target = draw.target(1);
        for (examples, i) in [(&a, 2), (&b, 9)] {
            assert_eq!(target.value(examples.input(i)), Some(examples.label(i)[0]));
            assert_eq!(examples.input(i)[3], 1.0);
        }
        assert_ne!(draw.target(2), target);
        let plain = Draw { constant: false, spread: Spread::Uniform, ..draw };
        let examples = plain.draw(1, 0);
        assert_eq!((examples.inputs, examples.x.len()), (3, 17 * 3));
        assert!(examples.x.iter().all(|x| x.abs() <= 1.5));
    }

    #[test]
    fn a_shuffled_prompt_has_the_same_examples_in_another_order() {
        let drawn = Draw { spread: Spread::Normal, query_label: 7.0, ..Draw::default() };
        let shuffled = Draw { order: Order::Shuffled, ..drawn.clone() };
        let (a, b) = (drawn.draw(2, 0), shuffled.draw(2, 0));
        assert_ne!(a, b);
        assert_eq!((a.input(16), a.label(16)), (b.input(16), &[7.0][..]), "the query stays the last");
        let sorted = |examples: &Examples| {
            let mut all: Vec<_> = (0..16).map(|i| (examples.input(i)[0], examples.label(i)[0])).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            all
        };
        assert_eq!(sorted(&a), sorted(&b));
    }

    #[test]
    fn no_number_is_larger_than_its_bound() {
        for function in [Function::Sine, Function::Network, Function::Points] {
            for spread in [Spread::Even, Spread::Uniform, Spread::Normal] {
                let points = vec![[0.5, -9.0], [-3.0, 1.0]];
                let draw =
                    Draw { function, spread, points, examples: 512, teacher: vec![3, 4], ..Draw::default() };
                let (bounds, found) = (draw.largest(), draw.draw(1, 0).largest());
                assert!(
                    found[0] <= bounds[0] && found[1] <= bounds[1],
                    "{function:?} {spread:?}: {found:?} {bounds:?}"
                );
            }
        }
        let largest =
            (0..20).map(|bits| libm::sqrt(-2.0 * libm::log(0.5f64.powi(24 - bits)))).fold(0.0, f64::max);
        assert!(largest < MOST_NORMAL && largest > MOST_NORMAL - 0.01, "{largest}");
    }

    #[test]
    fn own_points_are_taken_as_they_are() {
        let points = vec![[0.5, 2.0], [-1.0, 3.0]];
        let draw = Draw { function: Function::Points, points, ..Draw::default() };
        let examples = draw.draw(0, 0);
        assert_eq!(examples.x, [0.5, 1.0, -1.0, 1.0, 0.4, 1.0]);
        assert_eq!(examples.y, [2.0, 3.0, 0.0]);
        assert_eq!(draw.target(0).value(&[0.5]), None);
    }

    #[test]
    fn what_cannot_be_drawn_is_named() {
        let points = |points: Vec<[f64; 2]>| Draw { function: Function::Points, points, ..Draw::default() };
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
                Draw { dim: 2, ..points(vec![[0.0; 2]]) },
                "dim",
                "1, because each of your own points has one input number",
            ),
            (Draw { examples: 0, ..Draw::default() }, "n", "from 1 to 512"),
            (Draw { examples: usize::MAX, ..Draw::default() }, "n", "from 1 to 512"),
            (Draw { dim: 64, ..Draw::default() }, "dim", "from 1 to 63"),
            (
                Draw { function: Function::Network, teacher: vec![1 << 20; 2], ..Draw::default() },
                "teacher",
                "at most 5 hidden layers, at least one neuron in each layer, and at most 16384 weights in all layers together",
            ),
            (Draw { reach: f64::INFINITY, ..Draw::default() }, "wide", "a finite number"),
        ] {
            let problems = draw.problems();
            assert_eq!(problems.len(), 1, "{problems:?}");
            assert_eq!((problems[0].key.as_str(), problems[0].expected.as_str()), (key, expected));
        }
        assert!(Draw::default().problems().is_empty());
        assert!(points(vec![[0.0; 2]; 512]).problems().is_empty());
    }
}
