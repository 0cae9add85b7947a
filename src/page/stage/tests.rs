//! The first screen shows the picture of the runs that have one, at a pace of a few seconds, and replays them.

use super::live::{Showing, Stage};
use super::strip::draw_strip;
use super::update::{STAGE_SECONDS, steps_in_second};
use super::*;
use crate::run::tests::Page;
use crate::state::Action;
use crate::tour::TourAction;
use vivarium_labs::find_preset;
use vivarium_labs::parameters::PARAMETERS;
use vivarium_model::protocol::{Command, EndReason, Measurement, ProbeResult};
use vivarium_plot::scene::{Ink, Point, Shape};
use vivarium_view::display::RunPhase;
use vivarium_view::display::hero::{Frame, Touch};
use vivarium_view::presets::recorded::recorded_steps;

/// A picture of a laptop's size at a time.
fn frame(now_ms: f64) -> Frame {
    Frame { width: 1400.0, height: 540.0, now_ms, is_still: false }
}

/// The speeds that were sent to the trainer, in order.
fn speeds(page: &Page) -> Vec<u64> {
    let speed = |command: &Command| match command {
        Command::Start { speed, .. } | Command::Speed(speed) => Some(*speed),
        _ => None,
    };
    page.sent.iter().filter_map(|(command, _)| speed(command)).collect()
}

#[test]
fn a_preset_lasts_fifteen_seconds_on_the_stage_and_has_its_own_speed_without_it() {
    let mut page = Page::open("");
    assert!(!page.state.shows_stage() && page.state.has_picture());
    assert_eq!(speeds(&page), [200]);
    page.act(Action::Stage(StageAction::ShowPicture(true)));
    let recorded = recorded_steps("parity-20").unwrap();
    assert_eq!(page.state.expected_steps(), Some(recorded));
    assert_eq!(speeds(&page).last(), Some(&steps_in_second(recorded, 0)));
    assert!(matches!(&page.sent.last().unwrap().0, Command::Speed(_)));
    let watched = page.sent.iter().rev().find_map(|(command, _)| match command {
        Command::Watch(probes) => Some(probes.clone()),
        _ => None,
    });
    assert!(watched.unwrap().contains(&PARAMETERS.id()));
    let first = *speeds(&page).last().unwrap();
    page.act(Action::Tick);
    assert!(*speeds(&page).last().unwrap() > first, "the pace rises: {:?}", speeds(&page));
    page.act(Action::Stage(StageAction::Unpaced(true)));
    assert_eq!(speeds(&page).last(), Some(&0));
    page.act(Action::Stage(StageAction::Unpaced(false)));
    page.act(Action::Stage(StageAction::ShowPicture(false)));
    assert_eq!(speeds(&page).last(), Some(&200));
    let link = page.link();
    page.act(Action::Stage(StageAction::ShowPicture(true)));
    assert_eq!(page.link(), link, "the picture is no part of the link");
}

#[test]
fn the_seconds_of_a_run_add_up_to_its_steps() {
    for steps in [9, 600, 770, 4000, 1_000_000] {
        let all: Vec<u64> = (0..STAGE_SECONDS).map(|second| steps_in_second(steps, second)).collect();
        assert!(all.windows(2).all(|pair| pair[0] <= pair[1] && pair[0] >= 1), "{all:?}");
        let sum: u64 = all.iter().sum();
        assert!(sum.abs_diff(steps) <= STAGE_SECONDS, "{sum} and {steps}");
        assert_eq!(steps_in_second(steps, 99), all[14]);
    }
    // A network that learns to add within 25 steps is seen doing it.
    assert!(steps_in_second(600, 0) + steps_in_second(600, 1) < 35);
}

