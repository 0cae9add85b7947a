//! Whatever a translation says, it stays text: every piece of markup, with a table in which each text is an element.

use std::path::Path;

use super::state::{Action, State};
use super::tour::TourAction;
use crate::charts::viewport::legend_html;
use crate::gallery::stories_html;
use crate::share::{qr, teaching};
use crate::sweeps::form::SweepForm;
use crate::sweeps::map::map_html;
use vivarium_core::language::{TranslationTable, set_translations};
use vivarium_model::permalink::decode;
use vivarium_plot::charts::LegendItem;

/// Text that no markup of the page contains and that ends an attribute; before each text, so that its places stay.
const EVIL: &str = "<img src=\"x\" onerror=\"y()\">\" onclick=\"z()\" ";

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Replaces every text of the page by one that would run a script if it were not escaped.
fn set_hostile_texts() {
    let english = std::fs::read_to_string(root().join("www/languages/en.json")).unwrap();
    let english: TranslationTable = serde_json::from_str(&english).unwrap();
    set_translations(english.into_keys().map(|text| (text.clone(), format!("{EVIL}{text}"))).collect());
}

fn open(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    state
}

/// Checks that the HTML contains the hostile text, and only escaped.
fn check(what: &str, markup: &str) {
    assert!(markup.contains("&lt;img"), "{what} says nothing: {markup}");
    for bad in ["<img", "\" onclick", "onerror=\""] {
        let at = markup.find(bad);
        assert!(at.is_none(), "{what}: …{}", &markup[at.unwrap_or(0).saturating_sub(80)..][..160]);
    }
}

#[test]
fn no_translation_becomes_markup() {
    set_hostile_texts();
    let state = open("#v1/sparse-parity?n=12&k=2&init=sparse");
    check("the gallery's head", &state.gallery.heading_html());
    check("the gallery's cards", &state.gallery.cards_html());
    check("the gallery's tiles", &state.gallery.tiles_html());
    check("the strip", &stories_html());
    check("the bench's head", &state.bench.heading_html());
    check("the bench's buttons", &super::bench::tests::completed_bench().bench.buttons_html());
    check("the bench's tables", &super::bench::tests::completed_bench().bench.results_html());
    check("the list of stories", &super::tour::story_list_html());
    check(
        "the form for a class",
        &teaching::form_html(
            &state.player.run.link,
            &teaching::LessonForm { opens_story: true, ..Default::default() },
        ),
    );
    check("a code", &qr::qr_svg("https://a.example"));
    check("a code that is too long", &qr::qr_svg(&"x".repeat(5000)));
    let named = [false, true].map(|is_patch| LegendItem {
        name: format!("{EVIL}loss"),
        colour: "#123".into(),
        is_patch,
        is_hidden: false,
    });
    check("a legend", &legend_html(&[&named[..], &named[..1]].concat()));

    let swept = "#v1/sparse-parity?n=12&sweep=opt:sgd_adam&series=lr:0.05_0.1";
    let (link, _) = decode(swept);
    let choice = SweepForm::from_spec(&link.spec);
    check("the form of a sweep", &choice.form_html(&link.spec));
    (0..2).for_each(|at| check("the values of a sweep", &choice.value_fields_html(&link.spec, at)));
    check("the map of a sweep", &map_html(&open("#v1/sparse-parity?replicas=2&sweep=n:10_20").player.run));
}

#[test]
fn no_story_becomes_markup() {
    set_hostile_texts();
    for story in vivarium_labs::stories() {
        use super::tour::{handout::handout_html, lesson::lesson_html};
        let mut state = open(&format!("#story/{}", story.slug));
        check(story.slug, &state.tour.as_ref().unwrap().passage_html());
        let text =
            std::fs::read_to_string(vivarium_labs::find_story_file(root(), story.slug).unwrap()).unwrap();
        state.apply(Action::Tour(TourAction::Fetched(story.slug, Ok(text))));
        // To the sources, which are the last page, and no further.
        for _ in 0..20 {
            check(story.slug, &state.tour.as_ref().unwrap().passage_html());
            state.apply(Action::Tour(TourAction::Turn(1)));
        }
        let shown = state.tour.as_ref().unwrap().story.as_ref().unwrap().as_ref().unwrap();
        check(story.slug, &handout_html(shown, "https://a.example"));
        check(story.slug, &lesson_html(story.slug, shown, "https://a.example", 1));
    }
}
