//! Lottery tickets in wide layers: the neurons of largest norm, their initial rows, the link that rewinds
//! and retrains them, and a comparison of a run's resources with a lower bound.
//!
//! # Why
//! A ticket is a link like any other: it contains the numbers of the winning neurons, so nothing needs to be
//! stored of the network that they come from.

use vivarium_core::bounds::MAX_PAGE_INITIAL_WEIGHTS;
use vivarium_core::math::binomial;
use vivarium_model::chart;
use vivarium_model::models::{Mlp, Model};
use vivarium_model::permalink::{Link, encode};
use vivarium_model::run::{RunSpec, StopCondition};
use vivarium_model::sweep::SweepCell;
use vivarium_model::tasks::Task;
use vivarium_model::tasks::sparse_parity::charts;
use vivarium_plot::analysis::BarChart;
use vivarium_plot::analysis::recovery::{ParityNeuron, WeightPattern};
use vivarium_plot::analysis::resources::TrainingResources;
use vivarium_plot::analysis::tickets::{chart, count_relevant_ones, largest_neurons, overlap_probability};
use vivarium_view::display::words::{
    capitalize, format_count, format_percent, format_significant, format_thousands, join_list,
};
use vivarium_view::display::{RunPhase, RunView};

/// Number of neurons in a lottery ticket (neurons reset to their initial weights and trained alone), as in Edelman
/// 2024.
const TICKET_NEURONS: usize = 5;
/// Number of networks that the link of a lottery ticket (winning neurons, trained again alone) trains, with different
/// orders of the data.
const TICKET_REPLICAS: usize = 20;

/// Settings of an MLP whose neurons start with a few weights of 1 each (sparse initial rows); `None` for other
/// networks.
fn sparse_mlp(spec: &RunSpec) -> Option<&Mlp> {
    match &spec.model {
        Model::Mlp(net) if net.init.rest(1).is_some() && !matches!(spec.task, Task::Tabular(_)) => Some(net),
        _ => None,
    }
}

/// Returns an error message unless the neurons of the run's network start with a few weights of 1 each, and the page
/// can recompute these initial weights.
///
/// # Errors
///
/// A sentence that gives the reason.
pub(super) fn check_sparse_rows(run: &RunView) -> Result<(), String> {
    match sparse_mlp(run.spec()) {
        // The initial rows are recomputed whenever the chart is drawn.
        Some(_) if !run.spec().can_page_initialize() => Err(tr!(
            "This chart is available only for networks with at most {most} weights.",
            most = format_thousands(MAX_PAGE_INITIAL_WEIGHTS)
        )),
        Some(_) => Ok(()),
        None => {
            Err(tr!("This chart needs an initialisation in which each neuron has a few weights of 1.").into())
        }
    }
}

/// Initial first-layer weights of the first network, `[inputs, neurons]`, and the numbers that its neurons have on the
/// page, from 1; `None` if its initial rows are not sparse or it is too large to initialise on the page.
fn initial_rows(spec: &RunSpec) -> Option<(Vec<f32>, Vec<usize>)> {
    let net = sparse_mlp(spec).filter(|_| spec.can_page_initialize())?;
    let names = if net.keep.is_empty() { (1..=net.width).collect() } else { net.keep.clone() };
    Some((spec.initialize_replicas(1).into_iter().next()?, names))
}

/// Bars of the neurons with the largest weight norm, by the number of relevant bits on which their initial weights are
/// 1; `None` before weights are known.
pub(super) fn draw_bars(run: &RunView) -> Option<BarChart> {
    let (rows, names) = initial_rows(run.spec())?;
    let now = &run.weights;
    let fits = now.width == names.len() && now.values.len() == rows.len();
    fits.then(|| chart(&now.values, &rows, &names, &run.relevant))
}

/// The `count` neurons with the largest weight norm, as (number from 1, number of relevant bits with an initial weight
/// of 1); `None` before weights are known.
fn winning_neurons(run: &RunView, count: usize) -> Option<Vec<(usize, usize)>> {
    let (rows, names) = initial_rows(run.spec())?;
    let now = &run.weights;
    if now.width != names.len() || now.values.len() != rows.len() {
        return None;
    }
    let held = count_relevant_ones(&rows, now.width, &run.relevant);
    Some(largest_neurons(&now.values, now.width, count).into_iter().map(|j| (names[j], held[j])).collect())
}

