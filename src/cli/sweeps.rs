//! `lab sweep` and `lab merge`: train a sweep on all cores, also in parts, and write it as CSV and as a
//! figure.

mod panels;

use std::path::{Path, PathBuf};
use vivarium_model::chart;
use vivarium_view::display::charts::ChartOfRun;

use clap::Args;

use super::disk::{SystemDisk, open_locked};
use super::journal::{Journal, Shard, SweepIndex};
use super::look::{FigureFormat, FigureStyle};
use super::print::NameVersion;
use super::{CommandError, open, pool, signals, sweep};
use panels::{SweepPanel, build_panels};
use vivarium_core::settings::{InvalidSetting, SweepAxis, Value, format_thousands};
use vivarium_labs as labs;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::platform::now_ms;
use vivarium_model::run::RunSpec;
use vivarium_model::run::cells::count_runs_usize;
use vivarium_model::run::time::{estimate_run_seconds, format_duration};
use vivarium_model::sweep::{MAX_SWEEP_RUNS, SweepCell, axis_positions, cell};
use vivarium_plot::analysis::binomial::wilson_interval;
use vivarium_plot::analysis::convergence::ConvergenceTimes;
use vivarium_plot::analysis::{Heatmap, LineChart, Reading, Role, Series};
use vivarium_training::session::Options;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::compute_thresholds;
use vivarium_view::display::sweep::SweepProgress;
use vivarium_view::display::words::{format_percent, option_label, setting_label};

/// Largest number of runs of a sweep that `lab sweep` trains without `--yes`; with more runs it stops with a
/// message.
const MAX_UNCONFIRMED_RUNS: usize = 10_000;
/// Largest number of runs of a sweep that is drawn as a figure, and of one for which power laws are fitted
/// and printed.
pub const MAX_FIGURE_RUNS: usize = 10_000;
/// Largest number of panels of a figure, one for each combination of values of the third and later swept
/// settings; a sweep with more cannot be drawn.
const MAX_PANELS: usize = 24;
/// Largest number of runs of a sweep whose results `lab sweep` prints as a table at its end; of larger sweeps
/// only power laws are printed.
const MAX_TABLE_RUNS: usize = 64;
/// Largest number of curves of median times in a chart, one for each value of the second swept setting; with
/// more values the chart is left out.
const MAX_CURVES: usize = 12;

/// Command-line arguments of `lab sweep`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The link of a sweep, or a preset's name; with --axis also the link of a single run.
    link: String,
    /// One more setting of the sweep with its values, such as n:10_20_40, n:lin:10..40:4 or lr:log:0.01..1:5. Any number of
    /// these.
    #[arg(long, value_name = "AXIS")]
    axis: Vec<String>,
    /// CSV file for the results, one line for each network. Runs that are already in this file are skipped.
    #[arg(long, short, default_value = "sweep.csv")]
    output: PathBuf,
    /// File for a figure of the whole sweep, ending in .svg, .png or .pdf. `lab plot` draws the CSV file in other sizes and colours.
    #[arg(long, value_name = "FILE")]
    figure: Option<PathBuf>,
    /// Train one part of the runs: 2/8 is the second of 8 parts, also if the other parts are not trained now. `lab merge` puts
    /// the parts together.
    #[arg(long, value_name = "I/N", value_parser = Shard::parse)]
    shard: Option<Shard>,
    /// Device, instead of the device in the link: auto, cpu or gpu. On a GPU many runs train at once.
    #[arg(long)]
    device: Option<String>,
    /// Number of threads; without it, one thread for each core.
    #[arg(long)]
    threads: Option<usize>,
    /// Names of the columns. `old` writes the format of the previous version; the next version will not have this option.
    #[arg(long, value_enum, default_value = "new")]
    names: NameVersion,
    /// Allow a sweep of more than 10,000 runs.
    #[arg(long)]
    yes: bool,
    /// No progress bar, no table and no closing line.
    #[arg(long, short)]
    quiet: bool,
}

