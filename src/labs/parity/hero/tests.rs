//! The picture shows what the network computes, and touches change it as the network answers.

use super::*;
use crate::hero_testing::{check_scenes, check_texts, texts};
use vivarium_model::permalink::decode;
use vivarium_plot::scene::Shape;

/// The link of the runs of these tests.
const LINK: &str = "#v1/sparse-parity?n=20&width=64&seed=5";

/// A picture of a laptop's size at a time.
fn frame(now_ms: f64) -> Frame {
    Frame { width: 1400.0, height: 540.0, now_ms, is_still: false }
}

/// Parameters of a network that computes the parity of the relevant bits exactly: the k + 1 ReLU neurons of a sum of
/// signs, all other neurons 0.
fn solution(spec: &RunSpec) -> Vec<Vec<f32>> {
    let (n, width) = (20, 64);
    let relevant = spec.task.examples().relevant(spec.run.seed);
    let (mut w, mut u, mut b) = (vec![0.0; n * width], vec![0.0; width], vec![0.0; width]);
    // The sum of three signs is 3, 1, −1 or −3, with products 1, −1, 1, −1: a line through the lowest two points, and a
    // turn at each of the two points between.
    for (neuron, (bias, output)) in [(4.0, 1.0), (1.0, -2.0), (-1.0, 2.0)].into_iter().enumerate() {
        for bit in &relevant {
            w[bit * width + neuron] = 1.0;
        }
        (b[neuron], u[neuron]) = (bias, output);
    }
    vec![w, u, b, vec![-2.0]]
}

/// A hero with the weights of [`solution`] after the end of its run.
fn solved() -> (RunSpec, Box<dyn Hero>) {
    let spec = decode(LINK).0.spec;
    let mut hero = new_hero(&spec).unwrap();
    let progress = StageProgress { step: 900, has_ended: true, has_succeeded: true };
    hero.set_weights(progress, &solution(&spec), 0.0);
    (spec, hero)
}

#[test]
fn flipping_a_relevant_bit_turns_the_answer_and_flipping_another_does_not() {
    let (spec, mut hero) = solved();
    let relevant = spec.task.examples().relevant(spec.run.seed);
    for bit in 0..20 {
        let spoken = hero.touch(&format!("bit-{bit}"), Touch::Press, &frame(0.0)).unwrap();
        let has_changed = spoken.contains("from +1.00 to −1.00") || spoken.contains("from −1.00 to +1.00");
        assert_eq!(has_changed, relevant.contains(&bit), "{spoken}");
    }
    assert_eq!(hero.touch("bit-20", Touch::Press, &frame(0.0)), None);
    assert!(hero.headline().starts_with("Flip bit "), "{}", hero.headline());
    assert_eq!(hero.inner_progress(), Some(1.0));
    let bits: Vec<String> = relevant.iter().map(|bit| (bit + 1).to_string()).collect();
    assert!(hero.describe().ends_with(&format!("{}.", join_list(&bits))), "{}", hero.describe());
}

#[test]
fn every_shown_example_has_its_label_and_the_answer_of_the_network() {
    let (spec, mut hero) = solved();
    let mut batch = Batch::default();
    spec.task.sampler().append_held_out(spec.run.seed, 0, 3, &mut batch);
    for label in batch.y {
        let words = format!("label is {}.", format_signed(label, 0));
        assert!(hero.describe().contains(&words), "{} {words}", hero.describe());
        assert!(hero.describe().contains(&format!("answers {}", format_signed(label, 2))));
        hero.show_next_example(0.0);
    }
}

#[test]
fn lines_are_as_thick_as_weights_and_absent_at_zero() {
    let (_, hero) = solved();
    let scene = hero.scene(&frame(10_000.0));
    // Three neurons with three weights of 1 each, three output weights, and nothing else that is a line of a sign's
    // colour but the two marks of the label.
    let signed = scene.items.iter().filter(|item| {
        matches!(&item.shape, Shape::Path(points) if points.len() == 2)
            && item.stroke.is_some_and(|stroke| {
                matches!(
                    stroke.colour.ink,
                    vivarium_plot::scene::Ink::Positive | vivarium_plot::scene::Ink::Negative
                )
            })
    });
    assert_eq!(signed.count(), 9 + 3 + 2);
}

#[test]
fn scenes_are_bounded_and_their_targets_disjoint() {
    let hero = new_hero(&decode(LINK).0.spec).unwrap();
    check_texts(hero.as_ref());
    for scene in check_scenes(hero.as_ref(), 0.0, None) {
        let (width, height) = (scene.width, scene.height);
        assert_eq!(scene.targets.len(), 20);
        for item in &scene.items {
            if let Shape::Text { text, at, .. } = &item.shape {
                let is_inside = (4.0..width - 4.0).contains(&at.x) && (8.0..height - 8.0).contains(&at.y);
                assert!(is_inside, "{text} at {at:?} in {width} × {height}");
            }
        }
        for target in &scene.targets {
            assert!(target.area.width >= 23.0 && target.area.height >= 18.0, "{target:?}");
        }
        assert!(texts(&scene).contains("20 bits: filled is +1"));
    }
}

#[test]
fn a_low_picture_has_no_dots_below_its_numbers() {
    let hero = new_hero(&decode("#v1/sparse-parity?n=50").0.spec).unwrap();
    let dots = |height| {
        let scene = hero.scene(&Frame { width: 390.0, height, now_ms: 0.0, is_still: false });
        scene
            .items
            .iter()
            .filter(|item| matches!(item.shape, Shape::Circle(_, radius) if radius < 3.0))
            .count()
    };
    assert_eq!([dots(300.0), dots(600.0)], [0, 50]);
}

#[test]
fn neurons_move_to_the_order_of_their_size_when_the_run_has_ended() {
    let (_, hero) = solved();
    let centres = |now_ms| {
        let scene = hero.scene(&frame(now_ms));
        let circles = scene.items.iter().filter_map(|item| match item.shape {
            Shape::Circle(at, radius) if radius > 10.0 => Some(at.y),
            _ => None,
        });
        circles.collect::<Vec<f32>>()
    };
    let (early, late) = (centres(0.0), centres(2000.0));
    assert_eq!(late.len(), MAX_NEURONS);
    assert!(late.windows(2).all(|pair| pair[0] < pair[1]), "{late:?}");
    assert_ne!(early, late);
}

#[test]
fn a_run_that_has_diverged_says_so() {
    let spec = decode(LINK).0.spec;
    let mut hero = new_hero(&spec).unwrap();
    assert!(!hero.headline().contains("diverged") && !hero.describe().contains("diverged"));
    let mut weights = spec.initialize_replicas(1);
    weights.iter_mut().for_each(|tensor| tensor.fill(f32::NAN));
    for has_succeeded in [false, true] {
        hero.set_weights(StageProgress { step: 9, has_ended: true, has_succeeded }, &weights, 0.0);
        for text in [hero.headline(), hero.describe()] {
            assert!(text.starts_with("The run has diverged") && !text.contains("NaN"), "{text}");
        }
        check_texts(hero.as_ref());
    }
    assert!(!texts(&hero.scene(&frame(1e4))).contains("NaN"));
}

#[test]
fn only_sums_of_neurons_on_few_bits_have_a_picture() {
    let has = |link: &str| has_hero(&decode(link).0.spec);
    assert!(has(LINK) && has("#v1/sparse-parity?n=50"));
    for link in ["?n=200", "?model=polynet", "?model=parity-transformer", "?model=deep-mlp"] {
        assert!(!has(&format!("#v1/sparse-parity{link}")), "{link}");
    }
}
