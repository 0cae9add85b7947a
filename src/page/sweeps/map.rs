//! The map of a sweep: a table with a cell for each of its runs, coloured when they end.
//!
//! # Why
//! It is a table of links and not a picture: a keyboard reaches every cell, a screen reader reads the table, and a link
//! opens the run. Its HTML is written once and each cell is changed in place, so that the focus stays on its cell.

use vivarium_core::language::escape_html;
use vivarium_core::settings::SweepAxis;
use vivarium_labs as labs;
use vivarium_model::chart;
use vivarium_model::permalink::{Link, LinkEncoder, SweepMapQuantity, ViewSettings};
use vivarium_model::sweep::SweepCell;
use vivarium_plot::analysis::binomial::wilson_interval;
use vivarium_plot::analysis::convergence::ConvergenceTimes;
use vivarium_view::display::RunView;
use vivarium_view::display::sweep::SweepProgress;
use vivarium_view::display::words::{
    format_count, format_decimal, format_percent, format_setting, format_thousands, option_label,
    setting_symbol,
};

/// Appearance of a cell of the sweep's map; a cell is one run of the sweep.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CellView {
    /// Strength of the cell's colour from 0 (palest) to 1; None if the run has no value yet.
    pub colour_strength: Option<f64>,
    /// Text in the cell of the map: the shown quantity of the cell's run.
    pub text: String,
    /// Sentence on the result of the cell's run.
    pub description: String,
    /// Whether the run of the cell is being trained now.
    pub is_now: bool,
}

/// Formats the number in a cell of the map, rounded and short, such as 950, 1.2k or 34k.
fn format_compact(number: f64) -> String {
    let short = |number: f64| if number < 9.95 { format!("{number:.1}") } else { format!("{number:.0}") };
    match number {
        n if n < 1000.0 => format!("{n:.0}"),
        n if n < 999_500.0 => short(n / 1e3) + "k",
        n => short(n / 1e6) + "M",
    }
}

/// Returns the swept settings of a cell, such as "n = 20, k = 3".
fn cell_settings(run: &RunView, cell: &SweepCell) -> String {
    let (spec, run) = (&run.link.spec, &run.link.spec.run);
    let one = |axis: &SweepAxis, at: usize| Some(format_setting(spec, &axis.key, axis.values.get(at)?));
    let both = [one(&run.sweep, cell.sweep_index), one(&run.series, cell.series_index)];
    both.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Quantities that the map may show in place of a share of seeds that is the same in all runs, the preferred one first.
const OTHER_QUANTITIES: [SweepMapQuantity; 3] =
    [SweepMapQuantity::Steps, SweepMapQuantity::Accuracy, SweepMapQuantity::Loss];

/// Whether ended runs of the sweep differ in this quantity.
fn runs_differ(run: &RunView, quantity: SweepMapQuantity) -> bool {
    let mut values = cell_values(run, quantity).into_iter().flatten();
    let first = values.next();
    values.any(|value| Some(value) != first)
}

/// Returns the quantity that the map shows: that of the view, but if the sweep has stopped and the share of seeds that
/// reached the target is the same in all its ended runs, another quantity in which the runs differ.
fn shown_quantity(run: &RunView) -> SweepMapQuantity {
    let of_view = run.link.view.cells;
    let has_stopped = run.sweep.as_ref().is_some_and(SweepProgress::is_stopped);
    if of_view != SweepMapQuantity::Share || !has_stopped || runs_differ(run, of_view) {
        return of_view;
    }
    OTHER_QUANTITIES.into_iter().find(|other| runs_differ(run, *other)).unwrap_or(of_view)
}

/// Returns the sentence that says why the map shows another quantity than the share of seeds that reached the target;
/// None if the map shows the quantity of the view.
fn replacement_note(run: &RunView) -> Option<String> {
    if shown_quantity(run) == run.link.view.cells {
        return None;
    }
    let share = cell_values(run, SweepMapQuantity::Share).into_iter().flatten().next()?;
    Some(match share {
        1.0 => {
            tr!("Every run reached the target with all its seeds, so the map shows another quantity.").into()
        }
        0.0 => tr!("No run reached the target with any seed, so the map shows another quantity.").into(),
        _ => tr!(
            "Every run reached the target with {share} of its seeds, so the map shows another quantity.",
            share = format_percent(share as f32)
        ),
    })
}

/// Returns a quantity for each run of the sweep; None for runs that have not ended or have no value.
fn cell_values(run: &RunView, quantity: SweepMapQuantity) -> Vec<Option<f64>> {
    let Some(sweep) = &run.sweep else { return vec![] };
    let number = |at: usize| {
        let times = sweep.solved_steps(at)?;
        let last =
            |of: usize| sweep.final_metrics(at).map(|last| f64::from(last[of])).filter(|x| x.is_finite());
        match quantity {
            SweepMapQuantity::Share => {
                Some(times.iter().flatten().count() as f64 / times.len().max(1) as f64)
            }
            SweepMapQuantity::Steps => ConvergenceTimes::new(times).median(),
            SweepMapQuantity::Loss => last(0),
            SweepMapQuantity::Accuracy => last(1),
        }
    };
    (0..sweep.cells.len()).map(number).collect()
}

/// Returns (value of the palest colour, value of the fullest colour): (0, 1) for shares, else the smallest and the
/// largest of the values; (∞, −∞) if all are None.
fn colour_range(quantity: SweepMapQuantity, values: &[Option<f64>]) -> (f64, f64) {
    if quantity == SweepMapQuantity::Share {
        return (0.0, 1.0);
    }
    let found = values.iter().flatten();
    found.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(*x), high.max(*x)))
}

