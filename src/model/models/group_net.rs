//! One hidden layer on a pair of elements, without biases, on many replicas at once (Edelman 2024, section 7.2):
//!
//! ```text
//! f(a, b)[c] = Σ_i σ(u_i[a] + v_i[b]) w_i[c]      σ(z) = z² or max(z, 0)
//! penalty    = λ Σ_i ‖ω_i‖₂^ν                     ω_i = (u_i, v_i, w_i)
//! ```
//!
//! With squares f is homogeneous of degree 3 in the weights. Then, as λ → 0 with ν = 3, the norm L_{2,3} being
//! ‖θ‖_{2,3} = (Σ‖ω_i‖₂³)^{1/3}, the normalised margin h(θ)/‖θ‖³ of a best network tends to the largest that any
//! network has (Wei et al. 2019; theorem 7.1), where every neuron is of one representation alone (theorems 7.7 and
//! 7.9). A ReLU network is homogeneous of degree 2, and ν = 2 is plain L2. The thesis (section 7.3) penalises λ‖θ‖^r and
//! does not state r; r = ν here. Nor does it state the initial law: entries are normal here.

pub use super::activation::Sigma;
use std::borrow::Cow;

use super::family::{Family, PairNet};
use super::initialisation::each;
use super::layout::{Tensor, Tensors};
use super::{
    Architecture, Bind, ModelConfig, Network, Parameter, Penalty, Rows, exceeds_memory, pytorch, too_wide,
};
use crate::tasks::groups::GroupOperation;
use crate::tasks::{ExampleForm, Examples, Groups, Task};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings::{InvalidSetting, Range, Settings};
use vivarium_core::sources::{EDELMAN_2024_GROUPS, MORWANI_2023};
use vivarium_core::{bounds, choices, settings};
use vivarium_science::groups::theory::{self, QuadraticNetwork};
use vivarium_science::groups::{Group, Irreps};

choices! {
    /// The weights that training begins with.
    pub enum Beginning {
        /// Drawn from the seed.
        Random = "random", "Random";
        /// Two neurons for every pair, of one-hot vectors of equal norm (Edelman 2024, appendix D.4).
        Memorising = "memorise", "A network that memorises";
        /// A network of the largest margin (appendices D.6 and D.9).
        Maximum = "maximum", "A maximum-margin network";
    }
}

settings! {
    /// Squares or ReLUs of two embeddings' sum.
    pub struct GroupNet {
        /// Number m of neurons. For the cyclic group of p elements, the margin theory needs 4(p − 1) neurons; training needs more neurons.
        width: usize = 200, "width", "Neurons m", Range::Int(1, 16_384), "neurons";
        /// Activation that a neuron applies to the sum of its two embeddings.
        sigma: Sigma = Sigma::Square, "act", "Activation σ", Range::Choice(Sigma::OPTIONS);
        /// Strength λ of the penalty on the neurons' norms; if λ is too large, all weights go to 0.
        lambda: f64 = 0.001, "lambda", "Penalty λ", Range::Real(0.0, 1.0);
        /// List of steps, each with the value of λ from this step on. As λ falls towards 0, the margin can approach its maximum.
        lambdas: Vec<(u64, f64)> = vec![], "lambdas", "Changes of λ", Range::Schedule(0.0, 1.0);
        /// Exponent ν of each neuron's norm in the penalty: the theory of square activations uses 3; the usual L2 penalty has 2.
        exponent: usize = 3, "nu", "Exponent ν", Range::Int(2, 6);
        /// Standard deviation of the normally distributed initial weights.
        std: f64 = 0.1, "std", "Standard deviation of the initial weights", Range::Real(0.0, 10.0), only when "from" = "random";
        /// Initial network: random weights, a network that memorises, or a maximum-margin network.
        from: Beginning = Beginning::Random, "from", "Initial network", Range::Choice(Beginning::OPTIONS);
    }
}

