//! Width and luck, as the page has them: which neurons of a wide layer won, what they began with, the link that rewinds
//! and retrains them, and how the resources of a run compare with a lower bound.
//!
//! # Why
//! A ticket is a link like any other: whoever presses it has the winners in the address bar, and nothing needs to be
//! remembered of the network that they come from.

use vivarium_core::bounds::MOST_DRAWN;
use vivarium_core::language::{escaped, translated};
use vivarium_core::math::binomial;
use vivarium_model::chart;
use vivarium_model::models::{Mlp, Model};
use vivarium_model::permalink::{Link, encode};
use vivarium_model::run::{Halt, RunSpec};
use vivarium_model::sweep::Cell;
use vivarium_model::tasks::Task;
use vivarium_model::tasks::sparse_parity::charts;
use vivarium_plot::analysis::Bars;
use vivarium_plot::analysis::recovery::{Neuron, Start};
use vivarium_plot::analysis::resources::Spent;
use vivarium_plot::analysis::tickets::{chance_of, chart, luck, strongest};
use vivarium_view::display::words::{capital, count, list, percent, significant, thousands};
use vivarium_view::display::{Phase, RunView};

/// Neurons of a ticket, as in the thesis.
const TICKET: usize = 5;
/// Networks that a ticket is trained as.
const RETRAINED: usize = 20;

/// The perceptron of a run whose rows begin with a few ones.
fn sparse(spec: &RunSpec) -> Option<&Mlp> {
    match &spec.model {
        Model::Mlp(net) if net.init.rest(1).is_some() && !matches!(spec.task, Task::Tabular(_)) => Some(net),
        _ => None,
    }
}

/// Whether luck can be counted in a run.
///
/// # Errors
/// A sentence that says why not.
pub(super) fn applies(run: &RunView) -> Result<(), String> {
    match sparse(run.spec()) {
        // Its rows are drawn anew with every picture.
        Some(_) if !run.spec().is_drawn_at_once() => Err(tr!(
            "This chart is available only for networks with at most {most} weights.",
            most = thousands(MOST_DRAWN)
        )),
        Some(_) => Ok(()),
        None => {
            Err(tr!("This chart needs an initialisation in which each neuron has a few weights of 1.").into())
        }
    }
}

/// Rows of the first network before its first step, as `[inputs, neurons]`, and the numbers of the neurons from 1; none
/// of a network that is too large to be drawn at once.
fn beginning(spec: &RunSpec) -> Option<(Vec<f32>, Vec<usize>)> {
    let net = sparse(spec).filter(|_| spec.is_drawn_at_once())?;
    let names = if net.keep.is_empty() { (1..=net.width).collect() } else { net.keep.clone() };
    Some((spec.initial_of(1).into_iter().next()?, names))
}

/// The strongest neurons as bars.
pub(super) fn bars(run: &RunView) -> Option<Bars> {
    let (rows, names) = beginning(run.spec())?;
    let now = &run.weights;
    let fits = now.width == names.len() && now.values.len() == rows.len();
    fits.then(|| chart(&now.values, &rows, &names, &run.relevant))
}

/// The `count` strongest neurons now, by their numbers from 1, and how many relevant bits each began with.
fn winners(run: &RunView, count: usize) -> Option<Vec<(usize, usize)>> {
    let (rows, names) = beginning(run.spec())?;
    let now = &run.weights;
    if now.width != names.len() || now.values.len() != rows.len() {
        return None;
    }
    let held = luck(&rows, now.width, &run.relevant);
    Some(strongest(&now.values, now.width, count).into_iter().map(|j| (names[j], held[j])).collect())
}

fn listed(numbers: impl Iterator<Item = usize>) -> String {
    list(&numbers.map(|number| number.to_string()).collect::<Vec<_>>())
}

/// What is seen on the chart, for those who do not see it.
pub(super) fn said(run: &RunView) -> Option<String> {
    let (names, held) = winners(run, TICKET)?.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
    Some(tr!(
        "The neurons with the largest weight norms are {listed}. In the same order, the initial rows of these neurons had ones on {held} relevant bits.",
        listed = listed(names.into_iter()),
        held = listed(held.into_iter())
    ))
}

/// The winners of a trained layer, put back to the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewound {
    /// Who won and what they began with.
    pub about: String,
    /// The link that trains them alone, on several orders of data; none where they are alone already.
    pub ticket: Option<String>,
    /// The same of as many neurons of layers of their own, which are as they come.
    pub others: Option<String>,
}