/// Command-line arguments of `lab merge`.
#[derive(Debug, Args)]
pub struct MergeArguments {
    /// Files that `lab sweep` wrote for parts of the same sweep.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// File for the merged results. It is the same as the file of one `lab sweep` without parts.
    #[arg(long, short, default_value = "sweep.csv")]
    output: PathBuf,
    /// Names of the columns, whatever names the files have. `old` writes the format of the previous version; the next
    /// version will not have this option.
    #[arg(long, value_enum, default_value = "new")]
    names: NameVersion,
    /// Merge the files even if runs are missing. `lab sweep` can continue the merged file.
    #[arg(long)]
    partial: bool,
    /// Replace the output file if it exists.
    #[arg(long)]
    force: bool,
}

/// Runs `lab sweep`.
///
/// # Errors
/// A link that is no sweep or too large a one, a file of something else, or what stops a run.
#[expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "the table and the closing line are for the person"
)]
pub fn sweep(arguments: &Arguments) -> Result<(), CommandError> {
    let mut link = open::read_link_within(&arguments.link, MAX_SWEEP_RUNS)?;
    if let Some(device) = &arguments.device {
        link.spec.parse("device", device).map_err(|problem| CommandError::bad_link(problem.to_string()))?;
    }
    add_axes(&mut link.spec, &arguments.axis)?;
    let spec = &link.spec;
    if spec.run.sweep.is_empty() {
        return Err(CommandError::bad_link(
            "This link describes a single run. The link of a sweep lists values of a setting, for example sweep=n:10_20_40; \
             --axis n:10_20_40 does the same.",
        ));
    }
    let shard = arguments.shard.unwrap_or(Shard::WHOLE);
    let threads = arguments.threads.unwrap_or_else(vivarium_model::platform::core_count).max(1);
    let wanted = (0..count_runs_usize(spec)).filter(|number| shard.contains(*number)).count();
    if wanted > MAX_UNCONFIRMED_RUNS && !arguments.yes {
        return Err(CommandError::bad_link(describe_large_sweep(spec, wanted, threads)));
    }
    if let Some(figure) = &arguments.figure {
        check_figure(figure, spec, shard)?;
    }
    signals::register_handlers()?;
    let mut journal = Journal::open(&SystemDisk, &arguments.output, spec, shard, arguments.names)?;
    if journal.has_renamed_columns && !arguments.quiet {
        let other = if arguments.names == NameVersion::New { "old" } else { "new" };
        eprintln!(
            "The columns of {} had other names and are renamed; --names {other} gives them back.",
            arguments.output.display()
        );
    }
    let pending = journal.index.missing_runs();
    let bar = open::sweep_bar(wanted as u64, arguments.quiet);
    bar.set_position((wanted - pending.len()) as u64);
    bar.reset_eta();
    let begin = now_ms();
    let options = Options { stop_solved: true, ..Options::default() };
    let names =
        pool::train_runs(spec, &pending, threads, options, &signals::stop_code, |number, cell, outcome| {
            let lines = journal.format_lines(number, cell, outcome);
            journal.add_run(number, &lines)?;
            bar.inc(1);
            Ok(())
        });
    bar.finish_and_clear();
    let names = names.map_err(|trouble| match trouble {
        CommandError::Stopped(_, code) => {
            CommandError::Stopped(describe_stop(&journal.index, wanted, arguments), code)
        }
        other => other,
    })?;
    let found = journal.finish()?;
    if let Some(figure) = &arguments.figure {
        draw_figure(figure, &found, &FigureStyle::default())?;
    }
    if !arguments.quiet {
        if shard == Shard::WHOLE && wanted <= MAX_TABLE_RUNS {
            print!("{}", format_sweep(&found)?);
        } else if shard == Shard::WHOLE && wanted <= MAX_FIGURE_RUNS {
            print!("{}", format_power_laws(&found)?);
        }
        let (made, there) =
            (format_thousands(pending.len() as u64), format_thousands((wanted - pending.len()) as u64));
        let seconds = (now_ms() - begin) / 1e3;
        eprintln!(
            "{made} runs trained and {there} runs already done, in {} ({}, {threads} threads, {seconds:.1} s).",
            arguments.output.display(),
            names.join(", ")
        );
    }
    Ok(())
}

