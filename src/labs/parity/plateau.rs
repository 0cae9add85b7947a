//! The loss plateau of a disjoint PolyNet: the error that theory predicts from a network's own initial weights, beside the
//! error that is measured, and the share of the training time that the plateau takes.
//!
//! # Why
//! Under the correlation loss, the gradient over all inputs leaves the irrelevant weights where they are and moves the relevant
//! ones by a formula (Edelman 2024, section 5.4.2). Training on random examples follows it up to noise, with the time of
//! gradient flow η for each step.

use std::ops::Range;

use vivarium_model::models::Model;
use vivarium_model::optim::Optimizer;
use vivarium_model::optim::loss::Loss;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Examples, Task};
use vivarium_plot::analysis::disjoint::{
    GradientFlow, approximate_dominance, exact_dominance, parity_error, plateau_share,
};
use vivarium_plot::analysis::{LineChart, Reading, Role, Series};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::add_step_marks;
use vivarium_view::display::words::{format_percent, format_thousands};

/// Numbers of relevant bits k for which the share of the plateau is shown.
pub const BITS_RANGE: (u32, u32) = (3, 8);
/// Numbers n′ of inputs of a block for which the share of the plateau is shown.
pub const BLOCK_RANGE: (u32, u32) = (5, 160);
/// Thousandths of γ for which the share of the plateau is shown: the plateau is an error of at least ½ − γ.
pub const GAMMA_RANGE: (u32, u32) = (5, 200);

/// Number of training steps at which the predicted error is drawn.
const POINTS: usize = 240;
/// Relevant weight at which the prediction ends: the error has long been 0, and the weight becomes infinite soon.
const LARGEST_WEIGHT: f64 = 1e6;
/// Largest number of irrelevant weights of a block whose signs are all tried; for more, their sum is taken to be normal.
const MAX_SIGNS: usize = 8;

/// Blocks of a run whose error theory predicts, and the time of gradient flow for each of its training steps.
struct Predicted {
    /// Inputs of each block.
    blocks: Vec<Range<usize>>,
    /// Time of gradient flow for each training step.
    time_of_step: f64,
}

/// Blocks of a run and its time of gradient flow, which theory needs.
///
/// # Errors
/// A sentence that says which setting the theory does not cover.
fn predicted(spec: &RunSpec) -> Result<Predicted, String> {
    let (Model::DisjointPolynet(net), Task::SparseParity(task)) = (&spec.model, &spec.task) else {
        return Err(tr!("This chart needs the Disjoint-PolyNet, for which theory predicts the error.").into());
    };
    let is_plain = matches!(&spec.optimizer, Optimizer::Sgd(sgd) if sgd.momentum == 0.0 && sgd.decay == 0.0)
        && !spec.optimizer.is_scheduled()
        && spec.run.schedule.is_empty();
    if spec.run.loss != Loss::Correlation || !is_plain {
        return Err(tr!("Theory predicts the error for the correlation loss and SGD at a constant learning rate, without momentum and weight decay.").into());
    }
    let blocks: Vec<_> = net.blocks(task.n).collect();
    let relevant = task.relevant(spec.run.seed);
    let holds = |block: &Range<usize>| relevant.iter().filter(|bit| block.contains(bit)).count() == 1;
    if relevant.len() != blocks.len() || !blocks.iter().all(holds) {
        return Err(tr!("Theory predicts the error if each block contains exactly one relevant bit.").into());
    }
    if !spec.can_page_initialize() {
        return Err(
            tr!("The network is too large for its initial weights to be computed on the page.").into()
        );
    }
    // Flipped labels make the mean gradient smaller by this factor.
    let time_of_step = spec.learning_rate(0) * (1.0 - 2.0 * task.noise);
    if time_of_step <= 0.0 {
        return Err(tr!(
            "The learning rate or the correlation of label and parity is 0, so the mean gradient is 0."
        )
        .into());
    }
    Ok(Predicted { blocks, time_of_step })
}

/// Whether the chart applies to a run.
///
/// # Errors
/// A sentence that says why theory does not predict the error of this run.
pub(super) fn check_predicted(run: &RunView) -> Result<(), String> {
    predicted(run.spec()).map(|_| ())
}

