//! The crosshair over a chart of curves: nearest measurement, values there, and the nearest curve.
//!
//! # Why
//! It is an HTML overlay, so that the chart is not drawn again when the pointer moves. All charts over steps show the
//! crosshair at the same step.

use vivarium_core::language::escape_html;
use vivarium_plot::analysis::curves::RunHistory;
use vivarium_plot::analysis::{LineChart, Series};
use vivarium_plot::charts::{PlotAxes, Theme, curve_colours};
use vivarium_view::display::words::{MISSING, format_thousands};

/// Largest distance between pointer and curve at which the curve counts as pointed at, in CSS pixels.
const HIT_DISTANCE: f64 = 24.0;
/// Radius of the dot that marks a curve's value at the crosshair, in CSS pixels.
const DOT_RADIUS: f64 = 3.5;
/// Half the width, and the height, of the triangle that marks an event of the run, in CSS pixels.
const EVENT_MARK: f64 = 4.0;
/// Largest number of curves in the list of values at the crosshair; values of further curves are left out.
const MAX_VALUES: usize = 12;

/// Position of the pointer over a chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pointer {
    /// Slug (permanent name) of the chart over which the pointer is.
    pub chart: &'static str,
    /// Whether the chart's horizontal axis counts steps; then all charts over steps show the crosshair.
    pub over_steps: bool,
    /// Value on the horizontal axis, such as a step, at the pointer.
    pub x: f64,
    /// Distance of the pointer from the top of the drawing, in CSS pixels; None (when the keyboard moves the crosshair)
    /// selects no curve.
    pub y_css: Option<f64>,
}

/// Curves as they were last drawn, with the geometry of the drawing.
#[derive(Debug, Clone)]
pub struct DrawnCurves {
    /// The curves of the chart, as they were drawn.
    lines: LineChart,
    /// Axes of the drawing, which map values to pixels of the drawing and back.
    across: PlotAxes,
    /// Number of pixels of the drawing per CSS pixel.
    scale: f64,
    /// CSS colour of each curve, in the order of the curves.
    colours: Vec<String>,
    /// Events of the run, such as memorisation, as (step, description).
    events: Vec<(u64, String)>,
}

/// A curve's value at the crosshair, as the list of values shows it.
#[derive(Debug, Clone, PartialEq)]
struct ReadoutValue {
    /// Index of the curve among the chart's curves, from 0.
    series_index: usize,
    /// CSS colour of the curve.
    colour: String,
    /// Name of the curve in the list of values.
    name: String,
    /// Value of the curve at the crosshair, as text.
    text: String,
    /// Text after the value: the smoothed value, or the range of the curve's band.
    note: String,
    /// Distance of the curve's dot from the left of the drawing, in CSS pixels; None if it is outside. It differs from
    /// the crosshair where the curve has no value at the crosshair.
    x_css: Option<f64>,
    /// Distance of the curve's dot from the top of the drawing, in CSS pixels; None if it is outside or the value is a
    /// range.
    y_css: Option<f64>,
    /// Whether the curve is the one to which the pointer points.
    is_selected: bool,
}

/// The overlay of a chart of curves: crosshair, dots on the curves and list of values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CrosshairOverlay {
    /// HTML and SVG of the overlay: crosshair, dots on curves, list of values and marks of events.
    pub markup: String,
    /// The list of the curves' values at the crosshair as plain text; empty without a pointer.
    pub text: String,
}

impl DrawnCurves {
    /// Stores the drawn curves, the axes of the drawing, its pixels per CSS pixel (`scale`), and the events of the run.
    pub fn new(
        lines: LineChart,
        across: PlotAxes,
        scale: f64,
        theme: &Theme,
        events: Vec<(u64, String)>,
    ) -> Self {
        let colours = curve_colours(&lines, theme);
        let events = if lines.is_over_steps() { events } else { vec![] };
        DrawnCurves { lines, across, scale, colours, events }
    }

    /// Returns the curves of the chart as they were last drawn.
    pub fn lines(&self) -> &LineChart {
        &self.lines
    }

    /// Converts a distance from the left in CSS pixels to a value on the horizontal axis.
    pub fn x_at(&self, x_css: f64) -> f64 {
        self.across.x_value(x_css * self.scale)
    }

    /// Returns `[left, upper, right, lower]` edge of the plot area in CSS pixels.
    pub fn plot_edges(&self) -> [f64; 4] {
        self.across.edges().map(|edge| edge / self.scale)
    }