/// Returns the appearance of every cell of the map, in the order of the sweep's runs.
pub fn cell_views(run: &RunView) -> Vec<CellView> {
    let Some(sweep) = &run.sweep else { return vec![] };
    let quantity = shown_quantity(run);
    let numbers = cell_values(run, quantity);
    let (low, high) = colour_range(quantity, &numbers);
    // Numbers of steps are compared on a logarithmic scale.
    let scale = |x: f64| if quantity == SweepMapQuantity::Steps { libm::log(x.max(1.0)) } else { x };
    let strength = |x: f64| match scale(high) - scale(low) {
        width if width > 0.0 => (scale(x) - scale(low)) / width,
        _ => 1.0,
    };
    let face = |(at, cell): (usize, &SweepCell)| {
        let is_now = at == sweep.solved_steps.len() && !sweep.is_stopped();
        let Some(times) = sweep.solved_steps(at) else {
            let about = if is_now { tr!("this run is being trained") } else { tr!("not trained yet") };
            return CellView {
                description: format!("{}: {about}", cell_settings(run, cell)),
                is_now,
                ..CellView::default()
            };
        };
        let (found, all) = (times.iter().flatten().count(), times.len());
        let text = match (quantity, numbers[at]) {
            (SweepMapQuantity::Share, _) => format!("{found}/{all}"),
            (_, None) => "–".into(),
            (SweepMapQuantity::Steps, Some(x)) => format_compact(x),
            (SweepMapQuantity::Loss, Some(x)) => format_decimal(x as f32).trim_end_matches('0').into(),
            (SweepMapQuantity::Accuracy, Some(x)) => format_percent(x as f32).replace(" %", ""),
        };
        let (from, to) = wilson_interval(found, all);
        let mut about = tr!(
            "{place}: the target was reached with {found} of {seeds}, 95 % interval {from} to {to}",
            place = cell_settings(run, cell),
            found,
            seeds = format_count(all, "seed"),
            from = format_percent(from as f32),
            to = format_percent(to as f32)
        );
        if let Some(median) = ConvergenceTimes::new(times).median() {
            about += &tr!("; median {median} steps", median = format_thousands(median as u64));
        }
        if let Some([loss, accuracy]) = sweep.final_metrics(at) {
            about += &tr!(
                "; held-out loss {loss}, accuracy {accuracy}",
                loss = format_decimal(loss),
                accuracy = format_percent(accuracy)
            );
        }
        CellView { colour_strength: numbers[at].map(strength), text, description: about, is_now }
    };
    sweep.cells.iter().enumerate().map(face).collect()
}