/// Adds swept settings to a run or sweep, each from a text such as "n:10_20_40" (key and values).
fn add_axes(spec: &mut RunSpec, texts: &[String]) -> Result<(), CommandError> {
    for text in texts {
        let told = |expected: String| {
            CommandError::bad_link(InvalidSetting::new("--axis", text, expected).to_string())
        };
        let mut read = spec.clone();
        read.run.sweep = SweepAxis::default();
        read.parse("sweep", text).map_err(|problem| told(problem.expected))?;
        let axis = read.run.sweep;
        if axis.is_empty() {
            return Err(told("a setting's key and its values, like n:10_20_40".into()));
        }
        let run = &mut spec.run;
        match [&mut run.sweep, &mut run.series].into_iter().find(|free| free.is_empty()) {
            Some(free) => *free = axis,
            None => run.further.push(axis),
        }
    }
    let further = Value::Axes(spec.run.further.clone());
    let problem = spec.setting("further").and_then(|info| info.check(&further).err());
    let problem = problem.or_else(|| spec.invalid_settings_within(MAX_SWEEP_RUNS).into_iter().next());
    problem
        .filter(|_| !texts.is_empty())
        .map_or(Ok(()), |problem| Err(CommandError::bad_link(problem.to_string())))
}

/// Message that a sweep was stopped and how many of its `run_count` runs the sweep file has.
fn describe_stop(index: &SweepIndex, run_count: usize, arguments: &Arguments) -> String {
    format!(
        "Stopped: {} of {} runs are in {}. The same command trains the remaining runs.",
        format_thousands(index.run_count() as u64),
        format_thousands(run_count as u64),
        arguments.output.display()
    )
}

/// Error message for a sweep of `run_count` runs without `--yes`, with an estimate of its time on `threads`
/// threads.
fn describe_large_sweep(spec: &RunSpec, run_count: usize, threads: usize) -> String {
    let some: Vec<f64> = (0..16)
        .filter_map(|i| cell(spec, i * count_runs_usize(spec) / 16).ok())
        .map(|cell| estimate_run_seconds(&cell.spec))
        .collect();
    let time = run_count as f64 * some.iter().sum::<f64>() / some.len().max(1) as f64 / threads as f64;
    format!(
        "This sweep has {} runs, up to {} on {threads} threads. To make only a part of them, add --shard 1/{}, or give \
         fewer values. To make all of them, add --yes.",
        format_thousands(run_count as u64),
        format_duration(time),
        run_count.div_ceil(MAX_UNCONFIRMED_RUNS)
    )
}

/// Tables and fitted power laws of a whole sweep, one for each combination of values of the third and later
/// swept settings.
///
/// # Errors
/// If runs are missing.
pub fn format_sweep(index: &SweepIndex) -> Result<String, CommandError> {
    let mut text = String::new();
    for SweepPanel { name, spec, sweep } in build_panels(index)? {
        if !name.is_empty() {
            text += &format!("{name}\n");
        }
        text += &(sweep::format_table(&spec, &sweep) + &sweep::format_power_laws(&spec, &sweep));
        if let Some(floor) = labs::describe_map(&sweep.cells) {
            text += &format!("{floor}\n");
        }
    }
    Ok(text)
}

/// Fitted power laws of a whole sweep, for each combination of values of the third and later swept settings.
/// Empty if the sweep compares final errors and not times to the target.
///
/// # Errors
/// If runs are missing.
pub(super) fn format_power_laws(index: &SweepIndex) -> Result<String, CommandError> {
    let mut text = String::new();
    if sweep::compares_final_errors(&index.spec) {
        return Ok(text);
    }
    for SweepPanel { name, spec, sweep } in build_panels(index)? {
        let laws = sweep::format_power_laws(&spec, &sweep);
        if !name.is_empty() && !laws.is_empty() {
            text += &format!("{name}\n");
        }
        text += &laws;
    }
    Ok(text)
}

