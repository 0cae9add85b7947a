//! The products.

use super::{Panels, PanelsMut};
use crate::cpu::one_hidden_layer::{LANES, Row};
pub use crate::cpu::sequence_net::products::HIGH;
use crate::cpu::sequence_net::products::{NONE, Sums, inner, outer, store, sums_of};
use crate::cpu::wide::{row_by_row, wide};

/// Samples over which sums stay in registers while gradients are added up: what they touch fits into the first cache.
const TOGETHER: usize = 64;

wide! {
    /// x w, of `count` samples in full tiles, instead of what is in `out` or, if it `adds`, on top of it.
    ///
    /// # Shapes
    /// `x` is `[panel of inputs][sample]`, `out` is `[panel of outputs][sample]`; `w` is `[panel of outputs][input]`
    /// with as many panels as `out`, and `inputs` of its rows count.
    pub fn product(x: Panels<'_>, w: Panels<'_>, inputs: usize, out: &mut PanelsMut<'_>, count: usize, adds: bool) {
        let many = w.rows.len().div_ceil(w.stride);
        for panel in 0..many {
            let w = w.panel(panel, inputs);
            let out = out.panel(panel, count);
            for i in (0..count).step_by(HIGH) {
                let sums = if adds { sums_of(&out[i..]) } else { NONE };
                store(&mut out[i..], tile(x, i, w, sums));
            }
        }
    }
}

/// Σ_k x\[i + r\]\[k\] w_k, added to sums.
#[inline(always)]
fn tile(x: Panels<'_>, i: usize, w: &[Row], mut sums: Sums) -> Sums {
    for (panel, w) in w.chunks(LANES).enumerate() {
        sums = inner(&x.rows[panel * x.stride + i..], w, sums);
    }
    sums
}

wide! {
    /// Adds rows to others.
    pub fn add(numbers: &mut [Row], others: &[Row]) {
        for (number, other) in numbers.iter_mut().zip(others) {
            row_by_row();
            *number = *number + *other;
        }
    }
}

wide! {
    /// Adds xᵀ d of `count` samples to `slope`.
    ///
    /// # Shapes
    /// `x` is `[panel of inputs][sample]`, `d` is `[panel of outputs][sample]`; `slope` is `[panel of outputs][input]`
    /// with as many panels as `d`, and room for full tiles of its `inputs` rows.
    pub fn learn(x: Panels<'_>, d: Panels<'_>, outputs: usize, inputs: usize, slope: &mut PanelsMut<'_>, count: usize) {
        for from in (0..count).step_by(TOGETHER) {
            let count = (count - from).min(TOGETHER);
            for panel in 0..outputs {
                let d = d.from(from).panel(panel, count);
                let slope = slope.panel(panel, inputs.next_multiple_of(HIGH));
                for (k, slope) in slope.chunks_exact_mut(HIGH).enumerate() {
                    let x = x.from(from).panel(k * HIGH / LANES, count);
                    store(slope, outer(x, k % (LANES / HIGH), d, sums_of(slope)));
                }
            }
        }
    }
}
