//! Sentences of the panel of Markov chains on a run.

use crate::state::{Action, State};
use vivarium_labs::markov::panel::action::SequenceAction;
use vivarium_labs::markov::panel::change::request;
use vivarium_labs::markov::panel::texts::{self, *};
use vivarium_labs::markov::probes::ABLATION;
use vivarium_labs::markov::state::MarkovState;
use vivarium_model::permalink::ViewSettings;
use vivarium_model::protocol::ProbeResult;

fn open(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    state
}

fn look(state: &mut State, what: SequenceAction) {
    let requested =
        request(state.player.run.lab_state::<MarkovState>().unwrap(), &state.player.run.link.view, what)
            .unwrap();
    state.apply(Action::Request(requested));
}

fn with<T>(state: &State, of: impl Fn(&MarkovState, &ViewSettings) -> T) -> T {
    of(state.player.run.lab_state::<MarkovState>().unwrap(), &state.player.run.link.view)
}

#[test]
fn the_gaze_is_that_of_the_last_layer_or_of_the_chosen_head() {
    let mut state = open("#v1/markov?heads=2.2&seq=0.1.1.0&place=3");
    let (who, weights) = with(&state, mean_head_weights);
    assert_eq!((who.as_str(), weights.len()), ("heads 2.1 and 2.2", 4));
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-6 && weights[3] == 0.0);
    look(&mut state, SequenceAction::ToggleHead(3));
    assert_eq!(with(&state, mean_head_weights).0, "head 2.2");
    look(&mut state, SequenceAction::ToggleHead(4));
    assert_eq!(
        with(&state, mean_head_weights),
        ("the last layer, whose heads are all off".into(), vec![0.0; 4])
    );
    let sentence = with(&state, describe_disabled_heads).unwrap();
    assert!(sentence.starts_with("Heads 2.1 and 2.2 are switched off"), "{sentence}");
    look(&mut state, SequenceAction::EnableAllHeads);
    assert_eq!(with(&state, describe_disabled_heads), None);
    look(&mut state, SequenceAction::SelectHead(1));
    assert_eq!(with(&state, mean_head_weights).0, "head 1.1");
    assert_eq!(with(&open("#v1/markov?model=minimal-markov"), mean_head_weights).0, "W and v");
    let summary = |pointed| with(&state, |chains, view| describe_weights(chains, view, pointed));
    assert!(
        summary(None).starts_with(
            "Colours show the weight of each symbol in head 1.1, for the prediction after symbol 3 (b)"
        ),
        "{}",
        summary(None)
    );
    assert_eq!(summary(Some(3)), "Symbol 4 (a) comes after the chosen symbol.");
    assert!(summary(Some(0)).starts_with("Symbol 1 (a): 0.") && summary(Some(0)).ends_with(" (head 1.1)."));
}

#[test]
fn cells_of_a_map_are_read_out() {
    let state = open("#v1/markov?seq=0.1.1");
    let summary = |from, to| with(&state, |chains, _| describe_attention(chains, 0, from, to));
    let first = summary(0, 0).unwrap();
    assert_eq!(first, "Head 1.1: symbol 1 (a) attends to symbol 1 (a): 1.000");
    assert_eq!(summary(0, 1).unwrap(), "Head 1.1: symbol 1 (a) cannot attend to later symbols.");
    assert_eq!((summary(3, 0), summary(0, 3)), (None, None));
    let most = |from| with(&state, |chains, _| describe_max_attention(chains, 0, from));
    assert_eq!((most(0).unwrap(), most(3)), (first, None));
}

#[test]
fn the_loss_without_a_head_is_stated_once_it_is_known() {
    let mut state = open("#v1/markov");
    assert_eq!(with(&state, |chains, _| describe_ablation(chains, 0)), None);
    state.player.run.add_result(10, ProbeResult::new(ABLATION.id()).with_numbers(vec![0.02, 0.21, 0.01]));
    let chains = state.player.run.lab_state::<MarkovState>().unwrap();
    assert_eq!(describe_ablation(chains, 0).unwrap(), "KL without this head: 0.210 (+0.190)");
    assert_eq!(describe_ablation(chains, 1).unwrap(), "KL without this head: 0.010 (−0.010)");
    assert_eq!(describe_ablation(chains, 2), None);
}

#[test]
fn what_heads_change_is_stated_at_once() {
    let summary = |link: &str| with(&open(link), |chains, _| describe_loss(chains));
    let (all, less) = (
        summary("#v1/markov?d=6&from=circuit&c=100&chain=10.90.90.10"),
        summary("#v1/markov?d=6&from=circuit&c=100&chain=10.90.90.10&off=1"),
    );
    let number = |text: &str, at: usize| -> f64 {
        let numbers = text.split([' ', ';']).map(|word| word.trim_end_matches('.'));
        numbers.filter_map(|word| word.parse().ok()).nth(at).unwrap()
    };
    let (all, less) = (all.unwrap(), less.unwrap());
    assert!(all.starts_with("KL to the truth, mean over this sequence: 0."), "{all}");
    assert!(!all.contains("heads") && less.contains("; with all heads 0."), "{less}");
    assert_eq!(number(&all, 0), number(&less, 1));
    assert!(number(&less, 0) > number(&less, 1) + 0.02, "{less}");
    // Of an own sequence nobody knows the truth, and after its only symbol comes none.
    assert!(summary("#v1/markov?seq=0.1.1").unwrap().starts_with("Loss of the network, mean"));
    assert_eq!((summary("#v1/markov?seq=0"), summary("#v1/markov?gram=3&seq=0")), (None, None));
    assert!(
        summary("#v1/markov?gram=4&t=60").is_some() && summary("#v1/markov?model=minimal-markov").is_some()
    );
}

#[test]
fn what_is_expected_next_has_a_row_for_each() {
    let mut state = open("#v1/markov?chain=90.10.30.70");
    let rows = with(&state, prediction_rows);
    let names: Vec<&str> = rows.iter().map(|row| row.0.as_str()).collect();
    assert_eq!(names, ["truth", "network", "uniform", "unigram", "bigram", "Bayes-optimal"]);
    assert!(["90.0 %", "29.9 %", "30.0 %"].contains(&rows[0].1[0].1.as_str()), "{:?}", rows[0]);
    let summary = with(&state, |chains, _| describe_stationary(chains)).unwrap();
    assert_eq!(
        summary,
        "Shares of the symbols in a very long sequence from this chain: a 75.0 % and b 25.0 %."
    );
    assert_eq!(with(&state, texts::format_rows).unwrap(), "90 10 / 30 70");
    assert!(with(&state, |chains, _| describe_origin(chains)).starts_with("Sequence 1 of your chain: "));
    look(&mut state, SequenceAction::SetEntryText { row: 0, column: 0, text: "no".into() });
    let why = describe_rejection(&state.field_state("chain").expected.unwrap());
    assert_eq!(why, "Expected a whole number of percent from 0 to 100.");
    look(&mut state, SequenceAction::SetSequence("a".into()));
    assert_eq!(with(&state, |chains, _| describe_origin(chains)), "Your own sequence: 1 symbol.");
}

#[test]
fn chains_of_higher_order_have_a_table_of_contexts() {
    let state = open("#v1/markov?gram=3");
    let chain = state.player.run.lab_state::<MarkovState>().unwrap().inspected.chain.clone().unwrap();
    let table = transition_table(&chain);
    assert_eq!((table.contexts.join("."), table.entries.len()), ("aa.ab.ba.bb".into(), 8));
    assert!(with(&state, |chains, _| describe_stationary(chains)).unwrap().contains("b "));
}