#[test]
fn runs_without_a_picture_show_their_charts() {
    let mut page = Page::open("");
    page.act(Action::Stage(StageAction::ShowPicture(true)));
    assert!(page.state.shows_stage());
    for link in
        ["#v1/sparse-parity?n=300", "#v1/sparse-parity?n=20&sweep=n:20_30", "#v1/sparse-parity?embed=on"]
    {
        page.act(Action::Open(link.into()));
        assert!(!page.state.shows_stage(), "{link}");
    }
    page.act(Action::Open("#v1/sparse-parity?n=30".into()));
    assert!(page.state.shows_stage());
    // Links may say what they open; a lesson opens what it opened before there were pictures.
    for (link, shows) in [("view=details", false), ("lock=n", false), ("lock=n&view=picture", true)] {
        page.act(Action::Open(format!("#v1/sparse-parity?n=31&{link}")));
        assert_eq!(page.state.shows_stage(), shows, "{link}");
    }
    page.act(Action::Open("#v1/sparse-parity?n=32&view=details".into()));
    page.act(Action::Stage(StageAction::ShowPicture(true)));
    page.act(Action::NewSeed(3));
    assert!(page.state.shows_stage(), "the user has chosen");
    page.act(Action::Edit("width".into(), "32".into()));
    assert!(page.state.shows_stage(), "a change of the run is no other link");
    page.act(Action::Open("#v1/sparse-parity?n=34&view=details".into()));
    assert!(!page.state.shows_stage(), "each link opens the view that it states");
    page.act(Action::Stage(StageAction::ShowPicture(true)));
    page.act(Action::Stage(StageAction::ShowPicture(false)));
    page.act(Action::Open("#v1/sparse-parity?n=33&view=picture".into()));
    assert!(page.state.shows_stage());
    page.act(Action::Presenter(crate::presenter::PresenterAction::Enter));
    assert!(!page.state.shows_stage());
}

/// A stage that has seen a whole run of a small parity: the parameters after each of these steps are the initial ones,
/// scaled.
fn staged(steps: &[u64]) -> (Page, Stage) {
    let mut page = Page::open("");
    page.act(Action::ChoosePreset(find_preset("parity-20").unwrap()));
    page.act(Action::SecondProgramLoaded);
    let mut stage = Stage::default();
    let initial: Vec<f32> = page.state.player.run.spec().initialize_replicas(1).concat();
    for (at, step) in steps.iter().enumerate() {
        let run = &mut page.state.player.run;
        let numbers = initial.iter().map(|w| w * (1.0 + at as f32)).collect();
        run.phase = RunPhase::Running;
        run.step = *step;
        run.add_result(*step, ProbeResult::new(PARAMETERS.id()).with_numbers(numbers));
        stage.update(run, 100.0 * at as f64);
    }
    page.state.player.run.phase = RunPhase::Finished(EndReason::Target);
    stage.update(&page.state.player.run, 1000.0);
    (page, stage)
}

#[test]
fn after_the_end_the_run_is_replayed_unless_a_user_touches() {
    let (_, mut stage) = staged(&[0, 100, 200, 300]);
    assert_eq!((stage.shown_step(), stage.showing()), (300, Showing::Latest));
    stage.advance(&frame(6_500.0));
    assert_eq!(stage.showing(), Showing::Latest);
    stage.advance(&frame(7_500.0));
    assert_eq!((stage.shown_step(), stage.showing()), (0, Showing::Replay(7_500.0)));
    stage.advance(&frame(7_500.0 + 6_100.0));
    assert!((100..300).contains(&stage.shown_step()), "{}", stage.shown_step());
    stage.advance(&frame(7_500.0 + 12_100.0));
    assert_eq!((stage.shown_step(), stage.showing()), (300, Showing::Latest));
    let spoken = stage.touch("bit-3", Touch::Press, &frame(20_000.0)).unwrap();
    assert!(spoken.starts_with("Bit 4 is "), "{spoken}");
    stage.advance(&frame(30_000.0));
    assert_eq!(stage.showing(), Showing::Latest, "nothing moves soon after a touch");
}

