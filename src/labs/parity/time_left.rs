//! Progress of each network and the time that it still needs: the progress measure ρ(t) against the steps left, t_c − t.
//!
//! # Why
//! A progress measure is a function of the state of training that is predictive of the time to convergence (Edelman 2024,
//! appendix B.3.3): given the state, ρ and t_c − t are not independent. Over all steps the two are correlated for any ρ that
//! grows, even for ρ = t, since both follow from t. So the summary also has the rank correlation over the networks at one
//! step, the last one before the first network reached the target. There t is the same for all networks, and a search without
//! memory would have a correlation of about 0.

use super::probes::MOVEMENTS;
use vivarium_plot::analysis::rank::rank_correlation;
use vivarium_plot::analysis::{LineChart, Reading, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{MISSING, format_percent, format_thousands};

/// Largest number of measured steps that the chart shows; of more, evenly spaced ones.
const MAX_STEPS: usize = 64;

/// Checks that the run has several networks, and that its link determines their initial weights.
///
/// # Errors
/// A sentence that says why the chart is not available.
pub(super) fn check_networks(run: &RunView) -> Result<(), String> {
    match run.spec().run.replicas {
        _ if !run.initial_weights_file[0].is_empty() => {
            Err(tr!("This chart is not available for initial weights from a file.").into())
        }
        0 | 1 => Err(tr!("This chart needs a run of several networks.").into()),
        _ => Ok(()),
    }
}

/// One network at one measured step.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Point {
    /// Progress ρ(t) = ‖w_t − w_0‖_∞ of the first layer.
    rho: f64,
    /// Steps t_c − t until the network reaches the target; infinite if it has not reached the target yet.
    steps_left: f64,
    /// Whether the relevant bits have the largest weights.
    is_revealed: bool,
}

/// Networks of a run at one measured step, those that have not reached the target before.
#[derive(Debug, Clone, PartialEq)]
struct MeasuredStep {
    /// Training step t of the measurement.
    step: u64,
    /// Networks with t ≤ t_c, without those whose weights are not finite.
    networks: Vec<Point>,
}

/// Networks at the steps at which the progress of all networks was measured; `trace` has the scalars of [`MOVEMENTS`] at each
/// step, and `solved` the step t_c of each network.
fn read_steps<'a>(
    trace: impl Iterator<Item = (u64, &'a [f64])>,
    solved: &[Option<u64>],
) -> Vec<MeasuredStep> {
    // A probe of the first network alone is no measurement of all.
    let all: Vec<(u64, &[f64])> = trace.filter(|(_, few)| few.len() == 2 * solved.len()).collect();
    let every = all.len().div_ceil(MAX_STEPS).max(1);
    let read = |(step, few): &(u64, &[f64])| {
        let (rhos, revealed) = few.split_at(solved.len());
        let point = |((rho, revealed), solved): ((&f64, &f64), &Option<u64>)| {
            let steps_left = match solved {
                Some(solved) => solved.checked_sub(*step)? as f64,
                None => f64::INFINITY,
            };
            rho.is_finite().then_some(Point { rho: *rho, steps_left, is_revealed: *revealed > 0.5 })
        };
        MeasuredStep {
            step: *step,
            networks: rhos.iter().zip(revealed).zip(solved).filter_map(point).collect(),
        }
    };
    all.iter().step_by(every).map(read).collect()
}

/// Rank correlation of ρ(t) and t_c − t over `networks`.
fn correlate<'a>(networks: impl Iterator<Item = &'a Point>) -> Option<f64> {
    rank_correlation(&networks.map(|point| (point.rho, point.steps_left)).collect::<Vec<_>>())
}

/// Measured steps of a run.
fn read_run(run: &RunView) -> Vec<MeasuredStep> {
    read_steps(run.trace(&MOVEMENTS), &run.solved_steps())
}

/// Networks that have reached the target, at every measured step up to t_c.
fn select_solved(steps: &[MeasuredStep]) -> impl Iterator<Item = &Point> {
    steps.iter().flat_map(|step| &step.networks).filter(|point| point.steps_left.is_finite())
}

/// Draws ρ(t) against the steps left for each network that has reached the target, at every measured step up to t_c.
pub(super) fn draw_points(run: &RunView) -> Reading {
    let steps = read_run(run);
    let dots = |name: &str, role: Role, is_revealed: bool| {
        let points = select_solved(&steps).filter(|point| point.is_revealed == is_revealed);
        let (x, y) = points.map(|point| (point.rho, point.steps_left as f32)).unzip();
        Series { name: name.into(), role, x, y, points: true, scatter: true, ..Default::default() }
    };
    let series = vec![
        dots(tr!("the relevant bits have the largest weights"), Role::Relevant, true),
        dots(tr!("another bit has a larger weight"), Role::Test, false),
    ];
    let is_empty = series.iter().all(|series| series.x.is_empty());
    Reading::Lines(LineChart {
        x_label: tr!("ρ = largest |w_t − w_0| of the first layer").into(),
        y_label: tr!("steps left until the target").into(),
        x_range: is_empty.then_some((0.0, 1.0)),
        y_range: is_empty.then_some((0.0, 1000.0)),
        series,
        ..Default::default()
    })
}

