//! Sweeps on the page, natively against a trainer that ends every run at once.

use crate::effect::Effect;
use crate::files::Export;
use crate::state::{Action, State};
use crate::sweeps::SweepAction;
use crate::sweeps::form::SweepForm;
use crate::sweeps::map::{cell_views, map_html, map_legend};
use vivarium_model::permalink::{Link, decode, encode};
use vivarium_model::protocol::{Command, DeviceInfo, DeviceKind, EndReason, Event, Measurement};
use vivarium_model::run::RunSpec;
use vivarium_player::device::GpuSupport;
use vivarium_player::status::status_line;
use vivarium_player::trainer::{Program, TrainerMessage};
use vivarium_view::display::RunPhase;
use vivarium_view::display::sweep::SweepProgress;

/// Applies a message of the trainer, and returns the effects.
fn receive(state: &mut State, event: Event) -> Vec<Effect> {
    state.apply(Action::Trainer(Program::Cpu, TrainerMessage::Message(event.into())))
}

fn started(effects: &[Effect]) -> Option<RunSpec> {
    effects.iter().find_map(|effect| match effect {
        Effect::Send(Command::Start { spec, .. }, _) => Some(spec.clone()),
        _ => None,
    })
}

/// The page with a sweep of four runs, and what it asked of its trainer.
pub(super) fn open() -> (State, Vec<Effect>) {
    let link = "#v1/sparse-parity?replicas=2&sweep=n:10_20&series=k:2_3&device=cpu";
    let mut state = State::default();
    state.apply(Action::GpuDetected(GpuSupport::NoWebGpu));
    state.apply(Action::Open(link.into()));
    let report = DeviceInfo { kind: DeviceKind::Cpu, name: "CPU".into(), simulated: false };
    let effects = receive(&mut state, Event::Ready(report));
    (state, effects)
}

/// Applies the answer that the run has started.
fn answer_start(state: &mut State) {
    let started = Event::Started {
        step: 0,
        relevant: vec![0, 1],
        held_out: 64,
        parameters: 9,
        learner: String::new(),
        note: String::new(),
    };
    receive(state, started);
}

/// Whether the effects start a paused run.
fn is_paused_start(effects: &[Effect]) -> bool {
    effects.iter().any(|e| matches!(e, Effect::Send(Command::Start { paused: true, .. }, _)))
}

/// Plays a trainer that ends every run at once.
#[test]
fn runs_follow_each_other_and_the_curves_grow() {
    let (mut state, mut effects) = open();
    let mut seen = vec![];
    while let Some(spec) = started(&effects) {
        assert_eq!(&spec, state.player.run.spec());
        assert!(spec.run.sweep.is_empty());
        seen.push(format!("{}/{}", spec.value("n").unwrap(), spec.value("k").unwrap()));
        answer_start(&mut state);
        receive(&mut state, Event::Solved { replica: 1, step: 10 * seen.len() as u64 });
        effects = receive(&mut state, Event::Finished { step: 50, reason: EndReason::LastStep });
    }
    assert_eq!(seen, ["10/2", "10/3", "20/2", "20/3"]);
    let curves = state.player.run.sweep.as_ref().unwrap().curves(&state.player.run.link.spec);
    assert_eq!((curves[0].0.as_str(), curves[1].0.as_str()), ("k = 2", "k = 3"));
    let times: Vec<_> = curves[1].1.iter().map(|p| (p.x, p.times.clone())).collect();
    assert_eq!(times, [(10.0, vec![None, Some(20)]), (20.0, vec![None, Some(40)])]);
    assert_eq!(state.player.run.phase, RunPhase::Finished(EndReason::LastStep));
    assert_eq!(
        status_line(&state.player),
        "The sweep is complete: 4 runs. The other charts show the last run: n = 20, k = 3"
    );
    assert_eq!(
        (&state.player.message, state.main_button()),
        (&status_line(&state.player), ("Completed", true))
    );
    assert!(
        vivarium_model::permalink::encode(&state.player.run.link).contains("sweep=n:10_20"),
        "the link stays the sweep's"
    );
    state.apply(Action::Reset);
    assert_eq!(state.player.run.describe_sweep_position().unwrap(), "Run 1 of 4: n = 10, k = 2");
    assert!(state.player.run.sweep.as_ref().unwrap().solved_steps.is_empty());
}