/// Gradient flow of the first network of a run, from its initial weights.
#[derive(Clone)]
struct PredictedRun {
    /// Relevant weights of the blocks, and the time of gradient flow.
    flow: GradientFlow,
    /// Irrelevant weights of each block, which gradient flow leaves as they are.
    irrelevant: Vec<Vec<f64>>,
    /// Time of gradient flow for each training step.
    time_of_step: f64,
}

impl PredictedRun {
    /// Starts the flow at step 0; `None` for a run that theory does not cover.
    fn start(spec: &RunSpec) -> Option<Self> {
        let Predicted { blocks, time_of_step } = predicted(spec).ok()?;
        let relevant = spec.task.examples().relevant(spec.run.seed);
        let w = spec.initialize_replicas(1).swap_remove(0);
        let of_block = |block: &Range<usize>, is_relevant: bool| -> Vec<f64> {
            let inputs = block.clone().filter(|i| relevant.contains(i) == is_relevant);
            inputs.map(|i| f64::from(w[i])).collect()
        };
        let v: Vec<f64> = blocks.iter().flat_map(|block| of_block(block, true)).collect();
        let irrelevant = blocks.iter().map(|block| of_block(block, false)).collect();
        Some(PredictedRun { flow: GradientFlow::new(&v), irrelevant, time_of_step })
    }

    /// Error at training step `step`, which must not be before that of an earlier call; with the step at which the flow
    /// has ended if the relevant weights became infinite before.
    fn error_at(&mut self, step: f64) -> (f64, f64) {
        self.flow.advance(step * self.time_of_step, LARGEST_WEIGHT);
        let dominance = |(v, u): (&f64, &Vec<f64>)| match u.len() {
            0..=MAX_SIGNS => exact_dominance(*v, u).unwrap_or(1.0),
            _ => approximate_dominance(*v, libm::sqrt(u.iter().map(|u| u * u).sum())),
        };
        let dominances: Vec<f64> = self.flow.v.iter().zip(&self.irrelevant).map(dominance).collect();
        (self.flow.time / self.time_of_step, parity_error(&self.flow.v, &dominances))
    }
}

/// Errors of the first network of a run at training steps `steps`, which must not decrease, as gradient flow from its
/// initial weights predicts; 0 to 1. Empty for a run that theory does not cover.
pub fn predicted_errors(spec: &RunSpec, steps: impl Iterator<Item = u64>) -> Vec<f64> {
    let Some(mut run) = PredictedRun::start(spec) else { return vec![] };
    steps.map(|step| run.error_at(step as f64).1).collect()
}

/// Curve of the predicted error, as (training step, error); the curve ends where the relevant weights become infinite, or at
/// the run's last step.
fn predicted_curve(spec: &RunSpec) -> Vec<(f64, f64)> {
    let Some(mut run) = PredictedRun::start(spec) else { return vec![] };
    let (end, _) = run.clone().error_at(spec.run.steps as f64);
    (0..=POINTS).map(|at| run.error_at(end * at as f64 / POINTS as f64)).collect()
}

/// Draws the measured error of the first network and the predicted error against the step.
pub(super) fn draw_errors(run: &RunView) -> Reading {
    let measured =
        run.history.rows().filter_map(|row| Some((row.step as f64, 1.0 - row.test_accuracy.first()?)));
    let (x, y) = measured.unzip();
    let network = Series { name: tr!("network").into(), role: Role::Test, x, y, ..Default::default() };
    let (x, y) = predicted_curve(run.spec()).into_iter().map(|(step, error)| (step, error as f32)).unzip();
    let theory = Series { name: tr!("theory").into(), role: Role::Other, x, y, ..Default::default() };
    // If the product of the relevant weights is negative at first, the error is above one half.
    let is_above = [&network, &theory].iter().any(|series| series.y.iter().any(|error| *error > 0.55));
    let lines = LineChart {
        x_label: tr!("step").into(),
        y_label: tr!("error").into(),
        y_range: Some((0.0, if is_above { 1.0 } else { 0.6 })),
        series: vec![network, theory],
        reference_lines: vec![(0.5, tr!("chance").into())],
        ..Default::default()
    };
    Reading::Lines(add_step_marks(lines, run))
}

