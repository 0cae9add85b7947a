//! What is shown and on which axes: the toolbar's actions, and the room that each chart takes.
//!
//! # Why
//! None of this changes a number, so none of it restarts a run; but it is in the link, and can be undone.

use crate::charts::viewport::ViewportAction;
use crate::library::LibraryAction;
use crate::settings::form::{COUNT_KEY, PANEL_KEYS, SHOW_KEY, SHOWN_KEYS, SMOOTH_KEY, theory_knob};
use crate::state::{State, UndoEntry};
use crate::trainer::Effect;
use vivarium_core::language::translated;
use vivarium_core::settings::{Knob, Problem, Settings, Value};
use vivarium_model::chart::Chart;
use vivarium_model::chart::Kind;
use vivarium_model::permalink::{Axis, Counted, View};
use vivarium_model::protocol::Command;
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::display::words;
use vivarium_view::ui::field::SPEED_KEY;

impl State {
    /// Shows what somebody wants to see of the charts.
    pub fn see(&mut self, sight: ViewportAction) {
        let end = self.end_step() as f64;
        self.viewing.see(sight, end);
    }

    /// Takes back the last change.
    pub fn take_back(&mut self, effects: &mut Vec<Effect>) {
        match self.undo.pop() {
            Some(UndoEntry::SavedRuns(before)) => self.undo_kept(&before, effects),
            Some(UndoEntry::Compared(ids)) => self.wish(LibraryAction::CompareAgain(ids), effects),
            Some(UndoEntry::Shown(key, value)) => self.show_again(key, &value, effects),
            Some(UndoEntry::Link(link)) => {
                let what = words::changes(&self.run.link.spec, &link.spec);
                let seed = if link.spec.run.seed == self.run.link.spec.run.seed {
                    tr!(" with the same seed")
                } else {
                    ""
                };
                self.message = tr!("Effect of Undo: {what}. The run has restarted{seed}.", what, seed);
                self.set_link(*link, effects);
            }
            None => {}
        }
    }

    /// Takes what was entered for a knob of the view.
    pub fn edit_view(
        &mut self,
        knob: &'static Knob,
        text: &str,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Problem> {
        let (before, value) = (self.run.link.view.value(knob.key), knob.parse(text)?);
        self.run.link.view.set(knob.key, &value)?;
        let is_looked = PANEL_KEYS.contains(&knob.key);
        if is_looked {
            self.check_look(knob.key, before.as_ref())?;
        }
        if knob.key == SPEED_KEY {
            self.send(Command::Speed(self.run.link.view.speed), effects);
            self.message = tr!("Speed: {speed}.", speed = words::speed(self.run.link.view.speed));
        }
        if knob.key == SHOW_KEY {
            self.watch_anew(effects);
        }
        match before.filter(|before| *before != value) {
            // A slider that is moved is one change.
            Some(before) if is_looked || knob.key == SMOOTH_KEY => self.remember_look(knob.key, before),
            Some(before) if SHOWN_KEYS.contains(&knob.key) => {
                self.remember(UndoEntry::Shown(knob.key, before))
            }
            _ => {}
        }
        Ok(())
    }

    /// Shows a chart, or hides it.
    pub fn toggle_chart(&mut self, chart: Chart, effects: &mut Vec<Effect>) {
        let mut shown = self.run.link.view.show.clone();
        if shown.contains(&chart) {
            shown.retain(|other| *other != chart);
        } else if let Err(why) = chart.applies(&self.run) {
            self.message = why;
            return;
        } else {
            shown.push(chart);
        }
        if shown.is_empty() {
            self.message = tr!("At least one chart must be shown; show another chart first.").into();
            return;
        }
        let slugs: Vec<&str> = shown.into_iter().map(Chart::slug).collect();
        self.edit(SHOW_KEY, &slugs.join("."), effects);
    }

    /// Makes the axis behind `key` logarithmic, or linear; or has the axis of the steps count examples, or steps.
    pub fn toggle_axis(&mut self, key: &str, effects: &mut Vec<Effect>) {
        let next = match (key, self.is_log(key)) {
            (COUNT_KEY, _) if self.run.link.view.counted == Counted::Steps => Counted::Examples.slug(),
            (COUNT_KEY, _) => Counted::Steps.slug(),
            (_, true) => Axis::Linear.slug(),
            (_, false) => Axis::Log.slug(),
        };
        self.edit(key, next, effects);
    }

    /// Whether the axis behind `key` is logarithmic.
    pub fn is_log(&self, key: &str) -> bool {
        self.run.link.view.value(key) == Some(Value::Choice(Axis::Log.slug().into()))
    }

    /// Goes back to what was shown, while the run goes on.
    pub fn show_again(&mut self, key: &'static str, value: &Value, effects: &mut Vec<Effect>) {
        // It was in range when it was remembered.
        let _ = self.run.link.view.set(key, value);
        let _ = self.run.link.theory.set(key, value);
        self.watch_anew(effects);
        self.run.look_anew();
        let names: Vec<String> = self.run.link.view.show.iter().map(|c| c.info().name.to_string()).collect();
        let knob = View::KNOBS.iter().find(|knob| knob.key == key).or(theory_knob(key));
        self.message = match knob {
            Some(knob)
                if PANEL_KEYS.contains(&key)
                    || [SMOOTH_KEY, COUNT_KEY].contains(&key)
                    || theory_knob(key).is_some() =>
            {
                tr!(
                    "Undone: the change of the setting “{setting}”.",
                    setting = words::small(translated(knob.label))
                )
            }
            Some(knob) if key != SHOW_KEY => {
                let kind = if self.is_log(key) { "logarithmic" } else { "linear" };
                tr!(
                    "After Undo, the {setting} is {kind}.",
                    setting = words::small(translated(knob.label)),
                    kind
                )
            }
            _ => tr!("After Undo, the page shows {names}.", names = words::list(&names)),
        };
    }
}

/// How much of the two columns a chart takes on a wide page; on a narrow one, each takes a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// One cell.
    Cell,
    /// Both rows of the second column.
    Tall,
    /// A whole row.
    Wide,
}

