//! `lab run` of a link with a sweep: how long each of its runs took to reach the target.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, Table, presets};

use super::open::bar_of_runs;
use super::output::Output;
use super::print::{Format, Names, Print, environment};
use super::{Trouble, pool, signals};
use vivarium_core::settings::thousands;
use vivarium_model::permalink::Link;
use vivarium_model::platform::now_ms;
use vivarium_model::protocol::Ending;
use vivarium_model::run::RunSpec;
use vivarium_model::sweep::Cell;
use vivarium_plot::analysis::binomial::wilson;
use vivarium_plot::analysis::bootstrap::{FEWEST, Law};
use vivarium_plot::analysis::convergence::best;
use vivarium_plot::analysis::ends::quartiles;
use vivarium_plot::analysis::scaling::{self, Point, exponent};
use vivarium_training::session::Options;
use vivarium_view::display::charts::thresholds;
use vivarium_view::display::sweep::{Sweep, measures};
use vivarium_view::display::words::percent;
use vivarium_view::record::{Environment, Record};

/// What stands where there is no number.
const NONE: &str = "–";

/// Makes the sweep of `link` and prints it: as CSV run by run, so that nothing is lost of hours, or as a table.
///
/// # Errors
/// When a device stops working, after what was found until then is printed, or the output cannot be written.
#[expect(clippy::print_stderr, reason = "the closing lines are for the person, not for the pipe")]
pub fn sweep(link: &Link, mut sweep: Sweep, print: Print, output: &mut Output<'_>) -> Result<(), Trouble> {
    let spec = &link.spec;
    let is_csv = print.format == Format::Csv;
    let options = Options { held_out_limit: print.held_out, stop_solved: true, ..Options::default() };
    let bar = bar_of_runs(sweep.cells.len() as u64, print.quiet);
    let begin = now_ms();
    let of = |environment: Environment| Record {
        link: link.clone(),
        environment,
        held_out: print.held_out.unwrap_or_default(),
        ..Default::default()
    };
    let is_new = print.names == Names::New;
    // Where all runs have the same relevant set, it is said before them.
    let begun = of(environment("", ""));
    let sets = if is_csv && is_new { begun.relevant_sets() } else { None };
    let sets = sets.filter(|sets| sets.len() > 1).unwrap_or_default();
    if is_csv {
        let budget = is_new.then_some("budget");
        let relevant = (!sets.is_empty()).then_some("relevant");
        let columns = keys(spec).chain(["replica", "t_c"]).chain(budget).chain(relevant);
        let about = if is_new { begun.csv_preamble() } else { String::new() };
        output.write(&(about + &line_of(columns)?))?;
    }
    let mut diverged = vec![];
    // Runs end in any order, and are told in theirs.
    let (numbers, mut waiting) = ((0..sweep.cells.len()).collect::<Vec<_>>(), BTreeMap::new());
    let made = pool::make(
        spec,
        &numbers,
        vivarium_model::platform::cores(),
        options,
        &signals::stop,
        |number, _, outcome| {
            let last = outcome.rows.last();
            let ends = (last.map(|row| row.test_accuracy.clone()).unwrap_or_default(), measures(last));
            waiting.insert(number, (outcome.solved.clone(), ends, outcome.ending));
            while let Some((solved, (right, measured), ending)) = waiting.remove(&sweep.done.len()) {
                let cell = &sweep.cells[sweep.done.len()];
                if ending == Some(Ending::Diverged) {
                    diverged.push(format!("{}: the loss became infinite or NaN.", named(spec, cell)));
                }
                if is_csv {
                    let budget = is_new.then(|| cell.spec.run.steps.to_string());
                    let set = sets
                        .get(sweep.done.len())
                        .map(|set| set.iter().map(usize::to_string).collect::<Vec<_>>().join(" "));
                    let more: Vec<String> = budget.into_iter().chain(set).collect();
                    output.write(&lines(&values(spec, cell).collect::<Vec<_>>(), &solved, &more)?)?;
                }
                sweep.ends.push(right);
                sweep.measures.push(measured);
                sweep.done.push(best(&solved, cell.spec.task.examples().tries()));
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
    match print.format {
        Format::Csv => {}
        Format::Table => output.write(&(table(spec, &sweep) + &laws(spec, &sweep)))?,
        Format::Json => {
            let last = sweep.done.last().into_iter().flatten().flatten().max();
            let record = Record {
                step: last.copied().unwrap_or_default(),
                ending: sweep.is_over().then_some(Ending::LastStep),
                times: sweep.done.clone(),
                ..of(environment(&names, ""))
            };
            let head = if is_new { record.json_head() } else { record.earlier_json_head() };
            output.write(&(head + &record.json_tail(true)))?;
        }
    }
    diverged.iter().for_each(|sentence| eprintln!("{sentence}"));
    if let Some(trouble) = failed {
        return Err(trouble);
    }
    if !print.quiet {
        let seconds = (now_ms() - begin) / 1e3;
        eprintln!("{} runs ({names}, {seconds:.1} s).", sweep.done.len());
    }
    Ok(())
}

/// The settings that the sweep goes through.
pub(super) fn keys(spec: &RunSpec) -> impl Iterator<Item = &str> {
    let axes = [&spec.run.sweep, &spec.run.series];
    axes.into_iter().filter(|axis| !axis.is_empty()).map(|axis| axis.key.as_str())
}

/// What a run has of them.
pub(super) fn values<'a>(spec: &'a RunSpec, cell: &Cell) -> impl Iterator<Item = &'a str> {
    let axes = [(&spec.run.sweep, cell.at), (&spec.run.series, cell.series)];
    axes.into_iter().filter_map(|(axis, at)| axis.values.get(at)).map(String::as_str)
}

/// "n = 20, k = 3".
fn named(spec: &RunSpec, cell: &Cell) -> String {
    let parts = keys(spec).zip(values(spec, cell)).map(|(key, value)| format!("{key} = {value}"));
    parts.collect::<Vec<_>>().join(", ")
}

/// One line of CSV.
fn line_of<'a>(cells: impl Iterator<Item = &'a str>) -> Result<String, anyhow::Error> {
    let mut writer = csv::Writer::from_writer(vec![]);
    writer.write_record(cells)?;
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// One run's replicas for programs; no time where the target was not reached. `more` is the same for all of them.
fn lines(place: &[&str], solved: &[Option<u64>], more: &[String]) -> Result<String, anyhow::Error> {
    let line = |(replica, time): (usize, &Option<u64>)| {
        let rest = [replica.to_string(), time.map_or_else(String::new, |t| t.to_string())];
        line_of(place.iter().copied().chain(rest.iter().chain(more).map(String::as_str)))
    };
    solved.iter().enumerate().map(line).collect()
}

/// The runs for reading.
pub fn table(spec: &RunSpec, sweep: &Sweep) -> String {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
    let ends = ends_count(spec);
    let last = if ends { ["median error", "quartiles"] } else { ["median t_c", "95 % interval"] };
    table.set_header(keys(spec).chain(["solved", "95 % of chance"]).chain(last));
    for (number, (cell, solved)) in sweep.cells.iter().zip(&sweep.done).enumerate() {
        let point = Point { x: 0.0, times: solved.clone(), horizon: cell.spec.run.steps };
        let found = solved.iter().flatten().count();
        let mut row: Vec<String> = values(spec, cell).map(String::from).collect();
        row.push(format!("{found} of {}", solved.len()));
        let (low, high) = wilson(found, solved.len());
        row.push(format!("{low:.3} to {high:.3}"));
        row.extend(match ends {
            true => errors(sweep.ends.get(number)),
            false => [point.median().map_or(NONE.into(), steps), times_interval(&point)],
        });
        table.add_row(row);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}

/// Whether what counts is what networks come to on rows of their own, and not when.
pub(super) fn ends_count(spec: &RunSpec) -> bool {
    spec.task.examples().splits()
}

/// Median and quartiles of what networks get wrong at the end.
fn errors(right: Option<&Vec<f32>>) -> [String; 2] {
    let wrong: Vec<f32> = right.into_iter().flatten().map(|right| 1.0 - right).collect();
    match quartiles(&wrong) {
        Some([low, middle, high]) => {
            [percent(middle), tr!("{low} to {high}", low = percent(low), high = percent(high))]
        }
        None => [NONE.into(), NONE.into()],
    }
}

/// An interval that ends at the last step is open: some of the replicas might have needed any number of them.
fn times_interval(point: &Point) -> String {
    match (point.median(), point.interval()) {
        (Some(_), Some((low, high))) if high >= point.horizon as f64 => {
            format!("{} to over {}", steps(low), thousands(point.horizon))
        }
        (Some(_), Some((low, high))) => format!("{} to {}", steps(low), steps(high)),
        _ => NONE.into(),
    }
}

fn steps(time: f64) -> String {
    thousands(time.round() as u64)
}

/// The fitted power of each curve, a line for each; nothing where the sweep goes through words, which have no ratio.
pub fn laws(spec: &RunSpec, sweep: &Sweep) -> String {
    let axis = &spec.run.sweep;
    if axis.values.iter().any(|value| value.parse::<f64>().is_err()) {
        return String::new();
    }
    let line = |(name, points): (String, Vec<Point>)| {
        let name = if spec.run.series.is_empty() { String::new() } else { format!("{name}: ") };
        let symbol = &axis.key;
        let Some(exponent) = exponent(&points) else {
            return format!("{name}fewer than two medians: no power of {symbol} can be fitted\n");
        };
        let known = |point: &&Point| point.median().is_some();
        let why = match scaling::interval(&points, Law::Power) {
            Some(_) => String::new(),
            None if points.iter().filter(known).any(|point| point.times.len() < FEWEST) => {
                format!(" (no interval: fewer than {FEWEST} networks at a value)")
            }
            None => " (no interval: too few networks reached the target)".into(),
        };
        format!("{name}t_c ∝ {symbol}^α, {exponent}{why}\n")
    };
    let laws: String = sweep.curves(spec).into_iter().map(line).collect();
    laws + &enough(spec, sweep)
}

/// From which value on most trials succeed, for each value of the second setting, where trials have several restarts
/// and both settings are numbers.
fn enough(spec: &RunSpec, sweep: &Sweep) -> String {
    if spec.task.examples().tries() == 1 {
        return String::new();
    }
    let (of, by) = (&spec.run.sweep.key, &spec.run.series.key);
    let line = |(x, least): (f64, Option<f64>)| match least {
        Some(least) => format!("80 % of trials succeed at {by} = {x} if {of} is at least {least}\n"),
        None => format!("fewer than 80 % of trials succeed at {by} = {x} for every value of {of}\n"),
    };
    thresholds(spec, sweep).unwrap_or_default().into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sweep whose runs took `time` of their place and curve.
    fn made(link: &str, time: impl Fn(f64, usize) -> Option<u64>) -> (RunSpec, Sweep) {
        let (link, notices) = vivarium_model::permalink::decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        let mut sweep = Sweep::of(&link.spec).unwrap();
        let places = vivarium_model::sweep::places(&link.spec.run.sweep);
        sweep.done =
            sweep.cells.iter().map(|c| vec![time(places[c.at], c.series); c.spec.run.replicas]).collect();
        (link.spec, sweep)
    }

    #[test]
    fn each_curve_has_its_power_with_its_interval() {
        let link = "#v1/sparse-parity?replicas=6&sweep=n:10_20_40&series=k:2_3_4";
        let (spec, sweep) = made(link, |n, line| match line {
            0 => Some((n * n) as u64),
            1 => (n < 30.0).then_some((n * n * n) as u64),
            _ => (n < 15.0).then_some(70),
        });
        assert_eq!(
            laws(&spec, &sweep),
            "k = 2: t_c ∝ n^α, exponent 2.00, 95 % interval 2.00 to 2.00\n\
             k = 3: t_c ∝ n^α, exponent 3.00, 95 % interval 3.00 to 3.00\n\
             k = 4: fewer than two medians: no power of n can be fitted\n"
        );
        let table = table(&spec, &sweep);
        for row in
            [["40", "2", "6 of 6", "1,600"], ["20", "3", "6 of 6", "8,000"], ["40", "4", "0 of 6", NONE]]
        {
            let holds = |line: &str| row.iter().all(|cell| line.contains(cell));
            assert!(table.lines().any(holds), "{row:?}\n{table}");
        }
    }

    #[test]
    fn words_have_no_power_and_no_series_no_name() {
        let (spec, sweep) = made("#v1/sparse-parity?sweep=loss:hinge_ce", |x, _| Some(x as u64));
        assert_eq!(laws(&spec, &sweep), "");
        let (spec, sweep) = made("#v1/sparse-parity?sweep=n:10_20", |x, _| Some(x as u64));
        assert_eq!(
            laws(&spec, &sweep),
            "t_c ∝ n^α, exponent 1.00 (no interval: fewer than 5 networks at a value)\n"
        );
    }

    #[test]
    fn errors_are_what_is_left_of_the_right_ones() {
        assert_eq!(errors(Some(&vec![0.75; 3])), ["25.0 %", "25.0 % to 25.0 %"]);
        assert_eq!(errors(Some(&vec![1.0, 0.5, 0.75, 0.25, 0.0])), ["50.0 %", "25.0 % to 75.0 %"]);
        assert_eq!(errors(None), [NONE, NONE]);
    }

    #[test]
    fn runs_on_rows_of_their_own_have_errors_in_place_of_times() {
        let (spec, mut sweep) = made("#v1/tabular?n=5&replicas=2&sweep=m:40_60", |m, _| Some(m as u64));
        sweep.ends = vec![vec![0.75; 2], vec![0.5; 2]];
        let text = table(&spec, &sweep);
        let holds = |words: &[&str]| text.lines().any(|line| words.iter().all(|word| line.contains(word)));
        assert!(holds(&["median error", "quartiles"]) && !text.contains("median t_c"), "{text}");
        assert!(holds(&["40", "2 of 2", "25.0 % to 25.0 %"]), "{text}");
        assert!(holds(&["60", "2 of 2", "50.0 % to 50.0 %"]), "{text}");
        let (spec, sweep) = made("#v1/sparse-parity?sweep=n:10_20", |n, _| Some(n as u64));
        let text = table(&spec, &sweep);
        assert!(text.contains("median t_c") && !text.contains("median error"), "{text}");
    }

    #[test]
    fn several_restarts_say_how_many_are_enough() {
        let link = |tries: usize| {
            format!("#v1/sparse-boolean?tries={tries}&replicas=4&sweep=m:20_30_40&series=n:25_50")
        };
        let time = |m: f64, line: usize| (line == 0 && m >= 30.0).then_some(50);
        let (spec, sweep) = made(&link(2), time);
        let expected = "80 % of trials succeed at n = 25 if m is at least 30\n\
                        fewer than 80 % of trials succeed at n = 50 for every value of m\n";
        assert_eq!(enough(&spec, &sweep), expected);
        assert!(laws(&spec, &sweep).ends_with(expected), "{}", laws(&spec, &sweep));
        let (spec, sweep) = made(&link(1), time);
        assert_eq!(enough(&spec, &sweep), "");
    }

    #[test]
    fn an_interval_is_open_where_it_ends_with_the_run() {
        let point = |times: &[Option<u64>]| Point { x: 1.0, times: times.to_vec(), horizon: 5000 };
        assert_eq!(times_interval(&point(&[Some(1200); 8])), "1,200 to 1,200");
        let open = [vec![Some(1200); 5], vec![None; 3]].concat();
        assert_eq!(times_interval(&point(&open)), "1,200 to over 5,000");
        assert_eq!(times_interval(&point(&[Some(1), None, None])), NONE);
    }
}
