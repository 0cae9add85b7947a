//! Whatever a translation says, it stays text: every piece of markup, with a table in which each text is an element.

use std::path::Path;

use super::state::{Action, State};
use super::tour::TourAction;
use crate::charts::viewport::legend;
use crate::gallery::strip;
use crate::share::{qr, teaching};
use crate::sweeps::form::Choice;
use crate::sweeps::map::markup;
use vivarium_core::language::{Table, speak};
use vivarium_labs::parity::luck::{knobs_markup, places, winners_markup};
use vivarium_model::permalink::decode;
use vivarium_plot::charts::Named;

/// What no markup of ours has, and what ends an attribute; before each text, so that its places stay.
const EVIL: &str = "<img src=\"x\" onerror=\"y()\">\" onclick=\"z()\" ";

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn speak_evil() {
    let english = std::fs::read_to_string(root().join("www/languages/en.json")).unwrap();
    let english: Table = serde_json::from_str(&english).unwrap();
    speak(english.into_keys().map(|text| (text.clone(), format!("{EVIL}{text}"))).collect());
}

fn open(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    state
}

/// Texts are in it, and none of them is more than text.
fn check(what: &str, markup: &str) {
    assert!(markup.contains("&lt;img"), "{what} says nothing: {markup}");
    for bad in ["<img", "\" onclick", "onerror=\""] {
        let at = markup.find(bad);
        assert!(at.is_none(), "{what}: …{}", &markup[at.unwrap_or(0).saturating_sub(80)..][..160]);
    }
}

#[test]
fn no_translation_becomes_markup() {
    speak_evil();
    let state = open("#v1/sparse-parity?n=12&k=2&init=sparse");
    let spec = state.run.spec();
    check("the gallery's head", &state.gallery.head());
    check("the gallery's cards", &state.gallery.cards());
    check("the strip", &strip());
    check("the bench's head", &state.bench.head());
    check("the bench's buttons", &super::bench::tests::complete().bench.controls());
    check("the bench's tables", &super::bench::tests::complete().bench.found());
    check("the list of stories", &super::tour::list());
    check("the winners", &winners_markup(&state.run));
    check("the knobs of luck", &knobs_markup(places(spec)));
    check(
        "the form for a class",
        &teaching::form(&state.run.link, &teaching::LessonEdit { of_story: true, ..Default::default() }),
    );
    check("a code", &qr::svg("https://a.example"));
    check("a code that is too long", &qr::svg(&"x".repeat(5000)));
    let named = [false, true].map(|is_patch| Named {
        name: format!("{EVIL}loss"),
        colour: "#123".into(),
        is_patch,
        is_hidden: false,
    });
    check("a legend", &legend(&[&named[..], &named[..1]].concat()));

    let swept = "#v1/sparse-parity?n=12&sweep=opt:sgd_adam&series=lr:0.05_0.1";
    let (link, _) = decode(swept);
    let choice = Choice::of(&link.spec);
    check("the form of a sweep", &choice.markup(&link.spec));
    (0..2).for_each(|at| check("the values of a sweep", &choice.values(&link.spec, at)));
    check("the map of a sweep", &markup(&open("#v1/sparse-parity?replicas=2&sweep=n:10_20").run));
}

#[test]
fn no_story_becomes_markup() {
    speak_evil();
    for story in vivarium_labs::stories() {
        use super::tour::{handout::handout, lesson::lesson};
        let mut state = open(&format!("#story/{}", story.slug));
        check(story.slug, &state.tour.as_ref().unwrap().html());
        let text = std::fs::read_to_string(vivarium_labs::story_file(root(), story.slug).unwrap()).unwrap();
        state.apply(Action::Tour(TourAction::Fetched(story.slug, Ok(text))));
        // To the sources, which are the last page, and no further.
        for _ in 0..20 {
            check(story.slug, &state.tour.as_ref().unwrap().html());
            state.apply(Action::Tour(TourAction::Turn(1)));
        }
        let told = state.tour.as_ref().unwrap().story.as_ref().unwrap().as_ref().unwrap();
        check(story.slug, &handout(told, "https://a.example"));
        check(story.slug, &lesson(story.slug, told, "https://a.example", 1));
    }
}
