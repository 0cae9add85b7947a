//! The exact Fourier coefficients of the label over the relevant bits, and the leap of the function.

use vivarium_core::sorting;
use vivarium_model::tasks::sparse_boolean::charts;
use vivarium_model::tasks::{SparseBoolean, Task};
use vivarium_plot::analysis::{BarChart, Reading, walsh};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartDependency, ChartSpec};
use vivarium_view::display::words::format_decimal;

/// Maximum number of bars in the chart of Fourier coefficients, which shows those with the largest absolute values.
pub const MAX_BARS: usize = 16;

/// The chart of the Fourier coefficients of the label over the relevant bits; available for sparse Boolean functions.
pub const FOURIER_CHART: ChartSpec = ChartSpec::new(charts::FOURIER, |run| Reading::Bars(draw(run)))
    .applies(|run| {
        sparse_boolean_task(run)
            .map(|_| ())
            .ok_or_else(|| tr!("Available only for sparse Boolean functions.").into())
    })
    .summary(|run| sparse_boolean_task(run).map(summarize))
    .depends_on(ChartDependency::Nothing);

/// The task of a run if it is a sparse Boolean function, otherwise none.
fn sparse_boolean_task(run: &RunView) -> Option<&SparseBoolean> {
    match &run.spec().task {
        Task::SparseBoolean(task) => Some(task),
        _ => None,
    }
}

/// All 2ᵏ Fourier coefficients of the task's label, a function of k relevant bits. The index is a bit mask: bit i, from
/// 0, is set if relevant bit i + 1 is a factor of the product. In the label and in the bits, 1 is +1 and 0 is −1.
pub fn fourier_coefficients(task: &SparseBoolean) -> Vec<f64> {
    let (bits, table) = (task.relevant_bit_count(), task.truth_table());
    // A set bit of a point is the input −1, which is 0 in the truth table, whose rows begin with the first bit.
    let row = |point: usize| (0..bits).fold(0, |row, i| row << 1 | usize::from(point >> i & 1 == 0));
    let mut values: Vec<f64> =
        (0..table.len()).map(|point| if table[row(point)] { 1.0 } else { -1.0 }).collect();
    walsh::walsh_transform(&mut values);
    values
}

/// The product of relevant bits in `set` as text: "x1x3" for the bit mask 101, and "1" for the empty set.
fn format_product(set: usize) -> String {
    match set {
        0 => "1".into(),
        set => (0..usize::BITS).filter(|i| set >> i & 1 == 1).map(|i| format!("x{}", i + 1)).collect(),
    }
}

/// The indices of the nonzero Fourier coefficients, each a bit mask of relevant bits, by decreasing absolute value of
/// the coefficient; ties by the number of bits.
pub fn nonzero_sets(coefficients: &[f64]) -> Vec<usize> {
    let by_size = |a: usize, b: usize| {
        let size = |set: usize| coefficients[set].abs();
        size(b).total_cmp(&size(a)).then(a.count_ones().cmp(&b.count_ones()))
    };
    let mut sets = sorting::argsort(coefficients.len(), &by_size);
    // Sums of 2ᵏ signs are exact.
    sets.retain(|set| coefficients[*set] != 0.0);
    sets
}

/// The leap of a function whose nonzero Fourier coefficients have these sets of bits (bit masks): the maximum number of
/// bits that one set adds to the union of the sets before it, in the order of the sets that minimises this maximum
/// (Abbe, Boix-Adsera and Misiakiewicz 2023). 0 without sets.
///
/// # Why
/// The greedy order, always the set that adds the fewest bits, is optimal: in any other order, the first set that is
/// still missing here adds at least as many bits there, since fewer bits are known.
pub fn compute_leap(sets: &[usize]) -> u32 {
    let (mut left, mut known, mut leap) = (sets.to_vec(), 0usize, 0u32);
    while let Some(at) = (0..left.len()).min_by_key(|at| (left[*at] & !known).count_ones()) {
        let next = left.swap_remove(at);
        leap = leap.max((next & !known).count_ones());
        known |= next;
    }
    leap
}

/// The bar chart of the [`MAX_BARS`] Fourier coefficients of a run's task with the largest absolute values, without
/// those that are 0; bars are ordered by the number of bits in the product, then by bit mask.
fn draw(run: &RunView) -> BarChart {
    let coefficients = sparse_boolean_task(run).map(fourier_coefficients).unwrap_or_default();
    let mut shown = nonzero_sets(&coefficients);
    shown.truncate(MAX_BARS);
    sorting::sort_by(&mut shown, |a, b| a.count_ones().cmp(&b.count_ones()).then(a.cmp(b)));
    BarChart {
        title: charts::FOURIER.name().into(),
        x_label: tr!("product of relevant bits").into(),
        y_label: tr!("Fourier coefficient").into(),
        bars: shown.into_iter().map(|set| (format_product(set), coefficients[set] as f32)).collect(),
        ..Default::default()
    }
}

