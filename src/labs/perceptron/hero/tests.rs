//! The picture shows the student's angle and error, and touches change them as the closed forms say.

use super::super::probes::compute_overlap;
use super::*;
use crate::hero_testing::{check_scenes, check_texts, texts};
use vivarium_model::permalink::decode;
use vivarium_plot::scene::{Anchor, Area, Shape};

/// The link of the runs of these tests: 100 inputs, Hebb's rule.
const LINK: &str = "#v1/teacher-student?seed=3";

/// A picture of a laptop's size at a time.
fn frame(now_ms: f64) -> Frame {
    Frame { width: 1400.0, height: 540.0, now_ms, is_still: false }
}

/// The hero of the run of a link.
fn hero_of(link: &str) -> TeacherHero {
    TeacherHero::new(&decode(link).0.spec).unwrap()
}

/// Weights whose overlap with the hero's teacher is `overlap`, of length 7.
fn student_with(hero: &TeacherHero, overlap: f64) -> Vec<f32> {
    let mut apart: Vec<f64> = (0..hero.teacher.len()).map(|i| (i % 5) as f64 - 1.5).collect();
    project_out(&mut apart, &hero.teacher);
    normalize(&mut apart);
    let sine = (1.0 - overlap * overlap).sqrt();
    hero.teacher.iter().zip(&apart).map(|(t, a)| (7.0 * (overlap * t + sine * a)) as f32).collect()
}

/// Progress after so many steps.
fn after(step: u64) -> StageProgress {
    StageProgress { step, has_ended: true, has_succeeded: false }
}

#[test]
fn overlap_angle_and_error_are_those_of_the_weights() {
    let mut hero = hero_of(LINK);
    let teacher = teacher_task(&hero.spec).unwrap().teacher(3);
    for (overlap, words) in [
        (0.6, "R 0.60, angle 53.1°, errs on about 29.5 %."),
        (-0.6, "R −0.60, angle 126.9°, errs on about 70.5 %."),
        (0.0, "R 0.00, angle 90.0°, errs on about 50.0 %."),
    ] {
        let weights = student_with(&hero, overlap);
        hero.set_weights(after(10), std::slice::from_ref(&weights), 0.0);
        assert!((compute_overlap(&weights, &teacher) - hero.overlap().unwrap()).abs() < 1e-6);
        assert!(hero.describe().contains(words), "{} {words}", hero.describe());
        assert!((f64::from(hero.inner_progress().unwrap()) - overlap.max(0.0)).abs() < 1e-6);
    }
}

/// The wedge holds exactly the dots that the run's network answers wrongly.
#[test]
fn dots_in_the_wedge_are_the_wrong_answers_of_the_network() {
    let mut hero = hero_of(LINK);
    for overlap in [0.9, 0.3, -0.5] {
        let weights = student_with(&hero, overlap);
        hero.set_weights(after(10), std::slice::from_ref(&weights), 0.0);
        let outputs = hero.spec.network().evaluate(&[&weights], 100, &hero.dots.x, 0);
        let wrong = outputs.iter().zip(&hero.dots.y).filter(|(f, y)| *f * **y <= 0.0).count();
        assert_eq!(hero.wrong_dot_count(), Some(wrong));
        assert!(hero.describe().contains(&format!("{wrong} of the 200 dots")), "{}", hero.describe());
        assert!((wrong as f64 / 200.0 - hero.error().unwrap()).abs() < 0.12, "{wrong} at R = {overlap}");
    }
}

