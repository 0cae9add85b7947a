//! The charts of the lab, what is said of them, and the state of a run.

use crate::opened::{chart_bars, chart_grid, chart_lines, open_page};
use crate::state::{Action, State};
use vivarium_labs::cannot_learn;
use vivarium_labs::machines::step::CURRENT_STEP;
use vivarium_labs::machines::{MachineState, presets, texts};
use vivarium_model::chart;
use vivarium_model::permalink::{decode, encode};
use vivarium_model::protocol::{Measurement, ProbeResult};
use vivarium_model::tasks::turing_machine::charts;
use vivarium_plot::analysis::Heatmap;
use vivarium_science::machines::{MachineMetric, TransformerEvaluator};
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::display::summary::extra_number;
use vivarium_view::display::{LabState, RunPhase, WorkProgress, status};

fn open(rest: &str) -> State {
    open_page(&format!("#v1/turing-machine{rest}"))
}

fn of(state: &State) -> &MachineState {
    state.player.run.lab_state().expect("the state of the lab")
}

/// Executes what is still to be executed, and says how often it was asked.
fn settle(state: &mut State) -> usize {
    let own: &mut MachineState = state.player.run.lab_state_mut().unwrap();
    let mut times = 0;
    while own.is_busy() {
        assert_ne!(own.continue_work(vivarium_core::bounds::PAGE_SLICE_OPERATIONS), WorkProgress::Done);
        times += 1;
    }
    times
}

/// Measurement of the first replica by a learner.
fn rows(state: &State, steps: usize) -> Vec<Measurement> {
    let own = of(state);
    let mut course = TransformerEvaluator::new(
        vivarium_science::machines::Transformer::new(
            own.transformer.construction().clone().into(),
            &own.program.input,
            own.program.start,
            own.transformer.mode(),
        )
        .unwrap(),
    );
    let row = |step: usize| {
        let standing = course.metrics_at(&own.run, step);
        let measures = course.compute_metrics(&own.program.machine, &own.run, step);
        Measurement {
            step: step as u64,
            train_loss: vec![standing.deviation as f32],
            train_accuracy: vec![standing.correct_share() as f32],
            test_loss: vec![standing.max_deviation as f32],
            test_accuracy: vec![standing.correct_prefix_share(own.program.steps) as f32],
            measures: measures.map(|measure| vec![measure]).to_vec(),
            ..Default::default()
        }
    };
    (0..=steps).map(row).collect()
}

fn finding(step: usize) -> ProbeResult {
    ProbeResult::new(CURRENT_STEP.id()).with_numbers(vec![step as f32])
}

/// Runs the first replica of the run on show.
fn play(state: &mut State, steps: usize) {
    settle(state);
    for row in rows(state, steps) {
        state.player.run.add_measurement(row);
    }
    state.player.run.step = steps as u64;
    state.player.run.add_result(steps as u64, finding(steps));
    settle(state);
}

#[test]
fn tokens_stand_next_to_the_tape_in_step() {
    let mut state = open("");
    play(&mut state, 40);
    let tokens = chart_grid(charts::COLUMNS, &state);
    assert_eq!((tokens.rows, tokens.columns), (46, 41));
    assert!(tokens.values.iter().all(|value| value.abs() < 1e-6 || (value - 1.0).abs() < 1e-6));
    assert_eq!((tokens.row_names[0].as_str(), tokens.outlines.len()), ("st[0]", 11));
    let tape = chart_grid(charts::TAPE, &state);
    let own = of(&state);
    assert_eq!(tape.columns, 41);
    for (step, name) in tape.column_names.iter().enumerate() {
        let column: Vec<f32> = (0..tape.rows).map(|row| tape.values[row * 41 + step]).collect();
        let heads: Vec<usize> = (0..tape.rows).filter(|row| column[*row] < 0.0).collect();
        let first: usize = tape.row_names[0].parse().unwrap();
        let head = own.decode_token(step).unwrap().head;
        assert_eq!((heads, name), (vec![head - first], &step.to_string()));
        let symbols = own.run.tape_after(step);
        for (row, value) in column.iter().enumerate() {
            let symbol = if *value < 0.0 { -1.0 - value } else { *value };
            assert_eq!(symbol, symbols[first + row] as f32, "cell {} after step {step}", first + row);
        }
    }
    let text = charts::COLUMNS.summary(&state.player.run);
    assert!(text.starts_with("Number of tokens: 41. Each token has 46 numbers in 11 groups."), "{text}");
    assert!(text.ends_with("Every token so far agrees with the simulator."), "{text}");
    assert!(charts::TAPE.summary(&state.player.run).contains("tape after step 40"));
}

