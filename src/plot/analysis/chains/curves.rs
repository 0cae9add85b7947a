//! Measures of networks on sequences over the steps, and which strategy is nearest.

use crate::analysis::curves::{RunHistory, median_range, median_series};
use crate::analysis::replicas::{ReplicaCurves, ReplicaMeasure, diverged_replicas, without_diverged};
use crate::analysis::{AxisSpan, LineChart, Role, Series};
use vivarium_core::language::translated;
use vivarium_model::protocol::Measurement;
use vivarium_science::markov::ChainMeasure;

/// The in-context strategies that are possible on Markov chains of this `order`: uniform, unigram and so on. Each is
/// represented by the measure KL(strategy ‖ network).
pub fn strategies(order: usize) -> &'static [ChainMeasure] {
    &ChainMeasure::ALL[..=order.min(ChainMeasure::Tetragram as usize)]
}

/// Display name, in lower case, of the strategy or score that this measure belongs to.
pub fn strategy_name(of: ChainMeasure) -> String {
    translated(ChainMeasure::OPTIONS[of as usize].label).to_lowercase()
}

/// Colour role of the curve of a strategy, the same in every chart.
fn strategy_role(of: ChainMeasure) -> Role {
    match of {
        ChainMeasure::Uniform => Role::Other,
        ChainMeasure::Bigram => Role::Test,
        ChainMeasure::Trigram => Role::Relevant,
        _ => Role::Train,
    }
}

/// Values of the measure `of` in the measurement `row`, one per replica; empty if it does not apply.
pub fn measured_values(row: &Measurement, of: ChainMeasure) -> &[f32] {
    row.measures.get(of as usize).map_or(&[], Vec::as_slice)
}

/// The strategy with the smallest KL(strategy ‖ network) in the measurement `row`, by medians over the replicas that have
/// not diverged, on chains of this `order`; `None` if nothing is measured.
pub fn nearest_strategy(row: &Measurement, order: usize) -> Option<ChainMeasure> {
    let diverged = diverged_replicas(row, false);
    let median = |of| median_range(&without_diverged(measured_values(row, of), &diverged)).0;
    argmin_measure(strategies(order).iter().map(|of| (*of, median(*of))))
}

/// The measure with the smallest median over replicas, from `middles`, pairs (measure, median); `None` if no median is
/// finite.
fn argmin_measure(middles: impl Iterator<Item = (ChainMeasure, f32)>) -> Option<ChainMeasure> {
    middles.filter(|(_, kl)| kl.is_finite()).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(of, _)| of)
}

/// Intervals of training steps of a run on Markov chains of this `order`, each named after the strategy with the
/// smallest KL(strategy ‖ network) during it, by medians over replicas.
pub fn strategy_phases(history: &RunHistory, order: usize) -> Vec<AxisSpan> {
    let mut phases: Vec<(ChainMeasure, u64, u64)> = vec![];
    let middles = |of: &ChainMeasure| {
        history.median_ranges(ReplicaMeasure::TaskMeasure(*of as usize)).map(|(_, spread)| spread.0)
    };
    let mut middles: Vec<_> = strategies(order).iter().map(|of| (*of, middles(of))).collect();
    for row in history.rows() {
        let of_row: Vec<_> = middles.iter_mut().filter_map(|(of, next)| Some((*of, next.next()?))).collect();
        let Some(of) = argmin_measure(of_row.into_iter()) else { continue };
        if let Some((_, _, until)) = phases.last_mut() {
            *until = row.step;
        }
        if phases.last().is_none_or(|(before, ..)| *before != of) {
            phases.push((of, row.step, row.step));
        }
    }
    let span = |(of, from, to): (ChainMeasure, u64, u64)| AxisSpan {
        from: from as f64,
        to: to as f64,
        name: tr!("nearest strategy: {name}", name = strategy_name(of)),
        role: strategy_role(of),
    };
    phases.into_iter().map(span).collect()
}

/// Line chart of KL(true chain ‖ network), in nats, over steps for Markov chains of this `order`; `lines` are reference
/// lines as pairs (strategy name, KL in nats), and the background of each interval of steps shows the strategy with the
/// smallest KL(strategy ‖ network).
pub fn kl_to_truth_chart(history: &RunHistory, order: usize, lines: &[(String, f64)]) -> LineChart {
    LineChart {
        title: tr!("KL to the truth").into(),
        x_label: tr!("step").into(),
        y_label: tr!("KL (nats)").into(),
        series: vec![median_series(history, tr!("network"), Role::Test, ReplicaMeasure::TestLoss)],
        reference_lines: lines.iter().map(|(name, kl)| (*kl, name.clone())).collect(),
        spans: strategy_phases(history, order),
        ..Default::default()
    }
}

/// Curve of one measure: median and range over replicas, at the steps where it is measured.
fn measure_series(history: &RunHistory, of: ChainMeasure, name: String, role: Role) -> Series {
    let mut curve = Series { name, role, ..Default::default() };
    for (row, (middle, low, high)) in history.median_ranges(ReplicaMeasure::TaskMeasure(of as usize)) {
        let values = measured_values(row, of);
        if values.is_empty() {
            continue;
        }
        curve.x.push(row.step as f64);
        curve.y.push(middle);
        if values.len() > 1 {
            curve.band.push((low, high));
            curve.replica_curves =
                Some(ReplicaCurves::all_replicas(ReplicaMeasure::TaskMeasure(of as usize)));
        }
    }
    curve
}

