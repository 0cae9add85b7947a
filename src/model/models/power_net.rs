//! One hidden layer of powers, without biases, on many replicas at once (Edelman 2024, sections 7.2 and 7.5):
//!
//! ```text
//! f(x)    = Σ_i (u_i·x)^k w_i ∈ ℝ²       the logits of y = +1 and of y = −1
//! penalty = λ Σ_i ‖ω_i‖₂^(k+1)           ω_i = (u_i, w_i)
//! ```
//!
//! f is homogeneous of degree k + 1 in the weights. As λ → 0 the normalised margin of a best network on all 2ⁿ
//! inputs tends to the largest there is, γ* = k! √(2 (k+1)^−(k+1)), and every neuron u_i ≠ 0 of a network that has it
//! is on the relevant bits alone, with |u_i\[j\]| = ‖w_i‖ on each of them, w_i a multiple of (1, −1), and the sign of
//! Π_j u_i\[j\] (theorem 7.8; Morwani et al. 2023). The initial law is not stated in the thesis; it is normal here.
//!
//! # Why
//! The rest of the program wants one number: it gets the first logit less the second. Its logistic loss is the
//! cross-entropy of the two, and y times it is the margin.

use std::borrow::Cow;

use super::family::{Family, Powers};
use super::initialisation::each;
use super::layout::{Tensor, Tensors};
use super::{
    Architecture, Bind, Forms, LinearFirstLayer, ModelConfig, Network, Parameter, Penalty, Rows,
    exceeds_memory, first_layer, pytorch, too_wide,
};
use crate::tasks::{Examples, Task, TaskData};
use vivarium_core::bounds::MAX_FIRST_LAYER_WEIGHTS;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::{EDELMAN_2024_GROUPS, MORWANI_2023};
use vivarium_core::{choices, settings};
use vivarium_science::groups::theory;

choices! {
    /// The weights that training begins with.
    pub enum Beginning {
        /// Drawn from the seed.
        Random = "random", "Random";
        /// A network of the largest margin (Edelman 2024, appendix D.7).
        Maximum = "maximum", "A maximum-margin network";
    }
}

settings! {
    /// Powers of linear forms, each with a vector of two outputs.
    pub struct PowerNet {
        /// Number of neurons m; the largest margin for a parity of k bits needs 2^(k−1) neurons, and training needs more.
        width: usize = 24, "width", "Neurons m", Range::Int(1, 16_384), "neurons";
        /// Exponent k of the activation z^k; the theory holds if the label is a parity of k bits.
        degree: usize = 3, "degree", "Degree of σ", Range::Int(2, 6);
        /// Strength λ of the penalty on the neurons' norms; if λ is too large, all weights go to 0.
        lambda: f64 = 0.01, "lambda", "Penalty λ", Range::Real(0.0, 1.0);
        /// List of steps, each with the value of λ from this step on. As λ falls towards 0, the margin can approach its maximum.
        lambdas: Vec<(u64, f64)> = vec![], "lambdas", "Changes of λ", Range::Schedule(0.0, 1.0);
        /// Standard deviation of the normally distributed initial weights; 0 means 1/√n for n input bits.
        std: f64 = 0.0, "std", "Standard deviation of the initial weights", Range::Real(0.0, 10.0), only when "from" = "random";
        /// Initial network: random weights, or a maximum-margin network.
        from: Beginning = Beginning::Random, "from", "Initial network", Range::Choice(Beginning::OPTIONS);
    }
}

/// Place of u in [`Architecture::parameters`].
pub const U: usize = 0;
/// Place of w.
pub const W: usize = 1;

