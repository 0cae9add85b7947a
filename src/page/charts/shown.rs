//! Which charts are shown, on which axes and in which size.
//!
//! # Why
//! None of this changes a number, so none of it restarts a run; but it is in the link, and can be undone.

use crate::charts::viewport::ViewportAction;
use crate::effect::Effect;
use crate::library::LibraryAction;
use crate::settings::form::{
    CHARTS_KEY, PANEL_KEYS, SMOOTHING_KEY, STEP_AXIS_KEY, TOOLBAR_KEYS, theory_setting,
};
use crate::state::{State, UndoEntry};
use vivarium_core::language::translated;
use vivarium_core::settings::{InvalidSetting, SettingInfo, Settings, Value};
use vivarium_model::chart::Chart;
use vivarium_model::chart::ChartKind;
use vivarium_model::permalink::{AxisScale, StepAxisUnit, ViewSettings};
use vivarium_model::protocol::Command;
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::display::words;
use vivarium_view::ui::field::SPEED_KEY;

impl State {
    /// Applies a zoom of the charts' axis of steps, or shows or hides curves.
    pub fn apply_viewport_action(&mut self, action: ViewportAction) {
        let end = self.player.latest_step() as f64;
        self.viewport.apply(action, end);
    }

    /// Undoes the last change in the list of Undo; does nothing if the list is empty.
    pub fn undo_last(&mut self, effects: &mut Vec<Effect>) {
        match self.undo.pop() {
            Some(UndoEntry::SavedRuns(before)) => self.undo_library_change(&before, effects),
            Some(UndoEntry::Compared(ids)) => {
                self.apply_library_action(LibraryAction::RestoreComparison(ids), effects)
            }
            Some(UndoEntry::ViewSetting(key, value)) => self.restore_view_setting(key, &value, effects),
            Some(UndoEntry::Run(left)) => self.return_to_left_run(*left, effects),
            Some(UndoEntry::Link(link)) => {
                let what = words::describe_changes(&self.player.run.link.spec, &link.spec);
                let seed = if link.spec.run.seed == self.player.run.link.spec.run.seed {
                    tr!(" with the same seed")
                } else {
                    ""
                };
                self.player.message = tr!("Effect of Undo: {what}. The run has restarted{seed}.", what, seed);
                self.start_link(*link, effects);
            }
            None => {}
        }
    }

    /// Sets a view setting (such as the shown charts or the smoothing) from a text.
    ///
    /// # Errors
    /// If the text is not a value of the setting, or does not suit the run.
    pub fn edit_view(
        &mut self,
        setting: &'static SettingInfo,
        text: &str,
        effects: &mut Vec<Effect>,
    ) -> Result<(), InvalidSetting> {
        let (before, value) = (self.player.run.link.view.value(setting.key), setting.parse(text)?);
        self.player.run.link.view.set(setting.key, &value)?;
        let is_looked = PANEL_KEYS.contains(&setting.key);
        if is_looked {
            self.check_view_setting(setting.key, before.as_ref())?;
        }
        if setting.key == SPEED_KEY {
            self.player.send(Command::Speed(self.player.speed_limit()), effects);
            self.player.message =
                tr!("Speed: {speed}.", speed = words::format_speed_limit(self.player.run.link.view.speed));
        }
        if setting.key == CHARTS_KEY {
            self.player.send_probes(effects);
        }
        match before.filter(|before| *before != value) {
            // Successive moves of a slider are one change.
            Some(before) if is_looked || setting.key == SMOOTHING_KEY => {
                self.push_view_undo(setting.key, before)
            }
            Some(before) if TOOLBAR_KEYS.contains(&setting.key) => {
                self.push_undo(UndoEntry::ViewSetting(setting.key, before))
            }
            _ => {}
        }
        Ok(())
    }

    /// Shows a chart, or hides it if it is shown; the only shown chart is never hidden.
    pub fn toggle_chart(&mut self, chart: Chart, effects: &mut Vec<Effect>) {
        let mut shown = self.player.run.link.view.show.clone();
        if shown.contains(&chart) {
            shown.retain(|other| *other != chart);
        } else if let Err(why) = chart.applies(&self.player.run) {
            self.player.message = why;
            return;
        } else {
            shown.push(chart);
        }
        if shown.is_empty() {
            self.player.message = tr!("At least one chart must be shown; show another chart first.").into();
            return;
        }
        let slugs: Vec<&str> = shown.into_iter().map(Chart::slug).collect();
        self.edit(CHARTS_KEY, &slugs.join("."), effects);
    }

    /// Switches the chart axis whose link key is `key` between logarithmic and linear, or the axis of steps between
    /// steps and examples.
    pub fn toggle_axis(&mut self, key: &str, effects: &mut Vec<Effect>) {
        let next = match (key, self.is_log_axis(key)) {
            (STEP_AXIS_KEY, _) if self.player.run.link.view.counted == StepAxisUnit::Steps => {
                StepAxisUnit::Examples.slug()
            }
            (STEP_AXIS_KEY, _) => StepAxisUnit::Steps.slug(),
            (_, true) => AxisScale::Linear.slug(),
            (_, false) => AxisScale::Log.slug(),
        };
        self.edit(key, next, effects);
    }

