//! Mathematics that knows no network.
//!
//! | module | contents |
//! |---|---|
//! | [`groups`] | finite groups and their irreducible real representations |
//! | [`markov`] | Markov chains, and how well they can be predicted |
//! | [`tokens`] | prompts whose positions name tokens, and the theory of such prompts |
//! | [`mod@functions`] | prompts of points of a function, and baselines that predict them without a transformer |
//! | [`descent`] | a transformer whose layers make gradient descent on a network that is stored in its tokens |
//! | [`circuits`] | Boolean circuits as networks of ReLUs, and how far their weights may move |
//! | [`succinct`] | learning algorithms inside convolutional networks: programs on a grid of examples, and rules found by search |
//! | [`machines`] | Turing machines, and a transformer that runs them |

#[macro_use]
extern crate vivarium_core;

pub mod circuits;
pub mod descent;
pub mod functions;
pub mod groups;
pub mod machines;
pub mod markov;
pub mod succinct;
pub mod tokens;
