//! The gallery: which cards there are, what is drawn on them, and how it opens and closes.

use crate::effect::Effect;
use crate::gallery::update::page_address;
use crate::gallery::{FRAGMENT, Gallery, GalleryAction, curves_svg, stories_html};
use crate::run::tests::Page;
use crate::share::titles::page_title;
use crate::state::{Action, State};
use vivarium_labs::{PRESETS, find_preset, stories};
use vivarium_model::permalink::encode;
use vivarium_plot::analysis::Role;
use vivarium_view::presets::recorded::{DurationClass, PresetRecording, RecordedCurve, parse};

const FILE: &str = include_str!("../../view/presets/recorded.txt");

fn open() -> State {
    let mut state = State::default();
    let effects = state.apply(Action::Open(FRAGMENT.into()));
    assert!(effects.contains(&Effect::FetchRecorded));
    state.apply(Action::Gallery(GalleryAction::Fetched(Ok(FILE.into()))));
    state
}

fn filtered_cards(filter: &[(&str, &str)]) -> String {
    let mut state = open();
    for (name, value) in filter {
        state.apply(Action::Gallery(GalleryAction::Filter((*name).into(), (*value).into())));
    }
    state.gallery.cards_html()
}

/// Names of the cards, in order.
fn card_names(cards: &str) -> Vec<String> {
    let after = cards.split("data-testid=\"card-").skip(1);
    after.map(|text| text.split('"').next().unwrap().to_string()).collect()
}

#[test]
fn every_story_and_preset_has_one_card_those_of_a_lab_together() {
    let cards = filtered_cards(&[]);
    let mut wanted: Vec<&str> = stories().map(|story| story.slug).collect();
    for lab in vivarium_model::tasks::Task::ENTRIES.iter().map(|task| task.info.slug) {
        let of_lab = PRESETS.iter().filter(|p| p.link().spec.task.info().slug == lab);
        wanted.extend(of_lab.map(|preset| preset.slug));
    }
    assert_eq!(card_names(&cards), wanted);
    assert!(cards.contains(&format!("{0} of {0} experiments and stories are shown.", wanted.len())));
    for preset in PRESETS {
        let link = format!("href=\"{}\"", preset.link.replace('&', "&amp;"));
        assert!(cards.contains(&link), "{}", preset.slug);
    }
    let unfinished = cards.matches("too large to be recorded").count();
    assert_eq!(cards.matches("<svg").count() + unfinished, wanted.len());
    assert!(cards.matches(", recorded</span>").count() == cards.matches("<svg").count());
    // Every heading has cards, and every tag is closed.
    assert_eq!(cards.matches("<ul").count(), cards.matches("</ul>").count());
    assert_eq!(cards.matches("<h3>").count(), 1 + vivarium_model::tasks::Task::ENTRIES.len());
}

#[test]
fn the_filter_takes_topics_times_and_words_together() {
    let of = |filter: &[(&str, &str)]| card_names(&filtered_cards(filter));
    assert_eq!(of(&[("topic", "stories")]).len(), stories().count());
    let markov = of(&[("topic", "lab.markov")]);
    assert_eq!(markov.len(), PRESETS.iter().filter(|p| p.link.starts_with("#v1/markov")).count());
    // A lab and a group of presets that share a slug are two topics.
    let (lab, group) = (of(&[("topic", "lab.groups")]), of(&[("topic", "groups")]));
    assert!(group.contains(&"s4".into()) && group.len() < lab.len());
    let (quick, minute) = (of(&[("time", "seconds")]), of(&[("time", "minute")]));
    assert!(quick.len() > 50 && quick.len() < minute.len() && minute.len() < PRESETS.len());
    assert!(quick.iter().all(|name| minute.contains(name)));
    let all = parse(FILE).unwrap();
    let time = |name: &str| all.iter().find(|one| one.slug == name).unwrap().time;
    assert!(quick.iter().all(|name| time(name) == DurationClass::Seconds));
    let cards = of(&[("words", "weight DECAY"), ("topic", "lab.groups"), ("time", "minutes")]);
    assert!(!cards.is_empty() && cards.len() < 12, "{cards:?}");
    // Words that people use find what the texts call by other names.
    let stories = filtered_cards(&[("words", "Grokking"), ("topic", "stories")]);
    assert!(
        stories.contains("Memorise, then understand") && !stories.contains("Learned to learn"),
        "{stories}"
    );
    assert!(of(&[("words", "xor")]).contains(&"parity-20".into()));
    let nothing = filtered_cards(&[("words", "astrology")]);
    assert!(card_names(&nothing).is_empty() && nothing.contains("No experiment or story matches"));
    // What was typed is text, not markup.
    let mut state = open();
    state.apply(Action::Gallery(GalleryAction::Filter("words".into(), "\"><b>".into())));
    assert!(state.gallery.heading_html().contains("value=\"&quot;>&lt;b>\""));
}

