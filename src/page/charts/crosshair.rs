//! What stands under a pointer over curves: the nearest measurement, the values there, and the curve that is nearest.
//!
//! # Why
//! It is written as markup over the drawing, so that a pointer can move without the chart being drawn again. Charts
//! over steps show one crosshair, whichever of them is pointed at.

use vivarium_core::language::escaped;
use vivarium_plot::analysis::curves::History;
use vivarium_plot::analysis::{Lines, Series};
use vivarium_plot::charts::{Across, Theme, colours};
use vivarium_view::display::words::{MISSING, thousands};

/// A pointer this near to a curve or a mark, in CSS pixels, means it.
const NEAR: f64 = 24.0;
/// Radius of a dot on a curve.
const DOT: f64 = 3.5;
/// Half the width of a mark on the steps, and its height.
const MARK: f64 = 4.0;
/// Most values that are listed.
const MOST: usize = 12;

/// Where somebody points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pointed {
    /// The chart that is pointed at.
    pub chart: &'static str,
    /// Whether it is one over steps, so that others show the same.
    pub over_steps: bool,
    /// The place on the horizontal axis.
    pub at: f64,
    /// How far down, in CSS pixels; no curve is meant without it.
    pub down: Option<f64>,
}

/// Curves as they were drawn last.
#[derive(Debug, Clone)]
pub struct Scene {
    lines: Lines,
    across: Across,
    /// Pixels of the drawing per CSS pixel.
    scale: f64,
    colours: Vec<String>,
    events: Vec<(u64, String)>,
}

/// A value under the pointer.
#[derive(Debug, Clone, PartialEq)]
struct Value {
    /// Which curve.
    number: usize,
    colour: String,
    name: String,
    text: String,
    /// What else there is to say of it.
    more: String,
    /// How far from the left, which is beside the crosshair where nothing was measured there, and how far down.
    right: Option<f64>,
    down: Option<f64>,
    /// Whether it is that of the curve that is meant.
    is_meant: bool,
}

/// What is shown over a chart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// Markup of what is drawn and written over the chart.
    pub markup: String,
    /// The same in words; empty where nothing is pointed at.
    pub words: String,
}

impl Scene {
    /// Curves with the place where they were drawn, the drawing's pixels per CSS pixel, and what happened on the way.
    pub fn new(lines: Lines, across: Across, scale: f64, theme: &Theme, events: Vec<(u64, String)>) -> Self {
        let colours = colours(&lines, theme);
        let events = if lines.is_over_steps() { events } else { vec![] };
        Scene { lines, across, scale, colours, events }
    }

    /// The curves.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// The place on the horizontal axis so many CSS pixels from the left.
    pub fn value(&self, right: f64) -> f64 {
        self.across.value(right * self.scale)
    }

    /// Left, upper, right and lower edge of the plot in CSS pixels.
    pub fn edges(&self) -> [f64; 4] {
        self.across.edges().map(|edge| edge / self.scale)
    }

    /// First and last place that is shown when the axis shows `1 / factor` of what it does, around the place so many
    /// CSS pixels from the left, or the middle.
    pub fn nearer(&self, right: Option<f64>, factor: f64) -> (f64, f64) {
        let [left, _, end, _] = self.across.edges();
        self.across.nearer(right.map_or((left + end) / 2.0, |right| right * self.scale), factor)
    }

    /// How many CSS pixels from the left a place lies.
    pub fn right(&self, at: f64) -> Option<f64> {
        Some(self.across.place(at)? / self.scale)
    }

    fn down(&self, height: f32) -> Option<f64> {
        Some(self.across.height(f64::from(height))? / self.scale)
    }

    fn shown(&self) -> impl Iterator<Item = (usize, &Series)> {
        self.lines.series.iter().enumerate().filter(|(_, series)| !series.hidden)
    }

