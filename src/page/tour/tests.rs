//! Stories, played natively against the scripted trainer.

use std::rc::Rc;

use crate::gallery::update::page_address;
use crate::library::tests::{Tab, stored_summary};
use crate::run::tests::Page;
use crate::state::Action;
use crate::sweeps::SweepAction;
use crate::tour::{SKIPPED, TourAction};
use vivarium_labs::stories;
use vivarium_labs::story::{PassageBlock, StoryAction};
use vivarium_labs::story_notes::MINIMAL_NOTES;
use vivarium_model::permalink::{decode, encode};
use vivarium_model::protocol::Command;
use vivarium_view::display::RunPhase;

/// Returns the action that the text of a story was fetched.
fn story_fetched(slug: &'static str) -> Action {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let text = std::fs::read_to_string(vivarium_labs::find_story_file(root, slug).unwrap()).unwrap();
    Action::Tour(TourAction::Fetched(slug, Ok(text)))
}

/// Returns the action of pressing a button of a story.
fn press(action: StoryAction) -> Action {
    Action::Tour(TourAction::PressButton(action))
}

/// Opens a page with a story.
fn reading(slug: &'static str) -> Page {
    let mut page = Page::open("");
    page.act(Action::Tour(TourAction::Open(slug.into())));
    page.act(story_fetched(slug));
    page
}

#[test]
fn every_passage_opens_its_run_and_every_button_works() {
    for about in stories() {
        let mut page = reading(about.slug);
        let story = page.state.tour.as_ref().unwrap().story.clone().unwrap().unwrap();
        for (at, passage) in story.passages.iter().enumerate() {
            assert_eq!(page.state.tour.as_ref().unwrap().passage_index, at);
            assert_eq!(page.state.player.run.link.spec, decode(&passage.run).0.spec, "{}", passage.title);
            assert_eq!(
                page.state.player.run.link.view.show,
                decode(&passage.run).0.view.show,
                "{}",
                passage.title
            );
            for (place, block) in passage.blocks.iter().enumerate() {
                match block {
                    PassageBlock::Buttons(buttons) => {
                        for (word, action) in buttons {
                            let which = buttons.iter().position(|(other, _)| other == word).unwrap();
                            let tour = page.state.tour.as_ref().unwrap();
                            assert!(
                                tour.passage_html()
                                    .contains(&format!("data-press=\"{place}.{which}\" >{word}<"))
                            );
                            let pressed = TourAction::from_button(&format!("{place}.{which}"), tour).unwrap();
                            assert_eq!(pressed, TourAction::PressButton(action.clone()));
                            page.act(Action::Tour(pressed));
                            assert!(
                                page.state.invalid_inputs.is_empty() && page.state.conflicts.is_empty(),
                                "{word}"
                            );
                            match action {
                                StoryAction::Open(run) => {
                                    assert_eq!(page.state.player.run.link.spec, decode(run).0.spec)
                                }
                                StoryAction::Change(key, value) => {
                                    assert_eq!(page.state.form_value(key).unwrap().to_string(), *value);
                                }
                                StoryAction::Point(chart) => {
                                    assert_eq!(
                                        page.state.tour.as_ref().unwrap().pointed_chart.unwrap().0,
                                        *chart
                                    );
                                }
                                StoryAction::Train(_) => {}
                            }
                        }
                    }
                    PassageBlock::Question { guesses, .. } => {
                        let right = guesses.iter().position(|(_, right)| *right).unwrap();
                        page.act(Action::Tour(TourAction::Guess(place, right)));
                        // The first guess stands.
                        page.act(Action::Tour(TourAction::Guess(place, right + 1)));
                        assert_eq!(page.state.tour.as_ref().unwrap().guess(place), Some(right));
                    }
                    PassageBlock::More(_) => {
                        let tour = page.state.tour.as_ref().unwrap();
                        let toggle = TourAction::from_button(&format!("{place}.more"), tour).unwrap();
                        assert_eq!(toggle, TourAction::ToggleMore(place));
                    }
                    PassageBlock::Text(_) => {}
                }
            }
            page.act(Action::Tour(TourAction::Turn(1)));
        }
        let tour = page.state.tour.as_ref().unwrap();
        assert!(tour.passage().is_none() && tour.passage_html().contains(&story.sources[0]), "the sources");
        assert!(tour.passage_html().contains("data-press=\"next\" disabled>"));
        for page in [tour.passage_html(), reading(about.slug).state.tour.as_ref().unwrap().passage_html()] {
            assert!(page.contains(">Print the story</button>") && page.contains(">For teachers</button>"));
        }
        assert_eq!(
            (TourAction::from_button("print", tour), TourAction::from_button("lesson", tour)),
            (None, None)
        );
        let list = format!("data-press=\"lesson/{}\" aria-label=\"For teachers: ", about.slug);
        assert!(
            super::story_list_html().contains(&list) && !tour.passage_html().contains(&story.notes.goals[0])
        );
        page.act(Action::Tour(TourAction::Turn(1)));
        page.act(Action::Tour(TourAction::Turn(-100)));
        assert_eq!(page.state.tour.as_ref().unwrap().passage_index, 0);
        page.act(Action::Tour(TourAction::Close));
        assert_eq!(page.state.tour, None);
    }
}

