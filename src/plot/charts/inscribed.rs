//! Draws text in the cells of a heat map, where there is room.
//!
//! # Why
//! A colour says how much and not how sure: counts and intervals belong into the cells of a printed map. All cells show
//! as many lines as fit into every one of them, so that no cell seems to know more than another. Left out of the page,
//! whose map of a sweep is a table of links.

use plotters::backend::DrawingBackend;
use plotters::style::text_anchor::HPos;

use super::DrawResult;
use super::colour::to_oklab;
use super::pen::{LabelStyle, Pen, PixelRect};
use crate::analysis::Heatmap;

/// Distance between lines of text in a cell, as a multiple of the font size.
const LINE_SPACING: f64 = 1.25;
/// Space on both sides of a line of text in a cell, in CSS pixels.
const SIDE_PADDING: f64 = 3.0;

/// Writes into each cell of a heat map the first lines of its text, as many as fit into every cell, dark on light or
/// light on dark; `colour` maps the value of a cell to its fill colour.
pub(super) fn draw_cell_texts<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: PixelRect,
    grid: &Heatmap,
    colour: impl Fn(f32) -> plotters::style::RGBColor,
) -> DrawResult<DB> {
    if grid.texts.len() != grid.values.len() || grid.values.is_empty() {
        return Ok(());
    }
    let label = pen.tick_style(HPos::Center);
    let (width, height) = (plot.width() / grid.columns as i32, plot.height() / grid.rows as i32);
    let line = pen.to_pixels(label.size * LINE_SPACING);
    let most = grid.texts.iter().map(|text| text.lines().count()).max().unwrap_or(0);
    let fits = |count: &usize| {
        let lines = grid.texts.iter().flat_map(|text| text.lines().take(*count));
        *count as i32 * line <= height
            && lines.clone().all(|l| pen.text_width(l, label) + pen.to_pixels(2.0 * SIDE_PADDING) <= width)
    };
    let Some(count) = (1..=most).rev().find(fits) else { return Ok(()) };
    for (cell, (text, value)) in grid.texts.iter().zip(&grid.values).enumerate() {
        let (row, column) = ((cell / grid.columns) as i32, (cell % grid.columns) as i32);
        let x = plot.left + (2 * column + 1) * plot.width() / (2 * grid.columns as i32);
        let y = plot.top + (2 * row + 1) * plot.height() / (2 * grid.rows as i32);
        let is_dark = to_oklab(colour(*value))[0] < 0.62;
        let ink = if is_dark { plotters::style::WHITE } else { plotters::style::BLACK };
        let lines: Vec<&str> = text.lines().take(count).collect();
        let top = y - (lines.len() as i32 - 1) * line / 2;
        for (number, text) in lines.into_iter().enumerate() {
            pen.draw_text(text, (x, top + number as i32 * line), LabelStyle { colour: ink, ..label })?;
        }
    }
    Ok(())
}
