//! Where is the progress hidden?

use vivarium::labs::parity::probes::{GAP, SPECTRUM};

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// How far each weight of the first layer has moved from the start, and whether its bit is relevant.
fn moved(run: &Trained, step: u64) -> Vec<(f32, bool)> {
    let relevant = run.spec.task.examples().relevant(run.spec.run.seed);
    let (now, start) = (&run.weights(step)[0], &run.weights(0)[0]);
    now.iter()
        .zip(start)
        .enumerate()
        .map(|(bit, (now, start))| (now - start, relevant.contains(&bit)))
        .collect()
}

fn farthest(run: &Trained, step: u64, is_relevant: bool) -> f32 {
    moved(run, step).iter().filter(|(_, is)| *is == is_relevant).map(|(by, _)| by.abs()).fold(0.0, f32::max)
}

/// The mean movement of the relevant weights over that of the others.
fn ahead(run: &Trained, step: u64) -> f32 {
    let mean = |of: bool| {
        let all: Vec<f32> =
            moved(run, step).iter().filter(|(_, is)| *is == of).map(|(by, _)| by.abs()).collect();
        all.iter().sum::<f32>() / all.len() as f32
    };
    mean(true) / mean(false)
}

fn neuron(runs: &Runs) -> std::rc::Rc<Trained> {
    runs.looked_into("hidden-progress", &[0, 50, 100, 200, 300, 400, 500])
}

/// At chance for some hundred steps; from nine tenths of the first loss to a tenth of it within four hundred.
fn falls_after_a_plateau(run: &Trained) -> bool {
    let first = run.loss(0);
    let leaves = run.first(|row| row.test_loss[0] < 0.9 * first).unwrap();
    let arrives = run.first(|row| row.test_loss[0] < 0.1 * first).unwrap();
    leaves >= 300 && arrives - leaves <= 400
}

fn control(runs: &Runs) -> std::rc::Rc<Trained> {
    runs.looked_into("hidden-progress-noise", &[0, 600])
}

/// How far the farthest weight moves on random labels.
fn noise(runs: &Runs) -> f32 {
    farthest(&control(runs), 600, true).max(farthest(&control(runs), 600, false))
}

fn noisy_ahead(runs: &Runs) -> f32 {
    ahead(&control(runs), 600)
}

/// The correlation with the target, and the share of the squared norm on sets of three.
fn spectrum(runs: &Runs, step: u64) -> [f64; 2] {
    let found = runs.looked_into("spectrum", &[0, 2_000]).found(SPECTRUM, step);
    [found.few[0], f64::from(found.numbers[3])]
}

