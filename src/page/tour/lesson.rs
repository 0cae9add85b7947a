//! A story's page for teachers: goals, what to know before, questions for the class, and what often goes wrong.

use super::{in_short, start_of};
use crate::html::Html;
use vivarium_core::language::translated;
use vivarium_labs::PRESETS;
use vivarium_labs::story::{Block, Story};

/// The page of the story named `slug`, whose whole address is `address`; its title is a heading of `level`.
pub fn lesson(slug: &str, story: &Story, address: &str, level: u32) -> String {
    let mut out = Html::default();
    let [title, head] = [level, level + 1].map(|level| format!("h{level}"));
    out.within(&title, translated(&story.title));
    out.within("p", &in_short(&story.about, story.minutes));
    let is_question = |block: &&Block| matches!(block, Block::Question { .. });
    let questions = story.passages.iter().flat_map(|passage| &passage.blocks).filter(is_question).count();
    let passages = story.passages.len();
    let counts =
        tr!("The story has {passages} passages and asks for {questions} predictions.", passages, questions);
    out.within("p", &counts);
    out.mixed(&["<p class=\"handout__address\"><a href=\"", &start_of(slug), "\">", address, "</a></p>"]);
    let notes = &story.notes;
    list(&mut out, &head, tr!("Goals"), &notes.goals);
    list(&mut out, &head, tr!("What students should know before the story"), &notes.before);
    out.within(&head, tr!("Questions for the class"));
    out.raw("<dl class=\"lesson__questions\">");
    for (question, answer) in &notes.questions {
        out.within("dt", translated(question));
        out.within("dd", translated(answer));
    }
    out.raw("</dl>");
    list(&mut out, &head, tr!("Misconceptions"), &notes.misconceptions);
    list(&mut out, &head, tr!("Practical notes"), &notes.slips);
    let long = long_runs(story);
    if !long.is_empty() {
        list(&mut out, &head, tr!("Runs that take a long time"), &long);
    }
    out.0
}

fn list(out: &mut Html, head: &str, title: &str, items: &[String]) {
    out.within(head, title);
    out.raw("<ul>");
    for item in items {
        out.within("li", translated(item));
    }
    out.raw("</ul>");
}

/// The runs of the passages that take more than some seconds, each once with its time.
fn long_runs(story: &Story) -> Vec<String> {
    let mut long: Vec<String> = vec![];
    for passage in &story.passages {
        let preset = PRESETS.iter().find(|preset| preset.link == passage.run);
        if let Some(preset) = preset.filter(|preset| !preset.time.is_empty()) {
            let line = format!("{}: {}", translated(preset.name), translated(preset.time));
            if !long.contains(&line) {
                long.push(line);
            }
        }
    }
    long
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_labs::story::parse;
    use vivarium_labs::{stories, story_file};

    #[test]
    fn a_page_for_teachers_has_all_notes_below_headings() {
        for of in stories() {
            let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
            let text = std::fs::read_to_string(story_file(root, of.slug).unwrap()).unwrap();
            let story = parse(&text).unwrap();
            let html = lesson(of.slug, &story, "https://example.org/", 3);
            assert!(html.starts_with("<h3>") && html.contains(&format!("href=\"#story/{}/1\"", of.slug)));
            let heads: Vec<&str> =
                html.split("<h4>").skip(1).map(|part| part.split('<').next().unwrap()).collect();
            let wanted = [
                "Goals",
                "What students should know before the story",
                "Questions for the class",
                "Misconceptions",
                "Practical notes",
            ];
            assert_eq!(heads[..5], wanted, "{}", of.slug);
            let notes = &story.notes;
            let items = [&notes.goals, &notes.before, &notes.misconceptions, &notes.slips];
            let count = items.iter().map(|list| list.len()).sum::<usize>();
            let long = html.split("<h4>Runs that take a long time").nth(1).unwrap_or_default();
            assert_eq!(html.matches("<li>").count(), count + long.matches("<li>").count(), "{}", of.slug);
            assert_eq!(html.matches("<dd>").count(), notes.questions.len(), "{}", of.slug);
        }
    }

    #[test]
    fn a_translation_is_shown_and_stays_text() {
        let text = "---\ntitle: <T>\nabout: A.\nminutes: 1\n---\n\n## P\n\nRun: z23\n\nText.\n\n";
        let notes = vivarium_labs::story_notes::LEAST.replace("- G.", "- <b> & *stress*.");
        let story = parse(&format!("{text}{notes}## Sources\n\n- S.\n")).unwrap();
        let html = lesson("one-note", &story, "\"<", 1);
        assert!(html.starts_with("<h1>&lt;T></h1>") && html.contains(">&quot;&lt;</a>"), "{html}");
        assert!(html.contains("<h2>Goals</h2><ul><li>&lt;b> &amp; <em>stress</em>.</li></ul>"), "{html}");
        assert!(html.contains("<dt>Q?</dt><dd>A.</dd><dt>R?</dt><dd>C.</dd>"), "{html}");
    }
}
