//! Measures of networks on sequences over the steps, and which strategy is nearest.

use crate::analysis::curves::{History, series, spread};
use crate::analysis::replicas::{Each, Of};
use crate::analysis::{Lines, Role, Series, Span};
use vivarium_core::language::translated;
use vivarium_model::protocol::Row;
use vivarium_science::markov::ChainMeasure;

/// The strategies that a network on chains of this order can follow, by their measures: uniform, unigram, and so on.
pub fn strategies(order: usize) -> &'static [ChainMeasure] {
    &ChainMeasure::ALL[..=order.min(ChainMeasure::Tetragram as usize)]
}

/// What a strategy is called.
pub fn name(of: ChainMeasure) -> String {
    translated(ChainMeasure::OPTIONS[of as usize].label).to_lowercase()
}

/// The colour of a strategy, the same in every chart.
fn role(of: ChainMeasure) -> Role {
    match of {
        ChainMeasure::Uniform => Role::Other,
        ChainMeasure::Bigram => Role::Test,
        ChainMeasure::Trigram => Role::Relevant,
        _ => Role::Train,
    }
}

/// A measure of a row, a number per replica; none where it does not apply.
pub fn measured(row: &Row, of: ChainMeasure) -> &[f32] {
    row.measures.get(of as usize).map_or(&[], Vec::as_slice)
}

/// The strategy that the network follows most nearly: the one with the least KL(strategy ‖ network), by the medians
/// over replicas; none where nothing is measured.
pub fn nearest(row: &Row, order: usize) -> Option<ChainMeasure> {
    least(strategies(order).iter().map(|of| (*of, spread(measured(row, *of)).0)))
}

/// The measure with the least of these medians.
fn least(middles: impl Iterator<Item = (ChainMeasure, f32)>) -> Option<ChainMeasure> {
    middles.filter(|(_, kl)| kl.is_finite()).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(of, _)| of)
}

/// Which strategy was nearest from which step to which.
pub fn phases(history: &History, order: usize) -> Vec<Span> {
    let mut phases: Vec<(ChainMeasure, u64, u64)> = vec![];
    let middles = |of: &ChainMeasure| history.spreads(Of::Measure(*of as usize)).map(|(_, spread)| spread.0);
    let mut middles: Vec<_> = strategies(order).iter().map(|of| (*of, middles(of))).collect();
    for row in history.rows() {
        let of_row: Vec<_> = middles.iter_mut().filter_map(|(of, next)| Some((*of, next.next()?))).collect();
        let Some(of) = least(of_row.into_iter()) else { continue };
        if let Some((_, _, until)) = phases.last_mut() {
            *until = row.step;
        }
        if phases.last().is_none_or(|(before, ..)| *before != of) {
            phases.push((of, row.step, row.step));
        }
    }
    let span = |(of, from, to): (ChainMeasure, u64, u64)| Span {
        from: from as f64,
        to: to as f64,
        name: tr!("nearest strategy: {name}", name = name(of)),
        role: role(of),
    };
    phases.into_iter().map(span).collect()
}

/// KL of the truth to the network over the steps, with what each strategy reaches, `lines`, and the nearest of them as
/// background.
pub fn truth(history: &History, order: usize, lines: &[(String, f64)]) -> Lines {
    Lines {
        title: tr!("KL to the truth").into(),
        x_label: tr!("step").into(),
        y_label: tr!("KL (nats)").into(),
        series: vec![series(history, tr!("network"), Role::Test, Of::TestLoss)],
        references: lines.iter().map(|(name, kl)| (*kl, name.clone())).collect(),
        spans: phases(history, order),
        ..Default::default()
    }
}

/// The curve of one measure, over the rows that have it.
fn curve(history: &History, of: ChainMeasure, name: String, role: Role) -> Series {
    let mut curve = Series { name, role, ..Default::default() };
    for (row, (middle, low, high)) in history.spreads(Of::Measure(of as usize)) {
        let values = measured(row, of);
        if values.is_empty() {
            continue;
        }
        curve.x.push(row.step as f64);
        curve.y.push(middle);
        if values.len() > 1 {
            curve.band.push((low, high));
            curve.each = Some(Each::of(Of::Measure(of as usize)));
        }
    }
    curve
}

/// KL of each strategy to the network over the steps.
pub fn followed(history: &History, order: usize) -> Lines {
    let of = |of: &ChainMeasure| curve(history, *of, name(*of), role(*of));
    Lines {
        title: tr!("KL to the strategies").into(),
        x_label: tr!("step").into(),
        y_label: tr!("KL(strategy ‖ network), nats").into(),
        series: strategies(order).iter().map(of).collect(),
        ..Default::default()
    }
}

