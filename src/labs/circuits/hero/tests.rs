//! The picture shows what the network computes with noise on its weights, and touches change it as theory says.

use super::*;
use crate::hero_testing::{check_scenes, check_texts, texts};
use vivarium_model::models::circuit_network::narrow;
use vivarium_model::permalink::decode;
use vivarium_plot::scene::{Ink, Point, Shape};
use vivarium_science::circuits::{LeastNormSearch, toy_margin};

/// The lab's run without settings: the parity of 4 bits with rounding.
const LINK: &str = "#v1/boolean-circuit";

fn frame(now_ms: f64) -> Frame {
    Frame { width: 1400.0, height: 540.0, now_ms, is_still: false }
}

fn hero(link: &str) -> CircuitHero {
    CircuitHero::new(&decode(link).0.spec).unwrap()
}

/// Sets the noise by dragging the handle.
fn drag(hero: &mut CircuitHero, sigma: f64) -> Option<String> {
    let at = |share: f32| Point::new(10_000.0 * (2.0 * share - 1.0), 0.0);
    // The ends of the slider, found by dragging beyond them.
    hero.touch("noise", Touch::Drag(at(0.0)), &frame(0.0));
    let scene = hero.scene(&frame(0.0));
    let left = scene.targets.iter().find(|target| target.key == "noise").unwrap().area.centre();
    hero.touch("noise", Touch::Drag(at(1.0)), &frame(0.0));
    let scene = hero.scene(&frame(0.0));
    let right = scene.targets.iter().find(|target| target.key == "noise").unwrap().area.centre();
    let share = (sigma / hero.largest_sigma) as f32;
    hero.touch("noise", Touch::Drag(left.towards(right, share)), &frame(0.0))
}

#[test]
fn draws_of_a_product_are_wrong_where_the_product_is_below_one_half() {
    let link = "#v1/boolean-circuit?circuit=toy&levels=25&round=no&seed=3";
    let spec = decode(link).0.spec;
    let mut hero = hero(link);
    let network = ReluNetwork::toy(25, Rounding::Off).unwrap();
    let mut counts = vec![];
    for share in [0.5, 0.9] {
        let sigma = share * hero.largest_sigma;
        let spoken = drag(&mut hero, sigma).unwrap();
        let sigma = hero.sigma;
        let is_wrong = |draw: &u64| {
            let draw = noise(&network, spec.run.seed, *draw);
            // Each layer has one weight, and then one bias, which is fixed.
            (0..25).map(|layer| 1.0 + sigma * draw[2 * layer]).product::<f64>() <= 0.5
        };
        let wrong = (0..100).filter(is_wrong).count();
        let words = format!("Noise {}: {wrong} of 100 draws wrong", format_decimal(sigma as f32));
        assert!(spoken.starts_with(&words), "{spoken} {words}");
        counts.push(wrong);
    }
    assert!(counts.iter().any(|wrong| (1..100).contains(wrong)), "{counts:?}");
}

/// Noise changes the weights of a product, and weights and biases of a circuit's gates, but never the rounding.
#[test]
fn the_caption_names_the_parameters_with_noise() {
    for (link, words) in [
        ("#v1/boolean-circuit?circuit=toy&levels=25&round=no", "on the weights"),
        ("#v1/boolean-circuit?circuit=toy&levels=25&round=yes", "on the weights"),
        ("#v1/boolean-circuit?round=no", "on weights and biases"),
        ("#v1/boolean-circuit?round=yes", "not on the rounding"),
    ] {
        let hero = hero(link);
        for scene in check_scenes(&hero, 1e6, None) {
            let found = texts(&scene).lines().find(|line| line.starts_with("noise σ = ")).map(String::from);
            assert!(found.as_ref().is_some_and(|line| line.ends_with(words)), "{link}: {found:?}");
        }
        let (network, noise) = (hero.network(), &hero.noise[0]);
        let is_bias = |at: &usize| network.layers().iter().any(|layer| layer.bias_range().contains(at));
        let has_noisy_bias = (0..noise.len()).filter(is_bias).any(|at| noise[at] != 0.0);
        assert_eq!(has_noisy_bias, !hero.is_product, "{link}");
        for layer in network.layers() {
            let is_fixed = |at: usize| !layer.free_range().contains(&at);
            let mut parameters = layer.weight_range().chain(layer.bias_range());
            assert!(parameters.all(|at| !is_fixed(at) || noise[at] == 0.0), "{link}");
        }
    }
}