/// Line chart of KL(strategy ‖ network) over steps, one curve for each strategy that is possible on Markov chains of
/// this `order`.
pub fn strategy_kl_chart(history: &RunHistory, order: usize) -> LineChart {
    let of = |of: &ChainMeasure| measure_series(history, *of, strategy_name(*of), strategy_role(*of));
    LineChart {
        title: tr!("KL to the strategies").into(),
        x_label: tr!("step").into(),
        y_label: tr!("KL(strategy ‖ network), nats").into(),
        series: strategies(order).iter().map(of).collect(),
        ..Default::default()
    }
}

/// Line chart over steps of the previous-token score and the induction score, the largest attention of a head to the
/// previous symbol and to the symbol after an earlier occurrence; each from 0 to 1.
pub fn head_score_chart(history: &RunHistory) -> LineChart {
    let of = |(of, role)| measure_series(history, of, strategy_name(of), role);
    LineChart {
        title: tr!("Previous-token and induction scores").into(),
        x_label: tr!("step").into(),
        y_label: tr!("share of attention").into(),
        y_range: Some((0.0, 1.02)),
        series: [(ChainMeasure::Previous, Role::Train), (ChainMeasure::Induction, Role::Test)]
            .map(of)
            .to_vec(),
        ..Default::default()
    }
}

/// Line chart of KL(true chain ‖ network) over steps, one curve for each distribution from which held-out chains are
/// drawn.
pub fn kl_by_distribution_chart(history: &RunHistory) -> LineChart {
    let laws = [
        (ChainMeasure::OnDirichlet, Role::Train),
        (ChainMeasure::OnIndependent, Role::Test),
        (ChainMeasure::OnDoubly, Role::Relevant),
    ];
    let of = |(of, role): (ChainMeasure, Role)| {
        measure_series(history, of, translated(ChainMeasure::OPTIONS[of as usize].label).into(), role)
    };
    LineChart {
        title: tr!("KL on each kind of chain").into(),
        x_label: tr!("step").into(),
        y_label: tr!("KL (nats)").into(),
        series: laws.map(of).to_vec(),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row whose KLs to uniform, unigram and bigram are these, by replica, and whose other measures are missing.
    fn row(step: u64, klds: [&[f32]; 3]) -> Measurement {
        let mut measures = vec![vec![]; ChainMeasure::ALL.len()];
        for (at, kl) in measures.iter_mut().zip(klds) {
            *at = kl.to_vec();
        }
        let replicas = klds[0].len();
        Measurement { step, test_loss: vec![0.1; replicas], measures, ..Default::default() }
    }

    fn history() -> RunHistory {
        let mut history = RunHistory::default();
        history.push(row(0, [&[0.0, 0.1, 0.0], &[0.2; 3], &[0.3; 3]]));
        history.push(row(5, [&[0.3; 3], &[0.2, 0.0, 0.1], &[0.2; 3]]));
        history.push(row(10, [&[0.3; 3], &[0.1; 3], &[0.2; 3]]));
        history.push(row(15, [&[0.5; 3], &[0.4; 3], &[0.1; 3]]));
        history.push(row(20, [&[0.5; 3], &[0.4; 3], &[0.0; 3]]));
        history
    }

    #[test]
    fn phases_follow_each_other_and_end_with_the_last_measurement() {
        let found = strategy_phases(&history(), 2);
        let found: Vec<_> = found.iter().map(|s| (s.from, s.to, s.name.as_str())).collect();
        assert_eq!(
            found,
            [
                (0.0, 5.0, "nearest strategy: uniform"),
                (5.0, 15.0, "nearest strategy: unigram"),
                (15.0, 20.0, "nearest strategy: bigram")
            ]
        );
        assert_eq!(nearest_strategy(&Measurement::default(), 4), None);
    }

    #[test]
    fn a_strategy_beyond_the_order_is_never_the_nearest() {
        let mut one = row(0, [&[0.3], &[0.2], &[0.1]]);
        one.measures[ChainMeasure::Trigram as usize] = vec![0.0];
        assert_eq!(
            (nearest_strategy(&one, 2), nearest_strategy(&one, 3)),
            (Some(ChainMeasure::Bigram), Some(ChainMeasure::Trigram))
        );
        let count = |order| strategies(order).len();
        assert_eq!([2, 3, 4].map(count), [3, 4, 5]);
    }

    #[test]
    fn curves_are_medians_with_bands_over_the_rows_that_have_them() {
        let lines = strategy_kl_chart(&history(), 2);
        let names: Vec<&str> = lines.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["uniform", "unigram", "bigram"]);
        assert_eq!((lines.series[0].y[0], lines.series[0].band[0]), (0.0, (0.0, 0.1)));
        let mut history = history();
        let mut scored = row(25, [&[0.5], &[0.4], &[0.0]]);
        scored.measures[ChainMeasure::Induction as usize] = vec![0.75];
        history.push(scored);
        let lines = head_score_chart(&history);
        assert_eq!((lines.series[0].x.len(), lines.series[1].x.as_slice()), (0, [25.0].as_slice()));
        assert_eq!((lines.series[1].y.as_slice(), lines.series[1].band.len()), ([0.75].as_slice(), 0));
        let laws: Vec<String> =
            kl_by_distribution_chart(&history).series.into_iter().map(|s| s.name).collect();
        assert_eq!(laws, ["Dirichlet chains", "Independent symbols", "Doubly stochastic chains"]);
    }

    #[test]
    fn the_truth_has_the_strategies_as_lines() {
        let lines = kl_to_truth_chart(&history(), 2, &[("unigram".into(), 0.09), ("bigram".into(), 0.02)]);
        assert_eq!(lines.reference_lines, [(0.09, "unigram".to_string()), (0.02, "bigram".to_string())]);
        assert_eq!((lines.series[0].y.len(), lines.spans.len()), (5, 3));
    }
}
