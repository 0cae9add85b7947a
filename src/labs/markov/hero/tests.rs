//! The picture shows what the network computes, and touches change sequence, chain and heads as the theory says.

use super::*;
use crate::hero_testing::{check_scenes, check_texts};
use vivarium_model::permalink::decode;
use vivarium_model::tasks::Batch;
use vivarium_plot::scene::{Anchor, Ink, Shape};

/// The induction head of proposition 8.2 with sharp attention and slope 3.
const CIRCUIT: &str = "#v1/markov?k=3&d=9&from=circuit&c=200&a=3&steps=1";

fn frame(now_ms: f64) -> Frame {
    Frame { width: 1400.0, height: 540.0, now_ms, is_still: false }
}

fn hero(link: &str) -> MarkovHero {
    MarkovHero::new(&decode(link).0.spec).unwrap()
}

/// Probabilities of three symbols for logits 3 times the frequencies of the symbols at these positions.
fn from_frequencies(symbols: &[u8], positions: &[usize]) -> Vec<f32> {
    let mut powers = [0.0f64; 3];
    for (symbol, power) in powers.iter_mut().enumerate() {
        let count = positions.iter().filter(|at| usize::from(symbols[**at]) == symbol).count();
        *power = (3.0 * count as f64 / positions.len() as f64).exp();
    }
    powers.iter().map(|power| (power / powers.iter().sum::<f64>()) as f32).collect()
}

/// Positions at which the induction head looks after position `at`: where the symbol before is the same; the first symbol
/// counts as its own predecessor. All positions if there are none.
fn attended(symbols: &[u8], at: usize) -> Vec<usize> {
    let found: Vec<usize> = (0..=at).filter(|j| symbols[j.saturating_sub(1)] == symbols[at]).collect();
    if found.is_empty() { (0..=at).collect() } else { found }
}

fn assert_near(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let is_near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4);
    assert!(is_near, "{what}: {found:?} instead of {expected:?}");
}

#[test]
fn bars_are_the_frequencies_of_what_followed_the_chosen_symbol() {
    let mut hero = hero(CIRCUIT);
    for at in 0..16 {
        let spoken = hero.touch(&format!("symbol-{at}"), Touch::Press, &frame(0.0)).unwrap();
        let keys = attended(&hero.symbols, at);
        let expected = from_frequencies(&hero.symbols, &keys);
        assert_near(hero.probabilities(), &expected, &format!("{:?} {at}", hero.symbols));
        let best = hero.likeliest();
        assert!(expected.iter().all(|p| *p <= expected[best] + 1e-4));
        let words = format!("the network gives {} {}", symbol_letter(best), percent(expected[best]));
        assert!(spoken.contains(&words), "{spoken} {words}");
        assert!(hero.describe().contains(&words));
        let arcs = hero.attended();
        assert_eq!(arcs.keys.len(), keys.len().min(6));
        assert!(
            arcs.keys.iter().all(|(key, weight)| {
                keys.contains(key) && (weight * keys.len() as f32 - 1.0).abs() < 1e-3
            })
        );
        let scene = hero.scene(&frame(9000.0));
        let curves = scene.items.iter().filter(|item| matches!(item.shape, Shape::Curve(_))).count();
        // One arc of the last layer and one of the first, to the symbol before, for each of them.
        assert_eq!(curves, 2 * arcs.keys.len());
        let layout = Layout::new(&hero, &frame(0.0));
        let bars = scene.items.iter().filter_map(|item| match (&item.shape, item.fill) {
            (Shape::Box(area, _), Some(fill)) if fill.ink == Ink::First => {
                Some(layout.probability_at(area.top))
            }
            _ => None,
        });
        assert_near(&bars.collect::<Vec<f32>>(), &expected, "bars");
    }
    assert_eq!(hero.touch("symbol-16", Touch::Press, &frame(0.0)), None);
    assert!(hero.inner_progress().unwrap() > 0.999);
    assert!(hero.headline().starts_with("Switch head 1.1 off"));
}