/// Checks that a sweep can be drawn as a figure at `path`: file format, all parts of the sweep, number of
/// runs and of panels.
fn check_figure(path: &Path, spec: &RunSpec, shard: Shard) -> Result<(), CommandError> {
    FigureFormat::from_path(path)?;
    if shard != Shard::WHOLE {
        return Err(CommandError::bad_link(
            "A figure shows a whole sweep: merge its shards first, and use the merged file as --output.",
        ));
    }
    if count_runs_usize(spec) > MAX_FIGURE_RUNS {
        return Err(CommandError::bad_link(format!(
            "A figure shows at most {} runs.",
            format_thousands(MAX_FIGURE_RUNS as u64)
        )));
    }
    let panels = panels::count_panels(spec);
    if panels > MAX_PANELS {
        return Err(CommandError::bad_link(format!(
            "A figure shows a sweep of two settings for at most {MAX_PANELS} combinations of the further settings, and \
             this sweep has {panels} combinations."
        )));
    }
    Ok(())
}

/// Draws a figure of a whole sweep: curves over one swept setting, or heat maps over two, for each
/// combination of values of the third and later ones.
///
/// # Errors
/// If runs are missing, there are too many, or the file cannot be written.
#[expect(clippy::print_stderr, reason = "what is missing in the picture is for the person")]
pub(super) fn draw_figure(path: &Path, index: &SweepIndex, style: &FigureStyle) -> Result<(), CommandError> {
    check_figure(path, &index.spec, index.shard)?;
    let (readings, columns) = build_figure(index)?;
    let lines = index.spec.run.series.values.len();
    if lines > MAX_CURVES && !sweep::compares_final_errors(&index.spec) {
        eprintln!("The figure has maps only: {lines} curves could not be told apart (at most {MAX_CURVES}).");
    }
    let title = encode(&Link::from_spec(index.spec.clone()));
    // Values of many further settings make long titles: eight pixels per character are enough.
    let longest = readings.iter().map(|reading| reading.title().chars().count()).max().unwrap_or(0);
    let width = if index.spec.run.further.is_empty() { 520 } else { 520.max(8 * longest as u32) };
    style.draw(path, readings, &title, columns, (width, 380))
}

/// Charts of the figure of a whole sweep, for all panels, and the number of charts per row.
///
/// # Errors
/// If runs are missing.
pub fn build_figure(index: &SweepIndex) -> Result<(Vec<Reading>, usize), CommandError> {
    let (mut readings, mut columns) = (vec![], 2);
    for SweepPanel { name, spec, sweep } in build_panels(index)? {
        let own = build_readings(&spec, sweep);
        if name.is_empty() {
            readings.extend(own);
        } else {
            columns = own.len();
            let titled = |reading: Reading| {
                let title = format!("{name}: {}", reading.title());
                reading.with_title(title)
            };
            readings.extend(own.into_iter().map(titled));
        }
    }
    Ok((readings, columns))
}

/// Charts of a sweep of one or two settings: share of networks that reach the target, and times to the target
/// or final errors.
fn build_readings(spec: &RunSpec, sweep: SweepProgress) -> Vec<Reading> {
    match spec.run.series.is_empty() {
        _ if sweep::compares_final_errors(spec) => {
            vec![build_share_reading(spec, &sweep), build_page_curve(spec, sweep, chart::ENDS)]
        }
        true => vec![build_share_curve(spec, &sweep), build_page_curve(spec, sweep, chart::SWEEP)],
        false => {
            let mut all = build_maps(spec, &sweep);
            if spec.run.series.values.len() <= MAX_CURVES {
                all.push(build_page_curve(spec, sweep.clone(), chart::SWEEP));
            }
            if spec.task.examples().replicas_per_training_set() > 1
                && compute_thresholds(spec, &sweep).is_some()
            {
                all.push(build_page_curve(spec, sweep, chart::THRESHOLD));
            }
            all
        }
    }
}

