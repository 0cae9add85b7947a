//! Rounding keeps the margin.

use std::rc::Rc;

use vivarium::circuits::{CircuitMetric, CircuitSpec, GateKind, ReluNetwork, rounded_toy_margin, toy_margin};
use vivarium::models::Family;
use vivarium::models::circuit_network::found;

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, decoded, hold, sweep_cells};

/// Depths of the sweep over circuits of an exclusive or.
const DEPTHS: [usize; 5] = [4, 8, 16, 32, 64];

/// The product of 100 weights, looked into after the ten steps of the search that the passage's button runs.
fn bare(runs: &Runs) -> Rc<Trained> {
    runs.looked_into("toy-bare", &[10])
}

/// The same with rounding, after the hundred steps of its button.
fn rounded(runs: &Runs) -> Rc<Trained> {
    runs.looked_into("toy-rounded", &[100])
}

/// The parity of 4 bits, after the hundred steps of its button.
fn parity(runs: &Runs) -> Rc<Trained> {
    runs.looked_into("parity-circuit", &[100])
}

fn near(found: f64, wanted: f64, by: f64) -> bool {
    (found - wanted).abs() <= by
}

fn spec_of_preset(name: &str) -> CircuitSpec {
    decoded(name).task.data().circuit().unwrap()
}

/// The network of a run.
fn network(name: &str) -> ReluNetwork {
    let spec = decoded(name);
    let Some(Family::Circuit(net)) = spec.model.config().family() else { panic!("{name} is no circuit") };
    spec_of_preset(name).build_network(net.rounding()).unwrap()
}

/// The change of all parameters that the search has found by this step.
fn change(run: &Trained, step: u64) -> Vec<f64> {
    found(run.weights(step)).unwrap().0
}

/// How far each weight of a product is changed, from the first to the last.
fn of_weights(name: &str, run: &Trained, step: u64) -> Vec<f64> {
    let (network, change) = (network(name), change(run, step));
    let (_, weights) = network.layers().split_last().unwrap();
    weights.iter().map(|layer| change[layer.weight_range().start]).collect()
}

fn bare_change(runs: &Runs) -> Vec<f64> {
    of_weights("toy-bare", &bare(runs), 10)
}

/// All changes are those of one size, up to a hundredth of it.
fn is_the_same_everywhere(change: &[f64]) -> bool {
    let mean = change.iter().sum::<f64>() / change.len() as f64;
    change.iter().all(|change| near(*change, mean, 0.01 * mean.abs()))
}

/// One weight holds more than nine tenths of the sum of squares; which one it is.
fn in_one_layer(change: &[f64]) -> Option<usize> {
    let whole: f64 = change.iter().map(|change| change * change).sum();
    change.iter().position(|change| change * change > 0.9 * whole)
}

/// The one large change takes its value below 2/3, and the next ones go the same way, each less than half as far as the last.
fn the_next_layers_help(runs: &Runs) -> bool {
    let change = of_weights("toy-rounded", &rounded(runs), 100);
    let Some(at) = in_one_layer(&change) else { return false };
    let helping = &change[at..at + 4];
    1.0 + change[at] < 2.0 / 3.0
        && helping.iter().all(|change| *change < 0.0)
        && helping.windows(2).all(|two| two[1].abs() < 0.5 * two[0].abs())
}

/// The change that was found makes the answer for 1111 another one.
fn flips_the_answer(runs: &Runs) -> bool {
    let (network, bits) = (network("parity-circuit"), spec_of_preset("parity-circuit").replica_input(0));
    let theta = network.perturb(&change(&parity(runs), 100), 1.0 + 1e-9);
    let flipped = network.output_at(&theta, &bits).unwrap() > 0.0;
    bits == [true; 4] && network.predict(&bits) == Ok(!flipped)
}

/// Lemma B.1 of the paper: two linear layers for each layer of gates, all of their weights −1, 0 or 1.
fn is_written_with_three_numbers(name: &str) -> bool {
    let (network, depth) = (network(name), spec_of_preset(name).build_layered().unwrap().depth());
    let (_, gates) = network.layers().split_last().unwrap();
    let mut weights = gates.iter().flat_map(|layer| &network.theta()[layer.weight_range()]);
    gates.len() == 2 * (depth - 1) && weights.all(|weight| [-1.0, 0.0, 1.0].contains(weight))
}

