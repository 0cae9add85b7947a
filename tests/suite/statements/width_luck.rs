//! More neurons, fewer examples.

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, decoded, hold, sweep_cells};

/// Norms of the neurons of the wide network at the end, and how many relevant bits the bet of each has.
fn bets(runs: &Runs) -> Vec<(f32, usize, usize)> {
    let run = runs.looked_into("lottery", &[0, 10_000]);
    let relevant = run.spec.task.examples().relevant(run.spec.run.seed);
    let (start, end) = (&run.weights(0)[0], &run.weights(10_000)[0]);
    let width = run.spec.parameters()[0].shape[2];
    let of = |j: usize| {
        let norm = end.iter().skip(j).step_by(width).map(|w| w * w).sum::<f32>().sqrt();
        let hits = relevant.iter().filter(|bit| start[**bit * width + j] != 0.0).count();
        (norm, hits, j)
    };
    let mut all: Vec<(f32, usize, usize)> = (0..width).map(of).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all
}

/// Among the ten strongest neurons more have a relevant bit in their bet than among ten random ones, of which about two in
/// seven have.
fn strongest_have_hits(runs: &Runs) -> bool {
    let all = bets(runs);
    let with = |some: &[(f32, usize, usize)]| some.iter().filter(|(_, hits, _)| *hits > 0).count();
    with(&all[..10]) >= 7 && with(&all) < 50
}

/// The five neurons of the second run are the strongest of the first.
fn strongest_five_are_kept(runs: &Runs) -> bool {
    let mut strongest: Vec<usize> = bets(runs)[..5].iter().map(|(_, _, j)| *j).collect();
    strongest.sort();
    strongest == [1, 9, 39, 45, 88]
}