#[test]
fn a_step_of_the_past_is_shown_with_its_weights_and_a_touch_is_answered_by_them() {
    let (_, mut stage) = staged(&[0, 100, 200, 300]);
    stage.rewind(150, 2_000.0);
    assert_eq!((stage.shown_step(), stage.showing()), (100, Showing::Step(150)));
    let at_100 = stage.touch("bit-0", Touch::Press, &frame(2_000.0)).unwrap();
    stage.rewind(300, 2_000.0);
    stage.touch("bit-0", Touch::Press, &frame(2_000.0)).unwrap();
    let at_300 = stage.touch("bit-0", Touch::Press, &frame(2_000.0)).unwrap();
    assert_eq!(stage.showing(), Showing::Latest);
    assert_ne!(at_100, at_300);
    let (page, mut still) = staged(&[0, 100]);
    still.advance(&Frame { is_still: true, ..frame(60_000.0) });
    assert_eq!(still.showing(), Showing::Latest, "with reduced motion nothing moves by itself");
    still.replay(60_000.0);
    still.touch("bit-0", Touch::Press, &frame(60_100.0));
    assert_eq!(still.showing(), Showing::Step(0), "a touch holds the replay");
    // Another run has a picture of its own.
    let mut run = page.state.player.run.clone();
    run.run_count += 1;
    run.latest_results.clear();
    still.update(&run, 0.0);
    assert_eq!((still.shown_step(), still.tape().frames().len()), (0, 1), "the initial weights");
}

#[test]
fn the_strip_has_a_curve_of_the_progress_inside_the_network() {
    let (page, stage) = staged(&[0, 100, 200, 300]);
    let scene = draw_strip(&page.state.player.run, &stage, 770, 1400.0, 160.0);
    let lengths: Vec<usize> = scene
        .items
        .iter()
        .filter_map(|item| match &item.shape {
            Shape::Path(points) => Some(points.len()),
            _ => None,
        })
        .collect();
    assert!(lengths.contains(&4), "{lengths:?}");
}

/// Adds measurements to the run of the page: at each of these steps the held-out loss 1/(1 + step/100).
fn measure(page: &mut Page, stage: &mut Stage, steps: &[u64]) {
    for step in steps {
        let run = &mut page.state.player.run;
        run.phase = RunPhase::Running;
        run.step = *step;
        let loss = vec![1.0 / (1.0 + *step as f32 / 100.0)];
        run.history.push(Measurement { step: *step, test_loss: loss, ..Measurement::default() });
        stage.update(run, *step as f64);
    }
}

#[test]
fn the_strip_names_the_value_at_the_shown_step() {
    let (mut page, mut stage) = staged(&[0, 100, 300]);
    for step in [0, 100, 300] {
        let test_loss = vec![1.0 / (1.0 + step as f32 / 100.0)];
        page.state.player.run.history.push(Measurement { step, test_loss, ..Measurement::default() });
    }
    stage.update(&page.state.player.run, 1_500.0);
    let has = |stage: &Stage, page: &Page, value: &str| {
        let scene = draw_strip(&page.state.player.run, stage, 300, 1400.0, 160.0);
        let is_value = |shape: &Shape| matches!(shape, Shape::Text { text, .. } if text.ends_with(value));
        scene.items.iter().any(|item| is_value(&item.shape))
    };
    assert!(has(&stage, &page, ": 0.250") && !has(&stage, &page, ": 0.500"));
    stage.rewind(100, 2_000.0);
    assert!(has(&stage, &page, ": 0.500") && !has(&stage, &page, ": 0.250"));
}

/// Dashed lines of the strip of the page's run, each with its points.
fn dashed(page: &Page, stage: &Stage, end: u64) -> Vec<Vec<Point>> {
    let scene = draw_strip(&page.state.player.run, stage, end, 1400.0, 160.0);
    let items = scene.items.into_iter().filter(|item| item.stroke.is_some_and(|line| line.dash.is_some()));
    items
        .filter_map(|item| match item.shape {
            Shape::Path(points) => Some(points),
            _ => None,
        })
        .collect()
}

