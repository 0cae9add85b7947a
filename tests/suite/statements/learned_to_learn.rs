//! Learned to learn.

use std::ops::Range;
use std::rc::Rc;

use vivarium::functions::baselines::{Baseline, BaselinesJob};
use vivarium::functions::population_variance;
use vivarium::labs::in_context::weights::points_network;

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, decoded, hold};

/// The methods of the horizontal lines that do not use the label of the query.
const METHODS: [Baseline; 3] = [Baseline::Affine, Baseline::Neighbours, Baseline::LastEpoch];

/// R² of a method at the last point, as its horizontal line has it: of 512 prompts, and of 256 where a network is trained
/// on each.
fn line(name: &str, of: Baseline) -> f32 {
    let spec = decoded(name);
    let prompts = spec.task.data().function_prompts().unwrap();
    let count = if of.is_trained() { 256 } else { 512 };
    let mut job = BaselinesJob::new(&prompts, spec.run.seed, count, &[prompts.points - 1], &[of]);
    job.advance(u64::MAX).unwrap().r2(of).unwrap()[0] as f32
}

fn two_layers(runs: &Runs) -> Rc<Trained> {
    runs.looked_into("two-layers-in-context", &[4_000])
}

/// R² of two layers, of one layer, and of one layer with x and y in one token, at the end.
fn depths(runs: &Runs) -> [f32; 3] {
    let one = |name: &str| runs.run(name).accuracy(4_000);
    [two_layers(runs).accuracy(4_000), one("one-layer-in-context"), one("one-layer-of-pairs")]
}

/// The R² of two layers is within 0.05 of that of the network that is trained on the prompt.
fn as_well_as_a_trained_network(runs: &Runs) -> bool {
    let trained = line("two-layers-in-context", Baseline::LastEpoch);
    (two_layers(runs).accuracy(4_000) - trained).abs() < 0.05
}

/// The best epoch of each prompt explains more than that of all prompts, and both explain as much as the last epoch or more.
fn best_epochs_are_chosen_with_the_label(_runs: &Runs) -> bool {
    let [each, all, last] = [Baseline::BestPerPrompt, Baseline::BestForAll, Baseline::LastEpoch]
        .map(|of| line("two-layers-in-context", of));
    Baseline::BestPerPrompt.uses_query_labels()
        && Baseline::BestForAll.uses_query_labels()
        && each > all
        && all >= last
}

/// One layer is behind by a quarter of the variance or more.
fn one_layer_is_far_lower(runs: &Runs) -> bool {
    let [two, one, _] = depths(runs);
    one < two - 0.25
}

fn one_layer_of_pairs_is_far_higher(runs: &Runs) -> bool {
    let [_, one, pairs] = depths(runs);
    pairs > one + 0.25
}

/// Pairs alone bring more than half of what a second layer brings.
fn pairs_bring_most_of_it(runs: &Runs) -> bool {
    let [two, one, pairs] = depths(runs);
    pairs - one > 0.5 * (two - one)
}

/// How far the curve of two layers after `shown` examples is from the function of a held-out prompt, and from the last of
/// these examples: root mean squares over these prompts, as shares of the standard deviation of the functions. The curve
/// goes from the least x of a prompt to the largest.
fn distances(runs: &Runs, of: Range<usize>, shown: usize) -> [f64; 2] {
    const PLACES: u16 = 13;
    let run = two_layers(runs);
    let on = points_network(&run.spec).unwrap();
    let slices: Vec<&[f32]> = run.weights(4_000).iter().map(Vec::as_slice).collect();
    let (plain, prompts, seed) = (on.plain(&slices), &on.prompts, run.spec.run.seed);
    let [mut from_function, mut from_example, mut spread] = [0.0f64; 3];
    for which in of {
        let (function, mut row) = (prompts.held_out_function(seed, which), vec![]);
        prompts.append_held_out_prompts(seed, prompts.points, which..which + 1, &mut row);
        // Every input is a number and the constant 1.
        let (x, y) = prompts.split_row(&row);
        let predicted = |at: f32| {
            let asked: Vec<f32> = [&x[..2 * shown], &[at, 1.0], &y[..shown], &[0.0]].concat();
            plain.outputs(&asked)[shown]
        };
        let (low, high) = x
            .iter()
            .step_by(2)
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), x| (x.min(low), x.max(high)));
        let places: Vec<f32> =
            (0..PLACES).map(|place| low + (high - low) * f32::from(place) / f32::from(PLACES - 1)).collect();
        let truth: Vec<f32> =
            places.iter().map(|x| function.evaluate(&[f64::from(*x), 1.0]) as f32).collect();
        let squares = places.iter().zip(&truth).map(|(x, y)| (predicted(*x) - f64::from(*y)).powi(2));
        from_function += squares.sum::<f64>() / f64::from(PLACES);
        from_example += (predicted(x[2 * (shown - 1)]) - f64::from(y[shown - 1])).powi(2);
        spread += population_variance(&truth);
    }
    [(from_function / spread).sqrt(), (from_example / spread).sqrt()]
}

