//! Zoom and hidden curves of the charts. They last while the page is open, and are not in the
//! link.

use vivarium_core::language::escape_html;
use vivarium_plot::analysis::LineChart;
use vivarium_plot::charts::LegendItem;

/// A change of the zoom or of the hidden curves.
#[derive(Debug, Clone, PartialEq)]
pub enum ViewportAction {
    /// Show the steps from the first to the second number in all charts over steps.
    Zoom(f64, f64),
    /// Show all steps.
    ResetZoom,
    /// Hide the curve of this name in this chart, or show it if it is hidden.
    ToggleCurve(&'static str, String),
    /// In this chart, show only the curve of this name, or all curves if it is already shown alone; last, the names of
    /// the chart's curves.
    ShowOnly(&'static str, String, Vec<String>),
}

/// Zoom and hidden curves of all charts.
#[derive(Debug, Clone, Default)]
pub struct Viewport {
    /// First and last step that are shown; None shows all steps.
    pub zoom: Option<(f64, f64)>,
    /// Hidden curves: (slug of the chart, name of the curve).
    hidden: Vec<(&'static str, String)>,
    /// Number of changes of zoom and hidden curves so far; charts are drawn again when it changes.
    pub change_count: u64,
}

/// Minimum width, in training steps, of the zoomed range of a chart's horizontal axis; a narrower range is widened to
/// it.
const MIN_STEPS: f64 = 2.0;

/// Largest number of hidden curves that are remembered; beyond it the oldest are shown again. Every compared run adds
/// names.
const MAX_HIDDEN: usize = 256;

impl Viewport {
    /// Whether the curve of this name is hidden in this chart.
    pub fn is_hidden(&self, chart: &str, name: &str) -> bool {
        self.hidden.iter().any(|(of, hidden)| *of == chart && hidden == name)
    }

    /// Marks the hidden curves of a chart, and applies the zoom if its horizontal axis counts steps.
    pub fn apply_to(&self, chart: &str, lines: &mut LineChart) {
        for series in &mut lines.series {
            series.hidden = self.is_hidden(chart, &series.name);
        }
        if let Some((low, high)) = self.zoom.filter(|_| lines.is_over_steps()) {
            lines.zoom(low, high);
        }
    }

    /// Applies a change of zoom or hidden curves; a zoom is cut to the steps from 0 to `last_step`, the latest step of
    /// the run.
    pub fn apply(&mut self, action: ViewportAction, last_step: f64) {
        self.change_count += 1;
        match action {
            ViewportAction::ResetZoom => self.zoom = None,
            ViewportAction::Zoom(low, high) => {
                let (low, high) = (low.max(0.0).floor(), high.min(last_step).ceil());
                let middle = ((low + high) / 2.0)
                    .clamp(MIN_STEPS / 2.0, (last_step - MIN_STEPS / 2.0).max(MIN_STEPS / 2.0));
                let is_narrow = high - low < MIN_STEPS;
                let (low, high) = match is_narrow {
                    true => (middle - MIN_STEPS / 2.0, middle + MIN_STEPS / 2.0),
                    false => (low, high),
                };
                let is_whole = low <= 0.0 && high >= last_step;
                self.zoom = (!is_whole && low.is_finite() && high.is_finite()).then_some((low, high));
            }
            ViewportAction::ToggleCurve(chart, name) => match self.is_hidden(chart, &name) {
                true => self.hidden.retain(|(of, hidden)| *of != chart || *hidden != name),
                false => self.hidden.push((chart, name)),
            },
            ViewportAction::ShowOnly(chart, name, all) => {
                let is_alone = all.iter().all(|other| self.is_hidden(chart, other) == (*other != name));
                self.hidden.retain(|(of, _)| *of != chart);
                if !is_alone {
                    let others = all.into_iter().filter(|other| *other != name);
                    self.hidden.extend(others.map(|other| (chart, other)));
                }
            }
        }
        self.hidden.drain(..self.hidden.len().saturating_sub(MAX_HIDDEN));
    }
}

/// Returns the legend of a chart as HTML: a button for each curve, or a label if there is one curve only.
pub fn legend_html(named: &[LegendItem]) -> String {
    let curves = named.iter().filter(|of| !of.is_patch).count();
    let one = |(at, of): (usize, &LegendItem)| {
        let patch = if of.is_patch { " legend-entry__swatch--patch" } else { "" };
        let inside = format!(
            "<i class=\"legend-entry__swatch{patch}\" style=\"background:{}\"></i>{}",
            of.colour,
            escape_html(&of.name)
        );
        match of.is_patch || curves < 2 {
            true => format!("<span class=\"legend-entry\">{inside}</span>"),
            false => format!(
                "<button class=\"legend-entry\" type=\"button\" data-at=\"{at}\" aria-pressed=\"{}\" \
                 title=\"{about}\">{inside}</button>",
                !of.is_hidden,
                about = escape_html(tr!(
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
            viewing.apply(ViewportAction::Zoom(low, high), 1000.0);
            viewing.zoom
        };
        assert_eq!(zoom(100.0, 400.0), Some((100.0, 400.0)));
        assert_eq!(zoom(-50.0, 400.0), Some((0.0, 400.0)));
        assert_eq!(zoom(300.2, 300.4), Some((299.5, 301.5)));
        assert_eq!(zoom(1000.0, 1000.0), Some((998.0, 1000.0)));
        assert_eq!(zoom(-3.0, 1200.0), None, "all of it");
        assert_eq!(zoom(f64::NAN, f64::NAN), None);
        viewing.apply(ViewportAction::Zoom(1.0, 5.0), 1000.0);
        viewing.apply(ViewportAction::ResetZoom, 1000.0);
        assert_eq!((viewing.zoom, viewing.change_count), (None, 8));
    }

    #[test]
    fn curves_are_hidden_one_by_one_or_all_but_one() {
        let mut viewing = Viewport::default();
        let names = ["a", "b", "c"].map(String::from);
        let mut see = |sight: ViewportAction| {
            viewing.apply(sight, 10.0);
            let hidden =
                |chart: &str| names.iter().filter(|name| viewing.is_hidden(chart, name)).cloned().collect();
            [hidden("loss"), hidden("accuracy")].map(|names: Vec<String>| names.concat())
        };
        assert_eq!(see(ViewportAction::ToggleCurve("accuracy", "a".into())), ["", "a"]);
        assert_eq!(see(ViewportAction::ToggleCurve("loss", "b".into())), ["b", "a"]);
        assert_eq!(see(ViewportAction::ToggleCurve("loss", "b".into())), ["", "a"]);
        assert_eq!(see(ViewportAction::ShowOnly("loss", "b".into(), names.to_vec())), ["ac", "a"]);
        assert_eq!(see(ViewportAction::ShowOnly("loss", "c".into(), names.to_vec())), ["ab", "a"]);
        assert_eq!(see(ViewportAction::ShowOnly("loss", "c".into(), names.to_vec())), ["", "a"]);
        (0..2 * MAX_HIDDEN)
            .for_each(|at| viewing.apply(ViewportAction::ToggleCurve("loss", at.to_string()), 10.0));
        assert_eq!((viewing.hidden.len(), viewing.is_hidden("accuracy", "a")), (MAX_HIDDEN, false));
        assert!(viewing.is_hidden("loss", &(2 * MAX_HIDDEN - 1).to_string()));
    }

    #[test]
    fn a_legend_has_buttons_where_there_is_a_choice_and_names_stay_text() {
        let of = |name: &str, is_patch: bool, is_hidden: bool| LegendItem {
            name: name.into(),
            colour: "#0072b2".into(),
            is_patch,
            is_hidden,
        };
        let alone = legend_html(&[of("network", false, false), of("nearest: uniform", true, false)]);
        assert!(!alone.contains("<button") && alone.contains("</i>network</span>"), "{alone}");
        let both = legend_html(&[of("a <b>", false, true), of("c", false, false)]);
        assert!(
            both.contains("data-at=\"0\" aria-pressed=\"false\"") && both.contains("</i>a &lt;b></button>")
        );
        assert!(both.contains("data-at=\"1\" aria-pressed=\"true\"") && !both.contains("--patch"));
    }
}