impl PowerNet {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "power-net",
        name: "One hidden layer with activation z^k",
        about: "One hidden layer without biases. Its neurons have the activation z^k, and each neuron has a weight to each of two outputs. A penalty on the neurons' norms favours networks with the largest margin.",
        sources: &[EDELMAN_2024_GROUPS, MORWANI_2023],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
f = Σ_j (x u)_j^degree (w[0, j] − w[1, j])",
        loss: "ℓ(y, f) with the label y = −1 or +1, as the setting `loss` says; mean over the examples. Training adds λ Σ_j (Σ_i u[i, j]² + w[0, j]² + w[1, j]²)^((degree + 1) / 2) with λ from `lambda` and `lambdas`; the metrics leave this penalty out.",
        letters: &[],
        all: &[
            Tensor::new("u", ["n", "width"], ["input", "neuron"], "weights of the linear forms"),
            Tensor::new(
                "w",
                ["2", "width"],
                ["class +1, −1", "neuron"],
                "output weights of the two classes; f is the difference of their logits",
            ),
        ],
    };

    /// γ* of the parity of `k` bits, if it is known: for z^k (theorem 7.8).
    pub fn largest_margin(&self, k: usize) -> Option<f64> {
        (self.degree == k).then(|| theory::parity_margin(k))
    }

    /// The weights of one replica that has the largest margin on the parity of the bits `relevant`, with
    /// Σ‖ω‖^(k+1) = 1: a neuron for each pattern of signs up to a common one, and all others zero. None if the bits
    /// are not as many as the degree says, or the neurons too few.
    ///
    /// # Shapes
    /// As [`Architecture::parameters`] of one replica.
    pub fn maximum(&self, inputs: usize, relevant: &[usize]) -> Option<Vec<Vec<f32>>> {
        let best = theory::build_parity_network(inputs, relevant).ok()?;
        if relevant.len() != self.degree || best.neuron_count > self.width {
            return None;
        }
        let widened = |rows: &[f64]| {
            let mut values = vec![0.0f32; rows.len() / best.neuron_count * self.width];
            for (row, best) in values.chunks_exact_mut(self.width).zip(rows.chunks_exact(best.neuron_count)) {
                row.iter_mut().zip(best).for_each(|(weight, best)| *weight = *best as f32);
            }
            values
        };
        Some(vec![widened(&best.u), widened(&best.w)])
    }

    /// What is wrong with the [beginning](Self::from) for a parity of `k` bits.
    pub fn beginning_problem(&self, k: usize) -> Option<InvalidSetting> {
        let least = 1usize << (k.max(1) - 1);
        if self.from == Beginning::Random || (self.degree == k && self.width >= least) {
            return None;
        }
        let expected = tr!(
            "random, because a maximum-margin network on {k} bits is known only for degree = {k} and at least {least} neurons",
            k,
            least
        );
        Some(InvalidSetting::new("from", self.from.slug(), expected))
    }
}

impl Bind for PowerNet {
    type Bound = Self;

    fn bind(&self, _examples: &dyn Examples) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }
}

impl ModelConfig for PowerNet {
    fn suits(&self, task: &Task) -> bool {
        // It is made for parities, whose theory it comes with.
        matches!(task.data(), TaskData::Bits(Some(_)))
    }

    fn constructed(&self, task: &Task, seed: u64) -> Option<Vec<Vec<f32>>> {
        let examples = task.examples();
        (self.from == Beginning::Maximum)
            .then(|| self.maximum(examples.inputs(), &examples.relevant(seed)))
            .flatten()
    }

    fn construction_problems(&self, task: &Task) -> Vec<InvalidSetting> {
        let TaskData::Bits(Some(parity)) = task.data() else { return vec![] };
        self.beginning_problem(parity.relevant_bits).into_iter().collect()
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Powers(Powers { width: self.width, degree: self.degree }))
    }

    fn is_of_powers(&self) -> bool {
        true
    }

    fn largest_margin(&self, task: &Task) -> Option<f64> {
        match task.data() {
            // On a part of the inputs a margin may be larger.
            TaskData::Bits(Some(parity)) if task.examples().trains_on_all_inputs() => {
                PowerNet::largest_margin(self, parity.relevant_bits)
            }
            _ => None,
        }
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for PowerNet {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Ok(ScriptPart::from_code(&[pytorch::PENALTY, include_str!("pytorch/power_net.py")]))
    }
}

impl Architecture for PowerNet {
    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        vec![
            Parameter::new("u", [replicas, inputs, self.width]),
            Parameter::new("w", [replicas, 2, self.width]),
        ]
    }

    fn rows(&self) -> Rows {
        Rows { name: "Linear forms u", symbol: "u", row: "input bit", column: "neuron", entry: "weight" }
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let std = if self.std == 0.0 { 1.0 / (inputs as f32).sqrt() } else { self.std as f32 };
        let draw = |(which, parameter): (usize, &Parameter)| {
            each(seed, parameter, |stream, i| std * stream.draw_normal(which as u64, i))
        };
        self.parameters(inputs, replicas).iter().enumerate().map(draw).collect()
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        4.0 * batch as f64 * inputs as f64 * self.width as f64
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        let wide = too_wide("width", self.width, inputs, MAX_FIRST_LAYER_WEIGHTS);
        wide.into_iter().chain(exceeds_memory(self.width as u64, batch, replicas)).collect()
    }

    fn penalty(&self, step: u64) -> Option<Penalty> {
        let change = self.lambdas.iter().rev().find(|(from, _)| *from <= step);
        let lambda = change.map_or(self.lambda, |(_, lambda)| *lambda);
        Some(Penalty { lambda, exponent: self.degree + 1, degree: self.degree + 1 })
    }
}