#[test]
fn the_step_that_is_shown_is_shown_block_by_block() {
    let mut state = open("");
    play(&mut state, 40);
    let trace = of(&state).trace.clone().unwrap();
    assert_eq!((trace.step, trace.blocks.len()), (40, 11));
    for stage in 0..=11 {
        state.apply(Action::Edit("layer".into(), stage.to_string()));
        let drawn = chart_grid(charts::COLUMNS, &state);
        let token = if stage == 0 { &trace.input_token } else { &trace.blocks[stage - 1].residual };
        let last: Vec<f64> = (0..46).map(|row| f64::from(drawn.values[row * 41 + 40])).collect();
        assert!(last.iter().zip(token).all(|(a, b)| (a - b).abs() < 1e-6), "{stage}");
        assert_eq!(
            chart_bars(charts::STRAY, &state).marked,
            stage.checked_sub(1).into_iter().collect::<Vec<_>>()
        );
        let title = charts::COLUMNS.title(&state.player.run);
        assert_eq!(title.contains(" of 11: "), (1..11).contains(&stage), "{title}");
        assert_eq!(title == "Tokens after step 40", stage == 11, "{title}");
    }
    let recall = chart_grid(charts::RECALL, &state);
    // Whether it was written, seven bits, and the symbol.
    assert_eq!((recall.rows, recall.columns), (9, 41));
    for row in recall.values.chunks(41) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
    assert_eq!(recall.column_names[..2], ["null", "1"]);
    let text = charts::RECALL.summary(&state.player.run);
    assert!(text.starts_with("After step 40 the head is on cell"), "{text}");
    assert_eq!(chart_bars(charts::STRAY, &state).bars.len(), 11);
    let matrix: Heatmap = chart_grid(charts::MATRIX, &state);
    assert_eq!(matrix.values.len(), matrix.rows * matrix.columns);
    assert!(charts::MATRIX.title(&state.player.run).starts_with("Fetch the symbol: own.query, 15 × 46"));
}

#[test]
fn before_the_machines_first_step_step_0_is_looked_at() {
    let state = open("?m=increment&t=14");
    let own = of(&state);
    assert_eq!((own.step, own.trace.as_ref().map(|trace| trace.step)), (0, Some(0)));
    assert_eq!(own.decode_token(0), Some(own.run.initial_record()), "step 0 has fetched the first symbol");
    assert_eq!((own.first_wrong(), own.example.map(|example| example.slug)), (None, Some("increment")));
    assert!(own.is_executed());
    assert_eq!(chart_grid(charts::COLUMNS, &state).columns, 1);
    assert_eq!(chart_grid(charts::TAPE, &state).columns, 1);
    // No token comes before: attention to the past has the null slot alone.
    let recall = chart_grid(charts::RECALL, &state);
    assert_eq!((recall.rows, recall.columns), (6, 1));
    assert!(recall.values.iter().all(|weight| *weight == 1.0));
    let text = charts::RECALL.summary(&state.player.run);
    assert!(
        text.starts_with("After step 0 the head is on cell 2. In the last block the null slot"),
        "{text}"
    );
}

/// The page's thread makes a slice of a long run at a time.
#[test]
fn long_runs_are_executed_in_slices_and_going_back_is_free() {
    let mut state = open("?m=counter&t=600&steps=600&sigma=0.002");
    settle(&mut state);
    // The page goes on in slices; without one, all is done at once.
    let link = state.player.run.link.clone();
    state.player.run.lab_state_mut::<MachineState>().unwrap().add_finding(600, &finding(600), &link);
    assert!(of(&state).is_busy(), "600 noisy steps take longer than is done at once");
    assert!(settle(&mut state) > 3);
    assert_eq!((of(&state).transformer.steps(), of(&state).trace.as_ref().unwrap().step), (600, 600));
    state.player.run.add_result(20, finding(20));
    assert!(!of(&state).is_busy());
    assert_eq!((of(&state).transformer.steps(), of(&state).trace.as_ref().unwrap().step), (600, 20));
    // Noise is that of the run.
    let weights = state.player.run.spec().initialize_replicas(1);
    let own: Vec<&[f32]> = weights[1..].iter().map(Vec::as_slice).collect();
    let construction = of(&state).transformer.construction();
    assert_eq!(&construction.clone().with_tensors(&own), construction);
}

