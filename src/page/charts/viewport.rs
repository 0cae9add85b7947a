//! What of the charts is looked at: which curves, and which part of the run. Kept while the page is open, not in the
//! link.

use vivarium_core::language::escaped;
use vivarium_plot::analysis::Lines;
use vivarium_plot::charts::Named;

/// What somebody wants to see of the charts.
#[derive(Debug, Clone, PartialEq)]
pub enum ViewportAction {
    /// The steps from one to another, in all charts over steps.
    Zoom(f64, f64),
    /// The whole run again.
    Whole,
    /// The curve of this name in this chart, or not.
    Toggle(&'static str, String),
    /// In this chart the curve of this name alone, of all these; or all of them, if it is alone already.
    Only(&'static str, String, Vec<String>),
}

/// Which curves and which part of the run are seen.
#[derive(Debug, Clone, Default)]
pub struct Viewport {
    /// First and last step that are shown; none if all are.
    pub zoom: Option<(f64, f64)>,
    /// Names of curves that are not drawn, with their charts.
    hidden: Vec<(&'static str, String)>,
    /// Counts changes, so that charts know of one.
    pub changes: u64,
}

/// Fewest steps that are shown.
const FEWEST: f64 = 2.0;

/// Most names of curves that are remembered as hidden: each kept run that is drawn over a chart has a name of its own.
const MOST_HIDDEN: usize = 256;

impl Viewport {
    /// Whether this curve is not drawn.
    pub fn hides(&self, chart: &str, name: &str) -> bool {
        self.hidden.iter().any(|(of, hidden)| *of == chart && hidden == name)
    }

    /// The curves of a chart as they are to be seen.
    pub fn shape(&self, chart: &str, lines: &mut Lines) {
        for series in &mut lines.series {
            series.hidden = self.hides(chart, &series.name);
        }
        if let Some((low, high)) = self.zoom.filter(|_| lines.is_over_steps()) {
            lines.zoom(low, high);
        }
    }

    /// Does what somebody wants to see, of a run with so many steps.
    pub fn see(&mut self, sight: ViewportAction, end: f64) {
        self.changes += 1;
        match sight {
            ViewportAction::Whole => self.zoom = None,
            ViewportAction::Zoom(low, high) => {
                let (low, high) = (low.max(0.0).floor(), high.min(end).ceil());
                let middle = ((low + high) / 2.0).clamp(FEWEST / 2.0, (end - FEWEST / 2.0).max(FEWEST / 2.0));
                let is_narrow = high - low < FEWEST;
                let (low, high) = match is_narrow {
                    true => (middle - FEWEST / 2.0, middle + FEWEST / 2.0),
                    false => (low, high),
                };
                let is_whole = low <= 0.0 && high >= end;
                self.zoom = (!is_whole && low.is_finite() && high.is_finite()).then_some((low, high));
            }
            ViewportAction::Toggle(chart, name) => match self.hides(chart, &name) {
                true => self.hidden.retain(|(of, hidden)| *of != chart || *hidden != name),
                false => self.hidden.push((chart, name)),
            },
            ViewportAction::Only(chart, name, all) => {
                let is_alone = all.iter().all(|other| self.hides(chart, other) == (*other != name));
                self.hidden.retain(|(of, _)| *of != chart);
                if !is_alone {
                    let others = all.into_iter().filter(|other| *other != name);
                    self.hidden.extend(others.map(|other| (chart, other)));
                }
            }
        }
        self.hidden.drain(..self.hidden.len().saturating_sub(MOST_HIDDEN));
    }
}

/// Markup of a legend: a button for each curve, unless it is the only one.
pub fn legend(named: &[Named]) -> String {
    let curves = named.iter().filter(|of| !of.is_patch).count();
    let one = |(at, of): (usize, &Named)| {
        let patch = if of.is_patch { " key__swatch--patch" } else { "" };
        let inside = format!(
            "<i class=\"key__swatch{patch}\" style=\"background:{}\"></i>{}",
            of.colour,
            escaped(&of.name)
        );
        match of.is_patch || curves < 2 {
            true => format!("<span class=\"key\">{inside}</span>"),
            false => format!(
                "<button class=\"key\" type=\"button\" data-at=\"{at}\" aria-pressed=\"{}\" \
                 title=\"{about}\">{inside}</button>",
                !of.is_hidden,
                about = escaped(tr!(
                    "Press to hide or show this curve. Press with Shift, or double-click, to show only this curve"
                )),
            ),
        }
    };
    named.iter().enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_run_has_some_steps_and_ends_with_it() {
        let mut viewing = Viewport::default();
        let mut zoom = |low: f64, high: f64| {
            viewing.see(ViewportAction::Zoom(low, high), 1000.0);
            viewing.zoom
        };
        assert_eq!(zoom(100.0, 400.0), Some((100.0, 400.0)));
        assert_eq!(zoom(-50.0, 400.0), Some((0.0, 400.0)));
        assert_eq!(zoom(300.2, 300.4), Some((299.5, 301.5)));
        assert_eq!(zoom(1000.0, 1000.0), Some((998.0, 1000.0)));
        assert_eq!(zoom(-3.0, 1200.0), None, "all of it");
        assert_eq!(zoom(f64::NAN, f64::NAN), None);
        viewing.see(ViewportAction::Zoom(1.0, 5.0), 1000.0);
        viewing.see(ViewportAction::Whole, 1000.0);
        assert_eq!((viewing.zoom, viewing.changes), (None, 8));
    }

    #[test]
    fn curves_are_hidden_one_by_one_or_all_but_one() {
        let mut viewing = Viewport::default();
        let names = ["a", "b", "c"].map(String::from);
        let mut see = |sight: ViewportAction| {
            viewing.see(sight, 10.0);
            let hidden =
                |chart: &str| names.iter().filter(|name| viewing.hides(chart, name)).cloned().collect();
            [hidden("loss"), hidden("accuracy")].map(|names: Vec<String>| names.concat())
        };
        assert_eq!(see(ViewportAction::Toggle("accuracy", "a".into())), ["", "a"]);
        assert_eq!(see(ViewportAction::Toggle("loss", "b".into())), ["b", "a"]);
        assert_eq!(see(ViewportAction::Toggle("loss", "b".into())), ["", "a"]);
        assert_eq!(see(ViewportAction::Only("loss", "b".into(), names.to_vec())), ["ac", "a"]);
        assert_eq!(see(ViewportAction::Only("loss", "c".into(), names.to_vec())), ["ab", "a"]);
        assert_eq!(see(ViewportAction::Only("loss", "c".into(), names.to_vec())), ["", "a"]);
        (0..2 * MOST_HIDDEN).for_each(|at| viewing.see(ViewportAction::Toggle("loss", at.to_string()), 10.0));
        assert_eq!((viewing.hidden.len(), viewing.hides("accuracy", "a")), (MOST_HIDDEN, false));
        assert!(viewing.hides("loss", &(2 * MOST_HIDDEN - 1).to_string()));
    }

    #[test]
    fn a_legend_has_buttons_where_there_is_a_choice_and_names_stay_text() {
        let of = |name: &str, is_patch: bool, is_hidden: bool| Named {
            name: name.into(),
            colour: "#0072b2".into(),
            is_patch,
            is_hidden,
        };
        let alone = legend(&[of("network", false, false), of("nearest: uniform", true, false)]);
        assert!(!alone.contains("<button") && alone.contains("</i>network</span>"), "{alone}");
        let both = legend(&[of("a <b>", false, true), of("c", false, false)]);
        assert!(
            both.contains("data-at=\"0\" aria-pressed=\"false\"") && both.contains("</i>a &lt;b></button>")
        );
        assert!(both.contains("data-at=\"1\" aria-pressed=\"true\"") && !both.contains("--patch"));
    }
}
