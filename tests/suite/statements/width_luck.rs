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

/// Of neurons with two weights of 1, one at a time, over all inputs of 8 bits of which three are relevant: whether the mean
/// of y·x·σ′ is 0 on every bit unless both weights are on relevant bits, whatever the bias.
fn first_gradients_need_both_bits() -> bool {
    let x = |point: u32, bit: u32| 1 - 2 * (point >> bit & 1) as i32;
    let pairs = (0..8u32).flat_map(|one| (0..one).map(move |other| (one, other)));
    // The sum of the two bits is −2, 0 or 2: biases differ only in which of these are let through.
    pairs.clone().count() == 28
        && pairs.into_iter().all(|(one, other)| {
            [-1, 1].into_iter().all(|bias| {
                let gradient = |bit: u32| -> i32 {
                    let is_on = |point: &u32| x(*point, one) + x(*point, other) + bias > 0;
                    let y = |point: u32| x(point, 0) * x(point, 1) * x(point, 2);
                    (0..256u32).filter(is_on).map(|point| y(point) * x(point, bit)).sum()
                };
                (0..8).any(|bit| gradient(bit) != 0) == (one < 3 && other < 3)
            })
        })
}

/// D·R² of theorem 5.6 before the first step: features, squared norm of the second layer, and the squared norm of the longest
/// feature vector, by which both are scaled.
fn fixed_features(name: &str) -> f64 {
    let weights = decoded(name).initialize_parameters();
    let (w, u, b) = (&weights[0], &weights[1], &weights[2]);
    let width = u.len();
    // Some inputs are enough: with more of them the longest is longer.
    let longest = (0..64u32).map(|point| {
        let x = |bit: usize| if ((point * 517) >> bit) & 1 == 1 { -1.0 } else { 1.0 };
        let z = |j: usize| b[j] + (0..15).map(|bit| x(bit) * w[bit * width + j]).sum::<f32>();
        (0..width).map(|j| f64::from(z(j).max(0.0)).powi(2)).sum::<f64>()
    });
    let longest = longest.fold(0.0, f64::max);
    width as f64 * longest * u.iter().map(|u| f64::from(*u).powi(2)).sum::<f64>()
}