/// A network of largest margin on the table of `group`, if one is known.
pub fn largest(group: &Group) -> Option<QuadraticNetwork> {
    BUILT.set(BUILT.get() + 1);
    let irreps = Irreps::compute(group);
    let margin = theory::compute_max_margin(group, &irreps).ok()?;
    theory::build_max_margin_network(group, &irreps, &margin.norm_shares).ok()
}

thread_local! {
    /// Networks of largest margin that this thread has built, for tests here and of the page.
    #[doc(hidden)]
    pub static BUILT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Tables whose number of neurons is remembered.
const REMEMBERED: usize = 1024;

/// Neurons of [the network of largest margin](largest) on the table of one's own that `task` has, if one is known.
///
/// # Why
/// Every round of a repair asks for it, and every cell of a sweep, so it is found once for each table, of at most 24
/// rows. Of all other groups it is [known](Groups::max_margin_neurons).
fn neurons_of_table(task: &Groups, find: fn(&Group) -> Option<QuadraticNetwork>) -> Option<usize> {
    type Known = BTreeMap<(&'static str, Vec<usize>), Option<usize>>;
    static KNOWN: Mutex<Known> = Mutex::new(BTreeMap::new());
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let law = task.group_key();
    if let Some(neurons) = known().get(&law) {
        return *neurons;
    }
    let neurons = find(&task.group()?).map(|built| built.neuron_count);
    let mut known = known();
    if known.len() >= REMEMBERED {
        known.clear();
    }
    known.insert(law, neurons);
    neurons
}

#[cfg(feature = "ui")]
static LARGEST: std::sync::OnceLock<fn(&Group) -> Option<QuadraticNetwork>> = std::sync::OnceLock::new();

/// Lends [`largest`] to the page, whose first program comes without irreps.
#[cfg(feature = "ui")]
pub fn provide(largest: fn(&Group) -> Option<QuadraticNetwork>) {
    // It comes once.
    let _ = LARGEST.set(largest);
}

/// How [`largest`] is found here; none on the page while its second program is not there.
fn finder() -> Option<fn(&Group) -> Option<QuadraticNetwork>> {
    #[cfg(feature = "ui")]
    return LARGEST.get().copied();
    #[cfg(not(feature = "ui"))]
    Some(largest)
}

impl GroupNet {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "group-net",
        name: "One hidden layer on pairs of elements",
        about: "The input is a pair of elements. Each neuron has an embedding for each of the two elements, and an output vector. A penalty on the neurons' norms favours networks with the largest margin.",
        sources: &[EDELMAN_2024_GROUPS, MORWANI_2023],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
f[c] = Σ_j σ(u[a, j] + v[b, j]) w[c, j]                 σ(z) = z² (act=square) or max(0, z) (act=relu)",
        loss: "−ln softmax(f)[c] with the right class c; mean over the examples. Training adds λ Σ_j (Σ_a u[a, j]² + Σ_b v[b, j]² + Σ_c w[c, j]²)^(nu / 2) with λ from `lambda` and `lambdas`; the metrics leave this penalty out.",
        letters: &[["a, b", "the two elements of the pair, numbers from 0"]],
        all: &[
            Tensor::new("u", ["p", "width"], ["element a", "neuron"], "embeddings of the first element"),
            Tensor::new("v", ["p", "width"], ["element b", "neuron"], "embeddings of the second element"),
            Tensor::new(
                "w",
                ["p", "width"],
                ["element c", "neuron"],
                "output weights; the neuron is the column, so f = h wᵀ",
            ),
        ],
    };

    /// λ at training step `step`.
    pub fn lambda_at(&self, step: u64) -> f64 {
        let change = self.lambdas.iter().rev().find(|(from, _)| *from <= step);
        change.map_or(self.lambda, |(_, lambda)| *lambda)
    }

    /// Whether the network that training begins with can be written down. Nothing is built before its size and the
    /// work that it takes are known to be possible.
    ///
    /// # Errors
    /// The key of the setting and what would be right for it, where there is no such network or it is too wide.
    pub fn can_construct(&self, task: &Task) -> Result<(), (&'static str, String)> {
        let Task::Groups(task) = task else { return Ok(()) };
        if self.from == Beginning::Random {
            return Ok(());
        }
        if self.sigma != Sigma::Square {
            return Err(("act", tr!("square, because this initial network is known only for z²").into()));
        }
        let none = || tr!("another initial network: this table's largest margin is unknown").to_string();
        let needed = match self.from {
            Beginning::Memorising => {
                bounds::saturating_product([2, task.element_count(), task.element_count()])
            }
            _ if !task.has_theory() => return Err(("from", none())),
            _ if task.construction_operations() > bounds::MAX_CONSTRUCTION_OPERATIONS => {
                let elements = task.element_count();
                let expected = tr!(
                    "another initial network, because the search for the maximum-margin network on {elements} elements takes too long",
                    elements
                );
                return Err(("from", expected));
            }
            _ => match (task.max_margin_neurons(), finder()) {
                (Ok(known), _) => known.ok_or_else(|| ("from", none()))?,
                // The trainer knows better than a page that cannot tell yet.
                (Err(_), None) => return Ok(()),
                (Err(_), Some(find)) => neurons_of_table(task, find).ok_or_else(|| ("from", none()))? as u64,
            },
        };
        if (self.width as u64) < needed {
            return Err(("width", tr!("at least {needed} neurons for this initial network", needed)));
        }
        Ok(())
    }

    /// The weights u, v and w, each `[order, width]`, that training begins with where it does not begin with chance:
    /// of the network that is written down, and zeros where it has fewer neurons.
    ///
    /// # Errors
    /// As [`GroupNet::can_construct`].
    pub fn construct(&self, task: &Task, seed: u64) -> Result<Option<Vec<Vec<f32>>>, (&'static str, String)> {
        self.can_construct(task)?;
        let Task::Groups(task) = task else { return Ok(None) };
        let order = task.order();
        let built = match self.from {
            Beginning::Random => return Ok(None),
            Beginning::Memorising => theory::build_memorising_network(order, &task.product_table(seed), true),
            Beginning::Maximum => {
                let found = finder().zip(task.group()).and_then(|(find, group)| Some((find(&group)?, group)));
                let Some((built, group)) = found else { return Ok(None) };
                match task.operation {
                    // a − b is a times the inverse of b.
                    GroupOperation::Subtract => {
                        let inverse = |b: usize| group.inverse(b) * built.neuron_count;
                        let row = |b: usize| built.v[inverse(b)..inverse(b) + built.neuron_count].to_vec();
                        let v = (0..order).flat_map(row).collect();
                        QuadraticNetwork { v, ..built }
                    }
                    _ => built,
                }
            }
        };
        let widened = |values: &[f64]| -> Vec<f32> {
            let rows = values.chunks_exact(built.neuron_count.max(1));
            let row = |row: &[f64]| {
                let mut row: Vec<f32> = row.iter().map(|v| *v as f32).collect();
                row.resize(self.width, 0.0);
                row
            };
            rows.flat_map(row).collect()
        };
        Ok(Some([&built.u, &built.v, &built.w].map(|values| widened(values)).to_vec()))
    }
}

/// Place of u in [`Architecture::parameters`].
pub const U: usize = 0;
/// Place of v.
pub const V: usize = 1;
/// Place of w.
pub const W: usize = 2;

impl Bind for GroupNet {
    type Bound = Self;

    fn bind(&self, _examples: &dyn Examples) -> Cow<'_, Self> {
        Cow::Borrowed(self)
    }
}