#[test]
fn the_strip_keeps_the_curve_of_the_run_before() {
    let mut page = Page::open("#v1/sparse-parity?n=20&start=paused");
    page.act(Action::SecondProgramLoaded);
    let mut stage = Stage::default();
    stage.update(&page.state.player.run, 0.0);
    measure(&mut page, &mut stage, &[0, 100, 200, 300]);
    assert!(stage.previous().is_none() && dashed(&page, &stage, 400).is_empty());
    page.act(Action::NewSeed(3));
    stage.update(&page.state.player.run, 1.0);
    let lines = dashed(&page, &stage, 300);
    assert_eq!((lines.len(), lines[0].len()), (1, 4), "{lines:?}");
    assert!(lines[0].windows(2).all(|pair| pair[0].x < pair[1].x && pair[0].y < pair[1].y), "{lines:?}");
    assert_eq!(dashed(&page, &stage, 250)[0].len(), 3, "steps beyond the axis are left out");
    let spoken = stage.previous().unwrap().describe().unwrap();
    assert!(spoken.starts_with("The run before stopped at step 300; "), "{spoken}");
    assert!(spoken.ends_with(" is 0.250."), "{spoken}");
    // A run that was stopped at once does not replace it; one with a curve does.
    measure(&mut page, &mut stage, &[0]);
    page.act(Action::Edit("width".into(), "32".into()));
    stage.update(&page.state.player.run, 2.0);
    assert_eq!(dashed(&page, &stage, 300)[0].len(), 4);
    measure(&mut page, &mut stage, &[0, 50, 100]);
    page.act(Action::Edit("k".into(), "2".into()));
    stage.update(&page.state.player.run, 3.0);
    assert_eq!(dashed(&page, &stage, 300)[0].len(), 3);
    // Another loss has another axis, and another lab has another task.
    page.act(Action::Edit("loss".into(), "square".into()));
    stage.update(&page.state.player.run, 4.0);
    assert!(stage.previous().is_some() && dashed(&page, &stage, 300).is_empty());
    page.act(Action::Open("#v1/teacher-student?start=paused".into()));
    stage.update(&page.state.player.run, 5.0);
    assert!(stage.previous().is_none());
}

#[test]
fn a_picture_that_was_hidden_when_a_run_began_compares_it_with_nothing() {
    let mut page = Page::open("#v1/sparse-parity?n=20&start=paused");
    page.act(Action::SecondProgramLoaded);
    let mut stage = Stage::default();
    stage.update(&page.state.player.run, 0.0);
    measure(&mut page, &mut stage, &[0, 100, 200]);
    stage.hide();
    stage.update(&page.state.player.run, 1.0);
    page.act(Action::NewSeed(3));
    stage.update(&page.state.player.run, 2.0);
    assert!(stage.previous().is_some(), "the same run was shown again");
    measure(&mut page, &mut stage, &[0, 100, 200]);
    stage.hide();
    page.act(Action::NewSeed(4));
    stage.update(&page.state.player.run, 3.0);
    assert!(stage.previous().is_none());
}

#[test]
fn keys_move_by_a_share_of_the_run_and_at_least_to_the_next_recorded_weights() {
    let (_, mut stage) = staged(&[0, 100, 200, 300]);
    stage.move_by(-0.01, 400, 0.0);
    assert_eq!(stage.shown_step(), 200, "four steps before step 300 the weights of step 200 were recorded");
    stage.move_by(0.01, 400, 0.0);
    assert_eq!((stage.shown_step(), stage.showing()), (300, Showing::Latest));
    stage.move_by(-0.5, 400, 0.0);
    assert_eq!(stage.shown_step(), 100);
    stage.move_by(-0.1, 3, 0.0);
    assert_eq!(stage.shown_step(), 0, "at least one step");
    stage.move_by(-0.1, 400, 0.0);
    assert_eq!(stage.shown_step(), 0);
    stage.move_by(0.1, 400, 0.0);
    assert_eq!(stage.shown_step(), 100);
    stage.move_by(1.0, 400, 0.0);
    assert_eq!(stage.showing(), Showing::Latest);
}

