//! The picture shows the weights in the tokens, and moved points give the curve that gradient descent on them gives.

use super::*;
use crate::hero_testing::{check_scenes, check_texts, texts};
use vivarium_model::permalink::decode;
use vivarium_plot::scene::Shape;
use vivarium_science::descent::DescentComparison;

/// The link of the lab's first run: a 2-8-8-1 network of ReLUs on 16 points of sin(2x).
const LINK: &str = "#v1/in-context-regression";

/// A picture of a laptop's size.
const WIDE: Frame = Frame { width: 1400.0, height: 540.0, now_ms: 0.0, is_still: false };

/// Settings and picture of the run of a link.
fn hero(link: &str) -> (RunSpec, DescentHero) {
    let spec = decode(link).0.spec;
    let hero = DescentHero::new(&spec).unwrap();
    (spec, hero)
}

/// A comparison of the transformer with direct descent on these examples, after some steps.
fn compare(hero: &DescentHero, examples: &DescentExamples, steps: u64) -> DescentComparison {
    let mut comparison = DescentComparison::new(&hero.plan, examples.clone(), &hero.start);
    (0..steps).for_each(|_| comparison.step());
    comparison
}

/// Gives the picture the weights of the run after some steps.
fn run_to(hero: &mut DescentHero, steps: u64, has_ended: bool) -> DescentComparison {
    let comparison = compare(hero, &hero.original.clone(), steps);
    let progress = StageProgress { step: steps, has_ended, has_succeeded: false };
    hero.set_weights(progress, &comparison.state().to_tensors(), 0.0);
    comparison
}

#[test]
fn losses_curves_and_layers_are_those_of_the_transformer() {
    for link in ["", "?act=tanh", "?hidden=6.6.6.6.6", "?const=no"] {
        let (_, mut hero) = hero(&format!("{LINK}{link}"));
        let mut comparison = run_to(&mut hero, 20, false);
        let measures = comparison.measure();
        let network = hero.plan.network.clone();
        let output = |w: &[f64], x: f64| {
            let input = if link == "?const=no" { vec![x] } else { vec![x, 1.0] };
            network.compute_output(w, &input)[0]
        };
        let tokens = comparison.state().tokens.clone();
        for at in 0..16 {
            let [x, _] = point_of(&hero.examples, at);
            assert_eq!(hero.numbers.outputs[at], output(&tokens, x), "{link}");
        }
        assert_eq!(hero.numbers.curve.len(), 65);
        assert_eq!(hero.numbers.curve[32], output(&tokens, 0.0), "{link}");
        assert_eq!(hero.numbers.curve[64], output(&tokens, hero.frame.max_x), "{link}");
        assert_eq!(hero.numbers.direct_curve[10], {
            let x = hero.frame.max_x * (20.0 / 64.0 - 1.0);
            output(&comparison.state().direct, x)
        });
        comparison.step();
        let next = comparison.measure();
        let expected = [measures.token_loss, measures.direct_loss, next.token_loss];
        for (loss, expected) in hero.numbers.losses.iter().zip(expected) {
            assert!((loss - expected).abs() < 1e-12, "{link}: {:?} {expected}", hero.numbers.losses);
        }
        // The last forward layer writes the output, and the layer after the slopes twice its error.
        let last = network.layer_count();
        let [x, label] = point_of(&hero.examples, 0);
        let error = 2.0 * (output(&tokens, x) - label);
        let [p, g] = [last - 1, last + 1].map(|layer| f64::from(hero.numbers.written[layer][0]));
        let is_exact = (p - output(&tokens, x)).abs() < 0.1 && (g - error).abs() < 0.2;
        assert!(is_exact, "{link}: {p} {g} {error}");
        assert!(hero.numbers.written.iter().all(|values| !values.is_empty()));
    }
}

#[test]
fn a_moved_point_gives_the_curve_of_descent_on_it() {
    let (_, mut hero) = hero(LINK);
    run_to(&mut hero, 60, true);
    let (before, at) = (hero.numbers.clone(), 3);
    let [x, label] = point_of(&hero.examples, at);
    let spoken = hero.touch("point-3", Touch::Nudge { x: 0.0, y: -1.0, fine: false }, &WIDE).unwrap();
    let moved = round_coordinate(label + hero.frame.max_y / 25.0);
    assert_eq!(point_of(&hero.examples, at), [x, moved]);
    for _ in 0..20 {
        hero.touch("point-3", Touch::Nudge { x: 0.0, y: -1.0, fine: false }, &WIDE);
    }
    let moved = point_of(&hero.examples, at)[1];
    assert!(moved > label + 1.0 && moved < hero.frame.max_y, "{moved}");
    let expected = compare(&hero, &hero.examples.clone(), 60);
    assert_eq!(hero.step(), 60);
    assert_eq!(hero.changed.as_ref().unwrap().direct, expected.state().direct);
    let loss = expected.measure().token_loss;
    assert!((hero.numbers.losses[0] - loss).abs() < 1e-9, "{loss} {:?}", hero.numbers.losses);
    // The curve has moved towards the point.
    assert!(hero.numbers.outputs[at] > before.outputs[at] + 0.05, "{:?}", hero.numbers.outputs);
    let begin = format!(
        "Point 4 is at {}. After 60 steps",
        format_label(round_coordinate(label + hero.frame.max_y / 25.0))
    );
    assert!(spoken.starts_with(&begin), "{spoken}");
    assert!(spoken.ends_with(&format!("it was {}.", format_decimal(before.losses[0] as f32))), "{spoken}");
    // The run's later steps are made on the moved points too.
    run_to(&mut hero, 70, true);
    assert_eq!(hero.step(), 70);
    assert_eq!(
        hero.changed.as_ref().unwrap().direct,
        compare(&hero, &hero.examples.clone(), 70).state().direct
    );
    assert!(hero.touch("restore", Touch::Press, &WIDE).unwrap().starts_with("All points"));
    assert_eq!((hero.step(), &hero.examples), (70, &hero.original));
    assert_eq!(hero.touch("restore", Touch::Press, &WIDE), None);
}