/// Neuron numbers or counts of bits as a list in words: "1, 4 and 7".
fn format_list(numbers: impl Iterator<Item = usize>) -> String {
    join_list(&numbers.map(|number| number.to_string()).collect::<Vec<_>>())
}

/// Summary of the chart of the neurons with the largest weight norm, for screen readers.
pub(super) fn describe_chart(run: &RunView) -> Option<String> {
    let (names, held) = winning_neurons(run, TICKET_NEURONS)?.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
    Some(tr!(
        "The neurons with the largest weight norms are {listed}. In the same order, the initial rows of these neurons had ones on {held} relevant bits.",
        listed = format_list(names.into_iter()),
        held = format_list(held.into_iter())
    ))
}

/// Winning neurons (those with the largest weight norm) of a trained layer, with links that train them again from their
/// initial weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LotteryTickets {
    /// Sentences on the winning neurons and on the ones in their initial weights, or the hint to pause the run.
    pub description: String,
    /// Link that trains the winning neurons alone from their initial weights, with several orders of data; `None` while
    /// the run is not paused, and if the layer has no other neurons.
    pub ticket: Option<String>,
    /// Link that trains as many random neurons as there are winners, for comparison; `None` while the run is not
    /// paused, and if the layer has no other neurons.
    pub others: Option<String>,
}

/// Winning neurons of a paused or finished run, or while it runs a hint to pause it; `None` unless the neurons start
/// with a few weights of 1 each and the task is a parity.
pub fn find_tickets(run: &RunView) -> Option<LotteryTickets> {
    let (net, spec) = (sparse_mlp(run.spec())?, run.spec());
    let Task::SparseParity(task) = &spec.task else { return None };
    if matches!(run.phase, RunPhase::Running | RunPhase::Loading) || run.weights.step == 0 {
        let about = tr!(
            "Train the network, then pause it. After that, the neurons with the largest weight norms can be reset \
             to their initial weights and trained again alone."
        );
        return Some(LotteryTickets { description: about.into(), ticket: None, others: None });
    }
    let winners = winning_neurons(run, TICKET_NEURONS).filter(|winners| winners.len() > 1)?;
    let held: Vec<usize> = winners.iter().map(|(_, held)| *held).collect();
    let chances = (1..=net.ones.min(2)).map(|held| {
        let chance = format_percent(overlap_probability(task.n, task.k, net.ones, held) as f32);
        tr!("{held} with probability {chance}", held, chance)
    });
    let about = tr!(
        "The network has {neuron}. After {step} steps the neurons with the largest weight norms are {listed}. At the start, the row of weights of each of these neurons had {one}. In the same order, the numbers of initial weights of 1 on the {k} relevant bits were {held}. For a random row this number is {chances}.",
        neuron = format_count(net.neurons(), "neuron"),
        step = format_thousands(run.weights.step),
        listed = format_list(winners.iter().map(|(name, _)| *name)),
        one = format_count(net.ones, "one"),
        held = format_list(held.into_iter()),
        k = task.k,
        chances = join_list(&chances.collect::<Vec<_>>())
    );
    let link = |inits: usize| {
        let mut spec = spec.clone();
        (spec.run.inits, spec.run.replicas, spec.run.halt) = (inits, TICKET_REPLICAS, StopCondition::Steps);
        if let Model::Mlp(net) = &mut spec.model {
            net.keep = winners.iter().map(|(name, _)| *name).collect();
        }
        let mut view = run.link.view.clone();
        view.show = vec![chart::ACCURACY, chart::WEIGHTS, charts::LUCK];
        encode(&Link { spec, view, ..Default::default() })
    };
    let is_whole = net.keep.is_empty() && net.width > TICKET_NEURONS && run.file_environment.is_none();
    let made = |inits: usize| is_whole.then(|| link(inits));
    Some(LotteryTickets { description: about, ticket: made(1), others: made(0) })
}

