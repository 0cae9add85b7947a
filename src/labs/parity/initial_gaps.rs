//! Distribution over the networks of a run of the Fourier gap Γ at their initial weights.

use super::neuron_gap::sign_neuron_gap;
use super::probes::{INITIAL_GAPS, summed_neurons};
use vivarium_core::math::median;
use vivarium_core::sorting;
use vivarium_plot::analysis::gap::distribution_chart;
use vivarium_plot::analysis::{LineChart, Reading};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{MISSING, format_percent, format_significant, format_thousands};

/// Gaps of the networks, ascending; empty until they are measured.
fn sort_gaps(run: &RunView) -> Vec<f64> {
    let mut gaps: Vec<f64> = run.trace(&INITIAL_GAPS).last().map_or(vec![], |(_, gaps)| gaps.to_vec());
    gaps.retain(|gap| gap.is_finite());
    sorting::sort_by(&mut gaps, |a, b| a.total_cmp(b));
    gaps
}

/// Fourier gap of a neuron with the run's activation, weights ±1/√n and no bias.
fn compute_sign_gap(run: &RunView) -> Option<f64> {
    let (activation, degree) = summed_neurons(run.spec())?;
    Some(sign_neuron_gap(activation, degree, run.spec().task.examples().inputs(), run.relevant.len()))
}

/// Draws the histogram of the gaps.
pub(super) fn draw_histogram(run: &RunView) -> Reading {
    let gaps = sort_gaps(run);
    let references = compute_sign_gap(run).map(|gap| (gap, tr!("weights ±1/√n").into()));
    let lines = distribution_chart(&gaps, references.into_iter().collect());
    Reading::Lines(match gaps.is_empty() {
        true => LineChart { x_range: Some((0.0, 0.2)), y_range: Some((0.0, 1.0)), ..lines },
        false => lines,
    })
}

/// Summary of the chart, for screen readers: the median, and the share of the networks with a positive gap.
pub(super) fn describe_histogram(run: &RunView) -> Option<String> {
    let gaps = sort_gaps(run);
    let Some(middle) = median(&gaps) else {
        return Some(tr!("The Fourier gaps have not been measured yet.").into());
    };
    let positive = gaps.iter().filter(|gap| **gap > 0.0).count() as f32 / gaps.len() as f32;
    Some(tr!(
        "The median of the Fourier gap Γ at the initial weights is {median} over {networks} networks; {share} of these networks have a positive gap. With weights ±1/√n and no bias, the gap is {signs}.",
        median = format_significant(middle),
        networks = format_thousands(gaps.len() as u64),
        share = format_percent(positive),
        signs = compute_sign_gap(run).map_or(MISSING.into(), format_significant)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parity::probes::GAP;
    use vivarium_model::permalink::decode;
    use vivarium_model::run::RunSpec;

    fn spec(settings: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/sparse-parity?{settings}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    /// A view of the run after its gaps have been measured.
    fn measure(settings: &str) -> RunView {
        let mut run = RunView::default();
        run.link.spec = spec(settings);
        run.reset_to_start(&crate::LABS);
        let weights = run.spec().initialize_replicas(1);
        let found = crate::run_probe(&INITIAL_GAPS.id(), run.spec(), 0, weights).unwrap();
        run.add_result(0, found);
        run
    }

    /// Each gap is what the probe of a single network measures at the weights of that network.
    #[test]
    fn every_network_has_the_gap_that_the_other_probe_measures() {
        for settings in [
            "n=9&k=4&width=1&bias=none",
            "n=8&k=3&width=5",
            "n=8&k=3&width=2&act=sin",
            "model=power-net&n=6&k=2",
        ] {
            let spec = spec(&format!("{settings}&replicas=6"));
            let initial = spec.initialize_parameters();
            let found =
                crate::run_probe(&INITIAL_GAPS.id(), &spec, 0, spec.initialize_replicas(1)).unwrap().few;
            assert_eq!(found.len(), 6);
            for (replica, gap) in found.iter().enumerate() {
                let part = |values: &Vec<f32>| {
                    let length = values.len() / 6;
                    values[replica * length..(replica + 1) * length].to_vec()
                };
                let weights = initial.iter().map(part).collect();
                let expected = crate::run_probe(&GAP.id(), &spec, 0, weights).unwrap().few[0];
                assert!((gap - expected).abs() < 1e-12, "{settings}, network {replica}: {gap} {expected}");
            }
        }
    }

    /// Figure B.7 of Edelman 2024, with n = 15 and a ReLU: medians of about 0.113 (uniform) and 0.100 (normal) for k = 2,
    /// 0.0052 and 0.0022 for k = 4, and no gap for k = 3 without biases.
    #[test]
    fn medians_are_those_of_random_threshold_functions() {
        for (k, init, low, high) in [
            (2, "uniform", 0.10, 0.125),
            (2, "gaussian", 0.085, 0.115),
            (4, "uniform", 0.003, 0.0075),
            (4, "gaussian", 0.001, 0.004),
            (3, "uniform", -1e-12, 1e-12),
        ] {
            let run = measure(&format!("n=15&k={k}&width=1&replicas=200&init={init}&bias=none"));
            let gaps = sort_gaps(&run);
            let middle = (gaps[99] + gaps[100]) / 2.0;
            assert!(gaps.len() == 200 && (low..=high).contains(&middle), "k = {k}, {init}: {middle}");
            let found = describe_histogram(&run).unwrap();
            let part = format!("is {} over 200 networks", format_significant(middle));
            assert!(found.contains(&part), "{found}");
            let Reading::Lines(lines) = draw_histogram(&run) else { panic!("no lines") };
            assert_eq!(lines.series[0].y.iter().sum::<f32>(), 200.0, "every network is in a bin");
            assert!(lines.marks.iter().any(|(x, _)| (x - middle).abs() < 1e-12), "{:?}", lines.marks);
        }
    }

    #[test]
    fn it_needs_neurons_and_all_inputs() {
        let found = |settings: &str| (INITIAL_GAPS.applies)(&spec(settings));
        assert_eq!(found("n=15&width=1&replicas=200"), Ok(()));
        for (settings, part) in [
            ("n=21&width=1&replicas=2", "n of at most 20"),
            ("n=20&width=100&replicas=20", "134,217,728 inputs"),
            ("model=polynet&n=10", "a sum of neurons"),
        ] {
            let why = found(settings).unwrap_err();
            assert!(why.contains(part), "{settings}: {why}");
        }
    }

    #[test]
    fn before_the_measurement_the_chart_is_empty() {
        let mut run = RunView::default();
        run.link.spec = spec("n=15&width=1&replicas=200");
        run.reset_to_start(&crate::LABS);
        assert_eq!(describe_histogram(&run).unwrap(), "The Fourier gaps have not been measured yet.");
        let Reading::Lines(lines) = draw_histogram(&run) else { panic!("no lines") };
        assert!(lines.series[0].y.is_empty() && lines.x_range.is_some());
    }
}
