//! The picture shows the cells, the head and the answers of the network, and rejects the columns that it must reject.

use super::*;
use crate::hero_testing::{check_scenes, check_texts, texts};
use vivarium_model::permalink::decode;
use vivarium_plot::scene::{Point, Shape, TargetKind};
use vivarium_science::succinct::Concept;
use vivarium_science::succinct::grid::{Automaton, Grid};

/// The link of the lab's default run: 6 inputs, 8 examples, and the program that finds the relevant input.
const LINK: &str = "#v1/succinct-learning?inputs=6";
/// The link of a run of Gaussian elimination.
const PARITY: &str = "#v1/succinct-learning?concept=parity&inputs=4&program=parity&steps=1200";

/// A picture of a laptop's size at a time.
fn frame(now_ms: f64) -> Frame {
    Frame { width: 1400.0, height: 540.0, now_ms, is_still: false }
}

/// The picture of a link's run at step 0.
fn open(link: &str) -> ProgramHero {
    let (link, notices) = decode(link);
    assert!(notices.is_empty(), "{notices:?}");
    ProgramHero::new(&link.spec).unwrap()
}

/// The picture of the first seed whose examples determine the label of every test input.
fn open_determined(link: &str) -> ProgramHero {
    let is_determined = |hero: &ProgramHero| {
        let data = &hero.machine.sample.data;
        let fits = |input: &usize| data.examples().all(|(x, y)| x[*input] == y);
        match hero.machine.net.program {
            Chosen::Parity => data.rank() == data.d(),
            _ => (0..data.d()).filter(fits).count() == 1,
        }
    };
    (0..50).map(|seed| open(&format!("{link}&seed={seed}"))).find(is_determined).unwrap()
}

/// Progress of a run after `step` steps.
fn after(step: u64, has_ended: bool) -> StageProgress {
    StageProgress { step, has_ended, has_succeeded: false }
}

#[test]
fn cells_and_head_are_those_of_the_network_in_each_layer() {
    for link in [LINK, PARITY] {
        let hero = open(link);
        let (course, data) = (&hero.course, &hero.machine.sample.data);
        let grid = Grid::new(data, &course.query).unwrap();
        let mut network = Automaton::new(hero.machine.program.clone(), &grid).unwrap();
        for time in course.rows + 1..=course.total() {
            network.apply_layer();
            let symbols: Vec<u8> = network.cells().iter().map(|cell| cell.symbol).collect();
            assert_eq!(course.symbols(time), symbols, "{time}");
            let head = network.cells().iter().position(|cell| cell.head.is_some()).unwrap();
            let (moment, columns) = (course.moment(time).unwrap(), network.size().1);
            assert_eq!(moment.head, (head / columns, head % columns), "{time}");
            assert_eq!(network.cells()[head].head, Some(moment.state));
        }
        assert_eq!((course.moment(course.rows), course.moment(course.total() + 1)), (None, None));
        // SGD writes one row in each step, from top to bottom.
        let columns = course.size().1;
        for time in 0..=course.rows {
            let blank = |row: &[u8]| row.iter().all(|symbol| *symbol == 0);
            let written = course.symbols(time).chunks(columns).filter(|row| !blank(row)).count();
            assert_eq!(written, time);
        }
        assert_eq!(course.symbols(course.rows), grid.symbols());
    }
}

#[test]
fn the_columns_with_both_signs_are_rejected_from_right_to_left() {
    for seed in 0..8 {
        let hero = open(&format!("{LINK}&examples=4&flips=0.1&seed={seed}"));
        let (course, data) = (&hero.course, &hero.machine.sample.data);
        let entry = |(x, y): (&[i8], i8), column: usize| x[column] * course.query[column] * y;
        let mut expected = vec![];
        let mut answer = None;
        for column in (0..6).rev() {
            let signs: Vec<i8> = data.examples().map(|example| entry(example, column)).collect();
            // The row of the test input belongs to the column.
            if signs.iter().all(|sign| *sign == course.query[column]) {
                answer = Some(signs[0]);
                break;
            }
            expected.push(column + 1);
        }
        assert_eq!((course.rejected(course.total()), course.answer), (expected.clone(), answer), "{seed}");
        assert_eq!(course.events.len(), expected.len() + usize::from(answer.is_some()));
        assert!(course.rejected(course.rows).is_empty());
    }
}