    /// Whether the chart axis whose link key is `key` is logarithmic.
    pub fn is_log_axis(&self, key: &str) -> bool {
        self.player.run.link.view.value(key) == Some(Value::Choice(AxisScale::Log.slug().into()))
    }

    /// Restores an earlier value of a view setting, as Undo does; the run goes on.
    pub fn restore_view_setting(&mut self, key: &'static str, value: &Value, effects: &mut Vec<Effect>) {
        // The value was valid when it was stored.
        let _ = self.player.run.link.view.set(key, value);
        let _ = self.player.run.link.theory.set(key, value);
        self.player.send_probes(effects);
        self.player.run.recompute_view();
        let names: Vec<String> =
            self.player.run.link.view.show.iter().map(|c| c.info().name.to_string()).collect();
        let info = ViewSettings::SETTINGS.iter().find(|info| info.key == key).or(theory_setting(key));
        self.player.message = match info {
            Some(info)
                if PANEL_KEYS.contains(&key)
                    || [SMOOTHING_KEY, STEP_AXIS_KEY].contains(&key)
                    || theory_setting(key).is_some() =>
            {
                tr!(
                    "Undone: the change of the setting “{setting}”.",
                    setting = words::uncapitalize(translated(info.label))
                )
            }
            Some(info) if key != CHARTS_KEY => {
                let kind = if self.is_log_axis(key) { "logarithmic" } else { "linear" };
                tr!(
                    "After Undo, the {setting} is {kind}.",
                    setting = words::uncapitalize(translated(info.label)),
                    kind
                )
            }
            _ => tr!("After Undo, the page shows {names}.", names = words::join_list(&names)),
        };
    }
}

/// Label of the button that shows or hides `chart`: its title in one word, or its whole title if the button of another
/// offered chart has the same word.
pub fn chart_button_label(chart: Chart, offered: impl IntoIterator<Item = Chart>) -> &'static str {
    let info = chart.info();
    let has_namesake = offered.into_iter().any(|other| other != chart && other.info().word == info.word);
    if has_namesake { info.name } else { info.word }
}

/// Size of a chart in the grid of two columns; on a narrow page every chart fills a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartSize {
    /// One cell of the grid.
    Cell,
    /// Two rows of the second column of the grid.
    Tall,
    /// A whole row of the grid.
    Wide,
}

