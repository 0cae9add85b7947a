//! The picture shows what the network and the methods compute, and what is dragged changes it as they answer.

use super::*;
use crate::hero_testing::{check_scenes, check_texts, texts};
use vivarium_model::permalink::decode;
use vivarium_plot::scene::{Ink, Point, Shape, Target};

/// Runs on functions of one number and of several, with every form of the network.
const LINKS: [&str; 5] = [
    "#v1/in-context-learning",
    "#v1/in-context-learning?class=linear&dim=5&const=no&points=9&format=joint",
    "#v1/in-context-learning?class=tree&dim=3&splits=2&points=6&width=8&attend=relu&norm=layer&act=gelu&pos=none",
    "#v1/in-context-learning?dim=2&const=no&points=21&dist=mixture&heads=4",
    "#v1/in-context-learning?long=33&blocks=1&noise=0.2",
];

fn frame(now_ms: f64) -> Frame {
    Frame { width: 1400.0, height: 540.0, now_ms, is_still: false }
}

fn spec(link: &str) -> RunSpec {
    decode(link).0.spec
}

/// Initial weights, each changed by up to a third, so that gains are not all 1.
fn changed_weights(spec: &RunSpec) -> Vec<Vec<f32>> {
    let change = |(at, weight): (usize, f32)| weight * (1.0 + 0.33 * libm::sinf(at as f32));
    let tensors = spec.initialize_replicas(1).into_iter();
    tensors.map(|tensor| tensor.into_iter().enumerate().map(change).collect()).collect()
}

/// The answer of the model's own evaluation for a query after the examples of the picture.
fn reference_answer(hero: &InContextHero, weights: &[Vec<f32>], query: &[f64]) -> f64 {
    let shown = hero.shown_examples();
    let inputs = shown.iter().flat_map(|example| &example.x).chain(query);
    let labels = shown.iter().map(|example| &example.y).chain(&[0.0]);
    let row: Vec<f32> = inputs.chain(labels).map(|number| *number as f32).collect();
    let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    *hero.network.plain(&slices).outputs(&row).last().unwrap()
}

/// Position of a target's centre in the picture.
fn centre_of(hero: &InContextHero, key: &str) -> Point {
    let scene = hero.scene(&frame(0.0));
    scene.targets.iter().find(|target| target.key == key).unwrap().area.centre()
}

#[test]
fn curves_are_the_predictions_of_the_network() {
    for link in LINKS {
        let spec = spec(link);
        let (weights, mut hero) = (changed_weights(&spec), InContextHero::new(&spec).unwrap());
        hero.set_weights(StageProgress { step: 7, ..StageProgress::default() }, &weights, 0.0);
        for _ in 0..3 {
            let curve = hero.network_curve.clone().unwrap();
            let expected = reference_answer(&hero, &weights, &hero.query);
            assert!((curve.at_query - expected).abs() < 1e-9, "{link}: {} {expected}", curve.at_query);
            for (input, value) in hero.curve_inputs().iter().zip(&curve.values).step_by(7) {
                let expected = reference_answer(&hero, &weights, input);
                // The row of the model has single precision.
                assert!(
                    (value - expected).abs() < 1e-4 * (1.0 + expected.abs()),
                    "{link}: {value} {expected}"
                );
            }
            let words = format!("the network predicts {}.", format_value(curve.at_query));
            assert!(hero.describe().contains(&words), "{} {words}", hero.describe());
            assert_eq!(hero.attention.len(), hero.example_count);
            hero.show_next_example(0.0);
        }
    }
}

#[test]
fn a_network_of_zeros_predicts_zero_and_attends_uniformly() {
    let spec = spec(LINKS[0]);
    let mut hero = InContextHero::new(&spec).unwrap();
    let zeros: Vec<Vec<f32>> = hero.lengths.iter().map(|length| vec![0.0; *length]).collect();
    hero.set_weights(StageProgress::default(), &zeros, 0.0);
    assert!(hero.describe().contains("the network predicts 0.00."), "{}", hero.describe());
    assert_eq!(hero.attention.len(), 16);
    // 16 examples of two tokens, and the query's own token.
    assert!(hero.attention.iter().all(|attention| (attention - 2.0 / 33.0).abs() < 1e-12));
    let lines = hero.scene(&frame(1e6)).items.into_iter().filter(|item| {
        let is_solid = item.stroke.is_some_and(|line| line.colour.ink == Ink::Mark && line.dash.is_none());
        is_solid && matches!(item.shape, Shape::Path(_))
    });
    assert_eq!(lines.count(), 16);
}