#[test]
fn a_story_waits_trains_to_a_step_and_goes_back_to_an_earlier_one() {
    let mut page = reading("hidden-progress");
    page.act(Action::Tour(TourAction::Turn(1)));
    assert_eq!(page.state.player.run.phase, RunPhase::Paused);
    page.act(press(StoryAction::Train(250)));
    assert_eq!((page.state.player.run.phase.clone(), page.state.player.run.step), (RunPhase::Paused, 250));
    assert!(page.sent.iter().any(|(command, _)| *command == Command::PlayTo(250)));
    assert_eq!(page.state.player.message, "", "the run has arrived");
    page.act(press(StoryAction::Train(100)));
    assert_eq!((page.state.player.run.phase.clone(), page.state.player.run.step), (RunPhase::Paused, 100));
    page.act(press(StoryAction::Train(100)));
    assert_eq!(page.state.player.message, "The run waits at step 100.");
    // Whoever plays on is not stopped.
    page.act(Action::TogglePlay);
    assert_eq!((page.state.player.goal, page.state.player.is_playing()), (None, true));
    // The trainer of this test has the answer at step 300.
    page.act(press(StoryAction::Train(1_000)));
    assert!(matches!(page.state.player.run.phase, RunPhase::Finished(_)) && page.state.player.goal.is_none());
    page.act(press(StoryAction::Train(1_200)));
    assert!(
        page.state.player.message.starts_with("The run has ended at step "),
        "{}",
        page.state.player.message
    );
}

#[test]
fn a_story_leaves_the_run_alone_where_it_is_the_same_and_can_be_undone() {
    let mut page = reading("hidden-progress");
    let first = encode(&page.state.player.run.link);
    page.act(Action::Tour(TourAction::Turn(1)));
    page.act(press(StoryAction::Train(100)));
    let runs = page.state.player.run.run_count;
    page.act(Action::Tour(TourAction::Turn(1)));
    assert_eq!(
        (page.state.player.run.run_count, page.state.player.run.step),
        (runs, 100),
        "the same run goes on"
    );
    page.act(Action::Undo);
    assert_eq!(encode(&page.state.player.run.link), first);
}

#[test]
fn links_open_stories_and_what_is_none_is_stated() {
    let page = Page::open("#story/one-note");
    assert_eq!(page.state.tour.as_ref().map(|tour| tour.slug), Some("one-note"));
    assert!(page.state.player.run.run_count == 1 && page.state.notices.is_empty());
    let page = Page::open("#story/astrology");
    assert!(page.state.tour.is_none() && page.state.player.message.starts_with("There is no story"));
    let mut page = Page::open("#story/one-note");
    page.act(Action::Tour(TourAction::Fetched("one-note", Ok("<html>".into()))));
    assert_eq!(page.state.tour.as_ref().unwrap().story, Some(Err("line 1: expected ---".into())));
    page.act(Action::Tour(TourAction::Turn(1)));
    assert!(
        page.state
            .tour
            .as_ref()
            .unwrap()
            .passage_html()
            .starts_with("<p>This story could not be loaded: line 1")
    );
}

