//! One frequency per neuron.

use std::collections::BTreeMap;

use vivarium::analysis::neurons::{NeuronPart, NeuronSpectra};
use vivarium::analysis::progress::ModularOperation;
use vivarium::labs::groups::probes::NEURONS;
use vivarium::presets::{Expectation, ExpectedMeasure};

use super::Shown::{Expects, Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, decoded, hold};

/// The modulus of all runs of the story.
const P: usize = 23;
/// Share of a neuron's power from which it has one frequency only.
const ONE: f32 = 0.99;

fn clock(runs: &Runs) -> std::rc::Rc<Trained> {
    runs.looked_into("z23", &[60, 300, 600])
}

fn phased(runs: &Runs) -> std::rc::Rc<Trained> {
    runs.looked_into("z23-phases", &[600])
}

fn memorised(runs: &Runs) -> std::rc::Rc<Trained> {
    runs.looked_into("z23-memorise", &[0, 100])
}

fn narrow(runs: &Runs) -> std::rc::Rc<Trained> {
    runs.looked_into("z23-narrow", &[600])
}

fn form(runs: &Runs) -> std::rc::Rc<Trained> {
    runs.looked_into("quadratic-form", &[600])
}

fn neurons(run: &Trained, step: u64) -> NeuronSpectra {
    let found = run.found(NEURONS, step);
    let [neurons, irreps] = found.counts[..] else { panic!("a survey of neurons") };
    NeuronSpectra::from_numbers(neurons, irreps, &found.numbers).unwrap()
}

/// For each live neuron the share of its largest frequency in u, v and w, the least of the three.
fn purities(run: &Trained, step: u64) -> Vec<f32> {
    let found = neurons(run, step);
    let shares = NeuronPart::ALL.map(|part| found.largest_shares(part));
    let least = |neuron: usize| shares.iter().map(|of| of[neuron]).fold(1.0, f32::min);
    found.live_neurons().into_iter().map(least).collect()
}

/// Nearly all neurons are live, and each of them has one frequency.
fn has_one_each(run: &Trained, step: u64) -> bool {
    let purities = purities(run, step);
    purities.len() * 10 > neurons(run, step).neuron_count() * 9 && purities.iter().all(|share| *share > ONE)
}

/// The normalised margin.
fn margin(run: &Trained, step: u64) -> f32 {
    run.row(step).margin[0]
}

/// The largest possible normalised margin, which the network that a formula gives has.
fn largest(runs: &Runs) -> f32 {
    margin(&runs.run("z23-fourier"), 100)
}

/// The outputs of these neurons together, `[a, b, c]`.
fn outputs(run: &Trained, step: u64, of: &[usize]) -> Vec<f64> {
    let [u, v, w] = run.weights(step) else { panic!("u, v and w") };
    let width = u.len() / P;
    let mut out = vec![0.0; P * P * P];
    for (at, outputs) in out.chunks_mut(P).enumerate() {
        let (a, b) = (at / P, at % P);
        for neuron in of {
            let sum = f64::from(u[a * width + neuron] + v[b * width + neuron]);
            let add =
                |(c, output): (usize, &mut f64)| *output += sum * sum * f64::from(w[c * width + neuron]);
            outputs.iter_mut().enumerate().for_each(add);
        }
    }
    out
}

/// At the worst pair, the output for the right answer minus the largest of the others.
fn gap(run: &Trained, step: u64) -> f64 {
    let all: Vec<usize> = (0..neurons(run, step).neuron_count()).collect();
    let of_pair = |(at, outputs): (usize, &[f64])| {
        let right = (at / P + at % P) % P;
        let wrong = outputs.iter().enumerate().filter(|(c, _)| *c != right).map(|(_, output)| *output);
        outputs[right] - wrong.fold(f64::NEG_INFINITY, f64::max)
    };
    outputs(run, step, &all).chunks(P).enumerate().map(of_pair).fold(f64::INFINITY, f64::min)
}