    /// The place of a value that is nearest to a pointer, so many CSS pixels from the left and from the top.
    pub fn nearest_place(&self, right: f64, down: f64) -> Option<f64> {
        let mut best: Option<(f64, f64)> = None;
        let mut offer = |at: f64, distance: f64| {
            if best.is_none_or(|(_, least)| distance < least) {
                best = Some((at, distance));
            }
        };
        let value = self.value(right);
        for (_, series) in self.shown() {
            let count = series.x.len().min(series.y.len());
            if series.scatter {
                for (x, y) in series.x.iter().zip(&series.y) {
                    if let (Some(x_css), Some(y_css)) = (self.right(*x), self.down(*y)) {
                        offer(*x, libm::hypot(x_css - right, y_css - down));
                    }
                }
                continue;
            }
            let after = series.x[..count].partition_point(|x| *x <= value);
            let beside = if series.stairs { 0 } else { 1 };
            for at in after.saturating_sub(1)..(after + beside).min(count) {
                if let Some(place) = self.right(series.x[at]) {
                    offer(series.x[at], (place - right).abs());
                }
            }
        }
        best.map(|(at, _)| at)
    }

    /// The place of a value after another, or before it; the last or the first if there is no other. Without one, the
    /// last.
    pub fn next_place(&self, at: Option<f64>, later: bool) -> Option<f64> {
        let (mut next, mut last) = (None, None::<f64>);
        let is_better = |x: f64, than: Option<f64>, later: bool| {
            than.is_none_or(|than| if later { x > than } else { x < than })
        };
        for (_, series) in self.shown() {
            for x in series.x.iter().take(series.y.len()).copied() {
                if self.across.place(x).is_none() {
                    continue;
                }
                // The end that way is where it stops.
                if is_better(x, last, later || at.is_none()) {
                    last = Some(x);
                }
                if at.is_some_and(|at| if later { x > at } else { x < at }) && is_better(x, next, !later) {
                    next = Some(x);
                }
            }
        }
        next.or(last)
    }

    /// How far down the curve lies that is the next above or below of those at a place, in CSS pixels.
    pub fn next_curve(&self, at: f64, from: Option<f64>, below: bool, history: &History) -> Option<f64> {
        let mut all: Vec<f64> = self.replicas(at, history).into_iter().map(|(_, _, _, down)| down).collect();
        let single = self.shown().filter(|(_, series)| series.each.is_none());
        all.extend(single.filter_map(|(_, series)| self.down(*series.y.get(self.index(series, at)?)?)));
        let from = from.unwrap_or(if below { f64::NEG_INFINITY } else { f64::INFINITY });
        let beyond =
            all.into_iter().filter(|down| if below { *down > from + 0.5 } else { *down < from - 0.5 });
        if below { beyond.min_by(f64::total_cmp) } else { beyond.max_by(f64::total_cmp) }
    }

    /// The value of a curve at a place: the nearest to it, if the curve goes so far.
    fn index(&self, series: &Series, at: f64) -> Option<usize> {
        let count = series.x.len().min(series.y.len());
        let x = &series.x[..count];
        if series.scatter {
            return x.iter().position(|x| *x == at);
        }
        let after = x.partition_point(|x| *x < at);
        if x.get(after) == Some(&at) {
            return Some(after);
        }
        let before = after.checked_sub(1)?;
        if series.stairs {
            return Some(before);
        }
        let next = x.get(after)?;
        Some(if at - x[before] <= next - at { before } else { after })
    }

    /// Every replica of every curve that is a median at a place: number of the curve, replica, value and how far down.
    fn replicas(&self, at: f64, history: &History) -> Vec<(usize, usize, f32, f64)> {
        let mut found = vec![];
        if !self.lines.is_over_steps() {
            return found;
        }
        let Some(row) = history.rows().find(|row| row.step as f64 == at) else { return found };
        for (number, series) in self.shown() {
            let Some(each) = series.each.filter(|_| !series.faint) else { continue };
            for (replica, value) in each.heights(row) {
                if let Some(down) = self.down(value) {
                    found.push((number, replica, value, down));
                }
            }
        }
        found
    }