#[test]
fn stories_show_the_picture_in_a_panel_at_the_speed_of_their_run() {
    let mut page = Page::open("");
    let open_story = |page: &mut Page| page.act(Action::Tour(TourAction::Open("hidden-progress".into())));
    open_story(&mut page);
    assert_eq!(page.state.stage_placement(), StagePlacement::Panel, "also for readers who want the details");
    assert_eq!(speeds(&page), [200]);
    let watched = page.sent.iter().rev().find_map(|(command, _)| match command {
        Command::Watch(probes) => Some(probes.clone()),
        _ => None,
    });
    assert!(watched.unwrap().contains(&PARAMETERS.id()));
    page.act(Action::Stage(StageAction::ShowPicture(true)));
    assert!(page.state.stage_placement() == StagePlacement::Panel && !page.state.shows_stage());
    page.act(Action::Tick);
    assert_eq!(speeds(&page), [200]);
    // The gallery covers the story.
    page.act(Action::Open(crate::gallery::FRAGMENT.into()));
    assert_eq!(page.state.stage_placement(), StagePlacement::Hidden);
    // Links may state the details, lessons keep what they showed, and some runs have no picture.
    for link in ["n=31&view=details", "n=31&lock=n", "n=300", "n=20&sweep=n:20_30"] {
        page.act(Action::Open(format!("#v1/sparse-parity?{link}")));
        open_story(&mut page);
        assert_eq!(page.state.stage_placement(), StagePlacement::Hidden, "{link}");
    }
    page.act(Action::Open("#v1/sparse-parity?n=31&lock=n&view=picture".into()));
    open_story(&mut page);
    assert_eq!(page.state.stage_placement(), StagePlacement::Panel);
}

#[test]
fn a_frame_of_another_page_shows_the_picture_only_if_its_link_states_it() {
    for (link, placement) in [
        ("embed=on", StagePlacement::Hidden),
        ("embed=on&view=details", StagePlacement::Hidden),
        ("embed=on&view=picture", StagePlacement::FirstScreen),
    ] {
        let mut page = Page::open(&format!("#v1/sparse-parity?n=20&{link}"));
        assert_eq!(page.state.stage_placement(), placement, "{link}");
        page.act(Action::NewSeed(3));
        assert_eq!(page.state.stage_placement(), placement, "{link}, another run");
    }
}

#[test]
fn in_a_panel_nothing_is_replayed_by_itself() {
    let (_, mut stage) = staged(&[0, 100, 200, 300]);
    stage.set_in_story(true);
    stage.advance(&frame(60_000.0));
    assert_eq!((stage.shown_step(), stage.showing()), (300, Showing::Latest));
    stage.replay(60_000.0);
    assert_eq!((stage.shown_step(), stage.showing()), (0, Showing::Replay(60_000.0)));
    stage.advance(&frame(72_500.0));
    stage.advance(&frame(100_000.0));
    assert_eq!((stage.shown_step(), stage.showing()), (300, Showing::Latest), "once");
}

#[test]
fn a_picture_that_executes_its_run_follows_the_run_of_a_story() {
    let mut page = Page::open("#v1/turing-machine");
    page.act(Action::SecondProgramLoaded);
    let shown = |in_story: bool, page: &Page| {
        let mut stage = Stage::default();
        stage.set_in_story(in_story);
        stage.update(&page.state.player.run, 0.0);
        let first = stage.shown_step();
        (1..40).for_each(|second| stage.advance(&frame(f64::from(second) * 60_000.0)));
        (first, stage.shown_step(), stage)
    };
    let (first, later, _) = shown(false, &page);
    assert_ne!(first, later, "it goes on by itself");
    let (first, later, mut stage) = shown(true, &page);
    assert_eq!((first, later), (0, 0), "the run waits at its first step");
    page.state.player.run.step = 40;
    stage.update(&page.state.player.run, 0.0);
    assert_eq!(stage.shown_step(), 40);
    // A story that opens beside a picture on the page.
    let (_, later, mut stage) = shown(false, &page);
    assert_ne!(later, 40);
    stage.set_in_story(true);
    assert_eq!(stage.shown_step(), 40);
    stage.rewind(3, 0.0);
    assert_eq!(stage.shown_step(), 3, "any step can be chosen");
}

