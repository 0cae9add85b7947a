//! A Boolean circuit as a network of ReLU layers (Wei, Chen and Ma 2022, section 3): written down, not trained. What it
//! computes is in [`vivarium_science::circuits`]; here are its settings, and how the state of a run is kept as parameters.
//!
//! # Why
//! A step of the run is one iteration of the search for the smallest perturbation of all weights that changes the answer, so that
//! nothing takes long, and the search can be watched, paused and taken up again. So the parameters of a run are the matrices
//! of the network, which never change, those of rounding among them, and then the [parts](LeastNormSearch::to_parts) of the search.
//! Numbers in double precision are kept as three in single precision each, as those of a transformer that is descent are.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

#[cfg(not(target_family = "wasm"))]
use super::inside;
use super::layout::{Tensor, Tensors};
use super::{Architecture, Bind, Family, ModelConfig, Network, Parameter, Rows};
use crate::tasks::{ExampleForm, Examples};
#[cfg(not(target_family = "wasm"))]
use vivarium_core::bounds::saturating_product;
use vivarium_core::catalog::CatalogInfo;
use vivarium_core::choices;
use vivarium_core::pytorch::{ScriptPart, ToPyTorch};
use vivarium_core::settings;
use vivarium_core::settings::{InvalidSetting, Range};
use vivarium_core::sources::WEI_2022;
use vivarium_science::circuits::{self, CircuitSpec, LeastNormSearch, Rounding, SearchSettings};
use vivarium_science::descent::{join_f64, split_f64};

choices! {
    /// Whether values are rounded after each layer of gates.
    pub enum Rounds {
        /// They are.
        Yes = "yes", "Yes";
        /// They are not.
        No = "no", "No";
    }
}

/// Steps that the search makes from each start.
const STEPS: usize = 60;

settings! {
    /// A circuit as a network, the noise on its weights, and how long the search is.
    pub struct CircuitNetwork {
        /// Whether each value is rounded to 0 or 1 after each layer of gates.
        rounds: Rounds = Rounds::Yes, "round", "Rounding after each layer", Range::Choice(Rounds::OPTIONS);
        /// Standard deviation of noise on all weights. The charts of values and the truth table use this noise; the search does not.
        sigma: f64 = 0.0, "sigma", "Noise σ on all weights", Range::Real(0.0, 10.0);
        /// Number of random directions; in each direction the search finds the smallest noise that changes the answer.
        draws: usize = 8, "draws", "Random directions of noise", Range::Int(1, 64);
        /// Number of starting points of the search for smaller perturbations along the boundary between the two answers.
        starts: usize = 8, "starts", "Starting points of the search", Range::Int(1, 16);
    }
}

impl CircuitNetwork {
    /// Name, source and summary.
    pub const INFO: CatalogInfo = CatalogInfo {
        slug: "circuit-network",
        name: "Circuit as a network",
        about: "A network that computes a Boolean circuit. The network has two ReLU layers for each layer of gates. A setting determines whether the values are rounded after each layer of gates. The weights are set by hand, not trained.",
        sources: &[WEI_2022],
    };