#[test]
fn a_dragged_point_changes_least_squares_as_its_formula_says() {
    let spec = spec("#v1/in-context-learning?class=linear&dim=1&const=no&points=11&s=1");
    let mut hero = InContextHero::new(&spec).unwrap();
    assert_eq!(hero.methods[0], Baseline::LeastSquares);
    let truth = hero.true_curve.clone().unwrap();
    assert!((hero.method_curves[0].at_query - truth.at_query).abs() < 1e-4, "without noise it is exact");
    let (old, from) = (hero.examples[2].clone(), centre_of(&hero, "example-2"));
    let to = Point::new(from.x + 20.0, if from.y > 250.0 { from.y - 60.0 } else { from.y + 60.0 });
    let spoken = hero.touch("example-2", Touch::Drag(to), &frame(5.0)).unwrap();
    assert!(centre_of(&hero, "example-2").distance(to) < 0.01);
    assert!(hero.examples[2].x[0] > old.x[0] && hero.examples[2].y != old.y);
    let sum = |value: fn(&Example) -> f64| hero.examples.iter().map(value).sum::<f64>();
    let slope = sum(|example| example.x[0] * example.y) / sum(|example| example.x[0] * example.x[0]);
    let expected = slope * hero.query[0];
    assert!((hero.method_curves[0].at_query - expected).abs() < 1e-9);
    assert!(spoken.contains(&format!("least squares {}", format_value(expected))), "{spoken}");
    assert!(!spoken.contains("true function") && hero.true_curve.is_none());
    // The curve is there at once, and passes through the query's prediction.
    assert_eq!(hero.method_curves[0].shown(0.0), hero.method_curves[0].values);
    let end = hero.positions().len() - 1;
    assert!((hero.method_curves[0].values[end] - slope * hero.limits[0]).abs() < 1e-9);
}

#[test]
fn keys_move_points_and_the_query_and_buttons_change_their_number() {
    let spec = spec(LINKS[0]);
    let weights = changed_weights(&spec);
    let mut hero = InContextHero::new(&spec).unwrap();
    hero.set_weights(StageProgress::default(), &weights, 0.0);
    let y = hero.examples[0].y;
    let up = Touch::Nudge { x: 0.0, y: -1.0, fine: false };
    assert!(hero.touch("example-0", up, &frame(0.0)).is_some());
    assert!((hero.examples[0].y - y - 0.04 * hero.limits[1]).abs() < 1e-9);
    let (x, before) = (hero.query[0], hero.answer());
    let left = Touch::Nudge { x: -1.0, y: 0.0, fine: true };
    let spoken = hero.touch("query", left, &frame(0.0)).unwrap();
    assert!((hero.query[0] - x + 0.004 * hero.limits[0]).abs() < 1e-9);
    let words = format!("from {} to {}.", format_value(before), format_value(hero.answer()));
    assert!(spoken.contains(&words), "{spoken} {words}");
    assert_eq!(hero.touch("add", Touch::Press, &frame(0.0)), None, "all points are there");
    assert!(hero.touch("remove", Touch::Press, &frame(0.0)).unwrap().contains("examples: 15."));
    assert!((hero.answer() - reference_answer(&hero, &weights, &hero.query)).abs() < 1e-4);
    assert!(hero.touch("add", Touch::Press, &frame(0.0)).unwrap().contains("examples: 16."));
    assert!(hero.touch("another", Touch::Press, &frame(0.0)).is_some() && hero.prompt == 1);
    for key in ["example-16", "example-x", "nothing"] {
        assert_eq!(hero.touch(key, up, &frame(0.0)), None, "{key}");
    }
    let nowhere = Touch::Drag(Point::new(f32::NAN, 0.0));
    assert_eq!(hero.touch("example-0", nowhere, &frame(0.0)), None);
    while hero.touch("remove", Touch::Press, &frame(0.0)).is_some() {}
    assert_eq!(hero.example_count, 1);
}

#[test]
fn examples_are_added_until_the_prompt_is_full() {
    let mut hero = InContextHero::new(&spec(LINKS[0])).unwrap();
    let shown: Vec<(usize, usize)> = (0..10)
        .map(|_| {
            hero.show_next_example(0.0);
            (hero.prompt, hero.example_count)
        })
        .collect();
    assert_eq!(shown[..3], [(1, 2), (1, 4), (1, 6)]);
    assert_eq!(shown[7..], [(1, 16), (2, 2), (2, 4)]);
}