    /// Returns (first, last) value of the horizontal axis after a zoom by `factor` around the position `x_css` in CSS
    /// pixels; None zooms around the middle.
    pub fn zoom_range(&self, x_css: Option<f64>, factor: f64) -> (f64, f64) {
        let [left, _, end, _] = self.across.edges();
        self.across.zoom_x(x_css.map_or((left + end) / 2.0, |right| right * self.scale), factor)
    }

    /// Converts a value on the horizontal axis to CSS pixels from the left; None if it is outside the shown range.
    pub fn x_to_css(&self, x: f64) -> Option<f64> {
        Some(self.across.x_pixel(x)? / self.scale)
    }

    /// Converts a value on the vertical axis to CSS pixels from the top; None if it is outside the shown range.
    fn y_to_css(&self, y: f32) -> Option<f64> {
        Some(self.across.y_pixel(f64::from(y))? / self.scale)
    }

    /// Iterates over the curves that are not hidden, each with its index among all curves.
    fn visible_series(&self) -> impl Iterator<Item = (usize, &Series)> {
        self.lines.series.iter().enumerate().filter(|(_, series)| !series.hidden)
    }

    /// Returns the horizontal value of the measured point nearest to the pointer, given in CSS pixels from the left and
    /// the top; None without points.
    pub fn nearest_x(&self, pointer_x: f64, pointer_y: f64) -> Option<f64> {
        let mut best: Option<(f64, f64)> = None;
        let mut offer = |at: f64, distance: f64| {
            if best.is_none_or(|(_, least)| distance < least) {
                best = Some((at, distance));
            }
        };
        let value = self.x_at(pointer_x);
        for (_, series) in self.visible_series() {
            let count = series.x.len().min(series.y.len());
            if series.scatter {
                for (x, y) in series.x.iter().zip(&series.y) {
                    if let (Some(x_css), Some(y_css)) = (self.x_to_css(*x), self.y_to_css(*y)) {
                        offer(*x, libm::hypot(x_css - pointer_x, y_css - pointer_y));
                    }
                }
                continue;
            }
            let after = series.x[..count].partition_point(|x| *x <= value);
            let beside = if series.stairs { 0 } else { 1 };
            for at in after.saturating_sub(1)..(after + beside).min(count) {
                if let Some(place) = self.x_to_css(series.x[at]) {
                    offer(series.x[at], (place - pointer_x).abs());
                }
            }
        }
        best.map(|(at, _)| at)
    }

    /// Returns the step of the measurement nearest to a click, given in CSS pixels from the left and the top; None if
    /// no curve is near the click (`HIT_DISTANCE`), and in charts over other quantities than steps.
    pub fn clicked_step(&self, click_x: f64, click_y: f64) -> Option<u64> {
        let value = self.x_at(click_x);
        let is_on = |series: &Series| {
            let count = series.x.len().min(series.y.len());
            let after = series.x[..count].partition_point(|x| *x <= value);
            let point =
                |at: usize| Some((self.x_to_css(*series.x.get(at)?)?, self.y_to_css(*series.y.get(at)?)?));
            let (before, after) = (after.checked_sub(1).and_then(point), point(after));
            let [from, to] = [before.or(after), after.or(before)];
            let distance = from.zip(to).map(|(from, to)| distance_to_segment((click_x, click_y), from, to));
            distance.is_some_and(|distance| distance <= HIT_DISTANCE)
        };
        let is_clicked = self.lines.is_over_steps() && self.visible_series().any(|(_, series)| is_on(series));
        let step = self.nearest_x(click_x, click_y).filter(|step| is_clicked && *step >= 0.0)?;
        Some(step.round() as u64)
    }

    /// Returns the horizontal value of the next (`later`) or previous measurement after `from`; at an end, that of the
    /// last measurement in this direction; if `from` is None, the largest. None without points.
    pub fn next_x(&self, from: Option<f64>, later: bool) -> Option<f64> {
        let (mut next, mut last) = (None, None::<f64>);
        let is_better = |x: f64, than: Option<f64>, later: bool| {
            than.is_none_or(|than| if later { x > than } else { x < than })
        };
        for (_, series) in self.visible_series() {
            for x in series.x.iter().take(series.y.len()).copied() {
                if self.across.x_pixel(x).is_none() {
                    continue;
                }
                // At the end, the last point is kept.
                if is_better(x, last, later || from.is_none()) {
                    last = Some(x);
                }
                if from.is_some_and(|at| if later { x > at } else { x < at }) && is_better(x, next, !later) {
                    next = Some(x);
                }
            }
        }
        next.or(last)
    }

