//! The glossary against itself, and against every text of the page.

use std::collections::HashMap;
use std::path::Path;

use vivarium::catalog::Entry;
use vivarium::chart::Chart;
use vivarium::display::glossary::{MOST, Marks, Piece, TERMS, sorted, terms_in};
use vivarium::labs::story::{Block, parse};
use vivarium::labs::{PRESETS, preset_groups, stories, story_file};
use vivarium::language::speak;
use vivarium::models::Model;
use vivarium::optim::Optimizer;
use vivarium::run::Run;
use vivarium::settings::Settings;
use vivarium::tasks::Task;

/// The texts in which terms are marked, and the names and titles beside them.
fn texts() -> Vec<String> {
    let mut texts = vec![];
    let mut of_entries = |entries: &[Entry]| {
        for entry in entries {
            texts.extend([entry.info.name, entry.info.about].map(String::from));
            texts.extend(entry.knobs.iter().map(|knob| knob.help.to_string()));
        }
    };
    of_entries(Task::ENTRIES);
    of_entries(Model::ENTRIES);
    of_entries(Optimizer::ENTRIES);
    texts.extend(Run::KNOBS.iter().map(|knob| knob.help.to_string()));
    texts.extend(preset_groups().map(|presets| presets[0].group.name.to_string()));
    for about in Chart::ALL.iter().map(|chart| chart.info()) {
        texts.extend([about.name, about.help].map(String::from));
    }
    for preset in PRESETS {
        texts.extend([preset.name, preset.claim, preset.instance].map(String::from));
    }
    for about in stories() {
        let file = story_file(Path::new(env!("CARGO_MANIFEST_DIR")), about.slug).unwrap();
        for passage in parse(&std::fs::read_to_string(file).unwrap()).unwrap().passages {
            for block in passage.blocks {
                match block {
                    Block::Text(text) => texts.push(text),
                    Block::Question { answer, .. } => texts.push(answer),
                    Block::Buttons(_) => {}
                }
            }
        }
    }
    assert!(texts.len() > 900, "{}", texts.len());
    texts
}

/// The terms that are marked in a text, by how they are spelled there.
fn marked<'a>(pieces: &[Piece<'a>]) -> Vec<&'a str> {
    let word = |piece: &Piece<'a>| if let Piece::Term(word, _) = piece { Some(*word) } else { None };
    pieces.iter().filter_map(word).collect()
}

fn name(term: usize) -> &'static str {
    sorted_names()[term]
}

fn sorted_names() -> Vec<&'static str> {
    TERMS.iter().map(|term| term.words.split('|').next().unwrap()).collect()
}

#[test]
fn every_term_occurs_on_the_page() {
    let mut left: Vec<usize> = (0..TERMS.len()).collect();
    for text in texts() {
        let found = terms_in(&text);
        left.retain(|term| !found.iter().any(|(_, one)| one == term));
    }
    assert!(left.is_empty(), "{:?}", left.into_iter().map(name).collect::<Vec<_>>());
}

#[test]
fn marking_leaves_every_text_as_it_is() {
    for text in texts() {
        let plain = |pieces: &[Piece]| -> String {
            let of = |piece: &Piece| match *piece {
                Piece::Plain(text) | Piece::Stressed(text) | Piece::Term(text, _) => text.to_string(),
            };
            pieces.iter().map(of).collect()
        };
        let pieces = Marks::default().plain(&text);
        assert_eq!(plain(&pieces), text);
        assert!(marked(&pieces).len() <= MOST, "{text}");
        assert_eq!(plain(&Marks::default().stressed(&text)), text.replace('*', ""));
    }
}

#[test]
fn no_two_terms_are_spelled_alike_and_all_are_in_order() {
    let mut known = HashMap::new();
    for (at, term) in TERMS.iter().enumerate() {
        for word in term.words.split('|') {
            assert!(known.insert(word.to_lowercase(), at).is_none(), "{word}");
            assert_eq!(terms_in(word), [(0..word.len(), at)], "{word}");
        }
    }
    let names: Vec<&str> = sorted().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, sorted_names());
}

#[test]
fn explanations_are_short_and_do_not_go_round_in_a_circle() {
    let named = |at: usize| -> Vec<usize> {
        let found = terms_in(TERMS[at].means).into_iter().map(|(_, term)| term);
        found.filter(|term| *term != at).collect()
    };
    for (at, term) in TERMS.iter().enumerate() {
        let letters = term.means.chars().count();
        assert!((20..=200).contains(&letters) && term.means.ends_with('.'), "{}: {letters}", name(at));
        let (mut seen, mut next) = (vec![], named(at));
        while let Some(other) = next.pop() {
            assert!(other != at, "{} is explained by way of itself: {seen:?}", name(at));
            if !seen.contains(&other) {
                seen.push(other);
                next.extend(named(other));
            }
        }
    }
}

#[test]
fn whole_words_are_marked_once_and_the_longest_first() {
    let marks = |text| marked(&Marks::default().plain(text));
    assert_eq!(marks("Induction heads are attention heads."), ["Induction heads", "attention heads"]);
    assert_eq!(marks("Batches: one batch, then a minibatch."), ["Batches"]);
    assert_eq!(marks("The SGD-like step and R²=1, paritywise."), [""; 0]);
    assert_eq!(marks("Open “Label noise”, then see `loss` or R²."), ["R²"]);
    assert_eq!(marks("loss, seed, batch, margin, softmax").len(), MOST);
}

#[test]
fn what_a_passage_explains_or_has_marked_is_not_marked_again() {
    let mut marks = Marks::default();
    assert_eq!(
        marked(&marks.stressed("The margin grows. Later: a *parity*, the parity of bits.")),
        ["margin"]
    );
    assert_eq!(marked(&marks.stressed("A margin, a parity and a logit.")), ["logit"]);
}

#[test]
fn a_translation_has_spellings_of_its_own() {
    let margin = TERMS.iter().find(|term| term.words.starts_with("margin")).unwrap();
    speak([(margin.words.into(), "Abstand|Abstände|Abstands".into())].into());
    let text = "Äußerste abstände, Abstandhalter, margin.";
    assert_eq!(marked(&Marks::default().plain(text)), ["abstände"]);
    assert!(sorted().iter().any(|(name, means)| *name == "Abstand" && *means == margin.means));
}
