//! Beams are the attention of the network, answers are its answers, and touches change both as theory says.

use super::*;
use crate::hero_testing::{check_scenes, check_texts};
use vivarium_model::models::cls_transformer::{BIASES, HEAD, KEY, OUT, POSITIONS, TOKENS, VALUE};
use vivarium_model::permalink::decode;
use vivarium_plot::scene::{Anchor, Area, Ink, Point, Shape};

/// AND of bits 2, 5 and 9 of ten bits, for a transformer so small that its solution is written by hand.
const SMALL: &str = "#v1/sparse-boolean?n=10&s=2.5.9&demb=2&heads=1&dmlp=1&ln=no";
/// The three relevant bits of [`SMALL`], from 0.
const RELEVANT: [usize; 3] = [1, 4, 8];
/// x1 XOR (x2 AND x3) of the same bits, for four hidden neurons.
const LAYER: &str = "#v1/sparse-boolean?model=mlp&opt=sgd&fn=own&own=x1_@_(x2_*_x3)&n=10&s=2.5.9&m=0&batch=32&loss=square&width=4";
/// The end of a run that has reached its target.
const SOLVED: StageProgress = StageProgress { step: 100, has_ended: true, has_succeeded: true };

fn spec(link: &str) -> RunSpec {
    let (link, notices) = decode(link);
    assert!(notices.is_empty(), "{notices:?}");
    link.spec
}

fn frame(width: f32, height: f32, now_ms: f64) -> Frame {
    Frame { width, height, now_ms, is_still: false }
}

/// A frame of a laptop's size in which all movements have ended.
fn late() -> Frame {
    frame(1400.0, 540.0, 1e6)
}

fn zeros(spec: &RunSpec) -> Vec<Vec<f32>> {
    let parameters = spec.architecture().parameters(spec.task.examples().inputs(), 1);
    parameters.iter().map(|parameter| vec![0.0; parameter.len()]).collect()
}

/// Weights that compute the AND of the relevant bits: a relevant bit has score 20, a bit that is 0 has 3 more. The
/// values are the signs of the bits, so that only with three ones their mean, 1, is above 2/3.
fn solution(spec: &RunSpec) -> Vec<Vec<f32>> {
    let (mut weights, root) = (zeros(spec), 2f32.sqrt());
    for bit in RELEVANT {
        weights[POSITIONS][2 * bit] = 20.0 * root;
    }
    weights[TOKENS][..4].copy_from_slice(&[0.0, 1.0, 3.0 * root, -1.0]);
    weights[KEY][0] = 1.0;
    weights[VALUE][3] = 1.0;
    weights[OUT][3] = 1.0;
    (weights[BIASES][0], weights[BIASES][5]) = (1.0, -2.0 / 3.0);
    (weights[HEAD][2], weights[HEAD][3]) = (-30.0, 30.0);
    weights
}

/// The picture of [`SMALL`] with [`solution`] after the end of its run, and the bits of the shown example.
fn solved() -> (Box<dyn Hero>, Vec<f32>) {
    let spec = spec(SMALL);
    let mut hero = new_hero(&spec).unwrap();
    hero.set_weights(SOLVED, &solution(&spec), 0.0);
    let mut batch = Batch::default();
    spec.task.sampler().append_held_out(spec.run.seed, 0, 1, &mut batch);
    (hero, batch.x)
}

fn press(hero: &mut dyn Hero, bits: &mut [f32], bit: usize) -> String {
    bits[bit] = -bits[bit];
    hero.touch(&format!("bit-{bit}"), Touch::Press, &late()).unwrap()
}

fn and(bits: &[f32]) -> bool {
    RELEVANT.iter().all(|bit| bits[*bit] > 0.0)
}

/// Softmax of the scores of [`solution`].
fn attention(bits: &[f32]) -> Vec<f32> {
    let score = |(bit, value): (usize, &f32)| {
        let relevant: f32 = if RELEVANT.contains(&bit) { 20.0 } else { 0.0 };
        let of_value: f32 = if *value > 0.0 { 0.0 } else { 3.0 };
        (relevant + of_value).exp()
    };
    let sizes: Vec<f32> = bits.iter().enumerate().map(score).collect();
    // [CLS] has score 0.
    let all = sizes.iter().sum::<f32>() + 1.0;
    sizes.into_iter().map(|size| size / all).collect()
}

