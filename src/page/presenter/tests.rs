//! Presenter mode, played natively: keys, charts, passages and covers.

use super::{Focus, Presenter, PresenterAction, ScreenCover, fullscreen_exit_action};
use crate::gallery::GalleryAction;
use crate::stage::StagePlacement;
use crate::state::{Action, State};
use crate::tour::TourAction;
use vivarium_labs::story::StoryAction;
use vivarium_model::chart;
use vivarium_model::chart::Chart;

fn open(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    state.apply(Action::Presenter(PresenterAction::Enter));
    state
}

/// Presses a key that has a meaning in the mode.
fn press(state: &mut State, key: &str) {
    let action = Presenter::key_action(key, Focus::Page).unwrap_or_else(|| panic!("{key}"));
    state.apply(Action::Presenter(action));
}

fn on_screen(state: &State) -> Vec<&'static str> {
    let shown = state.player.run.link.view.show.iter().copied();
    shown.filter(|chart| !state.is_off_screen(*chart)).map(Chart::slug).collect()
}

fn cover(state: &State) -> Option<ScreenCover> {
    state.presenter.unwrap().cover
}

/// Opens the page with a story at its first passage.
fn open_story_page(slug: &'static str) -> State {
    let mut state = open(&format!("#story/{slug}"));
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let text = std::fs::read_to_string(vivarium_labs::find_story_file(root, slug).unwrap()).unwrap();
    state.apply(Action::Tour(TourAction::Fetched(slug, Ok(text))));
    state
}

#[test]
fn a_clicker_works_everywhere_and_letters_only_outside_text_fields() {
    let all = [Focus::Page, Focus::Control, Focus::Text];
    let is_handled = |key: &str| all.map(|focus| Presenter::key_action(key, focus).is_some());
    for key in ["PageDown", "PageUp", "Escape"] {
        assert_eq!(is_handled(key), [true; 3], "{key}");
    }
    for key in [".", "b", "B"] {
        assert_eq!(is_handled(key), [true, true, false], "{key}");
    }
    for key in ["ArrowLeft", "ArrowRight", "q", "c", "i", "P"] {
        assert_eq!(is_handled(key), [true, false, false], "{key}");
    }
    for key in [" ", "r", "n", "[", "?", "ArrowDown", "Enter"] {
        assert_eq!(is_handled(key), [false; 3], "{key} does what it does elsewhere");
    }
}

#[test]
fn without_a_story_and_a_picture_the_keys_go_through_the_charts() {
    let mut state = open("#v1/sparse-parity?n=20&view=details");
    assert_eq!(on_screen(&state), ["loss", "accuracy"]);
    let mut seen = vec![];
    for _ in 0..4 {
        press(&mut state, "PageDown");
        seen.push(on_screen(&state).join(" "));
    }
    assert_eq!(seen, ["loss", "accuracy", "weights", "weights"], "each alone, and the last one stays");
    press(&mut state, "ArrowLeft");
    assert_eq!(on_screen(&state), ["accuracy"]);
    for _ in 0..4 {
        press(&mut state, "PageUp");
    }
    assert_eq!(on_screen(&state), ["loss", "accuracy"]);
    for expected in ["loss", "accuracy", "weights", "loss accuracy"] {
        press(&mut state, "c");
        assert_eq!(on_screen(&state).join(" "), expected);
    }
    press(&mut state, "i");
    assert!(state.presenter.unwrap().shows_panels);
    press(&mut state, "c");
    assert!(!state.presenter.unwrap().shows_panels);
    assert_eq!(on_screen(&state), ["loss", "accuracy"], "from the panels it goes back to the charts");
}