impl ModelConfig for GroupNet {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Pair]
    }

    fn constructed(&self, task: &Task, seed: u64) -> Option<Vec<Vec<f32>>> {
        self.construct(task, seed).ok().flatten()
    }

    fn construction_problems(&self, task: &Task) -> Vec<InvalidSetting> {
        let Err((key, expected)) = self.can_construct(task) else { return vec![] };
        let found = self.value(key).map(|value| value.to_string()).unwrap_or_default();
        vec![InvalidSetting::new(key, &found, expected)]
    }

    /// That of a network of largest margin.
    fn construction(&self, task: &Task) -> Option<((&'static str, Vec<usize>), u64)> {
        match task {
            Task::Groups(task) if self.from == Beginning::Maximum && task.has_theory() => {
                Some((task.group_key(), task.construction_operations()))
            }
            _ => None,
        }
    }

    fn largest_margin(&self, task: &Task) -> Option<f64> {
        match task {
            // On a part of the pairs a margin may be larger.
            Task::Groups(task)
                if task.trains_on_all_pairs() && self.sigma == Sigma::Square && self.exponent == 3 =>
            {
                task.max_margin()
            }
            _ => None,
        }
    }

    fn family(&self) -> Option<Family> {
        let GroupNet { width, sigma, exponent, .. } = *self;
        Some(Family::Pairs(PairNet { width, sigma, exponent }))
    }

    #[cfg(feature = "train")]
    fn net(&self) -> Option<Box<dyn super::Net>> {
        Some(Box::new(self.clone()))
    }
}