    /// Returns the position, in CSS pixels from the top, of the next curve or replica below (`below`) or above the
    /// position `from` at the horizontal value `x`; None if there is none. If `from` is None, the uppermost or the
    /// lowest one.
    pub fn next_curve_y(&self, x: f64, from: Option<f64>, below: bool, history: &RunHistory) -> Option<f64> {
        let mut all: Vec<f64> =
            self.replica_values(x, history).into_iter().map(|(_, _, _, down)| down).collect();
        let single = self.visible_series().filter(|(_, series)| series.replica_curves.is_none());
        all.extend(single.filter_map(|(_, series)| self.y_to_css(*series.y.get(self.index_at(series, x)?)?)));
        let from = from.unwrap_or(if below { f64::NEG_INFINITY } else { f64::INFINITY });
        let beyond =
            all.into_iter().filter(|down| if below { *down > from + 0.5 } else { *down < from - 0.5 });
        if below { beyond.min_by(f64::total_cmp) } else { beyond.max_by(f64::total_cmp) }
    }

    /// Returns the index of the curve's point nearest to the horizontal value `target_x`, None outside of the curve; of
    /// a step function the last point up to `target_x`, of a scatter plot only a point exactly at `target_x`.
    fn index_at(&self, series: &Series, target_x: f64) -> Option<usize> {
        let count = series.x.len().min(series.y.len());
        let x = &series.x[..count];
        if series.scatter {
            return x.iter().position(|x| *x == target_x);
        }
        let after = x.partition_point(|x| *x < target_x);
        if x.get(after) == Some(&target_x) {
            return Some(after);
        }
        let before = after.checked_sub(1)?;
        if series.stairs {
            return Some(before);
        }
        let next = x.get(after)?;
        Some(if target_x - x[before] <= next - target_x { before } else { after })
    }

    /// Returns every replica's value at a step for the curves that show a median over replicas: (index of the curve,
    /// index of the replica, value, CSS pixels from the top).
    fn replica_values(&self, step: f64, history: &RunHistory) -> Vec<(usize, usize, f32, f64)> {
        let mut found = vec![];
        if !self.lines.is_over_steps() {
            return found;
        }
        let Some(row) = history.rows().find(|row| row.step as f64 == step) else { return found };
        for (number, series) in self.visible_series() {
            let Some(each) = series.replica_curves.filter(|_| !series.faint) else { continue };
            for (replica, value) in each.values_of_row(row) {
                if let Some(down) = self.y_to_css(value) {
                    found.push((number, replica, value, down));
                }
            }
        }
        found
    }

