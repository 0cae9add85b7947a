//! For tests: a run whose network has been asked about the examples that stand beside its task.

use super::{LABS, measured};
use vivarium_model::permalink::decode;
use vivarium_view::display::{Example, RunView};

/// The step at which networks are asked.
pub const STEP: u64 = 7;

/// A run before its first step.
pub fn begun(link: &str) -> RunView {
    let (link, notices) = decode(link);
    assert!(notices.is_empty(), "{notices:?}");
    let mut run = RunView { link, ..RunView::default() };
    run.set_up(&LABS);
    run
}

/// The initial weights of the first replica.
pub fn initial(run: &RunView) -> Vec<Vec<f32>> {
    let spec = run.spec();
    let weights = spec.initial().into_iter().zip(spec.parameters());
    weights.map(|(values, p)| values[..p.len() / spec.run.replicas].to_vec()).collect()
}

/// Tells the run what the network with these weights answers at a step.
pub fn ask(run: &mut RunView, step: u64, weights: &[Vec<f32>]) {
    let probe = run.lab().answers().unwrap();
    let found = measured(&probe.id(), run.spec(), step, weights.to_vec()).unwrap();
    run.found(step, found);
}

/// A run of `link` whose network was asked at [`STEP`] with its initial weights, and these.
pub fn asked(link: &str) -> (RunView, Vec<Vec<f32>>) {
    let mut run = begun(link);
    let weights = initial(&run);
    ask(&mut run, STEP, &weights);
    (run, weights)
}

/// Holds an example to the few lines that there are on a narrow screen.
pub fn brief(example: &Example) {
    let parts = [&example.given, &example.label, &example.answer].map(|part| part.chars().count());
    assert!(parts.iter().all(|length| *length <= 160), "{parts:?}: {example:?}");
    assert!(parts.iter().sum::<usize>() <= 240, "{parts:?}: {example:?}");
    for part in [&example.given, &example.label] {
        assert!(part.ends_with('.'), "{example:?}");
    }
}