    /// The values at a place; the points of the one replica that is meant.
    fn values(&self, at: f64, down: Option<f64>, history: &History) -> (Vec<Value>, Option<String>) {
        let mut values: Vec<Value> = vec![];
        let mut ranges: Vec<(f32, f32)> = vec![];
        let mut curve = None;
        let far = |of: Option<f64>| match (of, down) {
            (Some(of), Some(down)) => (of - down).abs(),
            _ => f64::INFINITY,
        };
        for (number, series) in self.shown() {
            let Some(index) = self.index(series, at) else { continue };
            let (Some(value), Some(height)) = (series.measured().get(index), series.y.get(index)) else {
                continue;
            };
            let name = if series.name.is_empty() { &self.lines.y_label } else { &series.name };
            let mut more = String::new();
            if series.raw.len() == series.y.len() && !series.raw.is_empty() {
                more = tr!(", smoothed {value}", value = written(*height));
            } else if let Some((low, high)) = series.band.get(index) {
                more = range(*low, *high);
            }
            let own = Value {
                number,
                colour: self.colours.get(number).cloned().unwrap_or_default(),
                name: name.clone(),
                text: written(*value),
                more,
                right: series.x.get(index).and_then(|x| self.right(*x)),
                down: self.down(*height),
                is_meant: false,
            };
            // Of curves that have their name in common, the nearest speaks, or all of them together.
            match values.iter().position(|other| other.name == own.name) {
                None => {
                    values.push(own);
                    ranges.push((*value, *value));
                }
                Some(_) if series.faint => {}
                Some(same) => {
                    let (low, high) = &mut ranges[same];
                    (*low, *high) = (low.min(*value), high.max(*value));
                    if down.is_none() {
                        values[same].text = tr!("{from} to {to}", from = written(*low), to = written(*high));
                        values[same].more.clear();
                        values[same].down = None;
                    } else if far(own.down) < far(values[same].down) {
                        values[same] = own;
                    }
                }
            }
        }
        let nearest = |values: &[Value]| {
            let all = values.iter().enumerate().map(|(i, value)| (i, far(value.down)));
            all.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, distance)| *distance <= NEAR)
        };
        let replica = self.replicas(at, history).into_iter().map(|one| (far(Some(one.3)), one));
        let replica = replica.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(distance, _)| *distance <= NEAR);
        match (nearest(&values), replica) {
            (_, Some((distance, (number, replica, value, own_down))))
                if nearest(&values).is_none_or(|(_, other)| distance <= other + DOT) =>
            {
                let series = &self.lines.series[number];
                let name = tr!("{series}, replica {replica}", series = series.name, replica = replica + 1);
                let colour = self.colours.get(number).cloned().unwrap_or_default();
                let height = |row| series.each.and_then(|each| each.height(row, replica));
                curve = Some(self.path(history.rows().map(|row| (row.step as f64, height(row)))));
                let (text, more) = (written(value), String::new());
                let (right, down) = (self.right(at), Some(own_down));
                values.insert(0, Value { number, colour, name, text, more, right, down, is_meant: true });
            }
            (Some((at, _)), _) if values.len() > 1 => {
                values[at].is_meant = true;
                let series = &self.lines.series[values[at].number];
                if self.shown().filter(|(_, other)| !other.faint && other.name == series.name).count() > 1 {
                    let heights = series.y.iter().copied().map(Some);
                    curve = Some(self.path(series.x.iter().copied().zip(heights)));
                }
            }
            _ => {}
        }
        values.truncate(MOST);
        (values, curve)
    }

    /// Places and heights as points of markup: of those that fall into half a pixel, the first.
    fn path(&self, points: impl Iterator<Item = (f64, Option<f32>)>) -> String {
        let mut path = String::new();
        let mut column = f64::NEG_INFINITY;
        for (at, height) in points {
            let (Some(right), Some(down)) = (self.right(at), height.and_then(|height| self.down(height)))
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

    /// What happened at a place, as near as it can be pointed at.
    fn happened(&self, at: f64) -> Vec<&str> {
        let Some(right) = self.right(at) else { return vec![] };
        let is_near =
            |step: u64| self.right(step as f64).is_some_and(|mark| (mark - right).abs() <= MARK + 2.0);
        self.events.iter().filter(|(step, _)| is_near(*step)).map(|(_, what)| what.as_str()).collect()
    }

    /// What is shown over the chart called `chart` while somebody points somewhere, or nowhere.
    pub fn seen(&self, chart: &str, pointed: Option<&Pointed>, history: &History) -> Seen {
        let [left, top, end, bottom] = self.edges();
        let mut drawn = String::new();
        for (step, _) in &self.events {
            if let Some(right) = self.right(*step as f64) {
                let (from, to, up) = (right - MARK, right + MARK, bottom - 2.0 * MARK);
                drawn += &format!(
                    "<path class=\"cross__mark\" d=\"M{from:.1} {up:.1}H{to:.1}L{right:.1} {bottom:.1}Z\"/>"
                );
            }
        }
        let is_here = |of: &&Pointed| of.chart == chart || (of.over_steps && self.lines.is_over_steps());
        let pointed = pointed.filter(is_here).and_then(|of| Some((of, self.right(of.at)?)));
        let Some((pointed, right)) = pointed else {
            let markup =
                if drawn.is_empty() { String::new() } else { format!("<svg class=\"cross\">{drawn}</svg>") };
            return Seen { markup, words: String::new() };
        };
        let down = pointed.down.filter(|_| pointed.chart == chart);
        let (values, curve) = self.values(pointed.at, down, history);
        drawn += &format!(
            "<line class=\"cross__line\" x1=\"{right:.1}\" x2=\"{right:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\"/>"
        );
        if let Some(points) = curve {
            drawn += &format!("<polyline class=\"cross__one\" points=\"{points}\"/>");
        }
        for value in &values {
            if let (Some(right), Some(down)) = (value.right, value.down) {
                let radius = if value.is_meant { DOT + 1.0 } else { DOT };
                drawn += &format!(
                    "<circle cx=\"{right:.1}\" cy=\"{down:.1}\" r=\"{radius}\" fill=\"{}\"/>",
                    value.colour
                );
            }
        }
        let (label, each) = self.lines.axis();
        let place = pointed.at * each;
        let at = match label {
            "" => written(place as f32),
            label if place.fract() == 0.0 && place >= 0.0 => format!("{label} {}", thousands(place as u64)),
            label => format!("{label} {}", written(place as f32)),
        };
        let happened = self.happened(pointed.at);
        // On the side where there is more room, clear of the line.
        let (side, room) =
            if right - left > end - right { ("left", right - left) } else { ("right", end - right) };
        let from = if side == "left" { right - room } else { right };
        let mut written = format!(
            "<div class=\"readoff readoff--{side}\" \
             style=\"left:{from:.1}px;width:{room:.1}px;top:{top:.1}px\"><div class=\"readoff__box\"><b \
             class=\"readoff__at\">{}</b>",
            escaped(&at)
        );
        for what in &happened {
            written += &format!("<i class=\"readoff__event\">{}</i>", escaped(what));
        }
        for value in &values {
            let class = if value.is_meant { " readoff__row--meant" } else { "" };
            written += &format!(
                "<span class=\"readoff__row{class}\"><i style=\"background:{}\"></i>{} \
                 <b>{}</b><small>{}</small></span>",
                value.colour,
                escaped(&value.name),
                escaped(&value.text),
                escaped(&value.more)
            );
        }
        let mut words: Vec<String> =
            values.iter().map(|value| format!("{} {}{}", value.name, value.text, value.more)).collect();
        words.extend(happened.iter().map(|what| what.to_string()));
        Seen {
            markup: format!("<svg class=\"cross\">{drawn}</svg>{written}</div></div>"),
            words: format!("{at}: {}", words.join("; ")),
        }
    }
}

/// The ends of a band.
fn range(low: f32, high: f32) -> String {
    tr!(" ({from} to {to})", from = rounded(low, 3), to = rounded(high, 3))
}

/// A number with five significant digits.
pub fn written(value: f32) -> String {
    rounded(value, 5)
}

/// A number with so many significant digits, and no more than it needs.
fn rounded(value: f32, digits: i32) -> String {
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
