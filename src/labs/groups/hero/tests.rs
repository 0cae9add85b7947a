//! The picture shows what the network computes, and touches change it as theory says.

use super::*;
use crate::hero_testing::{check_scenes, check_texts, texts};
use std::f64::consts::{FRAC_PI_2, TAU};
use vivarium_model::permalink::decode;
use vivarium_plot::scene::{Anchor, Area, Point, Shape};

/// Frequencies of the network of [`solution`].
const FREQUENCIES: [usize; 3] = [3, 5, 8];

fn spec(link: &str) -> RunSpec {
    let (link, notices) = decode(link);
    assert!(notices.is_empty(), "{notices:?}");
    link.spec
}

fn frame(now_ms: f64) -> Frame {
    Frame { width: 1400.0, height: 540.0, now_ms, is_still: false }
}

/// Weights of a network whose logits are f(a, b)[c] = 8 Σ_k cos(2πk(a ± b − c)/23): for each frequency k, 16 neurons with
/// the phases of u and v at right angles, and the phase of w their sum.
fn solution(sign: f64) -> Vec<Vec<f32>> {
    let neurons: Vec<(usize, usize, usize)> =
        FREQUENCIES.into_iter().flat_map(|k| (0..16).map(move |at| (k, at / 4, at % 4))).collect();
    let weights = |sign: f64, phase: fn(usize, usize) -> usize| -> Vec<f32> {
        let row = |element: usize| {
            neurons.iter().map(move |(k, first, second)| {
                let angle = sign * TAU * (k * element) as f64 / 23.0;
                (angle + FRAC_PI_2 * phase(*first, *second) as f64).cos() as f32
            })
        };
        (0..23).flat_map(row).collect()
    };
    vec![
        weights(1.0, |first, _| first),
        weights(sign, |_, second| second),
        weights(1.0, |first, second| first + second),
    ]
}

/// The margin of every question in the network of [`solution`] with the waves of these frequencies alone, in words.
fn margin_of(frequencies: &[usize]) -> String {
    let wave =
        |d: usize| -> f64 { frequencies.iter().map(|k| 8.0 * (TAU * (k * d) as f64 / 23.0).cos()).sum() };
    format_signed((wave(0) - (1..23).map(wave).fold(f64::MIN, f64::max)) as f32, 2)
}

/// A picture with the weights of [`solution`] after the end of its run.
fn solved(link: &str, sign: f64) -> GroupsHero {
    let mut hero = GroupsHero::new(&spec(link)).unwrap();
    let progress = StageProgress { step: 600, has_ended: true, has_succeeded: true };
    hero.set_weights(progress, &solution(sign), 1e4);
    hero
}

#[test]
fn the_clocks_of_a_network_of_waves_point_to_the_right_answer() {
    let hero = solved("#v1/groups?width=48", 1.0);
    let spoken = hero.describe();
    let margin = margin_of(&FREQUENCIES);
    assert!(
        spoken.contains(&format!("19 + 15 = 11. The network answers 11; its margin is {margin}.")),
        "{spoken}"
    );
    assert!(spoken.contains("Of all 529 questions, it answers 529 correctly."), "{spoken}");
    for frequency in FREQUENCIES {
        assert!(hero.slots.contains(&frequency), "{:?}", hero.slots);
        assert!((hero.wave_value(frequency, 11) - 8.0).abs() < 1e-3);
        let hand = picture::wave_hand(&hero, frequency);
        let turn = (frequency * (19 + 15) % 23) as f64 / 23.0;
        assert!((f64::from(hand.x) - 8.0 * (TAU * turn).cos()).abs() < 1e-3);
        assert!((f64::from(hand.y) - 8.0 * (TAU * turn).sin()).abs() < 1e-3);
    }
    assert!(hero.inner_progress().unwrap() > 0.999);
    assert!(hero.headline().starts_with("19 + 15 = 11: the clocks agree."), "{}", hero.headline());
    assert!(hero.headline().chars().count() <= 90);
    let difference = solved("#v1/groups?width=48&op=sub", -1.0);
    assert!(
        difference.describe().contains("19 − 15 = 4. The network answers 4;"),
        "{}",
        difference.describe()
    );
}