#[test]
fn flipping_any_input_of_a_parity_turns_the_answer() {
    let mut hero = hero(LINK);
    drag(&mut hero, 0.0);
    assert_eq!((hero.sigma, hero.count_wrong()), (0.0, 0));
    for bit in 0..4 {
        let spoken = hero.touch(&format!("input-{bit}"), Touch::Press, &frame(0.0)).unwrap();
        assert!(spoken.contains("changed from 0 to 1") || spoken.contains("changed from 1 to 0"), "{spoken}");
        assert!(spoken.starts_with(&format!("x{} is 0.", bit + 1)), "{spoken}");
    }
    assert_eq!(hero.touch("input-4", Touch::Press, &frame(0.0)), None);
    assert!(hero.describe().contains("For the input 0000 the circuit gives 0."), "{}", hero.describe());
}

#[test]
fn a_majority_turns_with_the_second_flip() {
    let mut hero = hero("#v1/boolean-circuit?circuit=majority&n=3");
    drag(&mut hero, 0.0);
    let mut flip = |bit: usize| hero.touch(&format!("input-{bit}"), Touch::Press, &frame(0.0)).unwrap();
    assert!(flip(0).contains("stays 1"));
    assert!(flip(2).contains("changed from 1 to 0"));
}

#[test]
fn rounding_removes_noise_that_makes_half_of_the_answers_wrong_without_it() {
    let mut hero = hero("#v1/boolean-circuit?n=8&sigma=0.03");
    assert_eq!(hero.sigma, 0.03);
    assert!(hero.count_wrong() <= 8, "{}", hero.count_wrong());
    let spoken = hero.touch("rounding", Touch::Press, &frame(0.0)).unwrap();
    assert!(spoken.starts_with("Rounding is off. Noise 0.030: "), "{spoken}");
    assert!(hero.count_wrong() >= 25, "{}", hero.count_wrong());
    let spoken = hero.touch("rounding", Touch::Press, &frame(0.0)).unwrap();
    assert!(spoken.starts_with("Rounding is on. "), "{spoken}");
    assert!(hero.count_wrong() <= 8);
}

#[test]
fn no_change_below_the_bound_of_the_theorem_makes_an_answer_wrong() {
    let mut hero = hero(LINK);
    let bound = hero.network().compute_margin_bounds(&[true; 4]).unwrap().unwrap().proof;
    let longest = hero.noise.iter().map(|noise| noise.iter().map(|e| e * e).sum::<f64>().sqrt());
    hero.sigma = 0.99 * bound / longest.fold(0.0, f64::max);
    assert!(hero.sigma > 0.0);
    hero.evaluate_draws();
    assert_eq!(hero.count_wrong(), 0);
}

#[test]
fn the_noise_opens_above_zero_and_moves_with_keys() {
    let mut hero = hero(LINK);
    assert!(hero.sigma > 0.0 && hero.sigma <= hero.largest_sigma / 4.0);
    let before = hero.sigma;
    for _ in 0..20 {
        hero.touch("noise", Touch::Nudge { x: 1.0, y: 0.0, fine: false }, &frame(0.0));
    }
    assert!(hero.sigma > before && (hero.sigma - hero.largest_sigma).abs() < 1e-9);
    assert_eq!(hero.touch("noise", Touch::Nudge { x: 0.0, y: -1.0, fine: true }, &frame(0.0)), None);
    assert!(hero.touch("noise", Touch::Nudge { x: 0.0, y: 1.0, fine: true }, &frame(0.0)).is_some());
    assert!((hero.sigma / hero.largest_sigma - 0.99).abs() < 1e-9);
    assert_eq!(hero.touch("noise", Touch::Drag(Point::new(f32::NAN, 0.0)), &frame(0.0)), None);
    assert_eq!(hero.touch("noise", Touch::Press, &frame(0.0)), None);
}

#[test]
fn the_smallest_change_of_a_product_has_the_size_of_the_exact_margin_and_flips_the_answer() {
    let link = "#v1/boolean-circuit?circuit=toy&levels=4&round=no";
    let spec = decode(link).0.spec;
    let mut hero = hero(link);
    let Some(Family::Circuit(net)) = spec.model.config().family() else { panic!("another family") };
    let network = ReluNetwork::toy(4, Rounding::Off).unwrap();
    let mut search = LeastNormSearch::new(&network, &[true], net.search(spec.run.seed, 0)).unwrap();
    for _ in 0..500 {
        if search.is_done() {
            break;
        }
        search.advance(&network);
    }
    let mut weights = spec.initialize_replicas(1);
    let from = weights.len() - 5;
    for (tensor, part) in weights[from..].iter_mut().zip(search.to_parts()) {
        *tensor = narrow(&part);
    }
    assert!(hero.touch("smallest", Touch::Press, &frame(0.0)).unwrap().contains("not found such a change"));
    let progress = StageProgress { step: 200, has_ended: true, has_succeeded: false };
    hero.set_weights(progress, &weights, 0.0);
    let size = format_significant(toy_margin(4).unwrap());
    assert!(hero.headline().contains(&format!("a change of norm {size} ")), "{} {size}", hero.headline());
    let spoken = hero.touch("smallest", Touch::Press, &frame(0.0)).unwrap();
    assert!(spoken.starts_with(&format!("With a change of the weights of norm {size}, ")), "{spoken}");
    assert!(hero.values.output <= 1e-9 && hero.label);
    // All weights become smaller, so that all wires are bent to the same side.
    assert!(hero.wires.iter().all(|wire| wire.bends[1] < 0.0));
    hero.set_weights(progress, &[], 0.0);
    assert_eq!(hero.change, Change::Draw(0));
}

