//! Rewound tickets and the floor of resources, played through as a person would.

use std::sync::Arc;
use vivarium_model::tasks::sparse_parity::charts as parity_charts;
use vivarium_view::display::charts::ChartOfRun;

use super::state::{Action, State};
use crate::sweeps::map::{map_html, map_legend};
use vivarium_labs::find_preset;
use vivarium_labs::parity::luck::{describe_bound, find_tickets};
use vivarium_model::models::mlp::W;
use vivarium_model::permalink::decode;
use vivarium_plot::analysis::Reading;
use vivarium_plot::analysis::tickets::count_relevant_ones;
use vivarium_view::display::RunPhase;

fn open(link: &str) -> State {
    let mut state = State::default();
    state.apply(Action::Open(link.into()));
    state
}

#[test]
fn the_winners_are_rewound_by_a_link() {
    let mut state = open("#v1/sparse-parity?n=12&k=4&s=1.2.3.4&width=8&init=sparse&seed=3");
    let before = find_tickets(&state.player.run).unwrap();
    assert!(before.ticket.is_none() && before.description.contains("pause it"), "{before:?}");
    // Neurons 2, 4, 6, 8 and 1 have grown.
    let mut values = state.player.run.spec().initialize_parameters()[W].clone();
    for (at, neuron) in [2, 4, 6, 8, 1].into_iter().enumerate() {
        (0..12).for_each(|i| values[i * 8 + neuron - 1] += 9.0 - at as f32);
    }
    let starts = state.player.run.spec().initialize_parameters()[W].clone();
    (state.player.run.weights.step, state.player.run.weights.values) = (700, Arc::new(values));
    state.player.run.phase = RunPhase::Paused;
    let found = find_tickets(&state.player.run).unwrap();
    assert!(
        found
            .description
            .contains("After 700 steps the neurons with the largest weight norms are 2, 4, 6, 8 and 1."),
        "{}",
        found.description
    );
    let (link, notices) = decode(&found.ticket.unwrap());
    assert!(notices.is_empty());
    let spec = &link.spec;
    assert_eq!((spec.run.inits, spec.run.replicas), (1, 20));
    // All of them begin with what the winners began with.
    let ticket = &spec.initialize_parameters()[W];
    for replica in 0..20 {
        for (at, neuron) in [2, 4, 6, 8, 1].into_iter().enumerate() {
            for i in 0..12 {
                assert_eq!(ticket[replica * 60 + i * 5 + at], starts[i * 8 + neuron - 1]);
            }
        }
    }
    let others = decode(&found.others.unwrap()).0.spec;
    let drawn = &others.initialize_parameters()[W];
    assert_eq!((others.run.inits, &drawn[..60]), (0, &ticket[..60]));
    assert_ne!(drawn[60..120], ticket[..60]);
    // The chart names the winners, and what they began with.
    let Reading::Bars(bars) = parity_charts::LUCK.reading(&state.player.run) else { panic!("bars") };
    assert_eq!(bars.bars[..2].iter().map(|bar| bar.0.as_str()).collect::<Vec<_>>(), ["2", "4"]);
    let holds = |neuron: usize| (0..4).filter(|i| starts[i * 8 + neuron - 1] != 0.0).count() as f32;
    assert_eq!(bars.overlay[..2], [holds(2), holds(4)]);
    assert!(
        parity_charts::LUCK
            .summary(&state.player.run)
            .starts_with("The neurons with the largest weight norms are 2, 4, 6, 8 and 1.")
    );
    // Of a ticket the neurons go by the numbers that they had, and nothing is left to rewind.
    let mut ticket = open(&vivarium_model::permalink::encode(&link));
    let Reading::Bars(bars) = parity_charts::LUCK.reading(&ticket.player.run) else { panic!("bars") };
    assert_eq!(bars.bars.len(), 5);
    assert!(bars.bars.iter().all(|bar| ["1", "2", "4", "6", "8"].contains(&bar.0.as_str())));
    (ticket.player.run.phase, ticket.player.run.weights.step) = (RunPhase::Paused, 5);
    assert_eq!(find_tickets(&ticket.player.run).unwrap().ticket, None);
    let dense = open("#v1/sparse-parity?n=12&width=8");
    assert!(
        find_tickets(&dense.player.run).is_none() && parity_charts::LUCK.applies(&dense.player.run).is_err()
    );
}

/// 2 million rows took a page 0.2 s at every picture.
#[test]
fn luck_is_not_counted_where_the_start_cannot_be_drawn_at_once() {
    let large = open("#v1/sparse-parity?n=512&width=4096&init=sparse&show=luck");
    let why = parity_charts::LUCK.applies(&large.player.run).unwrap_err();
    assert_eq!(why, "This chart is available only for networks with at most 262,144 weights.");
    let Reading::Bars(bars) = parity_charts::LUCK.reading(&large.player.run) else { panic!("bars") };
    assert!(bars.bars.is_empty());
}