#[test]
fn flipping_the_deciding_input_turns_the_answer_and_flipping_another_does_not() {
    for link in [LINK, PARITY] {
        let mut hero = open_determined(link);
        let deciding: Vec<bool> = match &hero.machine.sample.concept {
            Concept::Dictator { bit } => (0..6).map(|input| input == *bit).collect(),
            Concept::Parity { bits } => bits.clone(),
            concept => panic!("{concept:?}"),
        };
        for (input, decides) in deciding.iter().enumerate() {
            let before = hero.course.answer.unwrap();
            let spoken = hero.touch(&format!("input-{input}"), Touch::Press, &frame(0.0)).unwrap();
            let answer = hero.course.answer.unwrap();
            assert_eq!((answer == -before, answer), (*decides, hero.course.label), "{spoken}");
            assert_eq!(spoken.contains("answer changed from"), *decides, "{spoken}");
            assert!(spoken.ends_with(&format!("{}.", format_label(answer))), "{spoken}");
        }
        hero.set_weights(after(2000, true), &[], 0.0);
        if let Some(turning) = deciding.iter().position(|decides| *decides) {
            let words = format!("input {}: the answer turns", turning + 1);
            assert!(hero.headline().contains(&words) || deciding.iter().all(|decides| *decides));
        }
        assert!(hero.touch("input-9", Touch::Press, &frame(0.0)).is_none());
    }
}

#[test]
fn the_execution_goes_on_with_the_calls_and_then_shows_another_test_input() {
    let mut hero = open(LINK);
    let (total, steps, step_ms) = (hero.course.total(), hero.steps_per_call(), hero.step_ms());
    assert!(steps >= 2 && step_ms <= 250.0 && steps as f64 * step_ms <= 600.0);
    hero.show_next_example(0.0);
    let times = [0.0, 0.9, 1.1, 1.9, 99.0].map(|passed| hero.play.position(passed * step_ms, false).0);
    assert_eq!(times, [0, 0, 1, 1, steps]);
    assert_eq!(hero.play.position(0.5 * step_ms, false), (0, 0.5));
    let mut calls = 1;
    while hero.example == 0 {
        hero.show_next_example(600.0 * calls as f64);
        calls += 1;
        assert!(calls < 100);
    }
    assert!(calls >= total / steps + 3, "the end is shown for 1.8 seconds");
    assert_eq!((hero.play, hero.example), (Play::still(hero.course.rows), 1));
    assert_eq!(hero.course.label, hero.machine.sample.concept.label(&hero.course.query));
}

#[test]
fn the_picture_follows_the_run_until_the_user_moves_the_time() {
    let mut hero = open(LINK);
    hero.set_weights(after(12, false), &[], 0.0);
    hero.show_next_example(200.0);
    assert_eq!((hero.play, hero.inner_progress()), (Play::still(12), Some(0.0)));
    assert!(hero.describe().starts_with("Layer 3 of "), "{}", hero.describe());
    hero.set_weights(after(3, false), &[], 300.0);
    assert!(hero.describe().starts_with("SGD has written 3 of 9 rows"), "{}", hero.describe());
    let spoken = hero.touch("time", Touch::Nudge { x: 1.0, y: -1.0, fine: false }, &frame(400.0)).unwrap();
    assert!(spoken.starts_with("Layer 5 of "), "{spoken}");
    hero.set_weights(after(50, false), &[], 500.0);
    assert_eq!(hero.play, Play::still(14));
    // When the user goes back on the strip, the picture follows again.
    hero.set_weights(after(40, false), &[], 600.0);
    hero.touch("input-0", Touch::Press, &frame(600.0)).unwrap();
    assert_eq!(hero.play, Play::still(40));
    hero.set_weights(after(500, true), &[vec![f32::NAN; 4]], 700.0);
    assert_eq!(hero.inner_progress(), Some(1.0));
}

#[test]
fn the_handle_goes_to_any_time_and_the_button_starts_again() {
    let mut hero = open(LINK);
    let total = hero.course.total();
    let end = Point::new(5000.0, 0.0);
    let spoken = hero.touch("time", Touch::Drag(end), &frame(0.0)).unwrap();
    assert!(spoken.starts_with("The program has halted in layer "), "{spoken}");
    assert_eq!(hero.touch("time", Touch::Drag(end), &frame(10.0)), None);
    let rejected: Vec<String> = hero.course.rejected(total).iter().map(ToString::to_string).collect();
    assert!(spoken.contains(&join_list(&rejected)), "{spoken}");
    let spoken = hero.touch("play", Touch::Press, &frame(20.0)).unwrap();
    assert!(spoken.starts_with("The program runs. SGD has written 9 of 9 rows"), "{spoken}");
    let later = 20.0 + 3.5 * hero.step_ms();
    assert_eq!(hero.play.position(later, false).0, 12);
    let spoken = hero.touch("play", Touch::Press, &frame(later)).unwrap();
    assert!(spoken.starts_with("Stopped. Layer 3 of "), "{spoken}");
    // A flip keeps the time, and under reduced motion nothing moves.
    let still = Frame { is_still: true, ..frame(1000.0) };
    hero.touch("input-0", Touch::Press, &still).unwrap();
    assert_eq!(hero.play.position(9000.0, false).0, 12);
}

