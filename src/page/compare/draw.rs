//! The names of compared runs, their curves in a chart, and their measurements as one table.

use super::update::is_part;
use crate::library::{ComparedRun, id_of, name_of};
use crate::state::State;
use vivarium_core::language::translated;
use vivarium_model::chart::Chart;
use vivarium_model::run::RunSpec;
use vivarium_plot::analysis::{Lines, Reading, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::display::data::about;
use vivarium_view::display::naming;
use vivarium_view::record::{RunRows, csv_of_runs};

/// The compared runs with their names.
pub struct Comparison<'a> {
    /// What the run of the page is called among them.
    pub own: String,
    /// The others.
    pub runs: Vec<NamedRun<'a>>,
}

/// A compared run with its name.
pub struct NamedRun<'a> {
    /// The run.
    pub of: &'a ComparedRun,
    /// What it is called among the others.
    pub name: String,
    /// Whether its curve is a part of the curve of the run of the page, which is drawn anyway.
    pub is_same: bool,
}

impl NamedRun<'_> {
    /// Its curves, if they are another run's.
    fn other(&self) -> Option<&RunView> {
        (!self.is_same).then_some(&self.of.run)
    }
}

/// Whether two runs are of the same task.
fn is_same_task(one: &RunView, other: &RunView) -> bool {
    one.spec().task.info().slug == other.spec().task.info().slug
}

/// Whether a chart of `shown` measures the same of another run: in every run of the task, and in one of another task if
/// the chart has the same title there.
fn measures(chart: Chart, other: &RunView, shown: &RunView) -> bool {
    is_same_task(other, shown) || (chart.applies(other).is_ok() && chart.title(other) == chart.title(shown))
}

/// The name of a curve of this run.
fn labelled(curve: &str, run: &str) -> String {
    match curve.is_empty() {
        true => run.into(),
        false => tr!("{curve}, {run}", curve, run),
    }
}

impl State {
    /// Whether there is another run beside that of the page.
    pub fn has_compared(&self) -> bool {
        self.library.compared().any(|of| !is_part(&of.run, self.run.spec()))
    }

    /// The name that the person has given to a kept run, if there is one.
    fn given_name(&self, id: &str, spec: &RunSpec) -> Option<String> {
        let kept = self.library.find(id).filter(|kept| kept.revision > 0)?;
        (!kept.name.is_empty() && kept.name != name_of(spec)).then(|| kept.name.clone())
    }

    /// The compared runs with their names: the settings in which they and the run of the page differ.
    pub fn comparison(&self) -> Comparison<'_> {
        let own = self.run.spec();
        let all = self.library.compared().map(|of| (of, is_part(&of.run, own)));
        let (same, others): (Vec<_>, Vec<_>) = all.partition(|(_, is_same)| *is_same);
        let mut runs: Vec<(String, &RunSpec)> = vec![(id_of(own), own)];
        runs.extend(others.iter().map(|(of, _)| (of.id.clone(), of.run.spec())));
        let specs: Vec<&RunSpec> = runs.iter().map(|(_, spec)| *spec).collect();
        let mut names: Vec<String> = vec![];
        for ((id, spec), name) in runs.iter().zip(naming::names(&specs)) {
            let name = self.given_name(id, spec).or(name).unwrap_or_else(|| name_of(spec));
            // A name may be given twice; a legend and a table must tell the runs apart.
            let same = names.iter().filter(|other| **other == name).count();
            names.push(if same > 0 { format!("{name} ({})", same + 1) } else { name });
        }
        let mut names = names.into_iter();
        let own = names.next().unwrap_or_default();
        let same = same.into_iter().map(|(of, is_same)| NamedRun { of, name: own.clone(), is_same });
        let others = others.into_iter().zip(names);
        let others = others.map(|((of, is_same), name)| NamedRun { of, name, is_same });
        Comparison { runs: same.chain(others).collect(), own }
    }

    /// Draws the last curve of each compared run under the curves of a chart: what [`State::draw_kept`] calls.
    pub fn draw_compared(&self, chart: Chart, lines: &mut Lines) {
        // What is measured along every run of the lab; of probes, a kept run has nothing. A kept run would tell what a
        // reader is to predict.
        if !chart.compares(&self.run) || self.is_predicting() || !self.has_compared() {
            return;
        }
        let (comparison, spec) = (self.comparison(), self.run.spec());
        let mut drawn = vec![];
        for named in &comparison.runs {
            let Some(run) = named.other().filter(|run| measures(chart, run, &self.run)) else { continue };
            if let Reading::Lines(mut others) = chart.reading(run)
                && let Some(curve) = others.series.pop()
            {
                // Another batch is another number of examples in a step.
                let share = match &lines.counted {
                    Some(_) => run.spec().batch() as f64 / spec.batch() as f64,
                    None => 1.0,
                };
                drawn.push(Series {
                    name: labelled(&curve.name, &named.name),
                    tint: Some(named.of.tint),
                    role: Role::Other,
                    each: None,
                    x: curve.x.iter().map(|x| x * share).collect(),
                    ..curve
                });
            }
        }
        // The curve that the others are compared with is named as they are.
        let last = lines.series.iter().rfind(|series| !series.faint);
        let last = last.map(|series| (series.name.clone(), series.role)).filter(|_| !drawn.is_empty());
        for series in &mut lines.series {
            if last.as_ref().is_some_and(|(name, role)| series.name == *name && series.role == *role) {
                series.name = labelled(&series.name, &comparison.own);
            }
        }
        lines.series.extend(drawn);
    }

    /// Why a compared run is in none of the charts that are shown, as a sentence.
    pub fn why_not_drawn(&self, named: &NamedRun) -> Option<String> {
        let run = named.other().filter(|run| !is_same_task(run, &self.run))?;
        let mut shown = self.run.link.view.show.iter().filter(|chart| chart.compares(&self.run));
        let is_drawn = shown.any(|chart| measures(*chart, run, &self.run));
        (!is_drawn).then(|| {
            tr!(
                "“{name}” is not drawn: its task is {task}, and none of the charts that are shown applies to this task.",
                name = named.name,
                task = translated(run.spec().task.info().name)
            )
        })
    }

    /// The measurements of the run of the page and of the compared runs, in one table.
    pub fn compared_csv(&self) -> String {
        let comparison = self.comparison();
        let others = comparison.runs.iter().filter_map(|named| Some((&named.name, named.other()?)));
        let all = std::iter::once((&comparison.own, self.whole())).chain(others);
        let tables: Vec<RunRows> = all
            .map(|(name, run)| RunRows {
                name,
                measures: run.spec().measures(),
                preamble: about(run).csv_preamble(),
                rows: run.history.rows().collect(),
            })
            .collect();
        csv_of_runs(&tables)
    }
}