/// The room of each chart that is shown, so that no cell stays empty.
///
/// A matrix is tall where two others stand beside it; where the cells are odd in number, the last chart that
/// is not tall fills its row.
pub fn rooms(shown: &[Chart]) -> Vec<Room> {
    let is_grid = |chart: &&Chart| chart.info().kind == Kind::Grid;
    let grids = shown.iter().filter(is_grid).count();
    let tall = grids > 0 && shown.len() - grids >= 2 * grids;
    let mut rooms: Vec<Room> =
        shown.iter().map(|chart| if tall && is_grid(&chart) { Room::Tall } else { Room::Cell }).collect();
    let cells = rooms.iter().filter(|room| **room == Room::Cell).count();
    if cells % 2 == 1
        && let Some(last) = rooms.iter_mut().rfind(|room| **room == Room::Cell)
    {
        *last = Room::Wide;
    }
    rooms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Action;
    use vivarium_model::chart;
    use vivarium_model::chart::USUAL;
    use vivarium_model::permalink::encode;
    use vivarium_plot::analysis::{Lines, Series};

    fn open(link: &str) -> State {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        state
    }

    #[test]
    fn charts_and_axes_are_toggled_undone_and_never_restart_the_run() {
        let mut state = open("#v1/sparse-parity?n=20");
        let runs = state.run.runs;
        state.run.step = 120;
        let act = |state: &mut State, action: Action| {
            assert_eq!(state.apply(action), []);
            encode(&state.run.link).replace("#v1/sparse-parity?n=20", "")
        };
        assert_eq!(act(&mut state, Action::ToggleChart(chart::ACCURACY)), "&show=loss.weights");
        assert_eq!(act(&mut state, Action::ToggleAxis("x")), "&show=loss.weights&x=log");
        assert_eq!(act(&mut state, Action::ToggleAxis("y")), "&show=loss.weights&x=log&y=log");
        assert_eq!(act(&mut state, Action::ToggleAxis("x")), "&show=loss.weights&y=log");
        assert_eq!(act(&mut state, Action::ToggleChart(chart::ACCURACY)), "&y=log");
        assert_eq!(state.undo.len(), 5);
        assert_eq!(act(&mut state, Action::Undo), "&show=loss.weights&y=log");
        assert_eq!(state.message, "After Undo, the page shows Loss and First-layer weights W.");
        assert_eq!(act(&mut state, Action::Undo), "&show=loss.weights&x=log&y=log");
        assert_eq!(state.message, "After Undo, the scale of the step axis is logarithmic.");
        for _ in 0..3 {
            act(&mut state, Action::Undo);
        }
        assert_eq!((encode(&state.run.link).as_str(), state.undo.len()), ("#v1/sparse-parity?n=20", 0));
        assert_eq!((state.run.runs, state.run.step), (runs, 120));
    }

    #[test]
    fn undoing_what_was_shown_keeps_settings_that_changed_since() {
        let mut state = open("#v1/sparse-parity?n=20");
        state.apply(Action::ToggleAxis("x"));
        state.run.link.spec.run.steps = 600;
        state.apply(Action::Undo);
        assert_eq!(encode(&state.run.link), "#v1/sparse-parity?n=20&steps=600");
    }

    #[test]
    fn one_chart_stays() {
        let mut state = open("#v1/sparse-parity?show=loss");
        state.apply(Action::ToggleChart(chart::LOSS));
        assert_eq!((state.run.link.view.show.as_slice(), state.undo.len()), ([chart::LOSS].as_slice(), 0));
        assert!(state.message.starts_with("At least one chart must be shown"));
    }

    #[test]
    fn no_cell_stays_empty() {
        use Room::{Cell, Tall, Wide};
        assert_eq!(rooms(&USUAL), [Cell, Cell, Tall]);
        let [loss, weights] = [chart::LOSS, chart::WEIGHTS];
        assert_eq!(rooms(&[loss]), [Wide]);
        assert_eq!(rooms(&[weights]), [Wide]);
        assert_eq!(rooms(&[loss, weights]), [Cell, Cell]);
        assert_eq!(rooms(&[loss, weights, weights]), [Cell, Cell, Wide]);
        assert_eq!(rooms(&[loss, loss, weights, loss]), [Cell, Cell, Tall, Wide]);
        assert_eq!(rooms(&[loss, loss, loss]), [Cell, Cell, Wide]);
        assert_eq!(rooms(&[loss, loss, weights, weights, loss, loss]), [Cell, Cell, Tall, Tall, Cell, Cell]);
        for grids in 0..5 {
            for others in 0..6 {
                let shown = [vec![weights; grids], vec![loss; others]].concat();
                let wide = |room: &Room| if *room == Cell { 1 } else { 2 };
                assert_eq!(rooms(&shown).iter().map(wide).sum::<usize>() % 2, 0);
            }
        }
    }

    #[test]
    fn hidden_curves_and_the_part_reach_the_chart_and_a_new_run_is_seen_whole() {
        let mut state = State::default();
        state.apply(Action::Open("#v1/sparse-parity?n=20".into()));
        state.run.step = 500;
        state.apply(Action::ViewportAction(ViewportAction::Toggle("loss", "held-out".into())));
        state.apply(Action::ViewportAction(ViewportAction::Zoom(100.0, 200.0)));
        let series = |name: &str| Series { name: name.into(), ..Default::default() };
        let mut lines = Lines {
            x_label: "step".into(),
            series: vec![series("training batch"), series("held-out")],
            ..Default::default()
        };
        let plain = lines.clone();
        state.viewing.shape("loss", &mut lines);
        assert_eq!(lines.series.iter().map(|s| s.hidden).collect::<Vec<_>>(), [false, true]);
        assert_eq!(lines.x_range, Some((100.0, 200.0)));
        let mut other = Lines { x_label: "frequency".into(), ..plain.clone() };
        state.viewing.shape("purity", &mut other);
        assert_eq!((other.x_range, other.series), (None, plain.series));
        state.apply(Action::NewSeed(7));
        assert_eq!(state.viewing.zoom, None);
        assert!(state.viewing.hides("loss", "held-out"));
    }
}