    /// Its tensors in a file of weights.
    pub const TENSORS: Tensors = Tensors {
        formula: "\
h = x as bits: 0 for −1, 1 for +1
for each layer l of gates, from the inputs to the output:
  h ← max(0, layer{l}.first.weight h + layer{l}.first.bias)
  h ← max(0, layer{l}.second.weight h + layer{l}.second.bias)
  h ← layer{l}.weight h + layer{l}.bias instead of these two lines           circuit=toy
  h ← max(0, layer{l}.round.first.weight h + layer{l}.round.first.bias)      round=yes
  h ← layer{l}.round.second.weight h + layer{l}.round.second.bias            round=yes
f = output.weight h + output.bias",
        loss: "(f − y)² with the label y = −1 or +1, mean over the held-out inputs. The file holds the weights without the noise `sigma`.",
        letters: &[
            ["R, r", "gates of this layer, and of the layer below"],
            ["θ", "parameters that the search may change"],
            ["v1, v2, v3", "numbers in a part of the search"],
        ],
        all: &[
            Tensor::new(
                "layer{l}.first.weight",
                ["R", "r"],
                ["gate", "gate below"],
                "first matrix W₁ of layer l; rows are outputs",
            ),
            Tensor::new("layer{l}.first.bias", ["R", "1"], ["gate", ""], "its biases"),
            Tensor::new(
                "layer{l}.second.weight",
                ["R", "R"],
                ["gate", "gate"],
                "second matrix W₂ of layer l",
            ),
            Tensor::new("layer{l}.second.bias", ["R", "1"], ["gate", ""], "its biases"),
            Tensor::new(
                "layer{l}.weight",
                ["R", "r"],
                ["gate", "gate below"],
                "the only matrix of layer l of the toy, which has no ReLU",
            )
            .only("circuit=toy"),
            Tensor::new("layer{l}.bias", ["R", "1"], ["gate", ""], "its biases, 0").only("circuit=toy"),
            Tensor::new(
                "layer{l}.round.first.weight",
                ["2 · R", "R"],
                ["unit of the rounding", "gate"],
                "first matrix of the rounding",
            )
            .only("round=yes"),
            Tensor::new(
                "layer{l}.round.first.bias",
                ["2 · R", "1"],
                ["unit of the rounding", ""],
                "its biases −1/3 and −2/3",
            )
            .only("round=yes"),
            Tensor::new(
                "layer{l}.round.second.weight",
                ["R", "2 · R"],
                ["gate", "unit of the rounding"],
                "second matrix of the rounding, 3 and −3",
            )
            .only("round=yes"),
            Tensor::new("layer{l}.round.second.bias", ["R", "1"], ["gate", ""], "its biases, 0")
                .only("round=yes"),
            Tensor::new("output.weight", ["1", "1"], ["", ""], "2, or 1 in the toy"),
            Tensor::new("output.bias", ["1", "1"], ["", ""], "−1, or −1/2 in the toy"),
            Tensor::new(
                "least",
                ["θ", "3"],
                ["parameter", "part of the sum"],
                "the smallest perturbation that changes the answer; a number in double precision is the sum of three numbers",
            ),
            Tensor::new(
                "point",
                ["θ", "3"],
                ["parameter", "part of the sum"],
                "the point of the descent in progress",
            ),
            Tensor::new(
                "planes",
                ["v1", "3"],
                ["number", "part of the sum"],
                "the planes that the descent remembers",
            ),
            Tensor::new("ends", ["v2", "3"], ["number", "part of the sum"], "the ends of earlier descents"),
            Tensor::new(
                "search",
                ["v3", "3"],
                ["number", "part of the sum"],
                "counters and radii of the search",
            ),
        ],
    };

    /// Whether its values are rounded.
    pub fn rounding(&self) -> Rounding {
        match self.rounds {
            Rounds::Yes => Rounding::On,
            Rounds::No => Rounding::Off,
        }
    }

    /// How a replica searches: each has noise of its own.
    pub fn search(&self, seed: u64, replica: usize) -> SearchSettings {
        SearchSettings {
            seed: seed.wrapping_add(replica as u64),
            draws: self.draws,
            starts: self.starts,
            steps: STEPS,
        }
    }
}

/// The noise of σ = 1 on all parameters at a step of a run: other draws than those of the search.
pub fn noise(network: &circuits::ReluNetwork, seed: u64, step: u64) -> Vec<f64> {
    const OTHERS: u32 = 1 << 31;
    network.draw_noise(seed, OTHERS | (step as u32 & (OTHERS - 1)))
}

/// Numbers of single precision that hold these in double precision, three for each.
pub fn narrow(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().flat_map(|number| split_f64(*number)).collect()
}

/// The numbers that [`narrow`] has taken apart.
pub fn wide(numbers: &[f32]) -> Vec<f64> {
    numbers.chunks_exact(3).map(|three| join_f64([three[0], three[1], three[2]])).collect()
}

/// The perturbation that a search has found, from the parameters of one replica, and its norm; none before the first step.
pub fn found(parameters: &[Vec<f32>]) -> Option<(Vec<f64>, f64)> {
    let from = parameters.len().checked_sub(LeastNormSearch::PART_NAMES.len())?;
    let [least, .., singles] = &parameters[from..] else { return None };
    LeastNormSearch::stored_delta(&wide(least), &wide(singles))
}