/// Named initial weights on `inputs` bits for which one gradient step of a neuron is estimated: random signs, and rows
/// that have `ones` ones, on as many of the `relevant` bits as possible, and zeros or ε elsewhere, if such rows exist.
pub fn reference_neurons(inputs: usize, relevant: usize, ones: usize) -> Vec<(String, ParityNeuron)> {
    let good = |start: WeightPattern, name: String| {
        Some((name, ParityNeuron::good_neuron(inputs, relevant, start, ones)?))
    };
    let starts = [
        good(WeightPattern::Signs, tr!("random signs").into()),
        good(
            WeightPattern::Ones,
            tr!(
                "good row (ones on as many relevant bits as possible), with {one} and otherwise zeros",
                one = format_count(ones, "one")
            ),
        ),
        good(
            WeightPattern::PerturbedOnes,
            tr!(
                "good row (ones on as many relevant bits as possible), with {one} and otherwise ε",
                one = format_count(ones, "one")
            ),
        )
        .filter(|_| ones > 0),
    ];
    starts.into_iter().flatten().collect()
}

/// Sliders of the estimates of one gradient step, as (key, label, minimum, maximum, step); the keys are n (bits), k
/// (relevant bits) and s (ones per initial row).
pub const SLIDERS: [(&str, &str, usize, usize, usize); 3] = [
    ("n", text!("Bits n"), 8, 60, 1),
    ("k", text!("Relevant bits k"), 2, 6, 2),
    ("s", text!("Ones per row s"), 0, 40, 1),
];

/// Initial values of the sliders n, k and s for a run: its own bits, relevant bits and ones per row within the sliders'
/// ranges; k is made even, as odd parities have no gap without a bias.
pub fn initial_slider_values(spec: &RunSpec) -> [usize; 3] {
    let ones = if let Model::Mlp(net) = &spec.model { net.ones } else { 2 };
    match &spec.task {
        Task::SparseParity(task) => {
            [task.n.clamp(8, 60), task.k.next_multiple_of(2).clamp(2, 6), ones.min(40)]
        }
        _ => [30, 2, 2],
    }
}

/// Sentence for each neuron on one gradient step: the number of examples that reveals the relevant bits with
/// probability 98 %, and the layer width at which such a neuron exists with probability 99 %.
pub fn describe_one_step(neurons: &[(String, ParityNeuron)]) -> Vec<String> {
    let sentence = |(name, neuron): &(String, ParityNeuron)| {
        let batch = match neuron.required_batch(0.98) {
            Some(batch) => {
                tr!(
                    "{batch} examples reveal the relevant bits with probability 98 %",
                    batch = format_thousands(batch as u64)
                )
            }
            None => tr!("no batch reveals the relevant bits, because the gradient has no Fourier gap").into(),
        };
        let rare = match neuron.required_width() {
            _ if neuron.start == WeightPattern::Signs => {
                tr!("the initial weights of every neuron are random signs").into()
            }
            Some(width) => tr!(
                "{chance} of all random rows are good rows, and with probability 99 % a layer of width {width} has at least one good row",
                chance = format_percent(neuron.good_neuron_probability() as f32),
                width = format_thousands(width as u64)
            ),
            None => tr!("hardly any random row is a good row").into(),
        };
        let name = capitalize(name);
        format!("{name}: {batch}; {rare}.")
    };
    neurons.iter().map(sentence).collect()
}

/// Parameters of one network, training steps and examples m of a run (its training set, or one batch if examples are
/// fresh), for the bound of Edelman 2024, proposition 6.3; `None` unless its task is a sparse parity.
pub fn estimate_resources(spec: &RunSpec) -> Option<TrainingResources> {
    let Task::SparseParity(task) = &spec.task else { return None };
    let of_one: usize = spec.parameters().iter().map(|p| p.len() / spec.run.replicas.max(1)).sum();
    // A finite sample limits the precision of the gradient, so its size counts instead of the batch.
    let examples = if task.m > 0 { task.m } else { spec.batch_size() };
    Some(TrainingResources {
        inputs: task.n,
        relevant: task.k,
        parameters: of_one as f64,
        steps: spec.run.steps as f64,
        examples: examples as f64,
    })
}

