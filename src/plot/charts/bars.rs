//! One bar per category.

use plotters::backend::DrawingBackend;
use plotters::style::text_anchor::HPos;

use super::Drawn;
use super::axis::{Axis, Scale};
use super::frame::{self, Entry, Names, Swatch};
use super::pen::{Area, Label, Pen};
use super::strokes::{DOT, dotted};
use super::{decimate, ends};
use crate::analysis::Bars;

/// Draws bars; more of them than pixels share one, which shows the largest magnitude.
pub(super) fn draw<DB: DrawingBackend>(pen: &Pen<DB>, bars: &Bars) -> Drawn<DB> {
    let heights = bars.bars.iter().map(|b| &b.1).chain(&bars.overlay);
    let (low, high) = ends::vertical(heights.map(|v| f64::from(*v)));
    let y = Axis { low, high, scale: Scale::Even, whole: false, start: 0, end: 0, unit: 1.0 };
    let ticks = y.ticks(frame::most(pen, pen.all().height() * 6 / 10, 24.0, 6.0));
    let names = Names {
        title: &bars.title,
        x: &bars.x_label,
        y: &bars.y_label,
        legend: legend(pen, bars),
        left: frame::widest(pen, ticks.iter().map(|t| t.1.as_str())) + pen.px(8.0),
        least_left: frame::LEFT,
        right: 0,
    };
    let Some(plot) = frame::surround(pen, &names)? else { return Ok(()) };
    let y = Axis { start: plot.bottom, end: plot.top, ..y };
    frame::beside(pen, plot, &y, &ticks, &[])?;
    let base = y.place(0.0).unwrap_or(plot.bottom);

    let count = bars.bars.len();
    let together = count.div_ceil((plot.width() as usize).max(1)).max(1);
    let slots = count.div_ceil(together);
    for (slot, group) in bars.bars.chunks(together).enumerate() {
        let area = slot_area(pen, plot, slot, slots);
        let largest =
            group.iter().map(|b| b.1).filter(|v| v.is_finite()).max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let Some(end) = largest.and_then(|v| y.place(f64::from(v))) else { continue };
        let from = slot * together;
        let marked = bars.marked.iter().any(|m| (from..from + group.len()).contains(m));
        let colour = if marked { pen.theme.mark } else { pen.theme.other };
        pen.fill(Area { top: end.min(base), bottom: end.max(base), ..area }, colour, 1.0)?;
    }
    pen.fill(Area { top: base, bottom: base + pen.px(1.0), ..plot }, pen.theme.quiet, 1.0)?;
    overlay(pen, plot, &y, bars)?;
    if together == 1 {
        categories(pen, plot, bars)?;
    }
    Ok(())
}

fn legend<DB: DrawingBackend>(pen: &Pen<DB>, bars: &Bars) -> Vec<Entry> {
    let marked = (!bars.marked.is_empty()).then_some((pen.theme.mark, &bars.marked_name, false));
    let line = (!bars.overlay.is_empty()).then(|| {
        let points = dotted(pen, bars.bars.len());
        (pen.theme.ink, &bars.overlay_name, points)
    });
    let named = [marked, line].into_iter().flatten().filter(|(_, name, _)| !name.is_empty());
    let entry = |(colour, name, points): (_, &String, _)| {
        let swatch = Swatch::of_curve(points);
        Entry { colour, name: name.clone(), swatch, hidden: false, look: 0 }
    };
    named.map(entry).collect()
}

/// The line over the bars, with a rim that keeps it apart from them.
fn overlay<DB: DrawingBackend>(pen: &Pen<DB>, plot: Area, y: &Axis, bars: &Bars) -> Drawn<DB> {
    let slot = f64::from(plot.width()) / bars.bars.len().max(1) as f64;
    let places = bars.overlay.iter().take(bars.bars.len()).enumerate().map(|(i, value)| {
        let x = f64::from(plot.left) + (i as f64 + 0.5) * slot;
        Some((x.round() as i32, y.place(f64::from(*value))?))
    });
    let runs = decimate::curve(places);
    let dots = dotted(pen, bars.bars.len());
    for (wider, colour) in [(2.0, pen.theme.bg), (0.0, pen.theme.ink)] {
        for run in &runs {
            pen.curve(run, pen.theme.stroke + wider, colour)?;
            let dotted = run.iter().filter(|_| dots);
            dotted.copied().try_for_each(|at| pen.dot(at, DOT + wider / 2.0, colour))?;
        }
    }
    Ok(())
}

/// The box of a slot over the whole height, with air between neighbours where there is room.
fn slot_area<DB: DrawingBackend>(pen: &Pen<DB>, plot: Area, slot: usize, slots: usize) -> Area {
    let width = f64::from(plot.width()) / slots as f64;
    // A few bars must not become walls.
    let bar = (width * 0.72).min(f64::from(pen.px(48.0)));
    let left = f64::from(plot.left) + (slot as f64 + 0.5) * width - bar / 2.0;
    let left = left.round() as i32;
    Area { left, right: left + (bar.round() as i32).max(1), ..plot }
}

/// Names of the categories, every n-th where they would touch.
fn categories<DB: DrawingBackend>(pen: &Pen<DB>, plot: Area, bars: &Bars) -> Drawn<DB> {
    let label = pen.tick(HPos::Center);
    let widest = frame::widest(pen, bars.bars.iter().map(|b| b.0.as_str())) + pen.px(8.0);
    let slot = f64::from(plot.width()) / bars.bars.len().max(1) as f64;
    let every = ((f64::from(widest) / slot).ceil() as usize).max(1);
    for (i, (name, _)) in bars.bars.iter().enumerate().step_by(every) {
        let x = f64::from(plot.left) + (i as f64 + 0.5) * slot;
        let colour = if bars.marked.contains(&i) { pen.theme.mark } else { pen.theme.quiet };
        frame::number_below(pen, plot, x.round() as i32, name, Label { colour, ..label })?;
    }
    Ok(())
}