#[test]
fn a_point_is_dragged_to_the_pointer() {
    let (_, mut hero) = hero(LINK);
    for (width, height) in [(1400.0, 540.0), (390.0, 460.0)] {
        let frame = Frame { width, height, ..WIDE };
        let target = |hero: &DescentHero, key: &str| {
            let scene = hero.scene(&frame);
            scene.targets.into_iter().find(|target| target.key == key).map(|target| target.area.centre())
        };
        let from = target(&hero, "point-0").unwrap();
        let to = vivarium_plot::scene::Point::new(from.x + 30.0, from.y + 40.0);
        assert!(hero.touch("point-0", Touch::Drag(to), &frame).is_some());
        let now = target(&hero, "point-0").unwrap();
        assert!((now.x - from.x).abs() < 0.01 && (now.y - to.y).abs() < 0.5, "{now:?} {to:?}");
        // Steps are made even if the run has none.
        assert_eq!(hero.step(), MIN_CHANGED_STEPS);
        let far = vivarium_plot::scene::Point::new(0.0, -9e6);
        hero.touch("point-0", Touch::Drag(far), &frame);
        assert!(point_of(&hero.examples, 0)[1] < hero.frame.max_y);
    }
    assert_eq!(hero.touch("point-16", Touch::Drag(Default::default()), &WIDE), None);
    assert_eq!(hero.touch("point-3", Touch::Nudge { x: 1.0, y: 0.0, fine: false }, &WIDE), None);
}

#[test]
fn a_chosen_layer_says_the_loss_after_it() {
    let (_, mut hero) = hero(LINK);
    run_to(&mut hero, 3, false);
    let [loss, _, next] = hero.numbers.losses.map(|loss| format_decimal(loss as f32));
    assert!(hero.numbers.losses[2] < hero.numbers.losses[0]);
    let spoken = hero.touch("layer-3", Touch::Press, &WIDE).unwrap();
    assert_eq!(
        spoken,
        format!("Layer 4 of 10: slopes. The weights have not changed yet, and the loss is still {loss}.")
    );
    let spoken = hero.touch("layer-8", Touch::Press, &WIDE).unwrap();
    assert_eq!(
        spoken,
        format!("Layer 9 of 10: step. The loss was {loss} before this step; now it is {next}.")
    );
    assert!(hero.touch("layer-8", Touch::Press, &WIDE).is_some() && hero.layer.is_none());
    assert_eq!(hero.touch("layer-10", Touch::Press, &WIDE), None);
}

/// With a chosen layer that moves the weights, the picture shows both descents after the same number of steps.
#[test]
fn both_descents_are_shown_after_the_same_step() {
    let (_, mut hero) = hero(LINK);
    run_to(&mut hero, 3, false);
    let [now, next] = [3, 4].map(|steps| compare(&hero, &hero.original.clone(), steps));
    let words = |loss: f64| format_decimal(loss as f32);
    for (layer, comparison, line) in
        [("layer-3", &now, "step 3: 30 layers so far"), ("layer-8", &next, "in step 4: 39 layers so far")]
    {
        hero.touch(layer, Touch::Press, &WIDE).unwrap();
        let measures = comparison.measure();
        let [loss, direct] = hero.shown_losses();
        assert!((loss - measures.token_loss).abs() < 1e-12, "{layer}: {loss}");
        assert!((direct - measures.direct_loss).abs() < 1e-12, "{layer}: {direct}");
        let [curve, direct_curve] = hero.shown_curves();
        let state = comparison.state();
        assert_eq!(direct_curve, hero.compute_curve(&state.direct), "{layer}");
        for (output, expected) in curve.iter().zip(hero.compute_curve(&state.tokens)) {
            assert!((output - expected).abs() < 1e-9, "{layer}: {output} {expected}");
        }
        for (at, output) in hero.shown_outputs().iter().enumerate() {
            let x = point_of(&hero.examples, at)[0];
            assert!((output - hero.output(&state.tokens, x)).abs() < 1e-9, "{layer}");
        }
        let scene = texts(&hero.scene(&WIDE));
        assert!(scene.contains(line), "{layer}: {scene}");
        assert!(scene.contains(&format!("loss {}, at the start", words(measures.token_loss))), "{scene}");
        assert!(
            scene.contains(&format!("ordinary gradient descent, loss {};", words(measures.direct_loss))),
            "{scene}"
        );
        check_scenes(&hero, 100.0, None);
        hero.touch(layer, Touch::Press, &WIDE).unwrap();
    }
}