#[test]
fn touches_change_question_and_answer() {
    let (mut hero, frame) = (solved("#v1/groups?width=48", 1.0), frame(2e4));
    let at = Layout::new(&hero, &frame).cell([5, 20], 23).centre();
    let spoken = hero.touch("table", Touch::Drag(at), &frame).unwrap();
    assert!(spoken.starts_with("5 + 20 = 2. The network's answer changed from 11 to 2;"), "{spoken}");
    assert_eq!(hero.touch("table", Touch::Drag(at), &frame), None);
    let right = Touch::Nudge { x: 1.0, y: 0.0, fine: false };
    let spoken = hero.touch("a", right, &frame).unwrap();
    assert!(spoken.starts_with("6 + 20 = 3. The network's answer changed from 2 to 3;"), "{spoken}");
    let at = Layout::new(&hero, &frame).cell([0, 22], 23).centre();
    let spoken = hero.touch("b", Touch::Drag(at), &frame).unwrap();
    assert!(spoken.starts_with("6 + 22 = 5."), "{spoken}");
    let spoken = hero.touch("table", right, &frame).unwrap();
    assert!(spoken.starts_with("6 + 0 = 6."), "{spoken}");

    let spoken = hero.touch("wave-5", Touch::Press, &frame).unwrap();
    let (all, less) = (margin_of(&FREQUENCIES), margin_of(&[3, 8]));
    let expected = format!("Frequency 5 is off. The answer is 6; its margin changed from {all} to {less}.");
    assert_eq!(spoken, expected);
    assert!(hero.touch("wave-5", Touch::Press, &frame).unwrap().ends_with(&format!("from {less} to {all}.")));

    let layout = Layout::new(&hero, &frame);
    let at = Point::new(Layout::answer_x(&layout.bars, 4, 23), layout.bars.centre().y);
    let spoken = hero.touch("answers", Touch::Drag(at), &frame).unwrap();
    assert!(spoken.starts_with("Answer 4: all waves together give "), "{spoken}");
    let value = format_signed((8.0 * (TAU * (3.0 * 2.0) / 23.0).cos()) as f32, 2);
    assert!(spoken.contains(&format!("frequency 3 gives {value}")), "{spoken}");
    for key in ["wave-0", "wave-99", "wave-x", "bit-1", ""] {
        assert_eq!(hero.touch(key, Touch::Press, &frame), None, "{key}");
    }
}

#[test]
fn waves_of_any_table_add_up_to_the_logits() {
    for link in ["#v1/groups?n=8", "#v1/groups?op=symmetric&letters=4&width=100", "#v1/groups?op=random&n=9"]
    {
        let (spec, hero) = (spec(link), GroupsHero::new(&spec(link)).unwrap());
        let weights = spec.initialize_replicas(1);
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let (n, x) = (hero.order(), hero.question.map(|element| element as f32));
        let logits = spec.network().evaluate(&slices, n, &x, 0);
        let mean = logits.iter().sum::<f32>() / n as f32;
        assert_eq!(hero.logits.len(), n);
        for (sum, logit) in hero.logits.iter().zip(&logits) {
            assert!((sum + mean - logit).abs() < 1e-5, "{link}");
        }
    }
}

