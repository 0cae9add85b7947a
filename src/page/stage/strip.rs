//! The strip below the picture: the loss, and what happens inside the network meanwhile, over the steps of the run.

use std::borrow::Cow;

use super::curve::MeasuredCurve;
use super::live::{Showing, Stage};
use vivarium_plot::scene::{Anchor, Ink, Point, Scene, Shape, Stroke};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{format_decimal, format_percent, format_significant, format_thousands};

/// Space left of the curves for the number at the vertical axis, in CSS pixels.
pub const STRIP_LEFT: f32 = 44.0;
/// Space right of the curves, in CSS pixels.
pub const STRIP_RIGHT: f32 = 14.0;
/// Space above the curves for the names of the curves, in CSS pixels.
const TOP: f32 = 22.0;
/// Space above the curves of a narrow strip, for the names in two lines, in CSS pixels.
const NARROW_TOP: f32 = 38.0;
/// Strips below this width in CSS pixels have the names of their curves in two lines.
const NARROW_STRIP: f32 = 640.0;
/// Space below the curves for the steps, in CSS pixels.
const BOTTOM: f32 = 18.0;
/// Steps on the axis of a run whose length is not known; the axis doubles when the run goes on.
const FIRST_STEPS: u64 = 500;

/// Width of the labels “step 1,000” and “run before” in CSS pixels, about.
const LABEL_WIDTH: f32 = 80.0;
/// Height of these labels in CSS pixels.
const LABEL_HEIGHT: f32 = 14.0;

/// Strength of the curves of the run before, from 0 (background) to 1.
const PREVIOUS_STRENGTH: f32 = 0.45;

/// Movement along the strip for a key, as a share of its axis, negative to the left; `None` for keys that move nothing or that
/// the slider handles itself, such as Home and End.
pub fn key_share(key: &str, is_shifted: bool) -> Option<f64> {
    let share = match (key, is_shifted) {
        ("PageUp" | "PageDown", _) | ("ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown", true) => 0.1,
        ("ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown", false) => 0.01,
        _ => return None,
    };
    Some(if matches!(key, "ArrowLeft" | "ArrowDown" | "PageDown") { -share } else { share })
}

/// Last step on the axis: the expected length of the run, doubled until the run fits.
pub fn axis_end(expected: Option<u64>, step: u64, last: u64) -> u64 {
    let mut end = expected.unwrap_or(FIRST_STEPS).clamp(1, last.max(1));
    while end < step {
        end = end.saturating_mul(2).min(last.max(step));
    }
    end
}

