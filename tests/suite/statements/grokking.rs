//! Memorise, then understand.

use vivarium::labs::groups::probes::PROGRESS;
use vivarium::presets::{Expectation, ExpectedMeasure};

use super::Shown::{Expects, Known, Preset, Runs as On, Words};
use super::{Runs, Statements, hold};

/// Without weight decay: the training pairs are memorised, and a fifth of the others is never right.
fn without_decay(runs: &Runs) -> bool {
    let run = runs.run("memorise-understand&wd=0");
    run.train_accuracy(6_000) > 0.99 && run.rows.iter().all(|row| row.test_accuracy[0] < 0.2)
}

/// Restricted and excluded loss.
fn progress(runs: &Runs, step: u64) -> [f64; 2] {
    let run = runs.looked_into("grokking-progress", &[0, 500, 1_000, 1_500, 2_000, 3_000]);
    let few = run.found(PROGRESS, step).few;
    [few[0], few[1]]
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("The network first memorises the training pairs.", Preset("memorise-understand")),
    (
        "Much later, if the network trains with weight decay, it also answers the held-out pairs correctly.",
        On(|runs| {
            let run = runs.run("memorise-understand");
            let memorised = run.first(|row| row.train_accuracy[0] > 0.99).unwrap();
            without_decay(runs) && run.solved[0].is_some_and(|step| step > 5 * memorised)
        }),
    ),
    ("The table of addition modulo 31 has 961 entries, one for each pair.", Known("31 · 31 = 961")),
    ("The network trains on 60 % of these pairs.", Words),
    ("The other pairs are held out, to test whether the network has learned addition.", Words),
    (
        "Within 300 steps the network answers at least 99 % of the training pairs correctly.",
        Preset("memorise-understand"),
    ),
    ("How many held-out pairs will the network answer correctly at step 500?", Words),
    ("Almost none of the held-out pairs.", Preset("memorise-understand")),
    ("At most 15 % of the held-out pairs.", Preset("memorise-understand")),
    (
        "The network has memorised the training pairs, but it has learned almost nothing about the held-out pairs.",
        Preset("memorise-understand"),
    ),
    ("Compare training accuracy and held-out accuracy.", Words),
    (
        "The training loss is almost zero.",
        On(|runs| runs.run("memorise-understand").row(500).train_loss[0] < 0.01),
    ),
    (
        "In an ordinary project one would stop the training here, because the network overfits.",
        On(|runs| {
            let run = runs.run("memorise-understand");
            run.loss(500) > 20.0 * run.row(500).train_loss[0]
        }),
    ),
    ("In this run the training continues.", Words),
    ("How will the answers for the held-out pairs change?", Words),
    (
        "The answers become right, long after the answers for the training pairs.",
        Preset("memorise-understand"),
    ),
    (
        "The network answers half of the held-out pairs correctly for the first time at a step between 1,000 and 4,000.",
        Preset("memorise-understand"),
    ),
    (
        "In at least nine of ten runs the network answers 99 % of the held-out pairs correctly by step 6,000.",
        Preset("memorise-understand"),
    ),
    ("This late success on held-out pairs is called *grokking*.", Words),
    ("The axis of the training steps is logarithmic.", Words),
    (
        "On a linear axis, the steps in which the network memorises the training pairs would lie too close to the left edge to be visible.",
        On(|runs| {
            let run = runs.run("memorise-understand");
            run.first(|row| row.train_accuracy[0] > 0.99).unwrap() * 20 < run.solved[0].unwrap()
        }),
    ),
    (
        "The embeddings of most neurons are now waves: in each of these neurons, one frequency has most of the power.",
        Expects(
            "memorise-understand",
            &[Expectation::Median { measure: ExpectedMeasure::Purity, step: 6_000, between: (0.8, 1.0) }],
        ),
    ),
    (
        "The training pairs do not change during the run, so what changes the weights after the network has memorised these pairs?",
        Words,
    ),
    (
        "A possible cause is weight decay: at every step, weight decay moves every weight a little towards zero.",
        Words,
    ),
    ("You will set weight decay to zero and train again.", Words),
    ("What will the network learn?", Words),
    (
        "The network only memorises the training pairs.",
        On(|runs| without_decay(runs) && runs.run("grokking-random").row(6_000).train_accuracy[0] > 0.99),
    ),
    (
        "The network memorises the training pairs, and within 6,000 steps it never reaches an accuracy of 20 % on the held-out pairs.",
        On(without_decay),
    ),
    (
        "With the settings of this run, grokking occurs only with weight decay.",
        On(|runs| without_decay(runs) && runs.run("memorise-understand").solved[0].is_some()),
    ),
    (
        "Other work has found grokking without weight decay.",
        Known("Kumar et al. 2023, among the sources of the story"),
    ),
    (
        "While held-out accuracy is still low, the waves in the network already grow.",
        On(|runs| {
            let run = runs.run("grokking-progress");
            run.accuracy(500) < 0.5 && progress(runs, 500)[0] < 0.95 * progress(runs, 0)[0]
        }),
    ),
    (
        "The *restricted loss* shows this growth: it is the loss if only the waves of a few *key frequencies* are kept in the outputs.",
        Words,
    ),
    (
        "The restricted loss falls before held-out accuracy rises.",
        On(|runs| {
            let run = runs.run("grokking-progress");
            let late = run.first(|row| row.test_accuracy[0] > 0.5).unwrap();
            [500, 1_000, 1_500, 2_000]
                .iter()
                .any(|step| *step < late && progress(runs, *step)[0] < 0.8 * progress(runs, 0)[0])
        }),
    ),
    (
        "The *excluded loss* is the loss on the training pairs if the waves of the key frequencies are removed from the outputs.",
        Words,
    ),
    (
        "The excluded loss rises, because the network uses waves more and more instead of memorised answers.",
        On(|runs| progress(runs, 3_000)[1] > 2.0 * progress(runs, 500)[1]),
    ),
    ("At step 3,000 the restricted loss is below 0.2.", Preset("grokking-progress")),
    ("Does weight decay lead to correct answers on held-out pairs for every table?", Words),
    ("The control experiment uses a table with random entries.", Words),
    ("The network can memorise the training pairs of this table.", Preset("grokking-random")),
    ("With weight decay, will the network answer the held-out pairs of this table correctly?", Words),
    ("No: the network only memorises the training pairs.", Preset("grokking-random")),
    (
        "The table has no rule that the network could learn.",
        Known("a table filled at random has no rule: its entries are independent"),
    ),
    (
        "Within 500 steps the network answers at least 99 % of the training pairs correctly, but held-out accuracy never reaches 15 %.",
        Preset("grokking-random"),
    ),
    (
        "A network that stores each training pair needs large weights.",
        Known(
            "Gromov 2023 and Morwani et al. 2023, among the sources of the story; an explanation, and said to be one",
        ),
    ),
    (
        "A network that uses waves needs smaller weights for the same margin, and answers all pairs correctly.",
        Known("Morwani et al. 2023, among the sources of the story; an explanation, and said to be one"),
    ),
    ("Training finds the first kind quickly.", Preset("memorise-understand")),
    (
        "Weight decay, or a penalty on large weights, then favours the second kind.",
        Known("an explanation, and said to be one"),
    ),
    (
        "This explanation fits the runs of this story.",
        On(|runs| without_decay(runs) && runs.run("memorise-understand").solved[0].is_some()),
    ),
    (
        "A theorem says that waves give the largest margin.",
        Known("Edelman 2024, theorem 7.7 (Morwani et al. 2023)"),
    ),
    (
        "Two questions are open: why the network memorises first, and how many steps the change from memorised pairs to waves takes.",
        Words,
    ),
    ("The network of this run learns addition modulo 113 with such a penalty.", Preset("squares-113")),
    ("The network of this run is trained with the penalty instead of weight decay.", Preset("squares-113")),
    (
        "This network also memorises the training pairs first and answers the held-out pairs correctly later.",
        Preset("squares-113"),
    ),
    (
        "By step 200 the network answers at least 99 % of the 3,831 training pairs correctly, and at most 5 % of the held-out pairs.",
        Preset("squares-113"),
    ),
    ("To try next: open “A penalty instead of weight decay”, or open “A small transformer”.", Words),
    ("Do these networks also memorise the training pairs first?", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("grokking");
}