#[test]
fn without_the_first_head_the_network_counts_all_symbols() {
    let mut hero = hero(CIRCUIT);
    let all: Vec<usize> = (0..16).collect();
    let (before, followed) = (hero.probabilities().to_vec(), attended(&hero.symbols, 15));
    assert!(followed.len() < 16);
    let spoken = hero.touch("head-0", Touch::Press, &frame(0.0)).unwrap();
    assert!(spoken.starts_with("Head 1.1 is off. The network's probability of "), "{spoken}");
    assert_near(hero.probabilities(), &from_frequencies(&hero.symbols, &all), "head 1.1 off");
    assert!(hero.touch("head-0", Touch::Press, &frame(0.0)).unwrap().starts_with("Head 1.1 is on."));
    assert_near(hero.probabilities(), &before, "head 1.1 on");
    // Without the head that votes all logits are 0.
    hero.touch("head-1", Touch::Press, &frame(0.0)).unwrap();
    assert_near(hero.probabilities(), &[1.0 / 3.0; 3], "head 2.1 off");
    assert!(hero.attended().keys.is_empty());
    assert_eq!(hero.touch("head-2", Touch::Press, &frame(0.0)), None);
}

#[test]
fn typing_changes_one_symbol_and_the_counts_follow() {
    let mut hero = hero(CIRCUIT);
    hero.touch("symbol-9", Touch::Press, &frame(0.0)).unwrap();
    let (before, now) = (hero.symbols.clone(), usize::from(hero.symbols[9]));
    assert_eq!(hero.touch(&format!("set-{now}"), Touch::Press, &frame(0.0)), None);
    assert_eq!(hero.touch("set-3", Touch::Press, &frame(0.0)), None);
    let spoken = hero.touch(&format!("set-{}", (now + 1) % 3), Touch::Press, &frame(0.0)).unwrap();
    assert!(spoken.starts_with(&format!("Symbol 10 is now {}.", symbol_letter((now + 1) % 3))), "{spoken}");
    let changed = (0..16).filter(|at| before[*at] != hero.symbols[*at]);
    assert_eq!(changed.collect::<Vec<usize>>(), [9]);
    let expected = from_frequencies(&hero.symbols, &attended(&hero.symbols, 9));
    assert_near(hero.probabilities(), &expected, "typed");
    // Up is the next symbol of the alphabet, down its predecessor.
    let nudge = |y| Touch::Nudge { x: 0.0, y, fine: false };
    hero.touch("symbol-9", nudge(-1.0), &frame(0.0)).unwrap();
    assert_eq!(usize::from(hero.symbols[9]), (now + 2) % 3);
    hero.touch("symbol-9", nudge(1.0), &frame(0.0)).unwrap();
    assert_eq!(usize::from(hero.symbols[9]), (now + 1) % 3);
    let count: usize = hero.counts().iter().sum();
    let symbols = hero.symbols.clone();
    assert_eq!(count, (1..=9).filter(|at| symbols[at - 1] == symbols[9]).count());
}

