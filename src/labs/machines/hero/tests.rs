//! The picture shows what the transformer and an ordinary machine compute, and a touched cell changes later steps as on a tape.

use super::*;
use crate::hero_testing::{check_scenes, check_texts, texts};
use vivarium_model::models::Family;
use vivarium_model::permalink::decode;
use vivarium_plot::scene::Shape;

/// The link of the lab's first run: a busy beaver with 4 states.
const LINK: &str = "#v1/turing-machine";

/// A picture of a laptop's size at a time.
fn frame(now_ms: f64) -> Frame {
    Frame { width: 1400.0, height: 540.0, now_ms, is_still: false }
}

/// The picture of the run of a link.
fn hero(link: &str) -> MachineHero {
    MachineHero::new(&decode(link).0.spec).unwrap()
}

/// Records of the steps after `at`, by an independent simulation; ends early if the head leaves the tape.
fn simulate(machine: &Machine, mut tape: Vec<usize>, mut at: StepRecord, steps: usize) -> Vec<StepRecord> {
    let mut records = vec![];
    for _ in 0..steps {
        let rule = machine.transition(at.state, at.symbol);
        tape[at.head] = rule.write;
        let head = at.head as i64 + rule.step.offset();
        if head < 0 || head as usize >= tape.len() {
            break;
        }
        at = StepRecord {
            state: rule.next,
            symbol: tape[head as usize],
            written: rule.write,
            head: head as usize,
        };
        records.push(at);
    }
    records
}

#[test]
fn steps_and_attention_are_those_of_the_transformer_of_the_run() {
    for link in ["", "?m=increment&t=14&steps=14", "?m=palindrome&t=60", "?m=counter&t=400", "?m=copier&t=60"]
    {
        let spec = decode(&format!("{LINK}{link}")).0.spec;
        let hero = MachineHero::new(&spec).unwrap();
        let program = spec.task.data().machine_program().unwrap();
        let Some(Family::Machine(net)) = spec.model.config().family() else { panic!() };
        let mut transformer = net.begin(net.exact(&program).unwrap(), &program).unwrap();
        let run = program.simulate().unwrap();
        assert_eq!(hero.moments.len(), program.steps.min(120) + 1, "{link}");
        assert_eq!((hero.first_wrong, hero.moments[0].record), (None, run.initial_record()), "{link}");
        for (step, moment) in hero.moments.iter().enumerate().skip(1) {
            assert_eq!(transformer.advance(), Some(moment.record), "{link} {step}");
            assert_eq!(moment.record, run.records[step - 1], "{link} {step}");
            let trace = transformer.last_trace().unwrap();
            let before = |step: usize| if step == 1 { run.start } else { run.records[step - 2].head };
            let last = (1..=step).rev().find(|writer| before(*writer) == moment.record.head);
            assert_eq!(moment.found, last.unwrap_or(0), "{link} {step}");
            for (block, other) in moment.blocks.iter().zip(&trace.blocks) {
                assert_eq!(block.kind, other.kind);
                let Some(attention) = &other.self_attention else {
                    assert_eq!(block.null_weight, None);
                    continue;
                };
                assert_eq!(block.null_weight, Some(attention.null_weight as f32));
                for (token, weight) in &block.attended {
                    assert_eq!(*weight, attention.weights[token - 1] as f32);
                    assert!(block.candidates.contains(token), "{link} {step}");
                }
            }
        }
        // The tape that follows from the tokens is the tape of the simulator.
        for step in [0, 7, 14] {
            let tape = hero.execution.tape_after(&[], &hero.moments, step);
            for (cell, symbol) in tape.iter().zip(run.tape_after(step)) {
                assert_eq!(cell.symbol, symbol, "{link} {step}");
            }
        }
    }
}