/// The link of an exclusive or with so many layers.
fn xor(depth: usize, round: &str) -> String {
    format!("#v1/boolean-circuit?n=2&in=1.1&levels={depth}&round={round}")
}

/// Gates that compute something stay as they are; only those that copy are added.
fn only_copies_are_added() -> bool {
    let [shallow, deep] = [4, 64].map(|depth| spec_of_preset(&xor(depth, "yes")).build_layered().unwrap());
    let same = [GateKind::And, GateKind::Or, GateKind::Not]
        .iter()
        .all(|kind| shallow.count_gates(*kind) == deep.count_gates(*kind));
    (shallow.depth(), deep.depth()) == (4, 64) && same && sweep_cells("xor-depth") == 2 * DEPTHS.len()
}

/// The bound by the proof of theorem D.6 with rounding fixed, for the input with all bits 1.
fn bound(name: &str) -> f64 {
    network(name).compute_margin_bounds(&spec_of_preset(name).replica_input(0)).unwrap().unwrap().proof
}

/// The same by the formula of the theorem.
fn formula(name: &str) -> f64 {
    network(name)
        .compute_margin_bounds(&spec_of_preset(name).replica_input(0))
        .unwrap()
        .unwrap()
        .fixed_rounding
}

fn is_the_same_at_every_depth() -> bool {
    DEPTHS.iter().all(|depth| {
        let name = xor(*depth, "yes");
        near(bound(&name), 0.135, 5e-4) && near(formula(&name), 0.0679, 5e-5)
    })
}

/// Without rounding: no bound at all, and a norm that falls from depth to depth.
fn falls_without_rounding(runs: &Runs) -> bool {
    let all = DEPTHS.map(|depth| runs.run(&xor(depth, "no")));
    let norms = all.each_ref().map(|run| f64::from(run.measure("least-norm", 200)));
    let mut bounds = all.iter().flat_map(|run| &run.row(200).measures[CircuitMetric::ProofBound as usize]);
    bounds.all(|bound| bound.is_nan())
        && norms.is_sorted_by(|a, b| a > b)
        && near(norms[0], 0.109, 5e-4)
        && near(norms[4], 0.041, 5e-4)
}

/// Random directions of noise must be longer than three times the smallest change before they change the answer.
fn noise_is_less_harmful(runs: &Runs) -> bool {
    ["yes", "no"].iter().all(|round| {
        let run = runs.run(&format!("#v1/boolean-circuit?n=8&round={round}"));
        run.measure("noise-norm", 200) > 3.0 * run.measure("least-norm", 200)
    })
}

/// The share of right answers in each sample of the noise, from the least to the largest.
fn right(runs: &Runs, sigma: &str, round: &str) -> Vec<f32> {
    let name = format!("#v1/boolean-circuit?n=8&replicas=20&steps=2&sigma={sigma}&round={round}");
    let mut shares = runs.run(&name).rows.last().unwrap().test_accuracy.clone();
    shares.sort_by(f32::total_cmp);
    shares
}

