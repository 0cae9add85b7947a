//! Boolean circuits as ReLU networks, and how large a perturbation of all weights they survive (Wei, Chen and Ma 2022,
//! "Statistically meaningful approximation", sections 2.1, 3 and D). Nothing is trained: the weights are written down.
//!
//! ```text
//! circuit   s = a and b; c = not s; out = c or a          AND, OR, NOT, ID gates in q layers
//! network   F(x, θ) = ±1                                  2(q − 1) + 1 linear layers, rounding after each gate layer or not
//! margin    ρ = min ‖δ‖₂ with (y − ½) F(x, θ + δ) ≤ 0     all-layer margin: the smallest perturbation that changes the answer
//! ```
//!
//! | module | what it gives |
//! |---|---|
//! | `circuit`, `text`, `layered`, `named`, `drawn` | [`Circuit`], its text form, its layers, circuits that have a name, and which one a run is about |
//! | `network`, `forward`, `matrices` | [`Network`], its values, gradients and matrices |
//! | `margin` | margins of the toy that are known exactly |
//! | `boundary` | upper bounds on the margin: the smallest noise that changes the answer |
//! | `least_norm`, `searching`, `moves` | better upper bounds: the least-norm perturbation that a search finds, one small iteration at a time |
//! | `theorem` | a lower bound: theorem D.6 with the constants of the network itself |
//! | `limits` | how large all of these may be |
//!
//! ```
//! use vivarium_science::circuits::{Circuit, Network, Order, Rounding, Search};
//! let circuit = Circuit::parity(3, Order::Chain).unwrap().layered().unwrap();
//! let network = Network::new(&circuit, Rounding::On).unwrap();
//! let bits = [true, false, true];
//! assert_eq!(network.answer(&bits), Ok(false));
//! let least = network.least_norm(&bits, Search::default()).unwrap().unwrap();
//! let bound = network.theorem(&bits).unwrap().unwrap();
//! assert!(bound.bound < bound.held && bound.held < least.norm && least.norm <= least.noise[0].norm);
//! ```

mod boundary;
mod circuit;
mod drawn;
mod error;
mod forward;
mod kept;
mod layered;
mod least_norm;
mod limits;
mod margin;
mod matrices;
mod moves;
mod named;
mod network;
mod searching;
#[cfg(test)]
mod tests;
mod text;
mod theorem;

pub use boundary::Flip;
pub use circuit::{Circuit, Gate, Kind, Line, OUTPUT};
pub use drawn::{Drawn, Measured, Named};
pub use error::CircuitError;
pub use forward::{Gradient, Trace, Values, is_right};
pub use layered::{Layered, Place};
pub use least_norm::{Least, Search};
pub use limits::{
    MOST_DRAWS, MOST_GATES, MOST_IN_ADDER, MOST_IN_LINK, MOST_IN_MAJORITY, MOST_IN_PARITY, MOST_IN_RANDOM,
    MOST_IN_RUN, MOST_IN_TABLE, MOST_IN_TOY, MOST_INPUTS, MOST_PARAMETERS, MOST_SIZE, MOST_STARTS,
    MOST_STEPS, MOST_TEXT,
};
pub use margin::{first_order_margin, rounded_toy_margin, toy_margin};
pub use matrices::{Counts, Matrix};
pub use named::Order;
pub use network::{Activation, Free, Layer, Network, Rounding, rounded};
pub use searching::{Polish, Searching, Stage};
pub use theorem::{Bound, Constants, SIGMA_ZETA};