#[test]
fn a_dragged_line_changes_one_row_of_the_chain_and_draws_from_the_same_words() {
    let mut hero = hero(CIRCUIT);
    let mut done = 0;
    for _ in 0..6 {
        hero.show_next_example(0.0);
        let context = hero.context().unwrap().to_vec();
        let row = hero.chain.context_index(&context);
        let rows: Vec<Vec<f64>> = (0..3).map(|row| hero.chain.next_symbol_distribution(row)).collect();
        let layout = Layout::new(&hero, &frame(0.0));
        let distance = |y: &f32| (layout.probability_at(*y) - 0.6).abs();
        let heights = (0..2160).map(|i| i as f32 / 4.0);
        let y = heights.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
        let point = vivarium_plot::scene::Point::new(1000.0, y);
        let Some(spoken) = hero.touch("chain-1", Touch::Drag(point), &frame(0.0)) else { continue };
        done += 1;
        assert!(spoken.contains("The chain now gives b after ") && spoken.contains(" with 60 %"), "{spoken}");
        let found: Vec<Vec<f64>> = (0..3).map(|row| hero.chain.next_symbol_distribution(row)).collect();
        for other in (0..3).filter(|other| *other != row) {
            assert!(found[other].iter().zip(&rows[other]).all(|(a, b)| (a - b).abs() < 1e-6));
        }
        assert!((found[row][1] - 0.6).abs() < 0.01);
        let kept = found[row][0] * rows[row][2] - found[row][2] * rows[row][0];
        assert!(kept.abs() < 1e-5, "{found:?} {rows:?}");
        assert_eq!(hero.symbols, hero.chain.draw_sequence(&hero.words));
        assert_eq!(hero.context().unwrap(), context);
        let expected = from_frequencies(&hero.symbols, &attended(&hero.symbols, hero.pointed));
        assert_near(hero.probabilities(), &expected, "drawn anew");
        // An arrow moves the line by 5 %, with Shift by 1 %.
        let before = hero.truth().unwrap()[1];
        let up = Touch::Nudge { x: 0.0, y: -1.0, fine: true };
        if hero.touch("chain-1", up, &frame(0.0)).is_some() {
            assert!((hero.truth().unwrap()[1] - before - 0.01).abs() < 1e-4);
        }
    }
    assert!(done >= 3, "{done}");
}

#[test]
fn sequences_are_the_beginnings_of_held_out_ones() {
    for link in ["", "?k=4&t=100&data=ds&test=ds", "?k=3&gram=3", "?k=8&t=9", "?gram=4&t=12"] {
        let mut hero = hero(&format!("#v1/markov{link}"));
        for example in [0, 1, 7, 63] {
            hero.draw_example(example);
            let (task, seed, mut all) = (hero.task.clone(), hero.spec.run.seed, vec![]);
            task.append_held_out_sequences(task.test, seed, example..example + 1, &mut all);
            assert_eq!(hero.symbols.len(), task.length.min(16), "{link}");
            assert_eq!(hero.symbols, all[..hero.symbols.len()], "{link} {example}");
            assert_eq!(hero.chain, task.held_out_chain(task.test, seed, example));
        }
        hero.show_next_example(0.0);
        assert!(hero.followers().len() >= 2 || link.contains("t=9") || link.contains("gram"), "{link}");
    }
}

#[test]
fn a_network_drawn_at_random_answers_as_it_does_in_measurements() {
    let mut hero = hero("#v1/markov?k=3&t=16&heads=2.1&d=8&std=0.8&norm=pre");
    for _ in 0..4 {
        hero.show_next_example(0.0);
        let (spec, mut batch) = (hero.spec.clone(), Batch::default());
        spec.task.sampler().append_held_out(spec.run.seed, hero.example, 1, &mut batch);
        let slices: Vec<&[f32]> = hero.weights.iter().map(Vec::as_slice).collect();
        let logits = spec.network().evaluate(&slices, 3, &batch.x, 0);
        let powers: Vec<f32> = logits.iter().map(|logit| logit.exp()).collect();
        let expected: Vec<f32> = powers.iter().map(|power| power / powers.iter().sum::<f32>()).collect();
        assert_near(hero.probabilities(), &expected, "random weights");
    }
}

#[test]
fn the_minimal_model_votes_for_what_it_counts() {
    let mut hero = hero("#v1/markov?model=minimal-markov&from=bigram&k=3&t=40");
    for at in [15, 14, 9, 3, 0] {
        hero.touch(&format!("symbol-{at}"), Touch::Press, &frame(0.0)).unwrap();
        let powers: Vec<f32> = hero.counts().iter().map(|count| (*count as f32).exp()).collect();
        let expected: Vec<f32> = powers.iter().map(|power| power / powers.iter().sum::<f32>()).collect();
        assert_near(hero.probabilities(), &expected, "counts");
        let (arcs, followers) = (hero.attended(), hero.followers());
        assert_eq!(arcs.keys.len(), followers.len().min(6));
        for (key, weight) in &arcs.keys {
            assert!(followers.contains(key) && (weight * followers.len() as f32 - 1.0).abs() < 1e-5);
            assert_eq!(hero.attended_before(*key).keys, [(key - 1, 1.0)]);
        }
    }
    assert_eq!(hero.inner_progress(), Some(1.0));
    assert_eq!(self::hero("#v1/markov?heads=1").inner_progress(), None);
}