fn median(shares: &[f32]) -> f64 {
    f64::from(vivarium::math::median(shares).unwrap())
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    (
        "How large is the smallest change of the weights that makes the answer of a deep circuit wrong, with and without rounding after each layer?",
        Words,
    ),
    (
        "This is a very simple deep network: 100 weights, one after the other, all equal to 1.",
        On(|_| {
            let network = network("toy-bare");
            let (_, weights) = network.layers().split_last().unwrap();
            weights.len() == 100 && weights.iter().all(|layer| network.theta()[layer.weight_range()] == [1.0])
        }),
    ),
    ("The output is the product of the weights.", Words),
    ("The answer is right as long as the product is above 0.5.", Words),
    ("The size of a change is its norm: the square root of the sum of the squared changes.", Words),
    ("What will the smallest change that makes the answer wrong look like?", Words),
    (
        "All weights change a little.",
        On(|runs| bare_change(runs).iter().all(|change| (0.001..0.02).contains(&change.abs()))),
    ),
    (
        "All weights change by the same small amount.",
        On(|runs| {
            let change = bare_change(runs);
            is_the_same_everywhere(&change) && change[0].abs() < 0.02
        }),
    ),
    (
        "Each weight is then only slightly below 1, but the product of all weights is no longer above 0.5.",
        On(|runs| {
            let weights: Vec<f64> = bare_change(runs).iter().map(|change| 1.0 + change).collect();
            weights.iter().all(|weight| (0.98..1.0).contains(weight))
                && (0.499..=0.5).contains(&weights.iter().product::<f64>())
        }),
    ),
    (
        "The search finds a change of norm 0.0691.",
        On(|runs| near(bare(runs).measure("least-norm", 10).into(), 0.0691, 5e-5)),
    ),
    (
        "Each bar of the chart “Smallest perturbation by layer” stands for at most three neighbouring layers and shows the norm of the change in these layers.",
        Known("`places` of the lab's charts: three of the 100 layers share each of at most 48 bars"),
    ),
    ("The norm of the smallest change that makes the answer wrong is called the *all-layer margin*.", Words),
    (
        "If only one weight changes, this weight must fall to half of its value to make the answer wrong.",
        Known("the product of this weight and 99 ones is the weight itself"),
    ),
    ("The change from 1 to 0.5 has norm 0.5.", Known("from 1 to 0.5, and no other weight changes")),
    ("The sweep measures the margin of products of 1, 4, 25, 100 and 400 weights.", Words),
    ("How will the margin change when the product has more weights?", Words),
    ("The margin falls.", Preset("toy-depth")),
    ("The margin falls: 0.500, 0.318, 0.137, 0.069, 0.035.", Preset("toy-depth")),
    (
        "With d weights the margin is √d(1 − 2^(−1/d)), which falls roughly as 1/√d.",
        On(|_| {
            [1, 4, 25, 100, 400].into_iter().all(|weights| {
                let (margin, d) = (toy_margin(weights).unwrap(), weights as f64);
                // √d times the margin is 0.5 for one weight and rises to ln 2.
                near(margin, d.sqrt() * (1.0 - 0.5f64.powf(1.0 / d)), 1e-9)
                    && (0.5..0.7).contains(&(margin * d.sqrt() + 1e-9))
            })
        }),
    ),
    (
        "The line in the chart shows this formula.",
        Known(
            "`sweeps::by_depth` of the lab draws `toy_margin`; the search finds it: `the_search_finds_the_margins_of_the_toy`",
        ),
    ),
    ("Press Play.", Words),
    (
        "The page runs five searches in a few seconds.",
        Known("measured: 0.7 s on one core from the command line"),
    ),
    (
        "In this run the product is rounded after each weight: a value below 1/3 becomes 0, and a value above 2/3 becomes 1.",
        Known("the definition of rounding, proposition 3.4 of Wei, Chen and Ma 2022"),
    ),
    (
        "Two ReLUs can compute this rounding.",
        Known(
            "3φ(z − 1/3) − 3φ(z − 2/3), compared with `rounded` in `the_constant_of_rounding_bounds_perturbed_rounding`",
        ),
    ),
    ("With rounding, in which layers will the smallest change that makes the answer wrong be?", Words),
    (
        "Nearly all of the change is in one layer.",
        On(|runs| in_one_layer(&of_weights("toy-rounded", &rounded(runs), 100)).is_some()),
    ),
    (
        "Nearly all of the change is in one layer.",
        On(|runs| in_one_layer(&of_weights("toy-rounded", &rounded(runs), 100)).is_some()),
    ),
    (
        "The change in this layer brings the product below 2/3, and smaller changes in the following layers bring the product down a little further.",
        On(the_next_layers_help),
    ),
    (
        "The search ends at norm 0.4907.",
        On(|runs| {
            let run = rounded(runs);
            [100, 200].iter().all(|step| near(run.measure("least-norm", *step).into(), 0.4907, 5e-5))
        }),
    ),
    (
        "This is close to 0.5, the norm that is needed if only a single weight changes and no value is rounded.",
        On(|runs| {
            let run = rounded(runs);
            [100, 200].iter().all(|step| near(run.measure("least-norm", *step).into(), 0.4907, 5e-5))
        }),
    ),
    (
        "Rounding removes a small error of one layer before the next layer, so small errors of different layers do not add up.",
        Known("proposition 3.4; `rounding_takes_deviations_away_and_no_rounding_lets_them_grow`"),
    ),
    ("The chart of the norms also shows lower bounds on the margin.", Preset("toy-rounded")),
    (
        "If the parameters of rounding stay fixed, a change of the other parameters can make the answer wrong only if the norm of this change is at least 0.333.",
        Preset("toy-rounded"),
    ),
    (
        "This sweep again measures the margin of products of 1, 4, 25, 100 and 400 weights, now with and without rounding.",
        Words,
    ),
    ("Press Play.", Words),
    ("Without rounding the margin falls from 0.500 to 0.035.", Preset("toy-rounded-depth")),
    (
        "With rounding the margin is 0.4907 for 4 weights, and also for 400 weights.",
        Preset("toy-rounded-depth"),
    ),
    (
        "From 4 weights on, the margin with rounding is the same for every number of weights, to four decimal places.",
        On(|_| (4..=400).all(|weights| near(rounded_toy_margin(weights).unwrap(), 0.4907, 5e-5))),
    ),
    (
        "The value 0.4924 is sometimes given for the margin with rounding.",
        Known("the instance of `toy-rounded-depth`; `first_order_margin` from 4 weights on"),
    ),
    (
        "This value is only a first-order approximation: it assumes that the boundary between weights with the right answer and weights with the wrong answer is flat.",
        Known("0.5/√(1 + 1/36 + 1/324 + …), `the_first_order_margin_converges_to_the_published_constant`"),
    ),
    (
        "The output of the circuit in this run is 1 if an odd number of the 4 input bits are 1.",
        On(|_| {
            let circuit = spec_of_preset("parity-circuit").build_circuit().unwrap();
            let is_odd = |bits: &[bool]| bits.iter().filter(|bit| **bit).count() % 2 == 1;
            circuit.input_count() == 4
                && (0..16)
                    .map(|row| circuit.truth_table_row(row))
                    .all(|bits| circuit.evaluate(&bits) == Ok(is_odd(&bits)))
        }),
    ),
    (
        "Any circuit of AND, OR and NOT gates can be written as a ReLU network: each layer of gates becomes two layers of ReLUs with weights −1, 0 and 1.",
        On(|_| {
            ["parity-circuit", "carry-circuit", "majority-circuit"]
                .into_iter()
                .all(is_written_with_three_numbers)
        }),
    ),
    ("The panel \"Inside the circuit\" shows the gates.", Words),
    ("Press an input bit in this panel to change the bit.", Words),
    (
        "The search finds a change of norm 0.158 that flips the answer for the input 1111.",
        On(|runs| {
            flips_the_answer(runs) && near(parity(runs).measure("least-norm", 100).into(), 0.158, 5e-4)
        }),
    ),
    (
        "But the proof of theorem D.6 of the paper shows that no change of norm below 0.0859 flips this answer, as long as the parameters of rounding stay fixed.",
        Preset("parity-circuit"),
    ),
    (
        "The search does not prove that there is no smaller change.",
        Known("what a search finds is an upper bound of the margin"),
    ),
    (
        "If the parameters of rounding stay fixed, the true margin is between 0.0859 and 0.158.",
        On(|runs| {
            let run = parity(runs);
            run.measure("held-bound", 100) < run.measure("least-norm", 100)
        }),
    ),
    (
        "The formula of the theorem gives the smaller bound 0.0437 in this case: the formula leaves room for changes of the rounding, and the proof needs no such room here.",
        On(|_| {
            near(formula("parity-circuit"), 0.0437, 5e-5)
                && bound("parity-circuit") > formula("parity-circuit")
        }),
    ),
    (
        "In this sweep a circuit for the exclusive or (XOR) of two bits becomes deeper, up to 64 layers: gates that only copy a value are added.",
        On(|_| only_copies_are_added()),
    ),
    ("How will the lower bound on the margin change when the circuit with rounding becomes deeper?", Words),
    ("The bound stays the same.", On(|_| is_the_same_at_every_depth())),
    (
        "With rounding the lower bound on the margin stays the same at every depth, as long as the parameters of rounding stay fixed: the bound is 0.135 by the proof of theorem D.6.",
        On(|_| is_the_same_at_every_depth()),
    ),
    (
        "Without rounding the theorem gives no bound, and the norm of the smallest change that the search finds falls from 0.109 with 4 layers to 0.041 with 64 layers.",
        On(falls_without_rounding),
    ),
    ("Press Play.", Words),
    (
        "With rounding, the formula of the theorem gives the bound 0.0679.",
        On(|_| is_the_same_at_every_depth()),
    ),
    (
        "In this sweep random noise of standard deviation σ is added to every weight of a network for the parity of 8 bits.",
        On(|_| {
            let network = network("#v1/boolean-circuit?n=8");
            let noise = network.draw_noise(0, 0);
            network.count_fixed_parameters().parameters > 0
                && noise.len() as u64 == network.count_free_parameters().parameters
                && noise.iter().all(|noise| *noise != 0.0)
        }),
    ),
    ("Press Play.", Words),
    (
        "Random noise on the weights is less harmful than the worst change of the weights with the same norm.",
        On(noise_is_less_harmful),
    ),
    (
        "The parameters of rounding get no noise.",
        On(|_| {
            let network = network("#v1/boolean-circuit?n=8");
            let noise = network.draw_noise(0, 0);
            network.count_fixed_parameters().parameters > 0
                && noise.len() as u64 == network.count_free_parameters().parameters
                && noise.iter().all(|noise| *noise != 0.0)
        }),
    ),
    (
        "There are 20 random samples of the noise for each of six values of σ.",
        On(|_| {
            let run = decoded("noisy-parity").run;
            (run.replicas, run.sweep.key.as_str(), run.sweep.values.len()) == (20, "sigma", 6)
        }),
    ),
    (
        "With noise of standard deviation σ = 0.03 and with rounding, all answers are right in at least half of the samples of the noise.",
        On(|runs| {
            let shares = right(runs, "0.03", "yes");
            2 * shares.iter().filter(|share| **share == 1.0).count() >= shares.len()
        }),
    ),
    (
        "With the same noise but without rounding, the median share of right answers is about one half.",
        On(|runs| near(median(&right(runs, "0.03", "no")), 0.5, 0.05)),
    ),
    (
        "A share of about one half is no better than guessing.",
        Known("the answer is one bit, and a fair coin is right on half of the inputs"),
    ),
    (
        "With σ = 0.1 the median share of right answers is about one half even with rounding.",
        On(|runs| {
            let [with, without] = ["yes", "no"].map(|round| median(&right(runs, "0.1", round)));
            with < 0.55 && near(with, without, 0.05)
        }),
    ),
    (
        "Theorem D.6 shows that some weights keep the answer of a circuit right after every small change.",
        Known(
            "theorem D.6, with the constants of the network itself: `the_constants_bound_perturbed_layers`, `lower_bounds_are_below_the_norm_found_and_noise_is_above_it`",
        ),
    ),
    ("The experiment does not show that training finds these weights.", Known("no run of this lab trains")),
    (
        "These weights still give the right answer after every change with a norm below a certain bound, even if the parameters of rounding change too.",
        Known(
            "theorem D.6, with the constants of the network itself: `the_constants_bound_perturbed_layers`, `lower_bounds_are_below_the_norm_found_and_noise_is_above_it`",
        ),
    ),
    (
        "This bound does not depend on the depth of the circuit, but it does depend on the width.",
        On(|_| {
            // Both have ten layers, and the parity of 4 bits is wider.
            let [narrow, wide] = [xor(10, "yes"), "parity-circuit".into()];
            let [a, b] = [&narrow, &wide].map(|name| spec_of_preset(name).build_layered().unwrap());
            let own = |name: &str| {
                network(name)
                    .compute_margin_bounds(&spec_of_preset(name).replica_input(0))
                    .unwrap()
                    .unwrap()
                    .theorem
            };
            is_the_same_at_every_depth()
                && DEPTHS.iter().all(|depth| near(own(&xor(*depth, "yes")), own(&narrow), 1e-9))
                && a.depth() == b.depth()
                && a.width() < b.width()
                && bound(&wide) < 0.8 * bound(&narrow)
                && own(&wide) < 0.8 * own(&narrow)
        }),
    ),
    (
        "The paper uses this result to bound the number of examples that are enough to learn these circuits.",
        Known("Wei, Chen and Ma 2022, theorem 3.1: circuits are statistically meaningfully approximated"),
    ),
    (
        "The weights here are set by hand.",
        Known("`ReluNetwork::new` and `ReluNetwork::toy` write them down; lemma B.1 of the paper"),
    ),
    (
        "The paper leaves open how a network with a large margin is found.",
        Known(
            "Wei, Chen and Ma 2022 define learning by the number of examples, not by a way to find weights",
        ),
    ),
    (
        "To try next: open “Errors that grow from layer to layer”, and then “Errors that rounding removes after each layer”.",
        Words,
    ),
    ("Compare the deviations in the last layers of the two runs.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("rounding-keeps-the-margin");
}