    /// Returns (list of values at the horizontal value `x`, points of the pointed replica's or curve's SVG polyline).
    /// `pointer_y` is in CSS pixels from the top; without it no curve is selected.
    fn values_at(
        &self,
        x: f64,
        pointer_y: Option<f64>,
        history: &RunHistory,
    ) -> (Vec<ReadoutValue>, Option<String>) {
        let mut values: Vec<ReadoutValue> = vec![];
        let mut ranges: Vec<(f32, f32)> = vec![];
        let mut curve = None;
        let far = |of: Option<f64>| match (of, pointer_y) {
            (Some(of), Some(down)) => (of - down).abs(),
            _ => f64::INFINITY,
        };
        for (number, series) in self.visible_series() {
            let Some(index) = self.index_at(series, x) else { continue };
            let (Some(value), Some(height)) = (series.measured_values().get(index), series.y.get(index))
            else {
                continue;
            };
            let name = if series.name.is_empty() { &self.lines.y_label } else { &series.name };
            let mut more = String::new();
            if series.unsmoothed.len() == series.y.len() && !series.unsmoothed.is_empty() {
                more = tr!(", smoothed {value}", value = format_value(*height));
            } else if let Some((low, high)) = series.band.get(index) {
                more = format_range(*low, *high);
            }
            let own = ReadoutValue {
                series_index: number,
                colour: self.colours.get(number).cloned().unwrap_or_default(),
                name: name.clone(),
                text: format_value(*value),
                note: more,
                x_css: series.x.get(index).and_then(|x| self.x_to_css(*x)),
                y_css: self.y_to_css(*height),
                is_selected: false,
            };
            // Of curves with the same name, the nearest is listed, or their common range.
            match values.iter().position(|other| other.name == own.name) {
                None => {
                    values.push(own);
                    ranges.push((*value, *value));
                }
                Some(_) if series.faint => {}
                Some(same) => {
                    let (low, high) = &mut ranges[same];
                    (*low, *high) = (low.min(*value), high.max(*value));
                    if pointer_y.is_none() {
                        values[same].text =
                            tr!("{from} to {to}", from = format_value(*low), to = format_value(*high));
                        values[same].note.clear();
                        values[same].y_css = None;
                    } else if far(own.y_css) < far(values[same].y_css) {
                        values[same] = own;
                    }
                }
            }
        }
        let nearest = |values: &[ReadoutValue]| {
            let all = values.iter().enumerate().map(|(i, value)| (i, far(value.y_css)));
            all.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, distance)| *distance <= HIT_DISTANCE)
        };
        let replica = self.replica_values(x, history).into_iter().map(|one| (far(Some(one.3)), one));
        let replica =
            replica.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(distance, _)| *distance <= HIT_DISTANCE);
        match (nearest(&values), replica) {
            (_, Some((distance, (number, replica, value, own_down))))
                if nearest(&values).is_none_or(|(_, other)| distance <= other + DOT_RADIUS) =>
            {
                let series = &self.lines.series[number];
                let name = tr!("{series}, replica {replica}", series = series.name, replica = replica + 1);
                let colour = self.colours.get(number).cloned().unwrap_or_default();
                let height = |row| series.replica_curves.and_then(|each| each.value_of_replica(row, replica));
                curve = Some(self.polyline_points(history.rows().map(|row| (row.step as f64, height(row)))));
                let (text, more) = (format_value(value), String::new());
                let (right, down) = (self.x_to_css(x), Some(own_down));
                values.insert(
                    0,
                    ReadoutValue {
                        series_index: number,
                        colour,
                        name,
                        text,
                        note: more,
                        x_css: right,
                        y_css: down,
                        is_selected: true,
                    },
                );
            }
            (Some((at, _)), _) if values.len() > 1 => {
                values[at].is_selected = true;
                let series = &self.lines.series[values[at].series_index];
                if self
                    .visible_series()
                    .filter(|(_, other)| !other.faint && other.name == series.name)
                    .count()
                    > 1
                {
                    let heights = series.y.iter().copied().map(Some);
                    curve = Some(self.polyline_points(series.x.iter().copied().zip(heights)));
                }
            }
            _ => {}
        }
        values.truncate(MAX_VALUES);
        (values, curve)
    }

    /// Formats (horizontal value, vertical value) pairs as points of an SVG polyline, at most one for every half pixel.
    fn polyline_points(&self, points: impl Iterator<Item = (f64, Option<f32>)>) -> String {
        let mut path = String::new();
        let mut column = f64::NEG_INFINITY;
        for (at, height) in points {
            let (Some(right), Some(down)) =
                (self.x_to_css(at), height.and_then(|height| self.y_to_css(height)))
            else {
                continue;
            };
            if right >= column + 0.5 {
                path += &format!("{right:.1},{down:.1} ");
                column = right;
            }
        }
        path
    }

    /// Returns the descriptions of the events whose marks are at most [`EVENT_MARK`] + 2 CSS pixels left or right of
    /// the horizontal value `x`.
    fn events_near(&self, x: f64) -> Vec<&str> {
        let Some(right) = self.x_to_css(x) else { return vec![] };
        let is_near = |step: u64| {
            self.x_to_css(step as f64).is_some_and(|mark| (mark - right).abs() <= EVENT_MARK + 2.0)
        };
        self.events.iter().filter(|(step, _)| is_near(*step)).map(|(_, what)| what.as_str()).collect()
    }

    /// Returns the overlay of the chart with the slug `chart` for this pointer; without a pointer, only the marks of
    /// events.
    pub fn overlay(&self, chart: &str, pointer: Option<&Pointer>, history: &RunHistory) -> CrosshairOverlay {
        let [left, top, end, bottom] = self.plot_edges();
        let mut drawn = String::new();
        for (step, _) in &self.events {
            if let Some(right) = self.x_to_css(*step as f64) {
                let (from, to, up) = (right - EVENT_MARK, right + EVENT_MARK, bottom - 2.0 * EVENT_MARK);
                drawn += &format!(
                    "<path class=\"crosshair__mark\" d=\"M{from:.1} {up:.1}H{to:.1}L{right:.1} {bottom:.1}Z\"/>"
                );
            }
        }
        let is_here = |of: &&Pointer| of.chart == chart || (of.over_steps && self.lines.is_over_steps());
        let pointed = pointer.filter(is_here).and_then(|of| Some((of, self.x_to_css(of.x)?)));
        let Some((pointed, right)) = pointed else {
            let markup = if drawn.is_empty() {
                String::new()
            } else {
                format!("<svg class=\"crosshair\">{drawn}</svg>")
            };
            return CrosshairOverlay { markup, text: String::new() };
        };
        let down = pointed.y_css.filter(|_| pointed.chart == chart);
        let (values, curve) = self.values_at(pointed.x, down, history);
        drawn += &format!(
            "<line class=\"crosshair__line\" x1=\"{right:.1}\" x2=\"{right:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\"/>"
        );
        if let Some(points) = curve {
            drawn += &format!("<polyline class=\"crosshair__curve\" points=\"{points}\"/>");
        }
        for value in &values {
            if let (Some(right), Some(down)) = (value.x_css, value.y_css) {
                let radius = if value.is_selected { DOT_RADIUS + 1.0 } else { DOT_RADIUS };
                drawn += &format!(
                    "<circle cx=\"{right:.1}\" cy=\"{down:.1}\" r=\"{radius}\" fill=\"{}\"/>",
                    value.colour
                );
            }
        }
        let (label, each) = self.lines.x_label_and_scale();
        let place = pointed.x * each;
        let at = match label {
            "" => format_value(place as f32),
            label if place.fract() == 0.0 && place >= 0.0 => {
                format!("{label} {}", format_thousands(place as u64))
            }
            label => format!("{label} {}", format_value(place as f32)),
        };
        let happened = self.events_near(pointed.x);
        // On the side with more space, next to the line.
        let (side, room) =
            if right - left > end - right { ("left", right - left) } else { ("right", end - right) };
        let from = if side == "left" { right - room } else { right };
        let mut written = format!(
            "<div class=\"crosshair-values crosshair-values--{side}\" \
             style=\"left:{from:.1}px;width:{room:.1}px;top:{top:.1}px\"><div class=\"crosshair-values__box\"><b \
             class=\"crosshair-values__position\">{}</b>",
            escape_html(&at)
        );
        for what in &happened {
            written += &format!("<i class=\"crosshair-values__event\">{}</i>", escape_html(what));
        }
        for value in &values {
            let class = if value.is_selected { " crosshair-values__row--selected" } else { "" };
            written += &format!(
                "<span class=\"crosshair-values__row{class}\"><i style=\"background:{}\"></i>{} \
                 <b>{}</b><small>{}</small></span>",
                value.colour,
                escape_html(&value.name),
                escape_html(&value.text),
                escape_html(&value.note)
            );
        }
        let mut words: Vec<String> =
            values.iter().map(|value| format!("{} {}{}", value.name, value.text, value.note)).collect();
        words.extend(happened.iter().map(|what| what.to_string()));
        CrosshairOverlay {
            markup: format!("<svg class=\"crosshair\">{drawn}</svg>{written}</div></div>"),
            text: format!("{at}: {}", words.join("; ")),
        }
    }
}