#[test]
fn votes_move_for_a_while_and_not_without_motion() {
    let mut hero = hero(CIRCUIT);
    hero.touch("symbol-15", Touch::Press, &frame(100.0)).unwrap();
    let votes = |frame: Frame| {
        let is_vote = |item: &&vivarium_plot::scene::Item| {
            matches!(item.shape, Shape::Circle(..)) && item.fill.is_some_and(|fill| fill.ink == Ink::First)
        };
        hero.scene(&frame).items.iter().filter(is_vote).count()
    };
    assert_eq!(votes(frame(300.0)), hero.attended().keys.len());
    assert!(votes(frame(300.0)) > 1);
    assert_eq!(votes(frame(501.0)), 0);
    assert_eq!(votes(Frame { is_still: true, ..frame(300.0) }), 0);
}

/// Left and right end of a text, estimated from its number of letters.
fn extent(text: &str, x: f32, size: f32, anchor: Anchor) -> (f32, f32) {
    let width = 0.55 * size * text.chars().count() as f32;
    match anchor {
        Anchor::Start => (x, x + width),
        Anchor::Middle => (x - width / 2.0, x + width / 2.0),
        Anchor::End => (x - width, x),
    }
}

#[test]
fn scenes_are_bounded_and_their_targets_disjoint() {
    for link in
        ["", "?k=3", "?k=8&d=48&heads=3.3", "?heads=1", "?model=minimal-markov&v0=0.3&w0=-0.5", "?t=5"]
    {
        let mut hero = hero(&format!("#v1/markov{link}"));
        check_texts(&hero);
        for at in [15, 7, 2] {
            hero.touch(&format!("symbol-{at}"), Touch::Press, &frame(0.0));
            let expected = hero.symbols.len() + 2 * hero.task.symbols + hero.heads.iter().sum::<usize>();
            for scene in check_scenes(&hero, 100.0, None) {
                let (width, height) = (scene.width, scene.height);
                assert!(scene.items.len() <= 300, "{}", scene.items.len());
                assert_eq!(scene.targets.len(), expected, "{link}");
                for target in &scene.targets {
                    let area = target.area;
                    assert!(area.width >= 24.0 && area.height >= 24.0, "{link} {target:?}");
                    assert!(area.left >= 0.0 && area.top >= 0.0, "{link} {target:?}");
                    assert!(area.right() <= width && area.bottom() <= height, "{link} {target:?}");
                }
                for item in &scene.items {
                    if let Shape::Text { text, at, size, anchor, .. } = &item.shape {
                        let (left, right) = extent(text, at.x, *size, *anchor);
                        assert!(left >= 0.0 && right <= width && at.x < width, "{width} {text}");
                        assert!(*size >= 11.0 && at.y >= size / 2.0 && at.y + size / 2.0 <= height, "{text}");
                    }
                }
            }
        }
    }
}

#[test]
fn numbers_that_are_none_and_missing_weights_are_drawn_as_unknown() {
    for link in ["", "?model=minimal-markov", "?heads=2.2&norm=pre&mlp=on"] {
        let mut hero = hero(&format!("#v1/markov{link}"));
        let nan: Vec<Vec<f32>> = hero.weights.iter().map(|values| vec![f32::NAN; values.len()]).collect();
        for weights in [nan, vec![], vec![vec![1.0]; 3]] {
            hero.set_weights(StageProgress::default(), &weights, 0.0);
            hero.show_next_example(0.0);
            for key in
                ["symbol-3", "set-0", "set-1", "head-0", "chain-0", "chain-9", "symbol-99", "x", "set-x"]
            {
                hero.touch(key, Touch::Press, &frame(0.0));
                hero.touch(key, Touch::Nudge { x: 0.0, y: 1.0, fine: false }, &frame(0.0));
            }
            assert!(!hero.scene(&frame(50.0)).targets.is_empty());
            assert!(hero.describe().contains(" –, the chain "), "{}", hero.describe());
            let has_diverged = weights.iter().flatten().any(|weight| weight.is_nan());
            for text in [hero.headline(), hero.describe()] {
                assert_eq!(text.starts_with("The run has diverged"), has_diverged, "{link} {text}");
            }
            assert_eq!(hero.inner_progress(), None);
        }
    }
}

