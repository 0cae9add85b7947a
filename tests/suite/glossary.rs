//! The glossary against itself, and against every text of the page.

use std::collections::HashMap;
use std::path::Path;

use vivarium::catalog::CatalogEntry;
use vivarium::chart::Chart;
use vivarium::display::glossary::{MAX_MARKED_TERMS, TERMS, TermMarker, TextPiece, find_terms, sorted_terms};
use vivarium::labs::story::{PassageBlock, parse_story};
use vivarium::labs::{PRESETS, find_story_file, preset_groups, stories};
use vivarium::language::set_translations;
use vivarium::models::Model;
use vivarium::optim::Optimizer;
use vivarium::run::RunSettings;
use vivarium::settings::Settings;
use vivarium::tasks::Task;

/// The texts in which terms are marked, and the names and titles beside them.
fn texts() -> Vec<String> {
    let mut texts = vec![];
    let mut of_entries = |entries: &[CatalogEntry]| {
        for entry in entries {
            texts.extend([entry.info.name, entry.info.about].map(String::from));
            texts.extend(entry.settings.iter().map(|setting| setting.help.to_string()));
        }
    };
    of_entries(Task::ENTRIES);
    of_entries(Model::ENTRIES);
    of_entries(Optimizer::ENTRIES);
    texts.extend(RunSettings::SETTINGS.iter().map(|setting| setting.help.to_string()));
    texts.extend(preset_groups().map(|presets| presets[0].group.name.to_string()));
    for about in Chart::ALL.iter().map(|chart| chart.info()) {
        texts.extend([about.name, about.help].map(String::from));
    }
    for preset in PRESETS {
        texts.extend([preset.name, preset.claim, preset.remarks].map(String::from));
    }
    for about in stories() {
        let file = find_story_file(Path::new(env!("CARGO_MANIFEST_DIR")), about.slug).unwrap();
        for passage in parse_story(&std::fs::read_to_string(file).unwrap()).unwrap().passages {
            for block in passage.blocks {
                match block {
                    PassageBlock::Text(text) | PassageBlock::More(text) => texts.push(text),
                    PassageBlock::Question { answer, .. } => texts.push(answer),
                    PassageBlock::Buttons(_) => {}
                }
            }
        }
    }
    assert!(texts.len() > 900, "{}", texts.len());
    texts
}

/// The terms that are marked in a text, by how they are spelled there.
fn marked<'a>(pieces: &[TextPiece<'a>]) -> Vec<&'a str> {
    let word = |piece: &TextPiece<'a>| if let TextPiece::Term(word, _) = piece { Some(*word) } else { None };
    pieces.iter().filter_map(word).collect()
}

fn name(term: usize) -> &'static str {
    sorted_names()[term]
}

fn sorted_names() -> Vec<&'static str> {
    TERMS.iter().map(|term| term.spellings.split('|').next().unwrap()).collect()
}

#[test]
fn every_term_occurs_on_the_page() {
    let mut left: Vec<usize> = (0..TERMS.len()).collect();
    for text in texts() {
        let found = find_terms(&text);
        left.retain(|term| !found.iter().any(|(_, one)| one == term));
    }
    assert!(left.is_empty(), "{:?}", left.into_iter().map(name).collect::<Vec<_>>());
}

#[test]
fn marking_leaves_every_text_as_it_is() {
    for text in texts() {
        let plain = |pieces: &[TextPiece]| -> String {
            let of = |piece: &TextPiece| match *piece {
                TextPiece::Text(text) | TextPiece::Emphasized(text) | TextPiece::Term(text, _) => {
                    text.to_string()
                }
            };
            pieces.iter().map(of).collect()
        };
        let pieces = TermMarker::default().mark_plain_text(&text);
        assert_eq!(plain(&pieces), text);
        assert!(marked(&pieces).len() <= MAX_MARKED_TERMS, "{text}");
        assert_eq!(plain(&TermMarker::default().mark_emphasized_text(&text)), text.replace('*', ""));
    }
}

#[test]
fn no_two_terms_are_spelled_alike_and_all_are_in_order() {
    let mut known = HashMap::new();
    for (at, term) in TERMS.iter().enumerate() {
        for word in term.spellings.split('|') {
            assert!(known.insert(word.to_lowercase(), at).is_none(), "{word}");
            assert_eq!(find_terms(word), [(0..word.len(), at)], "{word}");
        }
    }
    let names: Vec<&str> = sorted_terms().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, sorted_names());
}

#[test]
fn explanations_are_short_and_do_not_go_round_in_a_circle() {
    let named = |at: usize| -> Vec<usize> {
        let found = find_terms(TERMS[at].definition).into_iter().map(|(_, term)| term);
        found.filter(|term| *term != at).collect()
    };
    for (at, term) in TERMS.iter().enumerate() {
        let letters = term.definition.chars().count();
        assert!((20..=200).contains(&letters) && term.definition.ends_with('.'), "{}: {letters}", name(at));
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
    let marks = |text| marked(&TermMarker::default().mark_plain_text(text));
    assert_eq!(marks("Induction heads are attention heads."), ["Induction heads", "attention heads"]);
    assert_eq!(marks("Batches: one batch, then a minibatch."), ["Batches"]);
    assert_eq!(marks("The SGD-like step and R²=1, paritywise."), [""; 0]);
    assert_eq!(marks("Open “Label noise”, then see `loss` or R²."), ["R²"]);
    assert_eq!(marks("loss, seed, batch, margin, softmax").len(), MAX_MARKED_TERMS);
}

#[test]
fn what_a_passage_explains_or_has_marked_is_not_marked_again() {
    let mut marks = TermMarker::default();
    assert_eq!(
        marked(&marks.mark_emphasized_text("The margin grows. Later: a *parity*, the parity of bits.")),
        ["margin"]
    );
    assert_eq!(marked(&marks.mark_emphasized_text("A margin, a parity and a logit.")), ["logit"]);
}

#[test]
fn a_translation_has_spellings_of_its_own() {
    let margin = TERMS.iter().find(|term| term.spellings.starts_with("margin")).unwrap();
    set_translations([(margin.spellings.into(), "Abstand|Abstände|Abstands".into())].into());
    let text = "Äußerste abstände, Abstandhalter, margin.";
    assert_eq!(marked(&TermMarker::default().mark_plain_text(text)), ["abstände"]);
    assert!(sorted_terms().iter().any(|(name, means)| *name == "Abstand" && *means == margin.definition));
}