#[test]
fn scenes_are_bounded_and_every_target_is_hit_at_its_centre() {
    for link in LINKS {
        let hero = InContextHero::new(&spec(link)).unwrap();
        check_texts(&hero);
        for scene in check_scenes(&hero, 0.0, Some("example-")) {
            assert!(scene.items.len() <= 300, "{}", scene.items.len());
            let (examples, others): (Vec<&Target>, Vec<&Target>) =
                scene.targets.iter().partition(|target| target.key.starts_with("example-"));
            // Query and two buttons: nothing can be added.
            assert_eq!((examples.len(), others.len()), (hero.example_count, 3));
            // Only examples, which can be dragged onto each other, may overlap.
            for example in examples {
                assert_eq!(scene.target_at(example.area.centre()).unwrap().key, example.key);
                for other in &others {
                    assert!(!example.area.overlaps(&other.area), "{} {}", example.key, other.key);
                }
            }
            for target in &scene.targets {
                assert!(target.area.width >= 24.0 && target.area.height >= 24.0, "{link} {target:?}");
            }
            for item in &scene.items {
                if let Shape::Text { text, size, .. } = &item.shape {
                    assert!(*size >= 11.0 && !text.is_empty(), "{link} {text}");
                }
            }
            assert!(texts(&scene).contains("points"));
        }
    }
}

/// The methods have the names of the charts: a ridge regression with a constant is another method than one without.
#[test]
fn methods_have_their_own_names() {
    for (link, name) in [
        (LINKS[0], "ridge on (x, 1)"),
        ("#v1/in-context-learning?class=linear&noise=0.5", "ridge"),
        (LINKS[1], "least squares"),
    ] {
        let hero = InContextHero::new(&spec(link)).unwrap();
        let first = super::super::baselines::baseline_name(hero.methods[0]);
        assert_eq!(method_name(hero.methods[0]), first.to_lowercase(), "{link}");
        assert_eq!(method_name(hero.methods[0]), name, "{link}");
        assert!(texts(&hero.scene(&frame(0.0))).contains(&format!("{name}\n")), "{link}");
        assert!(hero.describe().contains(&format!("{name} ")), "{}", hero.describe());
    }
}

#[test]
fn unusable_weights_do_no_harm() {
    for link in LINKS {
        let mut hero = InContextHero::new(&spec(link)).unwrap();
        let before = hero.network_curve.clone();
        hero.set_weights(StageProgress::default(), &[], 0.0);
        hero.set_weights(StageProgress::default(), &[vec![1.0], vec![]], 0.0);
        assert_eq!(hero.network_curve, before);
        let nothing: Vec<Vec<f32>> = hero.lengths.iter().map(|length| vec![f32::NAN; *length]).collect();
        hero.set_weights(StageProgress { step: 3, has_ended: true, has_succeeded: true }, &nothing, 0.0);
        assert!(hero.scene(&frame(0.0)).items.len() > 30);
        assert!(hero.describe().contains("the network predicts –"), "{}", hero.describe());
        for text in [hero.headline(), hero.describe()] {
            assert!(text.starts_with("The run has diverged") && !text.contains("NaN"), "{text}");
        }
    }
}

#[test]
fn curves_end_where_they_leave_the_plot() {
    let points = [0.0, 50.0, 150.0, 150.0, 50.0, f32::NAN, 40.0].map(|y| Point::new(y, y));
    let pieces = picture::pieces_between(&points, 10.0, 100.0);
    let ends: Vec<Vec<f32>> =
        pieces.iter().map(|piece| piece.iter().map(|point| point.y).collect()).collect();
    assert_eq!(ends, [vec![10.0, 50.0, 100.0], vec![100.0, 50.0]]);
}

#[test]
fn small_transformers_on_points_have_a_picture() {
    for link in LINKS {
        assert!(has_hero(&spec(link)), "{link}");
    }
    assert!(new_hero(&spec("#v1/in-context-learning?blocks=4")).is_some());
    for link in ["#v1/in-context-learning?blocks=4&width=256&heads=8&dmlp=1024", "#v1/sparse-parity"] {
        assert!(!has_hero(&spec(link)), "{link}");
    }
}
