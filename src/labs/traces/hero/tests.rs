//! The picture shows to which steps the network attends, and touches choose steps, heads and traces.

use super::*;
use crate::hero_testing::{check_scenes, check_texts, texts};
use vivarium_model::permalink::decode;
use vivarium_plot::scene::{Point, Shape};

/// A machine with a random next state, and a network of one layer and one head.
const LINK: &str = "#v1/machine-traces?next=lot&t=32&d=4&heads=1&norm=none&mlp=off";

fn frame(now_ms: f64) -> Frame {
    Frame { width: 1400.0, height: 540.0, now_ms, is_still: false }
}

fn hero(link: &str) -> TracesHero {
    TracesHero::new(&decode(link).0.spec).unwrap()
}

/// Weights of a network that predicts the symbol that was written four steps before the predicted step: its query attends
/// the token three places earlier, whose written symbol is in component 2 of the embedding.
fn four_steps_back(spec: &RunSpec) -> Vec<Vec<f32>> {
    let (d, tokens) = (4, 8);
    let tensor = |parameter: &vivarium_model::models::Parameter| {
        let mut values = vec![0.0; parameter.len()];
        match parameter.name.as_str() {
            "embed" => {
                for token in 0..tokens {
                    values[token * d] = 1.0;
                    // The lowest bit of the state is the symbol that the machine writes.
                    values[token * d + 2] = if token / 2 % 2 == 1 { 1.0 } else { -1.0 };
                }
            }
            "query1" => values[0] = 1.0,
            "value1" => values[2 * d + 1] = 1.0,
            "distances1" => values[3 * d] = 100.0,
            "readout" => {
                for token in 0..tokens {
                    values[tokens + token] = if token % 2 == 1 { 5.0 } else { -5.0 };
                }
            }
            _ => {}
        }
        values
    };
    spec.architecture().parameters(spec.task.examples().inputs(), 1).iter().map(tensor).collect()
}

/// A hero after the end of a run with the weights of [`four_steps_back`].
fn solved() -> TracesHero {
    let mut hero = hero(LINK);
    let weights = four_steps_back(&decode(LINK).0.spec);
    hero.set_weights(StageProgress { step: 1500, has_ended: true, has_succeeded: false }, &weights, 0.0);
    hero
}

#[test]
fn attention_is_on_the_last_write_exactly_where_it_was_four_steps_ago() {
    let mut hero = solved();
    let mut equal = 0;
    hero.choose(1, 0.0);
    for step in 2..=32 {
        let spoken = hero.touch("step", Touch::Nudge { x: 1.0, y: 0.0, fine: false }, &frame(0.0)).unwrap();
        assert_eq!(hero.step, step);
        assert!(spoken.starts_with(&format!("To predict step {step}, the head attends step ")), "{spoken}");
        if step < 4 {
            continue;
        }
        let attended = hero.attended();
        assert_eq!((attended.len(), attended[0].0), (1, step - 4));
        assert!(attended[0].1 > 0.999);
        let written = hero.positions[step].last_write;
        // One arc with a tick, or two arcs of which one is dashed.
        let scene = hero.scene(&frame(5000.0));
        let curves = scene.items.iter().filter(|item| matches!(item.shape, Shape::Curve(_)));
        let dashed = curves.clone().filter(|item| item.stroke.is_some_and(|stroke| stroke.dash.is_some()));
        let is_equal = written == Some(step - 4);
        let expected = if is_equal || written.is_none() { (1, 0) } else { (2, 1) };
        assert_eq!((curves.clone().count(), dashed.count()), expected, "{step}");
        if is_equal {
            equal += 1;
            let symbol = hero.symbol(step);
            let words = format!("attends step {0}; last write {0}. The answer {symbol} is right.", step - 4);
            assert!(spoken.contains(&words), "{spoken} {words}");
        }
    }
    assert!(equal > 0);
    assert_eq!(hero.touch("step", Touch::Nudge { x: 1.0, y: 0.0, fine: false }, &frame(0.0)), None);
}