#[test]
fn turning_the_student_by_hand_is_a_what_if_until_the_next_weights() {
    let mut hero = hero_of(LINK);
    let weights = student_with(&hero, 0.6);
    hero.set_weights(after(10), std::slice::from_ref(&weights), 0.0);
    let layout = picture::Layout::new(&frame(0.0));
    let scene = hero.scene(&frame(10_000.0));
    let handle = scene.targets.iter().find(|target| target.key == picture::STUDENT).unwrap().area.centre();
    assert!((layout.angle_of(handle).unwrap().to_degrees() - 53.13).abs() < 0.1);
    let mut nudge = |x, fine| hero.touch("student", Touch::Nudge { x, y: 0.0, fine }, &frame(0.0)).unwrap();
    assert!(nudge(1.0, false).contains("angle 55.1°"));
    assert!(nudge(-1.0, true).contains("angle 54.9°"));
    assert!(hero.is_what_if && hero.describe().contains("what-if"));
    let spoken = hero.touch("student", Touch::Drag(handle), &frame(0.0)).unwrap();
    assert_eq!(spoken, "R 0.60, angle 53.1°, errs on about 29.5 %.");
    assert!((norm(&hero.student) - 7.0).abs() < 1e-4);
    hero.turn_to(std::f64::consts::FRAC_PI_2);
    assert!(hero.headline().contains("50.0 %"), "{}", hero.headline());
    hero.set_weights(after(11), &[weights], 0.0);
    assert!(!hero.is_what_if && hero.describe().contains("R 0.60"));
    assert_eq!(hero.touch("nothing", Touch::Press, &frame(0.0)), None);
    assert_eq!(hero.touch("student", Touch::Press, &frame(0.0)), None);
}

/// Examples that are given by hand teach as Hebb's rule does: R = 1/√(1 + π/(2α)).
#[test]
fn examples_turn_a_student_as_hebbs_rule_does() {
    let mut hero = hero_of(LINK);
    assert_eq!((hero.angle, hero.inner_progress()), (None, None));
    // The first example alone is the student: R = |x·w*| / (‖x‖ ‖w*‖).
    let overlap = project(&hero.example.x, &hero.teacher).abs() / 10.0;
    hero.touch("give-one", Touch::Press, &frame(0.0)).unwrap();
    assert!((hero.overlap().unwrap() - overlap).abs() < 1e-9);
    hero.touch("forget", Touch::Press, &frame(0.0)).unwrap();
    assert_eq!(hero.angle, None);
    for alpha in 1..=20 {
        let spoken = hero.touch("give-many", Touch::Press, &frame(0.0)).unwrap();
        assert!(spoken.contains("errs on"), "{spoken}");
        let (found, theory) = (hero.overlap().unwrap(), hebb_overlap(f64::from(alpha)));
        assert!((found - theory).abs() < 0.15, "α = {alpha}: {found} {theory}");
    }
    assert!((hero.overlap().unwrap() - hebb_overlap(20.0)).abs() < 0.03);
    assert!(hero.is_what_if && hero.theoretical_overlap().is_none());
}

#[test]
fn theory_is_marked_for_hebbs_rule_alone() {
    for (link, is_marked) in [(LINK, true), ("#v1/teacher-student?loss=hinge", false)] {
        let mut hero = hero_of(link);
        let weights = student_with(&hero, 0.8);
        hero.set_weights(after(500), &[weights], 0.0);
        assert_eq!(hero.theoretical_overlap(), is_marked.then(|| hebb_overlap(5.0)), "{link}");
        assert_eq!(
            hero.describe().contains("Theory predicts the overlap 0.87"),
            is_marked,
            "{}",
            hero.describe()
        );
    }
}

/// Left and right end of a text in CSS pixels, estimated from its number of letters.
fn ends_of(text: &str, x: f32, size: f32, anchor: Anchor) -> [f32; 2] {
    let width = 0.56 * size * text.chars().count() as f32;
    match anchor {
        Anchor::Start => [x, x + width],
        Anchor::Middle => [x - width / 2.0, x + width / 2.0],
        Anchor::End => [x - width, x],
    }
}

