//! The map of a sweep: a table with a cell for each of its runs, coloured as they end.
//!
//! # Why
//! It is a table of links and no picture: a keyboard reaches every cell, a screen reader reads the table, and opening a
//! run is what links do. Its markup is made once and each cell's looks as they change, so that whoever is on a cell
//! stays there.

use vivarium_core::language::escaped;
use vivarium_core::settings::Axis;
use vivarium_labs as labs;
use vivarium_model::chart;
use vivarium_model::permalink::{Cells, Encoder, Link, View};
use vivarium_model::sweep::Cell;
use vivarium_plot::analysis::binomial::wilson;
use vivarium_plot::analysis::convergence::Times;
use vivarium_view::display::RunView;
use vivarium_view::display::words::{count, decimal, option, percent, setting, symbol, thousands};

/// How one cell looks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Face {
    /// Strength of its colour, from 0 to 1; none where there is nothing to show.
    pub strength: Option<f64>,
    /// What stands in it.
    pub text: String,
    /// All that is known of it, in a sentence.
    pub about: String,
    /// Whether its run is under way.
    pub is_now: bool,
}

/// A number in at most five characters: 950, 1.2k, 34k.
fn compact(number: f64) -> String {
    let short = |number: f64| if number < 9.95 { format!("{number:.1}") } else { format!("{number:.0}") };
    match number {
        n if n < 1000.0 => format!("{n:.0}"),
        n if n < 999_500.0 => short(n / 1e3) + "k",
        n => short(n / 1e6) + "M",
    }
}

/// "n = 20, k = 3": the values of a run.
fn place(run: &RunView, cell: &Cell) -> String {
    let (spec, run) = (&run.link.spec, &run.link.spec.run);
    let one = |axis: &Axis, at: usize| Some(setting(spec, &axis.key, axis.values.get(at)?));
    let both = [one(&run.sweep, cell.at), one(&run.series, cell.series)];
    both.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What the map is of: the number that each cell shows, if its run has ended, from which its colour follows.
fn numbers(run: &RunView) -> Vec<Option<f64>> {
    let Some(sweep) = &run.sweep else { return vec![] };
    let number = |at: usize| {
        let times = sweep.times(at)?;
        let last = |of: usize| sweep.last(at).map(|last| f64::from(last[of])).filter(|x| x.is_finite());
        match run.link.view.cells {
            Cells::Share => Some(times.iter().flatten().count() as f64 / times.len().max(1) as f64),
            Cells::Steps => Times::new(times).median(),
            Cells::Loss => last(0),
            Cells::Accuracy => last(1),
        }
    };
    (0..sweep.cells.len()).map(number).collect()
}

/// The ends of the scale of colours: all shares, or the range of what was found.
fn ends(run: &RunView, numbers: &[Option<f64>]) -> (f64, f64) {
    if run.link.view.cells == Cells::Share {
        return (0.0, 1.0);
    }
    let found = numbers.iter().flatten();
    found.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)))
}

/// Every cell's looks, in the order of the runs.
pub fn faces(run: &RunView) -> Vec<Face> {
    let Some(sweep) = &run.sweep else { return vec![] };
    let numbers = numbers(run);
    let (low, high) = ends(run, &numbers);
    // Times are compared by their ratios.
    let scale = |x: f64| if run.link.view.cells == Cells::Steps { libm::log(x.max(1.0)) } else { x };
    let strength = |x: f64| match scale(high) - scale(low) {
        width if width > 0.0 => (scale(x) - scale(low)) / width,
        _ => 1.0,
    };
    let face = |(at, cell): (usize, &Cell)| {
        let is_now = at == sweep.done.len() && !sweep.is_at_rest();
        let Some(times) = sweep.times(at) else {
            let about = if is_now { tr!("this run is being trained") } else { tr!("not trained yet") };
            return Face { about: format!("{}: {about}", place(run, cell)), is_now, ..Face::default() };
        };
        let (found, all) = (times.iter().flatten().count(), times.len());
        let text = match (run.link.view.cells, numbers[at]) {
            (Cells::Share, _) => format!("{found}/{all}"),
            (_, None) => "–".into(),
            (Cells::Steps, Some(x)) => compact(x),
            (Cells::Loss, Some(x)) => decimal(x as f32).trim_end_matches('0').into(),
            (Cells::Accuracy, Some(x)) => percent(x as f32).replace(" %", ""),
        };
        let (from, to) = wilson(found, all);
        let mut about = tr!(
            "{place}: the target was reached with {found} of {seeds}, 95 % interval {from} to {to}",
            place = place(run, cell),
            found,
            seeds = count(all, "seed"),
            from = percent(from as f32),
            to = percent(to as f32)
        );
        if let Some(median) = Times::new(times).median() {
            about += &tr!("; median {median} steps", median = thousands(median as u64));
        }
        if let Some([loss, accuracy]) = sweep.last(at) {
            about += &tr!(
                "; held-out loss {loss}, accuracy {accuracy}",
                loss = decimal(loss),
                accuracy = percent(accuracy)
            );
        }
        Face { strength: numbers[at].map(strength), text, about, is_now }
    };
    sweep.cells.iter().enumerate().map(face).collect()
}

