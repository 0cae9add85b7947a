//! Why are few examples enough for many bits?

use vivarium::analysis::threshold::REQUIRED_SUCCESS_SHARE;
use vivarium::labs::boolean::probes::CLS_ATTENTION;
use vivarium::permalink::{Link, encode};
use vivarium::sweep::cells;
use vivarium::tasks::Batch;

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, decoded, hold};

fn twenty(runs: &Runs) -> std::rc::Rc<Trained> {
    runs.run("and-too-few")
}

/// Right on all training examples after 100 steps, and wrong on three of ten others or more.
fn memorises(run: &Trained) -> bool {
    run.train_accuracy(100) == 1.0 && run.accuracy(100) < 0.7
}

/// How many sets of three bits have an AND that fits all training examples of this run.
fn sets_that_fit(run: &Trained) -> usize {
    let (task, mut batch) = (&run.spec.task, Batch::default());
    let (bits, examples) = (task.examples().inputs(), task.examples().training_set_size().unwrap());
    task.sampler().append_training_set(run.spec.run.seed, 0, 0, examples, &mut batch);
    let fits = |set: &[usize; 3]| {
        batch.x.chunks(bits).zip(&batch.y).all(|(x, y)| set.iter().all(|bit| x[*bit] > 0.0) == (*y > 0.0))
    };
    let sets = (0..bits).flat_map(|a| (0..a).flat_map(move |b| (0..b).map(move |c| [a, b, c])));
    sets.filter(fits).count()
}

fn looks(runs: &Runs) -> std::rc::Rc<Trained> {
    runs.looked_into("and-looks", &[0, 50])
}

/// The attention of the one head at this step, a row for each example: on each bit and, last, on the extra token.
fn attention(runs: &Runs, step: u64) -> Vec<Vec<f32>> {
    let run = looks(runs);
    let found = run.found(CLS_ATTENTION, step);
    assert_eq!(found.counts, [1], "one head");
    found.numbers.chunks(run.spec.task.examples().inputs() + 1).map(<[f32]>::to_vec).collect()
}

/// No bit of any example has less than half or more than twice the attention that it would have if all were alike.
fn is_spread(runs: &Runs) -> bool {
    let rows = attention(runs, 0);
    rows.iter().all(|row| row.iter().all(|share| (0.5..2.0).contains(&(share * row.len() as f32))))
}

/// The share of the attention on the three relevant bits, on average over examples.
fn on_relevant(runs: &Runs, step: u64) -> f32 {
    let run = looks(runs);
    let (rows, relevant) = (attention(runs, step), run.spec.task.examples().relevant(run.spec.run.seed));
    let on = |row: &Vec<f32>| relevant.iter().map(|bit| row[*bit]).sum::<f32>();
    rows.iter().map(on).sum::<f32>() / rows.len() as f32
}

/// By how much the network's output changes on average after 50 steps where the relevant bits, or all the others, are
/// those of another example. The bits reach the output through the head alone.
fn change(runs: &Runs, of_relevant: bool) -> f32 {
    let run = looks(runs);
    let (spec, mut batch) = (&run.spec, Batch::default());
    let (bits, relevant) = (spec.task.examples().inputs(), spec.task.examples().relevant(spec.run.seed));
    spec.task.sampler().append_held_out(spec.run.seed, 0, 200, &mut batch);
    let mixed = |at: usize| {
        let is_changed = relevant.contains(&(at % bits)) == of_relevant;
        batch.x[if is_changed { (at + bits) % batch.x.len() } else { at }]
    };
    let mixed: Vec<f32> = (0..batch.x.len()).map(mixed).collect();
    let weights: Vec<&[f32]> = run.weights(50).iter().map(Vec::as_slice).collect();
    let outputs = |x: &[f32]| spec.network().evaluate(&weights, bits, x, 0);
    let both = outputs(&batch.x).into_iter().zip(outputs(&mixed));
    both.map(|(one, other)| (one - other).abs()).sum::<f32>() / batch.len() as f32
}