#[test]
fn a_flip_turns_the_answer_where_it_turns_the_and() {
    let (mut hero, mut bits) = solved();
    for bit in (0..10).chain(RELEVANT).chain([1, 8, 4, 8, 1]) {
        let before = and(&bits);
        let spoken = press(hero.as_mut(), &mut bits, bit);
        let words = |label| if label { "1.00" } else { "0.00" };
        let expected = match (before, and(&bits)) {
            (before, after) if before == after => format!("The answer is still {}.", words(after)),
            (before, after) => format!("The answer changed from {} to {}.", words(before), words(after)),
        };
        assert!(spoken.contains(&expected), "{spoken} | {expected}");
        let label = u8::from(and(&bits));
        let answers = format!("Step 100. The network answers {label}.00; the label is {label}. ");
        assert!(hero.describe().starts_with(&answers), "{}", hero.describe());
    }
    assert_eq!(hero.touch("bit-10", Touch::Press, &late()), None);
    assert_eq!(hero.touch("bit-1", Touch::Nudge { x: 1.0, y: 0.0, fine: false }, &late()), None);
}

#[test]
fn the_attention_moves_to_a_relevant_bit_that_becomes_0() {
    let (mut hero, mut bits) = solved();
    for bit in RELEVANT {
        if bits[bit] < 0.0 {
            press(hero.as_mut(), &mut bits, bit);
        }
    }
    assert!(
        hero.describe().ends_with("Attention 0.33, 0.33 and 0.33 on bits 2, 5 and 9."),
        "{}",
        hero.describe()
    );
    // e³ / (e³ + 2)
    let spoken = press(hero.as_mut(), &mut bits, 4);
    assert!(spoken.ends_with("The attention on the bit changed from 0.33 to 0.91."), "{spoken}");
    assert!(hero.describe().ends_with("Attention 0.91 on bit 5."), "{}", hero.describe());
    let spoken = press(hero.as_mut(), &mut bits, 0);
    assert!(!spoken.contains("attention"), "{spoken}");
}

#[test]
fn beams_are_as_thick_as_the_attention_and_absent_where_it_is_uniform() {
    let beams = |hero: &dyn Hero| -> Vec<f32> {
        // After the movement that a touch at the time of late() begins.
        let scene = hero.scene(&frame(1400.0, 540.0, 2e6));
        let strokes = scene.items.iter().filter_map(|item| item.stroke);
        strokes.filter(|stroke| stroke.colour.ink == Ink::First).map(|stroke| stroke.width).collect()
    };
    let (mut hero, mut bits) = solved();
    for bit in [1, 4, 1, 8, 4, 1, 8] {
        press(hero.as_mut(), &mut bits, bit);
        let shares = attention(&bits);
        let expected: Vec<f32> =
            bits_with_beams(&shares).iter().map(|bit| (shares[*bit] / 0.5).min(1.0) * 10.0).collect();
        let found = beams(hero.as_ref());
        assert_eq!(found.len(), expected.len());
        // Widths are rounded up to one of 14 steps.
        assert!(
            found.iter().zip(&expected).all(|(a, b)| (-0.01..0.73).contains(&(a - b))),
            "{found:?} {expected:?}"
        );
    }
    let untrained = new_hero(&spec("#v1/sparse-boolean")).unwrap();
    assert!(beams(untrained.as_ref()).is_empty());
    assert!(untrained.describe().ends_with("No bit has twice its even share of the attention."));
}

#[test]
fn inner_progress_is_the_attention_on_the_relevant_bits() {
    let spec = spec(SMALL);
    let mut hero = new_hero(&spec).unwrap();
    // Attention of small initial weights is uniform over ten bits and [CLS].
    assert!((hero.inner_progress().unwrap() - 3.0 / 11.0).abs() < 1e-3);
    let mut weights = solution(&spec);
    // Relevant bits with score 1 instead of 20.
    RELEVANT.iter().for_each(|bit| weights[POSITIONS][2 * bit] /= 20.0);
    hero.set_weights(SOLVED, &weights, 0.0);
    let mut batch = Batch::default();
    spec.task.sampler().append_held_out(spec.run.seed, 0, 16, &mut batch);
    let on_relevant = |bits: &[f32]| {
        let size = |bit: usize| {
            let relevant: f32 = if RELEVANT.contains(&bit) { 1.0 } else { 0.0 };
            let of_value: f32 = if bits[bit] > 0.0 { 0.0 } else { 3.0 };
            (relevant + of_value).exp()
        };
        let all = (0..10).map(size).sum::<f32>() + 1.0;
        RELEVANT.into_iter().map(size).sum::<f32>() / all
    };
    let expected = batch.x.chunks(10).map(on_relevant).sum::<f32>() / 16.0;
    let found = hero.inner_progress().unwrap();
    assert!((found - expected).abs() < 1e-4 && found < 0.9, "{found} {expected}");
}

