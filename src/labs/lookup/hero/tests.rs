//! The picture shows where the heads look, and what is switched off or named changes the answer as theory says.

use super::*;
use crate::hero_testing::{check_scenes, check_texts, texts};
use vivarium_model::permalink::decode;
use vivarium_plot::scene::{Point, Shape, TargetKind};

/// A run that begins from heads that look up one name each, and from neurons that compute the label.
const SOLVED: &str = "#v1/sparse-token-regression?begin=construction";
/// Runs with every form of the network.
const LINKS: [&str; 4] = [
    "#v1/sparse-token-regression",
    SOLVED,
    "#v1/sparse-token-regression?n=16&dim=4&q=1&g=linear&codes=random&h=1&qk=separate&scores=all&values=token&width=32",
    "#v1/sparse-token-regression?n=12&q=3&h=6&g=network&lists=one",
];

fn frame(now_ms: f64) -> Frame {
    Frame { width: 1400.0, height: 540.0, now_ms, is_still: false }
}

fn spec(link: &str) -> RunSpec {
    decode(link).0.spec
}

/// The label function of two numbers: the sum of their centred squares, divided by √2.
fn squares(numbers: [f64; 2]) -> f64 {
    (numbers[0] * numbers[0] + numbers[1] * numbers[1] - 2.0) / libm::sqrt(2.0)
}

/// The numbers of the shown prompt, all within the range in which the constructed network computes squares.
fn numbers(hero: &LookupHero) -> Vec<f64> {
    let numbers: Vec<f64> = (0..8).map(|at| f64::from(hero.token(at)[0])).collect();
    assert!(numbers.iter().all(|number| number.abs() < 4.0));
    numbers
}

#[test]
fn a_solved_network_looks_up_the_named_numbers() {
    let mut hero = LookupHero::new(&spec(SOLVED)).unwrap();
    assert!(hero.inner_progress().unwrap() > 0.999, "{:?}", hero.inner_progress());
    for question in 0..20 {
        assert_eq!(hero.question, question % 8);
        let (numbers, names) = (numbers(&hero), hero.names(hero.question));
        let answer = hero.answer.clone().unwrap();
        for (head, name) in names.iter().enumerate() {
            assert!(answer.attention[head][*name] > 0.999);
            assert!((hero.read_number(head).unwrap() - numbers[*name]).abs() < 1e-3);
            let words = format!("Head {} attends most to {}: 100.0 %.", head + 1, letter(*name));
            assert!(hero.describe().contains(&words), "{} {words}", hero.describe());
        }
        let label = squares([numbers[names[0]], numbers[names[1]]]);
        assert!((hero.label() - label).abs() < 1e-6);
        assert!((answer.output - label).abs() < 0.03, "{} {label}", answer.output);
        hero.show_next_example(0.0);
    }
    assert_eq!(hero.prompt, 2);
}

#[test]
fn a_head_that_is_off_reads_the_mean_of_all_numbers() {
    let mut hero = LookupHero::new(&spec(SOLVED)).unwrap();
    let (numbers, names) = (numbers(&hero), hero.names(0));
    let before = hero.output();
    let spoken = hero.touch("head-1", Touch::Press, &frame(7.0)).unwrap();
    let mean = numbers.iter().sum::<f64>() / 8.0;
    assert!((hero.read_number(1).unwrap() - mean).abs() < 1e-6);
    let expected = squares([numbers[names[0]], mean]);
    assert!((hero.output() - expected).abs() < 0.03, "{} {expected}", hero.output());
    let words = format!("changed from {} to {};", format_value(before), format_value(hero.output()));
    assert!(spoken.starts_with("Head 2 is off") && spoken.contains(&words), "{spoken} {words}");
    // The arc of the head splits into one for each number; the other head has one.
    let arcs = |now_ms| {
        let scene = hero.scene(&frame(now_ms));
        scene.items.iter().filter(|item| matches!(item.shape, Shape::Curve(_))).count()
    };
    assert_eq!([arcs(7.0), arcs(1000.0)], [2, 9]);
    assert!(hero.touch("head-1", Touch::Press, &frame(2000.0)).unwrap().contains("Head 2 is on"));
    assert!((hero.output() - before).abs() < 1e-12);
}

