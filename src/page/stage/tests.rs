//! The first screen shows the picture of the runs that have one, at a pace of a few seconds, and replays them.

use super::live::{Showing, Stage};
use super::strip::draw_strip;
use super::update::{STAGE_SECONDS, steps_in_second};
use super::*;
use crate::run::tests::Page;
use crate::state::Action;
use vivarium_labs::find_preset;
use vivarium_labs::parameters::PARAMETERS;
use vivarium_model::protocol::{Command, EndReason, ProbeResult};
use vivarium_plot::scene::Shape;
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