#[test]
fn a_changed_cell_changes_later_steps_as_on_a_tape_and_no_earlier_one() {
    let steps = [5, 20, 40, 70, 106];
    for (step, cell) in
        steps.into_iter().flat_map(|step| (58..72_usize).step_by(2).map(move |cell| (step, cell)))
    {
        let mut hero = hero(LINK);
        hero.show_step(step, 0.0);
        let (before, mut tape) = (hero.moments.clone(), hero.tape());
        let spoken = hero.touch(&format!("cell-{cell}"), Touch::Press, &frame(0.0)).unwrap();
        tape[cell].symbol = 1 - tape[cell].symbol;
        assert_eq!(hero.tape()[cell].symbol, tape[cell].symbol, "{step} {cell}");
        let holds = if tape[cell].symbol == 0 { "a blank" } else { "1" };
        assert!(spoken.starts_with(&format!("Cell {cell} now holds {holds}")), "{spoken}");
        assert_eq!(hero.step, step);
        let records = |moments: &[Moment]| moments.iter().map(|moment| moment.record).collect::<Vec<_>>();
        // The step that wrote the cell now has another symbol; states and heads of the past are the same.
        for (old, new) in before[..step].iter().zip(&hero.moments) {
            assert_eq!((old.record.state, old.record.head), (new.record.state, new.record.head));
            assert_eq!(old.record.symbol, new.record.symbol);
        }
        let symbols: Vec<usize> = tape.iter().map(|cell| cell.symbol).collect();
        let mut now = hero.moments[step].record;
        assert_eq!(now.symbol, symbols[now.head]);
        now.written = 0;
        let expected = simulate(hero.machine(), symbols, now, 107 - step);
        assert_eq!(records(&hero.moments[step + 1..]), expected, "{step} {cell}");
        assert!(hero.moments.iter().all(|moment| moment.is_right));
        // Twice changed, the tape of two symbols is as before.
        hero.touch(&format!("cell-{cell}"), Touch::Press, &frame(0.0)).unwrap();
        assert_eq!(records(&hero.moments), records(&before), "{step} {cell}");
    }
}

#[test]
fn the_effect_of_a_touch_is_spoken() {
    let mut hero = hero(LINK);
    let spoken = hero.touch("step", Touch::Nudge { x: 1.0, y: 0.0, fine: false }, &frame(0.0)).unwrap();
    assert!(spoken.starts_with(&format!("Step {}. The head reads ", hero.step)), "{spoken}");
    assert!(hero.describe().starts_with(&spoken), "{}", hero.describe());
    hero.show_step(106, 0.0);
    // Step 107 makes the machine halt in state halt; with another symbol it goes on.
    assert!(hero.describe_step().contains("goes to state halt."), "{}", hero.describe_step());
    let head = hero.moments[106].record.head;
    let spoken = hero.touch(&format!("cell-{head}"), Touch::Press, &frame(0.0)).unwrap();
    assert!(spoken.ends_with("The machine no longer stops in the first 107 steps."), "{spoken}");
    let spoken = hero.touch(&format!("cell-{head}"), Touch::Press, &frame(0.0)).unwrap();
    assert!(spoken.ends_with("The machine now stops after step 107."), "{spoken}");
    assert_eq!(hero.touch("cell-9999", Touch::Press, &frame(0.0)), None);
    assert_eq!(hero.touch("block-99", Touch::Press, &frame(0.0)), None);
    let spoken = hero.touch("block-2", Touch::Press, &frame(0.0)).unwrap();
    assert!(spoken.starts_with("Block 3 (Cell written before?): "), "{spoken}");
    assert!(hero.touch("block-2", Touch::Press, &frame(0.0)).is_some() && hero.block.is_none());
    assert!(hero.touch("next", Touch::Press, &frame(0.0)).unwrap().starts_with("Step 107. "));
    assert!(hero.describe().contains("The machine has stopped in state halt."));
}

