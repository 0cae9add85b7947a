//! Is training a random search?

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, decoded, hold, sweep_cells};

/// The steps at which the weights of the run with 50 bits are looked at.
const LOOKS: [u64; 11] = [0, 200, 400, 600, 800, 1_000, 1_200, 1_400, 1_600, 1_800, 2_000];

fn fifty(runs: &Runs) -> std::rc::Rc<Trained> {
    runs.looked_into("parity-50", &LOOKS)
}

/// The largest weights are on the three bits only in the last part of the search.
fn relevant_lead_late(runs: &Runs) -> bool {
    let run = fifty(runs);
    let solved = run.solved[0].unwrap();
    let looks = LOOKS.iter().filter(|step| **step > 0 && **step < solved);
    let leads = looks.clone().filter(|step| run.largest(**step, true) > run.largest(**step, false)).count();
    2 * leads < looks.count()
}

/// Mean size of the weights on relevant bits, which grows from look to look while the loss is flat.
fn relevant_drift(runs: &Runs) -> bool {
    let run = fifty(runs);
    let sizes: Vec<f32> = LOOKS
        .iter()
        .take_while(|step| run.accuracy(**step) < 0.6)
        .map(|step| run.largest(*step, true))
        .collect();
    sizes.len() > 2 && sizes.last() > sizes.first()
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    (
        "The training times of a thousand networks show that the networks do not find the relevant bits by random guessing.",
        Preset("no-luck"),
    ),
    ("Three of 20 bits are relevant.", Words),
    (
        "There are 1,140 ways to choose three bits of 20, and a set that is only partly right does not help.",
        Known("20 · 19 · 18 / 6 = 1,140"),
    ),
    (
        "So the search for the three bits looks like random guessing: guess a set, test the set, guess again.",
        Words,
    ),
    (
        "A sudden fall of the loss can be misread.",
        On(|runs| {
            let run = runs.run("parity-20");
            let first = run.loss(0);
            let from = run.first(|row| row.test_loss[0] < 0.9 * first).unwrap();
            let to = run.first(|row| row.test_loss[0] < 0.1 * first).unwrap();
            to - from < from
        }),
    ),
    ("It may look as if the network guessed at random until one guess was right.", Words),
    ("Suppose that somebody guesses a new random set at every step.", Words),
    ("At which step is the first right guess most likely?", Words),
    (
        "At the very first step.",
        Known("the chance of a first hit at step t is p (1 − p)^(t − 1), which falls with t"),
    ),
    (
        "The first step is the most likely one.",
        Known("the chance of a first hit at step t is p (1 − p)^(t − 1), which falls with t"),
    ),
    (
        "The first right guess comes at step t only after t − 1 wrong guesses, so a later step is less likely.",
        Known("the chance of a first hit at step t is p (1 − p)^(t − 1), which falls with t"),
    ),
    (
        "The mean is 1,140 steps, but some guessers succeed at once.",
        Known("the mean of a geometric distribution is 1 / p, and its first value is the likeliest"),
    ),
    (
        "If training were random guessing, some of a thousand networks would find the relevant bits within the first steps.",
        Known("1,000 guessers of 1 in 1,140 have a hit within ten steps with probability above 0.999"),
    ),
    (
        "Here are a thousand networks, each with its own initial weights and its own data.",
        On(|_| decoded("no-luck").run.replicas == 1_000),
    ),
    ("On one processor core the training takes up to a minute.", Known("measured; `time` of the preset")),
    ("How many networks will have found the three bits by step 55?", Words),
    ("Practically no network.", Preset("no-luck")),
    ("At least 99 % of the networks find the bits between steps 60 and 250.", Preset("no-luck")),
    (
        "With random guessing, about fifty networks would have found the bits by step 55.",
        Known("1 − (1 − 1/1140)^55 = 0.047"),
    ),
    (
        "The median of the times lies between 95 and 135 steps, and the times lie close together.",
        Preset("no-luck"),
    ),
    ("The dashed curve is the distribution for random guessing.", Words),
    (
        "This distribution has its peak at the left edge, where no network has found the bits.",
        Preset("no-luck"),
    ),
    (
        "If the networks do not guess at random, what determines the time until the bits are found: the initial weights or the data?",
        Words,
    ),
    (
        "Here are 48 networks of one neuron each: six initialisations, and eight different sequences of examples for each initialisation.",
        On(|_| {
            let run = decoded("same-start").run;
            (run.replicas, run.inits) == (48, 6)
        }),
    ),
    ("The training takes half a minute on one processor core.", Known("measured; `time` of the preset")),
    ("Mostly the initial weights.", Preset("same-start")),
    ("Mostly the initial weights.", Preset("same-start")),
    (
        "Differences between the initialisations explain at least half of the variance of the logarithm of the time.",
        Preset("same-start"),
    ),
    (
        "For a random guesser without memory, the initial weights would make no difference.",
        Known("the first hit of independent guesses does not depend on a start"),
    ),
    (
        "To find the relevant bits among n bits, a random guesser needs about n² / 2 guesses for two relevant bits, n³ / 6 guesses for three and n⁴ / 24 guesses for four.",
        Known("n choose k is about n^k / k!"),
    ),
    (
        "The sweep has fifteen points with twenty networks each, and takes about ten seconds on one processor core.",
        On(|_| sweep_cells("scaling") == 15 && decoded("scaling").run.replicas == 20),
    ),
    ("Press Play.", Words),
    ("A power of the number n of bits is fitted to the training times of the networks.", Preset("scaling")),
    (
        "For the small numbers n of this sweep, the exponent lies between 0.2 and 1.0 for two relevant bits, between 0.8 and 1.6 for three, and between 1.4 and 2.4 for four.",
        Preset("scaling"),
    ),
    ("The exponent grows with the number k of relevant bits, but stays well below k.", Preset("scaling")),
    (
        "The network is not given the number k of relevant bits.",
        Known("neither the task's examples nor the initial weights depend on k"),
    ),
    (
        "The initial weights of the network do not favour small sets of bits.",
        Known("uniform initial weights are independent and the same for every bit"),
    ),
    ("Still, the training time is shorter when fewer bits are relevant.", Preset("scaling")),
    (
        "Three of 50 bits are relevant: of 19,600 sets of three bits, the network finds the relevant set after a few thousand steps.",
        Known("50 · 49 · 48 / 6 = 19,600"),
    ),
    (
        "For most of these steps the largest weights are not those on the three relevant bits.",
        On(relevant_lead_late),
    ),
    (
        "Each step moves all weights at random, and the weights on the relevant bits also a little in a fixed direction.",
        On(relevant_drift),
    ),
    ("The small movements in the fixed direction add up.", On(relevant_drift)),
    (
        "The random movements are much larger than the movements in the fixed direction, but the fixed direction stays the same.",
        On(|runs| relevant_lead_late(runs) && relevant_drift(runs)),
    ),
    (
        "Theory gives a lower bound for the training time of methods that learn only from averages over data, with a constant amount of noise in each average.",
        Known("Kearns 1998; Edelman 2024, section 5.1.1; both among the sources of the story"),
    ),
    (
        "Gradient descent with such noise in its gradients is a method of this kind.",
        Known("Edelman 2024, section 5.1.1"),
    ),
    (
        "For these methods, the time to learn a parity of k among n bits is at least about a power of n, and the exponent of this power is proportional to k.",
        Known("Kearns 1998; Barak et al. 2022, among the sources of the story"),
    ),
    (
        "Here the gradients have no added noise, so the bound does not hold for them.",
        Known("the gradients of a run are those of its batches"),
    ),
    (
        "Still, the exponents of the sweep above also grow with k, although the network is not given the number k.",
        Preset("scaling"),
    ),
    ("So no network finds the relevant bits by random guessing.", Preset("no-luck")),
    ("The story “Where is the progress hidden?” shows how the weights change while the loss is flat.", Words),
    ("To try next: open “Time against label noise”.", Words),
    ("How does the training time change when more labels are wrong?", Words),
    ("Or open “Larger n, larger exponent”.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("no-luck");
}