fn example() -> PresetRecording {
    let curve = |role, y: &[f32]| RecordedCurve { role, x: vec![0.0, 10.0, 1000.0], y: y.to_vec() };
    PresetRecording {
        slug: "one".into(),
        link: "#v1/markov".into(),
        time: DurationClass::Minute,
        recorded_until: 1000,
        run_length: 1000,
        chart: "accuracy".into(),
        log: [false, false],
        lines: vec![(0.5, "chance".into())],
        curves: vec![curve(Role::Test, &[0.0, 0.5, 1.0]), curve(Role::Other, &[0.5, 0.5, 0.5])],
    }
}

#[test]
fn a_drawing_spans_its_curves_on_its_axes() {
    let linear = curves_svg(&example());
    assert!(linear.contains("class=\"curve__test\" points=\"8,152 13,80 592,8 \""), "{linear}");
    assert!(linear.contains("d=\"M0 80H600\"") && linear.contains("points=\"8,80 13,80 592,80 \""));
    assert!(
        linear
            .contains("aria-label=\"Accuracy, recorded: 0.000 at the first point, 1.000 at the last point\"")
    );
    // What is told stands over what it is compared with.
    assert!(linear.find("curve__other").unwrap() < linear.find("curve__test").unwrap());
    let log = curves_svg(&PresetRecording { log: [true, false], ..example() });
    assert!(log.contains("points=\"8,152 202,80 592,8 \""), "{log}");
    // Values of a setting may be smaller than 1.
    let mut small = PresetRecording { log: [true, false], ..example() };
    small.curves.iter_mut().for_each(|curve| curve.x = vec![1e-5, 1e-4, 1e-3]);
    assert!(curves_svg(&small).contains("points=\"8,152 299,80 592,8 \""), "{}", curves_svg(&small));
    // Nothing that moves lies in the middle.
    let still = PresetRecording { curves: vec![example().curves.remove(1)], ..example() };
    assert!(curves_svg(&still).contains("points=\"8,80 13,80 592,80 \""));
}

#[test]
fn every_recorded_curve_lies_in_its_drawing() {
    for one in parse(FILE).unwrap().iter().filter(|one| !one.curves.is_empty()) {
        let svg = curves_svg(one);
        for points in svg.split("points=\"").skip(1) {
            for point in points.split('"').next().unwrap().split_whitespace() {
                let (x, y) = point.split_once(',').unwrap();
                let (x, y): (i32, i32) = (x.parse().unwrap(), y.parse().unwrap());
                assert!((8..=592).contains(&x) && (8..=152).contains(&y), "{}: {point}", one.slug);
            }
        }
        assert!(!svg.contains('–'), "{}: {svg}", one.slug);
    }
}

