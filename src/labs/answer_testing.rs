//! Test helpers: a run with the outputs of its network for the examples that are shown next to the task.

use super::{LABS, run_probe};
use vivarium_model::permalink::decode;
use vivarium_view::display::{HeldOutExample, RunView};

/// Training step that the test helper [`run_with_answers`] stores as the step of the network's measured outputs.
pub const ANSWER_STEP: u64 = 7;

/// The run of a link at step 0, without any measurement; panics if the link is not valid.
pub fn new_run(link: &str) -> RunView {
    let (link, notices) = decode(link);
    assert!(notices.is_empty(), "{notices:?}");
    let mut run = RunView { link, ..RunView::default() };
    run.reset_to_start(&LABS);
    run
}

/// The initial weights of the first replica: one vector per parameter tensor of its network, in the order of the
/// model's tensors.
pub fn initial_weights(run: &RunView) -> Vec<Vec<f32>> {
    let spec = run.spec();
    let weights = spec.initialize_parameters().into_iter().zip(spec.parameters());
    weights.map(|(values, p)| values[..p.len() / spec.run.replicas].to_vec()).collect()
}

/// Runs the lab's answer probe on a network with the parameter tensors `weights`, in the model's order, and stores the
/// probe result in the run as measured at training step `step`.
pub fn record_answers(run: &mut RunView, step: u64, weights: &[Vec<f32>]) {
    let probe = run.lab().answer_probe().unwrap();
    let found = run_probe(&probe.id(), run.spec(), step, weights.to_vec()).unwrap();
    run.add_result(step, found);
}

/// The run of `link` with the network's outputs, measured from its initial weights and stored for step [`ANSWER_STEP`];
/// and these weights, one vector per parameter tensor.
pub fn run_with_answers(link: &str) -> (RunView, Vec<Vec<f32>>) {
    let mut run = new_run(link);
    let weights = initial_weights(&run);
    record_answers(&mut run, ANSWER_STEP, &weights);
    (run, weights)
}

/// Asserts that the input, label and answer texts of a held-out example have at most 160 characters each and 240 in
/// total, and that input and label end with a full stop.
pub fn assert_brief(example: &HeldOutExample) {
    let parts = [&example.input, &example.label, &example.answer].map(|part| part.chars().count());
    assert!(parts.iter().all(|length| *length <= 160), "{parts:?}: {example:?}");
    assert!(parts.iter().sum::<usize>() <= 240, "{parts:?}: {example:?}");
    for part in [&example.input, &example.label] {
        assert!(part.ends_with('.'), "{example:?}");
    }
}