/// Sweep that the trainer receives with each start, so that it can begin the next runs.
#[test]
fn the_trainer_knows_which_runs_come_next() {
    let (mut state, mut effects) = open();
    for number in 0..4 {
        let told = |effects: &[Effect]| {
            effects.iter().find_map(|effect| match effect {
                Effect::Send(Command::Sweep(sweep, shown), _) => Some((sweep.clone(), *shown)),
                _ => None,
            })
        };
        assert_eq!(told(&effects), Some((Box::new(state.player.run.link.spec.clone()), number)));
        answer_start(&mut state);
        effects = receive(&mut state, Event::Finished { step: 50, reason: EndReason::LastStep });
    }
    let mut other = State::default();
    other.apply(Action::GpuDetected(GpuSupport::NoWebGpu));
    other.apply(Action::Open("#v1/sparse-parity?device=cpu".into()));
    let report = DeviceInfo { kind: DeviceKind::Cpu, name: "CPU".into(), simulated: false };
    let effects = receive(&mut other, Event::Ready(report));
    assert!(!effects.iter().any(|e| matches!(e, Effect::Send(Command::Sweep(..), _))), "one run is no sweep");
}

#[test]
fn a_pause_or_a_step_at_the_end_of_a_run_holds_the_next_one() {
    for wish in [Action::TogglePlay, Action::SingleStep] {
        let (mut state, _) = open();
        answer_start(&mut state);
        state.apply(wish);
        // The run had ended when the wish arrived.
        let effects = receive(&mut state, Event::Finished { step: 50, reason: EndReason::Target });
        assert!(is_paused_start(&effects));
        answer_start(&mut state);
        assert_eq!(state.player.run.phase, RunPhase::Paused);
        assert_eq!(
            status_line(&state.player),
            "Run 2 of 4: n = 10, k = 3. Waiting at the start. Press Play to begin"
        );
        state.apply(Action::TogglePlay);
        receive(&mut state, Event::Resumed { step: 0 });
        let effects = receive(&mut state, Event::Finished { step: 50, reason: EndReason::Target });
        assert!(started(&effects).is_some() && !is_paused_start(&effects));
    }
}

#[test]
fn a_run_that_diverges_does_not_end_the_sweep() {
    let (mut state, _) = open();
    answer_start(&mut state);
    receive(&mut state, Event::Diverged { step: 10, last_good: 0 });
    let effects = receive(&mut state, Event::Finished { step: 0, reason: EndReason::Diverged });
    assert!(started(&effects).is_some());
    assert!(
        state.player.message.starts_with("Run 1 of 4: n = 10, k = 2. The loss was no longer"),
        "{}",
        state.player.message
    );
    assert!(state.player.message.ends_with("the sweep goes on."));
}

#[test]
fn fields_that_the_sweep_sets_are_known() {
    let (state, _) = open();
    assert_eq!(["n", "k", "width", ""].map(|key| state.is_swept(key)), [true, true, false, false]);
}

/// Ends the run under way, with one network at the target.
pub(super) fn end(state: &mut State, step: u64) -> Vec<Effect> {
    end_of(state, &[1], step)
}

/// A run whose replicas of these indices are at the target.
pub(super) fn end_of(state: &mut State, replicas: &[usize], step: u64) -> Vec<Effect> {
    answer_start(state);
    for replica in replicas {
        receive(state, Event::Solved { replica: *replica, step });
    }
    let row = Measurement {
        step,
        train_loss: vec![0.5; 2],
        test_loss: vec![0.25; 2],
        train_accuracy: vec![1.0; 2],
        test_accuracy: vec![0.75; 2],
        ..Default::default()
    };
    receive(state, Event::Metrics(vec![row]));
    receive(state, Event::Finished { step: 50, reason: EndReason::LastStep })
}

pub(super) fn sweep(state: &State) -> &SweepProgress {
    state.player.run.sweep.as_ref().unwrap()
}

