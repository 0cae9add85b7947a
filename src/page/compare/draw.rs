//! The names of compared runs, their curves in a chart, and their measurements as one table.

use super::update::is_part_of;
use crate::library::{ComparedRun, default_name, run_id};
use crate::state::State;
use vivarium_core::language::translated;
use vivarium_model::chart::Chart;
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::{LineChart, Reading, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::display::data::build_record;
use vivarium_view::display::naming;
use vivarium_view::record::{RunRows, format_runs_csv};

/// The current run and the runs compared with it, with names that distinguish them.
pub struct Comparison<'a> {
    /// Name of the page's current run in the legends of the comparison.
    pub own_name: String,
    /// The runs compared with the current run.
    pub runs: Vec<NamedRun<'a>>,
}

/// A compared run with a name that distinguishes it.
pub struct NamedRun<'a> {
    /// The saved run with its curves.
    pub run: &'a ComparedRun,
    /// Name of the compared run, different from the other names in the comparison.
    pub name: String,
    /// Whether the run's curves are the beginning of the current run's curves, and therefore not drawn.
    pub is_part_of_own: bool,
}

impl NamedRun<'_> {
    /// Returns the compared run, or None if its curves are part of the current run's curves and are not drawn.
    fn other_run(&self) -> Option<&RunView> {
        (!self.is_part_of_own).then_some(&self.run.run)
    }
}

/// Whether two runs train on the same task, with settings of the task ignored.
fn is_same_task(one: &RunView, other: &RunView) -> bool {
    one.spec().task.info().slug == other.spec().task.info().slug
}

/// Whether a chart shows the same quantity for both runs: they have the same task, or the chart has the same title for
/// both.
fn measures_same(chart: Chart, other: &RunView, shown: &RunView) -> bool {
    is_same_task(other, shown) || (chart.applies(other).is_ok() && chart.title(other) == chart.title(shown))
}

/// Returns the label of a compared run's curve in the legend: name of the curve, name of the run.
fn curve_label(curve: &str, run: &str) -> String {
    match curve.is_empty() {
        true => run.into(),
        false => tr!("{curve}, {run}", curve, run),
    }
}

impl State {
    /// Whether a run other than the current one is compared.
    pub fn has_compared_runs(&self) -> bool {
        self.library.compared_runs().any(|of| !is_part_of(&of.run, self.player.run.spec()))
    }

    /// Returns the name that the user gave to a saved run; None if it has the default name.
    fn custom_name(&self, id: &str, spec: &RunSpec) -> Option<String> {
        let saved = self.library.find(id).filter(|saved| saved.revision > 0)?;
        (!saved.name.is_empty() && saved.name != default_name(spec)).then(|| saved.name.clone())
    }

    /// Returns the compared runs, named by the settings in which they differ unless the user has named them.
    pub fn comparison(&self) -> Comparison<'_> {
        let own = self.player.run.spec();
        let all = self.library.compared_runs().map(|of| (of, is_part_of(&of.run, own)));
        let (same, others): (Vec<_>, Vec<_>) = all.partition(|(_, is_same)| *is_same);
        let mut runs: Vec<(String, &RunSpec)> = vec![(run_id(own), own)];
        runs.extend(others.iter().map(|(of, _)| (of.id.clone(), of.run.spec())));
        let specs: Vec<&RunSpec> = runs.iter().map(|(_, spec)| *spec).collect();
        let mut names: Vec<String> = vec![];
        for ((id, spec), name) in runs.iter().zip(naming::name_runs(&specs)) {
            let name = self.custom_name(id, spec).or(name).unwrap_or_else(|| default_name(spec));
            // Two runs may have the same name; legend and table must distinguish them.
            let same = names.iter().filter(|other| **other == name).count();
            names.push(if same > 0 { format!("{name} ({})", same + 1) } else { name });
        }
        let mut names = names.into_iter();
        let own = names.next().unwrap_or_default();
        let same = same.into_iter().map(|(of, is_same)| NamedRun {
            run: of,
            name: own.clone(),
            is_part_of_own: is_same,
        });
        let others = others.into_iter().zip(names);
        let others = others.map(|((of, is_same), name)| NamedRun { run: of, name, is_part_of_own: is_same });
        Comparison { runs: same.chain(others).collect(), own_name: own }
    }

    /// Adds to the curves of the current run, for each compared run, the last curve that this chart draws of that run,
    /// unless the chart shows another quantity for it. Adds nothing while a question of a story is unanswered.
    pub fn draw_compared_runs(&self, chart: Chart, lines: &mut LineChart) {
        // Only measurements of every run of the lab: a saved run has no probes. A saved run would show what a
        // reader is to predict.
        if !chart.shows_other_runs(&self.player.run) || self.is_predicting() || !self.has_compared_runs() {
            return;
        }
        let (comparison, spec) = (self.comparison(), self.player.run.spec());
        let mut drawn = vec![];
        for named in &comparison.runs {
            let Some(run) = named.other_run().filter(|run| measures_same(chart, run, &self.player.run))
            else {
                continue;
            };
            if let Reading::Lines(mut others) = chart.reading(run)
                && let Some(curve) = others.series.pop()
            {
                // With another batch size, a step has another number of examples.
                let share = match &lines.step_unit {
                    Some(_) => run.spec().batch_size() as f64 / spec.batch_size() as f64,
                    None => 1.0,
                };
                drawn.push(Series {
                    name: curve_label(&curve.name, &named.name),
                    muted_colour: Some(named.run.colour),
                    role: Role::Other,
                    replica_curves: None,
                    x: curve.x.iter().map(|x| x * share).collect(),
                    ..curve
                });
            }
        }
        // The current run's curve is labelled like the others.
        let last = lines.series.iter().rfind(|series| !series.faint);
        let last = last.map(|series| (series.name.clone(), series.role)).filter(|_| !drawn.is_empty());
        for series in &mut lines.series {
            if last.as_ref().is_some_and(|(name, role)| series.name == *name && series.role == *role) {
                series.name = curve_label(&series.name, &comparison.own_name);
            }
        }
        lines.series.extend(drawn);
    }

    /// Returns why none of the shown charts draws a compared run; None if one does.
    pub fn not_drawn_reason(&self, named: &NamedRun) -> Option<String> {
        let run = named.other_run().filter(|run| !is_same_task(run, &self.player.run))?;
        let mut shown =
            self.player.run.link.view.show.iter().filter(|chart| chart.shows_other_runs(&self.player.run));
        let is_drawn = shown.any(|chart| measures_same(*chart, run, &self.player.run));
        (!is_drawn).then(|| {
            tr!(
                "“{name}” is not drawn: its task is {task}, and none of the charts that are shown applies to this task.",
                name = named.name,
                task = translated(run.spec().task.info().name)
            )
        })
    }

    /// Returns the measurements of the current run and of the compared runs as one CSV table.
    pub fn compared_csv(&self) -> String {
        let comparison = self.comparison();
        let others = comparison.runs.iter().filter_map(|named| Some((&named.name, named.other_run()?)));
        let all = std::iter::once((&comparison.own_name, self.player.latest_run())).chain(others);
        let tables: Vec<RunRows> = all
            .map(|(name, run)| RunRows {
                name,
                measures: run.spec().measure_names(),
                preamble: build_record(run).csv_preamble(),
                rows: run.history.rows().collect(),
            })
            .collect();
        format_runs_csv(&tables)
    }
}