/// Summary of the chart, for screen readers: when the error falls in theory, and where the network is.
pub(super) fn describe_errors(run: &RunView) -> Option<String> {
    let errors = predicted_curve(run.spec());
    let now = 1.0 - run.history.latest()?.test_accuracy.first()?;
    let (step, error) = (format_thousands(run.step), format_percent(now));
    Some(match errors.iter().find(|(_, error)| *error < 0.05) {
        Some((falls, _)) => tr!(
            "Theory predicts that the error falls below 5 % at step {falls}. The error of the network at step {step} is {error}.",
            falls = format_thousands(*falls as u64),
            step,
            error
        ),
        None => tr!(
            "Theory predicts that the error stays above 5 % in this run. The error of the network at step {step} is {error}.",
            step,
            error
        ),
    })
}

/// Sentence on the share of its time that gradient flow from weights of one spends on the plateau, for `bits` relevant bits,
/// blocks of `block` inputs and γ = `gamma_thousandths` / 1000.
pub fn describe_plateau(bits: u32, block: u32, gamma_thousandths: u32) -> String {
    let gamma = f64::from(gamma_thousandths) / 1000.0;
    tr!(
        "With k = {k} blocks of n′ = {block} inputs and all initial weights 1, the error is above {error} for {share} of the time until it is 0.",
        k = bits,
        block,
        error = format_percent((0.5 - gamma) as f32),
        share = format_percent(plateau_share(bits as usize, block as usize, gamma) as f32)
    )
}

/// Whether the theory of the plateau is about runs of this model.
pub fn is_about(spec: &RunSpec) -> bool {
    matches!((&spec.model, &spec.task), (Model::DisjointPolynet(_), Task::SparseParity(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    const PLAIN: &str = "model=disjoint-polynet&layout=blocks&loss=corr";

    fn spec(settings: &str) -> RunSpec {
        let (link, notices) = decode(&format!("#v1/sparse-parity?{settings}"));
        assert!(notices.is_empty(), "{notices:?}");
        link.spec
    }

    #[test]
    fn theory_covers_plain_training_on_blocks_alone() {
        let found = |settings: &str| predicted(&spec(settings)).map(|_| ());
        let plain = format!("{PLAIN}&n=12&k=3");
        assert_eq!(found(&plain), Ok(()));
        for (settings, part) in [
            (format!("{plain}&mom=0.5"), "without momentum"),
            (format!("{plain}&lrs=10:0.5"), "constant learning rate"),
            (format!("{plain}&degree=4"), "exactly one relevant bit"),
            (format!("{plain}&s=1.2.3"), "exactly one relevant bit"),
            (format!("{plain}&noise=0.5"), "mean gradient is 0"),
            (plain.replace("corr", "hinge"), "correlation loss"),
            ("n=12&k=3".into(), "Disjoint-PolyNet"),
        ] {
            let why = found(&settings).err();
            assert!(why.as_ref().is_some_and(|why| why.contains(part)), "{settings}: {why:?}");
        }
    }

    /// Theorem 5.7 of Edelman 2024, with the numbers of its closed form.
    #[test]
    fn the_share_of_the_plateau_is_stated() {
        let found = describe_plateau(3, 10, 10);
        assert_eq!(
            found,
            "With k = 3 blocks of n′ = 10 inputs and all initial weights 1, the error is above 49.0 % for 3.9 % of the time until it is 0."
        );
        assert!(describe_plateau(6, 80, 10).contains("99.9 %"));
    }

    /// From weights of one, the prediction is the closed form.
    #[test]
    fn ones_are_on_the_plateau_as_long_as_the_closed_form_says() {
        let spec = spec(&format!("{PLAIN}&n=60&k=3&init=ones&lr=0.0001&steps=20000"));
        let errors = predicted_curve(&spec);
        let (end, _) = errors[errors.len() - 1];
        let on = errors.iter().filter(|(_, error)| *error >= 0.49).count() as f64 / errors.len() as f64;
        assert!((on - plateau_share(3, 20, 0.01)).abs() < 0.01, "{on}");
        // T(0) = 1/(k − 2), in steps of η.
        assert!((end / 10_000.0 - 1.0).abs() < 1e-3, "{end}");
    }
}