#[test]
fn scenes_are_bounded_and_their_targets_disjoint() {
    for link in ["", "?hidden=6.6.6.6.6", "?f=points&points=-1:0.5_0.25:2_0.26:1_1:-1", "?spread=normal"] {
        let (_, mut hero) = hero(&format!("{LINK}{link}"));
        run_to(&mut hero, 30, false);
        hero.touch("point-1", Touch::Nudge { x: 0.0, y: 1.0, fine: false }, &WIDE);
        check_texts(&hero);
        let scenes = [0.0, 700.0, 1500.0].map(|now_ms| check_scenes(&hero, now_ms, None));
        for scene in scenes.into_iter().flatten() {
            assert!(scene.items.len() <= 600, "{}", scene.items.len());
            for item in &scene.items {
                if let Shape::Text { text, size, .. } = &item.shape {
                    assert!(*size >= 11.0, "{text}");
                }
            }
            let count =
                |prefix: &str| scene.targets.iter().filter(|target| target.key.starts_with(prefix)).count();
            let (points, layers) = (count("point-"), count("layer-"));
            assert!(points >= 2 && layers == hero.layer_count(), "{points} {layers}");
            for target in &scene.targets {
                assert!(target.area.width >= 23.9 && target.area.height >= 24.0, "{target:?}");
            }
            assert!(texts(&scene).contains("layers so far"));
        }
    }
}

#[test]
fn numbers_that_are_none_are_not_drawn() {
    let (_, mut hero) = hero(LINK);
    let start = hero.numbers.curve.clone();
    for weights in [vec![], vec![vec![1.0]; 4], vec![vec![0.0; 3]; 3]] {
        hero.set_weights(StageProgress { step: 9, ..StageProgress::default() }, &weights, 0.0);
        assert_eq!(hero.numbers.curve, start);
    }
    let mut weights = hero.run.to_tensors().to_vec();
    weights.iter_mut().flatten().for_each(|value| *value = f32::NAN);
    hero.set_weights(StageProgress { step: 9, ..StageProgress::default() }, &weights, 0.0);
    for text in [hero.headline(), hero.describe(), texts(&hero.scene(&WIDE))] {
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
    for text in [hero.headline(), hero.describe()] {
        assert!(text.starts_with("The run has diverged"), "{text}");
    }
    check_texts(&hero);
    hero.show_next_example(0.0);
    assert!(hero.numbers.curve.iter().all(|y| y.is_nan()));
}

#[test]
fn sentences_follow_the_run() {
    let (_, mut hero) = hero(LINK);
    assert_eq!(hero.headline(), "10 layers of a transformer do one step of gradient descent. Drag a point.");
    let comparison = run_to(&mut hero, 100, true);
    assert!(hero.headline().starts_with("1,000 layers have bent the curve"), "{}", hero.headline());
    let loss = format_decimal(comparison.measure().token_loss as f32);
    let begin =
        format!("Step 100 of 100. The loss of the weights in the tokens is {loss}; at the start it was ");
    assert!(hero.describe().starts_with(&begin), "{}", hero.describe());
    assert!(hero.describe().contains("Example 1: x is −1.50"), "{}", hero.describe());
    hero.show_next_example(0.0);
    assert!(hero.describe().contains("Example 2: "), "{}", hero.describe());
    let (_, mut frozen) = self::hero("#v1/in-context-regression?w0=0");
    run_to(&mut frozen, 100, true);
    assert!(
        frozen.headline().starts_with("The curve has not moved in 1,000 layers"),
        "{}",
        frozen.headline()
    );
}

#[test]
fn small_networks_on_points_of_a_plane_have_a_picture() {
    let has = |link: &str| {
        let spec = decode(&format!("{LINK}{link}")).0.spec;
        assert_eq!(has_hero(&spec), new_hero(&spec).is_some(), "{link}");
        has_hero(&spec)
    };
    for link in
        ["", "?act=tanh", "?hidden=6.6.6.6.6", "?w0=0", "?out=same", "?qy=7", "?order=shuffled", "?f=network"]
    {
        assert!(has(link), "{link}");
    }
    for link in ["?dim=3", "?n=512", "?hidden=64.64"] {
        assert!(!has(link), "{link}");
    }
    assert!(!has_hero(&decode("#v1/sparse-parity").0.spec));
}