/// Progress inside the network is measured on the same traces, whichever trace is shown.
#[test]
fn progress_is_the_mean_over_the_same_traces() {
    let mut hero = solved();
    let (mut equal, mut distant) = (0, 0);
    for number in 0..4 {
        hero.show_trace(number);
        assert_eq!(hero.references[number], hero.positions);
        for step in 1..=32 {
            if let Some(written) = hero.last_write(step).filter(|written| step - written >= 4) {
                (equal, distant) = (equal + usize::from(step - written == 4), distant + 1);
            }
        }
    }
    assert_eq!(hero.references.len(), 4);
    let weights = four_steps_back(&decode(LINK).0.spec);
    for trace in [0, 1, 7] {
        hero.show_trace(trace);
        hero.set_weights(StageProgress::default(), &weights, 0.0);
        let progress = hero.inner_progress().unwrap();
        assert!((progress - equal as f32 / distant as f32).abs() < 1e-4, "{progress} {equal} {distant}");
    }
}

#[test]
fn the_sentence_at_the_end_names_a_last_write_only_if_the_head_attends_to_most_of_them() {
    let mut hero = solved();
    let mut clear = 0;
    for _ in 0..8 {
        let headline = hero.headline();
        clear += usize::from(hero.clearest_step().is_some());
        if let Some((step, written)) = hero.clearest_step().filter(|_| hero.attends_last_writes()) {
            assert_eq!(hero.positions[step].last_write, Some(written));
            assert_eq!(written + 4, step);
            assert!(headline.starts_with(&format!("Drag to step {step}: ")), "{headline}");
        } else {
            assert!(headline.contains("where does head 1.1 look back?"), "{headline}");
        }
        assert!(headline.chars().count() <= 95, "{headline}");
        hero.touch("trace", Touch::Press, &frame(0.0)).unwrap();
    }
    assert!(clear > 0);
    hero.set_weights(StageProgress::default(), &four_steps_back(&decode(LINK).0.spec), 0.0);
    assert!(hero.headline().starts_with("A network watches a Turing machine."));
}

#[test]
fn probabilities_and_counts_are_those_of_the_written_symbols() {
    let hero = solved();
    let mut right = 0;
    let mut all = 0;
    for step in 4..=32 {
        let written = usize::from(hero.positions[step - 4].token) / 2 % 2;
        let one = hero.probability_of_one(step).unwrap();
        // Logits ±5, the same for all states.
        let expected = 1.0 / (1.0 + libm::exp(if written == 1 { -10.0 } else { 10.0 }));
        assert!((one - expected).abs() < 1e-6, "{one} {expected}");
        if hero.positions[step].last_write.is_some() {
            all += 1;
            right += usize::from(written == hero.symbol(step));
        }
    }
    let early = (1..4).filter(|step| hero.positions[*step].last_write.is_some());
    let early: Vec<bool> = early.map(|step| hero.is_right(step).unwrap()).collect();
    right += early.iter().filter(|is_right| **is_right).count();
    assert_eq!(hero.count_right(), (right, all + early.len()));
    let words = format!("predicts {right} of {} symbols on written cells", all + early.len());
    assert!(hero.describe().contains(&words), "{} {words}", hero.describe());
}

#[test]
fn the_handle_follows_the_pointer_to_the_nearest_step() {
    let mut hero = solved();
    for (width, height) in [(1400.0, 540.0), (390.0, 460.0)] {
        let frame = Frame { width, height, now_ms: 0.0, is_still: true };
        hero.touch("step", Touch::Drag(Point::new(-500.0, 100.0)), &frame);
        assert_eq!(hero.step, 1);
        hero.touch("step", Touch::Drag(Point::new(5000.0, 100.0)), &frame);
        assert_eq!(hero.step, 32);
        hero.touch("step", Touch::Nudge { x: 0.0, y: 1.0, fine: true }, &frame);
        assert_eq!(hero.step, 31);
        let before = hero.scene(&frame).targets[0].area.centre();
        hero.choose(9, 0.0);
        assert!(hero.touch("step", Touch::Drag(before), &frame).is_some());
        assert!((30..=32).contains(&hero.step), "{}", hero.step);
    }
    assert_eq!(hero.touch("step", Touch::Drag(Point::new(f32::NAN, 0.0)), &frame(0.0)), None);
    assert_eq!(hero.touch("other", Touch::Press, &frame(0.0)), None);
}