/// After one example: near it, on the first prompt of the panel and on all of them; far from the function, by half of its
/// standard deviation or more, on the first prompt and on most of the others.
fn one_example_is_met_and_the_function_is_not(runs: &Runs) -> bool {
    let is_far = |which: usize| distances(runs, which..which + 1, 1)[0] > 0.5;
    let is_near = distances(runs, 0..1, 1)[1] < 0.2 && distances(runs, 0..64, 1)[1] < 0.2;
    is_near && is_far(0) && (0..64).filter(|which| is_far(*which)).count() > 32
}

/// The distance from the function falls with the number of examples to about a third of the standard deviation or less, on
/// the first prompt of the panel and on all of them.
fn more_examples_lead_to_the_function(runs: &Runs) -> bool {
    [0..1, 0..64].into_iter().all(|of| {
        let [one, four, all] = [1, 4, 16].map(|shown| distances(runs, of.clone(), shown)[0]);
        four < 0.8 * one && all < 0.8 * four && all < 0.35
    })
}

/// The lines of ridge regression and of nearest neighbours are far below 0.6, the least median that the preset expects of
/// the transformer.
fn trees_are_beyond_simple_methods(_runs: &Runs) -> bool {
    let [ridge, near] = [Baseline::Affine, Baseline::Neighbours].map(|of| line("decision-trees", of));
    ridge < 0.6 - 0.2 && near < 0.6 - 0.1
}