#[test]
fn the_machine_plays_its_steps_and_begins_again_without_changes() {
    let mut hero = hero("#v1/turing-machine?m=increment&t=14&steps=14");
    assert_eq!(hero.end_step(), 10);
    hero.touch("cell-3", Touch::Press, &frame(0.0)).unwrap();
    assert!(!hero.edits.is_empty());
    hero.show_step(hero.end_step(), 0.0);
    for _ in 0..INTERVALS_PER_STEP {
        hero.show_next_example(600.0);
    }
    assert_eq!((hero.step, hero.edits.len(), hero.end_step()), (0, 0, 10));
    for call in 0..3 * INTERVALS_PER_STEP {
        assert_eq!(hero.step as u32, call / INTERVALS_PER_STEP);
        hero.show_next_example(1200.0);
    }
    // Blocks are shown in their order, and the last one stays.
    let blocks: Vec<usize> =
        (0..20).map(|at| hero.block_at(&frame(1200.0 + 100.0 * f64::from(at))).0).collect();
    assert!(blocks.is_sorted() && blocks[0] == 0 && blocks[19] == 7, "{blocks:?}");
    assert_eq!(hero.block_at(&Frame { is_still: true, ..frame(1200.0) }), (7, 1.0));
}

#[test]
fn a_step_is_dragged_to_its_token() {
    let mut hero = hero(LINK);
    for size in [(1400.0, 540.0), (390.0, 460.0)] {
        let frame = Frame { width: size.0, height: size.1, now_ms: 0.0, is_still: false };
        for step in [3, 50, 90] {
            hero.show_step(step, 0.0);
            let scene = hero.scene(&frame);
            let target = scene.targets.iter().find(|target| target.key == "step").unwrap();
            let centre = target.area.centre();
            hero.show_step(0, 0.0);
            hero.touch("step", Touch::Drag(centre), &frame);
            assert!(hero.step.abs_diff(step) <= usize::from(size.0 < 640.0), "{step} {}", hero.step);
        }
    }
}

#[test]
fn scenes_are_bounded_and_their_targets_disjoint() {
    for link in ["", "?m=busy-beaver-5&t=1000", "?m=increment&t=14"] {
        let mut hero = hero(&format!("{LINK}{link}"));
        check_texts(&hero);
        for (step, now_ms) in [(0, 0.0), (9, 300.0), (60, 500.0), (hero.end_step(), 9000.0)] {
            hero.show_step(step, 0.0);
            for scene in check_scenes(&hero, now_ms, None) {
                assert!(scene.items.len() <= 600, "{}", scene.items.len());
                for item in &scene.items {
                    if let Shape::Text { text, size, .. } = &item.shape {
                        assert!(*size >= 11.0, "{text}");
                    }
                }
                for target in &scene.targets {
                    assert!(target.area.width >= 23.9 && target.area.height >= 24.0, "{target:?}");
                }
                let cells = scene.targets.iter().filter(|target| target.key.starts_with("cell-")).count();
                assert!(cells >= 6 && texts(&scene).contains("one token for each step"), "{cells}");
            }
        }
    }
}

#[test]
fn weights_of_any_kind_change_nothing_but_the_sentence_above() {
    let mut hero = hero(LINK);
    let before = hero.scene(&frame(0.0));
    assert!(hero.headline().ends_with("Tap a cell."));
    let ended = StageProgress { step: 107, has_ended: true, has_succeeded: true };
    for weights in [vec![], vec![vec![f32::NAN; 3]]] {
        hero.set_weights(ended, &weights, 0.0);
        assert_eq!(hero.scene(&frame(0.0)), before);
        assert!(hero.headline().starts_with("All 107 steps are right."), "{}", hero.headline());
    }
    assert_eq!(hero.inner_progress(), None);
}

#[test]
fn steps_that_noise_makes_wrong_are_marked() {
    let mut hero = hero("#v1/turing-machine?round=no&sigma=0.3");
    assert!(hero.execution.steps >= 5);
    let wrong = hero.first_wrong.unwrap();
    hero.show_step(wrong, 0.0);
    let _ = hero.scene(&frame(0.0));
    assert!(hero.step < wrong || hero.describe().contains("This token is wrong"), "{}", hero.describe());
}

