//! Values next to the pointer over curves.

use super::crosshair::{CrosshairOverlay, DrawnCurves, Pointer, format_value};
use vivarium_model::protocol::Measurement;
use vivarium_plot::analysis::Role;
use vivarium_plot::analysis::curves::RunHistory;
use vivarium_plot::analysis::replicas::{ReplicaCurves, ReplicaMeasure};
use vivarium_plot::analysis::{LineChart, Series};
use vivarium_plot::charts::{PlotAxes, Theme};

fn curve(name: &str, y: &[f32]) -> Series {
    let x = (0..y.len()).map(|i| 10.0 * i as f64).collect();
    Series { name: name.into(), x, y: y.into(), role: Role::Test, ..Default::default() }
}

/// Drawn on 200 by 100 pixels from step 0 to 40 and from 0 to 1, two of them per CSS pixel.
fn scene(series: Vec<Series>, events: &[(u64, &str)]) -> DrawnCurves {
    let lines = LineChart { x_label: "step".into(), y_label: "loss".into(), series, ..Default::default() };
    let events = events.iter().map(|(step, what)| (*step, what.to_string())).collect();
    DrawnCurves::new(
        lines,
        PlotAxes::from_ranges((0.0, 40.0), (0.0, 1.0), 200, 100),
        2.0,
        &Theme::light(),
        events,
    )
}

fn pointer(at: f64, down: Option<f64>) -> Pointer {
    Pointer { chart: "loss", over_steps: true, x: at, y_css: down }
}

fn overlay_text(scene: &DrawnCurves, at: f64, down: Option<f64>) -> String {
    scene.overlay("loss", Some(&pointer(at, down)), &RunHistory::default()).text
}

#[test]
fn the_nearest_measurement_is_read() {
    let two = scene(vec![curve("a", &[1.0, 0.5, 0.25, 0.125, 0.0625]), curve("b", &[0.5; 3])], &[]);
    assert_eq!([0.0, 30.0, 40.0, 99.0].map(|x| two.nearest_x(x, 0.0)), [0.0, 10.0, 20.0, 40.0].map(Some));
    assert_eq!(overlay_text(&two, 20.0, None), "step 20: a 0.25; b 0.5");
    assert_eq!(overlay_text(&two, 30.0, None), "step 30: a 0.125", "b does not go so far");
    let hidden = scene(vec![Series { hidden: true, ..curve("a", &[1.0; 5]) }, curve("b", &[0.5; 3])], &[]);
    assert_eq!(
        (hidden.nearest_x(99.0, 0.0), overlay_text(&hidden, 10.0, None).as_str()),
        (Some(20.0), "step 10: b 0.5")
    );
    assert_eq!(scene(vec![], &[]).nearest_x(5.0, 5.0), None);
}

#[test]
fn a_click_on_a_curve_gives_its_nearest_measurement() {
    // Two measurements: the curve falls from the upper left corner to 25 CSS pixels right and 50 down.
    let steep = scene(vec![curve("a", &[1.0, 0.0])], &[]);
    assert_eq!(steep.clicked_step(14.0, 28.0), Some(10), "on the line, far from both measurements");
    assert_eq!(steep.clicked_step(11.0, 22.0), Some(0));
    assert_eq!(steep.clicked_step(75.0, 25.0), None, "the curve does not go so far");
    let flat = scene(vec![curve("a", &[0.9; 5])], &[]);
    assert_eq!([12.0, 20.0, 99.0].map(|x| flat.clicked_step(x, 10.0)), [0, 10, 40].map(Some));
    assert_eq!(flat.clicked_step(20.0, 45.0), None, "below the curve");
    let hidden = scene(vec![Series { hidden: true, ..curve("a", &[0.9; 5]) }], &[]);
    assert_eq!(hidden.clicked_step(20.0, 10.0), None);
    let lines = LineChart { x_label: "n".into(), series: vec![curve("a", &[0.9; 5])], ..Default::default() };
    let axes = PlotAxes::from_ranges((0.0, 40.0), (0.0, 1.0), 200, 100);
    let sizes = DrawnCurves::new(lines, axes, 2.0, &Theme::light(), vec![]);
    assert_eq!(sizes.clicked_step(20.0, 10.0), None, "its axis counts no steps");
}

#[test]
fn keys_go_from_measurement_to_measurement() {
    let one = scene(vec![curve("a", &[0.5; 4])], &[]);
    assert_eq!(one.next_x(None, false), Some(30.0));
    assert_eq!(
        [(10.0, true), (10.0, false), (30.0, true), (0.0, false)]
            .map(|(at, later)| one.next_x(Some(at), later)),
        [20.0, 0.0, 30.0, 0.0].map(Some)
    );
}

