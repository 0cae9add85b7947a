//! Norms of rows in double precision, there and back.
//!
//! ```text
//! y = r·(h − mean(h)),   r = 1/√(mean square + ε)      what is read is y times the gains
//! ```
//!
//! A root mean square norm takes no mean off. With dX for the gradient of the loss with respect to X, a norm has
//! dh = r·(dy − y·mean(y dy)), less r·mean(dy) where the mean is taken off.

use vivarium_core::math::dot;

/// Added to the mean square in a norm.
pub const NORM_EPSILON: f32 = 1e-5;

/// What a norm gives.
pub(super) struct Normed {
    /// What is read, `standard` times the gains, `[t, width]`.
    pub out: Vec<f64>,
    /// y, `[t, width]`; empty without a norm.
    pub standard: Vec<f64>,
    /// r of each row; empty without a norm.
    pub slopes: Vec<f64>,
}

impl Normed {
    /// The norm of each row of `h`, of which the mean is taken off where it is `centred`.
    ///
    /// # Shapes
    /// `h` is `[t, width]` and `gains` is `[width]`.
    pub fn of(h: &[f64], gains: &[f64], centred: bool) -> Normed {
        let d = gains.len();
        let (mut standard, mut slopes) = (h.to_vec(), vec![]);
        for row in standard.chunks_exact_mut(d) {
            if centred {
                let mean = row.iter().sum::<f64>() / d as f64;
                row.iter_mut().for_each(|v| *v -= mean);
            }
            let slope = 1.0 / libm::sqrt(dot(row, row) / d as f64 + f64::from(NORM_EPSILON));
            row.iter_mut().for_each(|v| *v *= slope);
            slopes.push(slope);
        }
        let out = standard.iter().zip(gains.iter().cycle()).map(|(v, g)| v * g).collect();
        Normed { out, standard, slopes }
    }

    /// `h` itself, where there is no norm.
    pub fn none(h: &[f64]) -> Normed {
        Normed { out: h.to_vec(), standard: vec![], slopes: vec![] }
    }

    /// From the gradient with respect to what is read to that with respect to h; adds to `gradient` that with respect to
    /// the gains.
    ///
    /// # Shapes
    /// `slopes` and the result are `[t, width]`; `gains` and `gradient` are `[width]`.
    pub fn back(&self, mut slopes: Vec<f64>, gains: &[f64], gradient: &mut [f64], centred: bool) -> Vec<f64> {
        let d = gains.len();
        let rows = slopes.chunks_exact_mut(d).zip(self.standard.chunks_exact(d)).zip(&self.slopes);
        for ((row, standard), slope) in rows {
            for ((v, y), (g, dg)) in row.iter_mut().zip(standard).zip(gains.iter().zip(&mut *gradient)) {
                *dg += *v * y;
                *v *= g;
            }
            let along = dot(row, standard) / d as f64;
            let mean = if centred { row.iter().sum::<f64>() / d as f64 } else { 0.0 };
            row.iter_mut().zip(standard).for_each(|(v, y)| *v = slope * (*v - mean - y * along));
        }
        slopes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows of three, and what stands before and behind the norm.
    const H: [f64; 6] = [1.0, -2.0, 0.5, 3.0, 0.25, -1.0];
    const GAINS: [f64; 3] = [0.5, -1.5, 2.0];
    const DOWN: [f64; 6] = [0.3, -0.7, 1.1, 0.2, 0.9, -0.4];

    #[test]
    fn rows_have_a_mean_square_of_one_and_the_mean_that_is_requested() {
        for centred in [true, false] {
            let normed = Normed::of(&H, &GAINS, centred);
            for (row, out) in normed.standard.chunks(3).zip(normed.out.chunks(3)) {
                assert!((dot(row, row) / 3.0 - 1.0).abs() < 1e-4, "{row:?}");
                assert_eq!(row.iter().sum::<f64>().abs() < 1e-12, centred, "{row:?}");
                assert_eq!(out, [row[0] * 0.5, row[1] * -1.5, row[2] * 2.0]);
            }
        }
    }

    #[test]
    fn gradients_are_those_of_central_differences() {
        for centred in [true, false] {
            let loss = |h: &[f64], gains: &[f64]| dot(&Normed::of(h, gains, centred).out, &DOWN);
            let mut of_gains = [0.0; 3];
            let of_h = Normed::of(&H, &GAINS, centred).back(DOWN.to_vec(), &GAINS, &mut of_gains, centred);
            let step = 1e-6;
            let near = |found: f64, [above, below]: [f64; 2], at: usize| {
                let expected = (above - below) / (2.0 * step);
                assert!((found - expected).abs() < 1e-8, "{at}: {found} for {expected}");
            };
            for (at, found) in of_h.iter().enumerate() {
                let moved = |by: f64| {
                    let mut h = H;
                    h[at] += by;
                    loss(&h, &GAINS)
                };
                near(*found, [step, -step].map(moved), at);
            }
            for (at, found) in of_gains.iter().enumerate() {
                let moved = |by: f64| {
                    let mut gains = GAINS;
                    gains[at] += by;
                    loss(&H, &gains)
                };
                near(*found, [step, -step].map(moved), at);
            }
        }
    }
}