#[test]
fn sequences_that_are_shown_have_two_symbols() {
    let presets = crate::markov::PRESETS.iter().copied().flatten();
    for preset in presets.filter(|preset| has_hero(&decode(preset.link).0.spec)) {
        let mut hero = hero(preset.link);
        for _ in 0..EXAMPLES {
            let first = hero.symbols[0];
            assert!(hero.symbols.iter().any(|symbol| *symbol != first), "{} {}", preset.slug, hero.example);
            hero.show_next_example(0.0);
        }
    }
}

#[test]
fn captions_say_what_is_averaged_and_what_the_ring_adds() {
    let words = |hero: &MarkovHero| crate::hero_testing::texts(&hero.scene(&frame(9000.0)));
    let mut heads = hero("#v1/markov?k=3&d=12&heads=2.3");
    assert!(words(&heads).contains("above: attention in layer 1 (mean of 2 heads)"), "{}", words(&heads));
    assert!(words(&heads).contains("below: attention in layer 2 (mean of 3 heads)"), "{}", words(&heads));
    assert!(heads.describe().contains("last layer, mean of 3 heads: "), "{}", heads.describe());
    for head in ["head-0", "head-3"] {
        heads.touch(head, Touch::Press, &frame(0.0)).unwrap();
    }
    assert!(words(&heads).contains("lines above: attention in layer 1, thickest 1"), "{}", words(&heads));
    assert!(words(&heads).contains("below: attention in layer 2 (mean of 2 heads)"), "{}", words(&heads));
    for (link, added) in [("", "+ 1 each"), ("?alpha=0.5", "+ 0.5 each")] {
        let hero = hero(&format!("#v1/markov{link}"));
        let alpha = hero.task.sequence_spec().pseudocount();
        assert!(words(&hero).contains(added), "{alpha} {}", words(&hero));
        // The ring is the share of a symbol in the counts after α is added to each of them.
        let (counts, estimate) = (hero.counts(), hero.estimate().unwrap());
        let all: f64 = counts.iter().map(|count| *count as f64 + alpha).sum();
        for (count, share) in counts.iter().zip(estimate) {
            assert!(((*count as f64 + alpha) / all - f64::from(share)).abs() < 1e-6);
        }
    }
    let minimal = hero("#v1/markov?model=minimal-markov&from=bigram&k=3&t=40");
    assert!(minimal.describe().contains("Weights of the votes: "), "{}", minimal.describe());
    assert!(!minimal.describe().contains("ttention") && !minimal.inner_progress_name().contains("ttention"));
}