#[test]
fn the_table_of_a_sweep_has_every_run_with_its_swept_settings() {
    let (mut state, _) = open();
    assert!(Export::Csv.build(&state, "").is_err(), "no run has ended");
    end(&mut state, 20);
    end(&mut state, 30);
    let table = String::from_utf8(Export::Csv.build(&state, "").unwrap().bytes).unwrap();
    assert!(table.starts_with("# program: Vivarium "), "{table}");
    let lines: Vec<&str> = table.lines().filter(|line| !line.starts_with('#')).collect();
    let budget = sweep(&state).cells[0].spec.run.steps;
    let expected = [
        "n,k,replica,t_c,budget,test_accuracy".to_string(),
        format!("10,2,0,,{budget},0.75"),
        format!("10,2,1,20,{budget},0.75"),
        format!("10,3,0,,{budget},0.75"),
        format!("10,3,1,30,{budget},0.75"),
    ];
    assert_eq!(lines, expected);
    assert!(Export::Csv.description(&state).starts_with("The result of every replica in every finished run"));
    assert_eq!(Export::Csv.label(&state), "Results of the sweep (CSV)");
}

#[test]
fn cancelling_answers_at_once_and_keeps_what_was_found() {
    let (mut state, _) = open();
    end(&mut state, 20);
    answer_start(&mut state);
    assert_eq!(state.player.run.phase, RunPhase::Running);
    let effects = state.apply(Action::Sweep(SweepAction::Cancel));
    assert!(effects.iter().any(|e| matches!(e, Effect::Send(Command::Pause, _))));
    // Before the trainer has said a word.
    assert_eq!(state.player.run.phase, RunPhase::Finished(EndReason::LastStep));
    assert_eq!(sweep(&state).describe_progress(), "Cancelled after 1 of 4 runs; the results so far are kept");
    assert_eq!(sweep(&state).solved_steps, [vec![None, Some(20)]]);
    assert_eq!(
        (state.player.message.as_str(), state.main_button()),
        ("The sweep was cancelled after 1 of 4 runs", ("Go on", false))
    );
    // What it says later changes nothing.
    assert_eq!(receive(&mut state, Event::Finished { step: 50, reason: EndReason::LastStep }), []);
    receive(&mut state, Event::Paused { step: 7 });
    assert_eq!(
        (sweep(&state).solved_steps.len(), &state.player.run.phase),
        (1, &RunPhase::Finished(EndReason::LastStep))
    );
    // And it can go on with the run that it was in.
    let effects = state.apply(Action::TogglePlay);
    let spec = started(&effects).expect("the second run again");
    assert_eq!(
        (spec.value("n").unwrap().to_string(), spec.value("k").unwrap().to_string()),
        ("10".into(), "3".into())
    );
    assert!(!is_paused_start(&effects) && !sweep(&state).cancelled);
    end(&mut state, 30);
    assert_eq!(sweep(&state).solved_steps.len(), 2);
}

#[test]
fn a_sweep_that_is_cancelled_while_a_run_begins_stays_cancelled() {
    let (mut state, _) = open();
    state.apply(Action::Sweep(SweepAction::Cancel));
    answer_start(&mut state);
    assert_eq!(state.player.run.phase, RunPhase::Finished(EndReason::LastStep));
    assert_eq!(state.apply(Action::Sweep(SweepAction::Cancel)), [], "twice is once");
    state.apply(Action::Reset);
    assert!(!sweep(&state).cancelled);
    assert_eq!(state.player.run.describe_sweep_position().unwrap(), "Run 1 of 4: n = 10, k = 2");
}

/// The link of each cell, as the page's table has it.
fn links(state: &State) -> Vec<String> {
    let table = map_html(&state.player.run).replace("&amp;", "&");
    table.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_string()).collect()
}

/// As the sweep, but for what only a sweep has: its map, and the step at which a teacher's run waits.
#[test]
fn links_of_cells_say_no_more_than_is_theirs() {
    let mut state = State::default();
    let rest = "replicas=2&device=cpu";
    let sweep = format!("{rest}&sweep=n:10_20&series=opt:sgd_adam&show=sweep&x=log&cells=steps&lock=n&at=30");
    state.apply(Action::Open(format!("#v1/sparse-parity?{sweep}")));
    let link = |query: &str| format!("#v1/sparse-parity?{query}&{rest}&x=log&lock=n");
    assert_eq!(links(&state), ["n=10", "n=20", "opt=adam&n=10", "opt=adam&n=20"].map(link));
}