impl ToPyTorch for GroupNet {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        let initial = include_str!("pytorch/initial/group_net.py");
        let code = [pytorch::PENALTY, include_str!("pytorch/group_net.py"), initial];
        let given = self.from == Beginning::Maximum; // irreps have no short formula
        Ok(ScriptPart {
            embeds_initial_weights: given,
            ..ScriptPart::from_code(if given { &code[..2] } else { &code })
        })
    }
}

impl Architecture for GroupNet {
    fn parameters(&self, inputs: usize, replicas: usize) -> Vec<Parameter> {
        ["u", "v", "w"].map(|name| Parameter::new(name, [replicas, inputs, self.width])).to_vec()
    }

    fn rows(&self) -> Rows {
        Rows { name: "Embeddings u", symbol: "u", row: "element", column: "neuron", entry: "weight" }
    }

    fn initial(&self, seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let std = self.std as f32;
        let draw = |(which, parameter): (usize, &Parameter)| {
            each(seed, parameter, |stream, i| std * stream.draw_normal(which as u64, i))
        };
        self.parameters(inputs, replicas).iter().enumerate().map(draw).collect()
    }

    fn step_flops(&self, inputs: usize, batch: usize) -> f64 {
        6.0 * batch as f64 * inputs as f64 * self.width as f64
    }

    fn problems(&self, inputs: usize, batch: usize, replicas: usize) -> Vec<InvalidSetting> {
        let wide = too_wide("width", self.width, inputs, bounds::MAX_EMBEDDING_ENTRIES);
        wide.into_iter().chain(exceeds_memory(self.width as u64, batch, replicas)).collect()
    }

    fn activations(&self, inputs: usize) -> u64 {
        self.width.max(inputs) as u64
    }

    fn penalty(&self, step: u64) -> Option<Penalty> {
        let degree = self.sigma.degree() + 1;
        Some(Penalty { lambda: self.lambda_at(step), exponent: self.exponent, degree })
    }

    fn next_penalty(&self, step: u64) -> Option<u64> {
        self.lambdas.iter().map(|(from, _)| *from).find(|from| *from > step)
    }
}

impl Network for GroupNet {
    fn neurons(&self, weights: &[&[f32]], _inputs: usize) -> Option<Vec<Vec<f32>>> {
        Some(weights.iter().map(|values| values.to_vec()).collect())
    }