/// An affine fit of 20 examples explains four fifths of the variance.
fn nearly_affine(_runs: &Runs) -> bool {
    line("nearly-affine", Baseline::Affine) > 0.8
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    (
        "A small transformer is trained on hundreds of thousands of functions.",
        On(|_| {
            let run = decoded("two-layers-in-context").run;
            (200_000..1_000_000).contains(&(run.steps * run.batch as u64))
        }),
    ),
    (
        "Then it predicts the values of a new function from a few examples, without further training.",
        On(|runs| two_layers(runs).accuracy(4_000) > 0.9),
    ),
    ("A *prompt* is a sequence of points (x, y) of one function.", Words),
    ("Here a prompt has 17 points, and the function is a random network.", Words),
    ("Every prompt has its own function.", Words),
    ("At each x the transformer predicts y from the earlier points.", Words),
    (
        "The transformer reads the points from left to right.",
        Known("a token attends to itself and to the tokens before it: the module of the model"),
    ),
    (
        "The panel \"Look into a prompt\" shows a held-out prompt, with a slider for the number of examples.",
        Words,
    ),
    ("Do the weights of the transformer contain the function of a held-out prompt?", Words),
    (
        "No, only the prompt describes this function.",
        Known("functions of held-out prompts have a stream of random numbers of their own"),
    ),
    ("No.", Words),
    (
        "The function was sampled for this prompt only.",
        Known("functions of held-out prompts have a stream of random numbers of their own"),
    ),
    (
        "While the transformer reads the prompt, all its information about this function is in the activations.",
        Known("no weight depends on a held-out prompt"),
    ),
    (
        "Every training step uses new prompts with new functions, so no function occurs twice in training.",
        Known("each step draws its prompts afresh, with weights from a continuous distribution"),
    ),
    (
        "A method that always predicts the mean of the labels has an R² of 0; a perfect prediction has an R² of 1.",
        Known("R² is one less the squared error over the variance within a prompt"),
    ),
    (
        "The horizontal lines in the chart show the R² of methods that use only the prompt, such as ridge regression and a network that is trained on the prompt.",
        Words,
    ),
    ("R² compares the squared error with the variance of the labels within a prompt.", Words),
    (
        "The methods are ridge regression on (x, 1), nearest neighbours, and a network that is trained on the 16 examples of the prompt for 100 epochs.",
        Words,
    ),
    (
        "The R² of the network that is trained on the prompt is shown after its last epoch and after its best epoch: either one best epoch for all prompts, or one for each prompt.",
        Words,
    ),
    ("Methods with the same R² share one line.", Words),
    (
        "The best epoch is chosen with the label of the predicted point, so the story compares the transformer with the last epoch.",
        On(best_epochs_are_chosen_with_the_label),
    ),
    ("Where will the transformer's R² be after 4,000 steps?", Words),
    (
        "Above the R² of ridge regression, near that of the network trained on the prompt.",
        On(|runs| {
            let ridge = line("two-layers-in-context", Baseline::Affine);
            as_well_as_a_trained_network(runs) && two_layers(runs).accuracy(4_000) > ridge + 0.1
        }),
    ),
    ("The R² of the transformer is above 0.9.", On(|runs| two_layers(runs).accuracy(4_000) > 0.9)),
    (
        "The transformer predicts about as well as a network that is trained on the 16 examples of the prompt.",
        On(as_well_as_a_trained_network),
    ),
    (
        "For a new function the transformer needs no training, only one pass through its two layers.",
        Known(
            "held-out prompts are read by a network whose weights stay as they are; the preset has two layers",
        ),
    ),
    ("Move the slider for the number of examples in the panel from 1 upwards.", Words),
    (
        "With one example, the curve that the transformer predicts passes near this example, but elsewhere it is often far from the function.",
        On(one_example_is_met_and_the_function_is_not),
    ),
    (
        "With more examples, the predicted curve comes closer to the function.",
        On(more_examples_lead_to_the_function),
    ),
    (
        "The weights of the transformer do not change.",
        Known("the slider is a setting of the view, and no setting of the view trains"),
    ),
    (
        "The chart of one prompt shows the function, the examples, and the curves that the transformer and other methods predict from these examples.",
        Words,
    ),
    ("A second slider multiplies the inputs of the prompt by a number.", Words),
    (
        "The transformer is not trained again.",
        Known("the slider is a setting of the view, and no setting of the view trains"),
    ),
    ("Compare the curve of the transformer with the curves of the methods that use only the prompt.", Words),
    ("The curves do not show *how* the transformer predicts.", Words),
    (
        "The transformer predicts about as well as a network that is trained on the prompt, but this does not mean that the layers of the transformer train a network.",
        On(as_well_as_a_trained_network),
    ),
    ("This transformer has one layer instead of two.", Words),
    ("What will the R² of the transformer with one layer be at the end of training?", Words),
    ("Far lower than with two layers.", On(one_layer_is_far_lower)),
    ("R² is far lower than with two layers.", On(one_layer_is_far_lower)),
    ("The x and y of an example are in different tokens.", Words),
    (
        "One layer of attention cannot both combine x with y and compare the x of the query (the last point) with the x of each example.",
        Known("in one layer a score depends on the question and one token, and each token has x or y"),
    ),
    ("Here the x and y of an example are in the same token.", Words),
    ("The transformer again has one layer.", Words),
    ("Is one layer still too few for a high R²?", Words),
    ("No, R² is far higher than with one layer and separate tokens.", On(one_layer_of_pairs_is_far_higher)),
    (
        "If x and y are in the same token, one layer is enough for an R² above 0.85.",
        On(|runs| depths(runs)[2] > 0.85),
    ),
    (
        "This suggests that with separate tokens a second layer helps largely because one layer is needed to combine x with y.",
        On(pairs_bring_most_of_it),
    ),
    (
        "So a comparison of networks with different numbers of layers also depends on the form of the tokens.",
        On(|runs| one_layer_is_far_lower(runs) && one_layer_of_pairs_is_far_higher(runs)),
    ),
    ("Here the function of a prompt is a decision tree.", Words),
    ("Each input has four numbers.", Words),
    (
        "The tree tests the sign of one number, then the sign of a second number (or of the same number again).",
        Words,
    ),
    (
        "So the function has at most four values.",
        Known("two tests, one after the other, have 2 · 2 outcomes"),
    ),
    ("A prompt has 20 examples and a query: an input for which the transformer predicts the label.", Words),
    ("Where will the transformer's R² be after 4,000 steps?", Words),
    (
        "Far above the R² of ridge regression, and above the R² of nearest neighbours.",
        On(trees_are_beyond_simple_methods),
    ),
    ("The transformer's R² is about 0.7.", Preset("decision-trees")),
    (
        "The R² of every other method that does not use the label of the query is at most 0.4.",
        On(|_| METHODS.into_iter().all(|of| line("decision-trees", of) <= 0.4)),
    ),
    ("The transformer was trained on decision trees of this kind.", Words),
    (
        "The other methods do not use the fact that the function is a tree.",
        Known("the definitions of ridge regression, nearest neighbours and the trained network"),
    ),
    (
        "In the paper and in this run, every number of a training input is sampled from a normal distribution with mean −2.",
        Known("Wu, Su, Hu, Song and Liu 2024, appendix G"),
    ),
    ("The random networks have no biases.", Words),
    ("Which simple method will predict the labels of these inputs well?", Words),
    ("An affine fit.", On(nearly_affine)),
    ("An affine fit.", On(nearly_affine)),
    ("On inputs from this distribution the random networks are nearly affine functions.", On(nearly_affine)),
    ("Ridge regression on (x, 1) explains most of the variance of the labels.", On(nearly_affine)),
    (
        "A figure that does not show the R² of ridge regression cannot show whether a method is better than an affine fit.",
        Known("ridge regression on (x, 1) is the affine fit, and what a figure leaves out it does not show"),
    ),
    (
        "To try next: open “Prompts longer than in training” or “Test inputs with a smaller or larger standard deviation”.",
        Words,
    ),
    ("Does the transformer still predict well on these test prompts?", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("learned-to-learn");
}
