//! Drawing of a layer of a network of one's own: a line for the vector of each token, and a symbol for what the layer computes.

use std::fmt::Write;

use vivarium_model::models::own::layers::{Join, Layer};

/// Width of a drawing.
pub const WIDTH: usize = 96;
/// Height of a drawing: the lines of a layer go on in the drawing of the next.
pub const HEIGHT: usize = 40;
/// Largest number of lines.
const MAX_LINES: usize = 4;
/// Distance of two lines.
const DISTANCE: f64 = 22.0;

/// A drawing, as data of SVG paths.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LayerDrawing {
    /// Lines of the vectors.
    pub vectors: String,
    /// Lines from vectors that a layer reads to those that it computes.
    pub reads: String,
    /// Outlines of what a layer computes.
    pub operations: String,
}

/// The x coordinates of the lines of so many vectors.
fn lines(vectors: usize) -> Vec<f64> {
    let count = vectors.min(MAX_LINES);
    let middle = WIDTH as f64 / 2.0;
    (0..count).map(|line| middle + (line as f64 - (count as f64 - 1.0) / 2.0) * DISTANCE).collect()
}

impl LayerDrawing {
    /// A layer that reads `before` vectors and computes `after`; `is_causal` says whether a token attends to earlier ones alone.
    pub fn new(layer: Layer, before: usize, after: usize, is_causal: bool) -> Self {
        let (from, to) = (lines(before), lines(after));
        let mut drawing = LayerDrawing::default();
        match layer {
            Layer::Embed { .. } => {
                for x in &to {
                    drawing.ring(*x, 6.0);
                    drawing.vector((*x, 9.0), (*x, 40.0));
                    drawing.outline(*x, 23.0, [12.0, 10.0]);
                }
            }
            Layer::Token => {
                from.iter().zip(&to).for_each(|(from, to)| drawing.vector((*from, 0.0), (*to, 40.0)));
                if let (Some(x), true) = (to.last(), after > before && to.len() > from.len()) {
                    drawing.ring(*x, 20.0);
                    drawing.vector((*x, 23.0), (*x, 40.0));
                }
            }
            Layer::Attention(_) => {
                drawing.straight(&to);
                for (at, target) in to.iter().enumerate() {
                    let seen = if is_causal { at + 1 } else { from.len() };
                    for source in from.iter().take(seen).filter(|source| *source != target) {
                        drawing.read((*source, 4.0), (*target, 36.0));
                    }
                    drawing.ring(*target, 36.0);
                }
            }
            Layer::Mlp { .. } => {
                drawing.straight(&to);
                for x in &to {
                    // Next to the line, to which it is added.
                    let _ = write!(
                        drawing.reads,
                        "M{x} 5C{0} 5 {0} 5 {0} 13M{0} 27C{0} 35 {0} 35 {x} 35",
                        x + 9.0
                    );
                    drawing.outline(x + 9.0, 20.0, [10.0, 14.0]);
                }
            }
            Layer::Positions => {
                drawing.straight(&to);
                for x in &to {
                    let _ = write!(drawing.operations, "M{} 20h8M{} 16v8", x - 10.0, x - 6.0);
                    drawing.read((x - 2.0, 20.0), (*x, 20.0));
                }
            }
            Layer::Gru { .. } => {
                drawing.on_lines(&from, &to, [12.0, 12.0]);
                // From each state to the next.
                to.array_windows().for_each(|[x, next]| drawing.read((x + 6.0, 20.0), (next - 6.0, 20.0)));
            }
            Layer::Linear { .. } => drawing.on_lines(&from, &to, [12.0, 10.0]),
            Layer::Norm => drawing.on_lines(&from, &to, [16.0, 4.0]),
            Layer::Apply(_) => {
                drawing.straight(&to);
                // The graph of a rectified linear function.
                to.iter().for_each(|x| {
                    let _ = write!(drawing.operations, "M{} 24h6l6 -8l-6 8h-6z", x - 6.0);
                });
            }
            Layer::Join(join) => drawing.join(Some(join), &from, 40.0),
            Layer::Read(join) => {
                drawing.join(join, &from, 22.0);
                let ends = if join.is_some() { lines(1) } else { from };
                for x in ends {
                    drawing.outline(x, 27.0, [16.0, 10.0]);
                    drawing.vector((x, 32.0), (x, 40.0));
                }
            }
        }
        drawing
    }

    fn vector(&mut self, from: (f64, f64), to: (f64, f64)) {
        // Writing to a string does not fail.
        let _ = write!(self.vectors, "M{} {}L{} {}", from.0, from.1, to.0, to.1);
    }

