//! `lab sweep` and `lab merge`: a sweep on all cores, in parts if need be, as CSV and as a figure.

mod panels;

use std::path::{Path, PathBuf};
use vivarium_model::chart;
use vivarium_view::display::charts::ChartOfRun;

use clap::Args;

use super::disk::{Native, open_alone};
use super::journal::{Found, Journal, Shard};
use super::look::{Kind, Look};
use super::print::Names;
use super::{Trouble, open, pool, signals, sweep};
use panels::{Panel, panels};
use vivarium_core::settings::{Axis, Problem, Value, thousands};
use vivarium_labs as labs;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{Link, encode};
use vivarium_model::platform::now_ms;
use vivarium_model::run::RunSpec;
use vivarium_model::run::cells::count;
use vivarium_model::run::time::{duration, seconds_of_one};
use vivarium_model::sweep::{Cell, MOST_AT_ALL, cell, places};
use vivarium_page::state::State;
use vivarium_plot::analysis::binomial::wilson;
use vivarium_plot::analysis::convergence::Times;
use vivarium_plot::analysis::{Grid, Lines, Reading, Role, Series};
use vivarium_training::session::Options;
use vivarium_view::display::charts::thresholds;
use vivarium_view::display::sweep::Sweep;
use vivarium_view::display::words::{label, option, percent};

/// Most runs that are made without anybody's word.
const MOST_UNASKED: usize = 10_000;
/// Most runs that a figure or a table is made of.
pub const MOST_SHOWN: usize = 10_000;
/// Most combinations of further settings that a figure shows.
const MOST_PANELS: usize = 24;
/// Most runs that are printed as a table.
const MOST_PRINTED: usize = 64;
/// Most curves that can be told apart.
const MOST_CURVES: usize = 12;

/// What `lab sweep` takes.
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
    /// Train one part of the runs: 2/8 is the second of 8 parts. `lab merge` puts the parts together.
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
    names: Names,
    /// Allow a sweep of more than 10,000 runs.
    #[arg(long)]
    yes: bool,
    /// No progress bar, no table and no closing line.
    #[arg(long, short)]
    quiet: bool,
}