/// The previous-token score and the induction score over the steps, from 0 to 1.
pub fn scores(history: &History) -> Lines {
    let of = |(of, role)| curve(history, of, name(of), role);
    Lines {
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

/// KL to the truth on chains of each law over the steps.
pub fn others(history: &History) -> Lines {
    let laws = [
        (ChainMeasure::OnDirichlet, Role::Train),
        (ChainMeasure::OnIndependent, Role::Test),
        (ChainMeasure::OnDoubly, Role::Relevant),
    ];
    let of = |(of, role): (ChainMeasure, Role)| {
        curve(history, of, translated(ChainMeasure::OPTIONS[of as usize].label).into(), role)
    };
    Lines {
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
    fn row(step: u64, klds: [&[f32]; 3]) -> Row {
        let mut measures = vec![vec![]; ChainMeasure::ALL.len()];
        for (at, kl) in measures.iter_mut().zip(klds) {
            *at = kl.to_vec();
        }
        let replicas = klds[0].len();
        Row { step, test_loss: vec![0.1; replicas], measures, ..Default::default() }
    }

    fn history() -> History {
        let mut history = History::default();
        history.push(row(0, [&[0.0, 0.1, 0.0], &[0.2; 3], &[0.3; 3]]));
        history.push(row(5, [&[0.3; 3], &[0.2, 0.0, 0.1], &[0.2; 3]]));
        history.push(row(10, [&[0.3; 3], &[0.1; 3], &[0.2; 3]]));
        history.push(row(15, [&[0.5; 3], &[0.4; 3], &[0.1; 3]]));
        history.push(row(20, [&[0.5; 3], &[0.4; 3], &[0.0; 3]]));
        history
    }

    #[test]
    fn phases_follow_each_other_and_end_with_the_last_measurement() {
        let found = phases(&history(), 2);
        let found: Vec<_> = found.iter().map(|s| (s.from, s.to, s.name.as_str())).collect();
        assert_eq!(
            found,
            [
                (0.0, 5.0, "nearest strategy: uniform"),
                (5.0, 15.0, "nearest strategy: unigram"),
                (15.0, 20.0, "nearest strategy: bigram")
            ]
        );
        assert_eq!(nearest(&Row::default(), 4), None);
    }

    #[test]
    fn a_strategy_beyond_the_order_is_never_the_nearest() {
        let mut one = row(0, [&[0.3], &[0.2], &[0.1]]);
        one.measures[ChainMeasure::Trigram as usize] = vec![0.0];
        assert_eq!(
            (nearest(&one, 2), nearest(&one, 3)),
            (Some(ChainMeasure::Bigram), Some(ChainMeasure::Trigram))
        );
        let count = |order| strategies(order).len();
        assert_eq!([2, 3, 4].map(count), [3, 4, 5]);
    }

    #[test]
    fn curves_are_medians_with_bands_over_the_rows_that_have_them() {
        let lines = followed(&history(), 2);
        let names: Vec<&str> = lines.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["uniform", "unigram", "bigram"]);
        assert_eq!((lines.series[0].y[0], lines.series[0].band[0]), (0.0, (0.0, 0.1)));
        let mut history = history();
        let mut scored = row(25, [&[0.5], &[0.4], &[0.0]]);
        scored.measures[ChainMeasure::Induction as usize] = vec![0.75];
        history.push(scored);
        let lines = scores(&history);
        assert_eq!((lines.series[0].x.len(), lines.series[1].x.as_slice()), (0, [25.0].as_slice()));
        assert_eq!((lines.series[1].y.as_slice(), lines.series[1].band.len()), ([0.75].as_slice(), 0));
        let laws: Vec<String> = others(&history).series.into_iter().map(|s| s.name).collect();
        assert_eq!(laws, ["Dirichlet chains", "Independent symbols", "Doubly stochastic chains"]);
    }

    #[test]
    fn the_truth_has_the_strategies_as_lines() {
        let lines = truth(&history(), 2, &[("unigram".into(), 0.09), ("bigram".into(), 0.02)]);
        assert_eq!(lines.references, [(0.09, "unigram".to_string()), (0.02, "bigram".to_string())]);
        assert_eq!((lines.series[0].y.len(), lines.spans.len()), (5, 3));
    }
}