/// Chart of the share of networks that reach the target: a curve over one swept setting, or a heat map over
/// two.
fn build_share_reading(spec: &RunSpec, sweep: &SweepProgress) -> Reading {
    match spec.run.series.is_empty() {
        true => build_share_curve(spec, sweep),
        false => build_maps(spec, sweep).swap_remove(0),
    }
}

/// Chart `chart` of the page, drawn for the finished sweep: median times to the target, thresholds, or final
/// errors.
fn build_page_curve(spec: &RunSpec, sweep: SweepProgress, chart: Chart) -> Reading {
    let link = Link { spec: spec.clone(), ..Default::default() };
    chart.reading(&RunView { link, sweep: Some(sweep), ..RunView::default() })
}

/// Curve of the share of networks that reached the target over the swept setting, with its 95 % interval
/// (Wilson 1927) at each value.
fn build_share_curve(spec: &RunSpec, sweep: &SweepProgress) -> Reading {
    let axis = &spec.run.sweep;
    let counts: Vec<(usize, usize)> =
        sweep.solved_steps.iter().map(|times| (times.iter().flatten().count(), times.len())).collect();
    let band =
        counts.iter().map(|(k, n)| wilson_interval(*k, *n)).map(|(a, b)| (a as f32, b as f32)).collect();
    let places = axis_positions(axis);
    let is_log = axis.values.iter().all(|value| value.parse::<f64>().is_ok_and(|x| x > 0.0));
    let series = Series {
        name: "share, with its 95 % interval".into(),
        role: Role::Test,
        y: counts.iter().map(|(k, n)| *k as f32 / (*n).max(1) as f32).collect(),
        x: places,
        band,
        points: true,
        ..Default::default()
    };
    Reading::Lines(LineChart {
        title: SHARE_TITLE.into(),
        x_label: setting_label(spec, &axis.key),
        y_label: "share of seeds".into(),
        y_range: Some((0.0, 1.0)),
        log_x: is_log,
        series: vec![series],
        ..Default::default()
    })
}

/// Title of the charts with the share of networks (seeds) that reached the target.
const SHARE_TITLE: &str = "Seeds that reach the target";

/// Heat maps over two swept settings: the share of networks that reached the target, the median step at which
/// they did, and, if it is below 1 for any run, the largest share that theory allows (for parity, proposition
/// 6.3 of Edelman 2024).
fn build_maps(spec: &RunSpec, sweep: &SweepProgress) -> Vec<Reading> {
    let run = &spec.run;
    let (rows, columns) = (run.series.values.len(), run.sweep.values.len());
    let map = |title: &str, of: &dyn Fn(&[Option<u64>]) -> f32, say: &dyn Fn(&[Option<u64>]) -> String| {
        let values = (0..rows).flat_map(|row| (0..columns).map(move |column| column * rows + row));
        let texts = values.clone().map(|number| say(&sweep.solved_steps[number])).collect();
        let names = |axis: &vivarium_core::settings::SweepAxis| {
            axis.values.iter().map(|value| option_label(spec, &axis.key, value)).collect::<Vec<_>>()
        };
        Reading::Grid(Heatmap {
            title: title.into(),
            x_label: setting_label(spec, &run.sweep.key),
            y_label: setting_label(spec, &run.series.key),
            rows,
            columns,
            values: values.map(|number| of(&sweep.solved_steps[number])).collect(),
            row_names: names(&run.series),
            column_names: names(&run.sweep),
            texts,
            ..Default::default()
        })
    };
    let share = |times: &[Option<u64>]| times.iter().flatten().count() as f32 / times.len().max(1) as f32;
    let median = |times: &[Option<u64>]| {
        ConvergenceTimes::new(times).median().map_or(f32::NAN, |median| median as f32)
    };
    // Successes and trials, and the interval of the share in percent.
    let counts = |times: &[Option<u64>]| {
        let (found, all) = (times.iter().flatten().count(), times.len());
        let (low, high) = wilson_interval(found, all);
        format!("{found}/{all}\n{:.0}–{:.0} %", 100.0 * low, 100.0 * high)
    };
    let steps = |times: &[Option<u64>]| {
        ConvergenceTimes::new(times).median().map_or("–".into(), |t| format_thousands(t.round() as u64))
    };
    let reached = map("Median step at which the target is reached", &median, &steps);
    let mut maps = vec![map(SHARE_TITLE, &share, &counts), reached];
    // The bound of theory, which has its own assumptions, is drawn if it is below 1.
    let allowed = |cell: &SweepCell| {
        (labs::lazy_lab(&cell.spec).max_success)(&cell.spec).map(|most| most.min(1.0) as f32)
    };
    let allowed: Option<Vec<f32>> = sweep.cells.iter().map(allowed).collect();
    if let Some(allowed) = allowed.filter(|allowed| allowed.iter().any(|most| *most < 1.0))
        && let Reading::Grid(grid) = &maps[0]
    {
        let order = (0..rows).flat_map(|row| (0..columns).map(move |column| column * rows + row));
        let values: Vec<f32> = order.map(|number| allowed[number]).collect();
        let texts = values.iter().map(|most| format_percent(*most)).collect();
        let title = "Largest share by proposition 6.3, with adversarial errors of gradients".into();
        maps.push(Reading::Grid(Heatmap { title, values, texts, ..grid.clone() }));
    }
    maps
}