/// What `lab merge` takes.
#[derive(Debug, Args)]
pub struct Merged {
    /// Files that `lab sweep` wrote for parts of the same sweep.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// File for the merged results. It is the same as the file of one `lab sweep` without parts.
    #[arg(long, short, default_value = "sweep.csv")]
    output: PathBuf,
    /// Names of the columns, whatever names the files have. `old` writes the format of the previous version; the next
    /// version will not have this option.
    #[arg(long, value_enum, default_value = "new")]
    names: Names,
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
pub fn sweep(arguments: &Arguments) -> Result<(), Trouble> {
    let mut link = open::link_within(&arguments.link, MOST_AT_ALL)?;
    if let Some(device) = &arguments.device {
        link.spec.parse("device", device).map_err(|problem| Trouble::bad(problem.to_string()))?;
    }
    add_axes(&mut link.spec, &arguments.axis)?;
    let spec = &link.spec;
    if spec.run.sweep.is_empty() {
        return Err(Trouble::bad(
            "This link describes a single run. The link of a sweep lists values of a setting, for example sweep=n:10_20_40; \
             --axis n:10_20_40 does the same.",
        ));
    }
    let shard = arguments.shard.unwrap_or(Shard::WHOLE);
    let threads = arguments.threads.unwrap_or_else(vivarium_model::platform::cores).max(1);
    let wanted = (0..count(spec)).filter(|number| shard.has(*number)).count();
    if wanted > MOST_UNASKED && !arguments.yes {
        return Err(Trouble::bad(too_many(spec, wanted, threads)));
    }
    if let Some(figure) = &arguments.figure {
        check_figure(figure, spec, shard)?;
    }
    signals::listen()?;
    let mut journal = Journal::open(&Native, &arguments.output, spec, shard, arguments.names)?;
    if journal.is_renamed && !arguments.quiet {
        let other = if arguments.names == Names::New { "old" } else { "new" };
        eprintln!(
            "The columns of {} had other names and are renamed; --names {other} gives them back.",
            arguments.output.display()
        );
    }
    let pending = journal.found.missing();
    let bar = open::bar_of_sweep(wanted as u64, arguments.quiet);
    bar.set_position((wanted - pending.len()) as u64);
    bar.reset_eta();
    let begin = now_ms();
    let options = Options { stop_solved: true, ..Options::default() };
    let names = pool::make(spec, &pending, threads, options, &signals::stop, |number, cell, outcome| {
        let lines = journal.lines(number, cell, outcome);
        journal.add(number, &lines)?;
        bar.inc(1);
        Ok(())
    });
    bar.finish_and_clear();
    let names = names.map_err(|trouble| match trouble {
        Trouble::Stopped(_, code) => Trouble::Stopped(stopped(&journal.found, wanted, arguments), code),
        other => other,
    })?;
    let found = journal.finish()?;
    if let Some(figure) = &arguments.figure {
        draw(figure, &found, &Look::default())?;
    }
    if !arguments.quiet {
        if shard == Shard::WHOLE && wanted <= MOST_PRINTED {
            print!("{}", printed(&found)?);
        } else if shard == Shard::WHOLE && wanted <= MOST_SHOWN {
            print!("{}", laws(&found)?);
        }
        let (made, there) = (thousands(pending.len() as u64), thousands((wanted - pending.len()) as u64));
        let seconds = (now_ms() - begin) / 1e3;
        eprintln!(
            "{made} runs trained and {there} runs already done, in {} ({}, {threads} threads, {seconds:.1} s).",
            arguments.output.display(),
            names.join(", ")
        );
    }
    Ok(())
}

/// Adds settings to a sweep: the first two that it has are those of the page.
fn add_axes(spec: &mut RunSpec, texts: &[String]) -> Result<(), Trouble> {
    for text in texts {
        let told = |expected: String| Trouble::bad(Problem::new("--axis", text, expected).to_string());
        let mut read = spec.clone();
        read.run.sweep = Axis::default();
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
    let problem = spec.knob("further").and_then(|knob| knob.check(&further).err());
    let problem = problem.or_else(|| spec.problems_within(MOST_AT_ALL).into_iter().next());
    problem.filter(|_| !texts.is_empty()).map_or(Ok(()), |problem| Err(Trouble::bad(problem.to_string())))
}

/// What is said of a sweep that was stopped.
fn stopped(found: &Found, wanted: usize, arguments: &Arguments) -> String {
    format!(
        "Stopped: {} of {} runs are in {}. The same command trains the remaining runs.",
        thousands(found.runs() as u64),
        thousands(wanted as u64),
        arguments.output.display()
    )
}

/// What is said of so many runs.
fn too_many(spec: &RunSpec, wanted: usize, threads: usize) -> String {
    let some: Vec<f64> = (0..16)
        .filter_map(|i| cell(spec, i * count(spec) / 16).ok())
        .map(|cell| seconds_of_one(&cell.spec))
        .collect();
    let time = wanted as f64 * some.iter().sum::<f64>() / some.len().max(1) as f64 / threads as f64;
    format!(
        "This sweep has {} runs, up to {} on {threads} threads. To make only a part of them, add --shard 1/{}, or give \
         fewer values. To make all of them, add --yes.",
        thousands(wanted as u64),
        duration(time),
        wanted.div_ceil(MOST_UNASKED)
    )
}

/// The table of a whole sweep and its fitted power laws, for each combination of further settings.
///
/// # Errors
/// If runs are missing.
pub fn printed(found: &Found) -> Result<String, Trouble> {
    let mut text = String::new();
    for Panel { name, spec, sweep } in panels(found)? {
        if !name.is_empty() {
            text += &format!("{name}\n");
        }
        text += &(sweep::table(&spec, &sweep) + &sweep::laws(&spec, &sweep));
        if let Some(floor) = labs::note_on_map(&sweep.cells) {
            text += &format!("{floor}\n");
        }
    }
    Ok(text)
}

/// The fitted power laws of a whole sweep, a line for each, for each combination of further settings; nothing where its times
/// are not what counts.
///
/// # Errors
/// If runs are missing.
pub(super) fn laws(found: &Found) -> Result<String, Trouble> {
    let mut text = String::new();
    if sweep::ends_count(&found.spec) {
        return Ok(text);
    }
    for Panel { name, spec, sweep } in panels(found)? {
        let laws = sweep::laws(&spec, &sweep);
        if !name.is_empty() && !laws.is_empty() {
            text += &format!("{name}\n");
        }
        text += &laws;
    }
    Ok(text)
}

fn check_figure(path: &Path, spec: &RunSpec, shard: Shard) -> Result<(), Trouble> {
    Kind::of(path)?;
    if shard != Shard::WHOLE {
        return Err(Trouble::bad(
            "A figure shows a whole sweep: merge its shards first, and use the merged file as --output.",
        ));
    }
    if count(spec) > MOST_SHOWN {
        return Err(Trouble::bad(format!("A figure shows at most {} runs.", thousands(MOST_SHOWN as u64))));
    }
    let panels = panels::number(spec);
    if panels > MOST_PANELS {
        return Err(Trouble::bad(format!(
            "A figure shows a sweep of two settings for at most {MOST_PANELS} combinations of the further settings, and \
             this sweep has {panels} combinations."
        )));
    }
    Ok(())
}

/// Draws the curves of one setting, or the maps of two with a curve for each value of the second one, for each combination of
/// the further settings.
///
/// # Errors
/// If runs are missing, there are too many, or the file cannot be written.
#[expect(clippy::print_stderr, reason = "what is missing in the picture is for the person")]
pub(super) fn draw(path: &Path, found: &Found, look: &Look) -> Result<(), Trouble> {
    check_figure(path, &found.spec, found.shard)?;
    let (readings, columns) = readings(found)?;
    let lines = found.spec.run.series.values.len();
    if lines > MOST_CURVES && !sweep::ends_count(&found.spec) {
        eprintln!(
            "The figure has maps only: {lines} curves could not be told apart (at most {MOST_CURVES})."
        );
    }
    let title = encode(&Link::of(found.spec.clone()));
    // The values of many further settings take room in a title: eight pixels a character are enough.
    let longest = readings.iter().map(|reading| reading.title().chars().count()).max().unwrap_or(0);
    let width = if found.spec.run.further.is_empty() { 520 } else { 520.max(8 * longest as u32) };
    look.draw(path, readings, &title, columns, (width, 380))
}

/// What a figure of a whole sweep shows, and in how many columns.
///
/// # Errors
/// If runs are missing.
pub fn readings(found: &Found) -> Result<(Vec<Reading>, usize), Trouble> {
    let (mut readings, mut columns) = (vec![], 2);
    for Panel { name, spec, sweep } in panels(found)? {
        let own = drawn(&spec, sweep);
        if name.is_empty() {
            readings.extend(own);
        } else {
            columns = own.len();
            let titled = |reading: Reading| {
                let title = format!("{name}: {}", reading.title());
                reading.titled(title)
            };
            readings.extend(own.into_iter().map(titled));
        }
    }
    Ok((readings, columns))
}

/// The map of two settings, or the curves of one.
fn drawn(spec: &RunSpec, sweep: Sweep) -> Vec<Reading> {
    match spec.run.series.is_empty() {
        _ if sweep::ends_count(spec) => vec![share_or_map(spec, &sweep), curve(spec, sweep, chart::ENDS)],
        true => vec![share(spec, &sweep), curve(spec, sweep, chart::SWEEP)],
        false => {
            let mut all = maps(spec, &sweep);
            if spec.run.series.values.len() <= MOST_CURVES {
                all.push(curve(spec, sweep.clone(), chart::SWEEP));
            }
            if spec.task.examples().tries() > 1 && thresholds(spec, &sweep).is_some() {
                all.push(curve(spec, sweep, chart::THRESHOLD));
            }
            all
        }
    }
}

/// The first picture where the second one is of what networks come to.
fn share_or_map(spec: &RunSpec, sweep: &Sweep) -> Reading {
    match spec.run.series.is_empty() {
        true => share(spec, sweep),
        false => maps(spec, sweep).swap_remove(0),
    }
}

/// The page's own curve of median times, of thresholds, or of what networks come to.
fn curve(spec: &RunSpec, sweep: Sweep, chart: Chart) -> Reading {
    let link = Link { spec: spec.clone(), ..Default::default() };
    let mut state = State::default();
    (state.run.link, state.run.sweep) = (link, Some(sweep));
    chart.reading(&state.run)
}

/// The share of networks that reached the target, with the interval of each.
fn share(spec: &RunSpec, sweep: &Sweep) -> Reading {
    let axis = &spec.run.sweep;
    let counts: Vec<(usize, usize)> =
        sweep.done.iter().map(|times| (times.iter().flatten().count(), times.len())).collect();
    let band = counts.iter().map(|(k, n)| wilson(*k, *n)).map(|(a, b)| (a as f32, b as f32)).collect();
    let places = places(axis);
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
    Reading::Lines(Lines {
        title: SHARE.into(),
        x_label: label(spec, &axis.key),
        y_label: "share of seeds".into(),
        y_range: Some((0.0, 1.0)),
        log_x: is_log,
        series: vec![series],
        ..Default::default()
    })
}

const SHARE: &str = "Seeds that reach the target";

/// The maps of the share of networks that reached the target, and of the median step at which they did.
fn maps(spec: &RunSpec, sweep: &Sweep) -> Vec<Reading> {
    let run = &spec.run;
    let (rows, columns) = (run.series.values.len(), run.sweep.values.len());
    let map = |title: &str, of: &dyn Fn(&[Option<u64>]) -> f32, say: &dyn Fn(&[Option<u64>]) -> String| {
        let values = (0..rows).flat_map(|row| (0..columns).map(move |column| column * rows + row));
        let texts = values.clone().map(|number| say(&sweep.done[number])).collect();
        let names = |axis: &vivarium_core::settings::Axis| {
            axis.values.iter().map(|value| option(spec, &axis.key, value)).collect::<Vec<_>>()
        };
        Reading::Grid(Grid {
            title: title.into(),
            x_label: label(spec, &run.sweep.key),
            y_label: label(spec, &run.series.key),
            rows,
            columns,
            values: values.map(|number| of(&sweep.done[number])).collect(),
            row_names: names(&run.series),
            column_names: names(&run.sweep),
            texts,
            ..Default::default()
        })
    };
    let share = |times: &[Option<u64>]| times.iter().flatten().count() as f32 / times.len().max(1) as f32;
    let median = |times: &[Option<u64>]| Times::new(times).median().map_or(f32::NAN, |median| median as f32);
    // Counts, and the interval of the share in percent.
    let counts = |times: &[Option<u64>]| {
        let (found, all) = (times.iter().flatten().count(), times.len());
        let (low, high) = wilson(found, all);
        format!("{found}/{all}\n{:.0}–{:.0} %", 100.0 * low, 100.0 * high)
    };
    let steps = |times: &[Option<u64>]| {
        Times::new(times).median().map_or("–".into(), |t| thousands(t.round() as u64))
    };
    let reached = map("Median step at which the target is reached", &median, &steps);
    let mut maps = vec![map(SHARE, &share, &counts), reached];
    // What theory allows, under assumptions of its own, is drawn where it allows less than everything.
    let allowed =
        |cell: &Cell| labs::lazy(&cell.spec).success_at_most(&cell.spec).map(|most| most.min(1.0) as f32);
    let allowed: Option<Vec<f32>> = sweep.cells.iter().map(allowed).collect();
    if let Some(allowed) = allowed.filter(|allowed| allowed.iter().any(|most| *most < 1.0))
        && let Reading::Grid(grid) = &maps[0]
    {
        let order = (0..rows).flat_map(|row| (0..columns).map(move |column| column * rows + row));
        let values: Vec<f32> = order.map(|number| allowed[number]).collect();
        let texts = values.iter().map(|most| percent(*most)).collect();
        let title = "Largest share by proposition 6.3, with adversarial errors of gradients".into();
        maps.push(Reading::Grid(Grid { title, values, texts, ..grid.clone() }));
    }
    maps
}

/// Runs `lab merge`.
///
/// # Errors
/// Files of different sweeps, of the same run twice, or, unless that is wanted, with runs missing or in place of a file.
#[expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "the power laws and the closing line are for the person"
)]
pub fn merge(arguments: &Merged) -> Result<(), Trouble> {
    let refuse = |sentence: String| Err(Trouble::Other(anyhow::anyhow!(sentence)));
    let place = arguments.output.display();
    if !arguments.force && std::fs::symlink_metadata(&arguments.output).is_ok() {
        return refuse(format!(
            "{place} exists already: --force replaces this file, and --output chooses another file"
        ));
    }
    let mut files = arguments.files.iter();
    let first = files.next().ok_or_else(|| anyhow::anyhow!("there is no file to merge"))?;
    let mut all = Found::read(first)?;
    all.shard = Shard::WHOLE;
    all.names = arguments.names;
    for path in files {
        let found = Found::read(path)?;
        if found.spec != all.spec {
            return refuse(format!("{} and {} belong to different sweeps", first.display(), path.display()));
        }
        if let Err(number) = all.absorb(found) {
            return refuse(format!(
                "run {number} is both in {} and in one of the files before it",
                path.display()
            ));
        }
    }
    let missing = all.missing();
    if !missing.is_empty() && !arguments.partial {
        let some: Vec<String> = missing.iter().take(5).map(usize::to_string).collect();
        let more = if missing.len() > 5 { ", …" } else { "" };
        return refuse(format!(
            "{} of {} runs are missing ({}{more}): add the files with these runs, or use --partial",
            thousands(missing.len() as u64),
            thousands(count(&all.spec) as u64),
            some.join(", ")
        ));
    }
    // A sweep that adds runs to the file would go on in one that is gone.
    let _alone =
        if arguments.output.is_file() { Some(open_alone(&Native, &arguments.output)?) } else { None };
    all.write(&Native, &arguments.output)?;
    if missing.is_empty() && count(&all.spec) <= MOST_SHOWN {
        print!("{}", laws(&all)?);
    }
    eprintln!("{} runs in {place}.", thousands(all.runs() as u64));
    Ok(())
}

#[cfg(test)]
mod figure_tests;
#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode_within;

    fn spec(query: &str) -> RunSpec {
        decode_within(&format!("#v1/sparse-parity?{query}"), MOST_AT_ALL).0.spec
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
            let said = too_many(&spec, wanted, threads);
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
        assert!(!of(most, "map", Shard::WHOLE) && !of(most, "map.svg", Shard { number: 1, of: 2 }));
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