#[test]
fn the_floor_of_resources_is_stated_of_runs_and_drawn_in_maps() {
    let of = |link: &str| describe_bound(&decode(link).0.spec).unwrap();
    // 307 parameters, 10 steps and 5 examples against ½·C(100, 5).
    let little = of("#v1/sparse-parity?n=100&k=5&width=3&m=5&steps=10");
    assert!(little.starts_with("307 parameters × 10 steps × 5 examples = 15,350 is less than"), "{little}");
    assert!(little.contains("3.76 · 10⁷") && little.contains("at least 99.9 %"), "{little}");
    // The bound is about another kind of descent than the run.
    assert!(little.contains("adversarial error") && little.contains("only a comparison"), "{little}");
    let plenty = of("#v1/sparse-parity?n=30&m=400");
    assert!(
        plenty.contains(
            "½·C(n, k) = 2,030, so proposition 6.3 says nothing about training with these resources"
        ),
        "{plenty}"
    );
    assert!(describe_bound(&decode("#v1/groups").0.spec).is_none());
    let map = "#v1/sparse-parity?n=100&width=3&steps=10&replicas=2&sweep=m:5_500&series=k:2_6";
    let mut state = open(map);
    // C(100, 2) is little, C(100, 6) is not.
    let cells = map_html(&state.player.run);
    assert_eq!(cells.matches("map__below-bound").count(), 2, "{cells}");
    state.player.run.sweep.as_mut().unwrap().solved_steps.push(vec![Some(5), None]);
    assert!(
        map_legend(&state.player.run).contains(
            "In 2 runs of the sweep, the product of parameters, steps and examples is below the bound"
        ),
        "{}",
        map_legend(&state.player.run)
    );
    let rich = open("#v1/sparse-parity?n=30&replicas=2&sweep=m:300_400&series=width:10_30");
    assert!(!map_html(&rich.player.run).contains("map__below-bound"));
    assert!(map_legend(&rich.player.run).contains("times this minimum"), "{}", map_legend(&rich.player.run));
}

/// The neuron of the preset is a good one, found among those that its layer has.
#[test]
fn the_half_known_neuron_is_a_good_one() {
    let kept = find_preset("half-known").unwrap().link().spec;
    let mut whole = kept.clone();
    whole.parse("keep", "").unwrap();
    let width = 400;
    let held = count_relevant_ones(
        &whole.initialize_replicas(1)[W],
        width,
        &kept.task.examples().relevant(kept.run.seed),
    );
    let good: Vec<String> = (0..width).filter(|j| held[*j] == 2).map(|j| (j + 1).to_string()).collect();
    assert!(good.contains(&kept.value("keep").unwrap().to_string()), "good ones are {good:?}");
    // 1.3 % of 400 are 5.2.
    assert!((1..=12).contains(&good.len()));
}

mod trained {
    use std::task::{Context, Poll, Waker};

    use super::*;
    use vivarium_model::protocol::Measurement;
    use vivarium_model::run::RunSpec;
    use vivarium_training::launch::device::Device;
    use vivarium_training::session::{Options, Session};

    /// No run on the processor waits.
    fn ready<T>(future: impl Future<Output = T>) -> T {
        match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => result,
            Poll::Pending => panic!("a loop on the processor waits for nothing"),
        }
    }

    fn trained(spec: &RunSpec) -> (Measurement, Vec<f32>) {
        let options = Options { held_out_limit: Some(2048), ..Options::default() };
        let mut session = Session::start(spec, &Device::cpu(), options).unwrap();
        ready(session.finish(|_| {})).unwrap();
        let row = ready(session.measure()).unwrap();
        (row, ready(session.first_layer()).unwrap().0)
    }

    /// Figure C.2 of Edelman 2024, as a person would make it: train a wide layer, follow the link that rewinds its
    /// winners, and the one that takes as many at random.
    #[test]
    fn winning_tickets_win_again_and_others_seldom_do() {
        let master = find_preset("lottery").unwrap();
        for seed in 0..3 {
            let mut state = open(master.link);
            state.player.run.link.spec.run.seed = seed;
            state.player.run.relevant = state.player.run.spec().task.examples().relevant(seed);
            let (row, weights) = trained(state.player.run.spec());
            assert!(row.test_accuracy[0] > 0.999, "master {seed}");
            (state.player.run.weights.step, state.player.run.weights.values) = (10_000, Arc::new(weights));
            state.player.run.phase = RunPhase::Paused;
            let found = find_tickets(&state.player.run).unwrap();
            let [ticket, others] = [found.ticket, found.others].map(|link| decode(&link.unwrap()).0.spec);
            if seed == 0 {
                // The ticket that is in the gallery is this one.
                let preset = find_preset("lottery-ticket").unwrap().link().spec;
                assert_eq!(preset.value("keep"), ticket.value("keep"));
            }
            let errors = |spec: &RunSpec| -> Vec<f32> {
                trained(spec).0.test_accuracy.iter().map(|right| 1.0 - right).collect()
            };
            let mean = |errors: &[f32]| errors.iter().sum::<f32>() / errors.len() as f32;
            let good = |errors: &[f32]| errors.iter().filter(|error| **error < 0.3).count();
            let (ticket, others) = (errors(&ticket), errors(&others));
            assert_eq!(good(&ticket), 20, "master {seed}: {ticket:?}");
            assert!(mean(&ticket) < 0.1 && mean(&others) > 0.2, "master {seed}: {others:?}");
            assert!(good(&others) <= 14, "master {seed}: {others:?}");
            // Five random rows of two hold 1.3 of four of thirty bits together; the winners' hold at least four.
            let held = parity_charts::LUCK.summary(&state.player.run);
            let sum: u32 =
                held.split_once("had ones on ").unwrap().1.chars().filter_map(|c| c.to_digit(10)).sum();
            assert!(sum >= 4, "master {seed}: {held}");
        }
    }
}