impl Bind for CircuitNetwork {
    type Bound = OnCircuit;

    fn bind(&self, examples: &dyn Examples) -> Cow<'_, OnCircuit> {
        Cow::Owned(OnCircuit { net: self.clone(), drawn: examples.data().circuit() })
    }
}

impl ModelConfig for CircuitNetwork {
    fn takes(&self) -> &'static [ExampleForm] {
        &[ExampleForm::Circuit]
    }

    fn family(&self) -> Option<Family> {
        Some(Family::Circuit(self.clone()))
    }

    fn has_weights(&self) -> bool {
        false
    }

    fn is_optimized(&self) -> bool {
        false
    }
}

impl ToPyTorch for CircuitNetwork {
    fn to_pytorch(&self, _seed: u64) -> Result<ScriptPart, String> {
        Err("The weights of this network are set by hand, not trained.".into())
    }
}

/// The network of a task's circuit.
#[derive(Debug, Clone, PartialEq)]
pub struct OnCircuit {
    /// Its settings.
    pub net: CircuitNetwork,
    /// The circuit; none of a task about something else, which is not suited.
    pub drawn: Option<CircuitSpec>,
}

impl OnCircuit {
    /// The network; none of a circuit that is refused.
    fn network(&self) -> Option<circuits::ReluNetwork> {
        self.drawn.as_ref()?.build_network(self.net.rounding()).ok()
    }

    /// Parameters of the network, and those of rounding, and its neurons.
    fn sizes(&self) -> [u64; 3] {
        self.facts().sizes
    }

    fn facts(&self) -> Facts {
        let key = (self.drawn.clone(), self.net.rounding());
        let known = |all: &Vec<Known>| all.iter().find(|(of, _)| *of == key).map(|(_, facts)| facts.clone());
        FACTS.with_borrow(known).unwrap_or_else(|| {
            let made = self.drawn.as_ref().map_or_else(Facts::default, |drawn| Facts::of(drawn, key.1));
            FACTS.with_borrow_mut(|all| {
                all.truncate(KEPT - 1);
                all.insert(0, (key, made.clone()));
            });
            made
        })
    }
}

/// What is asked of a network before it is built for a run.
#[derive(Debug, Clone, Default)]
struct Facts {
    /// Parameters of the network, and those of rounding, and its neurons; of a circuit that is refused, 0.
    sizes: [u64; 3],
    /// Its matrices, of one replica.
    matrices: Rc<[Parameter]>,
    /// Parameters that a search moves, and neurons in all layers.
    searched: (u64, usize),
}

impl Facts {
    fn of(drawn: &CircuitSpec, rounding: Rounding) -> Self {
        let Ok(layered) = drawn.build_layered() else { return Facts::default() };
        let widths = layered.layers().iter().skip(1).map(|layer| layer.len() as u64);
        let rounded = match rounding {
            Rounding::On => widths.clone().map(|width| 4 * width * width + 3 * width).sum(),
            Rounding::Off => 0,
        };
        let sizes = [layered.parameter_count(), rounded, 2 * widths.sum::<u64>() + 1];
        let Ok(network) = drawn.build_network(rounding) else { return Facts { sizes, ..Facts::default() } };
        let matrices = network.matrices().into_iter();
        let matrices =
            matrices.map(|matrix| Parameter::new(&matrix.name, [1, matrix.rows, matrix.columns])).collect();
        let neurons = network.layers().iter().map(|layer| layer.rows).sum();
        Facts { sizes, matrices, searched: (network.theta().len() as u64, neurons) }
    }
}

/// How many networks' facts are kept.
const KEPT: usize = 8;

/// The facts of the network for a circuit.
type Known = ((Option<CircuitSpec>, Rounding), Facts);