/// Whether parameters times steps times examples are less than a quarter of the sets.
fn is_below(name: &str) -> bool {
    let spec = decoded(name);
    let (k, n) = (spec.task.examples().relevant(0).len(), spec.task.examples().inputs());
    let sets = (0..k).fold(1.0, |all, i| all * (n - i) as f64 / (i + 1) as f64);
    let examples = spec.task.examples().training_set_size().unwrap() as f64;
    numbers(name) as f64 * spec.run.steps as f64 * examples < 0.25 * sets
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("A wider network needs fewer examples.", Preset("frontier")),
    ("The neurons with the largest weights show why.", Preset("lottery-ticket")),
    ("There are 4,060 sets of three bits.", Known("30 · 29 · 28 / 6 = 4,060")),
    (
        "The label is the parity of three relevant bits among 30 bits.",
        On(|_| {
            let spec = decoded("frontier");
            let examples = spec.task.examples();
            (examples.relevant(spec.run.seed).len(), examples.inputs()) == (3, 30)
        }),
    ),
    (
        "More training examples, more steps, more neurons or lucky initial weights can help a network to find these bits.",
        Known("the four columns of the thesis's chapter 6; each is shown below"),
    ),
    (
        "A column of the map is a number of training examples, a row is a width of the network.",
        On(|_| sweep_cells("frontier") == 20 && decoded("frontier").run.replicas == 10),
    ),
    (
        "Each cell of the map shows the results of ten networks.",
        On(|_| sweep_cells("frontier") == 20 && decoded("frontier").run.replicas == 10),
    ),
    ("Which networks will need the fewest training examples to find the relevant bits?", Words),
    ("Wide networks.", Preset("frontier")),
    ("Wide networks.", Preset("frontier")),
    ("With 2,000 training examples, most networks of width 10 find the relevant bits.", Preset("frontier")),
    (
        "With 600 examples most networks of width 100 find the relevant bits, and with 300 examples hardly any network of width 300 finds these bits.",
        Preset("frontier"),
    ),
    (
        "More neurons help even if the number of parameters of the network is already larger than the number of training examples.",
        On(|_| numbers("frontier&width=30") > 600),
    ),
    (
        "Press Play: all cells of the map are filled after about half a minute on one processor core.",
        Known("measured; `time` of the preset"),
    ),
    ("There are twenty networks for each width.", On(|_| decoded("width-buys-luck").run.replicas == 20)),
    (
        "Every network trains on 400 examples.",
        On(|_| decoded("width-buys-luck").task.examples().training_set_size() == Some(400)),
    ),
    ("Of the networks with 10 neurons, at most 20 % find the relevant bits.", Preset("width-buys-luck")),
    ("Of the networks with 300 neurons, at least 65 % find these bits.", Preset("width-buys-luck")),
    (
        "On the second curve, each neuron starts with the weight 1 on two random bits and 0 on all others.",
        On(|_| {
            let weights = &decoded("width-buys-luck&init=sparse").initialize_parameters()[0];
            let ones = weights.iter().filter(|weight| **weight == 1.0).count();
            // Two of the thirty bits of each neuron.
            15 * ones == weights.len() && weights.iter().all(|weight| *weight == 0.0 || *weight == 1.0)
        }),
    ),
    ("At width 300, at least 85 % of these networks find the bits.", Preset("width-buys-luck")),
    (
        "At the first training step, the expected gradient of a neuron that starts with the weight 1 on two bits and the weight 0 on all other bits contains information about the relevant bits only if both bits with weight 1 are relevant.",
        On(|_| first_gradients_need_both_bits()),
    ),
    (
        "A wide layer has many neurons, so its initial weights of 1 are on many different pairs of bits.",
        Known("each neuron draws its own bits"),
    ),
    ("Press Play.", Words),
    (
        "This network has a hundred neurons; each neuron starts with the weight 1 on two random bits of 30 and the weight 0 on all other bits.",
        On(|_| decoded("lottery").parameters()[0].shape[2] == 100),
    ),
    (
        "Four of the 30 bits are relevant.",
        On(|_| decoded("lottery").task.examples().relevant(decoded("lottery").run.seed).len() == 4),
    ),
    (
        "Every training step uses new examples.",
        On(|_| decoded("lottery").task.examples().training_set_size().is_none()),
    ),
    (
        "For about one neuron in seventy, both bits with initial weight 1 are relevant.",
        Known("4 · 3 / (30 · 29) = 1 / 72.5"),
    ),
    (
        "Before you train: for which neurons will the norm of the weights be largest at the end of the training?",
        Words,
    ),
    ("Mostly for neurons with the initial weight 1 on at least one relevant bit.", On(strongest_have_hits)),
    ("Mostly for neurons with the initial weight 1 on at least one relevant bit.", On(strongest_have_hits)),
    ("In the chart, each bar is the norm of the weights of one neuron; the largest norm comes first.", Words),
    ("The line gives, for each of these neurons, the number of relevant bits with initial weight 1.", Words),
    (
        "This experiment takes the five neurons with the largest norms at the end of the training, resets these five to their initial weights, and removes all other neurons.",
        On(strongest_five_are_kept),
    ),
    (
        "Each time, the random training examples are different.",
        On(|_| decoded("lottery-ticket").run.replicas == 20),
    ),
    (
        "These five are then trained twenty times, and for comparison five random neurons, too.",
        On(|_| sweep_cells("lottery-ticket") == 2 && decoded("lottery-ticket").run.replicas == 20),
    ),
    ("How often will the error of the five neurons with the largest norms fall below 30 %?", Words),
    ("Every time.", Preset("lottery-ticket")),
    ("Every time, in this experiment.", Preset("lottery-ticket")),
    (
        "With five random neurons, the error falls below 30 % in only 15 to 65 % of the runs.",
        Preset("lottery-ticket"),
    ),
    (
        "This result suggests that the wide network learned the parity because it contained the five neurons that ended with the largest norms.",
        Preset("lottery-ticket"),
    ),
    ("Press Play.", Words),
    (
        "In the panel *Width and initial weights* below the charts, you can repeat this experiment with other networks that you train, if each neuron starts with a few weights of 1.",
        Words,
    ),
    (
        "This run trains a thousand networks of one neuron each for a single step.",
        On(|_| {
            let run = decoded("good-neuron").run;
            (run.replicas, run.steps) == (1_000, 1)
        }),
    ),
    ("Each neuron starts with the weight 1 on nine random bits of 30, and two bits are relevant.", Words),
    (
        "Each neuron starts with the weight 0 on all other bits, and the step uses 1,024 examples.",
        On(|_| {
            let run = decoded("good-neuron").run;
            (run.steps, run.batch) == (1, 1_024)
        }),
    ),
    (
        "If both relevant bits are among the nine, the step moves the weights on these two bits farther than all others.",
        Known("analysis/good_neuron: probabilities against random batches; Edelman 2024, section 6.4"),
    ),
    (
        "If a relevant bit is not among the nine, the expected gradient is 0 on at least one of the two relevant bits, and the measured gradient on this bit is only noise.",
        Known(
            "the gradient on a bit is a product of the others, which is 0 on average where one of them is missing",
        ),
    ),
    ("One neuron in twelve starts with the weight 1 on both relevant bits.", Preset("good-neuron")),
    ("For such a neuron, one step hardly ever reveals both relevant bits.", Preset("good-neuron")),
    (
        "The panel *Width and initial weights* shows the probability that one step reveals the relevant bits; in this panel you can change the number of bits and the number of initial weights of 1.",
        Words,
    ),
    (
        "In the chart of this panel, lines show the theory, and points show measurements on random batches.",
        Words,
    ),
    ("Can the first layer be so wide that it need not be trained at all?", Words),
    ("Then only the second layer is trained.", Words),
    ("The outputs of a first layer that is not trained are fixed features.", Words),
    (
        "Networks of a hundred trained neurons classify all held-out examples correctly, half of the networks within 900 steps.",
        Preset("trained-features"),
    ),
    (
        "What will a network of 3,000 neurons learn if the random initial weights of these neurons stay fixed?",
        Words,
    ),
    ("Hardly anything.", Preset("frozen-features")),
    ("Hardly anything.", Preset("frozen-features")),
    (
        "The networks are hardly better than random guessing: in 6,000 steps no network reaches an accuracy of 90 %.",
        Preset("frozen-features"),
    ),
    ("Theory gives a condition for this failure.", Words),
    ("Let the features of every input form a vector with a norm of at most 1.", Words),
    (
        "If the number of features times the squared norm of the second layer's weights is less than ε² times 455, the number of sets of three of the 15 bits, then for at least one of these sets the loss stays above 1 − ε.",
        Known("Edelman 2024, theorem 5.6, which is tested in analysis/resources; 15 · 14 · 13 / 6 = 455"),
    ),
    (
        "The networks of this sweep do not meet this condition, so the theory does not explain why they fail.",
        On(|_| {
            [100, 1_000, 3_000]
                .iter()
                .all(|width| fixed_features(&format!("frozen-features&width={width}")) > 455.0)
        }),
    ),
    (
        "With many more features, a network with a fixed first layer can represent the parity.",
        Known("ReLU neurons of all signs in their weights represent every function of 15 bits"),
    ),
    ("Open the sweep with fixed neurons, and press Play.", Words),
    (
        "The adversary may change every entry of every gradient by up to one divided by the square root of the number of examples.",
        Known("Edelman 2024, section 6.3.1: noise ξ ∈ [−τ, τ]^r with τ = 1/√m"),
    ),
    (
        "If an adversary may slightly change every gradient, theory gives a lower bound on parameters times steps times examples.",
        Known("Edelman 2024, proposition 6.3: r·T·m / δ ≤ ½·C(n, k) with noise ξ ∈ [−τ, τ]^r, τ = 1/√m"),
    ),
    (
        "For a success rate of one half on every parity, the number of parameters times the number of training steps times the number of examples must then be at least a quarter of the number of possible sets of relevant bits.",
        Known(
            "Edelman 2024, proposition 6.3: r·T·m / δ ≤ ½·C(n, k) with δ = ½, tested in analysis/resources",
        ),
    ),
    (
        "In the map, cells with a dotted edge are below this bound.",
        On(|_| is_below("floor&k=8&m=3000") && !is_below("floor&k=8&m=30000")),
    ),
    (
        "The runs of the map have no adversary, so the bound serves only as a comparison.",
        Known("the gradients of a run are those of its batch"),
    ),
    ("Press Play.", Words),
    (
        "For eight relevant bits of 100 and up to 3,000 examples, the product is below the bound.",
        On(|_| ["30", "300", "3000"].iter().all(|m| is_below(&format!("floor&k=8&m={m}")))),
    ),
    (
        "For four relevant bits the product is above the bound, and the networks also fail.",
        On(|_| !is_below("floor&k=4&m=30") && !is_below("floor&k=4&m=30000")),
    ),
    (
        "So in practice, learning needs far more parameters, steps or examples than the lower bound requires.",
        Preset("floor"),
    ),
    (
        "A wider network is more likely to contain neurons with favourable initial weights.",
        Preset("width-buys-luck"),
    ),
    ("The runs of this story show that a wider network needs fewer examples.", Preset("frontier")),
    (
        "To try next: open “More data can hurt”, and look for a number of training examples above which fewer networks find the parity.",
        Words,
    ),
    ("Or open “Sparse initialisation on a wide table”.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("width-luck");
}