#[test]
fn the_table_of_a_larger_network_is_computed_in_parts() {
    let spec = spec("#v1/groups?n=31&frac=0.6&lambda=0");
    let mut hero = GroupsHero::new(&spec).unwrap();
    let evaluated = |hero: &GroupsHero| hero.table.iter().filter(|cell| cell.is_finite()).count();
    assert!((100..900).contains(&evaluated(&hero)) && hero.pending == 961 - evaluated(&hero));
    let pending = format!("{} questions have not been evaluated with the weights", hero.pending);
    assert!(hero.describe().contains(&pending), "{} {pending}", hero.describe());
    while hero.pending > 0 {
        hero.show_next_example(0.0);
        let [a, b] = hero.question;
        assert!(!hero.is_training[a * 31 + b] && a > 0 && b > 0);
    }
    assert_eq!(evaluated(&hero), 961);
    assert!(hero.describe().contains("Of all 961 questions, it answers "), "{}", hero.describe());
    let weights = spec.initialize_replicas(1);
    let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
    let x: Vec<f32> = (0..961).flat_map(|pair| [(pair / 31) as f32, (pair % 31) as f32]).collect();
    let outputs = spec.network().evaluate(&slices, 31, &x, 0);
    for (pair, logits) in outputs.chunks(31).enumerate() {
        let right = (pair / 31 + pair % 31) % 31;
        let is_right = logits.iter().enumerate().all(|(c, logit)| c == right || *logit < logits[right]);
        assert_eq!(hero.table[pair] > 0.0, is_right, "{pair}");
    }
    assert_eq!(hero.count_right(true)[1] + hero.count_right(false)[1], 961);
    let joined: usize = hero.held_out_runs.iter().map(|[_, _, count]| count).sum();
    assert_eq!(joined, hero.count_right(false)[1]);
}

/// Area that a text fills, estimated from its number of letters; `None` for other shapes.
fn text_area(shape: &Shape) -> Option<(Area, &str)> {
    let Shape::Text { text, at, size, anchor, .. } = shape else { return None };
    let width = text.chars().count() as f32 * size * 0.52;
    let left = match anchor {
        Anchor::Start => at.x,
        Anchor::Middle => at.x - width / 2.0,
        Anchor::End => at.x - width,
    };
    assert!(*size >= 11.0, "{text}");
    Some((Area::new(left, at.y - size * 0.45, width, size * 0.9), text.as_str()))
}

/// Checks the scenes of a picture, and that their texts are apart and inside the frame.
fn check_pictures(hero: &GroupsHero, about: &str) {
    for scene in check_scenes(hero, 1e5, None) {
        let (width, height) = (scene.width, scene.height);
        assert!(scene.items.len() <= 600, "{about}: {}", scene.items.len());
        let is_inside = |area: &Area| {
            area.left >= 0.0
                && area.top >= 0.0
                && area.right() <= width + 0.1
                && area.bottom() <= height + 0.1
        };
        let areas: Vec<(Area, &str)> = scene.items.iter().filter_map(|item| text_area(&item.shape)).collect();
        for (at, (area, text)) in areas.iter().enumerate() {
            assert!(is_inside(area), "{about}, {width}: {text} {area:?}");
            for (other, other_text) in &areas[..at] {
                assert!(!area.overlaps(other), "{about}, {width}: {text} / {other_text}");
            }
        }
        for target in &scene.targets {
            assert!(is_inside(&target.area), "{about}, {width}: {target:?}");
            assert!(target.area.width >= 24.0 && target.area.height >= 24.0, "{about}, {width}: {target:?}");
        }
        for item in &scene.items {
            let is_finite = match &item.shape {
                Shape::Path(points) => points.iter().all(|point| point.x.is_finite() && point.y.is_finite()),
                Shape::Circle(centre, _) | Shape::Arc(centre, ..) => {
                    centre.x.is_finite() && centre.y.is_finite()
                }
                Shape::Box(area, _) => {
                    area.left.is_finite() && area.top.is_finite() && area.height.is_finite()
                }
                _ => true,
            };
            assert!(is_finite, "{about}: {item:?}");
        }
    }
}

