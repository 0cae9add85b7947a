//! Boolean circuits as ReLU networks, and how large a perturbation of all weights they survive (Wei, Chen and Ma 2022,
//! "Statistically meaningful approximation", sections 2.1, 3 and D). Nothing is trained: the weights are written down.
//!
//! ```text
//! circuit   s = a and b; c = not s; out = c or a          AND, OR, NOT, ID gates in q layers
//! network   F(x, θ) = ±1                                  2(q − 1) + 1 linear layers, rounding after each gate layer or not
//! margin    ρ = min ‖δ‖₂ with (y − ½) F(x, θ + δ) ≤ 0     all-layer margin: the smallest perturbation that changes the answer
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `circuit`, `text`, `layered`, `families`, `spec` | [`Circuit`], its text form, its layers, parities, adders and other families, and [`CircuitSpec`]: which circuit a run uses |
//! | `network`, `forward`, `matrices` | [`ReluNetwork`], its forward and backward pass, and its matrices |
//! | `margin` | exact margins of the paper's toy network, a product of weights |
//! | `boundary` | upper bounds on the margin: the smallest noise that changes the answer |
//! | `least_norm`, `search`, `descent`, `search_parts` | better upper bounds: [`LeastNormSearch`], which looks for the smallest perturbation that changes the answer, one small iteration at a time; and that search as lists of numbers |
//! | `theorem` | lower bounds: theorem D.6 with the constants of one network and input |
//! | `limits` | maximum sizes |
//!
//! ```
//! use vivarium_science::circuits::{Circuit, ReluNetwork, ParityOrder, Rounding, SearchSettings};
//! let circuit = Circuit::parity(3, ParityOrder::Chain).unwrap().to_layers().unwrap();
//! let network = ReluNetwork::new(&circuit, Rounding::On).unwrap();
//! let bits = [true, false, true];
//! assert_eq!(network.predict(&bits), Ok(false));
//! let least = network.find_least_norm(&bits, SearchSettings::default()).unwrap().unwrap();
//! let bound = network.compute_margin_bounds(&bits).unwrap().unwrap();
//! assert!(bound.theorem < bound.proof && bound.proof < least.norm && least.norm <= least.noise[0].norm);
//! ```

mod boundary;
mod circuit;
mod descent;
mod error;
mod families;
mod forward;
mod layered;
mod least_norm;
mod limits;
mod margin;
mod matrices;
mod network;
mod search;
mod search_parts;
mod spec;
#[cfg(test)]
mod tests;
mod text;
mod theorem;

pub use boundary::NoiseFlip;
pub use circuit::{Circuit, Gate, GateDefinition, GateKind, OUTPUT};
pub use error::CircuitError;
pub use families::ParityOrder;
pub use forward::{ForwardTrace, LayerValues, OutputGradient, is_correct};
pub use layered::{LayerGate, LayeredCircuit};
pub use least_norm::{LeastNormPerturbation, SearchSettings};
pub use limits::{
    MAX_ADDER_BITS, MAX_CIRCUIT_TEXT_BYTES, MAX_DESCENT_STEPS, MAX_GATES, MAX_INPUTS, MAX_LAYERED_GATES,
    MAX_LINK_CHARACTERS, MAX_MAJORITY_BITS, MAX_NETWORK_PARAMETERS, MAX_NOISE_DRAWS, MAX_PARITY_BITS,
    MAX_RANDOM_INPUTS, MAX_RUN_PARAMETERS, MAX_SEARCH_STARTS, MAX_TOY_DEPTH, MAX_TRUTH_TABLE_INPUTS,
};
pub use margin::{first_order_margin, rounded_toy_margin, toy_margin};
pub use matrices::{NamedMatrix, ParameterCounts};
pub use network::{Activation, FreeParameters, LinearLayer, ReluNetwork, Rounding, apply_rounding};
pub use search::{LeastNormSearch, PolishState, SearchStage};
pub use spec::{CircuitKind, CircuitMetric, CircuitSpec};
pub use theorem::{MarginBounds, SIGMA_ZETA, TheoremConstants};
