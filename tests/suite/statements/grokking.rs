//! Memorise, then understand.

use vivarium::labs::groups::probes::PROGRESS;
use vivarium::presets::{Expect, Measure};

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
    ("The table of addition modulo 31 has 961 entries.", Known("31 · 31 = 961")),
    ("The network trains on 60 % of these pairs.", Words),
    ("The other pairs are held out: they only test whether the network has learned addition.", Words),
    (
        "Within 300 steps the network will be right on at least 99 % of the training pairs.",
        Preset("memorise-understand"),
    ),
    ("By step 500, how many of the held-out pairs will be right?", Words),
    ("Hardly any.", Preset("memorise-understand")),
    ("At most 15 % of the held-out pairs.", Preset("memorise-understand")),
    (
        "The network has memorised the training pairs and has learned almost nothing about the others.",
        Preset("memorise-understand"),
    ),
    ("Compare training accuracy and held-out accuracy.", Words),
    (
        "The training loss is almost zero.",
        On(|runs| runs.run("memorise-understand").row(500).train_loss[0] < 0.01),
    ),
    (
        "In an ordinary project training would stop here, because the network overfits.",
        On(|runs| {
            let run = runs.run("memorise-understand");
            run.loss(500) > 20.0 * run.row(500).train_loss[0]
        }),
    ),
    ("This run goes on.", Words),
    ("How will the answers for the held-out pairs change?", Words),
    (
        "The answers become right, long after the answers for the training pairs.",
        Preset("memorise-understand"),
    ),
    (
        "Half of the held-out pairs are right at a step between 1,000 and 4,000.",
        Preset("memorise-understand"),
    ),
    (
        "In at least nine of ten runs 99 % of the held-out pairs are right by step 6,000.",
        Preset("memorise-understand"),
    ),
    ("This is *grokking*.", Words),
    ("The axis of the training steps is logarithmic.", Words),
    (
        "On a linear axis memorisation would be squeezed to the left edge.",
        On(|runs| {
            let run = runs.run("memorise-understand");
            run.first(|row| row.train_accuracy[0] > 0.99).unwrap() * 20 < run.solved[0].unwrap()
        }),
    ),
    (
        "The embeddings of most neurons are now waves: each of these neurons has almost a single frequency.",
        Expects(
            "memorise-understand",
            &[Expect::Median { measure: Measure::Purity, step: 6_000, between: (0.8, 1.0) }],
        ),
    ),
    ("The training data did not change, so what changed the weights?", Words),
    ("One candidate is weight decay: at every step it pulls every weight towards zero.", Words),
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
        "With these settings weight decay makes the difference.",
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
        "A measure can show this growth: keep only the waves of a few *key frequencies* in the outputs, and compute the loss.",
        Words,
    ),
    ("This is the restricted loss.", Words),
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
    ("The excluded loss is the loss on the training pairs without the key frequencies.", Words),
    (
        "The excluded loss rises: waves replace the memorised pairs.",
        On(|runs| progress(runs, 3_000)[1] > 2.0 * progress(runs, 500)[1]),
    ),
    ("At step 3,000 the restricted loss is below 0.2.", Preset("grokking-progress")),
    ("Does weight decay make any network right on held-out pairs?", Words),
    ("The control is a table filled at random.", Words),
    ("The network can memorise this table.", Preset("grokking-random")),
    ("Will a network with weight decay answer the held-out pairs right?", Words),
    ("No: the network only memorises the training pairs.", Preset("grokking-random")),
    (
        "There is no rule to learn.",
        Known("a table filled at random has no rule: its entries are independent"),
    ),
    (
        "At least 99 % of the training pairs are right within 500 steps, but held-out accuracy never reaches 15 %.",
        Preset("grokking-random"),
    ),
    (
        "Two solutions fit the training pairs.",
        Known(
            "Gromov 2023 and Morwani et al. 2023, among the sources of the story; an explanation, and said to be one",
        ),
    ),
    (
        "The first solution stores each pair and needs large weights.",
        Known(
            "Gromov 2023 and Morwani et al. 2023, among the sources of the story; an explanation, and said to be one",
        ),
    ),
    (
        "The second solution uses waves, needs smaller weights for the same margin, and is right on all pairs.",
        Known("Morwani et al. 2023, among the sources of the story; an explanation, and said to be one"),
    ),
    ("Training finds the first solution quickly.", Preset("memorise-understand")),
    (
        "Weight decay, or a penalty on large weights, then favours the second solution.",
        Known("an explanation, and said to be one"),
    ),
    (
        "This explanation fits the runs of this story.",
        On(|runs| without_decay(runs) && runs.run("memorise-understand").solved[0].is_some()),
    ),
    (
        "A theorem says that waves give the largest margin.",
        Known("Morwani et al. 2023, theorem 2; tested in the module of groups"),
    ),
    ("Why memorising comes first, and how long the change takes, are open questions.", Words),
    ("Modulo 113 the same happens with a penalty instead of weight decay.", Preset("squares-113")),
    (
        "By step 200 the network has memorised the 3,831 training pairs, and at most 5 % of the other pairs are right.",
        Preset("squares-113"),
    ),
    ("To try next: open “A penalty instead of weight decay”, or open “A small transformer”.", Words),
    ("Does the network also memorise first?", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("grokking");
}