/// The live neurons of each frequency.
fn by_frequency(run: &Trained, step: u64) -> BTreeMap<usize, Vec<usize>> {
    let found = neurons(run, step);
    let mut all: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    found
        .live_neurons()
        .into_iter()
        .for_each(|neuron| all.entry(found.dominant_irrep(neuron)).or_default().push(neuron));
    all
}

/// Outputs of the neurons of one frequency by how far an answer is from a + b, averaged over the pairs; and the share of
/// the outputs' squares that this leaves out. What all answers of a pair have in common is taken off first.
fn by_distance(run: &Trained, step: u64, of: &[usize]) -> (Vec<f64>, f64) {
    let mut rows = vec![];
    for (at, outputs) in outputs(run, step, of).chunks(P).enumerate() {
        let mean = outputs.iter().sum::<f64>() / P as f64;
        rows.push((0..P).map(|far| outputs[(at / P + at % P + far) % P] - mean).collect::<Vec<f64>>());
    }
    let means: Vec<f64> =
        (0..P).map(|far| rows.iter().map(|row| row[far]).sum::<f64>() / rows.len() as f64).collect();
    let square = |row: &Vec<f64>| row.iter().map(|output| output * output).sum::<f64>();
    let beside =
        |row: &Vec<f64>| row.iter().zip(&means).map(|(output, mean)| (output - mean).powi(2)).sum::<f64>();
    let left = rows.iter().map(beside).sum::<f64>() / rows.iter().map(square).sum::<f64>();
    (means, left)
}

/// Phases of live neurons: of u, of v, and of u minus those of v.
fn phases(run: &Trained, step: u64) -> [Vec<f32>; 3] {
    let found = neurons(run, step);
    let of = |part: NeuronPart| -> Vec<f32> {
        found.live_neurons().into_iter().filter_map(|neuron| found.phase(part, neuron)).collect()
    };
    let (u, v) = (of(NeuronPart::First), of(NeuronPart::Second));
    let between = u.iter().zip(&v).map(|(u, v)| u - v).collect();
    [u, v, between]
}

/// Angles without a common direction: each quarter of the circle has at least 15 % of them, and their mean as points on the
/// circle is within a fifth of its centre.
fn look_random(angles: &[f32]) -> bool {
    let count = angles.len() as f32;
    let mut quarters = [0.0f32; 4];
    angles.iter().for_each(|angle| {
        quarters[(angle.rem_euclid(std::f32::consts::TAU) / std::f32::consts::FRAC_PI_2) as usize % 4] += 1.0
    });
    let mean = |of: fn(f32) -> f32| angles.iter().map(|angle| of(*angle)).sum::<f32>() / count;
    quarters.iter().all(|quarter| *quarter > 0.15 * count) && mean(f32::cos).hypot(mean(f32::sin)) < 0.2
}

/// In the median neuron the phase of w is the sum of the other two phases, up to 0.02 radians.
fn phases_add_up(runs: &Runs) -> bool {
    let found = neurons(&phased(runs), 600);
    let live = found.live_neurons();
    let residual = |neuron: &usize| found.phase_residual(*neuron, ModularOperation::Sum).unwrap();
    let near = live.iter().filter(|neuron| residual(neuron).abs() <= 0.02);
    2 * near.count() > live.len()
}

/// The neurons of each frequency together have their largest mean output at the right answer.
fn right_answer_is_raised(runs: &Runs) -> bool {
    let run = phased(runs);
    by_frequency(&run, 600).values().all(|own| {
        let (means, _) = by_distance(&run, 600, own);
        means[1..].iter().all(|other| *other < means[0])
    })
}

/// The place of the largest weight of a neuron in `[elements, neurons]`.
fn peak(weights: &[f32], width: usize, neuron: usize) -> usize {
    let size = |element: &usize| weights[element * width + neuron].abs();
    (0..P).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap()
}