#[test]
fn measurements_are_drawn_and_stated() {
    let mut state = open("?sigma=0.001&round=no");
    play(&mut state, 107);
    let wrong = of(&state).first_wrong().expect("a step that is wrong");
    assert!(wrong < 12, "{wrong}");
    let drawn = chart_lines(charts::CORRECT, &state);
    let [before, right] = &drawn.series[..] else { panic!("two curves") };
    assert_eq!(*before.y.last().unwrap(), (wrong - 1) as f32 / 107.0);
    assert!(right.y[0] == 1.0 && right.y[107] < 0.9);
    let text = charts::CORRECT.summary(&state.player.run);
    assert!(text.ends_with(&format!("First wrong step: {wrong}.")), "{text}");
    assert!(chart_lines(charts::STRAYED, &state).log_y);
    assert_eq!(extra_number(&state.player.run, 0), ("First wrong step".into(), wrong.to_string()));
    let drawn = chart_lines(chart::LOSS, &state);
    let curves: Vec<&str> = drawn.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(curves, ["in this step", "in all steps so far"]);
    state.player.run.phase = RunPhase::Running;
    let text = status::describe_status(&state.player.run, String::new);
    assert!(text.len() > 3, "{text}");
}

/// The machine has 400 steps, of which the usual run makes 107: what is missing is no error.
#[test]
fn a_run_that_ends_before_the_machine_is_not_reported_as_wrong() {
    let begin = "Step 107 was the last step. Executed steps of the machine: 107 of 400.";
    for rest in ["?t=400", "?m=counter&t=400"] {
        let mut state = open(rest);
        assert_eq!(texts::describe_end(&state.player.run), None, "before anything is measured");
        play(&mut state, 107);
        assert_eq!(
            texts::describe_end(&state.player.run),
            Some(format!("{begin} All executed steps are right.")),
            "{rest}"
        );
    }
    let mut state = open("?t=400&sigma=0.001&round=no");
    play(&mut state, 107);
    let wrong = of(&state).first_wrong().expect("a step that is wrong");
    let text = format!("{begin} Step {wrong} is the first wrong step.");
    assert_eq!(texts::describe_end(&state.player.run), Some(text));
    // A run that has more steps than the machine.
    let mut state = open("?t=14&m=increment&steps=20");
    play(&mut state, 14);
    state.player.run.step = 20;
    let text =
        "Step 20 was the last step. Executed steps of the machine: 14 of 14. All executed steps are right.";
    assert_eq!(texts::describe_end(&state.player.run).as_deref(), Some(text));
}

/// ln 202 = 5.308 and ln 802 = 6.687: the endless counter's input has one symbol.
#[test]
fn the_beta_that_is_enough_is_stated_for_each_number_of_steps() {
    let state = open("?m=counter&choice=soft&steps=400&sweep=beta:2_10&series=t:100_400");
    let text = charts::BY_BETA.summary(&state.player.run);
    for (steps, beta) in [(100, "5.31"), (400, "6.69")] {
        let rule = format!(
            "For T = {steps} steps and an input of m = 1 symbols, every β above ln(2(T + m)) = {beta} is enough."
        );
        assert!(text.contains(&rule), "{text}");
    }
    let bare = open("?m=counter&choice=soft&round=no&t=100&steps=100&sweep=beta:6_12");
    assert!(
        !charts::BY_BETA.summary(&bare.player.run).contains("is enough"),
        "without rounding there is no rule"
    );
}