#[test]
fn a_network_of_ones_own_answers_as_the_run_and_shows_its_attention() {
    let attention = "embed~8;positions;attention~2;attention~3~size~4;mlp~9;read";
    for (net, heads) in
        [(attention, vec![2, 3]), ("embed~6;gru~9;read", vec![]), ("embed~6;mlp~9;read", vec![])]
    {
        let mut hero = hero(&format!("#v1/markov?model=own&k=3&t=16&lr=0.1&net={net}"));
        assert_eq!((hero.symbols.len(), &hero.heads), (16, &heads));
        let weights: Vec<&[f32]> = hero.weights.iter().map(Vec::as_slice).collect();
        let mut x: Vec<f32> = hero.symbols.iter().map(|symbol| f32::from(*symbol)).collect();
        x.push(0.0);
        let logits = hero.spec.network().evaluate(&weights, 3, &x, 0);
        let powers: Vec<f32> = logits.iter().map(|logit| logit.exp()).collect();
        let expected: Vec<f32> = powers.iter().map(|power| power / powers.iter().sum::<f32>()).collect();
        assert_near(hero.probabilities(), &expected, net);
        // What a symbol attends to are symbols up to it; a network without attention attends to nothing.
        let total = |hero: &MarkovHero| {
            let Attended { keys, rest } = hero.attended();
            keys.iter().map(|(_, weight)| weight).sum::<f32>() + rest
        };
        assert!((total(&hero) - if heads.is_empty() { 0.0 } else { 1.0 }).abs() < 1e-4, "{net}");
        hero.touch("symbol-3", Touch::Press, &frame(0.0)).unwrap();
        let before = hero.probabilities().to_vec();
        // Symbols behind the chosen one change nothing at it.
        hero.symbols[9] = (hero.symbols[9] + 1) % 3;
        hero.evaluate(0.0);
        assert_near(hero.probabilities(), &before, net);
        let is_switched = hero.touch("head-2", Touch::Press, &frame(0.0)).is_some();
        assert_eq!(is_switched, !heads.is_empty());
        if is_switched {
            let differ = |a: &[f32], b: &[f32]| a.iter().zip(b).any(|(a, b)| (a - b).abs() > 1e-5);
            assert!(differ(hero.probabilities(), &before), "{net}");
            hero.touch("head-2", Touch::Press, &frame(0.0)).unwrap();
            assert_near(hero.probabilities(), &before, net);
        }
        let words = crate::hero_testing::texts(&hero.scene(&frame(9000.0)));
        assert_eq!(
            words.contains("below: attention in layer 2 (mean of 3 heads)"),
            !heads.is_empty(),
            "{words}"
        );
        assert!(!words.contains("vector v") && !words.contains("votes"), "{words}");
        check_scenes(&hero, 9000.0, None);
        check_texts(&hero);
    }
}

/// In contexts that are longer than the picture.
#[test]
fn the_attention_of_a_network_of_ones_own_is_the_mean_over_its_heads() {
    let hero = hero("#v1/markov?model=own&k=3&t=23&net=embed~8;positions;attention~3~size~4;mlp~9;read");
    let weights: Vec<&[f32]> = hero.weights.iter().map(Vec::as_slice).collect();
    let mut x: Vec<f32> = hero.symbols.iter().map(|symbol| f32::from(*symbol)).collect();
    x.resize(24, 2.0);
    let inside = hero.spec.network().inside(&weights, 3, &x);
    let attention = inside.iter().find(|array| array.name == "attention").unwrap();
    let last = &hero.trace.as_ref().unwrap().last;
    for (query, key) in (0..16).flat_map(|query| (0..16).map(move |key| (query, key))) {
        let mean = (0..3).map(|head| attention.values[(head * 23 + query) * 23 + key]).sum::<f32>() / 3.0;
        let drawn = last[query * 16 + key];
        assert!(
            (drawn - mean).abs() < 1e-6 && (key <= query || drawn == 0.0),
            "{query} {key}: {drawn} {mean}"
        );
    }
}

#[test]
fn presets_have_pictures_with_short_headlines_and_large_networks_have_none() {
    for preset in crate::markov::PRESETS.iter().copied().flatten() {
        let spec = decode(preset.link).0.spec;
        assert!(has_hero(&spec), "{}", preset.slug);
        let mut hero = new_hero(&spec).unwrap();
        for (has_ended, has_succeeded) in [(false, false), (true, false), (true, true)] {
            let weights = spec.initialize_replicas(1);
            hero.set_weights(StageProgress { step: 9, has_ended, has_succeeded }, &weights, 0.0);
            let headline = hero.headline();
            assert!(headline.chars().count() <= 90, "{headline}");
        }
    }
    let large =
        ["#v1/markov?t=256&d=128&heads=8.8.8.8", "#v1/markov?model=own&t=256&net=embed~64;mlp~512;read"];
    for link in [large[0], large[1], "#v1/sparse-parity"] {
        let spec = decode(link).0.spec;
        assert!(!has_hero(&spec) && new_hero(&spec).is_none(), "{link}");
    }
}
