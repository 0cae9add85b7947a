//! One bar per category.

use plotters::backend::DrawingBackend;
use plotters::style::text_anchor::HPos;

use super::DrawResult;
use super::axis::{Axis, AxisScale};
use super::frame::{self, LegendEntry, LegendSwatch, PlotLabels};
use super::pen::{LabelStyle, Pen, PixelRect};
use super::strokes::{DOT_RADIUS, has_room_for_dots};
use super::{decimate, ends};
use crate::analysis::BarChart;

/// Draws a bar chart. If there are more bars than pixels, several share a pixel, which shows the largest magnitude.
pub(super) fn draw<DB: DrawingBackend>(pen: &Pen<DB>, bars: &BarChart) -> DrawResult<DB> {
    let heights = bars.bars.iter().map(|b| &b.1).chain(&bars.overlay);
    let (low, high) = ends::vertical_range(heights.map(|v| f64::from(*v)));
    let y = Axis {
        low,
        high,
        scale: AxisScale::Linear,
        whole_ticks_only: false,
        start_pixel: 0,
        end_pixel: 0,
        tick_unit: 1.0,
    };
    let ticks = y.ticks(frame::max_label_count(pen, pen.full_rect().height() * 6 / 10, 24.0, 6.0));
    let names = PlotLabels {
        title: &bars.title,
        x_label: &bars.x_label,
        y_label: &bars.y_label,
        legend: legend_entries(pen, bars),
        left_label_width: frame::max_label_width(pen, ticks.iter().map(|t| t.1.as_str()))
            + pen.to_pixels(8.0),
        min_left: frame::MIN_LEFT_MARGIN,
        extra_right: 0,
    };
    let Some(plot) = frame::draw_surroundings(pen, &names)? else { return Ok(()) };
    let y = Axis { start_pixel: plot.bottom, end_pixel: plot.top, ..y };
    frame::draw_y_axis(pen, plot, &y, &ticks, &[])?;
    let base = y.pixel_clamped(0.0).unwrap_or(plot.bottom);

    let count = bars.bars.len();
    let together = count.div_ceil((plot.width() as usize).max(1)).max(1);
    let slots = count.div_ceil(together);
    for (slot, group) in bars.bars.chunks(together).enumerate() {
        let area = slot_rect(pen, plot, slot, slots);
        let largest =
            group.iter().map(|b| b.1).filter(|v| v.is_finite()).max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let Some(end) = largest.and_then(|v| y.pixel_clamped(f64::from(v))) else { continue };
        let from = slot * together;
        let marked = bars.marked.iter().any(|m| (from..from + group.len()).contains(m));
        let colour = if marked { pen.theme.mark } else { pen.theme.other };
        pen.fill_rect(PixelRect { top: end.min(base), bottom: end.max(base), ..area }, colour, 1.0)?;
    }
    pen.fill_rect(PixelRect { top: base, bottom: base + pen.to_pixels(1.0), ..plot }, pen.theme.quiet, 1.0)?;
    draw_overlay(pen, plot, &y, bars)?;
    if together == 1 {
        draw_category_names(pen, plot, bars)?;
    }
    Ok(())
}

/// Legend entries of a bar chart: one for the highlighted bars and one for the overlay, if they have names.
fn legend_entries<DB: DrawingBackend>(pen: &Pen<DB>, bars: &BarChart) -> Vec<LegendEntry> {
    let marked = (!bars.marked.is_empty()).then_some((pen.theme.mark, &bars.marked_name, false));
    let line = (!bars.overlay.is_empty()).then(|| {
        let points = has_room_for_dots(pen, bars.bars.len());
        (pen.theme.ink, &bars.overlay_name, points)
    });
    let named = [marked, line].into_iter().flatten().filter(|(_, name, _)| !name.is_empty());
    let entry = |(colour, name, points): (_, &String, _)| {
        let swatch = LegendSwatch::of_curve(points);
        LegendEntry { colour, name: name.clone(), swatch, hidden: false, style_index: 0 }
    };
    named.map(entry).collect()
}

/// Draws the overlay of a bar chart, a line over the bars, with a rim in the background colour.
fn draw_overlay<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: PixelRect,
    y: &Axis,
    bars: &BarChart,
) -> DrawResult<DB> {
    let slot = f64::from(plot.width()) / bars.bars.len().max(1) as f64;
    let places = bars.overlay.iter().take(bars.bars.len()).enumerate().map(|(i, value)| {
        let x = f64::from(plot.left) + (i as f64 + 0.5) * slot;
        Some((x.round() as i32, y.pixel_clamped(f64::from(*value))?))
    });
    let runs = decimate::decimate_curve(places);
    let dots = has_room_for_dots(pen, bars.bars.len());
    for (wider, colour) in [(2.0, pen.theme.bg), (0.0, pen.theme.ink)] {
        for run in &runs {
            pen.draw_curve(run, pen.theme.curve_width + wider, colour)?;
            let dotted = run.iter().filter(|_| dots);
            dotted.copied().try_for_each(|at| pen.draw_dot(at, DOT_RADIUS + wider / 2.0, colour))?;
        }
    }
    Ok(())
}

/// Rectangle, over the whole height of the plot, for the bar in slot number `slot`, from 0, of `slots` equally wide
/// slots, with a gap to its neighbours where there is room.
fn slot_rect<DB: DrawingBackend>(pen: &Pen<DB>, plot: PixelRect, slot: usize, slots: usize) -> PixelRect {
    let width = f64::from(plot.width()) / slots as f64;
    // A few bars must not become walls.
    let bar = (width * 0.72).min(f64::from(pen.to_pixels(48.0)));
    let left = f64::from(plot.left) + (slot as f64 + 0.5) * width - bar / 2.0;
    let left = left.round() as i32;
    PixelRect { left, right: left + (bar.round() as i32).max(1), ..plot }
}

/// Draws the names of the bars below the plot; only every n-th if all would overlap.
fn draw_category_names<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: PixelRect,
    bars: &BarChart,
) -> DrawResult<DB> {
    let label = pen.tick_style(HPos::Center);
    let widest = frame::max_label_width(pen, bars.bars.iter().map(|b| b.0.as_str())) + pen.to_pixels(8.0);
    let slot = f64::from(plot.width()) / bars.bars.len().max(1) as f64;
    let every = ((f64::from(widest) / slot).ceil() as usize).max(1);
    for (i, (name, _)) in bars.bars.iter().enumerate().step_by(every) {
        let x = f64::from(plot.left) + (i as f64 + 0.5) * slot;
        let colour = if bars.marked.contains(&i) { pen.theme.mark } else { pen.theme.quiet };
        frame::draw_x_tick_label(pen, plot, x.round() as i32, name, LabelStyle { colour, ..label })?;
    }
    Ok(())
}