#[test]
fn a_teachers_link_waits_at_its_step_and_keeps_what_it_locks() {
    let mut page =
        Page::open("#v1/sparse-parity?n=12&k=2&width=16&every=10&speed=5&hide=seed&lock=n,presets&at=70");
    assert_eq!(page.state.notices.len(), 1, "a part of the page cannot be locked");
    assert_eq!((page.state.player.run.phase.clone(), page.state.player.run.step), (RunPhase::Paused, 70));
    // In haste there, and at the link's own speed from then on.
    let speeds: Vec<u64> = page
        .sent
        .iter()
        .filter_map(|(command, _)| match command {
            Command::Start { speed, .. } | Command::Speed(speed) => Some(*speed),
            _ => None,
        })
        .collect();
    assert_eq!(speeds, [0, 5]);
    let link = encode(&page.state.player.run.link);
    page.act(Action::Edit("n".into(), "20".into()));
    page.act(Action::ResetField("n".into()));
    page.act(Action::NewSeed(7));
    assert_eq!(encode(&page.state.player.run.link), link);
    assert_eq!(
        page.state.player.message,
        "This page was opened with a link that does not allow this change."
    );
    page.act(Action::Edit("width".into(), "20".into()));
    assert!(
        encode(&page.state.player.run.link).ends_with("width=20&every=10&speed=5&hide=seed&lock=n"),
        "no place to wait"
    );
    assert_eq!((page.state.player.run.step, page.state.player.goal), (0, None));
    // Another experiment is held as well; another address is not.
    page.act(Action::ChoosePreset(&vivarium_labs::PRESETS[1]));
    assert!(page.state.player.run.link.locks("n"));
    page.act(Action::Open("#v1/sparse-parity?n=14&hide=presets".into()));
    page.act(Action::ChoosePreset(&vivarium_labs::PRESETS[1]));
    assert_eq!(
        page.state.player.run.link.spec.run,
        vivarium_model::permalink::decode("#v1/sparse-parity?n=14").0.spec.run
    );
    assert!(page.state.player.run.link.hides("presets") && !page.state.player.run.link.locks("n"));
}

#[test]
fn an_ended_run_is_saved_as_ended_when_a_story_or_a_sweep_begins() {
    let sweep = decode("#v1/sparse-parity?n=22&sweep=k:2_3&device=cpu").0;
    let story = vec![
        Action::Tour(TourAction::Open("hidden-progress".into())),
        story_fetched("hidden-progress"),
        Action::Tour(TourAction::Turn(1)),
    ];
    for actions in [story, vec![Action::Sweep(SweepAction::Start(Box::new(sweep)))]] {
        let storage = Rc::default();
        let mut tab = Tab::open("#v1/sparse-parity?n=22&speed=0", &storage);
        let summary = || stored_summary(&storage).iter().map(|run| (run.1, run.2)).collect::<Vec<_>>();
        tab.train(200);
        assert_eq!(summary(), [(200, false)]);
        tab.trainer.advance(300);
        // The messages of the trainer arrive after an action.
        tab.act(Action::DismissNotices);
        assert!(tab.state.player.run.phase.has_ended());
        let is_story = actions.len() > 1;
        actions.into_iter().for_each(|action| tab.act(action));
        assert_eq!((tab.state.player.is_playing(), tab.state.player.run.step), (!is_story, 0));
        assert_eq!(summary(), [(200, true)]);
    }
}

#[test]
fn what_a_file_holds_is_text_and_no_markup() {
    let mut page = Page::open("#story/one-note");
    let file = "---\ntitle: <T>\nabout: A.\nminutes: 1\n---\n\n## P & \"Q\"\n\nRun: z23\n\nA <script> and *stress*.\n\n- [ ] <b>.\n- [x] C.\n\n> D.\n\n";
    let file = format!("{file}{MINIMAL_NOTES}## Sources\n\n- S.\n");
    page.act(Action::Tour(TourAction::Fetched("one-note", Ok(file))));
    let html = page.state.tour.as_ref().unwrap().passage_html();
    assert!(html.contains("<p>A &lt;script> and <em>stress</em>.</p>"), "{html}");
    assert!(html.contains(">P &amp; &quot;Q&quot;</h2>") && html.contains("&lt;T> · 1 of 2"), "{html}");
    assert!(html.contains(">&lt;b>.</button>") && !html.contains("guess--correct"), "{html}");
    assert_eq!(page.state.player.run.phase, RunPhase::Paused);
    page.act(Action::Tour(TourAction::Guess(1, 0)));
    let html = page.state.tour.as_ref().unwrap().passage_html();
    assert!(html.contains("guess--correct") && html.contains("<p><em>No.</em> D.</p>"), "{html}");
    assert_eq!(TourAction::from_button("9.9", page.state.tour.as_ref().unwrap()), None);
}

const PREDICTED: &str = "---\ntitle: T\nabout: A.\nminutes: 1\n---\n\n## P\n\nRun: \
    #v1/sparse-parity?n=12&k=2&width=16&every=10\n\n- [ ] A.\n- [x] B.\n\n> D.\n\n\
    [Train to step 100](step:100) [Look](panel:loss)\n\n";