#[test]
fn scenes_are_bounded_and_their_texts_and_targets_apart() {
    for link in [
        "",
        "?n=31&frac=0.6&lambda=0",
        "?n=113&frac=0.3&width=512",
        "?op=sub&n=7&width=98",
        "?op=symmetric&letters=4&width=400",
        "?op=dihedral&n=5&width=100",
        "?op=alternating&letters=5&width=300",
        "?model=modular-transformer&n=31&frac=0.5&demb=32&dattn=8&dmlp=128",
    ] {
        let mut hero = GroupsHero::new(&spec(&format!("#v1/groups{link}"))).unwrap();
        hero.show_next_example(9e4);
        let middle = frame(1e5);
        check_pictures(&hero, link);
        hero.touch("answers", Touch::Nudge { x: 1.0, y: 0.0, fine: false }, &middle).unwrap();
        hero.touch(&format!("wave-{}", hero.slots[0]), Touch::Press, &middle).unwrap();
        check_pictures(&hero, link);
        check_texts(&hero);
        assert!(hero.headline().chars().count() <= 90, "{}", hero.headline());
    }
    let hero = solved("#v1/groups?width=48", 1.0);
    check_pictures(&hero, "solved");
    check_texts(&hero);
    assert!(texts(&hero.scene(&frame(1e5))).contains("19 + 15 = 11"));
}

#[test]
fn clocks_turn_to_the_next_question_and_bars_follow() {
    let mut hero = solved("#v1/groups?width=48", 1.0);
    hero.show_next_example(5e4);
    let [early, late] = [5e4, 6e4].map(|now_ms| hero.scene(&frame(now_ms)));
    assert_ne!(early, late);
    let still = Frame { is_still: true, ..frame(5e4) };
    assert_eq!(hero.scene(&still), late);
    assert!(hero.question != [19, 15] && !hero.question.contains(&0));
}

#[test]
fn weights_that_are_not_numbers_or_missing_are_drawn_without_values() {
    let spec = spec("#v1/groups?width=48");
    let mut hero = GroupsHero::new(&spec).unwrap();
    let before = hero.describe();
    hero.set_weights(StageProgress { step: 5, ..Default::default() }, &[], 1.0);
    hero.set_weights(StageProgress { step: 5, ..Default::default() }, &[vec![1.0], vec![], vec![]], 1.0);
    assert_eq!(hero.describe(), before);
    let mut weights = spec.initialize_replicas(1);
    for wrong in [f32::NAN, f32::INFINITY, f32::MAX] {
        weights.iter_mut().for_each(|values| values.fill(wrong));
        hero.set_weights(StageProgress { step: 10, ..Default::default() }, &weights, 2e3);
        assert!(hero.describe().contains("answers –; its margin is –."), "{}", hero.describe());
        for text in [hero.headline(), hero.describe()] {
            assert!(text.starts_with("The run has diverged") && !text.contains("NaN"), "{wrong}: {text}");
        }
        assert!(hero.touch("a", Touch::Press, &frame(3e3)).is_some());
        check_pictures(&hero, "not a number");
    }
}

#[test]
fn small_networks_on_pairs_have_a_picture() {
    let has = |link: &str| has_hero(&decode(link).0.spec);
    for link in [
        "",
        "?op=mul&n=31",
        "?op=random&n=31",
        "?op=quaternion",
        "?model=embedding-mlp&n=29&demb=32&width=128&join=concat",
        "?model=modular-transformer&n=31&demb=32&dattn=8&dmlp=128",
    ] {
        assert!(has(&format!("#v1/groups{link}")), "{link}");
        assert!(new_hero(&decode(&format!("#v1/groups{link}")).0.spec).is_some(), "{link}");
    }
    for link in [
        "#v1/groups?op=symmetric&letters=5&width=2000",
        "#v1/groups?model=modular-transformer&n=113",
        "#v1/groups?n=2",
        "#v1/markov",
    ] {
        assert!(!has(link), "{link}");
    }
}