impl Network for PowerNet {
    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], stage: usize) -> Vec<f32> {
        first_layer::evaluate(self, weights, inputs, x, stage)
    }

    fn linear_first_layer(&self) -> Option<&dyn LinearFirstLayer> {
        Some(self)
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(&self, weights: &[&[f32]], inputs: usize, x: &[f32]) -> Vec<super::inside::Inside> {
        let mut all = super::inside::Gathered::default();
        let neurons = [("neuron", self.width)];
        for x in x.chunks_exact(inputs) {
            let z = super::inside::forms(&(weights[U].into(), vec![0.0; self.width].into()), x);
            let power = |z: &f64| (0..self.degree).map(|_| z).product();
            all.activations("activations", &neurons, z.iter().map(power));
            all.activations("preactivations", &neurons, z);
        }
        all.arrays()
    }
}

impl LinearFirstLayer for PowerNet {
    fn first_layer<'a>(&self, weights: &[&'a [f32]], _inputs: usize) -> Forms<'a> {
        (weights[U].into(), vec![0.0; self.width].into())
    }

    fn head(&self, weights: &[&[f32]], z: &[f64], gradient: &mut [f64], _stage: usize) -> f64 {
        let (positive, negative) = weights[W].split_at(self.width);
        let outputs = positive.iter().zip(negative).map(|(p, n)| f64::from(*p) - f64::from(*n));
        let mut output = 0.0;
        for ((z, w), derivative) in z.iter().zip(outputs).zip(gradient) {
            let below: f64 = (1..self.degree).map(|_| z).product(); // z^(k−1)
            output += w * below * z;
            *derivative = w * self.degree as f64 * below;
        }
        output
    }
}

#[cfg(feature = "train")]
impl super::Net for PowerNet {
    fn forward(
        &self,
        _examples: &dyn crate::tasks::Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        _stage: usize,
    ) -> burn::tensor::Tensor<3> {
        let z = x.matmul(parameters[U].clone()); // [replicas, batch, width]
        // By multiplication: a power function is NaN for negative bases on some GPUs.
        let h = (1..self.degree).fold(z.clone(), |power, _| power * z.clone());
        let output = |class: usize| parameters[W].clone().narrow(1, class, 1);
        let w = output(0) - output(1); // [replicas, 1, width]
        h.matmul(w.transpose()) // [replicas, batch, 1]
    }