fn predicting() -> Page {
    let mut page = Page::open("#story/one-note");
    let file = format!("{PREDICTED}{MINIMAL_NOTES}## Sources\n\n- S.\n");
    page.act(Action::Tour(TourAction::Fetched("one-note", Ok(file))));
    page
}

fn html(page: &Page) -> String {
    page.state.tour.as_ref().unwrap().passage_html()
}

#[test]
fn a_prediction_comes_before_the_run_and_the_explanation_after_it() {
    let mut page = predicting();
    assert!(page.state.is_predicting() && html(&page).contains("tour-hint"));
    let of = |page: &Page, name: &str| TourAction::from_button(name, page.state.tour.as_ref().unwrap());
    assert_eq!(of(&page, "1.0"), None, "the button waits");
    assert!(matches!(of(&page, "1.1"), Some(TourAction::PressButton(StoryAction::Point(_)))));
    page.act(Action::Tour(TourAction::Guess(0, 0)));
    assert!(!page.state.is_predicting() && !html(&page).contains("tour-hint"));
    let page_html = html(&page);
    let announced = "The explanation is shown when the run has reached step 100 or has ended.";
    assert!(page_html.contains(announced), "{page_html}");
    assert!(!page_html.contains("D.") && !page_html.contains("guess--correct"), "{page_html}");
    page.act(Action::Tour(of(&page, "1.0").unwrap()));
    assert_eq!(page.state.player.run.step, 100);
    assert!(html(&page).contains("<p><em>No.</em> D.</p>"), "{}", html(&page));
    let tour = page.state.tour.as_ref().unwrap();
    assert_eq!(
        (tour.encode_answers(), tour.predictions_text()),
        ("0.0.0".into(), "T\n1. P: A. (wrong)".into())
    );
    // Once shown, it stays.
    page.act(Action::Reset);
    assert!(html(&page).contains("D."));
}

#[test]
fn a_question_can_be_skipped_and_answers_come_back() {
    let mut page = predicting();
    let skip = TourAction::from_button("0.skip", page.state.tour.as_ref().unwrap()).unwrap();
    assert_eq!(skip, TourAction::Guess(0, super::SKIPPED));
    page.act(Action::Tour(skip));
    page.act(press(StoryAction::Train(100)));
    assert!(html(&page).contains("<p>D.</p>"), "no verdict: {}", html(&page));
    assert_eq!(page.state.tour.as_ref().unwrap().encode_answers(), "0.0.-");
    let mut page = predicting();
    page.act(Action::Tour(TourAction::RestoreAnswers("0.0.9 9.0.0 0.1.0 x 0.0.1 0.0.0".into())));
    assert_eq!(page.state.tour.as_ref().unwrap().encode_answers(), "0.0.1");
    assert!(html(&page).contains("<p><em>Yes.</em> D.</p>"));
}

#[test]
fn every_passage_has_an_address() {
    let mut page = Page::open("#story/one-note/2");
    page.act(story_fetched("one-note"));
    let at = |page: &Page| (page.state.tour.as_ref().unwrap().passage_index, page_address(&page.state));
    assert_eq!(at(&page), (1, "#story/one-note/2".into()));
    page.act(Action::Tour(TourAction::Turn(1)));
    assert_eq!(at(&page), (2, "#story/one-note/3".into()));
    page.act(Action::Open("#story/one-note/1".into()));
    assert_eq!(at(&page), (0, "#story/one-note/1".into()));
    let mut beyond = Page::open("#story/one-note/99");
    beyond.act(story_fetched("one-note"));
    assert!(beyond.state.player.message.starts_with("This story has "), "{}", beyond.state.player.message);
    assert!(html(&beyond).contains("tour__sources"));
    let mut none = Page::open("#story/one-note/x");
    none.act(story_fetched("one-note"));
    assert!(
        none.state.player.message.starts_with("The passages of a story are numbered"),
        "{}",
        none.state.player.message
    );
    // Back in the history, to before the story.
    page.act(Action::Open("#v1/sparse-parity?n=12&k=2&width=16".into()));
    assert!(page.state.tour.is_none());
    assert_eq!(page_address(&page.state), encode(&page.state.player.run.link));
}

#[test]
fn the_text_behind_a_question_comes_with_its_explanation() {
    let mut page = reading("grokking");
    page.act(Action::Tour(TourAction::Turn(1)));
    let mut tour = page.state.tour.clone().unwrap();
    let question = tour.open_question().unwrap();
    let Some(PassageBlock::Text(last)) = tour.passage().unwrap().blocks.last().cloned() else {
        panic!("a text")
    };
    let word = last.split('.').next().unwrap().to_string();
    assert!(!tour.passage_html().contains(&word) && tour.passage_html().contains("How will"), "{word}");
    tour.guesses.push((1, question, SKIPPED));
    assert!(!tour.passage_html().contains(&word), "the run has not reached the step");
    tour.update_explanations(1_000_000, true, false);
    assert!(tour.passage_html().contains(&word));
}