#[test]
fn scenes_are_bounded_and_their_targets_disjoint() {
    let mut hero = hero_of(LINK);
    let weights = student_with(&hero, 0.6);
    for angle in [None, Some(0.0), Some(1.5), Some(-1.5), Some(3.1)] {
        hero.set_weights(after(500), std::slice::from_ref(&weights), 0.0);
        angle.iter().for_each(|angle| hero.turn_to(*angle));
        check_texts(&hero);
        assert!(hero.headline().chars().count() <= 90, "{}", hero.headline());
        for scene in check_scenes(&hero, 10_000.0, None) {
            let (width, height) = (scene.width, scene.height);
            assert!(scene.items.len() <= 400, "{}", scene.items.len());
            let is_inside = |area: &Area| {
                area.left >= 0.0 && area.top >= 0.0 && area.right() <= width && area.bottom() <= height
            };
            let mut areas: Vec<Area> = vec![];
            for item in &scene.items {
                if let Shape::Text { text, at, size, anchor, .. } = &item.shape {
                    let [left, right] = ends_of(text, at.x, *size, *anchor);
                    let area = Area::new(left, at.y - size / 2.0, right - left, *size);
                    assert!(is_inside(&area) && *size >= 11.0, "{text} {area:?} in {width} × {height}");
                    assert!(areas.iter().all(|other| !other.overlaps(&area)), "{text} at {width}");
                    areas.push(area);
                }
            }
            assert_eq!(scene.targets.len(), 4);
            for target in &scene.targets {
                let area = target.area;
                assert!(area.width >= 24.0 && area.height >= 24.0, "{target:?}");
                assert!(area.left >= 0.0 && area.right() <= width && area.bottom() <= height, "{target:?}");
            }
            assert!(texts(&scene).contains("overlap R"));
        }
    }
}

#[test]
fn wrong_weights_are_survived() {
    let mut hero = hero_of(LINK);
    hero.set_weights(after(1), &[], 0.0);
    hero.set_weights(after(1), &[vec![1.0; 3]], 0.0);
    assert_eq!(hero.progress.step, 0);
    for broken in [f32::NAN, f32::INFINITY, 0.0] {
        hero.set_weights(after(1), &[vec![broken; 100]], 0.0);
        assert_eq!((hero.angle, hero.inner_progress()), (None, None), "{broken}");
        let words = if broken == 0.0 { "knows nothing yet" } else { "The run has diverged" };
        assert!(hero.headline().contains(words), "{broken}: {}", hero.headline());
        assert_eq!(hero.describe().contains("The run has diverged"), broken != 0.0, "{}", hero.describe());
        let shown = [hero.headline(), hero.describe(), texts(&hero.scene(&frame(4.0)))].join(" ");
        assert!(!shown.contains("NaN") && !shown.contains("inf"), "{shown}");
        check_texts(&hero);
        // An example does not change weights that are not finite.
        let mut given = hero.clone();
        given.touch("give-one", Touch::Press, &frame(5.0)).unwrap();
        assert_eq!(given.headline().contains("has diverged"), broken != 0.0, "{}", given.headline());
        hero.show_next_example(5.0);
        assert!(!hero.scene(&frame(6.0)).items.is_empty() && !hero.describe().is_empty());
        hero.touch("student", Touch::Nudge { x: 1.0, y: 0.0, fine: false }, &frame(7.0)).unwrap();
        assert!(hero.describe_angle().contains("angle 92.0°"), "{}", hero.describe_angle());
    }
}

/// Squares of cells show at most 400 entries of a vector, and their captions say so.
#[test]
fn long_vectors_are_drawn_in_part() {
    for (n, words) in [
        (400, "example: 400 signs\nteacher's weights\nstudent's weights"),
        (401, "example: 400 of 401 signs\nteacher: first 400\nstudent: first 400"),
        (2048, "example: 400 of 2,048 signs\nteacher: first 400\nstudent: first 400"),
    ] {
        let hero = hero_of(&format!("#v1/teacher-student?begin=gaussian&n={n}"));
        let scenes = check_scenes(&hero, 10_000.0, None);
        assert!(texts(&scenes[0]).contains(words), "{}", texts(&scenes[0]));
        for item in &scenes[0].items {
            if let Shape::Cells { values, .. } = &item.shape {
                assert_eq!(values.len(), 400);
            }
        }
    }
}

#[test]
fn only_simple_perceptrons_have_a_picture() {
    let has = |link: &str| has_hero(&decode(link).0.spec);
    assert!(
        has(LINK)
            && has("#v1/teacher-student?replicas=10")
            && has("#v1/teacher-student?begin=gaussian&n=2048")
    );
    assert!(!has("#v1/teacher-student?model=mlp") && !has("#v1/sparse-parity"));
    // A plane needs two inputs, and that is the smallest run.
    let hero = new_hero(&decode("#v1/teacher-student?n=2&begin=gaussian").0.spec).unwrap();
    assert!(hero.describe().contains("angle "), "{}", hero.describe());
}
