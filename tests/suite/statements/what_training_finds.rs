//! What training finds.

use super::Shown::{Known, Runs as On, Words};
use super::{Runs, Statements, Trained, decoded, hold};

/// The random next state, two layers, with another seed.
const OTHER: &str = "#v1/machine-traces?next=lot&t=32&d=32&heads=4.4&mlp=off&steps=1500&seed=4";

fn table(runs: &Runs) -> std::rc::Rc<Trained> {
    runs.run("traces")
}

fn lot(runs: &Runs) -> std::rc::Rc<Trained> {
    runs.run("traces-by-lot")
}

/// A measure at the end of a run.
fn end(run: &Trained, slug: &str) -> f32 {
    run.measure(slug, run.spec.run.steps)
}

fn end_accuracy(run: &Trained) -> f32 {
    run.accuracy(run.spec.run.steps)
}

/// How many times as much attention on the write as uniform attention the best head of a layer has in the end.
fn times_uniform(run: &Trained, layer: &str) -> f32 {
    end(run, layer) / end(run, "write-even")
}

/// How much of the symbols the network knows, where a guess counts nothing: 0 for a right half, 1 for all.
fn known(accuracy: f32) -> f32 {
    2.0 * accuracy - 1.0
}

/// Nearly all symbols are known after writes of two and four steps ago, less than half of them from 18 steps on.
fn uses_mostly_recent(run: &Trained) -> bool {
    known(end(run, "two-back")) > 0.95
        && known(end(run, "four-back")) > 0.95
        && known(end(run, "farther-back")) < 0.5
}

