//! Charts of a network's margins by conjugacy class of the wrong answer, and of the certificate of the largest margin γ*.
//!
//! # Why
//! Class weights τ over the wrong answers, with the uniform distribution over the pairs, give every neuron a weighted margin
//! ψ′(ω). Divided by ‖ω‖³ it is at most γ*, and a network has the margin γ* only if it is γ* for every neuron that is not 0
//! (Edelman 2024, lemmas 7.5 and 7.6). The mean of this ratio, weighted by ‖ω‖³, is an upper bound for the network's margin.

use super::state::GroupsState;
use super::theory::GroupTheory;
use vivarium_plot::analysis::{BarChart, LineChart, Role, Series};
use vivarium_view::display::words::{format_decimal, format_percent};

/// A neuron counts as optimal if its weighted margin is at least this part of the largest margin.
const OPTIMAL_RATIO: f32 = 0.99;
/// Share of a neuron in Σ‖ω‖³ below which the neuron counts as dead.
const MIN_LIVE_SHARE: f32 = 1e-6;

/// Names of the group's conjugacy classes except the identity's.
fn class_names(pairs: &GroupsState) -> impl Iterator<Item = String> {
    (1..pairs.group.classes().len()).map(|class| pairs.group.class_name(class))
}

/// The theory of the group and the latest margin of the network by conjugacy class of the wrong answer, as a part of the
/// largest margin γ*; none before both are computed.
fn margin_ratios(pairs: &GroupsState) -> Option<(&GroupTheory, Vec<f32>)> {
    let (theory, margins) = (pairs.theory.as_ref()?, pairs.class_margins.as_ref()?);
    let ratio = |margin: &f32| (f64::from(*margin) / theory.max_margin.value) as f32;
    (margins.len() == theory.max_margin.class_margins.len())
        .then(|| (theory, margins.iter().map(ratio).collect()))
}

/// Bars of the smallest margin over all pairs and over the wrong answers of each conjugacy class, divided by γ*, with the
/// margins of a network with the largest margin as a line. Marked: classes without weight in the certificate.
pub(super) fn draw_class_margins(pairs: &GroupsState) -> Option<BarChart> {
    let (theory, ratios) = margin_ratios(pairs)?;
    let weights = theory.max_margin.class_weights.iter().enumerate();
    Some(BarChart {
        title: tr!("Margin by conjugacy class").into(),
        x_label: tr!("conjugacy class").into(),
        y_label: tr!("smallest margin / γ*").into(),
        bars: class_names(pairs).zip(ratios).collect(),
        marked: weights.filter(|(_, weight)| **weight == 0.0).map(|(class, _)| class).collect(),
        marked_name: tr!("weight τ = 0 in theory: the margin can be larger").into(),
        overlay: theory.max_margin.class_margins.iter().map(|margin| *margin as f32).collect(),
        overlay_name: tr!("at the largest margin, predicted by theory").into(),
    })
}

/// Summary of the chart of margins by class, for screen readers: the classes with the smallest and the largest margin, and
/// whether the condition of theorem 7.9 holds.
pub(super) fn describe_class_margins(pairs: &GroupsState) -> Option<String> {
    let Some((theory, ratios)) = margin_ratios(pairs) else {
        return Some(tr!("The margins have not been measured yet.").into());
    };
    let margins: Vec<(String, f32)> = class_names(pairs).zip(ratios).collect();
    let (low, smallest) = margins.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (high, largest) = margins.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let condition = match theory.satisfies_theorem_condition() {
        true => tr!(
            "The condition of theorem 7.9 holds for this group: at the largest margin, all classes have the same margin."
        ),
        false => tr!(
            "The condition of theorem 7.9 does not hold for this group: at the largest margin, the margins of some classes can be larger than γ*."
        ),
    };
    let found = tr!(
        "The smallest margin over γ* is {smallest}, in the conjugacy class of {low}; the class of {high} has {largest}.",
        smallest = format_decimal(*smallest),
        low,
        high,
        largest = format_decimal(*largest)
    );
    Some(format!("{found} {condition}"))
}

/// Each neuron's share of Σ‖ω‖³, and its weighted margin ψ′(ω) divided by γ*‖ω‖³; neurons whose weights are all 0 are left
/// out. None before the measurement and without theory.
fn neuron_ratios(pairs: &GroupsState) -> Option<Vec<(f32, f32)>> {
    let (theory, neurons) = (pairs.theory.as_ref()?, pairs.neuron_margins.as_ref()?);
    let margins = neurons.weighted_margins(&theory.max_margin.class_weights)?;
    let ratios = margins.into_iter().map(|margin| (margin / theory.max_margin.value) as f32);
    let both = neurons.norm_shares.iter().copied().zip(ratios);
    Some(both.filter(|(share, ratio)| share.is_finite() && ratio.is_finite()).collect())
}