#[test]
fn scenes_are_bounded_and_their_targets_disjoint() {
    for link in [LINK, PARITY, "#v1/succinct-learning?inputs=10&examples=15&flips=0.3"] {
        let mut hero = open(link);
        check_texts(&hero);
        let inputs = hero.course.query.len();
        for time in [0, 5, hero.course.rows + 30, hero.course.total()] {
            hero.play = Play::still(time);
            for scene in check_scenes(&hero, 0.0, None) {
                assert!(scene.items.len() <= 600, "{}", scene.items.len());
                for item in &scene.items {
                    if let Shape::Text { text, size, .. } = &item.shape {
                        assert!(*size >= 11.0, "{text}");
                    }
                }
                assert_eq!(scene.targets.len(), inputs + 2);
                for target in &scene.targets {
                    assert!(!target.value.is_empty(), "{target:?}");
                    assert!(target.area.width >= 24.0 && target.area.height >= 24.0, "{target:?}");
                }
                assert_eq!(scene.targets.last().map(|target| target.kind), Some(TargetKind::Handle));
                assert!(texts(&scene).contains("query"));
            }
        }
    }
}

#[test]
fn the_marked_line_is_the_one_of_the_panel_and_slides_end_at_the_next_cell() {
    let mut hero = open(LINK);
    hero.play = Play::still(hero.course.rows + 1);
    // The first layer places the head, and the first line of the program is next.
    assert_eq!(hero.line_at(hero.course.rows + 1), Some(1));
    assert_eq!(hero.line_at(hero.course.rows), None);
    assert_eq!(hero.line_at(hero.course.total()), None);
    let head = |hero: &ProgramHero, now_ms: f64| {
        let scene = hero.scene(&frame(now_ms));
        let boxes = scene.items.iter().filter_map(|item| match &item.shape {
            Shape::Box(area, _) if item.stroke.is_some_and(|stroke| stroke.width == 3.5) => {
                Some(area.centre())
            }
            _ => None,
        });
        boxes.collect::<Vec<Point>>()
    };
    // The second step moves the head one cell to the left.
    let time = hero.course.rows + 2;
    hero.play = Play { from: time, to: time + 1, since_ms: 0.0, step_ms: STEP_MS };
    let [from, middle, to] = [0.0, 125.0, 250.0].map(|now_ms| head(&hero, now_ms)[0]);
    assert!((from.x - to.x - 36.0).abs() < 1.0 && (from.y - to.y).abs() < 1e-3, "{from:?} {to:?}");
    assert!((middle.x - (from.x + to.x) / 2.0).abs() < 1e-2);
}

#[test]
fn the_picture_names_the_number_of_the_running_line() {
    for link in [LINK, PARITY] {
        let mut hero = open(link);
        for time in (hero.course.rows + 1..hero.course.total()).step_by(29) {
            hero.play = Play::still(time);
            let Some(line) = hero.line_at(time) else { continue };
            for scene in check_scenes(&hero, 0.0, None) {
                let words = texts(&scene);
                assert!(words.lines().any(|text| text.starts_with(&format!("line {line}: "))), "{words}");
            }
        }
    }
}

#[test]
fn the_sentence_at_the_end_promises_an_answer_only_to_flips_that_have_one() {
    let mut hero = open_determined(LINK);
    hero.set_weights(after(2000, true), &[], 0.0);
    let answer = hero.course.answer.unwrap();
    let [stays, turns] = [Some(answer), Some(-answer)];
    for (flips, words) in [
        (vec![stays, turns, None], "Flip input 2: the answer turns. Flip input 1: it does not."),
        (vec![turns, None, turns], "Flip input 1: the answer turns. Flip input 2: the program finds none."),
        (vec![None, stays, stays], "Flip input 2: the answer does not turn. Flip input 1: there is none."),
        (vec![turns, turns, turns], "Flip any input: the answer turns."),
        (vec![stays, stays, stays], "Flip any input: the answer does not turn."),
        (vec![None, None, None], "Flip any input: the program finds no answer then."),
    ] {
        hero.flips = flips;
        assert_eq!(hero.headline(), words);
        check_texts(&hero);
    }
}

#[test]
fn only_small_grids_with_a_program_have_a_picture() {
    let has = |rest: &str| {
        let spec = decode(&format!("#v1/succinct-learning{rest}")).0.spec;
        assert_eq!(new_hero(&spec).is_some(), has_hero(&spec), "{rest}");
        has_hero(&spec)
    };
    for rest in ["", "?inputs=10&examples=12", "?concept=parity&inputs=4&program=parity", "?program=own"] {
        assert!(has(rest), "{rest}");
    }
    for rest in ["?inputs=20&examples=40&program=parity", "?model=cell-rules", "?inputs=11", "?examples=16"] {
        assert!(!has(rest), "{rest}");
    }
    // A program that never halts and walks to the right.
    let mut hero = open(&format!("{LINK}&program=own&grid=a~*~~*~S~b;b~*~~*~R~b"));
    assert_eq!((hero.course.answer, hero.course.is_halting), (None, false));
    hero.play = Play::still(hero.course.total());
    assert!(hero.scene(&frame(0.0)).items.len() < 600);
    assert!(hero.describe().contains("gives no answer") && hero.inner_progress().is_none());
    assert!(hero.headline().starts_with("Your program"), "{}", hero.headline());
}