/// What the colours mean.
pub fn legend(run: &RunView) -> String {
    let numbers = numbers(run);
    let (low, high) = ends(run, &numbers);
    let (what, low, high) = match run.link.view.cells {
        Cells::Share => {
            (tr!("Share of seeds with which the target was reached"), tr!("none").into(), tr!("all").into())
        }
        _ if low > high => return tr!("No finished run has a value for this map yet.").into(),
        Cells::Steps => (tr!("Median step at which the target was reached"), compact(low), compact(high)),
        Cells::Loss => (tr!("Median held-out loss at the end"), decimal(low as f32), decimal(high as f32)),
        Cells::Accuracy => {
            (tr!("Median held-out accuracy at the end"), percent(low as f32), percent(high as f32))
        }
    };
    let cells = run.sweep.as_ref().map_or(&[][..], |sweep| &sweep.cells);
    let floor = labs::note_on_map(cells).unwrap_or_default();
    let map = tr!(
        "{what}: pale means {low}, full colour means {high}. Each cell is a link to its run.",
        what,
        low,
        high
    );
    format!("{map} {floor}").trim_end().into()
}

/// How each run of the sweep is shown in its own link: as the sweep is, without what is there for a sweep alone.
fn shown(link: &Link) -> Link {
    let mut link = link.clone().without("at");
    let usual = View::of(&link.spec.task);
    link.view.show.retain(|chart| !matches!(*chart, chart::SWEEP | chart::THRESHOLD | chart::ENDS));
    if link.view.show.is_empty() {
        link.view.show = usual.show;
    }
    link.view.cells = usual.cells;
    link
}

/// The table, with cells that are told apart by `cell-0`, `cell-1`, … and that nothing is known of yet.
pub fn markup(run: &RunView) -> String {
    let Some(sweep) = &run.sweep else { return String::new() };
    let link = shown(&run.link);
    let (spec, run) = (&run.link.spec, &run.link.spec.run);
    let keys = [run.sweep.key.as_str(), run.series.key.as_str()];
    let mut encoder = Encoder::new(&link, &keys);
    let lines = run.series.values.len().max(1);
    let mut out = String::from("<table class=\"map__table\"><thead><tr><th scope=\"col\">");
    if !run.series.is_empty() {
        out += &format!("{} \\ ", escaped(&symbol(spec, &run.series.key)));
    }
    out += &escaped(&symbol(spec, &run.sweep.key));
    out += "</th>";
    for value in &run.sweep.values {
        out += &format!("<th scope=\"col\">{}</th>", escaped(&option(spec, &run.sweep.key, value)));
    }
    out += "</tr></thead><tbody>";
    for line in 0..lines {
        let name = run.series.values.get(line).map(|value| option(spec, &run.series.key, value));
        out += &format!("<tr><th scope=\"row\">{}</th>", escaped(&name.unwrap_or(tr!("runs").into())));
        for at in 0..run.sweep.values.len() {
            let number = at * lines + line;
            let Some(cell) = sweep.cells.get(number) else { continue };
            let address = encoder.encode(&cell.spec).replace('&', "&amp;");
            let floor = if labs::is_forbidden(&cell.spec) { " class=\"map__floor\"" } else { "" };
            out += &format!(
                "<td{floor}><a class=\"map__cell\" id=\"cell-{number}\" tabindex=\"-1\" href=\"{address}\"></a></td>"
            );
        }
        out += "</tr>";
    }
    out + "</tbody></table>"
}