/// Runs `lab merge`.
///
/// # Errors
/// When the files belong to different sweeps or share a run, or, without `--partial` and `--force`, when runs
/// are missing or the output file exists.
#[expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "the power laws and the closing line are for the person"
)]
pub fn merge(arguments: &MergeArguments) -> Result<(), CommandError> {
    let refuse = |sentence: String| Err(CommandError::Other(anyhow::anyhow!(sentence)));
    let place = arguments.output.display();
    if !arguments.force && std::fs::symlink_metadata(&arguments.output).is_ok() {
        return refuse(format!(
            "{place} exists already: --force replaces this file, and --output chooses another file"
        ));
    }
    let mut files = arguments.files.iter();
    let first = files.next().ok_or_else(|| anyhow::anyhow!("there is no file to merge"))?;
    let mut all = SweepIndex::read(first)?;
    all.shard = Shard::WHOLE;
    all.names = arguments.names;
    for path in files {
        let found = SweepIndex::read(path)?;
        if found.spec != all.spec {
            return refuse(format!("{} and {} belong to different sweeps", first.display(), path.display()));
        }
        if let Err(number) = all.merge(found) {
            return refuse(format!(
                "run {number} is both in {} and in one of the files before it",
                path.display()
            ));
        }
    }
    let missing = all.missing_runs();
    if !missing.is_empty() && !arguments.partial {
        let some: Vec<String> = missing.iter().take(5).map(usize::to_string).collect();
        let more = if missing.len() > 5 { ", …" } else { "" };
        return refuse(format!(
            "{} of {} runs are missing ({}{more}): add the files with these runs, or use --partial",
            format_thousands(missing.len() as u64),
            format_thousands(count_runs_usize(&all.spec) as u64),
            some.join(", ")
        ));
    }
    // A sweep that adds runs to the replaced file would lose them.
    let _alone =
        if arguments.output.is_file() { Some(open_locked(&SystemDisk, &arguments.output)?) } else { None };
    all.write_sorted(&SystemDisk, &arguments.output)?;
    if missing.is_empty() && count_runs_usize(&all.spec) <= MAX_FIGURE_RUNS {
        print!("{}", format_power_laws(&all)?);
    }
    eprintln!("{} runs in {place}.", format_thousands(all.run_count() as u64));
    Ok(())
}

