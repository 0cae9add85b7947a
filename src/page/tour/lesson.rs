//! The page for teachers on a story: goals, prerequisites, questions for the class, and misconceptions.

use super::{story_address, story_summary};
use crate::html::Html;
use vivarium_core::language::translated;
use vivarium_labs::PRESETS;
use vivarium_labs::story::{PassageBlock, Story};

/// Returns the page for teachers on a story as HTML; `level` is the heading level of its title.
pub fn lesson_html(slug: &str, story: &Story, address: &str, level: u32) -> String {
    let mut out = Html::default();
    let [title, head] = [level, level + 1].map(|level| format!("h{level}"));
    out.element(&title, translated(&story.title));
    out.element("p", &story_summary(&story.about, story.minutes));
    let is_question = |block: &&PassageBlock| matches!(block, PassageBlock::Question { .. });
    let questions = story.passages.iter().flat_map(|passage| &passage.blocks).filter(is_question).count();
    let passages = story.passages.len();
    let counts =
        tr!("The story has {passages} passages and asks for {questions} predictions.", passages, questions);
    out.element("p", &counts);
    out.alternate(&[
        "<p class=\"handout__address\"><a href=\"",
        &story_address(slug),
        "\">",
        address,
        "</a></p>",
    ]);
    let notes = &story.notes;
    write_list(&mut out, &head, tr!("Goals"), &notes.goals);
    write_list(&mut out, &head, tr!("What students should know before the story"), &notes.before);
    out.element(&head, tr!("Questions for the class"));
    out.raw("<dl class=\"lesson__questions\">");
    for (question, answer) in &notes.questions {
        out.element("dt", translated(question));
        out.element("dd", translated(answer));
    }
    out.raw("</dl>");
    write_list(&mut out, &head, tr!("Misconceptions"), &notes.misconceptions);
    write_list(&mut out, &head, tr!("Practical notes"), &notes.technical_problems);
    let long = list_long_runs(story);
    if !long.is_empty() {
        write_list(&mut out, &head, tr!("Runs that take a long time"), &long);
    }
    out.0
}

/// Appends a list of texts below a heading with the title `title`; `head` is the heading element, such as `h2`.
fn write_list(out: &mut Html, head: &str, title: &str, items: &[String]) {
    out.element(head, title);
    out.raw("<ul>");
    for item in items {
        out.element("li", translated(item));
    }
    out.raw("</ul>");
}

/// Returns "name: duration" of each run in the story's passages that takes long to train.
fn list_long_runs(story: &Story) -> Vec<String> {
    let mut long: Vec<String> = vec![];
    for passage in &story.passages {
        let preset = PRESETS.iter().find(|preset| preset.link == passage.run);
        if let Some(preset) = preset.filter(|preset| !preset.duration_note.is_empty()) {
            let line = format!("{}: {}", translated(preset.name), translated(preset.duration_note));
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
    use vivarium_labs::story::parse_story;
    use vivarium_labs::{find_story_file, stories};

    #[test]
    fn a_page_for_teachers_has_all_notes_below_headings() {
        for of in stories() {
            let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
            let text = std::fs::read_to_string(find_story_file(root, of.slug).unwrap()).unwrap();
            let story = parse_story(&text).unwrap();
            let html = lesson_html(of.slug, &story, "https://example.org/", 3);
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
            let items = [&notes.goals, &notes.before, &notes.misconceptions, &notes.technical_problems];
            let count = items.iter().map(|list| list.len()).sum::<usize>();
            let long = html.split("<h4>Runs that take a long time").nth(1).unwrap_or_default();
            assert_eq!(html.matches("<li>").count(), count + long.matches("<li>").count(), "{}", of.slug);
            assert_eq!(html.matches("<dd>").count(), notes.questions.len(), "{}", of.slug);
        }
    }

    #[test]
    fn a_translation_is_shown_and_stays_text() {
        let text = "---\ntitle: <T>\nabout: A.\nminutes: 1\n---\n\n## P\n\nRun: z23\n\nText.\n\n";
        let notes = vivarium_labs::story_notes::MINIMAL_NOTES.replace("- G.", "- <b> & *stress*.");
        let story = parse_story(&format!("{text}{notes}## Sources\n\n- S.\n")).unwrap();
        let html = lesson_html("one-note", &story, "\"<", 1);
        assert!(html.starts_with("<h1>&lt;T></h1>") && html.contains(">&quot;&lt;</a>"), "{html}");
        assert!(html.contains("<h2>Goals</h2><ul><li>&lt;b> &amp; <em>stress</em>.</li></ul>"), "{html}");
        assert!(html.contains("<dt>Q?</dt><dd>A.</dd><dt>R?</dt><dd>C.</dd>"), "{html}");
    }
}