#[test]
fn fewer_charts_than_before_leave_one_on_the_screen() {
    let mut state = open("#v1/sparse-parity?n=20&view=details");
    for _ in 0..3 {
        press(&mut state, "PageDown");
    }
    state.apply(Action::ToggleChart(chart::WEIGHTS));
    assert_eq!(on_screen(&state), ["accuracy"]);
    press(&mut state, "PageUp");
    assert_eq!(on_screen(&state), ["loss"]);
    state.apply(Action::ToggleChart(chart::ACCURACY));
    assert_eq!(on_screen(&state), ["loss"]);
    press(&mut state, "PageDown");
    press(&mut state, "c");
    assert_eq!(on_screen(&state), ["loss"]);
}

#[test]
fn the_keys_turn_the_passages_of_an_open_story() {
    let mut state = open_story_page("hidden-progress");
    assert!(state.presenter.is_some(), "a story opens within the mode");
    let at = |state: &State| state.tour.as_ref().unwrap().passage_index;
    press(&mut state, "PageDown");
    press(&mut state, "ArrowRight");
    assert_eq!(at(&state), 2);
    press(&mut state, "PageUp");
    assert_eq!(at(&state), 1);
    // The picture is seen, then two charts that the run is about, or the one that the story points at.
    let shown = state.player.run.link.view.show.clone();
    assert!(shown.len() > 2 && state.presents_picture() && on_screen(&state).is_empty(), "{shown:?}");
    press(&mut state, "c");
    assert_eq!((on_screen(&state), state.presents_picture()), (vec!["movement", "paths"], false));
    let last = *shown.last().unwrap();
    press(&mut state, "c");
    press(&mut state, "i");
    state.apply(Action::Tour(TourAction::PressButton(StoryAction::Point(last))));
    assert_eq!(on_screen(&state), [last.slug()]);
    assert!(!state.presenter.unwrap().shows_panels);
    press(&mut state, "c");
    assert_eq!(on_screen(&state), ["movement"]);
    press(&mut state, "ArrowLeft");
    assert_eq!((at(&state), state.presents_picture()), (0, true));
    state.apply(Action::Tour(TourAction::Close));
    assert!(state.presenter.is_some(), "whoever closes the story goes on presenting");
}

#[test]
fn a_covered_screen_is_shown_before_anything_is_turned() {
    let mut state = open("#v1/sparse-parity?n=20&view=details");
    press(&mut state, "PageDown");
    for key in [".", "b"] {
        press(&mut state, key);
        assert_eq!(cover(&state), Some(ScreenCover::Black));
        press(&mut state, key);
        assert_eq!(cover(&state), None);
    }
    for key in ["PageDown", "PageUp", "c", "i"] {
        press(&mut state, "b");
        press(&mut state, key);
        assert_eq!((cover(&state), on_screen(&state)), (None, vec!["loss"]), "{key}");
        assert!(!state.presenter.unwrap().shows_panels);
    }
    press(&mut state, "q");
    assert_eq!(cover(&state), Some(ScreenCover::QrCode));
    press(&mut state, "b");
    assert_eq!(cover(&state), Some(ScreenCover::Black));
    state.apply(Action::Presenter(PresenterAction::Uncover));
    assert_eq!((cover(&state), on_screen(&state)), (None, vec!["loss"]));
}

#[test]
fn the_mode_is_left_by_escape_and_by_the_gallery_and_changes_no_link() {
    let mut state = open("#v1/sparse-parity?n=20&view=details");
    let link = state.player.run.link.clone();
    press(&mut state, "b");
    press(&mut state, "Escape");
    press(&mut state, "Escape");
    assert_eq!((state.presenter, state.player.run.link == link), (None, true));
    assert_eq!(on_screen(&state).len(), link.view.show.len(), "all charts again");
    // What is left over of the mode does nothing.
    state.apply(Action::Presenter(PresenterAction::Uncover));
    state.apply(Action::Presenter(PresenterAction::Turn(1)));
    assert_eq!(state.presenter, None);
    state.apply(Action::Gallery(GalleryAction::Close));
    state.apply(Action::Open(crate::gallery::FRAGMENT.into()));
    state.apply(Action::Presenter(PresenterAction::Enter));
    assert!(state.presenter.is_some() && !state.gallery.is_open, "from the gallery, too");
    press(&mut state, "c");
    state.apply(Action::Presenter(PresenterAction::Enter));
    assert_eq!(on_screen(&state).len(), 1, "to enter again changes nothing");
    state.apply(Action::Open(crate::gallery::FRAGMENT.into()));
    assert!(state.presenter.is_none() && state.gallery.is_open);
}

