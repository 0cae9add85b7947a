//! What is inside the network of a run, of whichever family.
//!
//! # Why
//! A network shows what is inside it by itself, from its weights. The file of a forest holds only how many trees have grown, so
//! that its learner has to grow them again.

use crate::cpu::random_forest;
use vivarium_model::models::Family;
use vivarium_model::models::inside::{At, Inside};
use vivarium_model::run::RunSpec;

/// Arrays of one replica's network for every row of `x`.
///
/// # Shapes
/// As [`Network::inside`](vivarium_model::models::Network::inside).
///
/// # Errors
/// As [`Network::inside_at`](vivarium_model::models::Network::inside_at).
pub fn inside(spec: &RunSpec, at: &At<'_>, weights: &[&[f32]], x: &[f32]) -> Result<Vec<Inside>, String> {
    match spec.model.config().family() {
        Some(Family::Forest(trees)) => random_forest::inside(spec, trees, at, x),
        _ => spec.network().inside_at(at, weights, spec.task.examples().inputs(), x),
    }
}
