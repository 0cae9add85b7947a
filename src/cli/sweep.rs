//! `lab run` for a link with a sweep: the time that each of its runs needs to reach the target.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, Table, presets};

use super::open::run_bar;
use super::output::MetricsOutput;
use super::print::{MetricsFormat, NameVersion, SweepOutputOptions, describe_environment};
use super::{CommandError, pool, signals};
use vivarium_core::settings::format_thousands;
use vivarium_model::permalink::Link;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::EndReason;
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::SweepCell;
use vivarium_plot::analysis::binomial::wilson_interval;
use vivarium_plot::analysis::bootstrap::{MIN_NETWORKS, ScalingLaw};
use vivarium_plot::analysis::convergence::best_of_groups;
use vivarium_plot::analysis::ends::quartiles;
use vivarium_plot::analysis::scaling::{self, ScalingPoint, describe_exponent};
use vivarium_training::session::Options;
use vivarium_view::display::charts::compute_thresholds;
use vivarium_view::display::sweep::{SweepProgress, median_measures};
use vivarium_view::display::words::format_percent;
use vivarium_view::record::{Record, TrainingEnvironment};

/// Text of a table cell for a median or an error that does not exist, since too few networks reached the
/// target.
const NO_NUMBER: &str = "–";

/// Trains all runs of the sweep and prints the results: in CSV after each run, otherwise at the end.
///
/// # Errors
/// When a device fails (the results until then are printed), or the output cannot be written.
#[expect(clippy::print_stderr, reason = "the closing lines are for the person, not for the pipe")]
pub fn run_sweep(
    link: &Link,
    mut sweep: SweepProgress,
    output_options: SweepOutputOptions,
    output: &mut MetricsOutput<'_>,
) -> Result<(), CommandError> {
    let spec = &link.spec;
    let is_csv = output_options.format == MetricsFormat::Csv;
    let options =
        Options { held_out_limit: output_options.held_out, stop_solved: true, ..Options::default() };
    let bar = run_bar(sweep.cells.len() as u64, output_options.quiet);
    let begin = now_ms();
    let of = |environment: TrainingEnvironment| Record {
        link: link.clone(),
        environment,
        held_out: output_options.held_out.unwrap_or_default(),
        ..Default::default()
    };
    let is_new = output_options.names == NameVersion::New;
    // A relevant set that all runs share is stated once, in the preamble.
    let begun = of(describe_environment("", ""));
    let sets = if is_csv && is_new { begun.relevant_sets() } else { None };
    let sets = sets.filter(|sets| sets.len() > 1).unwrap_or_default();
    if is_csv {
        let budget = is_new.then_some("budget");
        let relevant = (!sets.is_empty()).then_some("relevant");
        let columns = swept_keys(spec).chain(["replica", "t_c"]).chain(budget).chain(relevant);
        let about = if is_new { begun.csv_preamble() } else { String::new() };
        output.write(&(about + &format_csv_line(columns)?))?;
    }
    let mut diverged = vec![];
    // Runs finish in any order, and are printed in order of their numbers.
    let (numbers, mut waiting) = ((0..sweep.cells.len()).collect::<Vec<_>>(), BTreeMap::new());
    let made = pool::train_runs(
        spec,
        &numbers,
        vivarium_model::platform::core_count(),
        options,
        &signals::stop_code,
        |number, _, outcome| {
            let last = outcome.rows.last();
            let measures = median_measures(last, sweep.cells[number].spec.is_executed());
            let ends = (last.map(|row| row.test_accuracy.clone()).unwrap_or_default(), measures);
            waiting.insert(number, (outcome.solved.clone(), ends, outcome.ending));
            while let Some((solved, (right, measured), ending)) = waiting.remove(&sweep.solved_steps.len()) {
                let cell = &sweep.cells[sweep.solved_steps.len()];
                if ending == Some(EndReason::Diverged) {
                    diverged
                        .push(format!("{}: the loss became infinite or NaN.", format_settings(spec, cell)));
                }
                if is_csv {
                    let budget = is_new.then(|| cell.spec.run.steps.to_string());
                    let set = sets
                        .get(sweep.solved_steps.len())
                        .map(|set| set.iter().map(usize::to_string).collect::<Vec<_>>().join(" "));
                    let more: Vec<String> = budget.into_iter().chain(set).collect();
                    output.write(&format_replicas(
                        &swept_values(spec, cell).collect::<Vec<_>>(),
                        &solved,
                        &more,
                    )?)?;
                }
                sweep.final_accuracies.push(right);
                sweep.final_measures.push(measured);
                sweep
                    .solved_steps
                    .push(best_of_groups(&solved, cell.spec.task.examples().replicas_per_training_set()));
                bar.inc(1);
            }
            Ok(())
        },
    );
    let (names, failed) = match made {
        Ok(names) => (names.join(", "), None),
        Err(trouble) => (String::new(), Some(trouble)),
    };
    bar.finish_and_clear();
    match output_options.format {
        MetricsFormat::Csv => {}
        MetricsFormat::Table => {
            output.write(&(format_table(spec, &sweep) + &format_power_laws(spec, &sweep)))?
        }
        MetricsFormat::Json => {
            let last = sweep.solved_steps.last().into_iter().flatten().flatten().max();
            let record = Record {
                step: last.copied().unwrap_or_default(),
                ending: sweep.is_complete().then_some(EndReason::LastStep),
                times: sweep.solved_steps.clone(),
                ..of(describe_environment(&names, ""))
            };
            let head = if is_new { record.json_head() } else { record.earlier_json_head() };
            output.write(&(head + &record.json_tail(true)))?;
        }
    }
    diverged.iter().for_each(|sentence| eprintln!("{sentence}"));
    if let Some(trouble) = failed {
        return Err(trouble);
    }
    if !output_options.quiet {
        let seconds = (now_ms() - begin) / 1e3;
        eprintln!("{} runs ({names}, {seconds:.1} s).", sweep.solved_steps.len());
    }
    Ok(())
}