/// Of the held-out symbols on written cells, the share for which the write is so many steps ago.
fn share_written(run: &Trained, steps: std::ops::RangeInclusive<usize>) -> f64 {
    let traces = run.spec.task.data().traces().unwrap();
    let mut places = vec![];
    traces.build_source().sample_held_out(run.spec.run.seed, 0, 0..run.spec.run.held_out, &mut places);
    let ago: Vec<usize> = places
        .chunks(traces.length + 1)
        .flat_map(|trace| trace.iter().enumerate())
        .filter_map(|(at, place)| Some(at - place.last_write?))
        .collect();
    ago.iter().filter(|ago| steps.contains(*ago)).count() as f64 / ago.len() as f64
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    (
        "A small transformer reads the steps of a Turing machine and predicts the next symbol under the machine's head.",
        On(|runs| table(runs).accuracy(300) > 0.98),
    ),
    (
        "The tape is not part of the transformer's input.",
        Known("a context has tokens only: `machines::traces`"),
    ),
    ("A Turing machine runs on a tape of random symbols.", Words),
    (
        "At each step a network reads the state and the symbol under the head, and predicts both for the next step.",
        Known("a token is a state and a symbol: `machines::traces`"),
    ),
    ("The network does not read the tape.", Known("a context has tokens only: `machines::traces`")),
    ("The machine has two states.", Words),
    (
        "When the machine's head comes to a cell for the first time, the symbol in this cell is 0 or 1 with probability 1/2 each, and no network can predict this symbol.",
        Known("tested: `the_minimum_loss_is_the_entropy_of_the_new_cells`"),
    ),
    (
        "When the head returns to a cell, the cell holds the symbol that the machine last wrote there.",
        Known("tested: `the_last_write_determines_the_symbol`"),
    ),
    (
        "The network has already read the step in which the machine wrote this symbol.",
        Known("a context begins with the run, so that every write is in it: `TraceSource::sample_batch`"),
    ),
    ("A *written cell* is one that the machine has written before.", Words),
    ("How many symbols on written cells will a network of two small layers predict correctly?", Words),
    ("Nearly all symbols.", On(|runs| table(runs).accuracy(300) > 0.98)),
    ("Nearly all symbols.", On(|runs| table(runs).accuracy(300) > 0.98)),
    (
        "After 300 training steps at least 98 % of the predictions on written cells are right.",
        On(|runs| table(runs).accuracy(300) >= 0.98),
    ),
    (
        "For each layer, the chart shows the share of attention on the last write to the cell, if it was four or more steps ago.",
        Known("`TraceMeasure::First`: of the head of the layer that attends to it most"),
    ),
    (
        "Uniform attention would give this write 3 to 5 %.",
        On(|runs| (0.03..=0.05).contains(&table(runs).measure("write-even", 300))),
    ),
    (
        "In both layers, between 2 and 10 % of the attention is on the last write to the cell.",
        On(|runs| {
            let layers = ["write-1", "write-2"];
            layers.iter().all(|layer| (0.02..=0.1).contains(&table(runs).measure(layer, 300)))
        }),
    ),
    // A tenth of the attention is on the write at most, which is less than twice what uniform attention has there.
    (
        "This suggests that the network mostly makes its predictions without attention to this write.",
        On(|runs| {
            ["write-1", "write-2"].iter().all(|layer| times_uniform(&table(runs), layer) < 2.0)
                && end(&table(runs), "four-back") > 0.98
        }),
    ),
    (
        "Attention to the write is not necessary: this small machine often repeats the same short sequences of steps, so the last few steps determine most symbols on the tape.",
        Known(
            "tested: `six_tokens_predict_the_symbols_of_accepted_tables_but_random_control_needs_the_last_write`",
        ),
    ),
    (
        "In this run the machine's next state is chosen uniformly at random at every step, so the last few steps do not determine the symbols.",
        Known(
            "each symbol that is written is a fair coin of its own, which only the token of that step shows",
        ),
    ),
    (
        "Only the most recent write to a cell determines the symbol in this cell.",
        Known(
            "tested: `six_tokens_predict_the_symbols_of_accepted_tables_but_random_control_needs_the_last_write`",
        ),
    ),
    (
        "There are four states, one for each pair of a symbol to write and a direction of the move.",
        Known("`RandomMachine::with_random_control` has the lines A → 0 L, B → 1 L, C → 0 R and D → 1 R"),
    ),
    (
        "So the machine's head does a random walk and writes random symbols.",
        Known("the state, which says both, is drawn anew at every step"),
    ),
    ("To predict symbols, will the network learn to use mostly recent writes, or also old writes?", Words),
    ("Mostly recent writes.", On(|runs| uses_mostly_recent(&lot(runs)))),
    ("Mostly recent writes.", On(|runs| uses_mostly_recent(&lot(runs)))),
    (
        "If the last write to the cell was two steps ago, at least 99 % of the predictions are right; if this write was four steps ago, at least 98 % are right.",
        On(|runs| end(&lot(runs), "two-back") >= 0.99 && end(&lot(runs), "four-back") >= 0.98),
    ),
    (
        "If this write was ten to sixteen steps ago, between 68 and 90 % of the predictions are right; if it was 18 or more steps ago, between 45 and 75 % are right.",
        On(|runs| {
            (0.68..=0.9).contains(&end(&lot(runs), "ten-back"))
                && (0.45..=0.75).contains(&end(&lot(runs), "farther-back"))
        }),
    ),
    ("A guess is right half of the time.", Known("both symbols are written with probability 1/2 each")),
    (
        "The machine's head mostly returns to a cell after a few steps, so 95 to 99 % of all predictions on written cells are right.",
        On(|runs| {
            share_written(&lot(runs), 1..=4) > 0.7 && (0.95..=0.99).contains(&end_accuracy(&lot(runs)))
        }),
    ),
    (
        "The head rarely returns to a cell that was written long ago, so wrong predictions on such cells have little influence on this average.",
        On(|runs| share_written(&lot(runs), 18..=usize::MAX) < 0.05),
    ),
    (
        "In the first layer, one attention head has between 20 and 60 % of its attention on the last write to the cell, if this write was four or more steps ago.",
        On(|runs| (0.2..=0.6).contains(&end(&lot(runs), "write-1"))),
    ),
    (
        "The input of this layer has only tokens and distances.",
        Known("the model attends with relative positions: `AttentionOnly`"),
    ),
    (
        "A write four steps ago is always at the same distance, so an attention head can attend to this step without information about the position of the machine's head.",
        Known("one token for each step, so that four steps are a distance of four"),
    ),
    (
        "The attention of the second layer differs between networks.",
        On(|runs| times_uniform(&runs.run(OTHER), "write-2") > 4.0 * times_uniform(&lot(runs), "write-2")),
    ),
    (
        "In this run the second layer has less attention on the write than uniform attention would have.",
        On(|runs| times_uniform(&lot(runs), "write-2") < 0.8),
    ),
    (
        "With seed 4, one attention head of this layer has several times as much attention on the write as uniform attention.",
        On(|runs| times_uniform(&runs.run(OTHER), "write-2") > 3.0),
    ),
    (
        "The network is also tested on runs of the machine that are eight times as long as in training.",
        Known("`WINDOW_STARTS`: the last one begins at seven lengths of a context"),
    ),
    (
        "The network reads only the last 32 steps of such a long run.",
        On(|_| decoded("traces-by-lot").task.data().traces().unwrap().length == 32),
    ),
    (
        "On cells that were written within these 32 steps, 93 to 99 % of the predictions are right.",
        On(|runs| (0.93..=0.99).contains(&end(&lot(runs), "run-8"))),
    ),
    // Little: a hundredth of all symbols on written cells, and no tenth of those that were written long ago.
    (
        "A third layer changes the accuracy only a little.",
        On(|runs| {
            let (two, three) = (lot(runs), runs.run("traces-by-lot-3"));
            let change = |slug: &str| (end(&three, slug) - end(&two, slug)).abs();
            (end_accuracy(&three) - end_accuracy(&two)).abs() < 0.01
                && change("ten-back") < 0.1
                && change("farther-back") < 0.1
                && end(&three, "four-back") >= 0.98
                && (0.45..=0.8).contains(&end(&three, "farther-back"))
        }),
    ),
    (
        "If the last write to the cell was four steps ago, at least 98 % of the predictions are right; if this write was 18 or more steps ago, between 45 and 80 % are right.",
        On(|runs| {
            let (two, three) = (lot(runs), runs.run("traces-by-lot-3"));
            let change = |slug: &str| (end(&three, slug) - end(&two, slug)).abs();
            (end_accuracy(&three) - end_accuracy(&two)).abs() < 0.01
                && change("ten-back") < 0.1
                && change("farther-back") < 0.1
                && end(&three, "four-back") >= 0.98
                && (0.45..=0.8).contains(&end(&three, "farther-back"))
        }),
    ),
    (
        "Wei, Chen and Ma construct a transformer that finds the most recent write at any distance.",
        Known("Wei, Chen and Ma 2022, section 4"),
    ),
    (
        "This transformer does a binary search, with one layer for each bit of the step number.",
        Known("Wei, Chen and Ma 2022, section 4; `machines::Construction` has one search for each bit"),
    ),
    (
        "The construction needs more layers than the networks on this page have, attention with a hard maximum, and weights that are chosen by hand.",
        Known(
            "Wei, Chen and Ma 2022, section 4: five bits of step numbers up to 32 are five layers of search alone",
        ),
    ),
    ("The paper of Wei, Chen and Ma trains no network.", Known("Wei, Chen and Ma 2022, a paper of theory")),
    ("The runs of this story are our own.", Words),
    ("They show the result of a short training of small networks.", Words),
    ("The runs show nothing about larger networks or longer training.", Words),
    ("To try next: open “A machine with a random next state, two layers” and train it with seed 4.", Words),
    (
        "Look at the attention: does the second layer have more attention on the last write to the cell than with the first seed?",
        Words,
    ),
];

#[test]
fn what_it_says_is_so() {
    hold("what-training-finds");
}