#[test]
fn examples_are_steps_with_distant_last_writes() {
    let mut hero = solved();
    let mut traces = 1;
    for at in 0..40 {
        let (trace, step) = (hero.trace, hero.step);
        hero.show_next_example(at as f64);
        assert!(hero.trace != trace || hero.step > step);
        traces += usize::from(hero.trace != trace);
        let written = hero.positions[hero.step].last_write;
        assert!(hero.step == 1 || written.is_some_and(|written| hero.step - written >= FROM_BACK));
    }
    assert!(traces > 1);
}

#[test]
fn scenes_are_bounded_and_their_targets_disjoint() {
    for link in ["#v1/machine-traces", LINK, "#v1/machine-traces?next=lot&t=80&d=8&heads=2.2"] {
        let mut hero = hero(link);
        check_texts(&hero);
        for step in [1, 20, hero.length()] {
            hero.choose(step, 0.0);
            for scene in check_scenes(&hero, 100.0, None) {
                assert!(scene.items.len() <= 600, "{}", scene.items.len());
                assert_eq!(scene.targets.len(), 3);
                for target in &scene.targets {
                    assert!(target.area.width >= 24.0 && target.area.height >= 24.0, "{target:?}");
                }
                for item in &scene.items {
                    if let Shape::Text { text, size, .. } = &item.shape {
                        assert!(*size >= 11.0, "{text}");
                    }
                }
                assert!(texts(&scene).contains(&format!("step {}", hero.step)));
            }
        }
    }
}

#[test]
fn weights_that_are_no_numbers_or_no_network_are_survived() {
    let mut hero = hero(LINK);
    let mut weights = four_steps_back(&decode(LINK).0.spec);
    hero.set_weights(StageProgress::default(), &[], 0.0);
    hero.set_weights(StageProgress::default(), &weights[1..], 0.0);
    weights.iter_mut().for_each(|tensor| tensor.fill(f32::NAN));
    hero.set_weights(StageProgress::default(), &weights, 0.0);
    assert!(hero.attended().is_empty() && hero.probability_of_one(5).is_none());
    assert_eq!(hero.inner_progress(), None);
    for text in [hero.headline(), hero.describe()] {
        assert!(text.starts_with("The run has diverged") && !text.contains("NaN"), "{text}");
    }
    assert!(!hero.describe().contains("has not been evaluated yet"), "{}", hero.describe());
    check_texts(&hero);
    hero.scene(&frame(0.0));
    hero.show_next_example(0.0);
    assert!(hero.touch("head", Touch::Press, &frame(0.0)).is_some());
}

#[test]
fn heads_are_chosen_in_turn() {
    let mut hero = hero("#v1/machine-traces?next=lot&t=32&d=8&heads=2.1");
    let first = hero.head;
    for at in 1..=3 {
        let spoken = hero.touch("head", Touch::Press, &frame(0.0)).unwrap();
        assert_eq!(hero.head, (first + at) % 3);
        assert!(
            spoken.starts_with(&format!("Head {}. To predict step ", ["1.1", "1.2", "2.1"][hero.head])),
            "{spoken}"
        );
    }
}

#[test]
fn short_traces_and_small_networks_have_a_picture() {
    let has = |link: &str| has_hero(&decode(&format!("#v1/machine-traces{link}")).0.spec);
    assert!(has("") && has("?next=lot&t=32&d=32&heads=4.4&mlp=off") && has("?t=32&d=32&heads=4.4.4&mlp=off"));
    assert!(!has("?t=128") && !has("?d=128"));
    assert!(!has_hero(&decode("#v1/markov").0.spec));
}