/// How many parameters a network of the run has.
fn numbers(name: &str) -> usize {
    decoded(name).parameters().iter().map(|parameter| parameter.shape[1..].iter().product::<usize>()).sum()
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    (
        "Three of 30 bits are relevant, and there are 4,060 sets of three bits.",
        Known("30 · 29 · 28 / 6 = 4,060"),
    ),
    (
        "To find the right set, a network can use more examples, more steps, more neurons, or luck.",
        Known("the four columns of the thesis's chapter 6; each is shown below"),
    ),
    (
        "This map has sample sizes from left to right and widths from top to bottom; each cell is ten networks.",
        On(|_| sweep_cells("frontier") == 20 && decoded("frontier").run.replicas == 10),
    ),
    ("Which networks will need the fewest examples?", Words),
    ("Wide networks.", Preset("frontier")),
    ("Wide networks.", Preset("frontier")),
    ("With 2,000 examples networks of all widths succeed.", Preset("frontier")),
    (
        "With 600 examples the wide networks succeed, and with 300 examples hardly any network succeeds.",
        Preset("frontier"),
    ),
    (
        "More neurons help even where the network already has more parameters than examples.",
        On(|_| numbers("frontier&width=30") > 600),
    ),
    ("Press Play: the map fills in about half a minute.", Known("measured; `time` of the preset")),
    (
        "Now all networks get 400 examples, and there are twenty networks for each width.",
        On(|_| decoded("width-buys-luck").run.replicas == 20),
    ),
    ("Of the networks with 10 neurons, at most 20 % find the bits.", Preset("width-buys-luck")),
    ("Of the networks with 300 neurons, at least 65 % find the bits.", Preset("width-buys-luck")),
    (
        "The networks of the second curve have other initial weights: each neuron starts with ones on two random bits and zeros elsewhere.",
        On(|_| {
            let weights = &decoded("width-buys-luck&init=sparse").initial()[0];
            let ones = weights.iter().filter(|weight| **weight == 1.0).count();
            // Two of the thirty bits of each neuron.
            15 * ones == weights.len() && weights.iter().all(|weight| *weight == 0.0 || *weight == 1.0)
        }),
    ),
    ("At width 300 at least 85 % of these networks succeed.", Preset("width-buys-luck")),
    (
        "A neuron that starts with ones on two bits can learn the parity early only if these two bits are right.",
        Known(
            "before its other weights grow, the gradient of a neuron depends on the bits of its row alone: Edelman 2024, section 6.3",
        ),
    ),
    ("So we call such a start a bet on two bits.", Words),
    ("A wide layer makes many bets at once.", Known("each neuron draws its own bits")),
    ("Press Play.", Words),
    (
        "Here are a hundred neurons, each with a bet on two bits of 30.",
        On(|_| decoded("lottery").parameters()[0].shape[2] == 100),
    ),
    (
        "Four bits are relevant, and every step has new examples.",
        On(|_| decoded("lottery").task.examples().relevant(decoded("lottery").run.seed).len() == 4),
    ),
    ("In about one bet in seventy, both bits are relevant.", Known("4 · 3 / (30 · 29) = 1 / 72.5")),
    ("Before you train: which neurons will be the strongest at the end?", Words),
    ("The neurons with relevant bits in their bet.", On(strongest_have_hits)),
    ("The neurons with relevant bits in their bet.", On(strongest_have_hits)),
    (
        "The bars are the norms of the strongest neurons, and the line gives the number of relevant bits in the bet of each neuron.",
        Words,
    ),
    (
        "Take the five strongest neurons, reset them to their initial weights, and remove the others.",
        On(strongest_five_are_kept),
    ),
    (
        "Train the five neurons alone twenty times, on twenty orders of data.",
        On(|_| decoded("lottery-ticket").run.replicas == 20),
    ),
    (
        "For comparison, train five random neurons, also twenty times.",
        On(|_| sweep_cells("lottery-ticket") == 2),
    ),
    ("How often will the error of the five strongest neurons fall below 30 %?", Words),
    ("Every time.", Preset("lottery-ticket")),
    ("Every time, in this experiment.", Preset("lottery-ticket")),
    ("With random neurons, the error falls below 30 % in 15 to 65 % of the runs.", Preset("lottery-ticket")),
    ("The wide network succeeded because it contained these five neurons.", Preset("lottery-ticket")),
    ("Press Play.", Words),
    (
        "The panel *Width and initial weights* under a run does the same with any network of this kind that you train.",
        Words,
    ),
    (
        "Here are a thousand networks of one neuron each.",
        On(|_| decoded("good-neuron").run.replicas == 1_000),
    ),
    ("Each neuron starts with nine ones on 30 bits.", Words),
    (
        "Two bits are relevant, and training is a single step on 1,024 examples.",
        On(|_| {
            let run = decoded("good-neuron").run;
            (run.steps, run.batch) == (1, 1_024)
        }),
    ),
    (
        "If both relevant bits are among the nine, the step moves the weights on these two bits farther than all other weights.",
        Known("analysis/good_neuron: probabilities against random batches; Edelman 2024, section 6.4"),
    ),
    (
        "If not, the gradient has a signal on at most one of the two bits; on the other bit there is only noise.",
        Known(
            "the gradient on a bit is a product of the others, which is 0 on average where one of them is missing",
        ),
    ),
    ("One row in twelve is good.", Preset("good-neuron")),
    ("For any other row, one step hardly ever reveals both bits.", Preset("good-neuron")),
    (
        "The panel *Width and initial weights* shows the probabilities for other numbers of bits and ones.",
        Words,
    ),
    ("Lines show the theory, points show random batches.", Words),
    ("Can the first layer be so wide that it need not be trained at all?", Words),
    ("Its neurons are then fixed features, and only the second layer is trained.", Words),
    (
        "A network of a hundred trained neurons is right on all held-out examples after a few hundred steps.",
        Preset("trained-features"),
    ),
    ("What will 3,000 neurons learn if their random initial weights stay fixed?", Words),
    ("Hardly anything.", Preset("frozen-features")),
    ("Hardly anything.", Preset("frozen-features")),
    (
        "The networks are hardly better than random guessing: in 6,000 steps no network reaches an accuracy of 90 %.",
        Preset("frozen-features"),
    ),
    (
        "If the number of features, times the squared norm of their weights, is far below 455, the number of sets of three bits, some parity cannot be learned.",
        Known("Edelman 2024, chapter 6: a lower bound for fixed features; 15 · 14 · 13 / 6 = 455"),
    ),
    (
        "With more features, learning needs more steps and examples instead.",
        Known("the bound is met by more features, and examples then decide: Edelman 2024, chapter 6"),
    ),
    ("Open the sweep with fixed neurons, and press Play.", Words),
    (
        "Theory gives a lower bound: the number of parameters times the number of steps times the number of examples must be large enough for the number of possible sets of relevant bits.",
        Known("Edelman 2024, chapter 6; the bound is tested in analysis"),
    ),
    (
        "By this bound, the settings in the cells with a dotted edge cannot have a success rate of one half.",
        Known("Edelman 2024, chapter 6; the bound is tested in analysis"),
    ),
    ("Press Play.", Words),
    (
        "For eight relevant bits of 100 and up to 3,000 examples, the bound excludes this success rate.",
        Preset("floor"),
    ),
    (
        "With four relevant bits the networks fail as well, although the bound does not exclude success.",
        Preset("floor"),
    ),
    ("So the bound is far below the cost of learning in practice.", Preset("floor")),
    (
        "So width can replace examples: a wider network is more likely to contain lucky neurons.",
        Preset("width-buys-luck"),
    ),
    (
        "To try next: open “More data can hurt”, and look for a sample size at which more examples make the result worse.",
        Words,
    ),
    ("Or open “Sparse initialisation on a wide table”.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("width-luck");
}