/// Returns the size of each chart, so that no cell of the grid stays empty.
///
/// A matrix is tall if two other charts fit next to it; if the number of cells is odd, the last chart that
/// is not tall fills a row.
pub fn chart_sizes(shown: &[Chart]) -> Vec<ChartSize> {
    let is_grid = |chart: &&Chart| chart.info().kind == ChartKind::Grid;
    let grids = shown.iter().filter(is_grid).count();
    let tall = grids > 0 && shown.len() - grids >= 2 * grids;
    let mut rooms: Vec<ChartSize> = shown
        .iter()
        .map(|chart| if tall && is_grid(&chart) { ChartSize::Tall } else { ChartSize::Cell })
        .collect();
    let cells = rooms.iter().filter(|room| **room == ChartSize::Cell).count();
    if cells % 2 == 1
        && let Some(last) = rooms.iter_mut().rfind(|room| **room == ChartSize::Cell)
    {
        *last = ChartSize::Wide;
    }
    rooms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Action;
    use vivarium_model::chart;
    use vivarium_model::chart::DEFAULT_CHARTS;
    use vivarium_model::permalink::encode;
    use vivarium_plot::analysis::{LineChart, Series};

    fn open(link: &str) -> State {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        state
    }

    #[test]
    fn no_two_chart_buttons_have_the_same_label() {
        // The link asks for a chart of the parity lab, whose word is that of a chart of this lab.
        let state = open("#v1/machine-traces?show=cells.attention");
        let shown = &state.player.run.link.view.show;
        let form = state.player.run.spec().task.data().form();
        let suits = |chart: &Chart| chart.form().is_none_or(|of| form.counts_as(of));
        let offered = Chart::ALL.iter().copied().filter(|chart| suits(chart) || shown.contains(chart));
        let labels: Vec<&str> =
            offered.clone().map(|chart| chart_button_label(chart, offered.clone())).collect();
        for label in ["Attention of [CLS]", "Attention on a trace", "Cells"] {
            assert!(labels.contains(&label), "{label}: {labels:?}");
        }
        for (at, label) in labels.iter().enumerate() {
            assert!(!labels[..at].contains(label), "{label}");
        }
    }

    #[test]
    fn charts_and_axes_are_toggled_undone_and_never_restart_the_run() {
        let mut state = open("#v1/sparse-parity?n=20");
        let runs = state.player.run.run_count;
        state.player.run.step = 120;
        let act = |state: &mut State, action: Action| {
            assert_eq!(state.apply(action), []);
            encode(&state.player.run.link).replace("#v1/sparse-parity?n=20", "")
        };
        assert_eq!(act(&mut state, Action::ToggleChart(chart::ACCURACY)), "&show=loss.weights");
        assert_eq!(act(&mut state, Action::ToggleAxis("x")), "&show=loss.weights&x=log");
        assert_eq!(act(&mut state, Action::ToggleAxis("y")), "&show=loss.weights&x=log&y=log");
        assert_eq!(act(&mut state, Action::ToggleAxis("x")), "&show=loss.weights&y=log");
        assert_eq!(act(&mut state, Action::ToggleChart(chart::ACCURACY)), "&y=log");
        assert_eq!(state.undo.len(), 5);
        assert_eq!(act(&mut state, Action::Undo), "&show=loss.weights&y=log");
        assert_eq!(state.player.message, "After Undo, the page shows Loss and First-layer weights W.");
        assert_eq!(act(&mut state, Action::Undo), "&show=loss.weights&x=log&y=log");
        assert_eq!(state.player.message, "After Undo, the scale of the step axis is logarithmic.");
        for _ in 0..3 {
            act(&mut state, Action::Undo);
        }
        assert_eq!(
            (encode(&state.player.run.link).as_str(), state.undo.len()),
            ("#v1/sparse-parity?n=20", 0)
        );
        assert_eq!((state.player.run.run_count, state.player.run.step), (runs, 120));
    }

    #[test]
    fn undoing_what_was_shown_keeps_settings_that_changed_since() {
        let mut state = open("#v1/sparse-parity?n=20");
        state.apply(Action::ToggleAxis("x"));
        state.player.run.link.spec.run.steps = 600;
        state.apply(Action::Undo);
        assert_eq!(encode(&state.player.run.link), "#v1/sparse-parity?n=20&steps=600");
    }

    #[test]
    fn one_chart_stays() {
        let mut state = open("#v1/sparse-parity?show=loss");
        state.apply(Action::ToggleChart(chart::LOSS));
        assert_eq!(
            (state.player.run.link.view.show.as_slice(), state.undo.len()),
            ([chart::LOSS].as_slice(), 0)
        );
        assert!(state.player.message.starts_with("At least one chart must be shown"));
    }

    #[test]
    fn no_cell_stays_empty() {
        use ChartSize::{Cell, Tall, Wide};
        assert_eq!(chart_sizes(&DEFAULT_CHARTS), [Cell, Cell, Tall]);
        let [loss, weights] = [chart::LOSS, chart::WEIGHTS];
        assert_eq!(chart_sizes(&[loss]), [Wide]);
        assert_eq!(chart_sizes(&[weights]), [Wide]);
        assert_eq!(chart_sizes(&[loss, weights]), [Cell, Cell]);
        assert_eq!(chart_sizes(&[loss, weights, weights]), [Cell, Cell, Wide]);
        assert_eq!(chart_sizes(&[loss, loss, weights, loss]), [Cell, Cell, Tall, Wide]);
        assert_eq!(chart_sizes(&[loss, loss, loss]), [Cell, Cell, Wide]);
        assert_eq!(
            chart_sizes(&[loss, loss, weights, weights, loss, loss]),
            [Cell, Cell, Tall, Tall, Cell, Cell]
        );
        for grids in 0..5 {
            for others in 0..6 {
                let shown = [vec![weights; grids], vec![loss; others]].concat();
                let wide = |room: &ChartSize| if *room == Cell { 1 } else { 2 };
                assert_eq!(chart_sizes(&shown).iter().map(wide).sum::<usize>() % 2, 0);
            }
        }
    }

    #[test]
    fn hidden_curves_and_the_part_reach_the_chart_and_a_new_run_is_seen_whole() {
        let mut state = State::default();
        state.apply(Action::Open("#v1/sparse-parity?n=20".into()));
        state.player.run.step = 500;
        state.apply(Action::Viewport(ViewportAction::ToggleCurve("loss", "held-out".into())));
        state.apply(Action::Viewport(ViewportAction::Zoom(100.0, 200.0)));
        let series = |name: &str| Series { name: name.into(), ..Default::default() };
        let mut lines = LineChart {
            x_label: "step".into(),
            series: vec![series("training batch"), series("held-out")],
            ..Default::default()
        };
        let plain = lines.clone();
        state.viewport.apply_to("loss", &mut lines);
        assert_eq!(lines.series.iter().map(|s| s.hidden).collect::<Vec<_>>(), [false, true]);
        assert_eq!(lines.x_range, Some((100.0, 200.0)));
        let mut other = LineChart { x_label: "frequency".into(), ..plain.clone() };
        state.viewport.apply_to("purity", &mut other);
        assert_eq!((other.x_range, other.series), (None, plain.series));
        state.apply(Action::NewSeed(7));
        assert_eq!(state.viewport.zoom, None);
        assert!(state.viewport.is_hidden("loss", "held-out"));
    }
}