/// Summary of the chart, for screen readers: rank correlations over all steps and at one step, and how many networks have their
/// largest weights on the relevant bits at this step.
pub(super) fn describe_points(run: &RunView) -> Option<String> {
    let (steps, solved) = (read_run(run), run.solved_steps());
    let Some(first) = solved.iter().flatten().min() else {
        return Some(tr!("No network has reached the target yet.").into());
    };
    let format = |correlation: Option<f64>| {
        correlation.map_or(MISSING.into(), |rank| format!("{rank:.2}").replace('-', "−"))
    };
    let mut sentences = vec![tr!(
        "Spearman’s rank correlation of ρ and the steps left is {all} over all measured steps of the {solved} networks that have reached the target.",
        all = format(correlate(select_solved(&steps))),
        solved = format_thousands(solved.iter().flatten().count() as u64)
    )];
    if let Some(last) = steps.iter().rfind(|at| at.step < *first && at.step > 0) {
        let revealed = last.networks.iter().filter(|point| point.is_revealed).count();
        sentences.push(tr!(
            "At step {step}, before any network reached the target, the rank correlation over all networks is {one}. At this step, the relevant bits have the largest weights in {revealed} of the networks.",
            step = format_thousands(last.step),
            one = format(correlate(last.networks.iter())),
            revealed = format_percent(revealed as f32 / last.networks.len().max(1) as f32)
        ));
    }
    Some(sentences.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;
    use vivarium_model::protocol::ProbeResult;

    fn view(settings: &str) -> RunView {
        let mut run =
            RunView { link: decode(&format!("#v1/sparse-parity?{settings}")).0, ..RunView::default() };
        run.labs = &crate::LABS;
        run
    }

    /// A run of three networks with chosen numbers: ρ of network r at step t is t / (100 (r + 1)), and network r reaches the
    /// target at step 100 (r + 1); the third one never does.
    fn three_networks() -> RunView {
        let mut run = view("n=8&k=2&width=2&replicas=3");
        for step in [0u64, 50, 100, 150, 200, 250] {
            let rho = |r: u64| step as f64 / (100 * (r + 1)) as f64;
            let few = vec![rho(0), rho(1), rho(2), f64::from(u8::from(step >= 50)), 0.0, 0.0];
            run.add_result(step, ProbeResult::new(MOVEMENTS.id()).with_few_numbers(few));
        }
        run.add_solved(0, 100);
        run.add_solved(1, 200);
        run
    }

    #[test]
    fn each_network_has_a_dot_at_every_step_up_to_its_target() {
        let Reading::Lines(lines) = draw_points(&three_networks()) else { panic!("no lines") };
        let dots = |which: usize| -> Vec<(f64, f32)> {
            let series = &lines.series[which];
            assert!(series.scatter && series.points);
            series.x.iter().copied().zip(series.y.iter().copied()).collect()
        };
        assert_eq!(dots(0), [(0.5, 50.0), (1.0, 0.0)]);
        let others = [(0.0, 100.0), (0.0, 200.0), (0.25, 150.0), (0.5, 100.0), (0.75, 50.0), (1.0, 0.0)];
        assert_eq!(dots(1), others);
    }

    /// The correlations are computed again from all dots, and by hand at step 50: the largest ρ has the fewest steps left.
    #[test]
    fn the_summary_has_the_correlations() {
        let run = three_networks();
        let pairs: Vec<(f64, f64)> = [
            [(0.0, 100.0), (0.5, 50.0), (1.0, 0.0)].as_slice(),
            &[(0.0, 200.0), (0.25, 150.0), (0.5, 100.0), (0.75, 50.0), (1.0, 0.0)],
        ]
        .concat();
        let all = rank_correlation(&pairs).unwrap();
        let found = describe_points(&run).unwrap();
        assert_eq!(
            found,
            format!(
                "Spearman’s rank correlation of ρ and the steps left is −{:.2} over all measured steps of the 2 networks that have reached the target. At step 50, before any network reached the target, the rank correlation over all networks is −1.00. At this step, the relevant bits have the largest weights in 33.3 % of the networks.",
                -all
            )
        );
    }

    #[test]
    fn without_a_network_at_the_target_there_is_nothing_to_draw() {
        let run = view("n=8&k=2&width=2&replicas=3");
        assert_eq!(describe_points(&run).unwrap(), "No network has reached the target yet.");
        let Reading::Lines(lines) = draw_points(&run) else { panic!("no lines") };
        assert!(lines.series.iter().all(|series| series.x.is_empty()) && lines.x_range.is_some());
    }

    #[test]
    fn diverged_networks_and_measurements_of_the_first_one_alone_are_left_out() {
        let (one, all) = ([0.5, 1.0], [0.5, f64::NAN, 1.0, 0.0]);
        let trace = [(10, &one[..]), (20, &all[..])];
        let found = read_steps(trace.into_iter(), &[None, Some(40)]);
        let network = Point { rho: 0.5, steps_left: f64::INFINITY, is_revealed: true };
        assert_eq!(found, [MeasuredStep { step: 20, networks: vec![network] }]);
    }

    #[test]
    fn of_many_steps_evenly_spaced_ones_are_drawn() {
        let few = [0.5, 1.0];
        let found = read_steps((0..300).map(|step| (step, &few[..])), &[None]);
        assert_eq!(found.len(), 60);
        assert_eq!(found[1].step - found[0].step, 5);
    }

    #[test]
    fn it_needs_several_networks() {
        assert!(check_networks(&view("replicas=2")).is_ok());
        assert!(check_networks(&view("replicas=1")).unwrap_err().contains("several networks"));
        let mut run = view("replicas=2");
        run.initial_weights_file = ["half.safetensors".into(), String::new()];
        assert!(check_networks(&run).unwrap_err().contains("from a file"));
    }
}