#[test]
fn the_picture_follows_the_charts_to_an_earlier_step_and_the_run_when_it_goes_on() {
    let (mut page, mut stage) = staged(&[0, 100, 200, 300]);
    stage.follow_charts(Some(150), 2_000.0);
    assert_eq!((stage.shown_step(), stage.showing()), (100, Showing::Step(150)));
    // Whoever moves the slider of the picture is not pulled back.
    stage.rewind(200, 2_000.0);
    stage.follow_charts(Some(150), 2_100.0);
    assert_eq!(stage.shown_step(), 200);
    stage.follow_charts(None, 2_200.0);
    assert_eq!((stage.shown_step(), stage.showing()), (300, Showing::Latest));
    // A run that waits shows any step; when it goes on it is seen.
    page.state.player.run.phase = RunPhase::Paused;
    stage.update(&page.state.player.run, 2_300.0);
    stage.rewind(100, 2_400.0);
    stage.update(&page.state.player.run, 2_500.0);
    assert_eq!(stage.shown_step(), 100);
    page.state.player.run.phase = RunPhase::Running;
    stage.update(&page.state.player.run, 2_600.0);
    assert_eq!((stage.shown_step(), stage.showing()), (300, Showing::Latest));
}

#[test]
fn pictures_are_enlarged_with_the_texts_as_far_as_there_is_room_and_reduced_to_low_frames() {
    assert_eq!(picture_scale(1.0, (1400, 540)), 1.0);
    assert_eq!(picture_scale(1.35, (1400, 600)), 1.35);
    assert_eq!(picture_scale(2.0, (1400, 600)), 1.5, "as high as the room for wide pictures");
    assert_eq!(picture_scale(2.0, (390, 600)), 1.0, "a phone has no room");
    assert_eq!(picture_scale(2.0, (960, 300)), 0.75);
    assert_eq!(picture_scale(1.0, (0, 0)), 0.6, "before it is measured");
    assert!((0.75..0.77).contains(&picture_scale(1.0, (368, 325))));
    // A frame beside the settings or beside a text: the parts of a picture are laid out for a laptop, and all of it is seen.
    assert_eq!(picture_scale(1.0, (1130, 540)), 1.0);
    assert_eq!([picture_scale(1.0, (904, 540)), picture_scale(2.0, (904, 540))], [0.8; 2]);
    assert_eq!(picture_scale(1.0, (904, 280)), 0.7, "the frame is also low");
    assert_eq!(picture_scale(1.0, (700, 540)), 0.75, "fingers need room");
    let scale = |text_scale, height| strip_scale(text_scale, (1400, height));
    assert_eq!([scale(2.0, 108), scale(1.0, 20), scale(2.0, 0)], [1.5, 1.0, 1.0]);
}

#[test]
fn texts_of_a_reduced_picture_can_be_read() {
    let sizes = |scale: f64| {
        let mut scene = Scene::new(1000.0, 400.0);
        for (size, x) in [(12.0, 10.0), (20.0, 10.0), (9.0, 10.0), (11.0, 960.0)] {
            scene.text("caption", Point::new(x, 50.0), size, Anchor::Start, Ink::Text);
        }
        enlarge_texts(&mut scene, scale);
        let size = |item: &vivarium_plot::scene::Item| match item.shape {
            Shape::Text { size, .. } => Some(size),
            _ => None,
        };
        scene.items.iter().filter_map(size).collect::<Vec<f32>>()
    };
    assert_eq!(sizes(1.0), [12.0, 20.0, 9.0, 11.0], "nothing is reduced");
    assert_eq!(sizes(0.75)[1..], [20.0, 9.0, 11.0], "large enough, small by intention, and without room");
    assert!((sizes(0.75)[0] * 0.75 - 11.0).abs() < 1e-3, "{:?}", sizes(0.75));
    assert!((sizes(0.6)[0] - 12.0 * MAX_TEXT_ENLARGEMENT).abs() < 1e-3, "at most so much larger");
}
