//! Share of a feedforward network's first layer outside the span of its training prompts; theorem 6 is about networks
//! for which it is 0.
//!
//! With W the weights of the first layer on the numbers of the tokens, a column for each neuron, and P the projection
//! onto the span of the training prompts x ∈ R^{Nd}, the share is ‖W − PW‖² / ‖W‖².
//!
//! # Why
//! The algorithms of definition 5 end where the gradient of the loss plus λW is 0, or at weights of least norm. The
//! gradient of the loss is a combination of training prompts, so both have a share of 0. A run is only on its way
//! there. Adam scales the gradient number by number and leaves the span on the way. With coupled weight decay the share
//! still goes to 0, as the run comes near a stationary point. With decoupled decay it does not: that fixed point is
//! another one.

use crate::lookup::theory::{check_has_span_bound, prompt_task};
use vivarium_core::bounds::saturating_product;
use vivarium_model::models::{Family, token_mlp};
use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, Sampler};
use vivarium_science::tokens::TokenPrompts;
use vivarium_science::tokens::theory::oracle::PromptSpan;
use vivarium_view::probing::{Probe, ProbeMeasurement, ProbeSpec, ProbedNetwork};

/// Share ‖W − PW‖² / ‖W‖² of the first network's weights W from the tokens to the first hidden layer outside the span
/// of its training prompts, onto which P projects, as the probe's only scalar.
pub const OUTSIDE: Probe = Probe { name: "lookup-outside-span", applies: check_has_span_bound };

/// Definition of the probe [`OUTSIDE`]: its name, and the measurement, in slices, of the first network.
pub const SPEC: ProbeSpec =
    ProbeSpec::new(OUTSIDE, |network| Some(Box::new(OutsideSpanJob::new(&network.spec, 0)?)));

/// Arithmetic operations in one call of `poll`, which keeps each call short.
const OPERATIONS_PER_SLICE: u64 = 1 << 22;
/// Maximum number of arithmetic operations of a measurement of [`OUTSIDE`]; larger networks and samples are not
/// measured.
const MAX_OPERATIONS: u64 = 1 << 30;

/// Running measurement of [`OUTSIDE`], the share of the first-layer weights outside the span of the training prompts.
struct OutsideSpanJob {
    /// Number of positions, entries per token and other settings of the run's prompts.
    prompts: TokenPrompts,
    /// Training prompts of the measured network as rows of a batch, `[count, row_len]`.
    rows: Vec<f32>,
    /// Linear span of the training prompts added so far.
    span: PromptSpan,
    /// Number of training prompts added to `span` so far.
    added: usize,
}

impl OutsideSpanJob {
    /// Starts the measurement for network number `replica` (from 0), which has its own training prompts; `None` without
    /// a finite training set, or if measuring would take too long.
    fn new(spec: &RunSpec, replica: u32) -> Option<Self> {
        let (task, count) = (prompt_task(spec)?, spec.task.examples().training_set_size()?);
        let Some(Family::TokenMlp(_)) = spec.model.config().family() else { return None };
        let (prompts, mut sample) = (task.prompt_spec(), Batch::default());
        let size = prompts.length * prompts.dim;
        let rank = count.min(size);
        // Each prompt is made orthogonal to those before it twice, and each neuron's weights are projected once.
        let width = spec.parameters().get(token_mlp::w(0))?.shape[2];
        let operations =
            [saturating_product([2, count, rank, size]), saturating_product([width, rank, size])];
        if operations.iter().fold(0, |sum: u64, more| sum.saturating_add(*more)) > MAX_OPERATIONS {
            return None;
        }
        task.append_training_set(spec.run.seed, replica, 0, count, &mut sample);
        // The direction u is not needed.
        let span = PromptSpan::new(prompts.length, &vec![0.0; prompts.dim]);
        Some(OutsideSpanJob { prompts, rows: sample.x, span, added: 0 })
    }

