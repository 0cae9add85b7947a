//! Outputs of one pair: its loss, and the loss's slopes.

use crate::cpu::one_hidden_layer::{LANES, Row};

/// eˣ for x ≤ 0, and 0 where that is below the least normal number.
///
/// By the polynomial of Cephes (Moshier 1989) for |r| ≤ ln 2 / 2 and x = n ln 2 + r; within 2 units in the last
/// place. Only operations that IEEE 754 fixes, so that the bits are the same everywhere. In many small maps,
/// since the compiler does not inline a large one, and then makes no vectors of it.
#[inline(always)]
pub fn exp(x: Row) -> Row {
    /// Its addition rounds to a whole number, which then stands in the last bits.
    const ROUND: f32 = 12_582_912.0;
    /// ln 2 in two parts, of which the first has few digits.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    const SERIES: [f32; 6] = [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
    let shifted = x.map(|x| x * std::f32::consts::LOG2_E + ROUND);
    let n = shifted.map(|shifted| shifted - ROUND);
    let r = x.zip(n, |x, n| x - n * LN_2[0]).zip(n, |x, n| x - n * LN_2[1]);
    let mut series = Row::ZERO;
    for next in SERIES {
        series = series.zip(r, |s, r| s * r + next);
    }
    let series = series.zip(r, |s, r| s * (r * r) + r + 1.0);
    let power = shifted.map(|s| f32::from_bits((s.to_bits() << 23).wrapping_add(1.0f32.to_bits())));
    series.zip(power, |s, p| s * p).zip(x, |e, x| if x < -87.0 { 0.0 } else { e })
}

/// What softmax makes of a pair's outputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// The label's output less the largest other one.
    pub margin: f32,
    /// exp of the label's output, where the largest output is taken off all of them.
    of_label: f32,
    /// The sum of what exp makes of the others.
    others: f32,
}

impl Answer {
    /// Puts exp of the other outputs, less the largest output, into the place of the first `order` outputs, and
    /// nothing into that of the label and those beyond.
    #[inline(always)]
    pub fn new(outputs: &mut [Row], order: usize, label: usize) -> Self {
        let least = f32::NEG_INFINITY;
        let given = outputs[label / LANES].0[label % LANES];
        outputs[label / LANES].0[label % LANES] = least;
        if let Some(last) = outputs.last_mut() {
            for lane in last.0.iter_mut().skip(order - (order - 1) / LANES * LANES) {
                *lane = least;
            }
        }
        let larger = |a: f32, b: f32| if b > a { b } else { a };
        let mut other = outputs.iter().fold(Row([least; LANES]), |top, row| top.zip(*row, larger));
        let mut half = LANES / 2;
        while half > 0 {
            for l in 0..half {
                other.0[l] = larger(other.0[l], other.0[l + half]);
            }
            half /= 2;
        }
        let top = larger(other.0[0], given);
        outputs[label / LANES].0[label % LANES] = given;
        for row in outputs.iter_mut() {
            *row = exp(row.map(|f| f - top));
        }
        let of_label = std::mem::take(&mut outputs[label / LANES].0[label % LANES]);
        let others = outputs.iter().fold(Row::ZERO, |sum, row| sum + *row).sum();
        Answer { margin: given - other.0[0], of_label, others }
    }

    /// −ln softmax of the label, with the digits of small ones.
    #[inline(always)]
    pub fn loss(self) -> f32 {
        if self.margin > 0.0 {
            libm::log1pf(self.others)
        } else {
            libm::logf(self.of_label + self.others) - self.margin
        }
    }

    /// Turns what [`Answer::new`] left into ∂loss/∂f.
    #[inline(always)]
    pub fn slopes(self, outputs: &mut [Row], label: usize) {
        let scale = 1.0 / (self.of_label + self.others);
        for row in outputs.iter_mut() {
            *row = *row * scale;
        }
        // Not probability − 1, which would cancel.
        outputs[label / LANES].0[label % LANES] = -self.others * scale;
    }
}

/// Turns slopes for a label into those for the label with smoothing ε: its share, and an even one of every class.
#[inline(always)]
pub fn smooth(slopes: &mut [Row], order: usize, label: usize, smoothing: f32) {
    let share = smoothing / order as f32;
    for class in 0..order {
        slopes[class / LANES].0[class % LANES] -= share;
    }
    slopes[label / LANES].0[label % LANES] += smoothing;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_that_of_libm() {
        let single = |x: f32| exp(Row([x; LANES])).0[LANES - 1];
        for i in 0..=870_000 {
            let x = -(i as f32) * 1e-4;
            let exact = libm::exp(f64::from(x));
            assert!((f64::from(single(x)) - exact).abs() <= 2.5e-7 * exact, "{x}: {} {exact}", single(x));
        }
        assert_eq!([0.0, -88.0, -1e30, f32::NEG_INFINITY].map(single), [1.0, 0.0, 0.0, 0.0]);
        assert!(single(f32::NAN).is_nan());
    }

    #[test]
    fn losses_keep_their_digits() {
        for (outputs, label) in [
            (vec![20.0f32, 0.0, 1.0], 0usize),
            (vec![-3.0; 17], 16),
            (vec![1.0, 2.0, 30.0], 1),
            (vec![0.5], 0),
        ] {
            let exact: f64 = outputs.iter().map(|f| libm::exp(f64::from(f - outputs[label]))).sum();
            let others: f64 = exact - 1.0;
            let mut rows = vec![Row::ZERO; outputs.len().div_ceil(LANES)];
            for (c, f) in outputs.iter().enumerate() {
                rows[c / LANES].0[c % LANES] = *f;
            }
            let answer = Answer::new(&mut rows, outputs.len(), label);
            let close = |a: f32, b: f64| assert!((f64::from(a) - b).abs() <= 4e-7 * b.abs(), "{a} {b}");
            close(answer.loss(), libm::log1p(others));
            answer.slopes(&mut rows, label);
            for (c, f) in outputs.iter().enumerate() {
                let p = libm::exp(f64::from(f - outputs[label])) / exact;
                close(rows[c / LANES].0[c % LANES], if c == label { -others / exact } else { p });
            }
            assert!(rows[rows.len() - 1].0[(outputs.len() - 1) % LANES + 1..].iter().all(|v| *v == 0.0));
        }
    }
}
