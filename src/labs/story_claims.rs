//! Numbers in stories, against what the presets that they tell of promise, and are tested to hold.

use super::story::{Block, StoryAction, parse};
use super::{PRESETS, stories, story_file};
use vivarium_core::math::binomial;
use vivarium_model::permalink::decode;
use vivarium_view::presets::Preset;

/// A number that follows from a definition: story, number, and how it comes about.
type Fact = (&'static str, f64, fn() -> f64);

const FACTS: &[Fact] = &[
    ("grokking", 961.0, || 31.0 * 31.0),
    ("grokking", 3831.0, || (0.3f64 * 113.0 * 113.0).round()),
    ("hidden-progress", 32_768.0, || 2f64.powi(15)),
    ("hidden-progress", 4_096.0, || 2f64.powi(12)),
    ("no-luck", 1_140.0, || binomial(20, 3)),
    // Before the first network of a thousand is done, a guesser would be with a chance of one in twenty.
    ("no-luck", 55.0, || {
        if (0.045..0.055).contains(&(1.0 - (1.0 - 1.0 / 1140.0f64).powi(55))) { 55.0 } else { f64::NAN }
    }),
    ("no-luck", 19_600.0, || binomial(50, 3)),
    // n² / 2, n³ / 6 and n⁴ / 24 are k!'s.
    ("no-luck", 6.0, || 3.0 * 2.0),
    ("no-luck", 24.0, || 4.0 * 3.0 * 2.0),
    ("log-t", 161_700.0, || binomial(100, 3)),
    ("log-t", 18.0, || binomial(100, 3).log2().ceil()),
    ("log-t", 262_144.0, || 2f64.powi(18)),
    ("log-t", 0.69, || (100.0 * 2f64.ln()).round() / 100.0),
    // Heads and inputs of proposition 4.8, at the size that stands on the page.
    ("log-t", 16.0, || 2f64.powi(4)),
    ("log-t", 4.0, || 16f64.log2()),
    ("one-note", 529.0, || 23.0 * 23.0),
    ("one-note", 22.0, || 23.0 - 1.0),
    ("one-note", 88.0, || 8.0 * (23.0 - 1.0) / 2.0),
    ("width-luck", 4_060.0, || binomial(30, 3)),
    ("width-luck", 455.0, || binomial(15, 3)),
    // Layers of 25 steps on a network of three layers.
    ("a-network-inside-a-network", 250.0, || 25.0 * (2.0 * 3.0 + 4.0)),
];

/// Steps at which a run with its own seed is right everywhere; `tests/suite/stories.rs` trains them.
const ENDS: &[(&str, f64)] = &[
    ("hidden-progress", 770.0),
    ("hidden-progress", 500.0),
    // The seed of another run, which a statement of the story trains.
    ("what-training-finds", 4.0),
];

/// The numbers of a text: 1,140 and 0.08 and −0.1; digits that belong to a word, and powers, are none.
fn numbers(text: &str) -> Vec<f64> {
    let mut found = vec![];
    let letters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < letters.len() {
        let belongs = at > 0 && (letters[at - 1].is_alphanumeric() || letters[at - 1] == '_');
        if !letters[at].is_ascii_digit() || belongs {
            at += 1;
            continue;
        }
        let mut digits = String::new();
        while at < letters.len() {
            let next = letters.get(at + 1).is_some_and(char::is_ascii_digit);
            match letters[at] {
                digit if digit.is_ascii_digit() => digits.push(digit),
                ',' if next => {}
                '.' if next => digits.push('.'),
                _ => break,
            }
            at += 1;
        }
        found.extend(digits.parse::<f64>());
    }
    found
}

/// Every number that stands in what a preset says of itself, also as a percentage and as its complement.
fn promised(preset: &Preset) -> Vec<f64> {
    let words = format!(
        "{:?} {} {}",
        preset.expect,
        vivarium_view::display::instance::instance(preset),
        preset.claim
    );
    let mut all = numbers(&words.replace("..", " "));
    all.extend(preset.link.split(['=', '&', '_', ':']).filter_map(|value| value.parse::<f64>().ok()));
    all.push(preset.budget as f64);
    let defaults = vivarium_model::permalink::decode(preset.link).0.spec;
    let kept = vivarium_core::settings::thousands(defaults.run.replicas as u64);
    all.extend(numbers(&kept));
    let keys =
        ["n", "k", "width", "modulus", "order", "split", "fraction", "replicas", "inits", "steps", "every"];
    all.extend(keys.iter().filter_map(|key| defaults.value(key)?.to_string().parse::<f64>().ok()));
    all
}

fn buttons(block: &Block) -> Option<&Vec<(String, StoryAction)>> {
    match block {
        Block::Buttons(buttons) => Some(buttons),
        _ => None,
    }
}

#[test]
fn every_number_of_a_story_is_a_presets_or_follows_from_a_definition() {
    let mut unknown = vec![];
    for about in stories() {
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let text = std::fs::read_to_string(story_file(root, about.slug).unwrap()).unwrap();
        let story = parse(&text).unwrap();
        for passage in &story.passages {
            let mut runs = vec![decode(&passage.run).0.spec];
            for (_, deed) in passage.blocks.iter().filter_map(buttons).flatten() {
                match deed {
                    StoryAction::Open(link) => runs.push(decode(link).0.spec),
                    StoryAction::Change(key, value) => {
                        let mut changed = runs[0].clone();
                        changed.parse(key, value).unwrap();
                        runs.push(changed);
                    }
                    StoryAction::Train(_) | StoryAction::Point(_) => {}
                }
            }
            let told = PRESETS.iter().filter(|preset| runs.contains(&preset.link().spec));
            let known: Vec<f64> = told.flat_map(promised).collect();
            let fits =
                |number: f64| {
                    let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs().max(1.0);
                    known.iter().any(|v| {
                        near(number, *v) || near(number, 100.0 * v) || near(number, 100.0 * (1.0 - v))
                    }) || FACTS.iter().any(|(slug, value, of)| {
                        *slug == about.slug && near(number, *value) && near(*value, of())
                    }) || ENDS.iter().any(|(slug, step)| *slug == about.slug && near(number, *step))
                };
            for block in &passage.blocks {
                let texts = match block {
                    Block::Text(text) => text.clone(),
                    Block::Question { answer, .. } => answer.clone(),
                    Block::Buttons(_) => continue,
                };
                for number in numbers(&texts).into_iter().filter(|number| !fits(*number)) {
                    unknown.push(format!("{}, {}: {number} in {texts:.60}", about.slug, passage.title));
                }
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

/// What the notes for teachers say with numbers, the story says as well.
#[test]
fn every_number_of_the_notes_is_the_storys_or_follows_from_a_definition() {
    let mut unknown = vec![];
    for about in stories() {
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let text = std::fs::read_to_string(story_file(root, about.slug).unwrap()).unwrap();
        let (told, rest) = text.split_once("## For teachers").unwrap();
        let (notes, _) = rest.split_once("## Sources").unwrap();
        let known = numbers(told);
        let facts = || FACTS.iter().filter(|(slug, value, of)| *slug == about.slug && *value == of());
        let fits = |number: &f64| known.contains(number) || facts().any(|(_, value, _)| value == number);
        unknown.extend(numbers(notes).into_iter().filter(|number| !fits(number)).map(|n| (about.slug, n)));
    }
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn numbers_are_read_as_they_are_written() {
    assert_eq!(numbers("1,140 ways; −0.1 of 60 %. n³ / 6, x2, 2,000."), [1140.0, 0.1, 60.0, 6.0, 2000.0]);
}