#[test]
fn a_touched_number_is_named_and_the_answer_follows() {
    let mut hero = LookupHero::new(&spec(SOLVED)).unwrap();
    assert!(hero.touch("question-5", Touch::Press, &frame(0.0)).unwrap().starts_with("Question 6 names "));
    let (numbers, names) = (numbers(&hero), hero.names(5));
    let others: Vec<usize> = (0..8).filter(|position| !names.contains(position)).collect();
    let key = |position: usize| format!("number-{position}");
    assert_eq!(hero.touch(&key(names[0]), Touch::Press, &frame(0.0)), None, "it is named already");
    // The first name is replaced, then the second.
    for (other, expected) in [(others[0], [others[0], names[1]]), (others[3], [others[0], others[3]])] {
        assert!(hero.touch(&key(other), Touch::Press, &frame(0.0)).is_some());
        assert_eq!(hero.names(5), expected);
        let label = squares(expected.map(|name| numbers[name]));
        assert!((hero.label() - label).abs() < 1e-6 && (hero.output() - label).abs() < 0.03);
    }
    for key in ["number-8", "head-2", "question-8", "question-x", "nothing"] {
        assert_eq!(hero.touch(key, Touch::Press, &frame(0.0)), None, "{key}");
    }
}

#[test]
fn answers_are_those_of_the_network() {
    for link in LINKS {
        let spec = spec(link);
        let hero = LookupHero::new(&spec).unwrap();
        let weights = spec.initialize_replicas(1);
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let outputs =
            spec.network().evaluate(&slices, spec.task.examples().inputs(), &hero.row, spec.stage(0));
        assert!((hero.output() - f64::from(outputs[0])).abs() < 1e-5, "{link}");
        for attention in &hero.answer.as_ref().unwrap().attention {
            assert!((attention.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{link}");
        }
        // Random weights attend about uniformly.
        let progress = hero.inner_progress().unwrap();
        assert!(link == SOLVED || progress < 0.5, "{link}: {progress}");
    }
}

#[test]
fn scenes_are_bounded_and_their_targets_disjoint() {
    for link in LINKS {
        let mut hero = LookupHero::new(&spec(link)).unwrap();
        hero.touch("head-0", Touch::Press, &frame(0.0)).unwrap();
        check_texts(&hero);
        for scene in check_scenes(&hero, 0.0, None) {
            let (width, height) = (scene.width, scene.height);
            assert!(scene.items.len() <= 300, "{}", scene.items.len());
            assert_eq!(scene.targets.len(), 2 * hero.length() + hero.is_head_on.len());
            let is_inside = |at: Point| (0.0..=width).contains(&at.x) && (0.0..=height).contains(&at.y);
            for target in &scene.targets {
                let area = target.area;
                assert!(area.width >= 24.0 && area.height >= 24.0, "{link} {width} {target:?}");
                assert!(is_inside(Point::new(area.left, area.top)), "{link} {width} {target:?}");
                assert!(is_inside(Point::new(area.right(), area.bottom())), "{link} {width} {target:?}");
            }
            for item in &scene.items {
                if let Shape::Text { at, text, size, .. } = &item.shape {
                    assert!(is_inside(*at) && *size >= 11.0 && !text.is_empty(), "{link} {width} {text}");
                }
            }
            assert!(scene.targets.iter().any(|target| target.kind == TargetKind::Switch(false)));
            assert!(texts(&scene).contains("thickest arc"));
        }
    }
}

#[test]
fn unusable_weights_do_no_harm() {
    for link in LINKS {
        let mut hero = LookupHero::new(&spec(link)).unwrap();
        let before = hero.answer.clone();
        hero.set_weights(StageProgress::default(), &[], 0.0);
        hero.set_weights(StageProgress::default(), &[vec![1.0], vec![]], 0.0);
        assert_eq!(hero.answer, before);
        let nothing: Vec<Vec<f32>> = hero.lengths.iter().map(|length| vec![f32::NAN; *length]).collect();
        hero.set_weights(StageProgress { step: 3, has_ended: true, has_succeeded: false }, &nothing, 0.0);
        assert!(hero.scene(&frame(0.0)).items.len() > 30);
        assert!(hero.describe().contains("The network answers –;"), "{}", hero.describe());
        for text in [hero.headline(), hero.describe()] {
            assert!(text.starts_with("The run has diverged") && !text.contains("NaN"), "{text}");
        }
        assert!(hero.inner_progress().is_some_and(|progress| (0.0..=1.0).contains(&progress)));
    }
}

#[test]
fn attention_on_short_prompts_has_a_picture() {
    for link in LINKS {
        assert!(has_hero(&spec(link)) && new_hero(&spec(link)).is_some(), "{link}");
        assert!(new_hero(&spec(link)).unwrap().headline().chars().count() <= 90);
    }
    for link in ["?n=100", "?model=token-mlp", "?model=gru", "?model=gated-memory&lists=one"] {
        assert!(!has_hero(&spec(&format!("#v1/sparse-token-regression{link}"))), "{link}");
    }
    assert!(!has_hero(&spec("#v1/sparse-parity")));
}