/// Draws the strip of a run: held-out loss and progress inside the network, and the step that is shown; `end` is the last
/// step of the axis.
pub fn draw_strip(run: &RunView, stage: &Stage, end: u64, width: f32, height: f32) -> Scene {
    let mut scene = Scene::new(width, height);
    let is_narrow = width < NARROW_STRIP;
    let (right, bottom) = (width - STRIP_RIGHT, height - BOTTOM);
    let top = if is_narrow { NARROW_TOP } else { TOP };
    let x = |step: u64| STRIP_LEFT + (right - STRIP_LEFT) * (step as f32 / end.max(1) as f32).min(1.0);
    let y = |share: f32| bottom - (bottom - top) * share.clamp(0.0, 1.0);
    scene.line(Point::new(STRIP_LEFT, bottom), Point::new(right, bottom), Stroke::new(Ink::Quiet, 1.0));
    let present = stage.measured(run).map_or_else(|| Cow::Owned(MeasuredCurve::of(run)), Cow::Borrowed);
    let MeasuredCurve { name, points: values, .. } = &*present;
    let previous = stage.previous().filter(|previous| previous.is_comparable(&present));
    let first = present.scale().or(previous.and_then(|previous| previous.measured.scale())).unwrap_or(1.0);
    let largest = 1.15 * first;
    let curve: Vec<Point> =
        values.iter().map(|(step, value)| Point::new(x(*step), y(value / largest))).collect();
    let inner =
        stage.tape().frames().iter().filter_map(|frame| Some((frame.progress.step, frame.inner_progress?)));
    let inside: Vec<Point> = inner.map(|(step, share)| Point::new(x(step), y(share))).collect();
    let shown = x(stage.shown_step().min(end));
    let step_label = match shown > width / 2.0 {
        true => (Point::new(shown - 10.0, bottom - 14.0), Anchor::End),
        false => (Point::new(shown + 10.0, bottom - 14.0), Anchor::Start),
    };
    if let Some(previous) = previous {
        // Steps beyond the axis are left out.
        let path = |points: &[(u64, f32)], largest: f32| -> Vec<Point> {
            let shown = points.iter().take_while(|(step, _)| *step <= end);
            shown.map(|(step, value)| Point::new(x(*step), y(value / largest))).collect()
        };
        let before = path(&previous.measured.points, largest);
        if let Some(last) = before.last().filter(|_| before.len() > 1) {
            // Above the end of the curve, and within the strip.
            let anchor = if last.x > width / 2.0 { Anchor::End } else { Anchor::Start };
            let above = (last.y - 9.0).max(top + 6.0);
            // Above the label of the step, if the two labels would overlap.
            let is_near =
                (last.x - shown).abs() < LABEL_WIDTH && (above - step_label.0.y).abs() < LABEL_HEIGHT;
            let at = Point::new(last.x, if is_near { step_label.0.y - LABEL_HEIGHT } else { above });
            scene.text(tr!("run before"), at, 11.0, anchor, Ink::Quiet);
        }
        for (points, ink) in [(path(&previous.inside, 1.0), Ink::First), (before, Ink::Second)] {
            if points.len() > 1 {
                let pale = Stroke::new(ink.at(PREVIOUS_STRENGTH), 1.5).dashed(6.0, 5.0);
                scene.stroke(Shape::Path(points), pale);
            }
        }
    }
    // The texts name the values at the shown step, where the picture shows an earlier step of the run.
    let last_step = match stage.showing() {
        Showing::Latest => u64::MAX,
        Showing::Replay(_) | Showing::Step(_) => stage.shown_step(),
    };
    let measured = values.iter().take_while(|(step, _)| *step <= last_step).last().or(values.first());
    let value = measured.map_or(String::new(), |(_, value)| format_decimal(*value));
    let words = tr!("{name}: {value}", name = shorten(name, width), value);
    scene.text(words, Point::new(STRIP_LEFT, 10.0), 13.0, Anchor::Start, Ink::Second);
    if !curve.is_empty() {
        // Left of the axis is room for five characters.
        let words = if first < 10.0 { format_decimal(first) } else { format_significant(f64::from(first)) };
        scene.text(words, Point::new(STRIP_LEFT - 6.0, y(first / largest)), 11.0, Anchor::End, Ink::Quiet);
        scene.stroke(Shape::Path(curve), Stroke::new(Ink::Second, 2.0));
    }
    if let (false, Some(hero)) = (inside.is_empty(), stage.hero()) {
        scene.stroke(Shape::Path(inside), Stroke::new(Ink::First, 2.0));
        let mut frames = stage.tape().frames().iter().rev();
        let share =
            frames.find_map(|frame| frame.inner_progress.filter(|_| frame.progress.step <= last_step));
        let name = tr!(
            "{name}: {value}",
            name = shorten(hero.inner_progress_name(), width),
            value = format_percent(share.unwrap_or(0.0))
        );
        // Below the other name where there is no room beside it.
        match is_narrow {
            true => scene.text(name, Point::new(STRIP_LEFT, 26.0), 13.0, Anchor::Start, Ink::First),
            false => scene.text(name, Point::new(right, 10.0), 13.0, Anchor::End, Ink::First),
        }
    }
    scene.line(Point::new(shown, top), Point::new(shown, bottom), Stroke::new(Ink::Mark, 1.5));
    scene.fill(Shape::Circle(Point::new(shown, bottom), 6.0), Ink::Mark);
    let step = format_thousands(stage.shown_step());
    let step = match stage.showing() {
        Showing::Replay(_) => tr!("replay, step {step}", step),
        Showing::Latest | Showing::Step(_) => tr!("step {step}", step),
    };
    scene.text(step, step_label.0, 12.0, step_label.1, Ink::Mark);
    scene.text("0", Point::new(STRIP_LEFT, height - 8.0), 11.0, Anchor::Start, Ink::Quiet);
    scene.text(format_thousands(end), Point::new(right, height - 8.0), 11.0, Anchor::End, Ink::Quiet);
    scene
}

/// The name of a curve, cut to the letters that a strip of this width in CSS pixels has room for beside a value.
fn shorten(name: &str, width: f32) -> String {
    let most = ((width - STRIP_LEFT) / 7.6) as usize;
    // A wide strip has two names in one line.
    let most = if width < NARROW_STRIP { most.saturating_sub(8) } else { most / 2 };
    match name.chars().count() > most {
        true => name.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
        false => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_to_the_width() {
        assert_eq!(shorten("Loss", 390.0), "Loss");
        let name = "Relative error, held-out, last point of a prompt";
        assert!(shorten(name, 1400.0) == name && shorten(name, 390.0).chars().count() < 40);
        assert!(shorten(name, 390.0).ends_with('…') && shorten(name, 0.0).len() < 4);
    }

    #[test]
    fn arrows_move_by_a_hundredth_and_pages_by_a_tenth() {
        let shares = |key: &str| [key_share(key, false), key_share(key, true)];
        assert_eq!(shares("ArrowRight"), [Some(0.01), Some(0.1)]);
        assert_eq!(shares("ArrowUp"), [Some(0.01), Some(0.1)]);
        assert_eq!(shares("ArrowLeft"), [Some(-0.01), Some(-0.1)]);
        assert_eq!(shares("ArrowDown"), [Some(-0.01), Some(-0.1)]);
        assert_eq!([shares("PageUp"), shares("PageDown")], [[Some(0.1); 2], [Some(-0.1); 2]]);
        assert_eq!([shares("Home"), shares("End"), shares("Tab")], [[None; 2]; 3]);
    }

    #[test]
    fn the_axis_is_the_expected_length_and_doubles_for_longer_runs() {
        assert_eq!(axis_end(Some(770), 0, 100_000), 770);
        assert_eq!(axis_end(Some(770), 800, 100_000), 1540);
        assert_eq!(axis_end(None, 20, 100_000), 500);
        assert_eq!(axis_end(None, 20, 100), 100);
        assert_eq!([axis_end(Some(0), 3, 0), axis_end(None, 1400, 1500)], [3, 1500]);
    }
}
