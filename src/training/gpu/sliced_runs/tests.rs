//! Runs of one shape keep step.

use super::*;
use crate::gpu::group_net::GroupNetKernels;
use crate::gpu::prompt_nets::PromptKernels;
use crate::gpu::sequence_net::SequenceNetKernels;
use crate::launch::device::gpu_or_skip;
use vivarium_kernels::{token_attention, token_mlp};
use vivarium_model::permalink::decode;
use vivarium_model::sweep::cells;

fn segment(spec: &RunSpec, from: u64, measured: Option<u64>) -> Segment<'_> {
    let last = spec.run.steps;
    Segment { spec, from, until: last, last, measured, held_out: 16, deadline_ms: f64::INFINITY }
}

/// Runs of `link` keep step in shared launches, but for those that have ended or that somebody looks at.
fn keep_step<N: GpuNetwork>(link: &str) {
    if gpu_or_skip().is_none() {
        return;
    }
    let specs: Vec<RunSpec> = cells(&decode(link).0.spec).into_iter().map(|cell| cell.spec).collect();
    let mut runs = SlicedRuns::<N>::new(&specs).unwrap();
    assert_eq!((specs.len(), runs.awake()), (4, 4 * specs[0].run.replicas));
    let first = pollster::block_on(runs.advance(0, &segment(&specs[0], 0, None))).unwrap();
    for (who, spec) in specs.iter().enumerate().skip(1) {
        assert_eq!(runs.runs[who].waiting.as_ref().map(|progress| progress.step), Some(first.step));
        let mine = pollster::block_on(runs.advance(who, &segment(spec, 0, None))).unwrap();
        assert_eq!((mine.step, mine.rows.len()), (first.step, first.rows.len()));
        assert_ne!(mine.rows, first.rows, "each has its own numbers");
    }
    runs.end(1);
    runs.detach(2);
    let (step, measured) = (first.step, first.rows.last().map(|row| row.step));
    let before = pollster::block_on(runs.state_of(2, 4)).unwrap();
    let second = pollster::block_on(runs.advance(0, &segment(&specs[0], step, measured))).unwrap();
    assert!(second.step > step || !second.rows.is_empty(), "it goes on");
    let came: Vec<bool> = runs.runs.iter().map(|run| run.waiting.is_some()).collect();
    assert_eq!(came, [false, false, false, true]);
    assert_eq!(pollster::block_on(runs.state_of(2, 4)).unwrap(), before, "nobody moves it");
    assert_eq!(runs.awake(), 3 * specs[0].run.replicas);
}

#[test]
fn networks_on_pairs_keep_step_in_shared_launches() {
    let link = "#v1/groups?n=5&width=8&steps=200&every=10&replicas=2&sweep=seed:0_1_2_3";
    keep_step::<GroupNetKernels>(link);
    keep_step::<GroupNetKernels>(&format!("{link}&frac=0.6"));
}

#[test]
fn networks_on_sequences_keep_step_in_shared_launches() {
    keep_step::<SequenceNetKernels>(
        "#v1/markov?k=2&t=10&d=8&batch=4&steps=90&every=5&held=16&sweep=seed:0_1_2_3",
    );
}

#[test]
fn networks_on_prompts_keep_step_in_shared_launches() {
    let link = "#v1/sparse-token-regression?n=5&batch=4&steps=90&every=5&held=16&sweep=seed:0_1_2_3";
    keep_step::<PromptKernels<token_attention::plan::Plan>>(&format!("{link}&width=8"));
    keep_step::<PromptKernels<token_mlp::plan::Plan>>(&format!("{link}&model=token-mlp&widths=8"));
}