/// Sentences that compare parameters × steps × examples of the run with the bound of Edelman 2024, proposition 6.3;
/// `None` unless its task is a sparse parity.
pub fn describe_bound(spec: &RunSpec) -> Option<String> {
    let spent = estimate_resources(spec)?;
    let all = format!(
        "{} × {} × {} = {}",
        format_count(spent.parameters as usize, "parameter"),
        format_count(spent.steps as usize, "step"),
        format_count(spent.examples as usize, "example"),
        format_large_number(spent.parameters * spent.steps * spent.examples)
    );
    let max_success = spent.max_success_probability();
    let half = format_large_number(0.5 * binomial(spent.inputs, spent.relevant));
    Some(match max_success < 1.0 {
        true => tr!(
            "{all} is less than ½·C(n, k) = {half}. Proposition 6.3 is about gradient descent with an adversarial error of up to τ in every entry of the gradient. The proposition assumes a loss such as the square loss, and a network output with derivatives of at most 1. With τ = 1/√m for m examples, training of this kind fails for at least one parity of {relevant} out of {inputs} bits, with a probability of at least {most}. The gradients of this run have no such error, so for this run the number is only a comparison.",
            all,
            half,
            relevant = spent.relevant,
            inputs = spent.inputs,
            most = format_percent((1.0 - max_success) as f32)
        ),
        false => {
            let from = match spent.min_forbidden_inputs(0.5, 4096) {
                Some(n) => tr!("from n = {n} on", n = format_thousands(n as u64)),
                None => tr!("for no number of bits up to 4,096").into(),
            };
            tr!(
                "{all} is at least ½·C(n, k) = {half}, so proposition 6.3 says nothing about training with these resources. For gradient descent with an adversarial error of up to 1/√m (m examples) in every entry of the gradient, the proposition would exclude a success rate of one half {from}.",
                all,
                half,
                from
            )
        }
    })
}

/// Formats a product of parameters, steps and examples, or a factor: "4.06 · 10⁷" from a million on, else as a plain
/// number.
fn format_large_number(number: f64) -> String {
    if number < 1e6 {
        return if number >= 100.0 { format_thousands(number as u64) } else { format_significant(number) };
    }
    let exponent = libm::floor(libm::log10(number));
    let raised = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize - '0' as usize).unwrap_or(digit);
    let raised: String = format!("{exponent:.0}").chars().map(raised).collect();
    format!("{:.2} · 10{raised}", number / libm::pow(10.0, exponent))
}

/// Sentence on how many sweep runs use fewer resources than the bound of Edelman 2024, proposition 6.3, or on the
/// smallest factor above the bound; `None` unless all tasks are sparse parities.
pub fn describe_sweep_bound(cells: &[SweepCell]) -> Option<String> {
    let all: Vec<f64> = cells
        .iter()
        .filter_map(|cell| Some(estimate_resources(&cell.spec)?.max_success_probability()))
        .collect();
    if all.len() < cells.len() || all.is_empty() {
        return None;
    }
    let forbidden = all.iter().filter(|most| **most < 0.5).count();
    let min_success = all.iter().copied().fold(f64::INFINITY, f64::min);
    Some(match forbidden {
        0 => tr!(
            "Proposition 6.3 is about gradient descent with an adversarial error of up to 1/√m (m examples) in every entry of the gradient. It gives the smallest product of parameters, steps and examples for a success rate of one half. In each of these runs the product is at least {significant_count} times this minimum.",
            significant_count = format_large_number(min_success / 0.5)
        ),
        some => tr!(
            "In {run} of the sweep, the product of parameters, steps and examples is below the bound of proposition 6.3 for a success rate of one half. On the page, a dotted edge marks the cells of these runs. The bound holds for gradient descent with an adversarial error of up to 1/√m (m examples) in every entry of the gradient, and for losses such as the square loss. The gradients of this sweep have no such error, so the bound is only a comparison.",
            run = format_count(some, "run")
        ),
    })
}