#[test]
fn another_chart_shows_the_same_step_if_it_is_over_steps() {
    let one = scene(vec![curve("a", &[0.5; 4])], &[]);
    let elsewhere = Pointer { chart: "gap", ..pointer(20.0, Some(3.0)) };
    let seen = one.overlay("loss", Some(&elsewhere), &RunHistory::default());
    assert!(seen.text.starts_with("step 20: a 0.5") && seen.markup.contains("x1=\"50.0\""));
    let other = Pointer { over_steps: false, ..elsewhere };
    assert_eq!(one.overlay("loss", Some(&other), &RunHistory::default()), CrosshairOverlay::default());
    let beyond = Pointer { x: 50.0, ..elsewhere };
    assert_eq!(one.overlay("loss", Some(&beyond), &RunHistory::default()).text, "", "it is not shown there");
}

#[test]
fn the_nearest_replica_is_named_and_drawn() {
    let mut history = RunHistory::default();
    for step in 0..5 {
        history.push(Measurement { step: 10 * step, test_loss: vec![0.2, 0.8, 0.5], ..Default::default() });
    }
    let each = Some(ReplicaCurves::all_replicas(ReplicaMeasure::TestLoss));
    let median = Series { replica_curves: each, band: vec![(0.2, 0.8); 5], ..curve("held-out", &[0.5; 5]) };
    let many = scene(vec![median], &[]);
    let at = |down: f64| many.overlay("loss", Some(&pointer(20.0, Some(down))), &history);
    let low = at(39.0);
    assert_eq!(low.text, "step 20: held-out, replica 1 0.2; held-out 0.5 (0.2 to 0.8)");
    assert!(low.markup.contains("points=\"0.0,40.0 25.0,40.0 50.0,40.0"), "{}", low.markup);
    assert!(at(12.0).text.contains("replica 2 0.8"));
    let none = many.overlay("loss", Some(&pointer(20.0, None)), &history);
    assert_eq!(none.text, "step 20: held-out 0.5 (0.2 to 0.8)");
    assert_eq!(many.next_curve_y(20.0, None, true, &history), Some(10.0));
    assert_eq!(many.next_curve_y(20.0, Some(10.0), true, &history), Some(25.0));
    assert_eq!(many.next_curve_y(20.0, Some(25.0), false, &history), Some(10.0));
    assert_eq!(many.next_curve_y(20.0, Some(40.0), true, &history), None);
}

#[test]
fn of_a_crowd_the_nearest_speaks_or_all_together() {
    let crowd =
        scene(vec![curve("bits", &[0.2; 3]), curve("bits", &[0.9; 3]), curve("bits", &[0.5; 3])], &[]);
    assert_eq!(overlay_text(&crowd, 10.0, None), "step 10: bits 0.2 to 0.9");
    assert_eq!(overlay_text(&crowd, 10.0, Some(6.0)), "step 10: bits 0.9");
}

#[test]
fn what_is_smoothed_is_read_with_what_was_measured() {
    let smooth = Series { unsmoothed: vec![0.75, 0.25], ..curve("a", &[0.75, 0.5]) };
    assert_eq!(overlay_text(&scene(vec![smooth], &[]), 10.0, None), "step 10: a 0.25, smoothed 0.5");
}

#[test]
fn what_happened_is_marked_and_described_near_its_step() {
    let one = scene(vec![curve("a", &[0.5; 4])], &[(20, "target reached"), (90, "later")]);
    let idle = one.overlay("loss", None, &RunHistory::default());
    assert_eq!((idle.markup.matches("crosshair__mark").count(), idle.text.as_str()), (1, ""));
    assert!(idle.markup.contains("M46.0 42.0H54.0L50.0 50.0Z"), "{}", idle.markup);
    assert_eq!(overlay_text(&one, 20.0, None), "step 20: a 0.5; target reached");
    assert!(!overlay_text(&one, 10.0, None).contains("target"));
}

#[test]
fn names_are_text_and_numbers_as_exact_as_they_are_short() {
    let one = scene(vec![curve("<img onerror=x>", &[0.5])], &[]);
    let seen = one.overlay("loss", Some(&pointer(0.0, Some(9.0))), &RunHistory::default());
    assert!(!seen.markup.contains("<img") && seen.markup.contains("&lt;img"));
    let numbers = [0.0, 0.5, 0.123_456_7, 12.345_678, -3.0, 123_456.0, 0.000_012_3, f32::NAN];
    assert_eq!(numbers.map(format_value), ["0", "0.5", "0.12346", "12.346", "−3", "123456", "1.230e−5", "–"]);
}
