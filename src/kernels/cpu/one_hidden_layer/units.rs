//! Products of hidden units, and losses of single outputs as [`Loss::compute`] defines them, kinks included.

use super::Row;
use vivarium_model::models::Activation;
use vivarium_model::optim::loss::Loss;
use vivarium_operators::pointwise;

/// Replaces z by σ(z) and, if `SLOPES`, writes σ'(z) into `slopes`. `coefficients` are those of the
/// oscillating polynomial.
#[inline(always)]
pub fn activate<const SLOPES: bool>(
    (activation, degree): (Activation, usize),
    coefficients: &[f32],
    z: &mut [Row],
    slopes: &mut [Row],
) {
    pointwise::apply::<SLOPES>(activation.function(degree), coefficients, z, slopes);
}

/// f = Π z of the first `width` lanes, which goes into the first lane, and the slopes of f in each of them.
#[inline(always)]
pub fn multiply(width: usize, z: &mut [Row], slopes: &mut [Row]) {
    for (z, slopes) in z.iter_mut().zip(slopes) {
        let mut product = 1.0;
        *slopes = Row::ZERO;
        // What comes before, then what comes after.
        for lane in 0..width {
            slopes.0[lane] = product;
            product *= z.0[lane];
        }
        let mut after = 1.0;
        for lane in (0..width).rev() {
            slopes.0[lane] *= after;
            after *= z.0[lane];
        }
        *z = Row::ZERO;
        z.0[0] = product;
    }
}

/// Loss of a label in {−1, +1} and an output.
#[inline(always)]
pub fn loss_value(loss: Loss, label: f32, output: f32) -> f32 {
    let margin = label * output;
    match loss {
        Loss::Hinge => (1.0 - margin).max(0.0),
        Loss::Square => (output - label) * (output - label),
        Loss::CrossEntropy => (-margin).max(0.0) + libm::log1pf(libm::expf(-margin.abs())),
        Loss::Correlation => -margin,
    }
}

/// The same as it is measured: no number where the output is none, since the largest of 0 and what is no number would be 0.
#[inline(always)]
pub fn measured_loss(loss: Loss, label: f32, output: f32) -> f32 {
    if output.is_finite() { loss_value(loss, label, output) } else { f32::NAN }
}

/// The loss's slope in the output.
#[inline(always)]
pub fn loss_gradient(loss: Loss, label: f32, output: f32) -> f32 {
    let margin = label * output;
    match loss {
        Loss::Hinge => -label * if margin < 1.0 { 1.0 } else { 0.0 },
        Loss::Square => 2.0 * (output - label),
        Loss::CrossEntropy => -label / (1.0 + libm::expf(margin)),
        Loss::Correlation => -label,
    }
}