/// Summary of the chart of Fourier coefficients: degree (number of bits in the largest product) and leap of the
/// function, number of nonzero coefficients, and the coefficient with the largest absolute value.
fn summarize(task: &SparseBoolean) -> String {
    let coefficients = fourier_coefficients(task);
    let sets = nonzero_sets(&coefficients);
    let degree = sets.iter().map(|set| set.count_ones()).max().unwrap_or(0);
    let leap = compute_leap(&sets);
    let largest = sets.first().copied().unwrap_or(0);
    let (all, value, name) =
        (coefficients.len(), format_decimal(coefficients[largest] as f32), format_product(largest));
    match sets.len() {
        1 => tr!(
            "The function has degree {degree} and leap {leap}. Of its {all} Fourier coefficients, only one is different from 0: the coefficient of {name} (value: {value}).",
            degree,
            leap,
            all,
            value,
            name
        ),
        count => tr!(
            "The function has degree {degree} and leap {leap}. Of its {all} Fourier coefficients, {count} are different from 0. The coefficient of {name} has the largest absolute value; this coefficient is {value}.",
            degree,
            leap,
            all,
            count,
            value,
            name
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    fn task(query: &str) -> SparseBoolean {
        let (link, notices) = decode(&format!("#v1/sparse-boolean?{query}"));
        assert!(notices.is_empty(), "{query}: {notices:?}");
        let Task::SparseBoolean(task) = link.spec.task else { panic!("a sparse Boolean function") };
        task
    }

    /// f̂(S) = E[f(x) · ∏_{i∈S} x_i], with the sum written out.
    #[test]
    fn coefficients_are_those_of_the_definition() {
        for query in [
            "fn=own",
            "fn=own&own=x1_*_(x2_+_~x3)_@_x4",
            "fn=own&own=maj(x1,x2*~x3,x4@x5)",
            "fn=own&own=0x6a",
            "fn=own&own=01",
            "fn=and&k=4",
            "fn=or&k=3",
            "fn=majority&k=5",
            "fn=parity&k=8",
        ] {
            let task = task(query);
            let (bits, table) = (task.relevant_bit_count(), task.truth_table());
            let found = fourier_coefficients(&task);
            assert_eq!(found.len(), 1 << bits);
            for (set, found) in found.iter().enumerate() {
                let sum: f64 = (0..1usize << bits)
                    .map(|row| {
                        let sign = |i: usize| if row >> (bits - 1 - i) & 1 == 1 { 1.0 } else { -1.0 };
                        let label = if table[row] { 1.0 } else { -1.0 };
                        (0..bits).filter(|i| set >> i & 1 == 1).fold(label, |product, i| product * sign(i))
                    })
                    .sum();
                assert_eq!(*found, sum / (1u64 << bits) as f64, "{query}: {set:b}");
            }
            // Parseval: the label is 1 or −1 everywhere.
            assert!((found.iter().map(|c| c * c).sum::<f64>() - 1.0).abs() < 1e-12, "{query}");
        }
    }

    /// AND of two bits is (−1 + x1 + x2 + x1x2)/2; where x3 is 1, the label is −x1x2, and otherwise −1.
    #[test]
    fn known_functions_have_their_known_coefficients() {
        assert_eq!(fourier_coefficients(&task("fn=and&k=2")), [-0.5, 0.5, 0.5, 0.5]);
        let mut expected = [0.0; 8];
        (expected[0], expected[0b100]) = (-0.5, 0.5);
        (expected[0b011], expected[0b111]) = (-0.5, -0.5);
        assert_eq!(fourier_coefficients(&task("fn=own&own=(x1@x2)*x3")), expected);
        // An odd number of ones of three is an odd number of signs +1.
        let parity = fourier_coefficients(&task("fn=parity&k=3"));
        assert_eq!((parity[0b111], nonzero_sets(&parity).len()), (1.0, 1));
    }

    /// The largest number of new bits in the best of all orders.
    fn best_order(sets: &[usize], known: usize) -> u32 {
        let next = |at: usize| {
            let mut others = sets.to_vec();
            let set = others.remove(at);
            (set & !known).count_ones().max(best_order(&others, known | set))
        };
        (0..sets.len()).map(next).min().unwrap_or(0)
    }

    #[test]
    fn the_leap_is_that_of_the_best_of_all_orders() {
        assert_eq!(compute_leap(&[]), 0);
        // x1 + x1x2 + x1x2x3 is a staircase; without the step in the middle two bits are added at once.
        assert_eq!((compute_leap(&[0b111, 0b011, 0b001]), compute_leap(&[0b111, 0b001])), (1, 2));
        for (query, expected) in [
            ("fn=own&own=x1_@_(x2_*_x3)", 1),
            ("fn=own&own=(x1_@_x2)_*_x3", 2),
            ("fn=own&own=x1_*_(x2_@_x3_@_x4)", 3),
            ("fn=majority&k=5", 1),
            ("fn=and&k=4", 1),
            ("fn=parity&k=4", 4),
        ] {
            assert_eq!(compute_leap(&nonzero_sets(&fourier_coefficients(&task(query)))), expected, "{query}");
        }
        // Every choice of up to five sets of three bits.
        for chosen in 0u32..256 {
            let all: Vec<usize> = (0..8).filter(|set| chosen >> set & 1 == 1).collect();
            if all.len() <= 5 {
                assert_eq!(compute_leap(&all), best_order(&all, 0), "{all:?}");
            }
        }
    }
}
