//! Every place that turns a string into markup says where that string comes from.

use std::fs;

use crate::structure::all_sources;

/// The words by which Leptos and web-sys take markup.
const SINKS: [&str; 5] = [
    "inner_html=",
    "set_inner_html(",
    "set_outer_html(",
    "insert_adjacent_html(",
    "create_contextual_fragment(",
];
/// What the line before such a place begins with: who wrote the markup, and that its texts are escaped.
const MARK: &str = "// Markup: ";

/// The places in a source that have no mark, as numbers of lines.
fn unmarked(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_sink = |line: &str| !line.starts_with("//") && SINKS.iter().any(|sink| line.contains(sink));
    // An element's attributes may be on several lines, and the mark stands before one of the two last.
    let is_marked = |at: usize| lines[at.saturating_sub(2)..at].iter().any(|line| line.starts_with(MARK));
    (0..lines.len()).filter(|at| is_sink(lines[*at]) && !is_marked(*at)).map(|at| at + 1).collect()
}

#[test]
fn every_place_that_takes_markup_says_whose_it_is() {
    let (src, files) = all_sources();
    let mut wrong = vec![];
    let mut marks = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        marks += text.matches(MARK).count();
        let name = file.strip_prefix(&src).unwrap().display();
        wrong.extend(unmarked(&text).into_iter().map(|line| format!("{name}:{line}")));
    }
    assert!(
        wrong.is_empty(),
        "{wrong:#?} take markup: escape its texts (language::escaped), and write `{MARK}…`"
    );
    assert!(marks > 5, "the sources are read");
}

#[test]
fn a_place_without_a_mark_is_found() {
    assert_eq!(unmarked("let a = 1;\nnode.set_inner_html(&text);\n"), [2]);
    assert_eq!(unmarked("<div\n    class=\"a\" inner_html=text></div>"), [2]);
    let marked =
        format!("{MARK}`a`, whose texts are escaped.\n<div\n    inner_html=text></div>\n\n<p inner_html=b>");
    assert_eq!(unmarked(&marked), [5]);
    assert!(unmarked("// `set_inner_html(` is marked").is_empty());
}