#[cfg(test)]
mod figure_tests;
#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode_within;

    fn spec(query: &str) -> RunSpec {
        decode_within(&format!("#v1/sparse-parity?{query}"), MAX_SWEEP_RUNS).0.spec
    }

    /// A run takes 1.3 s: 20,000 steps of 640,000 operations, of which 10¹⁰ take a second, and of a microsecond.
    #[test]
    fn the_time_of_a_sweep_is_that_of_its_runs_on_so_many_threads() {
        let spec = spec("sweep=lr:log:0.001..1:400&series=seed:lin:1..250:250");
        for (wanted, threads, time, part) in [
            (100_000, 4, "100,000 runs, up to 9 hours on 4 threads", "--shard 1/10,"),
            (100_000, 1, "100,000 runs, up to 2 days on 1 threads", "--shard 1/10,"),
            (20_001, 2, "20,001 runs, up to 4 hours on 2 threads", "--shard 1/3,"),
        ] {
            let said = describe_large_sweep(&spec, wanted, threads);
            assert!(said.contains(time) && said.contains(part), "{said}");
        }
    }

    #[test]
    fn figures_are_of_ten_thousand_runs_at_most_and_of_a_whole_sweep() {
        let of = |query: &str, file: &str, shard: Shard| {
            check_figure(Path::new(file), &spec(query), shard).is_ok()
        };
        let (most, more) = (
            "sweep=lr:log:0.001..1:100&series=seed:lin:1..100:100",
            "sweep=lr:log:0.001..1:137&series=seed:lin:1..73:73",
        );
        assert!(of(most, "map.svg", Shard::WHOLE) && of(most, "map.png", Shard::WHOLE));
        assert!(!of(more, "map.svg", Shard::WHOLE) && !of(most, "map.gif", Shard::WHOLE));
        assert!(!of(most, "map", Shard::WHOLE) && !of(most, "map.svg", Shard { number: 1, count: 2 }));
        let maps = |count: usize| format!("sweep=n:10_20&further=k:2_3,seed:lin:1..{count}:{count}");
        assert!(of(&maps(12), "map.svg", Shard::WHOLE) && !of(&maps(13), "map.svg", Shard::WHOLE));
    }

    /// The first two are those of the page; where a link has them, all are further ones.
    #[test]
    fn axes_are_added_in_their_order_and_checked() {
        let added = |query: &str, axes: &[&str]| {
            let mut spec = spec(query);
            let axes: Vec<String> = axes.iter().map(ToString::to_string).collect();
            add_axes(&mut spec, &axes).map(|()| encode(&Link { spec, ..Default::default() }))
        };
        let good = |query: &str, axes: &[&str]| added(query, axes).unwrap();
        assert_eq!(good("", &["n:10_20"]), "#v1/sparse-parity?sweep=n:10_20");
        let four = good("", &["n:10_20", "k:2_3", "lr:log:0.01..1:9", "seed:1_2"]);
        assert_eq!(four, "#v1/sparse-parity?sweep=n:10_20&series=k:2_3&further=lr:log:0.01..1:9,seed:1_2");
        assert_eq!(good("sweep=n:10_20&series=k:2_3&further=lr:log:0.01..1:9", &["seed:1_2"]), four);
        assert_eq!(good("sweep=n:10_20", &["k:2_3"]), "#v1/sparse-parity?sweep=n:10_20&series=k:2_3");
        let said = |axes: &[&str]| added("sweep=n:10_20&series=k:2_3", axes).unwrap_err().to_string();
        for (axes, part) in [
            (&["lr"][..], "--axis = lr: expected a setting's key and at most 1000 values"),
            (&[""], "--axis = (nothing): expected a setting's key and its values"),
            (&["lr:1_2,wd:1"], "--axis = lr:1_2,wd:1: expected"),
            (&["lr:1_2", "lr:3"], "further"),
            (&["n:1_2"], "different for each run"),
            (&["colour:1_2"], "colour = 1: expected a setting of this run"),
            (&["seed:lin:1..1000:1000", "lr:log:0.01..1:1000"], "at most 18"),
            (&["seed:lin:1..900:900", "lr:log:0.01..1:97", "width:2_4_8"], "1,047,600 runs"),
        ] {
            assert!(said(axes).contains(part), "{axes:?}: {}", said(axes));
        }
    }
}
