//! Links to networks of largest margin, on the page.

use crate::opened::{chart_bars, measurement_row, open_page};
use crate::state::State;
use vivarium_labs::groups::GroupsState;
use vivarium_model::chart::MARGIN;
use vivarium_model::models::group_net::BUILT;
use vivarium_model::permalink::decode;
use vivarium_model::protocol::Measurement;
use vivarium_model::tasks::groups::charts::MASS;
use vivarium_plot::analysis::neurons::NeuronSpectra;
use vivarium_view::display::WorkProgress;
use vivarium_view::display::charts::ChartOfRun;
use vivarium_view::display::summary::metric_names;

/// Links that took half a minute, since each of their runs built its network several times.
#[test]
fn no_network_is_built_to_open_a_link() {
    BUILT.set(0);
    let sweep = "#v1/groups?n=127&width=4096&from=maximum&sweep=seed:lin:1..300:300";
    for link in [sweep, "#v1/groups?op=symmetric&letters=5&width=1200&from=maximum"] {
        open_page(link);
        assert_eq!(BUILT.get(), 0, "{link} on the page");
    }
    let (link, _) = decode("#v1/groups?from=maximum");
    assert_eq!((link.spec.initialize_replicas(1).len(), BUILT.get()), (3, 1), "what is counted");
}

/// Where all pairs are training pairs, none is held out, and no number is named after held-out pairs.
#[test]
fn numbers_of_a_run_without_held_out_pairs_are_those_of_all_pairs() {
    let names = |link: &str| metric_names(&open_page(link).player.run);
    let all = ["Loss, training", "Loss, all pairs", "Accuracy, training", "Accuracy, all pairs"];
    assert_eq!(names("#v1/groups?frac=1"), all);
    assert_eq!(names("#v1/groups?frac=0.5")[1], "Loss, held-out");
}

/// Opens a link and finishes the computation of theory.
fn open_with_theory(link: &str) -> State {
    let mut state = open_page(link);
    let pairs = state.player.run.lab_state.as_mut().unwrap();
    while pairs.continue_work(u64::MAX) != WorkProgress::Done {}
    state
}

/// S5 with the λ of the thesis, figure 7.6b: the share of the irrep of dimension 6 is 0, and 6^2.5 / Σ d^2.5 = 33 % in the
/// limit λ → 0.
#[test]
fn irreps_that_need_a_smaller_penalty_are_named() {
    let draw = |lambda: &str| {
        let mut state =
            open_with_theory(&format!("#v1/groups?op=symmetric&letters=5&width=2000&lambda={lambda}"));
        // One live neuron with three parts and seven irreps, no phases.
        let shares = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0].repeat(3);
        let numbers = [vec![3.0, 0.0, 1.0], shares].concat();
        let pairs = state.player.run.lab_state_mut::<GroupsState>().unwrap();
        pairs.neurons = NeuronSpectra::from_numbers(1, 7, &numbers);
        assert!(pairs.neurons.is_some());
        (chart_bars(MASS, &state), MASS.summary(&state.player.run))
    };
    let (late, sentence) = draw("0.00001");
    assert_eq!(late.marked.len(), 1);
    let text =
        "our theory predicts the share 0 % for the irrep 6; its predicted share in the limit λ → 0 is 33.2 %";
    assert!(sentence.contains(text), "{sentence}");
    let (used, sentence) = draw("0.00000001");
    assert!(used.marked.is_empty() && !sentence.contains("predicts"), "{sentence}");
}

/// For n = 23 the network of zeros has the smallest loss plus penalty if λ is at least 0.002467.
#[test]
fn a_network_of_zeros_has_no_margin_and_a_note_says_why() {
    let summarize = |lambda: &str, margin: f32| {
        let mut state = open_with_theory(&format!("#v1/groups?n=23&lambda={lambda}"));
        let measured = Measurement { margin: vec![margin], ..measurement_row(100, 0.35) };
        state.player.run.add_measurement(measured);
        MARGIN.summary(&state.player.run)
    };
    let none = "The network has no normalised margin, because its outputs are equal up to 0.00001.";
    let note = " If λ is at least 0.00247, the loss plus the penalty is smallest if all weights are 0.";
    assert_eq!(summarize("0.0025", f32::NAN), format!("{none}{note}"));
    assert_eq!(summarize("0.0024", f32::NAN), none);
    assert!(summarize("0.0024", 0.001).ends_with("of the largest possible margin."));
}