/// Distance of a point from the straight line segment between `from` and `to`; all are (right, down) in CSS pixels.
fn distance_to_segment(point: (f64, f64), from: (f64, f64), to: (f64, f64)) -> f64 {
    let (across, down) = (to.0 - from.0, to.1 - from.1);
    let squared_length = across * across + down * down;
    let share = match squared_length > 0.0 {
        true => ((point.0 - from.0) * across + (point.1 - from.1) * down) / squared_length,
        false => 0.0,
    };
    let share = share.clamp(0.0, 1.0);
    libm::hypot(point.0 - from.0 - share * across, point.1 - from.1 - share * down)
}

/// Formats the lower and upper value of a band as a text.
fn format_range(low: f32, high: f32) -> String {
    tr!(" ({from} to {to})", from = format_significant(low, 3), to = format_significant(high, 3))
}

/// Formats a curve's value with five significant digits.
pub fn format_value(value: f32) -> String {
    format_significant(value, 5)
}

/// Formats a number with `digits` significant digits, without trailing zeros.
fn format_significant(value: f32, digits: i32) -> String {
    if !value.is_finite() {
        return MISSING.into();
    }
    let size = f64::from(value.abs());
    let text = match size {
        0.0 => "0".into(),
        _ if !(1e-4..1e7).contains(&size) => format!("{value:.3e}"),
        _ => {
            let places = (digits - 1 - libm::floor(libm::log10(size)) as i32).clamp(0, 8) as usize;
            let text = format!("{value:.places$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
                false => text,
            }
        }
    };
    text.replace('-', "−")
}