/// The neurons of each pair, where u and v have their largest weights on it.
fn by_pair(run: &Trained) -> BTreeMap<(usize, usize), Vec<usize>> {
    let [u, v, _] = run.weights(100) else { panic!("u, v and w") };
    let width = u.len() / P;
    let mut all: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for neuron in 0..width {
        all.entry((peak(u, width, neuron), peak(v, width, neuron))).or_default().push(neuron);
    }
    all
}

/// The two neurons of each pair together give other outputs than zero for this pair alone.
fn change_one_pair_each(run: &Trained) -> bool {
    by_pair(run).iter().all(|((a, b), own)| {
        let outputs = outputs(run, 100, own);
        let sizes =
            outputs.chunks(P).map(|row| row.iter().fold(0.0f64, |most, output| most.max(output.abs())));
        let sizes: Vec<f64> = sizes.collect();
        let at = a * P + b;
        sizes.iter().enumerate().all(|(pair, size)| pair == at || *size < 1e-4 * sizes[at])
    })
}

/// Every frequency has the same power in u, v and w of every neuron: two of 23 parts, as one is left for the constant.
fn is_flat(run: &Trained) -> bool {
    let found = neurons(run, 100);
    let flat = 2.0 / P as f32;
    NeuronPart::ALL.iter().all(|part| found.largest_shares(*part).iter().all(|share| *share < 1.01 * flat))
}