#[test]
fn a_signal_runs_from_layer_to_layer() {
    let mut hero = hero(LINK);
    drag(&mut hero, 0.0);
    hero.touch("input-0", Touch::Press, &frame(1000.0)).unwrap();
    let dots = |now_ms: f64, is_still: bool| {
        let scene = hero.scene(&Frame { is_still, ..frame(now_ms) });
        let is_dot =
            |item: &&vivarium_plot::scene::Item| item.fill == Some(Ink::Mark.into()) && item.stroke.is_none();
        scene.items.iter().filter(is_dot).count()
    };
    assert!(dots(1060.0, false) > 0);
    assert_eq!([dots(1060.0, true), dots(4000.0, false)], [0, 0]);
    let answer = |now_ms: f64| hero.shown_values(hero.layered.depth(), &frame(now_ms)).0.output > 0.0;
    assert_eq!([answer(1060.0), answer(4000.0)], [false, true]);
}

#[test]
fn examples_are_draws_and_flips() {
    let mut hero = hero(LINK);
    let input = hero.input.clone();
    let mut shown = vec![];
    for at in 0..DRAWS_PER_INPUT {
        assert_eq!(hero.input, input);
        hero.show_next_example(at as f64);
        shown.push(hero.change);
    }
    assert_ne!(hero.input, input);
    assert_eq!(shown[..3], [1, 2, 3].map(Change::Draw));
}

#[test]
fn scenes_are_bounded_and_their_targets_disjoint() {
    let links = [
        "",
        "?n=8",
        "?n=8&round=no&sigma=0.1",
        "?circuit=toy&levels=100",
        "?circuit=adder&n=3",
        "?circuit=own",
    ];
    for link in links {
        let mut hero = hero(&format!("#v1/boolean-circuit{link}"));
        hero.show_next_draw(0.0);
        check_texts(&hero);
        for scene in check_scenes(&hero, 60.0, None) {
            assert!(scene.items.len() <= 600, "{link} {}", scene.items.len());
            for target in &scene.targets {
                assert!(target.area.width >= 24.0 && target.area.height >= 24.0, "{target:?}");
            }
            for item in &scene.items {
                if let Shape::Text { text, size, .. } = &item.shape {
                    assert!(*size >= 11.0, "{text}");
                }
            }
            assert!(texts(&scene).contains("draws wrong"));
        }
    }
}

#[test]
fn weights_that_are_no_numbers_change_nothing() {
    let mut hero = hero(LINK);
    let before = hero.values.clone();
    let mut weights = decode(LINK).0.spec.initialize_replicas(1);
    hero.set_weights(StageProgress::default(), &weights, 0.0);
    weights.iter_mut().for_each(|tensor| tensor.fill(f32::NAN));
    hero.set_weights(StageProgress::default(), &weights, 0.0);
    weights.iter_mut().for_each(|tensor| tensor.fill(1.0));
    hero.set_weights(StageProgress::default(), &weights[1..], 0.0);
    hero.set_weights(StageProgress::default(), &[], 0.0);
    hero.touch("smallest", Touch::Press, &frame(0.0));
    assert_eq!(hero.values, before);
}

#[test]
fn circuits_with_few_wires_have_a_picture() {
    let has = |link: &str| has_hero(&decode(&format!("#v1/boolean-circuit{link}")).0.spec);
    for link in [
        "",
        "?n=2",
        "?n=8",
        "?circuit=tree&n=8",
        "?circuit=adder&n=3",
        "?circuit=majority&n=5",
        "?circuit=relay&levels=20",
        "?circuit=toy&levels=100&round=no",
        "?circuit=toy",
        "?circuit=own",
    ] {
        assert!(has(link), "{link}");
    }
    assert!(!has("?n=12") && !has("?circuit=adder&n=8") && !has("?circuit=toy&levels=400"));
    assert!(!has_hero(&decode("#v1/sparse-parity").0.spec));
}