#[test]
fn escape_closes_the_cover_before_presenter_mode() {
    for key in ["b", "q"] {
        let mut state = open("#v1/sparse-parity");
        press(&mut state, key);
        assert!(cover(&state).is_some(), "{key}");
        press(&mut state, "Escape");
        assert!(cover(&state).is_none());
        press(&mut state, "Escape");
        assert!(state.presenter.is_none());
    }
}

#[test]
fn a_run_with_a_picture_begins_with_it_and_goes_on_to_the_chart_that_it_is_about() {
    for (link, screens) in [
        ("#v1/sparse-parity?n=20", vec!["", "loss accuracy", "loss", "accuracy", "weights"]),
        ("#v1/sparse-parity?n=20&show=loss.accuracy.movement", vec!["", "movement", "loss", "accuracy"]),
        ("#v1/sparse-parity?n=20&show=weights", vec!["", "weights"]),
        ("#v1/sparse-parity?n=20&view=details&show=loss.movement", vec!["movement", "loss"]),
        // A sweep has no picture.
        ("#v1/sparse-parity?n=20&sweep=n:20_30&show=accuracy.times", vec!["times", "accuracy"]),
    ] {
        let mut state = open(link);
        for screen in &screens {
            assert_eq!(on_screen(&state).join(" "), *screen, "{link}");
            assert_eq!(state.presents_picture(), screen.is_empty(), "{link}");
            let placement = if screen.is_empty() { StagePlacement::Panel } else { StagePlacement::Hidden };
            assert_eq!(state.stage_placement(), placement, "{link}");
            press(&mut state, "PageDown");
        }
        assert_eq!(on_screen(&state).join(" "), *screens.last().unwrap(), "{link}: the last screen stays");
        press(&mut state, "c");
        assert_eq!(on_screen(&state).join(" "), screens[0], "{link}: C goes on to the first screen");
        press(&mut state, "i");
        assert!(!state.presents_picture(), "{link}: panels replace the picture");
    }
}

#[test]
fn a_preset_opens_the_charts_of_its_group_in_their_order_of_preference() {
    let mut state = open(vivarium_labs::find_preset("hidden-progress").unwrap().link);
    press(&mut state, "c");
    assert_eq!(on_screen(&state), ["movement", "paths"]);
    // The charts that its link shows besides are there, too.
    let mut seen = vec![];
    for _ in 0..4 {
        press(&mut state, "PageDown");
        seen.extend(on_screen(&state));
    }
    assert_eq!(seen, ["movement", "paths", "loss", "accuracy"]);
}

#[test]
fn one_press_of_escape_ends_the_cover_and_full_screen_but_not_the_mode() {
    // The browser leaves full screen while the code is seen, or just after the page has closed it.
    assert_eq!(fullscreen_exit_action(true, f64::INFINITY), Some(PresenterAction::Uncover));
    assert_eq!(fullscreen_exit_action(false, 40.0), None);
    assert_eq!(fullscreen_exit_action(false, 5_000.0), Some(PresenterAction::Exit));
    assert_eq!(fullscreen_exit_action(false, f64::INFINITY), Some(PresenterAction::Exit));
    let mut state = open("#v1/sparse-parity");
    press(&mut state, "q");
    state.apply(Action::Presenter(fullscreen_exit_action(true, f64::INFINITY).unwrap()));
    assert_eq!(cover(&state), None, "the mode stays");
}