/// Returns the sentence that explains the colours of the map.
pub fn map_legend(run: &RunView) -> String {
    let quantity = shown_quantity(run);
    let (low, high) = colour_range(quantity, &cell_values(run, quantity));
    let (what, low, high) = match quantity {
        SweepMapQuantity::Share => {
            (tr!("Share of seeds with which the target was reached"), tr!("none").into(), tr!("all").into())
        }
        _ if low > high => return tr!("No finished run has a value for this map yet.").into(),
        SweepMapQuantity::Steps => {
            (tr!("Median step at which the target was reached"), format_compact(low), format_compact(high))
        }
        SweepMapQuantity::Loss => {
            (tr!("Median held-out loss at the end"), format_decimal(low as f32), format_decimal(high as f32))
        }
        SweepMapQuantity::Accuracy => (
            tr!("Median held-out accuracy at the end"),
            format_percent(low as f32),
            format_percent(high as f32),
        ),
    };
    let cells = run.sweep.as_ref().map_or(&[][..], |sweep| &sweep.cells);
    let floor = labs::describe_map(cells).unwrap_or_default();
    let map = tr!(
        "{what}: pale means {low}, full colour means {high}. Each cell is a link to its run.",
        what,
        low,
        high
    );
    let note = replacement_note(run).unwrap_or_default();
    format!("{note} {map} {floor}").trim().into()
}

/// Returns the link behind a cell, before the swept values are set: the link of the sweep without charts that only
/// sweeps have.
fn cell_link(link: &Link) -> Link {
    let mut link = link.clone().without_teacher_key("at");
    let usual = ViewSettings::default_of_task(&link.spec.task);
    link.view.show.retain(|chart| !matches!(*chart, chart::SWEEP | chart::THRESHOLD | chart::ENDS));
    if link.view.show.is_empty() {
        link.view.show = usual.show;
    }
    link.view.cells = usual.cells;
    link
}

/// Returns the map of the sweep as an HTML table; cells have the ids `cell-0`, `cell-1`, … and no content yet.
pub fn map_html(run: &RunView) -> String {
    let Some(sweep) = &run.sweep else { return String::new() };
    let link = cell_link(&run.link);
    let (spec, run) = (&run.link.spec, &run.link.spec.run);
    let keys = [run.sweep.key.as_str(), run.series.key.as_str()];
    let mut encoder = LinkEncoder::new(&link, &keys);
    let lines = run.series.values.len().max(1);
    let mut out = String::from("<table class=\"map__table\"><thead><tr><th scope=\"col\">");
    if !run.series.is_empty() {
        out += &format!("{} \\ ", escape_html(&setting_symbol(spec, &run.series.key)));
    }
    out += &escape_html(&setting_symbol(spec, &run.sweep.key));
    out += "</th>";
    for value in &run.sweep.values {
        out += &format!("<th scope=\"col\">{}</th>", escape_html(&option_label(spec, &run.sweep.key, value)));
    }
    out += "</tr></thead><tbody>";
    for line in 0..lines {
        let name = run.series.values.get(line).map(|value| option_label(spec, &run.series.key, value));
        out += &format!("<tr><th scope=\"row\">{}</th>", escape_html(&name.unwrap_or(tr!("runs").into())));
        for at in 0..run.sweep.values.len() {
            let number = at * lines + line;
            let Some(cell) = sweep.cells.get(number) else { continue };
            let address = encoder.encode(&cell.spec).replace('&', "&amp;");
            let floor =
                if labs::is_below_lower_bound(&cell.spec) { " class=\"map__below-bound\"" } else { "" };
            out += &format!(
                "<td{floor}><a class=\"map__cell\" id=\"cell-{number}\" tabindex=\"-1\" href=\"{address}\"></a></td>"
            );
        }
        out += "</tr>";
    }
    out + "</tbody></table>"
}