#[test]
fn a_cell_opens_its_run_and_undo_brings_the_sweep_back_as_far_as_it_was() {
    let (mut state, _) = open();
    end(&mut state, 20);
    end(&mut state, 30);
    let found = sweep(&state).solved_steps.clone();
    // The table goes row by row, the runs column by column.
    let cells = links(&state);
    assert_eq!(cells.len(), 4);
    for (link, number) in cells.iter().zip([0, 2, 1, 3]) {
        let (link, notices) = decode(link);
        assert!(notices.is_empty() && link.spec == sweep(&state).cells[number].spec, "{notices:?}");
    }
    state.apply(Action::Open(cells[1].clone()));
    assert!(state.player.run.sweep.is_none());
    assert_eq!(encode(&state.player.run.link), cells[1]);
    let effects = state.apply(Action::Undo);
    assert_eq!(sweep(&state).solved_steps, found);
    let spec = started(&effects).expect("the third run");
    assert_eq!(spec.value("n").unwrap().to_string(), "20");
    // The trainer answers every start.
    answer_start(&mut state);
    answer_start(&mut state);
    end(&mut state, 40);
    end(&mut state, 40);
    assert!(sweep(&state).is_complete());
    state.apply(Action::Open(cells[0].clone()));
    let effects = state.apply(Action::Undo);
    assert!(started(&effects).is_none(), "nothing is left to do");
    assert_eq!(
        state.player.message,
        "The sweep is complete: 4 runs. The other charts show the last run: n = 20, k = 3"
    );
    assert_eq!(state.main_button(), ("Completed", true));
    let effects = state.apply(Action::Reset);
    assert!(sweep(&state).solved_steps.is_empty() && effects.iter().any(|e| matches!(e, Effect::Open(_))));
}