    /// Adds training prompts to the span until one call's operations are used up; returns true once all prompts are
    /// added.
    fn add_prompts(&mut self) -> bool {
        let (columns, size) = (self.prompts.row_len(), self.prompts.length * self.prompts.dim);
        let mut left = OPERATIONS_PER_SLICE;
        while let Some(row) = self.rows.get(self.added * columns..(self.added + 1) * columns) {
            let tokens: Vec<f64> = self.prompts.split_row(row).0.iter().map(|x| f64::from(*x)).collect();
            self.span.add_prompt(&tokens);
            self.added += 1;
            left = left.saturating_sub(saturating_product([2, self.span.rank() + 1, size]));
            if left == 0 {
                return self.added * columns >= self.rows.len();
            }
        }
        true
    }

    /// Share of the squared norm of the weights from the tokens (without those from the codes) outside the span of the
    /// training prompts, for first-layer weights `[length × encoded_dim, neurons]`.
    fn compute_share(&self, weights: &[f32]) -> f64 {
        let TokenPrompts { length, dim, .. } = self.prompts;
        let inputs = length * self.prompts.encoded_dim();
        let neurons = weights.len() / inputs.max(1);
        let of_neuron = |neuron: usize| {
            let on_tokens = (0..length * dim).map(move |at| {
                let row = at / dim * self.prompts.encoded_dim() + at % dim;
                f64::from(weights[row * neurons + neuron])
            });
            on_tokens.collect::<Vec<f64>>()
        };
        self.span.fraction_outside((0..neurons).map(of_neuron))
    }
}

impl ProbeMeasurement for OutsideSpanJob {
    fn poll(&mut self, network: &ProbedNetwork) -> Option<ProbeResult> {
        if !self.add_prompts() {
            return None;
        }
        let share =
            network.weights.get(token_mlp::w(0)).map_or(f64::NAN, |weights| self.compute_share(weights));
        Some(ProbeResult::new(OUTSIDE.id()).with_few_numbers([share]))
    }
}