    fn read(&mut self, from: (f64, f64), to: (f64, f64)) {
        let _ = write!(self.reads, "M{} {}L{} {}", from.0, from.1, to.0, to.1);
    }

    fn straight(&mut self, lines: &[f64]) {
        lines.iter().for_each(|x| self.vector((*x, 0.0), (*x, 40.0)));
    }

    /// A box with its middle at (x, y).
    fn outline(&mut self, x: f64, y: f64, [width, height]: [f64; 2]) {
        let _ =
            write!(self.operations, "M{} {}h{width}v{height}h{}z", x - width / 2.0, y - height / 2.0, -width);
    }

    /// A ring with its middle at (x, y).
    fn ring(&mut self, x: f64, y: f64) {
        let _ = write!(self.operations, "M{} {y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", x - 3.0);
    }

    /// A box on each line; the lines of several vectors that the layer reads one after the other meet in it.
    fn on_lines(&mut self, from: &[f64], to: &[f64], size: [f64; 2]) {
        if from.len() == to.len() {
            self.straight(to);
        } else {
            from.iter().for_each(|x| self.vector((*x, 0.0), (to[0], 20.0)));
            self.vector((to[0], 20.0), (to[0], 40.0));
        }
        to.iter().for_each(|x| self.outline(*x, 20.0, size));
    }

    /// The lines up to height `end`; with `join` they meet in one line there.
    fn join(&mut self, join: Option<Join>, from: &[f64], end: f64) {
        let Some(join) = join else {
            from.iter().for_each(|x| self.vector((*x, 0.0), (*x, end)));
            return;
        };
        let middle = WIDTH as f64 / 2.0;
        for (at, x) in from.iter().enumerate() {
            match join {
                Join::Last if at + 1 < from.len() => {
                    self.vector((*x, 0.0), (*x, 8.0));
                    let _ = write!(self.operations, "M{} 8h6", x - 3.0);
                }
                _ => self.vector((*x, 0.0), (middle, end.min(20.0))),
            }
        }
        self.vector((middle, end.min(20.0)), (middle, end));
        match join {
            Join::Sum => {
                let _ = write!(
                    self.operations,
                    "M{} {1}h8M{middle} {2}v8",
                    middle - 4.0,
                    end.min(20.0),
                    end.min(20.0) - 4.0
                );
            }
            Join::Concat => self.outline(middle, end.min(20.0), [24.0, 4.0]),
            Join::Last => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::models::own::layers::parse;

    /// Number of lines of a path.
    fn count(path: &str) -> usize {
        path.matches('M').count()
    }

    fn draw_line(line: &str, before: usize, after: usize, is_causal: bool) -> LayerDrawing {
        let text = if line.starts_with("read") { line.to_string() } else { format!("{line}\nread") };
        LayerDrawing::new(parse(&text).unwrap()[0].1, before, after, is_causal)
    }

    #[test]
    fn attention_is_drawn_from_each_token_that_is_seen() {
        let (all, causal) = (draw_line("attention 2", 3, 3, false), draw_line("attention 2", 3, 3, true));
        assert_eq!((count(&all.reads), count(&causal.reads)), (6, 3));
        assert_eq!((count(&all.vectors), count(&all.operations)), (3, 3));
        // Of long sequences four tokens are drawn.
        assert_eq!(count(&draw_line("attention 2", 50, 50, true).reads), 6);
    }

    #[test]
    fn lines_go_on_from_layer_to_layer() {
        for (line, before, after) in [
            ("embed 8", 0, 2),
            ("token", 2, 3),
            ("positions", 3, 3),
            ("mlp 9", 3, 3),
            ("linear 4", 3, 3),
            ("linear 4", 2, 1),
            ("norm", 3, 3),
            ("gru 4", 3, 3),
            ("relu", 3, 3),
            ("sum", 3, 1),
            ("last", 3, 1),
            ("concat", 3, 1),
            ("read sum", 3, 1),
            ("read", 4, 4),
        ] {
            let drawing = draw_line(line, before, after, false);
            for x in lines(before) {
                assert!(drawing.vectors.contains(&format!("M{x} 0L")), "{line}: {drawing:?}");
            }
            for x in lines(after) {
                assert!(drawing.vectors.contains(&format!("L{x} 40")), "{line}: {drawing:?}");
            }
        }
        assert_eq!(draw_line("token", 4, 5, false).operations, "", "a fifth line is not drawn");
    }
}