/// Whether so many examples are enough for so many bits, in the run of the sweep that has both.
fn are_enough(runs: &Runs, bits: usize, examples: usize) -> bool {
    let cell = cells(&decoded("and-threshold")).into_iter().find(|cell| {
        let task = cell.spec.task.examples();
        task.inputs() == bits && task.training_set_size() == Some(examples)
    });
    let run = runs.run(&encode(&Link::from_spec(cell.unwrap().spec)));
    let samples = run.solved.chunks(run.spec.task.examples().replicas_per_training_set());
    let (all, some) = (samples.len(), samples.filter(|tries| tries.iter().any(Option::is_some)).count());
    some as f64 >= REQUIRED_SUCCESS_SHARE * all as f64 - 1e-9
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("A transformer finds 3 relevant bits among many bits.", Preset("and-enough")),
    (
        "If the number of bits is eight times as large, the transformer needs only two or three times as many examples.",
        On(|runs| are_enough(runs, 25, 20) && are_enough(runs, 200, 50)),
    ),
    ("Each example has 100 bits.", On(|_| decoded("and-enough").task.examples().inputs() == 100)),
    (
        "The label of an example is the AND of 3 of these bits: the label says whether all three bits are 1.",
        On(|_| {
            let spec = decoded("and-enough");
            spec.task.examples().relevant(spec.run.seed).len() == 3
        }),
    ),
    ("The network is not told which three bits these are.", Words),
    ("There are 161,700 sets of three bits.", Known("100 · 99 · 98 / 6 = 161,700")),
    ("The network has one layer of attention and one MLP.", Words),
    ("The output of the network is computed from an extra token after the bits.", Words),
    (
        "The network trains on the same 100 examples at every training step.",
        On(|_| decoded("and-enough").task.examples().training_set_size() == Some(100)),
    ),
    (
        "The network learns the AND from its 100 examples.",
        On(|runs| {
            let run = runs.run("and-enough");
            run.accuracy(0) < 0.6 && run.accuracy(100) > 0.99
        }),
    ),
    (
        "What is the smallest number of labelled examples that can be enough to identify one of 161,700 sets of three bits?",
        Words,
    ),
    (
        "About 18: each label gives at most one bit of information.",
        Known("log₂ 161,700 = 17.3, and a label has two values"),
    ),
    ("18 labels with two possible values each can distinguish 262,144 cases.", Known("2¹⁸ = 262,144")),
    (
        "With twice as many bits there are about eight times as many sets of three bits, so three more labels are needed.",
        Known("200 · 199 · 198 / 6 = 1,313,400, which is 8.1 · 161,700, and 8 = 2³"),
    ),
    (
        "So the smallest number of examples grows like the logarithm of the number of bits.",
        Known("log₂ of T (T − 1) (T − 2) / 6 is about 3 log₂ T − 2.6"),
    ),
    (
        "This number of examples is a lower bound, even for a learner that can try all sets of three bits.",
        Known("m labels have 2^m values, and sets with the same labels cannot be told apart"),
    ),
    (
        "Does a network that is trained by gradient descent need only slightly more examples than this lower bound?",
        Words,
    ),
    (
        "The same network now trains on 20 examples.",
        On(|_| {
            let (many, few) = (decoded("and-enough"), decoded("and-too-few"));
            many.model == few.model
                && many.optimizer == few.optimizer
                && few.task.examples().training_set_size() == Some(20)
        }),
    ),
    (
        "In principle, 20 examples are enough to identify the three relevant bits.",
        On(|runs| sets_that_fit(&twenty(runs)) == 1),
    ),
    ("What will the network learn?", Words),
    (
        "The 20 training examples, and hardly anything else.",
        On(|runs| memorises(&twenty(runs)) && twenty(runs).accuracy(100) < 0.65),
    ),
    (
        "The network classifies all its 20 examples correctly, but many other examples wrongly.",
        On(|runs| memorises(&twenty(runs))),
    ),
    // Of the 2^(2^100) functions of 100 bits, one in 2^20 agrees with 20 labels.
    (
        "Many functions of the bits fit the 20 examples, and training finds a function that gives wrong labels for many other examples.",
        On(|runs| memorises(&twenty(runs))),
    ),
    ("How does the held-out accuracy change with more training examples?", Words),
    ("Choose a larger number of examples, and train again.", Words),
    (
        "Here the network has one head and 50 bits.",
        On(|runs| looks(runs).spec.task.examples().inputs() == 50 && !attention(runs, 0).is_empty()),
    ),
    (
        "The relevant bits are 5, 20 and 30.",
        On(|_| {
            let spec = decoded("and-looks");
            spec.task.examples().relevant(spec.run.seed) == [4, 19, 29]
        }),
    ),
    ("Every dot is the attention weight of one bit in one example.", Words),
    ("At the start the attention is spread over all bits.", On(is_spread)),
    (
        "After 50 steps at least 80 % of the attention is on the three relevant bits, on average over examples.",
        On(|runs| on_relevant(runs, 50) > 0.8),
    ),
    (
        "The output of the head now depends mostly on the three relevant bits, and the rest of the network needs no other bit.",
        On(|runs| change(runs, false) < 0.1 * change(runs, true) && looks(runs).accuracy(50) > 0.99),
    ),
    ("How many examples are enough?", Words),
    ("Each cell of the map stands for a number T of bits and a number m of training examples.", Words),
    (
        "On each sample the network is trained 5 times, and only the best of these results counts.",
        On(|_| decoded("and-threshold").task.examples().replicas_per_training_set() == 5),
    ),
    (
        "The number m is enough if the network reaches 99 % held-out accuracy for at least 80 % of 5 random training samples.",
        On(|_| {
            let spec = decoded("and-threshold");
            let samples = spec.run.replicas / spec.task.examples().replicas_per_training_set();
            (REQUIRED_SUCCESS_SHARE, spec.run.target, samples) == (0.8, 0.99, 5)
        }),
    ),
    ("200 bits are eight times as many as 25 bits.", Known("8 · 25 = 200")),
    ("How many times as many examples will 200 bits need?", Words),
    // The sweep begins at 20 examples, and 200 bits need at least 40 of them by the preset's expectation: 2 to 2.5 times.
    (
        "Two or three times as many examples.",
        On(|runs| are_enough(runs, 25, 20) && are_enough(runs, 200, 50)),
    ),
    (
        "The sweep tries 20 to 80 examples.",
        On(|_| {
            let counts = cells(&decoded("and-threshold")).into_iter();
            let counts: Vec<usize> =
                counts.filter_map(|cell| cell.spec.task.examples().training_set_size()).collect();
            counts.iter().min() == Some(&20) && counts.iter().max() == Some(&80)
        }),
    ),
    (
        "The smallest of these numbers that is enough lies between 20 and 40 for 25 bits, and between 40 and 80 for 200 bits.",
        Preset("and-threshold"),
    ),
    (
        "The points in the chart lie near the logarithmic curve.",
        Known(
            "the curve is `threshold::fit`, the least squares of a + b ln T: its distances to the points add up to zero",
        ),
    ),
    // At least 20 examples for 25 bits would be 160 for 200, and the chart ends at 1.6 times the largest threshold, 80.
    (
        "The line proportional to the number T of bits rises so fast that it leaves the chart.",
        Preset("and-threshold"),
    ),
    (
        "Press Play: the sweep takes a few minutes, and the points appear one by one.",
        Known("measured; `time` of the preset"),
    ),
    (
        "The reason is the softmax.",
        Known("Edelman 2024, lemma A.19 and corollary 4.9; an explanation, which follows"),
    ),
    (
        "To put nearly all of its attention on 3 positions, a head must give these positions scores that are larger than all other scores by a difference R.",
        Known("two positions' shares of a softmax have the ratio e to the difference of their scores"),
    ),
    (
        "The attention on a relevant position is e to the power R times as large as the attention on an irrelevant position.",
        Known("two positions' shares of a softmax have the ratio e to the difference of their scores"),
    ),
    (
        "For twice as many irrelevant positions, R has to be larger by only 0.69, the natural logarithm of two.",
        Known("3 e^R / (3 e^R + m) stays the same if m doubles and R grows by ln 2 = 0.693"),
    ),
    (
        "So the weights of the head must grow in proportion to the difference R of the scores, not in proportion to the number T of positions.",
        Known("Edelman 2024, lemma A.19; the test of `SelectingHead` finds ‖W_Q‖ = R and ‖W_K‖ = √s"),
    ),
    (
        "A theorem gives an upper bound on the necessary number of examples: this bound depends on the size of the weights, and it grows only like the logarithm of the number of positions.",
        Known("Edelman 2024, corollary 4.9; Edelman, Goel, Kakade and Zhang 2022"),
    ),
    (
        "Below the charts, in the part *Heads written by hand*, you can set up a head of this kind: change T, and see which R the head needs.",
        Words,
    ),
    ("What would change if the weights could be arbitrarily large?", Words),
    (
        "The capacity of the network would grow with T.",
        Known("Edelman 2024, proposition 4.8: the pseudo-dimension is at least log₂ T"),
    ),
    (
        "The part *Heads written by hand* shows a second construction: 16 heads give all 16 patterns of answers to 4 inputs.",
        Known("tested: `sixteen_heads_give_all_answers_to_four_inputs`"),
    ),
    (
        "Each head gives a different pattern of four answers, yes or no, to the 4 inputs.",
        Known("tested: `sixteen_heads_give_all_answers_to_four_inputs`"),
    ),
    (
        "In the second construction, each input has T = 16 positions.",
        Known("tested: `sixteen_heads_give_all_answers_to_four_inputs`"),
    ),
    (
        "The weights of these heads grow in proportion to the square of T, but the proof that few examples are enough holds only for small weights.",
        Known("w_QK is T² times a vector of length 1: Edelman 2024, appendix A.1.3, and `Shattering`"),
    ),
    (
        "Few examples are enough because a head has small weights, not because a head has few weights.",
        Known(
            "the bound of corollary 4.9 holds for small weights, and proposition 4.8 shows that without them it does not",
        ),
    ),
    (
        "To try next: open “Layer norm halves the number of examples needed” and compare its two curves.",
        Words,
    ),
    ("Or open “A transformer suddenly finds 3 of 10 bits”, where the label is a parity.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("log-t");
}