/// Scatter plot of the neurons: share of Σ‖ω‖³ and weighted margin ψ′(ω) / (γ*‖ω‖³), with the upper bound 1.
pub(super) fn draw_certificate(pairs: &GroupsState) -> Option<LineChart> {
    let neurons = neuron_ratios(pairs)?;
    let lowest = neurons.iter().fold(0.0, |lowest: f32, (_, ratio)| lowest.min(*ratio));
    let (x, y) = neurons.into_iter().map(|(share, ratio)| (100.0 * f64::from(share), ratio)).unzip();
    Some(LineChart {
        title: tr!("Certificate: margin of each neuron").into(),
        x_label: tr!("share of the neuron in Σ‖ω‖³ (%)").into(),
        y_label: tr!("ψ′(ω) / (γ*‖ω‖³)").into(),
        y_range: Some((f64::from(lowest) - 0.05, 1.05)),
        series: vec![Series { role: Role::Test, x, y, scatter: true, ..Default::default() }],
        reference_lines: vec![(1.0, "γ*".into())],
        ..Default::default()
    })
}

/// Summary of the certificate, for screen readers: how many live neurons are optimal, and the upper bound for the margin.
pub(super) fn describe_certificate(pairs: &GroupsState) -> Option<String> {
    let Some(neurons) = neuron_ratios(pairs) else {
        return Some(tr!("The margins have not been measured yet.").into());
    };
    let live: Vec<f32> =
        neurons.iter().filter(|(share, _)| *share >= MIN_LIVE_SHARE).map(|(_, ratio)| *ratio).collect();
    let optimal = live.iter().filter(|ratio| **ratio >= OPTIMAL_RATIO).count();
    let bound: f64 = neurons.iter().map(|(share, ratio)| f64::from(*share) * f64::from(*ratio)).sum();
    Some(tr!(
        "{optimal} of the {live} live neurons have a weighted margin of at least 99 % of γ*. The certificate bounds the margin of the network by {bound} of γ*.",
        optimal,
        live = live.len(),
        bound = format_percent(bound as f32)
    ))
}

#[cfg(test)]
mod tests {
    use super::super::probes::{CLASS_MARGINS, NEURON_MARGINS};
    use super::*;
    use vivarium_model::permalink::{Link, decode};
    use vivarium_model::tasks::Task;
    use vivarium_science::groups::theory::build_max_margin_network;
    use vivarium_view::display::LabState;

    /// The state of a run after both probes have measured a network with these weights u, v and w.
    fn measured(link: &Link, weights: &[Vec<f32>]) -> GroupsState {
        let mut state = GroupsState::from_spec(&link.spec, None).unwrap();
        while state.is_busy() {
            state.continue_work(u64::MAX);
        }
        for probe in [CLASS_MARGINS, NEURON_MARGINS] {
            let found = crate::run_probe(&probe.id(), &link.spec, 0, weights.to_vec()).unwrap();
            state.add_finding(0, &found, link);
        }
        state
    }

    /// The weights of the network with the largest margin on the group of a run, from its irreps.
    fn optimal_weights(link: &Link) -> Vec<Vec<f32>> {
        let state = GroupsState::from_spec(&link.spec, None).unwrap();
        let optimum = &state.theory.as_ref().unwrap().max_margin;
        let network = build_max_margin_network(&state.group, &state.irreps, &optimum.norm_shares).unwrap();
        let single = |layer: &[f64]| layer.iter().map(|weight| *weight as f32).collect();
        vec![single(&network.u), single(&network.v), single(&network.w)]
    }

