//! Lectures: their text in links and files, their editing, and whole lectures played natively.

use std::rc::Rc;

use super::draft::{DraftAction, LectureDraft, entry_name};
use super::{
    Lecture, LectureAction, LectureEntry, LectureError, MAX_CODE_LENGTH, MAX_ENTRIES, MAX_NOTE_LENGTH,
    normalize_address,
};
use crate::gallery::update::{page_address, run_address};
use crate::library::tests::{LINK, Tab, stored_summary};
use crate::presenter::PresenterAction;
use crate::run::tests::Page;
use crate::state::Action;
use crate::tour::TourAction;
use vivarium_core::base64::{ADDRESS_DIGITS, encode_base64};
use vivarium_labs::PRESETS;
use vivarium_model::permalink::{decode, encode};
use vivarium_view::display::RunPhase;

const FIRST: &str = "#v1/sparse-parity?n=12&k=2&width=16&view=details&at=100";
const SECOND: &str = "#v1/sparse-parity?n=14&k=2&width=16";

fn entry(address: &str, note: &str) -> LectureEntry {
    LectureEntry { address: address.into(), note: note.into() }
}

fn lecture() -> Lecture {
    Lecture {
        title: "Parity, “slowly” \\n".into(),
        entries: vec![
            entry(FIRST, "Ask first:\nwho sees the bits?\\"),
            entry("#story/hidden-progress/2", ""),
            entry(SECOND, "Ünïcode & <b>, 猫"),
        ],
    }
}

/// Encodes lines as the text in a link, whatever they are.
fn code_of(lines: &[&str]) -> String {
    encode_base64(lines.join("\n").as_bytes(), ADDRESS_DIGITS)
}

