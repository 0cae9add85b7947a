//! How a transformer learns to predict Markov chains.

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// How fast the KL falls between two steps, per step.
fn slope(run: &Trained, from: u64, to: u64) -> f32 {
    (run.loss(from) - run.loss(to)) / (to - from) as f32
}

/// Between steps 240 and 400 the KL is within a seventh of the line of unigrams.
fn stays_near_unigrams(run: &Trained) -> bool {
    let line = unigrams(run);
    (240..=400).step_by(20).all(|step| (run.loss(step) / line - 1.0).abs() < 0.15)
}

/// The KL of the unigram strategy on the held-out sequences of the run.
fn unigrams(run: &Trained) -> f32 {
    // The share of the way is 0 on the line of unigrams and 1 on that of bigrams, so two measurements give both lines.
    let (early, late) = (run.row(100), run.row(run.spec.run.steps));
    let (kl, way) =
        ([early.test_loss[0], late.test_loss[0]], [early.test_accuracy[0], late.test_accuracy[0]]);
    kl[0] + way[0] * (kl[0] - kl[1]) / (way[1] - way[0])
}

/// The steepest fall over a hundred steps after the plateau, against the steepest before it.
fn second_drop_is_less_steep(run: &Trained) -> bool {
    let steepest =
        |from: u64, to: u64| (from..to).step_by(10).map(|at| slope(run, at, at + 100)).fold(0.0, f32::max);
    let (first, plateau, second) = (steepest(0, 60), slope(run, 240, 400), steepest(400, 800));
    plateau < 0.5 * second && second < first
}