#[test]
fn time_left_follows_from_what_has_passed() {
    let (mut state, _) = open();
    assert_eq!(sweep(&state).describe_progress(), "0 of 4 runs");
    answer_start(&mut state);
    for _ in 0..4 {
        state.apply(Action::Tick);
    }
    state.apply(Action::TogglePlay);
    receive(&mut state, Event::Paused { step: 3 });
    for _ in 0..9 {
        state.apply(Action::Tick);
    }
    assert_eq!(sweep(&state).trained_seconds, 4, "a pause takes no time");
    state.apply(Action::TogglePlay);
    receive(&mut state, Event::Resumed { step: 3 });
    end(&mut state, 20);
    // A run with n = 20 takes nearly as long as one with n = 10: the step's overhead is most of it.
    let progress = sweep(&state).describe_progress();
    let left: u32 = progress.split("about ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(progress.starts_with("1 of 4 runs, about ") && (12..=20).contains(&left), "{progress}");
}

#[test]
fn the_map_says_of_each_cell_how_many_and_how_sure() {
    let (mut state, _) = open();
    assert!(cell_views(&state.player.run)[0].is_now && !cell_views(&state.player.run)[1].is_now);
    assert_eq!(cell_views(&state.player.run)[1].description, "n = 10, k = 3: not trained yet");
    end_of(&mut state, &[0, 1], 1200);
    let face = &cell_views(&state.player.run)[0];
    assert_eq!((face.text.as_str(), face.colour_strength, face.is_now), ("2/2", Some(1.0), false));
    assert_eq!(
        face.description,
        "n = 10, k = 2: the target was reached with 2 of 2 seeds, 95 % interval 34.2 % to 100.0 %; median 1,200 steps; held-out \
         loss 0.250, accuracy 75.0 %"
    );
    let mut shown = |cells: &str| {
        state.apply(Action::Edit("cells".into(), cells.into()));
        (cell_views(&state.player.run)[0].text.clone(), map_legend(&state.player.run))
    };
    assert_eq!(shown("steps").0, "1.2k");
    assert_eq!(shown("loss").0, "0.25");
    assert_eq!(shown("accuracy").0, "75.0");
    assert!(
        shown("share").1.starts_with("Share of seeds with which the target was reached: pale means none")
    );
    assert!(
        encode(&state.player.run.link).contains("sweep=n:10_20&series=k:2_3")
            && !encode(&state.player.run.link).contains("cells")
    );
    state.apply(Action::Edit("cells".into(), "steps".into()));
    assert!(encode(&state.player.run.link).ends_with("cells=steps"));
    assert_eq!(sweep(&state).solved_steps.len(), 1, "looking changes nothing");
    let table = map_html(&state.player.run);
    assert!(table.contains("<th scope=\"col\">k \\ n</th><th scope=\"col\">10</th>"), "{table}");
}

fn link(text: &str) -> Link {
    let (link, notices) = decode(text);
    assert!(notices.is_empty(), "{notices:?}");
    link
}

/// Link that the dialog returns after these fields were filled in.
fn chosen(at: &str, fields: &[(&str, &str)]) -> Result<String, String> {
    let link = link(at);
    let mut choice = SweepForm::from_spec(&link.spec);
    for (field, value) in fields {
        let is_on = !value.starts_with('-');
        choice.set_field(&link.spec, field, value.trim_start_matches('-'), is_on);
    }
    choice.sweep_link(&link).map(|link| encode(&link))
}

#[test]
fn the_dialog_makes_links() {
    const AT: &str = "#v1/sparse-parity?n=20&at=100";
    let both = [("key.0", "n"), ("from.0", "10"), ("to.0", "30"), ("many.0", "3"), ("seeds", "4")];
    assert_eq!(
        chosen(AT, &both).unwrap(),
        "#v1/sparse-parity?n=20&replicas=4&sweep=n:10_20_30&speed=0&show=loss.accuracy.weights.sweep"
    );
    let rates = [("key.1", "lr"), ("mode.1", "log"), ("from.1", "0.01"), ("to.1", "1"), ("many.1", "9")];
    assert_eq!(
        chosen(AT, &[&both[..], &rates[..]].concat()).unwrap(),
        "#v1/sparse-parity?n=20&replicas=4&sweep=n:10_20_30&series=lr:log:0.01..1:9&speed=0"
    );
    let listed = [("key.0", "width"), ("mode.0", "list"), ("list.0", " 8, 16 32;64 ")];
    assert!(chosen(AT, &listed).unwrap().contains("replicas=10&sweep=width:8_16_32_64&"));
    let losses = [("key.0", "loss"), ("word.0", "-square"), ("word.0", "-corr")];
    let link_of_words = chosen(AT, &losses).unwrap();
    assert!(link_of_words.contains("sweep=loss:hinge"), "{link_of_words}");
    assert!(!link_of_words.contains("square") && !link_of_words.contains("corr"));
    // What is a sweep already is taken up.
    let again = "#v1/sparse-parity?replicas=5&sweep=n:lin:10..90:9&series=loss:hinge_ce&speed=0";
    assert_eq!(chosen(again, &[]).unwrap(), again);
    for key in ["lr", "seed", "noise", "batch", "steps", "std", "k", "target"] {
        if link(AT).spec.has_effect(key) && link(AT).spec.setting(key).is_some() {
            assert!(chosen(AT, &[("key.0", key)]).is_ok(), "{key}: {:?}", chosen(AT, &[("key.0", key)]));
        }
    }
}

#[test]
fn the_dialog_says_what_is_wrong() {
    const AT: &str = "#v1/sparse-parity?n=20";
    for (fields, part) in [
        (&[("from.0", "ten")][..], "“From” and “To” must be numbers"),
        (&[("many.0", "1")], "choose 2 to 1,000 values"),
        (&[("mode.0", "log"), ("from.0", "0")], "above 0"),
        (&[("mode.0", "list"), ("list.0", " ")], "at least one value"),
        (&[("key.0", "n"), ("from.0", "2"), ("to.0", "4")], "k"),
        (&[("key.0", "k"), ("from.0", "1"), ("to.0", "99")], "1 to"),
        (&[("seeds", "0")], "1 to 4096"),
        (&[("key.0", "n"), ("key.1", "n")], "different for each run"),
    ] {
        let sentence = chosen(AT, fields).unwrap_err();
        assert!(sentence.contains(part) && sentence.ends_with('.'), "{fields:?}: {sentence}");
    }
    let many = [
        ("key.0", "lr"),
        ("mode.0", "log"),
        ("from.0", "0.001"),
        ("to.0", "1"),
        ("many.0", "400"),
        ("key.1", "seed"),
        ("from.1", "1"),
        ("to.1", "250"),
        ("many.1", "250"),
    ];
    let sentence = chosen(AT, &many).unwrap_err();
    for part in [
        "100,000 runs are too many: the page trains at most 1,024 runs",
        "take up to",
        "fewer values",
        "lab sweep '#v1/sparse-parity?",
    ] {
        assert!(sentence.contains(part), "{part}: {sentence}");
    }
}

#[test]
fn the_dialog_reads_numbers_of_other_countries() {
    const AT: &str = "#v1/sparse-parity?n=20";
    let rates = [("key.0", "lr"), ("mode.0", "log"), ("from.0", "0,01"), ("to.0", "1"), ("many.0", "3")];
    let strict = [("key.0", "lr"), ("mode.0", "log"), ("from.0", "0.01"), ("to.0", "1"), ("many.0", "3")];
    assert_eq!(chosen(AT, &rates).unwrap(), chosen(AT, &strict).unwrap());
    for (list, values) in [
        ("0,05 0,1", "lr:0.05_0.1"),
        ("0,05; 0,1", "lr:0.05_0.1"),
        ("0,05", "lr:0.05"),
        ("0.05, 0.1", "lr:0.05_0.1"),
        ("1,2,3", "lr:1_2_3"),
    ] {
        let fields = [("key.0", "lr"), ("mode.0", "list"), ("list.0", list)];
        assert!(chosen(AT, &fields).unwrap().contains(&format!("sweep={values}&")), "{list}");
    }
    let thousands = [("key.0", "width"), ("mode.0", "list"), ("list.0", "512 1,024")];
    assert!(chosen(AT, &thousands).unwrap().contains("sweep=width:512_1024&"));
    let sentence = chosen(AT, &[("seeds", "1.000")]).unwrap_err();
    assert!(sentence.ends_with("Do you mean 1 or 1,000?"), "{sentence}");
    let sentence = chosen(AT, &[("mode.0", "list"), ("list.0", "8 16x")]).unwrap_err();
    assert!(sentence.ends_with("“x” is not possible here."), "{sentence}");
}

#[test]
fn the_dialog_estimates_and_starts() {
    let (mut state, _) = open();
    let made = SweepForm::from_spec(&link("#v1/sparse-parity?n=20").spec)
        .sweep_link(&link("#v1/sparse-parity?n=20"))
        .unwrap();
    let sentence = SweepForm::estimate_text(&made, None);
    assert!(
        sentence.starts_with("5 runs of 10 networks each; the whole sweep takes at most about "),
        "{sentence}"
    );
    let slower = SweepForm::estimate_text(&made, Some(1e6));
    assert!(slower.contains("hours") || slower.contains("days"), "{slower}");
    answer_start(&mut state);
    state.apply(Action::TogglePlay);
    receive(&mut state, Event::Paused { step: 3 });
    let before = encode(&state.player.run.link);
    let effects = state.apply(Action::Sweep(SweepAction::Start(Box::new(made))));
    assert!(
        started(&effects).is_some() && !is_paused_start(&effects),
        "who presses the button waits for nothing"
    );
    assert_eq!(
        (sweep(&state).cells.len(), state.player.message.as_str()),
        (5, "Started a sweep of 5 runs. Undo goes back to the previous run.")
    );
    state.apply(Action::Undo);
    assert_eq!(encode(&state.player.run.link), before);
    let mut locked = State::default();
    locked.apply(Action::Open("#v1/sparse-parity?lock=sweep".into()));
    locked.apply(Action::Sweep(SweepAction::Start(Box::new(link("#v1/sparse-parity?sweep=n:10_20")))));
    assert!(locked.player.run.sweep.is_none());
}