thread_local! {
    /// The facts of networks that were asked about last: a link with a sweep asks for each of its runs, and to know them the
    /// network is built.
    static FACTS: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

impl OnCircuit {
    /// The parameters of one replica.
    fn shapes(&self) -> Vec<Parameter> {
        let Facts { matrices, searched: (theta, neurons), .. } = self.facts();
        if matrices.is_empty() {
            return vec![];
        }
        let sizes = LeastNormSearch::part_sizes(theta, neurons, self.net.search(0, 0));
        let search = LeastNormSearch::PART_NAMES.into_iter().zip(sizes);
        // The limit on the network's parameters is far below what 32 bits hold.
        let search = search.map(|(name, size)| Parameter::new(name, [1, size as usize, 3]));
        matrices.iter().cloned().chain(search).collect()
    }
}

impl Architecture for OnCircuit {
    fn parameters(&self, _inputs: usize, replicas: usize) -> Vec<Parameter> {
        let mut all = self.shapes();
        all.iter_mut().for_each(|parameter| parameter.shape[0] = replicas);
        all
    }

    fn rows(&self) -> Rows {
        Rows::NONE
    }

    fn initial(&self, _seed: u64, inputs: usize, replicas: usize) -> Vec<Vec<f32>> {
        let Some(network) = self.network() else { return vec![] };
        let matrices = network.matrices().into_iter();
        let mut all: Vec<Vec<f32>> = matrices
            .map(|matrix| {
                matrix.entries.iter().map(|entry| *entry as f32).collect::<Vec<f32>>().repeat(replicas)
            })
            .collect();
        // A search that has made no iteration is all 0.
        let parts = self.parameters(inputs, replicas).into_iter().skip(all.len());
        all.extend(parts.map(|part| vec![0.0; part.len()]));
        all
    }

    fn step_flops(&self, _inputs: usize, _batch: usize) -> f64 {
        // An iteration computes the output some hundred times.
        1500.0 * self.sizes()[0] as f64
    }

    fn problems(&self, _inputs: usize, _batch: usize, _replicas: usize) -> Vec<InvalidSetting> {
        // What is too large is the circuit, of which the task says so.
        vec![]
    }

    fn activations(&self, _inputs: usize) -> u64 {
        let [parameters, rounded, neurons] = self.sizes();
        parameters.saturating_add(rounded).saturating_add(3 * neurons)
    }

    fn decays(&self, _which: usize) -> bool {
        false
    }
}

impl Network for OnCircuit {
    /// The output for inputs of −1 and 1, `[examples]`.
    fn evaluate(&self, _weights: &[&[f32]], inputs: usize, x: &[f32], _stage: usize) -> Vec<f32> {
        let Some(network) = self.network() else { return vec![0.0; x.len() / inputs.max(1)] };
        let output = |x: &[f32]| {
            let bits: Vec<bool> = x.iter().map(|x| *x > 0.0).collect();
            network.output(&bits).unwrap_or(0.0) as f32
        };
        x.chunks_exact(inputs.max(1)).map(output).collect()
    }

    /// The values of the gates, layer by layer: `activations` with exact weights, and `noisy` with the noise of the step where
    /// there is any.
    #[cfg(not(target_family = "wasm"))]
    fn inside_at(
        &self,
        at: &inside::At<'_>,
        _weights: &[&[f32]],
        inputs: usize,
        x: &[f32],
    ) -> Result<Vec<inside::Inside>, String> {
        let found = self.drawn.as_ref().zip(self.network()).filter(|_| at.wants(inside::Kind::Activations));
        let Some((drawn, network)) = found else { return Ok(vec![]) };
        let (layers, count) = (drawn.gate_layer_indices(&network), x.len() / inputs.max(1));
        let gates: u64 = layers.iter().map(|layer| network.layers()[*layer].rows as u64).sum();
        inside::fits(saturating_product([2, count as u64, gates]))?;
        let is_noisy = self.net.sigma > 0.0;
        let noisy = is_noisy.then(|| network.perturb(&noise(&network, at.seed, at.step), self.net.sigma));
        let both =
            [("activations", network.theta())].into_iter().chain(noisy.iter().map(|of| ("noisy", &of[..])));
        let mut all = inside::Gathered::default();
        for (name, theta) in both {
            for x in x.chunks_exact(inputs.max(1)) {
                let bits: Vec<bool> = x.iter().map(|x| *x > 0.0).collect();
                let trace = network.trace_at(theta, &bits).map_err(|error| error.to_string())?;
                for (number, layer) in layers.iter().enumerate() {
                    let values = &trace.layers[*layer].rounded;
                    let axes = [("gate", values.len())];
                    all.activations(&inside::of_layer(name, number), &axes, values.iter().copied());
                }
            }
        }
        Ok(all.arrays())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::decode;

    #[test]
    fn parameters_are_the_matrices_and_the_state_of_the_search() {
        for link in [
            "replicas=3&seed=5",
            "circuit=toy&levels=25&round=no",
            "circuit=random&n=5&gates=20&round=no&starts=3",
        ] {
            let spec = decode(&format!("#v1/boolean-circuit?{link}")).0.spec;
            let (shapes, initial) = (spec.parameters(), spec.initialize_parameters());
            assert_eq!(shapes.len(), initial.len());
            for (parameter, values) in shapes.iter().zip(&initial) {
                assert_eq!(parameter.len(), values.len(), "{}", parameter.name);
                assert!(!parameter.is_empty(), "{}", parameter.name);
            }
            let Some(Family::Circuit(net)) = spec.model.config().family() else { panic!("another family") };
            let network = spec.task.data().circuit().unwrap().build_network(net.rounding()).unwrap();
            let entries = network.matrices().iter().map(|matrix| matrix.entries.len()).sum::<usize>();
            let found = initial.iter().take(network.matrices().len()).map(Vec::len).sum::<usize>();
            assert_eq!(found, entries * spec.run.replicas);
            assert_eq!(found_in(&initial), None);
        }
    }

    fn found_in(parameters: &[Vec<f32>]) -> Option<(Vec<f64>, f64)> {
        found(parameters)
    }

    #[test]
    fn the_answer_is_that_of_the_circuit() {
        let spec = decode("#v1/boolean-circuit?circuit=majority&n=3").0.spec;
        let found = spec.network().evaluate(&[], 3, &[1.0, 1.0, -1.0, -1.0, 1.0, -1.0], 0);
        assert_eq!(found, [1.0, -1.0]);
    }

    /// Without noise they are the bits of the circuit; with noise they are the values of the chart.
    #[test]
    fn values_of_the_gates_are_arrays() {
        let x = [1.0, 1.0, -1.0, -1.0, 1.0, -1.0];
        for sigma in [0.0, 0.05] {
            let link = format!("#v1/boolean-circuit?circuit=majority&n=3&round=no&sigma={sigma}");
            let spec = decode(&link).0.spec;
            let at = inside::At { seed: 4, step: 7, rate: 0.0, kinds: &[inside::Kind::Activations] };
            let arrays = spec.network().inside_at(&at, &[], 3, &x).unwrap();
            let drawn = spec.task.data().circuit().unwrap();
            let (layered, network) =
                (drawn.build_layered().unwrap(), drawn.build_network(Rounding::Off).unwrap());
            let depth = layered.depth() - 1;
            assert_eq!(arrays.len(), if sigma > 0.0 { 2 * depth } else { depth });
            let theta = network.perturb(&noise(&network, 4, 7), sigma);
            for (e, x) in x.chunks(3).enumerate() {
                let bits: Vec<bool> = x.iter().map(|x| *x > 0.0).collect();
                let values = layered.evaluate_layers(&bits).unwrap();
                let trace = network.trace_at(&theta, &bits).unwrap();
                for (layer, at) in drawn.gate_layer_indices(&network).into_iter().enumerate() {
                    let of = |name: &str| {
                        let array =
                            arrays.iter().find(|array| array.name == inside::of_layer(name, layer))?;
                        assert_eq!(array.axes, ["example", "gate"]);
                        let width = array.shape[1];
                        Some(array.values[e * width..][..width].to_vec())
                    };
                    let exact: Vec<f32> = values[layer + 1].iter().map(|bit| f32::from(*bit)).collect();
                    assert_eq!(of("activations"), Some(exact));
                    let noisy: Vec<f32> =
                        trace.layers[at].rounded.iter().map(|value| *value as f32).collect();
                    assert_eq!(of("noisy"), (sigma > 0.0).then_some(noisy));
                }
            }
        }
    }

    #[test]
    fn double_precision_is_kept() {
        let numbers = [0.1, -1.0 / 3.0, 1e-20, 0.0, 7.0];
        assert_eq!(wide(&narrow(&numbers)), numbers);
    }
}
