//! Shapes, initial weights, what a state can know, and gradients by central differences.

use super::*;
use crate::models::Architecture;
use crate::models::on_prompts::tests::gradients_are_central_differences as compare;
use crate::models::prompts::CODES;
use crate::tasks::{Batch, Sampler, SparseTokenRegression};
use vivarium_science::tokens::PositionCodes;

fn network(codes: PositionCodes, width: usize) -> (OnPrompts, Batch) {
    let task = SparseTokenRegression { length: 4, dim: 2, codes, ..Default::default() };
    let mut batch = Batch::default();
    task.sample(3, 0, 0, 3, &mut batch);
    (OnPrompts { net: Gru { width }, prompts: task.prompt_spec() }, batch)
}

fn plain(network: &OnPrompts) -> Plain {
    let initial = network.initial(2, 0, 1);
    let slices: Vec<&[f32]> = initial.iter().map(Vec::as_slice).collect();
    network.plain(&slices)
}

#[test]
fn parameters_stand_where_their_places_say() {
    let (network, _) = network(PositionCodes::OneHot, 5);
    let parameters = network.parameters(14, 2);
    let all: Vec<String> = parameters.iter().map(|p| format!("{}:{:?}", p.name, &p.shape[1..])).collect();
    let expected = "codes:[4, 4] wf:[14, 15] uf:[5, 15] bf:[1, 15] cf:[1, 15] \
                    wb:[14, 15] ub:[5, 15] bb:[1, 15] cb:[1, 15] out:[10, 1] beta:[1, 1]";
    assert_eq!(all.join(" "), expected);
    let name = |which: usize| parameters[which].name.as_str();
    for (at, names) in [(FORWARD, ["wf", "uf", "bf", "cf"]), (BACKWARD, ["wb", "ub", "bb", "cb"])] {
        assert_eq!([at.input, at.hidden, at.input_bias, at.hidden_bias].map(name), names);
    }
    let initial = network.initial(1, 14, 2);
    for (which, (values, parameter)) in initial.iter().zip(&parameters).enumerate() {
        assert_eq!(values.len(), parameter.len(), "{}", parameter.name);
        let bound = if which < OUT { 1.0 / 5.0f32.sqrt() } else { 1.0 / 10.0f32.sqrt() };
        assert!(which == CODES || values.iter().all(|v| v.abs() <= bound), "{}", parameter.name);
    }
    assert_eq!(initial[CODES][..16], initial[CODES][16..], "codes are the same in all replicas");
}

#[test]
fn what_comes_later_is_known_to_the_other_direction_alone() {
    let (network, batch) = network(PositionCodes::Orthogonal, 6);
    let row = &batch.x[..network.prompts.row_len()];
    for (off, changes) in [(0, [true, true, true, false]), (1, [false, false, true, true])] {
        // One direction is not read out; the token of the third position changes.
        let mut one = plain(&network);
        one.weights[OUT][off * 6..][..6].fill(0.0);
        let before = one.outputs(row);
        let mut changed = row.to_vec();
        changed[2 * 2] += 1.0;
        let after = one.outputs(&changed);
        let differs: Vec<bool> = before.iter().zip(&after).map(|(a, b)| a != b).collect();
        assert_eq!(differs, changes, "direction {off} is not read out");
    }
}

#[test]
fn gradients_are_central_differences() {
    for (codes, width) in
        [(PositionCodes::OneHot, 5), (PositionCodes::Random, 3), (PositionCodes::Orthogonal, 1)]
    {
        let (network, batch) = network(codes, width);
        let gradients = |plain: &Plain| plain.gradients(&batch.x);
        compare(plain(&network), gradients, 1e-4, &format!("{codes:?}"));
    }
}

#[test]
fn more_than_a_browser_holds_is_refused() {
    let (small, _) = network(PositionCodes::OneHot, 64);
    assert!(small.problems(0, 64, 1).is_empty());
    assert_eq!(small.problems(0, 4096, 4096)[0].key, "replicas");
    let task = SparseTokenRegression { length: 256, dim: 64, names: 6, ..Default::default() };
    let large = OnPrompts { net: Gru::default(), prompts: task.prompt_spec() };
    assert_eq!(large.problems(0, 1024, 1)[0].key, "batch");
}