#[test]
fn a_hidden_layer_has_beams_of_its_weights() {
    let spec = spec(LAYER);
    let mut weights = zeros(&spec);
    for bit in RELEVANT {
        weights[mlp::W][4 * bit..][..4].copy_from_slice(&[1.0, -1.0, 1.0, 1.0]);
    }
    weights[mlp::W][0] = 1.0;
    weights[mlp::U] = vec![0.25; 4];
    let mut hero = new_hero(&spec).unwrap();
    hero.set_weights(StageProgress { step: 7, ..SOLVED }, &weights, 0.0);
    // Of 13 weights of the same size, 4 are those of each relevant bit.
    assert!((hero.inner_progress().unwrap() - 12.0 / 13.0).abs() < 1e-6);
    let expected = "Shares 0.31, 0.31 and 0.31 of the weights on bits 2, 5 and 9.";
    assert!(hero.describe().ends_with(expected), "{}", hero.describe());
    let mut batch = Batch::default();
    spec.task.sampler().append_held_out(spec.run.seed, 0, 1, &mut batch);
    let sum: f32 = RELEVANT.iter().map(|bit| batch.x[*bit]).sum();
    let output = 0.25 * ((sum + batch.x[0]).max(0.0) + (-sum).max(0.0) + 2.0 * sum.max(0.0));
    let answer = format!("The network answers {:.2}; ", (output + 1.0) / 2.0);
    assert!(hero.describe().contains(&answer), "{} {answer}", hero.describe());
}

#[test]
fn beams_stop_at_nine_tenths_and_at_six() {
    assert_eq!(bits_with_beams(&[0.02, 0.3, 0.4, 0.25, 0.01, 0.0, 0.0, 0.0]), [2, 1, 3]);
    assert_eq!(bits_with_beams(&[0.5, 0.45, 0.05]), [0, 1]);
    let mut many = vec![0.002; 100];
    many[10..20].fill(0.08);
    assert_eq!(bits_with_beams(&many), [10, 11, 12, 13, 14, 15]);
    assert_eq!(bits_with_beams(&[0.01; 100]), Vec::<usize>::new());
    assert_eq!(bits_with_beams(&[]), Vec::<usize>::new());
}

#[test]
fn headlines_name_bits_that_turn_the_answer_and_a_bit_that_does_not() {
    let spec = spec(SMALL);
    let mut hero = new_hero(&spec).unwrap();
    assert_eq!(hero.headline(), "3 of 10 bits decide. The network searches for them. Flip one.");
    hero.set_weights(StageProgress { has_succeeded: false, ..SOLVED }, &zeros(&spec), 0.0);
    assert_eq!(hero.headline(), "The network has not reached its target. Bits 2, 5 and 9 decide. Flip one.");
    hero.set_weights(SOLVED, &solution(&spec), 0.0);
    for step in 0..20 {
        hero.show_next_example(f64::from(step));
        let headline = hero.headline();
        let (named, rest) = headline.strip_prefix("Flip bit ").unwrap().split_once(':').unwrap();
        assert_eq!(rest, " the answer turns. Flip bit 1: it does not.");
        let named: usize = named.parse().unwrap();
        let spoken = hero.touch(&format!("bit-{}", named - 1), Touch::Press, &late()).unwrap();
        assert!(spoken.contains("The answer changed from"), "{spoken}");
        let spoken = hero.touch("bit-0", Touch::Press, &late()).unwrap();
        assert!(spoken.contains("The answer is still"), "{spoken}");
    }
}

#[test]
fn every_shown_example_has_its_label() {
    let spec = spec(SMALL);
    let mut hero = new_hero(&spec).unwrap();
    let mut batch = Batch::default();
    spec.task.sampler().append_held_out(spec.run.seed, 0, EXAMPLES, &mut batch);
    for label in batch.y.iter().chain(&batch.y) {
        let words = format!("the label is {}.", u8::from(*label > 0.0));
        assert!(hero.describe().contains(&words), "{} {words}", hero.describe());
        hero.show_next_example(0.0);
    }
    // The label of a parity is a product of signs.
    let spec = decode("#v1/sparse-parity?model=parity-transformer&opt=adam&n=10").0.spec;
    let mut hero = new_hero(&spec).unwrap();
    let mut batch = Batch::default();
    spec.task.sampler().append_held_out(spec.run.seed, 0, 8, &mut batch);
    for label in batch.y {
        let words = format!("the label is {}.", format_signed(label, 0));
        assert!(hero.describe().contains(&words), "{} {words}", hero.describe());
        hero.show_next_example(0.0);
    }
}

/// A rectangle that contains a text of about this width.
fn text_area(text: &str, at: Point, size: f32, anchor: Anchor) -> Area {
    let width = 0.56 * size * text.chars().count() as f32;
    let left = match anchor {
        Anchor::Start => at.x,
        Anchor::Middle => at.x - width / 2.0,
        Anchor::End => at.x - width,
    };
    Area::new(left, at.y - size / 2.0, width, size)
}