/// No live neuron has half of its power in u, v or w in one frequency.
fn none_dominates(run: &Trained) -> bool {
    let found = neurons(run, 600);
    let shares = NeuronPart::ALL.map(|part| found.largest_shares(part));
    found.live_neurons().into_iter().all(|neuron| shares.iter().all(|of| of[neuron] < 0.5))
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    (
        "After training on addition modulo 23, the weights of nearly every neuron are waves with a single frequency.",
        On(|runs| has_one_each(&clock(runs), 600)),
    ),
    (
        "Theory predicts the largest possible margin of the network.",
        Known("Edelman 2024, theorem 7.7; tested: `margins_are_those_of_the_theorems_and_of_nothing_else`"),
    ),
    (
        "The input of the network is a pair of numbers a and b from 0 to 22; the right answer is a + b modulo 23, as on a clock with 23 hours.",
        On(|_| decoded("z23").task.examples().inputs() == P),
    ),
    (
        "The network trains on all 529 pairs: no pair is held out.",
        On(|runs| clock(runs).rows.iter().all(|row| row.train_loss == row.test_loss)),
    ),
    (
        "The network has one hidden layer of 200 neurons.",
        On(|runs| neurons(&clock(runs), 600).neuron_count() == 200),
    ),
    (
        "Each neuron adds a weight that depends on a and a weight that depends on b, squares this sum, and adds a multiple of the square to each of the 23 outputs.",
        Known("the formula of the model, `GroupNet`"),
    ),
    (
        "The training data contain no circles, waves or frequencies.",
        Known("the data are pairs of names with the name of their sum"),
    ),
    (
        "For the network, the numbers 0 to 22 are only names.",
        Known(
            "each number has weights of its own, and all initial weights are independent with one distribution",
        ),
    ),
    ("Now the network answers every pair correctly.", On(|runs| clock(runs).accuracy(60) == 1.0)),
    ("What will further training change?", Words),
    (
        "The right output will exceed all wrong outputs by more, even for the worst pair.",
        On(|runs| gap(&clock(runs), 300) > 1.15 * gap(&clock(runs), 60)),
    ),
    (
        "For each pair, take the output for the right answer minus the largest output for a wrong answer.",
        Words,
    ),
    (
        "The *margin* of the network is the smallest of these differences, with the weights scaled to a fixed norm.",
        Words,
    ),
    // From step 60 to 300, which is ten times as long as until all answers are right.
    (
        "The margin keeps growing for many training steps.",
        On(|runs| {
            let run = clock(runs);
            let looks = [60, 100, 150, 200, 250, 300];
            looks.windows(2).all(|two| margin(&run, two[0]) < margin(&run, two[1]))
                && run.first(|row| row.train_accuracy[0] == 1.0).unwrap() <= 30
        }),
    ),
    ("A neuron has one weight for each of the 23 values of a.", Known("the formula of the model: u")),
    (
        "A Fourier transform writes these 23 weights as a constant plus a sum of waves with different frequencies.",
        Known("waves and the constant are a basis of the functions on 23 numbers"),
    ),
    ("There are eleven possible frequencies.", Known("(23 − 1) / 2 = 11")),
    ("How many frequencies will the weights of one neuron contain at the end of the training?", Words),
    ("One frequency.", On(|runs| has_one_each(&clock(runs), 600))),
    ("One frequency.", On(|runs| has_one_each(&clock(runs), 600))),
    (
        "At step 600, in the median neuron, one frequency has at least 99.9 % of the power.",
        On(|runs| neurons(&clock(runs), 600).median_share(NeuronPart::First).unwrap() >= 0.999),
    ),
    ("A neuron has a vector u of weights for a, a vector v for b and a vector w for the answers.", Words),
    (
        "In each neuron, all three vectors have the same frequency.",
        On(|runs| neurons(&clock(runs), 600).dominant_irrep_agreement().unwrap() > 0.999),
    ),
    (
        "Every one of the eleven frequencies occurs in at least one neuron, although each neuron has only one frequency.",
        On(|runs| {
            let counts = neurons(&clock(runs), 600).count_per_irrep();
            counts.len() == 12
                && counts[1..].iter().all(|count| *count > 0)
                && has_one_each(&clock(runs), 600)
        }),
    ),
    ("A wave also has a phase: how far the wave is shifted.", Words),
    (
        "From neuron to neuron, the phases of the weights u (for a) and v (for b) look random.",
        On(|runs| phases(&phased(runs), 600).iter().all(|angles| look_random(angles))),
    ),
    (
        "In the median neuron, the phase of w differs from the sum of the other two phases by at most 0.02 radians.",
        On(phases_add_up),
    ),
    (
        "But within each neuron, the phase of the weights w (for the answers) is the sum of the phases of u and v.",
        On(phases_add_up),
    ),
    (
        "The neuron squares the sum of a wave in a and a wave in b; this square contains a wave in a + b.",
        Known("2 cos x cos y = cos (x + y) + cos (x − y)"),
    ),
    (
        "Because the phase of w is the sum of the other two phases, the wave in a + b raises the output for the right answer.",
        Known(
            "times a wave in c with the sum of the phases, the wave in a + b has its largest mean at c = a + b",
        ),
    ),
    (
        "The square also contains terms that depend on a alone, on b alone or on a − b.",
        Known("cos² x + cos² y + cos (x + y) + cos (x − y)"),
    ),
    (
        "In the sum over all neurons with the same frequency, the terms in a, in b and in a − b cancel.",
        On(|runs| {
            let run = phased(runs);
            by_frequency(&run, 600).values().all(|own| by_distance(&run, 600, own).1 < 0.001)
        }),
    ),
    ("The sum is then largest at the output for the right answer a + b.", On(right_answer_is_raised)),
    (
        "Therefore the neurons together raise the output for the right answer a + b.",
        On(right_answer_is_raised),
    ),
    ("Must the weights of a network be waves if the network answers every pair correctly?", Words),
    (
        "The network in this run is not trained: a formula gives its weights.",
        On(|runs| memorised(runs).weights(0) == memorised(runs).weights(100)),
    ),
    (
        "For each of the 529 pairs, two neurons together change the outputs for this pair only.",
        On(|runs| {
            let own = by_pair(&memorised(runs));
            own.len() == 529
                && own.values().all(|neurons| neurons.len() == 2)
                && change_one_pair_each(&memorised(runs))
        }),
    ),
    (
        "The spectra of all neurons are flat: all frequencies have the same power.",
        On(|runs| is_flat(&memorised(runs))),
    ),
    ("The network answers every pair correctly.", On(|runs| memorised(runs).accuracy(100) == 1.0)),
    ("How large is the margin of this network?", Words),
    (
        "About a quarter of the margin of a network with waves as weights.",
        On(|runs| (0.2..0.3).contains(&(margin(&memorised(runs), 100) / largest(runs)))),
    ),
    ("The margin is 28 % of the largest possible margin.", Preset("z23-memorise")),
    (
        "So right answers do not require waves, but the largest margin requires waves.",
        Known(
            "Edelman 2024, theorem 7.7: all networks with the largest margin have one frequency per neuron",
        ),
    ),
    (
        "The dashed line in the chart of the margin is not fitted to the run.",
        Known("Edelman 2024, theorem 7.7: the largest margin follows from the modulus alone"),
    ),
    (
        "If the modulus p is an odd prime, theory gives the largest normalised margin exactly, for the square activation and the norm used here.",
        Known("Edelman 2024, theorem 7.7 (Morwani et al. 2023)"),
    ),
    (
        "Theory also describes every network with this margin: each neuron has one frequency, the phase of w is the sum of the phases of u and v, and every frequency occurs in at least one neuron.",
        Known("Edelman 2024, theorem 7.7 (Morwani et al. 2023)"),
    ),
    (
        "At step 600 the margin differs from the value of the dashed line by less than a thousandth of this value.",
        Expects(
            "z23",
            &[Expectation::Median { measure: ExpectedMeasure::Margin, step: 600, between: (0.999, 1.001) }],
        ),
    ),
    (
        "A theorem says that 88 neurons suffice for the largest margin, eight for each frequency.",
        Known("Edelman 2024, theorem 7.7: 4(p − 1) neurons, and 88 / 11 = 8"),
    ),
    ("This network has 88 neurons.", On(|runs| neurons(&narrow(runs), 600).neuron_count() == 88)),
    (
        "At the end of the training, each neuron has one frequency.",
        On(|runs| has_one_each(&narrow(runs), 600)),
    ),
    (
        "But some frequencies get too few neurons, and the margin stays between 70 and 97 % of the largest possible margin.",
        On(|runs| {
            let run = narrow(runs);
            let counts = neurons(&run, 600).count_per_irrep();
            counts[1..].iter().filter(|count| **count < 8).count() > 1
                && (100..=600).step_by(50).all(|at| (0.7..0.97).contains(&(margin(&run, at) / largest(runs))))
        }),
    ),
    (
        "The theorem says which networks have the largest margin.",
        Known("Edelman 2024, theorem 7.7 (Morwani et al. 2023)"),
    ),
    (
        "The theorem does not say that training finds this margin.",
        Known("Edelman 2024, theorem 7.7, is about networks with the largest margin, not about training"),
    ),
    ("The last control experiment uses a table that is not addition: a² + ab + b² modulo 23.", Words),
    (
        "A network with the same architecture learns this table.",
        On(|runs| {
            form(runs).spec.model == clock(runs).spec.model
                && form(runs).spec.optimizer == clock(runs).spec.optimizer
                && form(runs).accuracy(600) == 1.0
        }),
    ),
    (
        "This time no frequency dominates: in the median neuron, every frequency has at most 60 % of the power.",
        On(|runs| {
            neurons(&form(runs), 600).median_share(NeuronPart::First).unwrap() <= 0.6
                && none_dominates(&form(runs))
        }),
    ),
    (
        "So the waves in the earlier runs came from the structure of addition, not from the architecture.",
        On(|runs| has_one_each(&clock(runs), 600) && none_dominates(&form(runs))),
    ),
    ("To try next: open “Six permutations: S3” or “The rotations of a cube: S4”.", Words),
    (
        "In these groups the result depends on the order of the two elements, and irreducible representations replace frequencies.",
        Known("symmetric groups of three or more letters are not commutative; Edelman 2024, theorem 7.9"),
    ),
];

#[test]
fn what_it_says_is_so() {
    hold("one-note");
}