/// Reads a file of a lecture as the page does.
fn read_file(text: &str) -> Result<Lecture, LectureError> {
    let json: serde_json::Value = serde_json::from_str(text).unwrap();
    let text = |value: &serde_json::Value| value.as_str().map(String::from);
    let entries: Vec<_> = json["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (text(&one["link"]), text(&one["note"])))
        .collect();
    Lecture::from_file(text(&json["format"]), text(&json["title"]), &entries)
}

#[test]
fn a_lecture_is_read_back_from_its_link_and_from_its_file() {
    for written in [lecture(), Lecture::default(), Lecture { title: "T".into(), ..Lecture::default() }] {
        let code = written.encode();
        assert!(code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{code}");
        assert_eq!(Lecture::decode(&code), Ok(written.clone()));
        assert_eq!(written.address(), format!("#lecture/{code}"));
        assert_eq!(read_file(&written.to_json()), Ok(written));
    }
    // Links do not change their meaning: this one was written once.
    let kept = code_of(&["1", "Title", "v1/groups?n=7", "Note", "."]);
    assert_eq!(kept, "MQpUaXRsZQp2MS9ncm91cHM_bj03Ck5vdGUKLg");
    let read = Lecture { title: "Title".into(), entries: vec![entry("#v1/groups?n=7", "Note")] };
    assert_eq!(Lecture::decode(&kept), Ok(read));
}

#[test]
fn every_preset_can_be_an_entry() {
    for presets in PRESETS.chunks(MAX_ENTRIES) {
        let note = |claim: &str| claim.chars().take(MAX_NOTE_LENGTH).collect::<String>();
        let entries =
            presets.iter().map(|preset| entry(&encode(&preset.link()), &note(preset.claim))).collect();
        let written = Lecture { title: String::new(), entries };
        let code = written.encode();
        assert!(code.len() <= MAX_CODE_LENGTH, "{}", code.len());
        assert_eq!(Lecture::decode(&code), Ok(written));
    }
}

#[test]
fn a_link_that_is_cut_off_or_changed_is_refused() {
    let code = lecture().encode();
    for end in 0..code.len() {
        assert_eq!(Lecture::decode(&code[..end]), Err(LectureError::Incomplete), "{end}");
    }
    for bad in [
        "%20".to_string(),
        format!("{code}A"),
        format!("{code}="),
        code_of(&["", "T", "."]),
        code_of(&["1", "T"]),
        code_of(&["1", "."]),
        code_of(&["1", "T", "v1/groups", "."]),
        code_of(&["1", "T\\x", "."]),
        code_of(&["1", "T\\", "."]),
        encode_base64(b"1\nT\xff\n.", ADDRESS_DIGITS),
    ] {
        assert_eq!(Lecture::decode(&bad), Err(LectureError::Incomplete), "{bad}");
    }
    assert_eq!(Lecture::decode(&code_of(&["2", "T", "."])), Err(LectureError::NewerVersion));
}

#[test]
fn what_exceeds_a_limit_is_refused_with_a_sentence() {
    let lines = |entries: usize, note: &str| {
        let mut lines = vec!["1", "T"];
        (0..entries).for_each(|_| lines.extend(["v1/groups", note]));
        lines.push(".");
        code_of(&lines)
    };
    assert_eq!(Lecture::decode(&lines(MAX_ENTRIES, "")).unwrap().entries.len(), MAX_ENTRIES);
    let long = "é".repeat(MAX_NOTE_LENGTH);
    assert!(Lecture::decode(&lines(1, &long)).is_ok());
    for (bad, error) in [
        (lines(MAX_ENTRIES + 1, ""), LectureError::ManyEntries),
        (lines(2, &format!("{long}!")), LectureError::LongNote(1)),
        (code_of(&["1", &"t".repeat(121), "."]), LectureError::LongTitle),
        ("A".repeat(MAX_CODE_LENGTH + 1), LectureError::TooLong),
        (code_of(&["1", "", "v2/groups", "", "."]), LectureError::Address(1, "#v2/groups".into())),
        (
            code_of(&["1", "", "v1/groups", "", "story/astrology/1", "", "."]),
            LectureError::Address(2, "#story/astrology/1".into()),
        ),
    ] {
        assert_eq!(Lecture::decode(&bad), Err(error.clone()));
        assert!(error.to_string().ends_with('.') || error.to_string().contains(": #"), "{error}");
    }
    for (file, error) in [
        ("{\"entries\": []}", LectureError::OtherFile),
        ("{\"format\": \"vivarium lecture 2\", \"entries\": []}", LectureError::NewerVersion),
        (
            "{\"format\": \"vivarium lecture 1\", \"entries\": [{\"note\": \"N\"}]}",
            LectureError::Address(1, String::new()),
        ),
    ] {
        assert_eq!(read_file(file), Err(error));
    }
}

#[test]
fn addresses_of_runs_and_passages_are_entries_and_others_are_not() {
    let address = |text: &str| normalize_address(text).unwrap_or_default();
    assert_eq!(address(" https://a.example/v/#v1/groups?n=7&at=5 "), "#v1/groups?n=7&at=5");
    assert_eq!(address("v1/groups"), "#v1/groups");
    assert_eq!(address("#story/hidden-progress"), "#story/hidden-progress/1");
    assert_eq!(address("#story%2Fhidden-progress%2F3?utm=1"), "#story/hidden-progress/3");
    for bad in [
        "",
        "#",
        "#gallery",
        "#bench",
        "#v1/astrology",
        "#story/astrology",
        "#story/hidden-progress/0",
        "#story/hidden-progress/1000",
        "#lecture/abc",
        "#v1/groups\nn=7",
        "https://a.example",
    ] {
        assert_eq!(normalize_address(bad), None, "{bad}");
    }
    assert_eq!(normalize_address(&format!("#v1/groups?x={}", "x".repeat(50_000))), None);
    // A form that a mail program has escaped stays an entry that is opened.
    assert_eq!(normalize_address(&address("#v1%2Fgroups%3Fn=7")).as_deref(), Some("#v1%2Fgroups%3Fn=7"));
}

#[test]
fn entries_are_added_moved_noted_removed_and_all_of_it_is_undone() {
    let mut draft = LectureDraft::default();
    let shown = |draft: &LectureDraft| {
        draft.lecture.entries.iter().map(|one| one.address.clone()).collect::<Vec<_>>()
    };
    draft.apply(DraftAction::Add(entry(FIRST, "")));
    draft.apply(DraftAction::AddAddress(format!(" https://a.example/{SECOND}")));
    assert_eq!(shown(&draft), [FIRST, SECOND]);
    let before = draft.version;
    for title in ["P", "Pa", "Parity"] {
        draft.apply(DraftAction::SetTitle(title.into()));
    }
    draft.apply(DraftAction::SetNote(1, "N".into()));
    assert_eq!(draft.version, before, "typing leaves the list as it is");
    draft.apply(DraftAction::Move(0, true));
    draft.apply(DraftAction::Move(0, false));
    draft.apply(DraftAction::Move(1, true));
    assert_eq!(
        (shown(&draft), draft.lecture.entries[0].note.as_str()),
        (vec![SECOND.into(), FIRST.into()], "N")
    );
    let before = draft.version;
    draft.apply(DraftAction::SetStep(0, Some(40)));
    assert_eq!(draft.version, before, "the focus stays where it is");
    assert_eq!(
        (draft.lecture.entries[0].wait_step(), shown(&draft)[0].as_str()),
        (Some(40), &*format!("{SECOND}&view=picture&at=40"))
    );
    draft.apply(DraftAction::SetStep(1, None));
    assert_eq!(draft.lecture.entries[1].wait_step(), None);
    draft.apply(DraftAction::Remove(0));
    draft.apply(DraftAction::Remove(9));
    assert_eq!(draft.lecture.entries.len(), 1);
    draft.apply(DraftAction::Replace(lecture()));
    assert_eq!(draft.lecture, lecture());
    // Replacement, removal, two steps, the exchange, the note, and the title as a whole.
    for entries in [1, 2, 2, 2, 2, 2] {
        draft.apply(DraftAction::Undo);
        assert_eq!(draft.lecture.entries.len(), entries);
    }
    assert_eq!((draft.lecture.title.as_str(), draft.lecture.entries[1].note.as_str()), ("Parity", ""));
    draft.apply(DraftAction::Undo);
    assert_eq!((draft.lecture.title.as_str(), shown(&draft)), ("", vec![FIRST.into(), SECOND.into()]));
    (0..9).for_each(|_| draft.apply(DraftAction::Undo));
    assert!(!draft.can_undo() && draft.lecture == Lecture::default());
    // The browser keeps it as it keeps a link.
    draft.apply(DraftAction::Replace(lecture()));
    assert_eq!(LectureDraft::from_stored(&draft.lecture.encode()).lecture, lecture());
    assert_eq!(LectureDraft::from_stored("spoilt").lecture, Lecture::default());
}

#[test]
fn a_change_beyond_a_limit_changes_nothing_and_says_why() {
    let mut draft = LectureDraft::default();
    for _ in 0..MAX_ENTRIES {
        draft.apply(DraftAction::Add(entry(FIRST, "")));
    }
    let full = draft.lecture.clone();
    for action in [
        DraftAction::Add(entry(FIRST, "")),
        DraftAction::SetNote(3, "n".repeat(MAX_NOTE_LENGTH + 1)),
        DraftAction::SetTitle("t".repeat(200)),
    ] {
        draft.apply(action);
        assert!(!draft.error.is_empty() && draft.lecture == full, "{}", draft.error);
    }
    draft.apply(DraftAction::Undo);
    assert!(draft.error.is_empty());
    draft.apply(DraftAction::AddAddress("https://a.example".into()));
    assert_eq!(
        draft.error,
        "The address of entry 50 is neither the address of a run nor of a passage of a story: https://a.example"
    );
    // Together the notes make the link too long.
    let longest = "猫".repeat(MAX_NOTE_LENGTH);
    (0..MAX_ENTRIES - 1).for_each(|at| draft.apply(DraftAction::SetNote(at, longest.clone())));
    assert!(draft.error.starts_with("The lecture is too long"), "{}", draft.error);
    assert!(draft.lecture.encode().len() <= MAX_CODE_LENGTH);
    // A text that is accepted after a refused one is undone like every other.
    let mut draft = LectureDraft::default();
    draft.apply(DraftAction::Add(entry(FIRST, "")));
    draft.apply(DraftAction::SetNote(0, "n".repeat(MAX_NOTE_LENGTH + 1)));
    draft.apply(DraftAction::SetNote(0, "Short".into()));
    draft.apply(DraftAction::Undo);
    assert_eq!(draft.lecture.entries, [entry(FIRST, "")]);
}

#[test]
fn a_lecture_goes_from_run_to_passage_and_each_run_waits_at_its_step() {
    let mut page = Page::open("");
    page.act(Action::Lecture(LectureAction::Start(Box::new(lecture()))));
    let code = lecture().encode();
    let at = |page: &Page| page.state.lecture.as_ref().unwrap().index;
    let waits = |page: &Page, step: u64| {
        assert_eq!((&page.state.player.run.phase, page.state.player.run.step), (&RunPhase::Paused, step));
    };
    let turn = |page: &mut Page, by: isize| page.act(Action::Presenter(PresenterAction::Turn(by)));
    assert!(page.state.presenter.is_some());
    waits(&page, 100);
    assert_eq!(page_address(&page.state), format!("#lecture/1/{code}"));
    assert_eq!(run_address(&page.state), FIRST);
    let texts = page.state.lecture_texts().unwrap();
    assert_eq!((texts.place.as_str(), texts.is_first, texts.is_last), ("1 of 3", true, false));
    assert!(texts.claim.starts_with("Sparse parity") && !texts.task.is_empty(), "{texts:?}");
    assert!(texts.note.starts_with("Ask first:"));
    page.act(Action::Lecture(LectureAction::ToggleNote));
    assert_eq!(page.state.lecture_texts().unwrap().note, "");
    page.act(Action::Lecture(LectureAction::ToggleNote));
    // A passage of a story.
    turn(&mut page, 1);
    let tour = page.state.tour.as_ref().unwrap();
    assert_eq!((tour.slug, tour.passage_index), ("hidden-progress", 1));
    assert_eq!(page_address(&page.state), format!("#lecture/2/{code}"));
    assert_eq!(page.state.lecture_texts().unwrap().claim, "");
    // A run without a step waits at its beginning.
    turn(&mut page, 1);
    waits(&page, 0);
    assert!(page.state.tour.is_none());
    turn(&mut page, 1);
    assert_eq!((at(&page), page.state.lecture_texts().unwrap().is_last), (2, true));
    turn(&mut page, -5);
    assert_eq!(at(&page), 0);
    waits(&page, 100);
    // Charts are still gone through, and a cover is taken away first.
    page.act(Action::Presenter(PresenterAction::NextChart));
    page.act(Action::Presenter(PresenterAction::Cover(crate::presenter::ScreenCover::Black)));
    turn(&mut page, 1);
    assert_eq!(at(&page), 0);
    page.act(Action::Presenter(PresenterAction::Cover(crate::presenter::ScreenCover::Black)));
    page.act(Action::Presenter(PresenterAction::Exit));
    assert!(page.state.lecture.is_some(), "Escape takes the cover away first");
    page.act(Action::Presenter(PresenterAction::Exit));
    assert!(page.state.lecture.is_none() && page.state.presenter.is_none());
    assert_eq!(page_address(&page.state), FIRST, "the run stays");
    page.act(Action::Lecture(LectureAction::Resume));
    assert!(page.state.presenter.is_some() && page.state.ended_lecture.is_none());
    assert_eq!(page_address(&page.state), format!("#lecture/1/{code}"));
}

#[test]
fn a_lecture_opens_from_its_address_and_follows_the_history() {
    let code = lecture().encode();
    for (address, index) in [
        (format!("#lecture/{code}"), 0),
        (format!("#lecture/3/{code}"), 2),
        (format!("#lecture/99/{code}?utm_source=mail"), 2),
        (format!("#lecture%2F0%2F{code}"), 0),
    ] {
        let mut page = Page::open(&address);
        assert_eq!(page.state.lecture.as_ref().unwrap().index, index, "{address}");
        assert!(page.state.presenter.is_some());
        assert_eq!(page.state.player.run.phase, RunPhase::Paused);
        assert_eq!(page.state.player.run.step, if index == 0 { 100 } else { 0 });
        // Back and forward.
        page.act(Action::Open(format!("#lecture/2/{code}")));
        assert_eq!(page.state.tour.as_ref().unwrap().slug, "hidden-progress");
        page.act(Action::Open(format!("#lecture/3/{code}")));
        assert_eq!(page.state.player.run.link, decode(SECOND).0);
        page.act(Action::Open(crate::gallery::FRAGMENT.into()));
        assert!(page.state.lecture.is_none() && page.state.gallery.is_open);
        page.act(Action::Open(format!("#lecture/1/{code}")));
        assert!(page.state.lecture.is_some() && !page.state.gallery.is_open);
        page.act(Action::Open(SECOND.into()));
        assert!(page.state.lecture.is_none() && page.state.presenter.is_none());
        assert_eq!(page_address(&page.state), SECOND);
    }
}

#[test]
fn an_address_that_is_no_lecture_opens_the_page_with_a_sentence() {
    for (address, beginning) in [
        ("#lecture/", "The link of this lecture is incomplete"),
        ("#lecture/2/abc", "The link of this lecture is incomplete"),
        (&*format!("#lecture/{}", Lecture::default().encode()), "The lecture has no entries"),
        (&*format!("#lecture/{}", "A".repeat(70_000)), "The lecture is too long"),
    ] {
        let page = Page::open(address);
        assert!(page.state.lecture.is_none() && page.state.presenter.is_none());
        assert!(page.state.player.message.starts_with(beginning), "{}", page.state.player.message);
        assert_eq!(page.state.preset().unwrap().slug, PRESETS[0].slug);
    }
}

#[test]
fn the_run_that_is_shown_becomes_an_entry_with_its_step() {
    let mut page = Page::open("#v1/sparse-parity?n=12&k=2&width=16&lock=n");
    page.train(150);
    let added = page.state.current_entry();
    assert_eq!(added.wait_step(), Some(150));
    let (link, notices) = decode(&added.address);
    assert!(notices.is_empty() && link.locks("n"), "{notices:?}");
    assert_eq!(encode(&link), added.address);
    assert!(entry_name(&added).starts_with("Sparse parity"), "{}", entry_name(&added));
    page.act(Action::Tour(TourAction::Open("hidden-progress/2".into())));
    let passage = page.state.current_entry();
    assert!(passage.is_passage() && passage.wait_step().is_none());
    assert_eq!(passage.address, "#story/hidden-progress/2");
    assert!(entry_name(&passage).ends_with(", passage 2"), "{}", entry_name(&passage));
}

#[test]
fn an_ended_run_is_saved_as_ended_when_the_lecture_opens_the_next_one() {
    let storage = Rc::default();
    let mut tab = Tab::open(LINK, &storage);
    tab.train(200);
    assert_eq!(stored_summary(&storage).iter().map(|run| (run.1, run.2)).collect::<Vec<_>>(), [(200, false)]);
    tab.trainer.advance(300);
    // The messages of the trainer arrive after an action.
    tab.act(Action::Lecture(LectureAction::ToggleNote));
    assert!(matches!(tab.state.player.run.phase, RunPhase::Finished(_)));
    let next = Lecture { title: String::new(), entries: vec![entry(SECOND, "")] };
    tab.act(Action::Lecture(LectureAction::Start(Box::new(next))));
    assert_eq!((&tab.state.player.run.phase, tab.state.player.run.step), (&RunPhase::Paused, 0));
    assert_eq!(stored_summary(&storage).iter().map(|run| (run.1, run.2)).collect::<Vec<_>>(), [(200, true)]);
}

#[test]
fn the_address_of_a_frame_opens_its_run_on_the_whole_page() {
    let mut page = Page::open("");
    let entries = vec![entry("#v1/sparse-parity?n=12&k=2&width=16&lock=n&embed=", "")];
    page.act(Action::Lecture(LectureAction::Start(Box::new(Lecture { title: String::new(), entries }))));
    let link = &page.state.player.run.link;
    assert!(link.locks("n") && !link.is_embedded());
}