/// Γ of the neuron at a step.
fn gap(runs: &Runs, step: u64) -> f64 {
    runs.looked_into("gap-path", &[0]).found(GAP, step).few[0]
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    (
        "The loss is flat for hundreds of steps, but the weights already move.",
        On(|runs| {
            let run = neuron(runs);
            (0..=300).step_by(10).all(|step| run.loss(step) > 0.9 * run.loss(0)) && ahead(&run, 300) > 2.0
        }),
    ),
    ("The input of the network is a row of 20 random bits, each +1 or −1.", Words),
    ("The label is the product of three of these bits: a *sparse parity*.", Words),
    ("The network is not told which three bits these are.", Words),
    (
        "The label looks random, and a partly correct set of bits gives no better loss than random guessing.",
        Known("over all inputs as many labels are +1 as −1, whatever one or two bits are"),
    ),
    (
        "A guess that uses only two of the three bits is right half of the time.",
        Known("given two factors of a product of three random signs, the third is a coin"),
    ),
    ("Before you train the network: how will the loss change during training?", Words),
    (
        "The loss stays at chance level for a long time, and then falls within a few hundred steps.",
        On(|runs| falls_after_a_plateau(&runs.run("parity-20"))),
    ),
    (
        "At first the loss stays at chance level, and then it falls within a few hundred steps.",
        On(|runs| falls_after_a_plateau(&runs.run("parity-20"))),
    ),
    (
        "The loss may fall in several stages, but no stage belongs to a single bit, because one bit or two bits alone do not predict the label.",
        Known("the label is independent of any two of its three bits"),
    ),
    (
        "With this seed the network answers all held-out examples correctly at step 770.",
        On(|runs| runs.run("parity-20").solved == [Some(770)]),
    ),
    (
        "For the first few hundred steps the network is no better than random guessing.",
        On(|runs| (0..=300).step_by(10).all(|step| runs.run("parity-20").accuracy(step) < 0.6)),
    ),
    (
        "To see how the weights change while the loss is flat, we take a single neuron with 30 weights, a bias and the sine as its activation function.",
        Words,
    ),
    ("Three of the 30 input bits are relevant.", Words),
    (
        "At first the loss and the accuracy show no progress.",
        On(|runs| {
            let run = neuron(runs);
            (0..=100).step_by(10).all(|step| run.accuracy(step) < 0.6 && run.loss(step) > 0.9 * run.loss(0))
        }),
    ),
    (
        "Held-out accuracy is below 60 % before step 300, and reaches 60 % at step 300 or later.",
        Preset("hidden-progress"),
    ),
    ("Will the weights have moved after 300 steps?", Words),
    (
        "Yes: the weights on the three relevant bits have begun to move away from the others.",
        On(|runs| ahead(&neuron(runs), 300) > 2.0),
    ),
    ("A flat loss does not mean a zero gradient.", On(|runs| farthest(&neuron(runs), 100, true) > 0.0)),
    (
        "On average, each step moves the weights on the three relevant bits a little in a fixed direction, and these small movements add up.",
        On(|runs| {
            [50, 100, 200, 300]
                .windows(2)
                .all(|two| farthest(&neuron(runs), two[1], true) > farthest(&neuron(runs), two[0], true))
        }),
    ),
    (
        "The three coloured paths are the weights on the relevant bits, and move away from the others from the start.",
        On(|runs| [50, 100, 200, 300, 400, 500].iter().all(|step| ahead(&neuron(runs), *step) > 1.0)),
    ),
    (
        "The output agrees with the parity only when all three of these weights are large.",
        Known(
            "the mean of sin(w·x + b) times three signs of x is −cos b times the sines of their three weights and the cosines of all others",
        ),
    ),
    (
        "The correlation of the output with the parity has the product of the sines of the three weights as a factor.",
        Known(
            "the mean of sin(w·x + b) times three signs of x is −cos b times the sines of their three weights and the cosines of all others",
        ),
    ),
    (
        "With this seed every held-out answer is right at step 500, so the run ends.",
        On(|runs| neuron(runs).solved == [Some(500)]),
    ),
    (
        "The loss falls fast, but the three weights that cause this fall have grown slowly.",
        On(|runs| {
            let run = neuron(runs);
            // Before the fall they have made a small part of their way in most of the time.
            let of = farthest(&run, 300, true) / farthest(&run, 500, true);
            run.loss(300) > 0.9 * run.loss(0) && (0.1..0.4).contains(&of)
        }),
    ),
    ("One could object that random batches move all weights at random.", Words),
    (
        "So here is a control experiment: the same neuron is trained, but half of the labels are flipped at random.",
        Words,
    ),
    (
        "Then no label contains information about the bits.",
        Known("a label that is flipped half of the time is independent of the bits"),
    ),
    ("How far will the weights of the neuron move in 600 steps with these random labels?", Words),
    (
        "About a twentieth as far as with the labels of the parity.",
        On(|runs| {
            let of = noise(runs) / farthest(&neuron(runs), 500, true);
            (0.03..0.07).contains(&of)
        }),
    ),
    (
        "With random labels the weights move at random, without a common direction.",
        On(|runs| noisy_ahead(runs) < 2.0),
    ),
    (
        "With the labels of the parity, the largest movement of a weight exceeds 0.08 for the first time between steps 100 and 600 for most seeds.",
        Preset("hidden-progress"),
    ),
    (
        "With random labels the largest movement is still below 0.08 after 600 steps, and held-out accuracy never reaches 60 %.",
        Preset("hidden-progress-noise"),
    ),
    (
        "With 15 bits we can average the gradient over all 32,768 inputs, so the gradient contains no noise.",
        Known("2¹⁵ = 32,768 inputs, each once"),
    ),
    (
        "The *Fourier gap* is the largest absolute entry of this gradient on a relevant bit minus the largest absolute entry on any other bit.",
        Words,
    ),
    (
        "If the Fourier gap is positive, the largest absolute entry of the gradient is on a relevant bit.",
        Known("by the definition of the gap"),
    ),
    ("How large is the Fourier gap before the first step?", Words),
    ("Small, and positive.", On(|runs| (0.0..0.15).contains(&gap(runs, 0)) && gap(runs, 0) > 0.0)),
    (
        "At first the gap is small and positive, at most 0.15 here.",
        On(|runs| (0.0..0.15).contains(&gap(runs, 0)) && gap(runs, 0) > 0.0),
    ),
    (
        "A small positive gap is enough for learning, because the gap grows with the weights: it exceeds 0.25 within 600 steps.",
        Preset("gap-path"),
    ),
    (
        "Any function of 12 bits is a weighted sum of parities.",
        Known("parities are a basis of the functions of bits"),
    ),
    ("The bars show how much of the network's output belongs to the parities of each degree.", Words),
    ("The bars are computed over all 4,096 inputs.", Known("2¹² = 4,096 inputs, each once")),
    (
        "At the start the output is nearly unrelated to the target: their correlation lies between −0.1 and 0.1.",
        On(|runs| {
            let found = spectrum(runs, 0);
            (-0.1..0.1).contains(&found[0])
        }),
    ),
    (
        "At the end the correlation is above 0.9, and nearly all of the output is one parity of degree 3.",
        On(|runs| {
            let found = spectrum(runs, 2_000);
            found[0] > 0.9 && found[1] > 0.8
        }),
    ),
    ("This network has a hundred ReLU neurons, and three bits of 50 are relevant.", Words),
    ("At step 1,000 held-out accuracy is still below 60 %.", Preset("hidden-progress-mlp")),
    (
        "At step 1,000 the largest weight on a relevant bit is already larger than every weight on an irrelevant bit.",
        On(|runs| {
            let run = runs.looked_into("hidden-progress-mlp", &[1_000]);
            run.largest(1_000, true) > run.largest(1_000, false)
        }),
    ),
    (
        "So the training is not stuck, and the network does not find the bits by random guessing.",
        On(|runs| runs.run("hidden-progress-mlp").solved[0].is_some()),
    ),
    (
        "Only the loss and the accuracy are flat, because these two quantities do not measure the growth of the weights.",
        On(|runs| {
            let run = runs.looked_into("hidden-progress-mlp", &[1_000]);
            run.accuracy(1_000) < 0.6 && run.loss(1_000) > 0.9 * run.loss(0)
        }),
    ),
    (
        "To try next: open “A quarter of the labels are wrong”, and compare the number of steps with a flat loss in that run and in the first run of this story.",
        Words,
    ),
];

#[test]
fn what_it_says_is_so() {
    hold("hidden-progress");
}