/// When the KL is first half-way between the lines.
fn half_way(runs: &Runs, name: &str) -> u64 {
    runs.run(name).first(|row| row.test_accuracy[0] >= 0.5).unwrap()
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("A transformer first learns how often each symbol occurs.", Preset("induction-k3-slow")),
    (
        "Then its loss changes little for many steps, until the transformer learns which symbols have followed the current symbol earlier in the sequence.",
        On(|runs| {
            let run = runs.run("induction-k3-slow");
            stays_near_unigrams(&run) && second_drop_is_less_steep(&run)
        }),
    ),
    (
        "Each sequence comes from a different *Markov chain* on three symbols.",
        Known("chains are drawn afresh for each sequence"),
    ),
    (
        "The network can count how often each symbol has occurred (*unigrams*), or how often it has followed the current symbol (*bigrams*).",
        Words,
    ),
    (
        "The chart shows how far the network's predictions are from the true distribution, as a KL divergence.",
        Words,
    ),
    ("The chain gives, for each symbol, the probabilities of the next symbol.", Words),
    (
        "The same chain never occurs twice, so the network cannot memorise the chains.",
        Known("transition probabilities are drawn from a continuous distribution"),
    ),
    (
        "To predict the next symbol of a sequence, the network must use the earlier symbols of the same sequence.",
        Known("the next symbol depends on the chain alone, and the earlier symbols alone tell of the chain"),
    ),
    (
        "The horizontal lines show the KL divergence of three strategies: bigrams, unigrams, and the strategy that gives all symbols the same probability (*uniform*).",
        Words,
    ),
    ("Which strategy will the network learn first?", Words),
    ("Unigrams first, bigrams later.", Preset("induction-k3-slow")),
    ("Unigrams first.", Preset("induction-k3-slow")),
    (
        "At step 240 the KL of the network is 0.95 to 1.1 times the KL of the unigram strategy.",
        Preset("induction-k3-slow"),
    ),
    (
        "Now the KL of the network stays near the unigram line and falls only slowly.",
        On(|runs| stays_near_unigrams(&runs.run("induction-k3-slow"))),
    ),
    (
        "Counting symbols is a good strategy, and the network improves on this strategy only slowly: for a network that uses this strategy, small changes of the weights hardly reduce the loss.",
        On(|runs| {
            slope(&runs.run("induction-k3-slow"), 240, 400)
                < 0.25 * slope(&runs.run("induction-k3-slow"), 10, 100)
        }),
    ),
    ("How will the KL of the network fall after the plateau?", Words),
    (
        "The KL will fall steeply a second time, but less steeply than the first time.",
        On(|runs| second_drop_is_less_steep(&runs.run("induction-k3-slow"))),
    ),
    (
        "The KL falls steeply a second time, but less steeply than the first time.",
        On(|runs| second_drop_is_less_steep(&runs.run("induction-k3-slow"))),
    ),
    (
        "The KL is half-way between the unigram line and the bigram line at a step between 400 and 800, depending on the seed.",
        Preset("induction-k3-slow"),
    ),
    ("At step 1,000 the KL is 1.3 to 1.9 times the KL of the bigram strategy.", Preset("induction-k3-slow")),
    ("This run has two symbols instead of three.", Words),
    ("The learning rate is larger than in the previous run.", Words),
    (
        "Within 400 steps the loss goes through the same stages as the loss of the previous run.",
        Preset("induction"),
    ),
    (
        "The first layer has learned to attend to the previous symbol.",
        On(|runs| runs.run("induction").measure("previous", 400) >= 0.95),
    ),
    (
        "At the last symbol, the second layer attends to the symbols that followed earlier occurrences of the last symbol.",
        On(|runs| runs.run("induction").measure("induction", 400) >= 0.85),
    ),
    (
        "Together the two layers are an *induction head*: they find the symbols that followed the current symbol earlier in the sequence.",
        Known("the definition of an induction head: Olsson et al. 2022"),
    ),
    (
        "At the end of the training, the previous symbol gets at least 95 % of the first layer's attention.",
        On(|runs| runs.run("induction").measure("previous", 400) >= 0.95),
    ),
    (
        "The symbols that followed earlier occurrences of the last symbol get at least 85 % of the second layer's attention.",
        On(|runs| runs.run("induction").measure("induction", 400) >= 0.85),
    ),
    (
        "Neither layer is useful without the other layer.",
        On(|runs| runs.run("one-layer").accuracy(1_500) < 0.3),
    ),
    (
        "The second layer can find the symbols that followed the current symbol only if the first layer has stored, at each position, the previous symbol.",
        Known("the second layer compares what the first has stored: Elhage et al. 2021"),
    ),
    (
        "The first layer gives a weight to each distance between two symbols.",
        Known("relative positions: the module of the model"),
    ),
    ("While the loss falls only slowly, the weights of the distances can change.", Preset("induction-slow")),
    ("Which distances will get more weight during the plateau?", Words),
    ("Odd distances more than even distances.", Preset("induction-slow")),
    ("Odd distances.", Preset("induction-slow")),
    (
        "At step 240, distances 1, 3 and 5 each have more weight than the next smaller even distance.",
        Preset("induction-slow"),
    ),
    (
        "At the end of the training, distance 1 has the largest weight.",
        On(|runs| runs.run("induction-slow").measure("previous", 700) > 0.5),
    ),
    (
        "The loss shows the change of these weights only later.",
        On(|runs| {
            let run = runs.run("induction-slow");
            run.accuracy(240) < 0.3 && run.accuracy(700) > 0.7
        }),
    ),
    ("There is a theory for a smaller model.", Known("Edelman 2024, section 8.3.2 and lemma 8.4")),
    (
        "In this theory the difference between odd and even distances appears in the second step of gradient descent, after the second layer has begun to compare symbols.",
        Known("Edelman 2024, lemma 8.4; tested on the minimal model"),
    ),
    ("In the previous runs two layers together formed the induction head.", Words),
    (
        "This network has only one layer, but is trained for 1,500 steps, more than in these runs.",
        On(|runs| {
            let steps = |name: &str| runs.run(name).spec.run.steps;
            let before = ["induction-k3-slow", "induction", "induction-slow"];
            steps("one-layer") == 1_500 && before.into_iter().all(|name| steps(name) < 1_500)
        }),
    ),
    ("How large will the KL of this network be at the end of the training?", Words),
    ("Near the KL of the unigram strategy.", Preset("one-layer")),
    ("Near the KL of the unigram strategy.", Preset("one-layer")),
    (
        "At step 1,500 the KL of the network is 0.8 to 1.0 times the KL of the unigram strategy.",
        Preset("one-layer"),
    ),
    (
        "The KL of the network never gets half-way from the unigram line to the bigram line.",
        Preset("one-layer"),
    ),
    (
        "In *doubly stochastic* chains all symbols are equally frequent in the long run, so counting symbols does not help.",
        Known("the uniform distribution is stationary for a doubly stochastic matrix"),
    ),
    ("This network trains on doubly stochastic chains.", Words),
    (
        "The network is tested on chains in which each row of the transition matrix is sampled independently.",
        Words,
    ),
    ("Most networks still learn the bigram strategy.", Preset("doubly-stochastic")),
    (
        "If half of the training sequences consist of independent symbols, counting symbols helps again.",
        Preset("doubly-stochastic-mixed"),
    ),
    (
        "Then the KL has a plateau again, and the network needs more steps to learn the bigram strategy.",
        On(|runs| 13 * half_way(runs, "doubly-stochastic") < 10 * half_way(runs, "doubly-stochastic-mixed")),
    ),
    (
        "But each of these steps has only half as many doubly stochastic sequences, and the other half does not show what follows which symbol.",
        Known(
            "half of a batch is doubly stochastic, and independent symbols do not depend on the symbol before",
        ),
    ),
    (
        "So a network can learn the bigram strategy from sequences on which the unigram strategy is no better than the uniform strategy.",
        Preset("doubly-stochastic"),
    ),
    (
        "If unigrams help, the network learns the unigram strategy first, because this strategy reduces the loss at once.",
        On(|runs| slope(&runs.run("induction-k3-slow"), 10, 100) > 0.0),
    ),
    (
        "On the plateau, neither layer can improve much without the other layer.",
        Preset("layer-given-minimal"),
    ),
    ("In a minimal model with two layers, training takes about 1,000 steps.", Preset("layer-given-minimal")),
    (
        "If one of its layers is right from the start, the other layer is learned within 40 steps.",
        Preset("layer-given-minimal"),
    ),
    ("In “The minimal model: diagonal W, alternating v”, compare odd distances with even distances.", Words),
    ("To try next: open “Does learning unigrams delay learning bigrams?", Words),
    ("Forty seeds each” or “One layer of the minimal model is given”.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("unigram-trap");
}
