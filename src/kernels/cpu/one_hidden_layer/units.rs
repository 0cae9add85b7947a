//! Non-linearities on rows and losses of single outputs, kinks included as
//! [`Activation::value_and_slope`] and [`Loss::compute`] define them.

use super::{LANES, Row};
use vivarium_model::models::Activation;
use vivarium_model::optim::loss::Loss;

/// 1 if true.
#[inline(always)]
fn one(on: bool) -> f32 {
    if on { 1.0 } else { 0.0 }
}

/// σ and σ' on the segment of the zigzag that z lies on.
#[inline(always)]
fn zigzag(z: f32, top: f32) -> (f32, f32) {
    let segment = (0.5 * (top - z)).floor();
    // By comparison, so that what is no number stays none.
    let segment = if segment < 0.0 { 0.0 } else { segment };
    let segment = if segment > top - 1.0 { top - 1.0 } else { segment };
    let slope = 1.0 - 2.0 * (segment - 2.0 * (0.5 * segment).floor());
    (slope * (1.0 + (z - (top - 2.0 * segment))), slope)
}

/// The triangle wave and its slope, from the distance to the nearest top.
#[inline(always)]
fn wave(z: f32, top: f32) -> (f32, f32) {
    let shifted = (z - top) * 0.25;
    let t = shifted - (shifted + 0.5).floor();
    (1.0 - 4.0 * t.abs(), one(t < 0.0) - one(t > 0.0))
}

/// cos(πt/2) and its derivative, by Taylor's series around the nearest whole t, where it ends below rounding.
#[inline(always)]
fn cosine(t: f32) -> (f32, f32) {
    const HALF: f32 = std::f32::consts::FRAC_PI_2;
    let quarter = (t + 0.5).floor();
    let x = (t - quarter) * HALF; // |x| ≤ π/4
    let s = x * x;
    let tail = 1.0 / 120.0 + s * (-1.0 / 5040.0 + s * (1.0 / 362_880.0));
    let sin = x + x * s * (-1.0 / 6.0 + s * tail);
    let tail = 1.0 / 24.0 + s * (-1.0 / 720.0 + s * (1.0 / 40_320.0));
    let cos = 1.0 + s * (-0.5 + s * tail);
    // cos(x + qπ/2) is cos, −sin, −cos, sin for q = 0, 1, 2, 3, and the sine runs one ahead.
    let turn = quarter - 4.0 * (0.25 * quarter).floor();
    let odd = turn == 1.0 || turn == 3.0;
    let value = if odd { sin } else { cos };
    let other = if odd { cos } else { sin };
    let value = if turn == 1.0 || turn == 2.0 { -value } else { value };
    let other = if turn >= 2.0 { -other } else { other };
    (value, -HALF * other)
}

/// Replaces each row by σ of it and, if they are wanted, puts σ' into the other rows; `$sigma` gives both for a number.
///
/// # Why
/// A closure of this length is not inlined, and what is not inlined has no vectors: 48 networks of one sine made
/// 1,125 steps/s in place of 3,340 (batches of 128, one core of an Intel Xeon, 2026-11-26). Two loops, since a loop that makes
/// pairs does not become vectors either.
macro_rules! lane_by_lane {
    ($z:ident, $slopes:ident, |$number:ident| $sigma:expr) => {
        if SLOPES {
            for (z, slope) in $z.iter_mut().zip($slopes) {
                for ($number, slope) in z.0.into_iter().zip(&mut slope.0) {
                    *slope = $sigma.1;
                }
                for z in &mut z.0 {
                    let $number = *z;
                    *z = $sigma.0;
                }
            }
        } else {
            for z in $z.iter_mut().flat_map(|z| &mut z.0) {
                let $number = *z;
                *z = $sigma.0;
            }
        }
    };
}

/// Replaces z by σ(z) and, if they are wanted, puts σ'(z) into `slopes`. `coefficients` are those of the
/// oscillating polynomial.
#[inline(always)]
pub fn activate<const SLOPES: bool>(
    (activation, degree): (Activation, usize),
    coefficients: &[f32],
    z: &mut [Row],
    slopes: &mut [Row],
) {
    let top = degree as f32;
    // Equal for a period, and small enough to lose no digits of z.
    let near = |shift: usize| ((degree + shift) % 4) as f32;
    match activation {
        Activation::Relu => each::<SLOPES>(z, slopes, |z| {
            let on = one(z > 0.0);
            (z * on, on)
        }),
        Activation::Power => rows::<SLOPES>(z, slopes, |z| {
            let below = (1..degree).fold(Row([1.0; LANES]), |power, _| power.zip(z, |a, b| a * b));
            (below.zip(z, |a, b| a * b), below * top)
        }),
        Activation::Zigzag => lane_by_lane!(z, slopes, |z| zigzag(z, top)),
        Activation::Wave => {
            let top = near(0);
            lane_by_lane!(z, slopes, |z| wave(z, top));
        }
        Activation::Oscillating => rows::<SLOPES>(z, slopes, |z| {
            coefficients.iter().rev().fold((Row::ZERO, Row::ZERO), |(value, slope), c| {
                let slope = slope.zip(z, |s, z| s * z) + value;
                (value.zip(z, |v, z| v * z + c), slope)
            })
        }),
        Activation::Sine => {
            let top = near(0);
            lane_by_lane!(z, slopes, |z| cosine(z - top));
        }
    }
}

#[inline(always)]
fn rows<const SLOPES: bool>(z: &mut [Row], slopes: &mut [Row], f: impl Fn(Row) -> (Row, Row)) {
    if SLOPES {
        for (z, slope) in z.iter_mut().zip(slopes) {
            (*z, *slope) = f(*z);
        }
    } else {
        for z in z.iter_mut() {
            *z = f(*z).0;
        }
    }
}

#[inline(always)]
fn each<const SLOPES: bool>(z: &mut [Row], slopes: &mut [Row], f: impl Fn(f32) -> (f32, f32)) {
    // Two maps, since a loop that makes pairs does not become vectors.
    rows::<SLOPES>(z, slopes, |z| (z.map(|z| f(z).0), z.map(|z| f(z).1)));
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
        Loss::Hinge => -label * one(margin < 1.0),
        Loss::Square => 2.0 * (output - label),
        Loss::CrossEntropy => -label / (1.0 + libm::expf(margin)),
        Loss::Correlation => -label,
    }
}