#[test]
fn several_networks_have_their_first_wrong_steps_stated_together() {
    let text = |firsts: [f32; 3]| {
        let mut state = open("?t=400&sigma=0.001&replicas=3");
        let three = vec![0.5; 3];
        let mut measures = vec![three.clone(); MachineMetric::ALL.len()];
        measures[MachineMetric::FirstWrong as usize] = firsts.to_vec();
        state.player.run.add_measurement(Measurement {
            step: 107,
            train_loss: three.clone(),
            train_accuracy: three.clone(),
            test_loss: three.clone(),
            test_accuracy: three,
            measures,
            ..Default::default()
        });
        state.player.run.step = 107;
        texts::describe_end(&state.player.run).unwrap().split_once(" of 400. ").unwrap().1.to_string()
    };
    assert_eq!(text([401.0; 3]), "All executed steps are right in all 3 networks.");
    assert_eq!(
        text([30.0, 401.0, 9.0]),
        "All executed steps are right in 1 of 3 networks. In the other networks the first wrong step is at least step 9 and at most step 30."
    );
}

#[test]
fn links_of_machines_are_read_or_mended_with_a_sentence() {
    let thousand: String = (0..1001).map(|i| format!("q{i}~_~~1~R~q{i};")).collect();
    for (rest, key, sentence) in [
        ("m=own&rules=a~0~~1~R~a;a~0~~0~L~a", "rules", "already has a rule, in line 1"),
        ("m=own&rules=a~0~1~R", "rules", "line 1: expected"),
        ("m=own&rules=", "rules", "has no rule"),
        (&format!("m=own&rules={thousand}"), "rules", "text of at most 5000 characters"),
        ("m=own&rules=a~_~~1~L~a&cell=5&t=50", "cell", "choose 50 or more as the start cell"),
        ("cell=3", "cell", "as the start cell"),
        ("input=xyz", "input", "the input has the symbol x"),
        ("cell=99999", "cell", "from 0 to 16384"),
        ("t=10001", "t", "from 1 to 10000"),
        ("m=nothing", "m", "one of increment"),
    ] {
        let (link, notices) = decode(&format!("#v1/turing-machine?{rest}&sigma=0.25"));
        let notice = notices.iter().find(|notice| notice.key == key);
        let notice = notice.unwrap_or_else(|| panic!("{rest}: {notices:?}")).to_string();
        assert!(notice.contains(sentence), "{notice}");
        assert_eq!(link.spec.invalid_settings(), [], "{rest}");
        assert_eq!(link.spec.value("sigma").unwrap().to_string(), "0.25", "the rest is kept: {rest}");
    }
}

#[test]
fn own_machines_go_through_a_link() {
    let link = "#v1/turing-machine?m=own&rules=a~_~~1~R~b;b~_~~!23!~L~a;b~1~~_~S~halt&input=1_!23!";
    let (read, notices) = decode(link);
    assert!(notices.is_empty(), "{notices:?}");
    // The blank comes first, other symbols are sorted.
    let canonical = encode(&read);
    assert_eq!(encode(&decode(&canonical).0), canonical);
    let program = read.spec.task.data().machine_program().unwrap();
    assert_eq!(
        (program.start, program.input.len(), program.machine.symbols()),
        (64, 3, &['_', '#', '1'][..])
    );
    // A missing rule stops a machine: that is no mistake.
    let (read, notices) = decode("#v1/turing-machine?m=own&rules=a~_~~1~R~a&input=_");
    assert!(notices.is_empty(), "{notices:?}");
    assert!(MachineState::new(&read.spec).is_some());
    // A start cell of one's own may be said to be found: the head goes to the left here.
    let (read, notices) = decode("#v1/turing-machine?m=own&rules=a~*~~*~L~a&t=500");
    assert!(notices.is_empty(), "{notices:?}");
    assert_eq!(read.spec.task.data().machine_program().unwrap().start, 500);
}

#[test]
fn what_cannot_work_is_stated() {
    let text = |rest: &str| cannot_learn(&decode(&format!("#v1/turing-machine?{rest}")).0.spec);
    assert!(text("").is_empty());
    assert!(text("t=400")[0].starts_with("The run ends at step 107"));
    assert!(text("choice=soft&beta=0.5")[0].contains("below 1"));
}

#[test]
fn presets_have_links_without_notices() {
    for preset in presets::PRESETS.iter().copied().flatten() {
        let (link, notices) = decode(preset.link);
        assert!(notices.is_empty(), "{}: {notices:?}", preset.slug);
        assert_eq!(encode(&link), preset.link, "{}", preset.slug);
        assert!(link.spec.run.steps == preset.max_steps, "{}", preset.slug);
    }
}