/// Keys of the first and, if there is one, the second swept setting.
pub(super) fn swept_keys(spec: &RunSpec) -> impl Iterator<Item = &str> {
    let axes = [&spec.run.sweep, &spec.run.series];
    axes.into_iter().filter(|axis| !axis.is_empty()).map(|axis| axis.key.as_str())
}

/// Values of the first and, if there is one, the second swept setting in the run `cell`.
pub(super) fn swept_values<'a>(spec: &'a RunSpec, cell: &SweepCell) -> impl Iterator<Item = &'a str> {
    let axes = [(&spec.run.sweep, cell.sweep_index), (&spec.run.series, cell.series_index)];
    axes.into_iter().filter_map(|(axis, at)| axis.values.get(at)).map(String::as_str)
}

/// Swept settings of the run `cell` with their values as text, such as "n = 20, k = 3".
fn format_settings(spec: &RunSpec, cell: &SweepCell) -> String {
    let parts = swept_keys(spec).zip(swept_values(spec, cell)).map(|(key, value)| format!("{key} = {value}"));
    parts.collect::<Vec<_>>().join(", ")
}

/// One line of CSV with these cells, quoted where necessary, and its line break.
fn format_csv_line<'a>(cells: impl Iterator<Item = &'a str>) -> Result<String, anyhow::Error> {
    let mut writer = csv::Writer::from_writer(vec![]);
    writer.write_record(cells)?;
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// CSV lines of the replicas of one run: values of the swept settings, number of the replica, from 0, step at
/// which it reached the target (empty if never), and `shared_columns`, further cells that are equal for all
/// replicas.
fn format_replicas(
    setting_values: &[&str],
    solved: &[Option<u64>],
    shared_columns: &[String],
) -> Result<String, anyhow::Error> {
    let line = |(replica, time): (usize, &Option<u64>)| {
        let rest = [replica.to_string(), time.map_or_else(String::new, |t| t.to_string())];
        format_csv_line(
            setting_values.iter().copied().chain(rest.iter().chain(shared_columns).map(String::as_str)),
        )
    };
    solved.iter().enumerate().map(line).collect()
}

/// Table with one row for each finished run: values of the swept settings, share of networks that reached the
/// target, and median time to the target in steps or median final error.
pub fn format_table(spec: &RunSpec, sweep: &SweepProgress) -> String {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
    let ends = compares_final_errors(spec);
    let last = if ends { ["median error", "quartiles"] } else { ["median t_c", "95 % interval"] };
    table.set_header(swept_keys(spec).chain(["solved", "95 % of chance"]).chain(last));
    for (number, (cell, solved)) in sweep.cells.iter().zip(&sweep.solved_steps).enumerate() {
        let point = ScalingPoint { x: 0.0, times: solved.clone(), horizon: cell.spec.run.steps };
        let found = solved.iter().flatten().count();
        let mut row: Vec<String> = swept_values(spec, cell).map(String::from).collect();
        row.push(format!("{found} of {}", solved.len()));
        let (low, high) = wilson_interval(found, solved.len());
        row.push(format!("{low:.3} to {high:.3}"));
        row.extend(match ends {
            true => format_errors(sweep.final_accuracies.get(number)),
            false => {
                [point.median_time().map_or(NO_NUMBER.into(), format_steps), format_times_interval(&point)]
            }
        });
        table.add_row(row);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}

/// Whether each network of the sweep is tested on held-out rows of its own; its results are then final
/// errors, and not times to the target.
pub(super) fn compares_final_errors(spec: &RunSpec) -> bool {
    spec.task.examples().has_held_out_per_replica()
}

/// Two table cells for the networks of a run with these held-out accuracies: median and quartiles of the
/// error, 1 − accuracy; two dashes for None.
fn format_errors(accuracies: Option<&Vec<f32>>) -> [String; 2] {
    let wrong: Vec<f32> = accuracies.into_iter().flatten().map(|right| 1.0 - right).collect();
    match quartiles(&wrong) {
        Some([low, middle, high]) => [
            format_percent(middle),
            tr!("{low} to {high}", low = format_percent(low), high = format_percent(high)),
        ],
        None => [NO_NUMBER.into(), NO_NUMBER.into()],
    }
}

/// 95 % interval of the median time to the target, in steps. It is open above if it reaches the last step,
/// since some replicas never reached the target. A dash if there is no median or no interval.
fn format_times_interval(point: &ScalingPoint) -> String {
    match (point.median_time(), point.median_interval()) {
        (Some(_), Some((low, high))) if high >= point.horizon as f64 => {
            format!("{} to over {}", format_steps(low), format_thousands(point.horizon))
        }
        (Some(_), Some((low, high))) => format!("{} to {}", format_steps(low), format_steps(high)),
        _ => NO_NUMBER.into(),
    }
}

/// A number of training steps, rounded to a whole number, with thousands separators.
fn format_steps(time: f64) -> String {
    format_thousands(time.round() as u64)
}

/// Lines with the power law fitted to each curve of the sweep, t_c ∝ x^α for the median time t_c to the
/// target, in steps, and the first swept setting x; then, if a trial is a group of several networks, lines
/// with the values of x at which 80 % of trials succeed. Empty if the values of x are not numbers.
pub fn format_power_laws(spec: &RunSpec, sweep: &SweepProgress) -> String {
    let axis = &spec.run.sweep;
    if axis.values.iter().any(|value| value.parse::<f64>().is_err()) {
        return String::new();
    }
    let line = |(name, points): (String, Vec<ScalingPoint>)| {
        let name = if spec.run.series.is_empty() { String::new() } else { format!("{name}: ") };
        let symbol = &axis.key;
        let Some(exponent) = describe_exponent(&points) else {
            return format!("{name}fewer than two medians: no power of {symbol} can be fitted\n");
        };
        let known = |point: &&ScalingPoint| point.median_time().is_some();
        let why = match scaling::slope_interval(&points, ScalingLaw::Power) {
            Some(_) => String::new(),
            None if points.iter().filter(known).any(|point| point.times.len() < MIN_NETWORKS) => {
                format!(" (no interval: fewer than {MIN_NETWORKS} networks at a value)")
            }
            None => " (no interval: too few networks reached the target)".into(),
        };
        format!("{name}t_c ∝ {symbol}^α, {exponent}{why}\n")
    };
    let laws: String = sweep.curves(spec).into_iter().map(line).collect();
    laws + &format_thresholds(spec, sweep)
}

/// A line for each value of the second swept setting: the smallest value of the first one at which at least
/// 80 % of trials succeed. Empty unless a trial is a group of several networks on the same data and both
/// settings are numbers.
fn format_thresholds(spec: &RunSpec, sweep: &SweepProgress) -> String {
    if spec.task.examples().replicas_per_training_set() == 1 {
        return String::new();
    }
    let (of, by) = (&spec.run.sweep.key, &spec.run.series.key);
    let line = |(x, least): (f64, Option<f64>)| match least {
        Some(least) => format!("80 % of trials succeed at {by} = {x} if {of} is at least {least}\n"),
        None => format!("fewer than 80 % of trials succeed at {by} = {x} for every value of {of}\n"),
    };
    compute_thresholds(spec, sweep).unwrap_or_default().into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sweep whose runs took `time` of their place and curve.
    fn build_progress(link: &str, time: impl Fn(f64, usize) -> Option<u64>) -> (RunSpec, SweepProgress) {
        let (link, notices) = vivarium_model::permalink::decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        let mut sweep = SweepProgress::of(&link.spec).unwrap();
        let places = vivarium_model::sweep::axis_positions(&link.spec.run.sweep);
        sweep.solved_steps = sweep
            .cells
            .iter()
            .map(|c| vec![time(places[c.sweep_index], c.series_index); c.spec.run.replicas])
            .collect();
        (link.spec, sweep)
    }

    #[test]
    fn each_curve_has_its_power_with_its_interval() {
        let link = "#v1/sparse-parity?replicas=6&sweep=n:10_20_40&series=k:2_3_4";
        let (spec, sweep) = build_progress(link, |n, line| match line {
            0 => Some((n * n) as u64),
            1 => (n < 30.0).then_some((n * n * n) as u64),
            _ => (n < 15.0).then_some(70),
        });
        assert_eq!(
            format_power_laws(&spec, &sweep),
            "k = 2: t_c ∝ n^α, exponent 2.00, 95 % interval 2.00 to 2.00\n\
             k = 3: t_c ∝ n^α, exponent 3.00, 95 % interval 3.00 to 3.00\n\
             k = 4: fewer than two medians: no power of n can be fitted\n"
        );
        let table = format_table(&spec, &sweep);
        for row in
            [["40", "2", "6 of 6", "1,600"], ["20", "3", "6 of 6", "8,000"], ["40", "4", "0 of 6", NO_NUMBER]]
        {
            let holds = |line: &str| row.iter().all(|cell| line.contains(cell));
            assert!(table.lines().any(holds), "{row:?}\n{table}");
        }
    }

    #[test]
    fn words_have_no_power_and_no_series_no_name() {
        let (spec, sweep) = build_progress("#v1/sparse-parity?sweep=loss:hinge_ce", |x, _| Some(x as u64));
        assert_eq!(format_power_laws(&spec, &sweep), "");
        let (spec, sweep) = build_progress("#v1/sparse-parity?sweep=n:10_20", |x, _| Some(x as u64));
        assert_eq!(
            format_power_laws(&spec, &sweep),
            "t_c ∝ n^α, exponent 1.00 (no interval: fewer than 5 networks at a value)\n"
        );
    }

    #[test]
    fn errors_are_what_is_left_of_the_right_ones() {
        assert_eq!(format_errors(Some(&vec![0.75; 3])), ["25.0 %", "25.0 % to 25.0 %"]);
        assert_eq!(format_errors(Some(&vec![1.0, 0.5, 0.75, 0.25, 0.0])), ["50.0 %", "25.0 % to 75.0 %"]);
        assert_eq!(format_errors(None), [NO_NUMBER, NO_NUMBER]);
    }

    #[test]
    fn runs_on_rows_of_their_own_have_errors_in_place_of_times() {
        let (spec, mut sweep) =
            build_progress("#v1/tabular?n=5&replicas=2&sweep=m:40_60", |m, _| Some(m as u64));
        sweep.final_accuracies = vec![vec![0.75; 2], vec![0.5; 2]];
        let text = format_table(&spec, &sweep);
        let holds = |words: &[&str]| text.lines().any(|line| words.iter().all(|word| line.contains(word)));
        assert!(holds(&["median error", "quartiles"]) && !text.contains("median t_c"), "{text}");
        assert!(holds(&["40", "2 of 2", "25.0 % to 25.0 %"]), "{text}");
        assert!(holds(&["60", "2 of 2", "50.0 % to 50.0 %"]), "{text}");
        let (spec, sweep) = build_progress("#v1/sparse-parity?sweep=n:10_20", |n, _| Some(n as u64));
        let text = format_table(&spec, &sweep);
        assert!(text.contains("median t_c") && !text.contains("median error"), "{text}");
    }

    #[test]
    fn several_restarts_say_how_many_are_enough() {
        let link = |tries: usize| {
            format!("#v1/sparse-boolean?tries={tries}&replicas=4&sweep=m:20_30_40&series=n:25_50")
        };
        let time = |m: f64, line: usize| (line == 0 && m >= 30.0).then_some(50);
        let (spec, sweep) = build_progress(&link(2), time);
        let expected = "80 % of trials succeed at n = 25 if m is at least 30\n\
                        fewer than 80 % of trials succeed at n = 50 for every value of m\n";
        assert_eq!(format_thresholds(&spec, &sweep), expected);
        assert!(format_power_laws(&spec, &sweep).ends_with(expected), "{}", format_power_laws(&spec, &sweep));
        let (spec, sweep) = build_progress(&link(1), time);
        assert_eq!(format_thresholds(&spec, &sweep), "");
    }

    #[test]
    fn an_interval_is_open_where_it_ends_with_the_run() {
        let point = |times: &[Option<u64>]| ScalingPoint { x: 1.0, times: times.to_vec(), horizon: 5000 };
        assert_eq!(format_times_interval(&point(&[Some(1200); 8])), "1,200 to 1,200");
        let open = [vec![Some(1200); 5], vec![None; 3]].concat();
        assert_eq!(format_times_interval(&point(&open)), "1,200 to over 5,000");
        assert_eq!(format_times_interval(&point(&[Some(1), None, None])), NO_NUMBER);
    }
}