#[test]
fn a_question_about_a_sweep_is_explained_after_the_sweep() {
    let mut page = reading("a-machine-without-a-tape");
    for passage in 5..=9 {
        page.act(Action::Open(format!("#story/a-machine-without-a-tape/{passage}")));
        let tour = page.state.tour.as_ref().unwrap();
        assert_eq!((tour.passage_index + 1, page.state.player.run.sweep.is_some()), (passage, true));
        let question = tour.open_question().unwrap();
        // The word "sweep" is a term of the glossary, and a button where no earlier text has it.
        let waiting = "The explanation is shown when all runs of the ";
        assert!(!html(&page).contains("<p>Press Play.</p>"), "the prediction comes first");
        page.act(Action::Tour(TourAction::Guess(question, 0)));
        let shown = html(&page);
        assert!(shown.contains(waiting) && shown.contains("<p>Press Play.</p>"), "{shown}");
        assert!(!shown.contains("<em>") && !shown.contains("guess--correct"), "{shown}");
        // Further reading after the question may contain the answer.
        let reading = "data-testid=\"read-more\"";
        let tour = page.state.tour.as_ref().unwrap();
        let after = &tour.passage().unwrap().blocks[question..];
        let has_more = after.iter().any(|block| matches!(block, PassageBlock::More(_)));
        assert!(!shown.contains(reading), "{shown}");
        page.state.player.run.sweep.as_mut().unwrap().cancelled = true;
        page.state.show_due_explanations();
        assert!(html(&page).contains("guess--correct") && !html(&page).contains(waiting), "{}", html(&page));
        assert_eq!(html(&page).contains(reading), has_more, "passage {passage}");
    }
}

#[test]
fn further_reading_is_folded_and_comes_after_the_explanation() {
    let mut page = Page::open("#story/one-note");
    let (first, rest) = PREDICTED.split_once("- [ ] A.").unwrap();
    let before = format!("{first}+ First <b>.\n\n+ Second *margin*.\n\n- [ ] A.{rest}");
    let file = format!("{before}+ Third.\n\n{MINIMAL_NOTES}## Sources\n\n- S.\n");
    page.act(Action::Tour(TourAction::Fetched("one-note", Ok(file))));
    let press = |page: &mut Page, name: &str| {
        let pressed = TourAction::from_button(name, page.state.tour.as_ref().unwrap()).unwrap();
        page.act(Action::Tour(pressed));
    };
    let folded = html(&page);
    assert_eq!(folded.matches("aria-expanded=\"false\">Read more</button>").count(), 1, "{folded}");
    assert!(!folded.contains("First") && !folded.contains("Second"), "{folded}");
    press(&mut page, "0.more");
    let unfolded =
        "aria-expanded=\"true\">Read more</button><p>First &lt;b>.</p><p>Second <em>margin</em>.</p></div>";
    assert!(html(&page).contains(unfolded), "{}", html(&page));
    // Reading after the question waits for its explanation, and unfolded reading stays unfolded.
    press(&mut page, "2.0");
    assert!(html(&page).contains(unfolded) && !html(&page).contains("4.more"), "{}", html(&page));
    press(&mut page, "3.0");
    assert!(html(&page).contains(unfolded) && html(&page).contains("4.more"), "{}", html(&page));
    press(&mut page, "4.more");
    press(&mut page, "0.more");
    assert!(html(&page).contains("<p>Third.</p>") && !html(&page).contains("Second"), "{}", html(&page));
    // Another passage has its own.
    page.act(Action::Tour(TourAction::Turn(1)));
    page.act(Action::Tour(TourAction::Turn(-1)));
    assert!(html(&page).contains("<p>Third.</p>"));
    let tour = page.state.tour.as_ref().unwrap();
    assert_eq!(
        [TourAction::from_button("2.more", tour), TourAction::from_button("9.more", tour)],
        [None, None]
    );
}

#[test]
fn the_words_around_a_question_fit_runs_that_train_nothing() {
    let mut page = predicting();
    let mut texts = html(&page);
    page.act(Action::Tour(TourAction::Guess(0, 0)));
    texts.push_str(&html(&page));
    let written = texts.replace("Train to step 100", "").to_lowercase();
    assert!(!written.contains("train"), "{written}");
}