/// Share ‖W − PW‖² / ‖W‖² of the weights W from the tokens to the first hidden layer outside the span of the training
/// prompts (P projects onto the span), for network number `replica` (from 0); `parameters` has one list per tensor.
/// `None` if it cannot be measured.
pub fn compute_outside_share(spec: &RunSpec, replica: u32, parameters: &[Vec<f32>]) -> Option<f64> {
    let mut job = OutsideSpanJob::new(spec, replica)?;
    while !job.add_prompts() {}
    Some(job.compute_share(parameters.get(token_mlp::w(0))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::math::dot;
    use vivarium_core::rng::{Purpose, RandomStream};
    use vivarium_model::permalink::decode;
    use vivarium_science::functions::baselines::ridge_regression;
    use vivarium_view::probing::ProbeTask;

    fn spec(rest: &str) -> RunSpec {
        let (link, notices) =
            decode(&format!("#v1/sparse-token-regression?model=token-mlp&q=1&lists=one&g=linear&{rest}"));
        assert!(notices.is_empty(), "{rest}: {notices:?}");
        link.spec
    }

    /// The squared distance of a vector from the span of prompts, by least squares with a QR decomposition.
    fn distance(vector: &[f64], prompts: &[Vec<f64>]) -> f64 {
        let numbers = (0..vector.len()).flat_map(|at| prompts.iter().map(move |prompt| prompt[at]));
        let coefficients = ridge_regression(&numbers.collect::<Vec<_>>(), vector, prompts.len(), 0.0);
        let rest: Vec<f64> = (0..vector.len())
            .map(|at| vector[at] - coefficients.iter().zip(prompts).map(|(c, p)| c * p[at]).sum::<f64>())
            .collect();
        dot(&rest, &rest)
    }

    #[test]
    fn the_share_is_that_of_least_squares() {
        for (rest, replica) in [
            ("n=4&dim=3&m=5&widths=6", 0),
            ("n=6&dim=2&m=9&widths=9.4&codes=random&enc=root", 2),
            ("n=5&dim=1&m=2&widths=3&seed=7", 1),
        ] {
            let spec = spec(rest);
            let task = prompt_task(&spec).unwrap();
            let (prompts, mut batch) = (task.prompt_spec(), Batch::default());
            task.append_training_set(spec.run.seed, replica, 0, task.m, &mut batch);
            let tokens = |row: &[f32]| prompts.split_row(row).0.iter().map(|x| f64::from(*x)).collect();
            let sample: Vec<Vec<f64>> = batch.x.chunks(prompts.row_len()).map(tokens).collect();
            let weights = spec.initialize_parameters();
            let (d, wide, neurons) = (task.dim, prompts.encoded_dim(), spec.parameters()[1].shape[2]);
            let (mut far, mut whole) = (0.0, 0.0);
            for neuron in 0..neurons {
                // Of every token's vector the first d numbers are its own.
                let mut own = vec![];
                for token in 0..task.length {
                    for number in 0..d {
                        own.push(f64::from(weights[1][(token * wide + number) * neurons + neuron]));
                    }
                }
                far += distance(&own, &sample);
                whole += own.iter().map(|w| w * w).sum::<f64>();
            }
            let found = compute_outside_share(&spec, replica, &weights).unwrap();
            assert!((found - far / whole).abs() < 1e-10, "{rest}: {found} {}", far / whole);
            assert!(found > 0.05 && found < 0.95, "{rest}: {found}");
        }
    }

    /// Weights that are combinations of training prompts have no part outside; those of other directions have all of
    /// it.
    #[test]
    fn combinations_of_prompts_are_inside() {
        let spec = spec("n=4&dim=3&m=5&widths=6");
        let task = prompt_task(&spec).unwrap();
        let (prompts, mut batch) = (task.prompt_spec(), Batch::default());
        task.append_training_set(spec.run.seed, 0, 0, task.m, &mut batch);
        let stream = RandomStream::new(1, Purpose::Batch, 0);
        let mut weights = spec.initialize_parameters();
        for neuron in 0..6 {
            for (at, w) in weights[1].iter_mut().enumerate().filter(|(at, _)| at % 6 == neuron) {
                let (token, number) = (at / 6 / prompts.encoded_dim(), at / 6 % prompts.encoded_dim());
                // Weights on codes are no part of W.
                if number < task.dim {
                    let of = |row: &[f32]| prompts.split_row(row).0[token * task.dim + number];
                    let rows = batch.x.chunks(prompts.row_len()).enumerate();
                    *w = rows.map(|(p, row)| stream.draw_normal(neuron as u64, p as u32) * of(row)).sum();
                }
            }
        }
        let found = compute_outside_share(&spec, 0, &weights).unwrap();
        assert!(found < 1e-12, "{found}");
        // Another network of the same run has another sample.
        assert!(compute_outside_share(&spec, 1, &weights).unwrap() > 0.1);
        weights[1].fill(0.0);
        assert_eq!(compute_outside_share(&spec, 0, &weights), Some(0.0));
    }

    #[test]
    fn the_probe_finds_the_same_and_needs_a_sample() {
        let run = spec("n=16&dim=8&m=96&widths=32");
        let network = ProbedNetwork {
            spec: run.clone(),
            step: 0,
            weights: run.initialize_parameters(),
            first_layers: vec![],
        };
        let mut job = ProbeTask::new(&SPEC, network).unwrap();
        let found = job.advance(f64::INFINITY).unwrap();
        let expected = compute_outside_share(&run, 0, &run.initialize_parameters()).unwrap();
        assert_eq!(found.few, [expected]);
        // Of 128 dimensions the sample has 96: a quarter of random weights is outside.
        assert!((expected - 0.25).abs() < 0.05, "{expected}");
        assert_eq!(
            compute_outside_share(
                &spec("n=4&dim=3&widths=6"),
                0,
                &spec("n=4&dim=3&widths=6").initialize_parameters()
            ),
            None
        );
        let attention = decode("#v1/sparse-token-regression?q=1&lists=one&g=linear&m=9").0.spec;
        assert!((OUTSIDE.applies)(&attention).is_err());
    }
}
