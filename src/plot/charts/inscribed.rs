//! What stands in the cells of a matrix, where there is room for it.
//!
//! # Why
//! A colour says how much and not how sure: counts and intervals belong into the cells of a printed map. All cells show
//! as many lines as fit into every one of them, so that no cell seems to know more than another. Left out of the page,
//! whose map of a sweep is a table of links.

use plotters::backend::DrawingBackend;
use plotters::style::text_anchor::HPos;

use super::Drawn;
use super::colour::oklab;
use super::pen::{Area, Label, Pen};
use crate::analysis::Grid;

/// Between two lines, in parts of their size.
const LEADING: f64 = 1.25;
/// Room on both sides of a line.
const BESIDE: f64 = 3.0;

/// Writes the first lines of each cell's text that fit, dark on light and light on dark; `colour` is what a cell is
/// filled with.
pub(super) fn draw<DB: DrawingBackend>(
    pen: &Pen<DB>,
    plot: Area,
    grid: &Grid,
    colour: impl Fn(f32) -> plotters::style::RGBColor,
) -> Drawn<DB> {
    if grid.texts.len() != grid.values.len() || grid.values.is_empty() {
        return Ok(());
    }
    let label = pen.tick(HPos::Center);
    let (width, height) = (plot.width() / grid.columns as i32, plot.height() / grid.rows as i32);
    let line = pen.px(label.size * LEADING);
    let most = grid.texts.iter().map(|text| text.lines().count()).max().unwrap_or(0);
    let fits = |count: &usize| {
        let lines = grid.texts.iter().flat_map(|text| text.lines().take(*count));
        *count as i32 * line <= height
            && lines.clone().all(|l| pen.width(l, label) + pen.px(2.0 * BESIDE) <= width)
    };
    let Some(count) = (1..=most).rev().find(fits) else { return Ok(()) };
    for (cell, (text, value)) in grid.texts.iter().zip(&grid.values).enumerate() {
        let (row, column) = ((cell / grid.columns) as i32, (cell % grid.columns) as i32);
        let x = plot.left + (2 * column + 1) * plot.width() / (2 * grid.columns as i32);
        let y = plot.top + (2 * row + 1) * plot.height() / (2 * grid.rows as i32);
        let is_dark = oklab(colour(*value))[0] < 0.62;
        let ink = if is_dark { plotters::style::WHITE } else { plotters::style::BLACK };
        let lines: Vec<&str> = text.lines().take(count).collect();
        let top = y - (lines.len() as i32 - 1) * line / 2;
        for (number, text) in lines.into_iter().enumerate() {
            pen.text(text, (x, top + number as i32 * line), Label { colour: ink, ..label })?;
        }
    }
    Ok(())
}
