//! A story as a handout: its passages with checkboxes for the questions, and the answers on a separate page.
//!
//! # Why
//! It is built only when the user prints. A checkbox is a border, which is printed even where backgrounds are not.

use super::story_summary;
use crate::html::Html;
use crate::share::qr::qr_svg;
use vivarium_core::language::translated;
use vivarium_labs::story::{PassageBlock, Story};

/// Returns a whole story as HTML for printing; `address` is its address, printed with a QR code.
pub fn handout_html(story: &Story, address: &str) -> String {
    let mut out = Html::default();
    out.raw("<header class=\"handout__head\"><div>");
    out.element("h1", translated(&story.title));
    out.element("p", &story_summary(&story.about, story.minutes));
    out.alternate(&["<p class=\"handout__address\">", address, "</p></div><div class=\"handout__code\">"]);
    out.raw(&qr_svg(address));
    out.raw("</div></header>");
    // The answers wait until the passages are written.
    let mut answers = Html::default();
    let mut number = 0;
    for (at, passage) in story.passages.iter().enumerate() {
        let title = format!("{}. {}", at + 1, translated(&passage.title));
        out.element("h2", &title);
        for block in &passage.blocks {
            match block {
                // Nothing unfolds on paper.
                PassageBlock::Text(text) | PassageBlock::More(text) => out.element("p", translated(text)),
                PassageBlock::Buttons(buttons) => {
                    let words: Vec<&str> = buttons.iter().map(|(word, _)| translated(word)).collect();
                    out.raw("<div class=\"handout__actions\">");
                    out.element("p", &tr!("Buttons on the page: {buttons}", buttons = words.join("; ")));
                    out.raw("</div>");
                }
                PassageBlock::Question { guesses, answer } => {
                    number += 1;
                    out.raw("<div class=\"handout__question\">");
                    out.element("h3", &tr!("Question {number}", number));
                    out.raw("<ul class=\"handout__guesses\">");
                    for (guess, is_right) in guesses {
                        out.element("li", translated(guess));
                        if *is_right {
                            answers.raw("<div class=\"handout__question\">");
                            answers.element("h3", &tr!("Question {number}, in “{title}”", number, title));
                            answers.element("p", &tr!("Right answer: *{guess}*", guess = translated(guess)));
                            answers.element("p", translated(answer));
                            answers.raw("</div>");
                        }
                    }
                    out.raw("</ul></div>");
                }
            }
        }
    }
    out.element("h2", tr!("Sources"));
    out.raw("<ul>");
    for source in &story.sources {
        out.element("li", source);
    }
    out.raw("</ul><section class=\"handout__answers\" data-testid=\"handout-answers\">");
    out.element("h2", &tr!("Answers: {title}", title = translated(&story.title)));
    out.raw(&answers.0);
    out.raw("</section>");
    out.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_labs::story::parse_story;
    use vivarium_labs::{find_story_file, stories};

    const ADDRESS: &str = "https://example.org/#story/one&only/1";

    fn each(check: impl Fn(&str, &Story, &str)) {
        for about in stories() {
            let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
            let text = std::fs::read_to_string(find_story_file(root, about.slug).unwrap()).unwrap();
            let story = parse_story(&text).unwrap();
            check(about.slug, &story, &handout_html(&story, ADDRESS));
        }
    }

    /// A text as it is within markup.
    fn within(text: &str) -> String {
        let mut out = Html::default();
        out.element("p", text);
        out.0[3..out.0.len() - 4].to_string()
    }

    fn questions(story: &Story) -> impl Iterator<Item = (&Vec<(String, bool)>, &String)> {
        story.passages.iter().flat_map(|passage| &passage.blocks).filter_map(|block| match block {
            PassageBlock::Question { guesses, answer } => Some((guesses, answer)),
            _ => None,
        })
    }

    #[test]
    fn a_handout_has_every_passage_and_a_box_for_every_guess() {
        each(|slug, story, html| {
            let (passages, answers) = html.split_once("<section class=\"handout__answers\"").unwrap();
            for (at, passage) in story.passages.iter().enumerate() {
                let title = within(&passage.title);
                assert!(passages.contains(&format!("<h2>{}. {title}</h2>", at + 1)), "{slug}: {title}");
                for block in &passage.blocks {
                    match block {
                        PassageBlock::Text(text) | PassageBlock::More(text) => {
                            assert!(passages.contains(&format!("<p>{}</p>", within(text))), "{slug}: {text}")
                        }
                        PassageBlock::Buttons(buttons) => {
                            assert!(buttons.iter().all(|(word, _)| passages.contains(&within(word))))
                        }
                        PassageBlock::Question { .. } => {}
                    }
                }
            }
            let boxes: Vec<&str> = passages.split("<ul class=\"handout__guesses\">").skip(1).collect();
            assert_eq!(boxes.len(), questions(story).count(), "{slug}");
            for ((guesses, _), list) in questions(story).zip(boxes) {
                let items: String =
                    guesses.iter().map(|(guess, _)| format!("<li>{}</li>", within(guess))).collect();
                assert!(list.starts_with(&format!("{items}</ul>")), "{slug}: {list:.300}");
            }
            assert!(story.sources.iter().all(|source| passages.contains(&within(source))), "{slug}");
            assert!(
                passages.contains("https://example.org/#story/one&amp;only/1</p>")
                    && !answers.contains("<svg")
            );
            assert!(passages.contains("<svg class=\"qr-code\""), "{slug}");
        });
    }

    #[test]
    fn answers_come_after_all_passages_and_nowhere_else() {
        each(|slug, story, html| {
            let (passages, answers) = html.split_once("<section class=\"handout__answers\"").unwrap();
            assert!(!passages.contains("Right answer"), "{slug}");
            for (number, (guesses, answer)) in questions(story).enumerate() {
                assert!(!passages.contains(&within(answer)), "{slug}: {answer}");
                let (right, _) = guesses.iter().find(|(_, is_right)| *is_right).unwrap();
                let expected =
                    format!("Right answer: <em>{}</em></p><p>{}</p>", within(right), within(answer));
                let (_, of_it) = answers.split_once(&format!("<h3>Question {}, in “", number + 1)).unwrap();
                assert!(of_it.split("<h3>").next().unwrap().contains(&expected), "{slug}: {expected}");
            }
            assert_eq!(answers.matches("<h3>").count(), questions(story).count(), "{slug}");
            // Nor are the notes for teachers on it.
            assert!(story.notes.goals.iter().all(|goal| !html.contains(&within(goal))), "{slug}");
        });
    }
}