    fn trained(&self, _stage: usize) -> Vec<bool> {
        vec![true; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Model;
    use crate::permalink::{decode, encode};
    use crate::run::RunSpec;
    use crate::tasks::Batch;

    fn slices(weights: &[Vec<f32>]) -> Vec<&[f32]> {
        weights.iter().map(Vec::as_slice).collect()
    }

    fn spec(settings: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/sparse-parity?model=power-net&{settings}"));
        assert!(notices.is_empty(), "{settings}: {notices:?}");
        link.spec
    }

    #[test]
    fn the_output_is_the_difference_of_both_logits() {
        for degree in 2..=6 {
            let net = PowerNet { width: 7, degree, std: 0.6, ..Default::default() };
            let initial = net.initial(3, 5, 1);
            let weights = slices(&initial);
            let x = [1.0, -1.0, -1.0, 1.0, 1.0];
            let logit = |y: usize| -> f64 {
                let neuron = |i: usize| {
                    let z: f64 = (0..5).map(|j| f64::from(x[j]) * f64::from(weights[U][j * 7 + i])).sum();
                    z.powi(degree as i32) * f64::from(weights[W][y * 7 + i])
                };
                (0..7).map(neuron).sum()
            };
            let found = net.evaluate(&weights, 5, &x, 0);
            assert_eq!(found.len(), 1);
            let expected = logit(0) - logit(1);
            assert!((f64::from(found[0]) - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{degree}");
        }
    }

    #[test]
    fn slopes_are_central_differences() {
        for degree in 2..=6 {
            let net = PowerNet { width: 4, degree, std: 1.0, ..Default::default() };
            let initial = net.initial(degree as u64, 5, 1);
            let weights = slices(&initial);
            let z = [0.7, -1.3, 0.0, 2.1];
            let mut slopes = [0.0; 4];
            net.head(&weights, &z, &mut slopes, 0);
            for i in 0..4 {
                let at = |by: f64| {
                    let mut moved = z;
                    moved[i] += by;
                    net.head(&weights, &moved, &mut [0.0; 4], 0)
                };
                let numeric = (at(1e-4) - at(-1e-4)) / 2e-4;
                assert!((slopes[i] - numeric).abs() < 1e-5 * (1.0 + numeric.abs()), "{degree}, {i}");
            }
        }
    }

    #[test]
    fn a_neuron_is_a_column_of_both_parameters() {
        let net =
            PowerNet { width: 9, degree: 4, lambda: 0.3, lambdas: vec![(50, 0.2)], ..Default::default() };
        let shapes: Vec<_> = net.parameters(6, 3).into_iter().map(|p| (p.name, p.shape)).collect();
        assert_eq!(shapes, [("u".to_string(), [3, 6, 9]), ("w".to_string(), [3, 2, 9])]);
        let initial = net.initial(1, 6, 1);
        let norm = |i: usize| {
            let weights = initial.iter().flatten().skip(i).step_by(9);
            weights.map(|w| f64::from(*w).powi(2)).sum::<f64>().sqrt()
        };
        let expected: f64 = (0..9).map(|i| norm(i).powi(5)).sum();
        let penalty = net.penalty(50).unwrap();
        assert_eq!((penalty.lambda, net.penalty(49).unwrap().lambda, penalty.exponent), (0.2, 0.3, 5));
        assert!((penalty.norms(&slices(&initial), 9) / expected - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_deviation_of_zero_is_that_of_the_inputs() {
        for (std, expected) in [(0.0, 0.2), (0.5, 0.5)] {
            let net = PowerNet { width: 400, std, ..Default::default() };
            let initial = net.initial(1, 25, 2);
            let square: f32 = initial.iter().flatten().map(|w| w * w).sum::<f32>() / (2 * 27 * 400) as f32;
            assert!((square.sqrt() / expected - 1.0).abs() < 0.02, "{std}: {square}");
            assert_ne!(initial[U][..800], initial[W][..800]);
        }
    }

    /// min_x y·f(x) / Σ‖ω‖^(k+1) over all inputs.
    fn normalised_margin(spec: &RunSpec, replica: usize) -> f64 {
        let Model::PowerNet(net) = &spec.model else { panic!("{:?}", spec.model) };
        let initial: Vec<Vec<f32>> = spec
            .initialize_parameters()
            .iter()
            .map(|values| values.chunks(values.len() / spec.run.replicas).nth(replica).unwrap().to_vec())
            .collect();
        let (task, mut batch) = (spec.task.sampler(), Batch::default());
        task.append_training_set(spec.run.seed, 0, 0, spec.batch_size(), &mut batch);
        let outputs = net.evaluate(&slices(&initial), task.inputs(), &batch.x, 0);
        let margins = outputs.iter().zip(&batch.y).map(|(f, y)| f64::from(f * y));
        margins.fold(f64::INFINITY, f64::min) / net.penalty(0).unwrap().norms(&slices(&initial), net.width)
    }

    #[test]
    fn the_network_of_largest_margin_has_it() {
        for k in 2..=5usize {
            for width in [1 << (k - 1), 24] {
                let spec = spec(&format!(
                    "n=8&k={k}&degree={k}&width={width}&data=cube&from=maximum&batch=0&loss=ce&replicas=2&seed={k}"
                ));
                let Model::PowerNet(net) = &spec.model else { unreachable!() };
                let largest = net.largest_margin(k).unwrap();
                for replica in 0..2 {
                    let found = normalised_margin(&spec, replica);
                    assert!((found - largest).abs() < 1e-6, "{k}, {width}: {found} against {largest}");
                }
            }
        }
        assert!(normalised_margin(&spec("n=8&data=cube&batch=0"), 0) < 0.3);
    }

    #[test]
    fn a_largest_margin_that_is_not_known_is_refused_and_mended() {
        for (settings, part) in
            [("k=4&degree=3&from=maximum", "degree = 4"), ("k=4&degree=4&width=7&from=maximum", "8 neurons")]
        {
            let (link, notices) = decode(&format!("#v1/sparse-parity?model=power-net&{settings}"));
            assert_eq!(notices.len(), 1, "{notices:?}");
            assert!(notices[0].key == "from" && notices[0].expected.contains(part), "{notices:?}");
            assert!(link.spec.invalid_settings().is_empty());
            assert_eq!(link.spec.value("from").unwrap().to_string(), "random");
        }
        let net = PowerNet { from: Beginning::Maximum, ..Default::default() };
        assert_eq!((net.maximum(9, &[1, 2]), net.largest_margin(4)), (None, None));
    }

    #[test]
    fn links_keep_what_differs_from_the_defaults() {
        let plain = "#v1/sparse-parity?model=power-net";
        assert_eq!(encode(&decode(plain).0), plain);
        let link = "#v1/sparse-parity?model=power-net&n=10&data=cube&width=40&lambda=0.001&lambdas=100:1e-4&std=0.3&loss=ce&batch=0";
        let (decoded, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!(encode(&decoded), link.replace("1e-4", "0.0001"));
        assert_eq!(decoded.spec.batch_size(), 1024);
    }
}