/// The strongest neurons of the run that is shown, while it waits or has ended; none where rows do not begin with a few
/// ones.
pub fn rewound(run: &RunView) -> Option<Rewound> {
    let (net, spec) = (sparse(run.spec())?, run.spec());
    let Task::SparseParity(task) = &spec.task else { return None };
    if matches!(run.phase, Phase::Running | Phase::Loading) || run.weights.step == 0 {
        let about = tr!(
            "Train the network, then pause it. After that, the neurons with the largest weight norms can be reset \
             to their initial weights and trained again alone."
        );
        return Some(Rewound { about: about.into(), ticket: None, others: None });
    }
    let winners = winners(run, TICKET).filter(|winners| winners.len() > 1)?;
    let held: Vec<usize> = winners.iter().map(|(_, held)| *held).collect();
    let chances = (1..=net.ones.min(2)).map(|held| {
        let chance = percent(chance_of(task.n, task.k, net.ones, held) as f32);
        tr!("{held} with probability {chance}", held, chance)
    });
    let about = tr!(
        "The network has {neuron}. After {step} steps the neurons with the largest weight norms are {listed}. At the start, the row of weights of each of these neurons had {one}. In the same order, the numbers of initial weights of 1 on the {k} relevant bits were {held}. For a random row this number is {chances}.",
        neuron = count(net.neurons(), "neuron"),
        step = thousands(run.weights.step),
        listed = listed(winners.iter().map(|(name, _)| *name)),
        one = count(net.ones, "one"),
        held = listed(held.into_iter()),
        k = task.k,
        chances = list(&chances.collect::<Vec<_>>())
    );
    let link = |inits: usize| {
        let mut spec = spec.clone();
        (spec.run.inits, spec.run.replicas, spec.run.halt) = (inits, RETRAINED, Halt::Steps);
        if let Model::Mlp(net) = &mut spec.model {
            net.keep = winners.iter().map(|(name, _)| *name).collect();
        }
        let mut view = run.link.view.clone();
        view.show = vec![chart::ACCURACY, chart::WEIGHTS, charts::LUCK];
        encode(&Link { spec, view, ..Default::default() })
    };
    let is_whole = net.keep.is_empty() && net.width > TICKET && run.record.is_none();
    let made = |inits: usize| is_whole.then(|| link(inits));
    Some(Rewound { about, ticket: made(1), others: made(0) })
}

/// The neurons that one step is told of: of signs, and good ones among those with `ones` ones, where there are any.
pub fn neurons(inputs: usize, relevant: usize, ones: usize) -> Vec<(String, Neuron)> {
    let good = |start: Start, name: String| Some((name, Neuron::good(inputs, relevant, start, ones)?));
    let starts = [
        good(Start::Signs, tr!("random signs").into()),
        good(
            Start::Ones,
            tr!(
                "good row (ones on as many relevant bits as possible), with {one} and otherwise zeros",
                one = count(ones, "one")
            ),
        ),
        good(
            Start::Perturbed,
            tr!(
                "good row (ones on as many relevant bits as possible), with {one} and otherwise ε",
                one = count(ones, "one")
            ),
        )
        .filter(|_| ones > 0),
    ];
    starts.into_iter().flatten().collect()
}

/// The markup of the winners: what is known of them, and the links that train them again.
pub fn winners_markup(run: &RunView) -> String {
    let Some(found) = rewound(run) else { return String::new() };
    let link = |link: Option<String>, word: &str, testid: &str| match link {
        Some(link) => {
            let link = escaped(&link);
            let word = escaped(word);
            format!("<a class=\"button\" href=\"{link}\" data-testid=\"{testid}\">{word}</a>")
        }
        None => String::new(),
    };
    format!(
        "<p class=\"card__note\" data-testid=\"winners\">{}</p><div class=\"luck__links\">{}{}</div>",
        escaped(&found.about),
        link(
            found.ticket,
            tr!("Reset these neurons to their initial weights and train them alone"),
            "ticket"
        ),
        link(found.others, tr!("Train the same number of random neurons instead"), "others")
    )
}

/// The knobs of what one step reveals, by the name of their field: n, k, s.
const KNOBS: [(&str, &str, usize, usize, usize); 3] = [
    ("n", text!("Bits n"), 8, 60, 1),
    ("k", text!("Relevant bits k"), 2, 6, 2),
    ("s", text!("Ones per row s"), 0, 40, 1),
];

/// Where the knobs stand for a run: at its own numbers, as far as they go. Odd parities have no gap without a bias.
pub fn places(spec: &RunSpec) -> [usize; 3] {
    let ones = if let Model::Mlp(net) = &spec.model { net.ones } else { 2 };
    match &spec.task {
        Task::SparseParity(task) => {
            [task.n.clamp(8, 60), task.k.next_multiple_of(2).clamp(2, 6), ones.min(40)]
        }
        _ => [30, 2, 2],
    }
}

/// Their markup.
pub fn knobs_markup(places: [usize; 3]) -> String {
    let knob = |((key, name, low, high, step), place): ((&str, &str, usize, usize, usize), usize)| {
        let name = escaped(translated(name));
        format!(
            "<div class=\"luck__knob\"><label for=\"luck-{key}\">{name}</label><input id=\"luck-{key}\" name=\"{key}\" \
             type=\"range\" min=\"{low}\" max=\"{high}\" step=\"{step}\" value=\"{place}\"><output \
             id=\"luck-{key}-is\" for=\"luck-{key}\">{place}</output></div>"
        )
    };
    KNOBS.into_iter().zip(places).map(knob).collect()
}