/// Noise can lead the search to a token that did not write the cell last: then the picture names both tokens.
#[test]
fn a_search_that_finds_another_token_is_not_called_the_last_write() {
    let mut hero = hero(LINK);
    assert!(hero.moments.iter().all(|moment| moment.found == moment.last_writer));
    let step = (0..hero.moments.len()).find(|step| hero.moments[*step].last_writer > 2).unwrap();
    hero.show_step(step, 0.0);
    let last = hero.moments[step].last_writer;
    let words = |hero: &MachineHero| texts(&hero.scene(&frame(0.0)));
    assert!(
        words(&hero).contains(&format!("found in token {last}, which wrote it last")),
        "{}",
        words(&hero)
    );
    assert!(hero.describe().contains(&format!("found token {last} as the last.")), "{}", hero.describe());
    for (found, written, expected) in [
        (1, last, format!("the search found token 1; token {last} wrote it last")),
        (0, last, format!("the search found no token; token {last} wrote it last")),
        (1, 0, "the search found token 1; no token wrote it".to_string()),
    ] {
        (hero.moments[step].found, hero.moments[step].last_writer) = (found, written);
        for text in [words(&hero), hero.describe()] {
            assert!(text.contains(&expected), "{text}");
            assert!(!text.contains("which wrote it last") && !text.contains("as the last"), "{text}");
        }
        check_scenes(&hero, 0.0, None);
        check_texts(&hero);
    }
    // The last writer is that of the tokens, with and without noise.
    for link in ["", "?round=no&sigma=0.3"] {
        let hero = self::hero(&format!("{LINK}{link}"));
        for (step, moment) in hero.moments.iter().enumerate() {
            let writes = |writer: &usize| hero.moments[writer - 1].record.head == moment.record.head;
            assert_eq!((1..=step).rev().find(writes).unwrap_or(0), moment.last_writer, "{link} {step}");
        }
    }
}

/// All parts of the picture count to the same step, at which the machine stops or the picture ends.
#[test]
fn the_picture_has_one_last_step() {
    for (link, end, words) in [
        ("?m=increment&t=14&steps=14", 10, "The machine stops after step 10."),
        ("?m=counter&t=400", 120, "The picture ends with step 120."),
    ] {
        let mut hero = hero(&format!("{LINK}{link}"));
        assert_eq!(hero.end_step(), end, "{link}");
        hero.show_step(end, 0.0);
        let scene = hero.scene(&frame(9000.0));
        assert!(texts(&scene).contains(&format!("step {end} of {end}")), "{link} {}", texts(&scene));
        let handle = scene.targets.iter().find(|target| target.key == "step").unwrap();
        assert_eq!(handle.value, format!("{end} of {end}"), "{link}");
        assert!(hero.describe().ends_with(words), "{link} {}", hero.describe());
        assert_eq!(hero.own_step(), Some(end as u64), "{link}");
    }
}

#[test]
fn machines_with_few_blocks_have_a_picture() {
    let has = |link: &str| {
        let spec = decode(&format!("{LINK}{link}")).0.spec;
        assert_eq!(has_hero(&spec), new_hero(&spec).is_some(), "{link}");
        has_hero(&spec)
    };
    for link in ["", "?m=counter&t=400", "?m=busy-beaver-5&t=1000", "?m=collatz&t=120", "?choice=soft&beta=6"]
    {
        assert!(has(link), "{link}");
    }
    assert!(!has("?m=right&t=5000"));
    assert!(!has_hero(&decode("#v1/sparse-parity").0.spec));
}

#[test]
fn a_low_picture_has_no_caption_of_the_tape_below_other_words() {
    let hero = hero(LINK);
    let captions = |width: f32, height: f32| {
        let frame = Frame { width, height, now_ms: 0.0, is_still: true };
        texts(&hero.scene(&frame)).matches("below each cell the token").count()
    };
    assert_eq!([captions(1100.0, 400.0), captions(390.0, 460.0), captions(1400.0, 540.0)], [0, 1, 1]);
}