    fn evaluate(&self, weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let m = self.width;
        let mut outputs = vec![0.0; x.len() / 2 * inputs];
        let mut h = vec![0.0f32; m];
        for (pair, outputs) in x.chunks_exact(2).zip(outputs.chunks_exact_mut(inputs)) {
            let [a, b] = [pair[0] as usize, pair[1] as usize];
            let (u, v) = (&weights[U][a * m..(a + 1) * m], &weights[V][b * m..(b + 1) * m]);
            for (h, (u, v)) in h.iter_mut().zip(u.iter().zip(v)) {
                *h = self.sigma.of(u + v);
            }
            for (f, w) in outputs.iter_mut().zip(weights[W].chunks_exact(m)) {
                // In eight lanes, so that the compiler makes a vector of them.
                let mut lanes = [0.0f32; 8];
                let (h8, w8) = (h.as_chunks::<8>(), w.as_chunks::<8>());
                for (h, w) in h8.0.iter().zip(w8.0) {
                    (0..8).for_each(|lane| lanes[lane] += h[lane] * w[lane]);
                }
                let rest: f32 = h8.1.iter().zip(w8.1).map(|(h, w)| h * w).sum();
                *f = lanes.iter().sum::<f32>() + rest;
            }
        }
        outputs
    }

    #[cfg(not(target_family = "wasm"))]
    fn inside(&self, weights: &[&[f32]], _inputs: usize, x: &[f32]) -> Vec<super::inside::Inside> {
        let (m, mut all) = (self.width, super::inside::Gathered::default());
        for pair in x.chunks_exact(2) {
            let [a, b] = [pair[0] as usize, pair[1] as usize];
            let both = weights[U][a * m..(a + 1) * m].iter().zip(&weights[V][b * m..(b + 1) * m]);
            let h = both.map(|(u, v)| f64::from(self.sigma.of(u + v)));
            all.activations("activations", &[("neuron", m)], h);
        }
        all.arrays()
    }
}

#[cfg(feature = "train")]
impl super::Net for GroupNet {
    fn forward(
        &self,
        _examples: &dyn crate::tasks::Examples,
        parameters: &[burn::tensor::Tensor<3>],
        x: burn::tensor::Tensor<3>,
        _stage: usize,
    ) -> burn::tensor::Tensor<3> {
        let [_, inputs, _] = parameters[U].dims();
        let element = |place: usize| super::lookup::one_hot(&x, place, inputs);
        // Products with one-hot rows, since their gradients are added up in a fixed order on every device.
        let z = element(0).matmul(parameters[U].clone()) + element(1).matmul(parameters[V].clone());
        let h = match self.sigma {
            Sigma::Square => z.clone() * z,
            Sigma::Relu => burn::tensor::activation::relu(z),
        };
        h.matmul(parameters[W].clone().transpose()) // [replicas, batch, order]
    }