    fn parse(link: &str) -> Link {
        let (link, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        link
    }

    #[test]
    fn a_network_with_the_largest_margin_on_a5() {
        // 2 · 3³ neurons for each irrep of dimension 3, and 2 · 4³ for the one of dimension 4.
        let link = parse("#v1/groups?op=alternating&letters=5&width=236");
        let state = measured(&link, &optimal_weights(&link));
        let bars = draw_class_margins(&state).unwrap();
        let names: Vec<&str> = bars.bars.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((names[0], names.len()), ("(1 2)(3 4)", 4));
        for (((name, height), line), expected) in
            bars.bars.iter().zip(&bars.overlay).zip([4.0 / 3.0, 1.0, 1.0, 1.0])
        {
            assert!(
                (height - expected).abs() < 1e-3 && (line - expected).abs() < 1e-3,
                "{name}: {height} {line}"
            );
        }
        assert_eq!(bars.marked, [0]);
        let lines = draw_certificate(&state).unwrap();
        let neurons = &lines.series[0];
        assert!((neurons.x.iter().sum::<f64>() - 100.0).abs() < 1e-3 && neurons.y.len() == 236);
        assert!(neurons.y.iter().all(|ratio| (ratio - 1.0).abs() < 1e-4), "{:?}", neurons.y);
        let summary = describe_certificate(&state).unwrap();
        assert!(summary.starts_with("236 of the 236 live neurons"), "{summary}");
        assert!(summary.contains("100"), "{summary}");
        let summary = describe_class_margins(&state).unwrap();
        assert!(summary.contains("does not hold"), "{summary}");
    }

    #[test]
    fn differences_modulo_7_have_the_classes_of_their_right_answers() {
        let link = parse("#v1/groups?op=sub&n=7&width=24");
        let mut weights = optimal_weights(&link);
        // a − b is a plus the inverse of b.
        weights[1] = (0..7).flat_map(|b| weights[1][(7 - b) % 7 * 24..][..24].to_vec()).collect();
        let state = measured(&link, &weights);
        let bars = draw_class_margins(&state).unwrap();
        assert!(bars.bars.len() == 6 && bars.marked.is_empty(), "{bars:?}");
        assert!(bars.bars.iter().all(|(_, height)| (height - 1.0).abs() < 1e-4), "{bars:?}");
        let lines = draw_certificate(&state).unwrap();
        assert!(lines.series[0].y.iter().all(|ratio| (ratio - 1.0).abs() < 1e-4), "{lines:?}");
        assert!(describe_class_margins(&state).unwrap().contains("theorem 7.9 holds"));
    }

    /// The charts of a network without structure, from its logits in plain loops.
    #[test]
    fn charts_of_a_random_network_match_its_logits() {
        const WIDTH: usize = 5;
        let link = parse(&format!("#v1/groups?op=dihedral&n=5&width={WIDTH}"));
        let weight = |i: usize| ((i * i) as f32 * 0.618).sin() + (i as f32).cos();
        let weights: Vec<Vec<f32>> =
            (0..3).map(|layer| (0..10 * WIDTH).map(|i| weight(97 * layer + i)).collect()).collect();
        let state = measured(&link, &weights);
        let Task::Groups(task) = &link.spec.task else { panic!("pairs") };
        let (group, optimum) = (task.group().unwrap(), &state.theory.as_ref().unwrap().max_margin);
        let at = |layer: usize, element: usize, i: usize| f64::from(weights[layer][element * WIDTH + i]);
        let norm_sum: f64 = (0..WIDTH)
            .map(|i| (0..30).map(|entry| at(entry / 10, entry % 10, i).powi(2)).sum::<f64>().powf(1.5))
            .sum();
        let logit = |a: usize, b: usize, c: usize| {
            (0..WIDTH).map(|i| (at(0, a, i) + at(1, b, i)).powi(2) * at(2, c, i)).sum::<f64>()
        };
        let mut smallest = vec![f64::INFINITY; group.classes().len() - 1];
        let mut weighted = 0.0;
        for (a, b, c) in (0..1000).map(|i| (i / 100, i / 10 % 10, i % 10)) {
            let right = group.multiply(a, b);
            if c != right {
                let class = group.class_of(group.multiply(right, group.inverse(c))) - 1;
                let margin = logit(a, b, right) - logit(a, b, c);
                smallest[class] = smallest[class].min(margin);
                let size = group.classes()[class + 1].len() as f64;
                weighted += optimum.class_weights[class] / size * margin / 100.0;
            }
        }
        let bars = draw_class_margins(&state).unwrap();
        for ((name, height), margin) in bars.bars.iter().zip(&smallest) {
            let expected = margin / norm_sum / optimum.value;
            assert!(
                (f64::from(*height) - expected).abs() < 1e-3 * expected.abs().max(1.0),
                "{name}: {height}"
            );
        }
        let neurons = neuron_ratios(&state).unwrap();
        let bound: f64 = neurons.iter().map(|(share, ratio)| f64::from(*share) * f64::from(*ratio)).sum();
        assert!((bound - weighted / norm_sum / optimum.value).abs() < 1e-4, "{bound}");
        let margin = bars.bars.iter().map(|(_, height)| f64::from(*height)).fold(f64::INFINITY, f64::min);
        assert!(margin < bound && neurons.iter().all(|(_, ratio)| ratio.abs() < 1.0), "{margin}, {bound}");
    }
}
