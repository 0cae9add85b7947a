//! Tests that every number in a story follows from a definition or from the tested claims of the presets it uses.

use super::story::{PassageBlock, StoryAction, parse_story};
use super::{PRESETS, find_story_file, stories};
use vivarium_core::math::binomial;
use vivarium_model::permalink::decode;
use vivarium_view::presets::Preset;

/// A number in a story that follows from a definition: the story's slug, the number, and the function that computes it.
type DerivedNumber = (&'static str, f64, fn() -> f64);

/// Numbers in stories that follow from a definition, such as a binomial coefficient, and not from a preset.
const DERIVED_NUMBERS: &[DerivedNumber] = &[
    ("grokking", 961.0, || 31.0 * 31.0),
    ("grokking", 3831.0, || (0.3f64 * 113.0 * 113.0).round()),
    ("hidden-progress", 32_768.0, || 2f64.powi(15)),
    ("hidden-progress", 4_096.0, || 2f64.powi(12)),
    ("no-luck", 1_140.0, || binomial(20, 3)),
    // With 55 guesses, guessing at random succeeds with probability 1/20.
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
    // Heads and inputs of proposition 4.8, at the size that the story gives.
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

/// Pairs of a story's slug and the step at which a run with a given seed has solved its task; `tests/suite/stories.rs`
/// trains these runs.
const SOLVED_STEPS: &[(&str, f64)] = &[
    ("hidden-progress", 770.0),
    ("hidden-progress", 500.0),
    // The seed of another run, which a statement of the story trains.
    ("what-training-finds", 4.0),
];

/// All numbers in a text, without signs: 1,140 and 0.08; not digits within a word, and not exponents.
fn parse_numbers(text: &str) -> Vec<f64> {
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

/// All numbers in a preset's claim, expectations, description, link and settings, which a story may repeat.
fn preset_numbers(preset: &Preset) -> Vec<f64> {
    let words = format!(
        "{:?} {} {}",
        preset.expectations,
        vivarium_view::display::instance::describe_source_comparison(preset),
        preset.claim
    );
    let mut all = parse_numbers(&words.replace("..", " "));
    all.extend(preset.link.split(['=', '&', '_', ':']).filter_map(|value| value.parse::<f64>().ok()));
    all.push(preset.max_steps as f64);
    let defaults = vivarium_model::permalink::decode(preset.link).0.spec;
    let replicas = vivarium_core::settings::format_thousands(defaults.run.replicas as u64);
    all.extend(parse_numbers(&replicas));
    let keys =
        ["n", "k", "width", "modulus", "order", "split", "fraction", "replicas", "inits", "steps", "every"];
    all.extend(keys.iter().filter_map(|key| defaults.value(key)?.to_string().parse::<f64>().ok()));
    all
}

/// The buttons of a block of a story's passage, each with label and action; none if the block has no buttons.
fn block_buttons(block: &PassageBlock) -> Option<&Vec<(String, StoryAction)>> {
    match block {
        PassageBlock::Buttons(buttons) => Some(buttons),
        _ => None,
    }
}

#[test]
fn every_number_of_a_story_is_a_presets_or_follows_from_a_definition() {
    let mut unknown = vec![];
    for about in stories() {
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let text = std::fs::read_to_string(find_story_file(root, about.slug).unwrap()).unwrap();
        let story = parse_story(&text).unwrap();
        for passage in &story.passages {
            let mut runs = vec![decode(&passage.run).0.spec];
            for (_, action) in passage.blocks.iter().filter_map(block_buttons).flatten() {
                match action {
                    StoryAction::Open(link) => runs.push(decode(link).0.spec),
                    StoryAction::Change(key, value) => {
                        let mut changed = runs[0].clone();
                        changed.parse(key, value).unwrap();
                        runs.push(changed);
                    }
                    StoryAction::Train(_) | StoryAction::Point(_) => {}
                }
            }
            let presets = PRESETS.iter().filter(|preset| runs.contains(&preset.link().spec));
            let known: Vec<f64> = presets.flat_map(preset_numbers).collect();
            let fits =
                |number: f64| {
                    let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs().max(1.0);
                    known.iter().any(|v| {
                        near(number, *v) || near(number, 100.0 * v) || near(number, 100.0 * (1.0 - v))
                    }) || DERIVED_NUMBERS.iter().any(|(slug, value, of)| {
                        *slug == about.slug && near(number, *value) && near(*value, of())
                    }) || SOLVED_STEPS.iter().any(|(slug, step)| *slug == about.slug && near(number, *step))
                };
            for block in &passage.blocks {
                let texts = match block {
                    PassageBlock::Text(text) | PassageBlock::More(text) => text.clone(),
                    PassageBlock::Question { answer, .. } => answer.clone(),
                    PassageBlock::Buttons(_) => continue,
                };
                for number in parse_numbers(&texts).into_iter().filter(|number| !fits(*number)) {
                    unknown.push(format!("{}, {}: {number} in {texts:.60}", about.slug, passage.title));
                }
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
}

/// Each number in the notes for teachers is also in the story itself.
#[test]
fn every_number_of_the_notes_is_the_storys_or_follows_from_a_definition() {
    let mut unknown = vec![];
    for about in stories() {
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let text = std::fs::read_to_string(find_story_file(root, about.slug).unwrap()).unwrap();
        let (told, rest) = text.split_once("## For teachers").unwrap();
        let (notes, _) = rest.split_once("## Sources").unwrap();
        let known = parse_numbers(told);
        let facts =
            || DERIVED_NUMBERS.iter().filter(|(slug, value, of)| *slug == about.slug && *value == of());
        let fits = |number: &f64| known.contains(number) || facts().any(|(_, value, _)| value == number);
        unknown
            .extend(parse_numbers(notes).into_iter().filter(|number| !fits(number)).map(|n| (about.slug, n)));
    }
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn numbers_are_read_as_they_are_written() {
    assert_eq!(
        parse_numbers("1,140 ways; −0.1 of 60 %. n³ / 6, x2, 2,000."),
        [1140.0, 0.1, 60.0, 6.0, 2000.0]
    );
}