#[test]
fn it_opens_over_the_run_and_closes_for_another_or_the_same() {
    let mut page = Page::open("");
    page.train(40);
    let run = encode(&page.state.player.run.link);
    page.act(Action::Open(FRAGMENT.into()));
    assert!(page.state.gallery.is_open && page.state.player.run.step == 40);
    assert_eq!(page_address(&page.state), FRAGMENT);
    assert_eq!(page_title(&page.state), "Gallery · Vivarium");
    // Back to the run that is there: nothing begins.
    let runs = page.state.player.run.run_count;
    page.act(Action::Open(run.clone()));
    assert_eq!(
        (page.state.gallery.is_open, page.state.player.run.run_count, page.state.player.run.step),
        (false, runs, 40)
    );
    assert_eq!(page_address(&page.state), run);
    page.act(Action::Open(FRAGMENT.into()));
    let preset = find_preset("sine-1").unwrap();
    page.act(Action::Open(preset.link.into()));
    assert_eq!((page.state.gallery.is_open, page.state.preset()), (false, Some(preset)));
    page.act(Action::Open(FRAGMENT.into()));
    page.act(Action::Gallery(GalleryAction::Close));
    assert_eq!(page_address(&page.state), preset.link);
    // The menu, too, leads back to the run.
    page.act(Action::Open(FRAGMENT.into()));
    page.act(Action::ChoosePreset(find_preset("parity-50").unwrap()));
    assert!(!page.state.gallery.is_open);
}

#[test]
fn curves_that_cannot_be_fetched_leave_links_that_work() {
    let mut state = State::default();
    state.apply(Action::Open(FRAGMENT.into()));
    assert_eq!(state.preset(), Some(&PRESETS[0]), "a run is there at once, behind it");
    let waiting = state.gallery.cards_html();
    assert_eq!(card_names(&waiting).len(), PRESETS.len() + stories().count());
    state.apply(Action::Gallery(GalleryAction::Fetched(Err("it could not be fetched".into()))));
    let cards = state.gallery.cards_html();
    assert!(
        cards.contains("The recorded curves are missing: it could not be fetched.")
            && !cards.contains("<svg")
    );
    state.apply(Action::Gallery(GalleryAction::Fetched(Ok("surprise".into()))));
    state.apply(Action::Gallery(GalleryAction::Close));
    // Opened again, it tries again.
    assert_eq!(state.apply(Action::Open(FRAGMENT.into())).last(), Some(&Effect::FetchRecorded));
    state.apply(Action::Gallery(GalleryAction::Fetched(Ok(FILE.into()))));
    assert!(!state.apply(Action::Open(FRAGMENT.into())).contains(&Effect::FetchRecorded));
}

#[test]
fn a_teachers_link_that_keeps_its_run_has_no_gallery() {
    let mut page = Page::open("#v1/sparse-parity?n=12&hide=presets");
    page.act(Action::Open(FRAGMENT.into()));
    assert!(!page.state.gallery.is_open && page.state.player.message.contains("does not allow this change"));
}

#[test]
fn the_strip_names_every_story_and_the_gallery() {
    let strip = stories_html();
    assert!(stories().all(|story| strip.contains(&format!("href=\"#story/{}\"", story.slug))));
    assert!(strip.contains(FRAGMENT) && strip.contains(&PRESETS.len().to_string()));
    assert!(!Gallery::default().is_open);
}

#[test]
fn titles_name_what_is_looked_at() {
    for (link, expected) in [
        ("", "A parity of 3 of 20 bits · Sparse parity · Vivarium"),
        ("#v1/sparse-parity?n=30", "Sparse parity, n = 30 · Vivarium"),
        (
            "#v1/sparse-parity?n=30&k=2&width=1000&lr=0.5",
            "Sparse parity, n = 30, k = 2, width = 1,000, … · Vivarium",
        ),
        ("#v1/teacher-student", "Teacher and student: the default run · Vivarium"),
        ("#v1/markov?k=5", "Markov chains in context, k = 5 · Vivarium"),
    ] {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        assert_eq!(page_title(&state), expected);
    }
}