/// Which knob has this name.
pub fn knob(name: &str) -> Option<usize> {
    KNOBS.iter().position(|knob| knob.0 == name)
}

/// What one step reveals at each of these neurons, in a sentence each.
pub fn revealed(neurons: &[(String, Neuron)]) -> Vec<String> {
    let sentence = |(name, neuron): &(String, Neuron)| {
        let batch = match neuron.batch_for(0.98) {
            Some(batch) => {
                tr!(
                    "{batch} examples reveal the relevant bits with probability 98 %",
                    batch = thousands(batch as u64)
                )
            }
            None => tr!("no batch reveals the relevant bits, because the gradient has no Fourier gap").into(),
        };
        let rare = match neuron.width() {
            _ if neuron.start == Start::Signs => {
                tr!("the initial weights of every neuron are random signs").into()
            }
            Some(width) => tr!(
                "{chance} of all random rows are good rows, and with probability 99 % a layer of width {width} has at least one good row",
                chance = percent(neuron.chance() as f32),
                width = thousands(width as u64)
            ),
            None => tr!("hardly any random row is a good row").into(),
        };
        let name = capital(name);
        format!("{name}: {batch}; {rare}.")
    };
    neurons.iter().map(sentence).collect()
}

/// What a run of `spec` spends, if it is on a parity.
pub fn spent(spec: &RunSpec) -> Option<Spent> {
    let Task::SparseParity(task) = &spec.task else { return None };
    let of_one: usize = spec.parameters().iter().map(|p| p.len() / spec.run.replicas.max(1)).sum();
    // As precise as the whole sample can make a gradient, where there is one: the bound is no higher than it must be.
    let examples = if task.m > 0 { task.m } else { spec.batch() };
    Some(Spent {
        inputs: task.n,
        relevant: task.k,
        parameters: of_one as f64,
        steps: spec.run.steps as f64,
        examples: examples as f64,
    })
}

/// The resources of the run beside proposition 6.3, in sentences.
pub fn floor(spec: &RunSpec) -> Option<String> {
    let spent = spent(spec)?;
    let all = format!(
        "{} × {} × {} = {}",
        count(spent.parameters as usize, "parameter"),
        count(spent.steps as usize, "step"),
        count(spent.examples as usize, "example"),
        significant_count(spent.parameters * spent.steps * spent.examples)
    );
    let most = spent.success_at_most();
    let half = significant_count(0.5 * binomial(spent.inputs, spent.relevant));
    Some(match most < 1.0 {
        true => tr!(
            "{all} is less than ½·C(n, k) = {half}. Proposition 6.3 is about gradient descent with an adversarial error of up to τ in every entry of the gradient. The proposition assumes a loss such as the square loss, and a network output with derivatives of at most 1. With τ = 1/√m for m examples, training of this kind fails for at least one parity of {relevant} out of {inputs} bits, with a probability of at least {most}. The gradients of this run have no such error, so for this run the number is only a comparison.",
            all,
            half,
            relevant = spent.relevant,
            inputs = spent.inputs,
            most = percent((1.0 - most) as f32)
        ),
        false => {
            let from = match spent.forbidden_from(0.5, 4096) {
                Some(n) => tr!("from n = {n} on", n = thousands(n as u64)),
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

/// "4.06 · 10⁷" for large numbers, plain ones as they are.
fn significant_count(number: f64) -> String {
    if number < 1e6 {
        return if number >= 100.0 { thousands(number as u64) } else { significant(number) };
    }
    let exponent = libm::floor(libm::log10(number));
    let raised = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize - '0' as usize).unwrap_or(digit);
    let raised: String = format!("{exponent:.0}").chars().map(raised).collect();
    format!("{:.2} · 10{raised}", number / libm::pow(10.0, exponent))
}

/// How many runs of a map are below the bound of proposition 6.3, or how far the least of them is above it.
pub fn floor_of_map(cells: &[Cell]) -> Option<String> {
    let all: Vec<f64> = cells.iter().filter_map(|cell| Some(spent(&cell.spec)?.success_at_most())).collect();
    if all.len() < cells.len() || all.is_empty() {
        return None;
    }
    let forbidden = all.iter().filter(|most| **most < 0.5).count();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    Some(match forbidden {
        0 => tr!(
            "Proposition 6.3 is about gradient descent with an adversarial error of up to 1/√m (m examples) in every entry of the gradient. It gives the smallest product of parameters, steps and examples for a success rate of one half. In each of these runs the product is at least {significant_count} times this minimum.",
            significant_count = significant_count(least / 0.5)
        ),
        some => tr!(
            "In {run} of the sweep, the product of parameters, steps and examples is below the bound of proposition 6.3 for a success rate of one half. On the page, a dotted edge marks the cells of these runs. The bound holds for gradient descent with an adversarial error of up to 1/√m (m examples) in every entry of the gradient, and for losses such as the square loss. The gradients of this sweep have no such error, so the bound is only a comparison.",
            run = count(some, "run")
        ),
    })
}