#[test]
fn scenes_are_bounded_and_nothing_overlaps() {
    let links = [
        "#v1/sparse-boolean",
        "#v1/sparse-boolean?n=200",
        "#v1/sparse-boolean?n=2&k=1",
        "#v1/sparse-boolean?model=mlp&opt=sgd&fn=parity&n=50&loss=square",
    ];
    let heroes = links.map(|link| (spec(link).task.examples().inputs(), new_hero(&spec(link)).unwrap()));
    let heroes = heroes.into_iter().chain([(10, solved().0)]);
    for (n, hero) in heroes {
        check_texts(hero.as_ref());
        for scene in check_scenes(hero.as_ref(), 700.0, None) {
            let (width, height) = (scene.width, scene.height);
            assert!(scene.items.len() <= 600, "{}", scene.items.len());
            assert_eq!(scene.targets.len(), n);
            let inside = |area: &Area| {
                area.left >= 0.0 && area.top >= 0.0 && area.right() <= width && area.bottom() <= height
            };
            for target in &scene.targets {
                assert!(!target.value.is_empty() && inside(&target.area), "{target:?}");
                assert!(target.area.width >= 24.0 && target.area.height >= 24.0, "{:?}", target.area);
            }
            let mut texts: Vec<(String, Area)> = vec![];
            for item in &scene.items {
                if let Shape::Text { text, at, size, anchor, .. } = &item.shape {
                    let area = text_area(text, *at, *size, *anchor);
                    assert!(inside(&area) && *size >= 11.0, "{text} {area:?} in {width} × {height}");
                    for (other, place) in &texts {
                        // Tiles with beams are drawn twice.
                        let is_same = (other, place) == (text, &area);
                        assert!(is_same || !area.overlaps(place), "{text} {other} in {width} × {height}");
                    }
                    texts.push((text.clone(), area));
                }
            }
            assert!(texts.iter().any(|(text, _)| text.starts_with(&format!("{n} bits: filled is "))));
        }
    }
}

#[test]
fn a_change_of_the_answer_takes_its_time_unless_motion_is_reduced() {
    let (mut hero, mut bits) = solved();
    for bit in RELEVANT {
        if bits[bit] < 0.0 {
            press(hero.as_mut(), &mut bits, bit);
        }
    }
    hero.touch("bit-1", Touch::Press, &frame(1400.0, 540.0, 2e6)).unwrap();
    let at = |now_ms: f64, is_still: bool| {
        hero.scene(&Frame { now_ms: 2e6 + now_ms, is_still, ..late() }).items.len()
    };
    // Three beams and then one: two lines less, two tiles less that are drawn again, and two shares less that are
    // written. But there is then a grey line for the other attention, 0.09.
    assert_eq!(at(0.0, false), at(ANSWER_MS, false) + 2 + 2 * 2 + 2 - 1);
    assert_eq!(at(ANSWER_MS, false), at(0.0, true));
}

#[test]
fn unknown_and_broken_weights_are_no_numbers() {
    let spec = spec(SMALL);
    let broken: Vec<Vec<f32>> = zeros(&spec).into_iter().map(|tensor| vec![f32::NAN; tensor.len()]).collect();
    for weights in [vec![], vec![vec![]; 14], broken] {
        let mut hero = new_hero(&spec).unwrap();
        hero.set_weights(SOLVED, &weights, 0.0);
        hero.show_next_example(50.0);
        hero.touch("bit-3", Touch::Press, &late()).unwrap();
        hero.show_next_example(60.0);
        assert!(!hero.scene(&frame(1240.0, 420.0, 70.0)).items.is_empty());
        assert!(!hero.describe().contains("NaN"), "{}", hero.describe());
        let has_diverged = weights.iter().flatten().any(|weight| weight.is_nan());
        for text in [hero.headline(), hero.describe()] {
            assert_eq!(text.starts_with("The run has diverged"), has_diverged, "{text}");
        }
        check_texts(hero.as_ref());
    }
    let layer = self::spec(LAYER);
    let mut hero = new_hero(&layer).unwrap();
    hero.set_weights(SOLVED, &[], 0.0);
    hero.set_weights(SOLVED, &zeros(&layer), 0.0);
    assert!(
        hero.describe().ends_with("No bit has twice its even share of the weights."),
        "{}",
        hero.describe()
    );
}

#[test]
fn all_presets_of_the_lab_have_a_picture_and_large_networks_have_none() {
    for preset in crate::boolean::PRESETS.iter().copied().flatten() {
        let spec = preset.link().spec;
        assert!(has_hero(&spec) && new_hero(&spec).is_some(), "{}", preset.slug);
    }
    for link in ["?n=300", "?model=polynet&loss=square", "?model=deep-mlp", "?n=200&demb=256&heads=16"] {
        assert!(!has_hero(&decode(&format!("#v1/sparse-boolean{link}")).0.spec), "{link}");
    }
}
