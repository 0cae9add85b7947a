//! Shapes, initial weights, and gradients by central differences.

use super::*;
use crate::models::Architecture;
use crate::models::on_prompts::tests::gradients_are_central_differences as compare;
use crate::models::prompts::CODES;
use crate::tasks::{Batch, Sampler, SparseTokenRegression};
use vivarium_science::tokens::PositionCodes;

fn network(codes: PositionCodes, widths: &[usize]) -> (OnPrompts, Batch) {
    let task = SparseTokenRegression { length: 4, dim: 2, codes, ..Default::default() };
    let mut batch = Batch::default();
    task.sample(3, 0, 0, 5, &mut batch);
    let net = TokenMlp { widths: widths.to_vec() };
    (OnPrompts { net, prompts: task.prompt_spec() }, batch)
}

#[test]
fn parameters_are_codes_and_then_layer_by_layer() {
    let (network, _) = network(PositionCodes::OneHot, &[7, 3]);
    let parameters = network.parameters(14, 2);
    let all: Vec<String> = parameters.iter().map(|p| format!("{}:{:?}", p.name, p.shape)).collect();
    let expected =
        "codes:[2, 4, 4] w1:[2, 56, 7] b1:[2, 1, 7] w2:[2, 7, 3] b2:[2, 1, 3] w3:[2, 3, 4] b3:[2, 1, 4]";
    assert_eq!(all.join(" "), expected);
    let initial = network.initial(1, 14, 2);
    for (values, parameter) in initial.iter().zip(&parameters) {
        assert_eq!(values.len(), parameter.len(), "{}", parameter.name);
    }
    assert_eq!(initial[CODES][..16], initial[CODES][16..], "codes are the same in all replicas");
    for (which, fan_in) in [(1, 56.0f32), (2, 56.0), (3, 7.0), (4, 7.0), (5, 3.0), (6, 3.0)] {
        let (bound, half) = (1.0 / fan_in.sqrt(), initial[which].len() / 2);
        let largest = initial[which].iter().fold(0.0f32, |m, v| m.max(v.abs()));
        assert!(largest <= bound && largest > 0.5 * bound, "{which}: {largest} against {bound}");
        assert_ne!(initial[which][..half], initial[which][half..]);
    }
}

/// The authors' network on prompts of N = 4 tokens with d = 2 numbers: N·d = 8 and then 1,000 hidden units. By hand: codes of
/// 4 · 4 numbers, 56 · 8 + 8 in the first layer, 8 · 1,000 + 1,000 in the second and 1,000 · 4 + 4 in the last.
#[test]
fn a_width_of_0_is_as_many_neurons_as_tokens_have_numbers() {
    let (network, batch) = network(PositionCodes::OneHot, &[0, 1000]);
    let parameters = network.parameters(14, 1);
    assert_eq!(parameters.iter().map(Parameter::len).sum::<usize>(), 16 + 456 + 9_000 + 4_004);
    let (written, _) = self::network(PositionCodes::OneHot, &[8, 1000]);
    let outputs = |network: &OnPrompts| {
        let initial = network.initial(5, 14, 1);
        let slices: Vec<&[f32]> = initial.iter().map(Vec::as_slice).collect();
        TokenMlp::outputs(&network.plain(&slices), &batch.x[..network.prompts.row_len()])
    };
    assert_eq!(outputs(&network), outputs(&written));
    assert_eq!(network.net.activations(&network.prompts), 1000);
    let narrow = OnPrompts { net: TokenMlp { widths: vec![0, 3] }, ..network };
    assert_eq!(narrow.net.activations(&narrow.prompts), 8);
}

#[test]
fn gradients_are_central_differences() {
    for (codes, widths) in [
        (PositionCodes::OneHot, vec![6, 5]),
        (PositionCodes::Random, vec![7]),
        (PositionCodes::Orthogonal, vec![3, 4, 5]),
    ] {
        let (network, batch) = network(codes, &widths);
        let initial = network.initial(2, 0, 1);
        let slices: Vec<&[f32]> = initial.iter().map(Vec::as_slice).collect();
        let gradients = |plain: &Plain| plain.gradients(&batch.x);
        compare(network.plain(&slices), gradients, 1e-3, &format!("{codes:?}"));
    }
}

#[test]
fn more_than_a_browser_holds_is_refused() {
    let (small, _) = network(PositionCodes::OneHot, &[128]);
    assert!(small.problems(0, 64, 1).is_empty());
    assert_eq!(small.problems(0, 4096, 4096)[0].key, "replicas");
    let task = SparseTokenRegression { length: 256, dim: 64, names: 6, ..Default::default() };
    let large = OnPrompts { net: TokenMlp::default(), prompts: task.prompt_spec() };
    assert_eq!(large.problems(0, 1024, 1)[0].key, "batch");
}