    fn trained(&self, _stage: usize) -> Vec<bool> {
        vec![true; 3]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_the_formula() {
        let net = GroupNet { width: 11, ..Default::default() };
        for net in [net.clone(), GroupNet { sigma: Sigma::Relu, ..net }] {
            let initial = net.initial(3, 4, 1);
            let weights: Vec<&[f32]> = initial.iter().map(Vec::as_slice).collect();
            let outputs = net.evaluate(&weights, 4, &[1.0, 3.0, 2.0, 0.0], 0);
            assert_eq!(outputs.len(), 8);
            for (pair, [a, b]) in [[1, 3], [2, 0]].into_iter().enumerate() {
                for c in 0..4 {
                    let sum: f64 = (0..11)
                        .map(|i| {
                            let at = |which: usize, x: usize| f64::from(weights[which][x * 11 + i]);
                            let z = at(U, a) + at(V, b);
                            at(W, c) * if net.sigma == Sigma::Square { z * z } else { z.max(0.0) }
                        })
                        .sum();
                    assert!((f64::from(outputs[pair * 4 + c]) - sum).abs() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn networks_that_are_written_down_have_the_margins_of_theory() {
        use crate::tasks::Groups;
        let ratio = |task: &Groups, net: &GroupNet| {
            let weights = net.construct(&Task::Groups(task.clone()), 0).unwrap().unwrap();
            let weights: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
            let order = task.order();
            let x: Vec<f32> =
                (0..order * order).flat_map(|pair| [(pair / order) as f32, (pair % order) as f32]).collect();
            let outputs = net.evaluate(&weights, order, &x, 0);
            let products = task.product_table(0);
            let margin = outputs.chunks(order).zip(&products).map(|(f, c)| {
                let wrong = f.iter().enumerate().filter(|(other, _)| *other != *c as usize);
                f[*c as usize] - wrong.fold(f32::NEG_INFINITY, |most, (_, f)| most.max(*f))
            });
            let least = f64::from(margin.fold(f32::INFINITY, f32::min));
            let norms = net.penalty(0).unwrap().norms(&weights, net.width);
            let group = task.group().unwrap();
            assert!(Task::Groups(task.clone()).examples().invalid_settings().is_empty());
            least / norms / theory::compute_max_margin(&group, &Irreps::compute(&group)).unwrap().value
        };
        let net = GroupNet { from: Beginning::Maximum, ..Default::default() };
        let task = Groups { n: 11, ..Default::default() };
        assert!((ratio(&task, &net) - 1.0).abs() < 1e-5);
        let subtract = Groups { operation: GroupOperation::Subtract, ..task.clone() };
        assert!((ratio(&subtract, &net) - 1.0).abs() < 1e-5);
        let symmetric = Groups { operation: GroupOperation::Symmetric, letters: 4, ..task.clone() };
        assert!((ratio(&symmetric, &net) - 1.0).abs() < 1e-5);
        let memorising = GroupNet { from: Beginning::Memorising, width: 250, ..net.clone() };
        let expected = 2f64.sqrt() * 10.0 / 11f64.powf(1.5);
        assert!((ratio(&task, &memorising) - expected).abs() < 1e-5);
        let narrow = GroupNet { width: 39, ..net.clone() };
        assert_eq!(narrow.construct(&Task::Groups(task.clone()), 0).unwrap_err().0, "width");
        assert_eq!(
            GroupNet { sigma: Sigma::Relu, ..net.clone() }
                .construct(&Task::Groups(task.clone()), 0)
                .unwrap_err()
                .0,
            "act"
        );
        let random = Groups { operation: GroupOperation::Random, ..task };
        assert_eq!(net.construct(&Task::Groups(random), 0).unwrap_err().0, "from");
    }

    #[test]
    fn what_takes_too_long_is_refused_before_it_is_built() {
        use crate::tasks::Groups;
        let net = GroupNet { from: Beginning::Maximum, width: 4096, ..Default::default() };
        for factors in [vec![128; 6], vec![128; 3], vec![32, 32]] {
            let task = Groups { operation: GroupOperation::Product, factors, ..Default::default() };
            let (key, expected) = net.can_construct(&Task::Groups(task)).unwrap_err();
            assert_eq!(key, "from");
            assert!(expected.ends_with("takes too long"), "{expected}");
        }
    }

    /// The most expensive that are allowed, by the cost model; each is built once.
    #[test]
    fn what_is_accepted_costs_little_and_is_built_once() {
        use crate::tasks::Groups;
        let net = GroupNet { from: Beginning::Maximum, width: 4096, ..Default::default() };
        let task = |operation, n, factors: &[usize]| Groups {
            operation,
            n,
            letters: 5,
            factors: factors.to_vec(),
            ..Default::default()
        };
        for task in [
            task(GroupOperation::Product, 2, &[2, 2, 2, 2, 2, 4]),
            task(GroupOperation::Product, 2, &[11, 11]),
            task(GroupOperation::Add, 128, &[2]),
            task(GroupOperation::Dihedral, 64, &[2]),
            task(GroupOperation::Symmetric, 2, &[2]),
        ] {
            assert!(
                task.construction_operations() <= bounds::MAX_CONSTRUCTION_OPERATIONS,
                "{:?}",
                task.group_key()
            );
            let built = BUILT.get();
            let weights = net.construct(&Task::Groups(task.clone()), 0).unwrap().unwrap();
            assert_eq!(weights[U].len(), task.order() * 4096);
            assert_eq!(BUILT.get(), built + 1, "{:?}", task.group_key());
        }
    }

    #[test]
    fn the_neurons_that_are_known_are_those_of_the_network() {
        use crate::tasks::Groups;
        let mut tasks = vec![Groups { operation: GroupOperation::Quaternion, ..Default::default() }];
        for n in [2, 3, 4, 5, 6, 9, 12, 16, 23] {
            for operation in [GroupOperation::Add, GroupOperation::Subtract, GroupOperation::Dihedral] {
                tasks.push(Groups { operation, n, ..Default::default() });
            }
        }
        for letters in 2..=5 {
            for operation in [GroupOperation::Symmetric, GroupOperation::Alternating] {
                tasks.push(Groups { operation, letters, ..Default::default() });
            }
        }
        for factors in
            [&[2][..], &[3], &[2, 2], &[2, 3], &[4, 2], &[3, 3], &[2, 2, 3], &[4, 4], &[2, 2, 2, 2]]
        {
            let factors = factors.to_vec();
            tasks.push(Groups { operation: GroupOperation::Product, factors, ..Default::default() });
        }
        for task in tasks {
            let built = largest(&task.group().unwrap()).map(|built| built.neuron_count as u64);
            assert_eq!(task.max_margin_neurons(), Ok(built), "{:?}", task.group_key());
        }
        let own = Groups { operation: GroupOperation::Table, ..Default::default() };
        assert!(own.max_margin_neurons().is_err());
        assert_eq!(
            neurons_of_table(&own, largest),
            Some(6),
            "the group of four elements that are their own inverses"
        );
    }

    /// Links that took half a minute, since each of their runs built its network several times.
    #[test]
    fn no_network_is_built_to_read_a_link() {
        BUILT.set(0);
        let sweep = "#v1/groups?n=127&width=4096&from=maximum&sweep=seed:lin:1..300:300";
        for link in [sweep, "#v1/groups?op=symmetric&letters=5&width=1200&from=maximum"] {
            let (read, notices) = crate::permalink::decode(link);
            assert!(notices.is_empty(), "{notices:?}");
            assert_eq!(crate::permalink::encode(&read), link);
            assert_eq!(BUILT.get(), 0, "{link}");
        }
        assert_eq!(crate::permalink::decode("#v1/groups?op=symmetric&letters=5&from=maximum").1.len(), 1);
        assert_eq!(BUILT.get(), 0);
        let (link, _) = crate::permalink::decode("#v1/groups?from=maximum");
        assert_eq!((link.spec.initialize_replicas(1).len(), BUILT.get()), (3, 1), "what is counted");
    }

    /// The usual width has no room for it either, so the width that is asked for stays and the beginning goes.
    #[test]
    fn a_link_to_a_network_that_has_no_room_begins_with_chance() {
        let (link, notices) = crate::permalink::decode("#v1/groups?from=memorise&width=300");
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].to_string().contains("expected random, or another value of width: at least"));
        assert!(link.spec.invalid_settings().is_empty());
        assert_eq!(link.spec.value("width").unwrap().to_string(), "300");
    }

    #[test]
    fn lambda_follows_its_changes() {
        let net = GroupNet { lambdas: vec![(200, 1e-4), (400, 1e-5)], ..Default::default() };
        assert_eq!(
            [0, 199, 200, 399, 400, 9000].map(|s| net.lambda_at(s)),
            [1e-3, 1e-3, 1e-4, 1e-4, 1e-5, 1e-5]
        );
        assert_eq!([0, 200, 400].map(|s| net.next_penalty(s)), [Some(200), Some(400), None]);
    }

    #[test]
    fn initial_weights_have_their_deviation_and_u_v_and_w_differ() {
        let net = GroupNet { std: 0.3, ..Default::default() };
        let initial = net.initial(1, 23, 2);
        let square: f32 = initial.iter().flatten().map(|w| w * w).sum::<f32>() / (3 * 2 * 23 * 200) as f32;
        assert!((square / 0.09 - 1.0).abs() < 0.03, "{square}");
        assert!(initial[U] != initial[V] && initial[V] != initial[W]);
    }
}
