use super::*;

#[test]
fn learning_rate_changes_are_recorded_by_step() {
    let mut spec = RunSpec::default();
    assert_eq!(spec.learning_rate(7), 0.1);
    spec.change_learning_rate(100, 0.05);
    spec.change_learning_rate(300, 0.01);
    assert_eq!([99, 100, 299, 300].map(|s| spec.learning_rate(s)), [0.1, 0.05, 0.05, 0.01]);
    spec.change_learning_rate(200, 0.2);
    assert_eq!(spec.run.schedule, [(100, 0.05), (200, 0.2)]);
    spec.change_learning_rate(100, 0.1);
    assert!(spec.run.schedule.is_empty(), "back to what it was is no change");
}

#[test]
fn impossible_combinations_are_repaired_and_named() {
    let mut spec = RunSpec::default();
    for (key, text) in [("n", "2"), ("k", "8"), ("width", "64")] {
        spec.parse(key, text).unwrap();
    }
    let repaired = spec.repair();
    assert_eq!(repaired[0].key, "k");
    assert!(spec.problems().is_empty());
    assert_eq!(spec.value("width").unwrap(), Value::Int(64));
}

#[test]
fn a_link_cannot_ask_for_unlimited_memory() {
    let mut spec = RunSpec::default();
    for (key, text) in [("n", "512"), ("width", "4096"), ("replicas", "256")] {
        spec.parse(key, text).unwrap();
    }
    assert_eq!(spec.repair()[0].key, "replicas");
    assert!(spec.problems().is_empty());
}

#[test]
fn replicas_share_initialisations_in_turn() {
    let mut spec = RunSpec::default();
    for (key, text) in [("n", "4"), ("width", "3"), ("replicas", "5")] {
        spec.parse(key, text).unwrap();
    }
    let own = spec.initial();
    spec.parse("inits", "2").unwrap();
    let shared = spec.initial();
    for (own, shared, parameter) in
        own.iter().zip(&shared).zip(spec.parameters()).map(|((a, b), p)| (a, b, p))
    {
        let length = parameter.len() / 5;
        let of = |values: &[f32], r: usize| values[r * length..(r + 1) * length].to_vec();
        for r in 0..5 {
            assert_eq!(of(shared, r), of(own, r % 2));
        }
    }
}

#[test]
fn stages_divide_the_steps_evenly_and_the_last_one_stays() {
    let mut spec = RunSpec::default();
    assert_eq!([0, 19_999, 50_000].map(|step| spec.stage(step)), [0, 0, 0]);
    for (key, text) in [("model", "deep-mlp"), ("widths", "3.2.1"), ("layers", "greedy")] {
        spec.parse(key, text).unwrap();
    }
    for steps in ["1", "2", "7", "9", "20000"] {
        spec.parse("steps", steps).unwrap();
        for step in 0..spec.run.steps.min(100) {
            let begun = (0..3).rev().find(|stage| spec.stage_begins(*stage) <= step).unwrap();
            assert_eq!(spec.stage(step), begun, "step {step} of {steps}");
        }
        assert_eq!([spec.run.steps, 10 * spec.run.steps].map(|step| spec.stage(step)), [2, 2]);
    }
    assert_eq!([0, 1, 2].map(|stage| spec.stage_begins(stage)), [0, 6667, 13_334]);
}

#[test]
fn settings_without_effect_are_known() {
    let mut spec = RunSpec::default();
    assert!(!spec.applies("degree") && spec.applies("width") && spec.applies("model"));
    for act in ["power", "zigzag", "wave", "osc", "sin"] {
        spec.parse("act", act).unwrap();
        assert!(spec.applies("degree"), "{act}");
    }
    spec.parse("model", "polynet").unwrap();
    assert!(spec.applies("degree"));
}

#[test]
fn differences_name_what_was_changed() {
    let mut spec = RunSpec::default();
    spec.parse("lr", "0.3").unwrap();
    let expected = ("lr".to_string(), "0.1".to_string(), "0.3".to_string());
    assert_eq!(spec.differences(&RunSpec::default()), [expected]);
}
