//! A network inside a network.

use std::rc::Rc;

use vivarium::descent::{
    ComparisonMeasure, ComparisonState, ConstructedTransformer, DescentPlan, DescentPrompts, LayerKind,
    LayerPhase, TargetKind, TokenBlock, TokenLayout, euclidean_distance,
};
use vivarium::models::Family;
use vivarium::sweep::axis_positions;

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, decoded, hold};

/// Straight lines in the sweep over their number.
const LINES: [usize; 5] = [8, 16, 32, 64, 128];

/// Which examples a run draws.
fn draw(name: &str) -> DescentPrompts {
    decoded(name).task.data().descent_prompts().unwrap()
}

/// What a run builds.
fn plan(name: &str) -> DescentPlan {
    let spec = decoded(name);
    let Some(Family::Descent(net)) = spec.model.config().family() else { panic!("{name} is no descent") };
    net.plan(&draw(name), spec.learning_rate(0))
}

fn transformer(name: &str) -> ConstructedTransformer {
    ConstructedTransformer::new(&plan(name), &draw(name).draw_examples(decoded(name).run.seed, 0))
}

/// The run of most passages.
fn relu(runs: &Runs) -> Rc<Trained> {
    runs.looked_into("relu-descent", &[0, 25, 100])
}

/// The weights in the tokens and those of direct descent at a step.
fn state(run: &Trained, step: u64) -> ComparisonState {
    let [tokens, direct, single, measured] = run.weights(step) else { panic!("the parts of a state") };
    ComparisonState::from_tensors([tokens, direct, single, measured])
}

/// Half of the mean squared error with the weights in the tokens.
fn token_loss(run: &Trained, step: u64) -> f32 {
    run.row(step).train_loss[0]
}

/// These layers of a step, from 0, do this, and are of this kind.
fn are(from: usize, phases: &[LayerPhase], kind: LayerKind) -> bool {
    let transformer = transformer("relu-descent");
    let layers = &transformer.layers()[from..from + phases.len()];
    layers.iter().zip(phases).all(|(layer, phase)| layer.phase == *phase && layer.kind() == kind)
}

/// The first step after which the distance is more than rounding.
fn jump(run: &Trained) -> u64 {
    run.first(|row| row.measures[ComparisonMeasure::Distance as usize][0] > 1e-12).unwrap()
}

/// For more than a quarter of the steps the distance is that of rounding in double precision, and then a million times as large.
fn jumps_after_many_steps(run: &Trained) -> bool {
    let step = jump(run);
    let before = (0..step).all(|step| run.measure("distance", step) < 1e-14);
    step > 25 && before && run.measure("distance", step) > 1e6 * run.measure("distance", step - 1)
}

/// No input of a ReLU is in the band before the jump, and one is in the step of the jump.
fn is_in_the_band_at_the_jump(run: &Trained) -> bool {
    let step = jump(run);
    (0..step).all(|step| run.measure("in-band", step) == 0.0) && run.measure("in-band", step) >= 1.0
}

/// The link of a run with tanh and so many linear pieces.
fn lines(count: usize) -> String {
    format!("#v1/in-context-regression?act=tanh&knots={count}")
}

/// With each doubling of the lines the distance falls, on average to between a fifth and three tenths.
fn falls_to_about_a_quarter(runs: &Runs) -> bool {
    let distances = LINES.map(|count| f64::from(runs.run(&lines(count)).measure("distance", 100)));
    let doublings = LINES.len() - 1;
    let mean = (distances[doublings] / distances[0]).powf(1.0 / doublings as f64);
    distances.is_sorted_by(|a, b| a > b) && (0.2..0.3).contains(&mean)
}

/// Heads of the first layer for each neuron and line.
fn heads_of_a_line(count: usize) -> f64 {
    let name = lines(count);
    let neurons = plan(&name).network.width(1);
    transformer(&name).layers()[0].head_count() as f64 / (neurons * count) as f64
}

fn dead(runs: &Runs) -> Rc<Trained> {
    runs.looked_into("dead-descent", &[0, 100])
}

/// The outputs of the first network are 0 for every example before the first step.
fn is_dead(runs: &Runs) -> bool {
    let (run, network) = (dead(runs), plan("dead-descent").network);
    let (w, examples) = (state(&run, 0).tokens, draw("dead-descent").draw_examples(run.spec.run.seed, 0));
    (0..examples.len()).all(|i| network.compute_output(&w, examples.input(i)) == [0.0])
}

/// Networks of which no weight has changed at any step.
fn unchanged(run: &Trained) -> usize {
    let moved = |replica: usize| {
        run.rows.iter().any(|row| row.measures[ComparisonMeasure::Moved as usize][replica] != 0.0)
    };
    (0..run.spec.run.replicas).filter(|replica| !moved(*replica)).count()
}

/// All measurements and all weights of both runs are the same numbers.
fn the_label_changes_nothing(runs: &Runs) -> bool {
    let (with, without) = (runs.looked_into("query-descent", &[25, 100]), relu(runs));
    let rows = with.rows.iter().zip(&without.rows).all(|(a, b)| {
        (a.step, &a.train_loss, &a.test_loss, &a.measures)
            == (b.step, &b.train_loss, &b.test_loss, &b.measures)
    });
    let weights = [25, 100].iter().all(|step| with.weights(*step) == without.weights(*step));
    rows && weights && with.rows.len() == without.rows.len()
}

/// The sentences.
pub const STATEMENTS: Statements = &[
    (
        "A formula sets the weights of a transformer.",
        Known("theorem 1 and appendix D of Wu et al. 2024; `layers_match_their_matrices_bitwise`"),
    ),
    (
        "Its layers then perform gradient descent on a small network, and the tokens store the weights of this network.",
        On(|runs| {
            let run = relu(runs);
            run.measure("distance", 1) < 1e-14
                && euclidean_distance(&state(&run, 25).tokens, &state(&run, 0).tokens) > 0.1
        }),
    ),
    (
        "The *inner* network is small: it has 88 weights and is fitted to 16 points of the function sin(2x).",
        On(|_| {
            let (draw, network) = (draw("relu-descent"), plan("relu-descent").network);
            (network.weight_count(), draw.example_count()) == (88, 16)
                && (draw.function, draw.frequency) == (TargetKind::Sine, 2.0)
        }),
    ),
    ("The *outer* network is a transformer.", Words),
    (
        "Each token holds one point and all 88 weights of the inner network.",
        On(|_| {
            let layout = TokenLayout::new(&plan("relu-descent").network);
            let [input, label, weights] = [TokenBlock::Input, TokenBlock::Label, TokenBlock::Weights]
                .map(|block| layout.block_range(block).len());
            // The input is x and the constant 1.
            [input, label, weights] == [2, 1, 88]
        }),
    ),
    (
        "A formula of the paper sets the transformer's own weights.",
        Known("theorem 1 and appendix D of Wu et al. 2024; `layers_match_their_matrices_bitwise`"),
    ),
    (
        "Which weights will change while the loss of the inner network falls?",
        On(|runs| token_loss(&relu(runs), 25) < 0.5 * token_loss(&relu(runs), 0)),
    ),
    (
        "The weights in the tokens.",
        On(|runs| euclidean_distance(&state(&relu(runs), 25).tokens, &state(&relu(runs), 0).tokens) > 0.1),
    ),
    (
        "Only the weights in the tokens.",
        Known(
            "a step reads the layers and writes tokens: `Layer::apply` takes the layer by a shared reference",
        ),
    ),
    (
        "The transformer is not trained: its own weights never change.",
        Known(
            "they follow from the settings alone: `Transformer::new`; the state of a run holds no weight of theirs",
        ),
    ),
    (
        "One pass through 10 layers of the transformer changes the weights in the tokens in the same way as one step of gradient descent.",
        On(|runs| {
            let run = relu(runs);
            let same = |step: u64| run.measure("distance", step) < 1e-14 && run.measure("moved", step) > 0.01;
            transformer("relu-descent").layers().len() == 10 && (1..=25).all(same)
        }),
    ),
    (
        "So 25 steps of gradient descent take 250 layers.",
        Known("25 times 10 layers, and a step has 2N + 4 = 10"),
    ),
    ("The panel \"Inside one step\" shows one token after each of the 10 layers.", Words),
    (
        "Together, these layers perform backpropagation and one step of gradient descent.",
        On(|runs| relu(runs).measure("distance", 1) < 1e-14),
    ),
    (
        "One kind of layer is not part of an ordinary transformer: a *product layer* multiplies numbers of one token with each other.",
        Known("definition 6 of Wu et al. 2024; `attention_weights_explain_the_output_of_a_head`"),
    ),
    (
        "The chart \"Tokens, number by number\" shows all tokens after the layer that is chosen in the panel.",
        Known("`tokens_are_those_after_the_layer_that_is_shown`"),
    ),
    (
        "Three layers of attention compute the outputs p of the inner network.",
        On(|_| {
            are(
                0,
                &[LayerPhase::Forward(1), LayerPhase::Forward(2), LayerPhase::Forward(3)],
                LayerKind::Attention,
            )
        }),
    ),
    (
        "A fourth layer of attention computes the slopes r′ of the ReLUs.",
        On(|_| are(3, &[LayerPhase::Derivatives], LayerKind::Attention)),
    ),
    (
        "An MLP writes the gradient g of the loss.",
        On(|_| are(4, &[LayerPhase::LossGradient], LayerKind::Feedforward)),
    ),
    (
        "Three product layers compute the errors s, from the last layer of the inner network back to the first layer.",
        On(|_| {
            are(
                5,
                &[LayerPhase::Backward(3), LayerPhase::Backward(2), LayerPhase::Backward(1)],
                LayerKind::Product,
            )
        }),
    ),
    (
        "Another layer of attention subtracts the gradient, multiplied by the learning rate, from the weights w, and an MLP sets p, r′, g and s to 0 again.",
        On(|_| {
            are(8, &[LayerPhase::Step], LayerKind::Attention)
                && are(9, &[LayerPhase::CleanUp], LayerKind::Feedforward)
        }),
    ),
    (
        "The paper calls the product layer EWML, and also says that ordinary transformers do not have such a layer.",
        Known("Wu et al. 2024, definition 6, among the sources of the story"),
    ),
    ("Why does every token hold the same weights w?", Words),
    (
        "The layer that changes w adds a mean over all tokens to the weights w in each token.",
        Known(
            "equation D.16 of Wu et al. 2024; `after_a_step_the_workspace_is_0_and_all_tokens_have_equal_weights`",
        ),
    ),
    (
        "The token of the query adds 0 to the sum over all tokens, so the layer that changes w computes a mean over the examples, as in gradient descent.",
        Known(
            "the errors of the query are 0: `after_a_step_the_workspace_is_0_and_all_tokens_have_equal_weights`; the factor (n + 1)/n of equation D.16",
        ),
    ),
    (
        "Only attention layers combine different examples; the MLPs and the product layers work on each token by itself.",
        Known("definitions 6, 7 and 8 of Wu et al. 2024; `layers_match_their_matrices_bitwise`"),
    ),
    ("The page also runs direct gradient descent on the same inner network.", Words),
    (
        "The chart shows the distance between the weights of direct gradient descent and the weights in the tokens.",
        Words,
    ),
    (
        "For many steps the distance will be as small as rounding errors.",
        On(|runs| jumps_after_many_steps(&relu(runs))),
    ),
    ("At a later step the distance will jump.", On(|runs| jumps_after_many_steps(&relu(runs)))),
    ("What will cause the jump in the distance?", Words),
    ("The input of a ReLU comes very close to 0.", On(|runs| is_in_the_band_at_the_jump(&relu(runs)))),
    ("The true slope of a ReLU jumps from 0 to 1.", Known("the derivative of max(z, 0) on either side of 0")),
    (
        "The transformer computes this slope as a sum of other ReLUs.",
        Known("equation D.12 of Wu et al. 2024: σ(z/δ) − σ(z/δ − 1)"),
    ),
    (
        "A sum of ReLUs is continuous, so it cannot jump: the computed slope rises from 0 to 1 within a band of width 0.0001.",
        On(|_| plan("relu-descent").approximation.delta == 0.0001),
    ),
    (
        "If the input of a ReLU is in this band for some example, the transformer computes a wrong slope in this step.",
        Known("for 0 < z < δ the sum of ReLUs is z/δ, and the slope is 1"),
    ),
    (
        "The chart also shows a second distance: between the weights of direct gradient descent in single precision and in double precision.",
        Words,
    ),
    (
        "Before the jump, this second distance is much larger than the distance between the weights of direct gradient descent and the weights in the tokens.",
        On(|runs| {
            let run = relu(runs);
            let of = |slug: &str, step: u64| run.measure(slug, step);
            (1..jump(&run)).all(|step| of("single-distance", step) > 1e4 * of("distance", step))
        }),
    ),
    ("In this sweep the activation of the inner network is tanh.", Words),
    ("A piecewise linear function approximates tanh.", Known("`Relus` of a smooth activation; definition 4")),
    (
        "The number of linear pieces goes from 8 to 128.",
        On(|_| axis_positions(&decoded("knots-descent").run.sweep) == LINES.map(|count| count as f64)),
    ),
    (
        "For each neuron of the inner network, each linear piece of this function needs about one attention head.",
        On(|_| LINES.iter().all(|count| (0.85..1.15).contains(&heads_of_a_line(*count)))),
    ),
    (
        "How will the distance between the weights in the tokens and the weights of direct gradient descent change when the number of linear pieces doubles?",
        Words,
    ),
    ("The distance falls to a quarter of its value.", Preset("knots-descent")),
    (
        "When the number of linear pieces doubles, the distance falls on average to about a quarter.",
        On(falls_to_about_a_quarter),
    ),
    (
        "If a straight line approximates a piece of a smooth curve, the error grows with the square of the line's length.",
        Known("Taylor's theorem; `the_interpolation_error_falls_with_the_square_of_the_number_of_knots`"),
    ),
    (
        "The paper's theorem guarantees only a much slower decrease of the error.",
        Known("theorem 1 of Wu et al. 2024 has Õ(ε⁻²) heads for an error ε, and 1/M² needs ε^(−1/2)"),
    ),
    (
        "Press Play: the five runs take at most a few seconds.",
        Known("measured: 0.1 s on one core from the command line"),
    ),
    (
        "In this run the inner network has 6 layers, and one step of gradient descent needs 16 layers of the transformer.",
        On(|_| {
            let transformer = transformer("six-layer-descent");
            (transformer.layout().network().layer_count(), transformer.layers().len()) == (6, 16)
        }),
    ),
    (
        "This inner network has more weights than the inner network of three layers, so the tokens are longer.",
        On(|_| {
            let [six, three] = ["six-layer-descent", "relu-descent"].map(|name| plan(name).network);
            six.weight_count() > three.weight_count()
                && TokenLayout::new(&six).len() > TokenLayout::new(&three).len()
        }),
    ),
    (
        "The examples and the learning rate are the same for both networks.",
        On(|_| {
            let [six, three] = ["six-layer-descent", "relu-descent"]
                .map(|name| (draw(name), decoded(name).run.seed, plan(name).learning_rate));
            six == three
        }),
    ),
    (
        "In the paper and in this run, all initial weights of the inner network are 0.",
        Known("problem 2 of Wu et al. 2024 begins with w(0) = 0"),
    ),
    ("How will the loss of the inner network change?", Words),
    ("The loss does not change.", On(the_loss_of_zeros_stays)),
    ("The loss does not change.", On(the_loss_of_zeros_stays)),
    (
        "The inner network has no biases.",
        Known("definition 1 of Wu et al. 2024: p(j)[k] = r(⟨v(j,k), p(j−1)⟩)"),
    ),
    (
        "If all weights are 0, the outputs of all layers of the inner network are 0, and every entry of the gradient contains a factor that is 0.",
        Known(
            "each gradient is an error times an output, and both contain weights: `weights_of_0_never_change`",
        ),
    ),
    (
        "So neither direct gradient descent nor the transformer changes the weights.",
        On(|runs| {
            let run = runs.looked_into("zero-descent", &[0, 100]);
            let (first, last) = (state(&run, 0), state(&run, 100));
            first.tokens.iter().all(|w| *w == 0.0)
                && (first.tokens, first.direct) == (last.tokens, last.direct)
        }),
    ),
    (
        "In the paper's definition, the output layer of the inner network also has the activation function.",
        Known("definition 1 of Wu et al. 2024"),
    ),
    ("If this function is a ReLU, the output can be 0 for every example.", On(is_dead)),
    (
        "Then the gradient is 0, and gradient descent changes no weight.",
        On(|runs| {
            let run = dead(runs);
            let (first, last) = (state(&run, 0), state(&run, 100));
            is_dead(runs) && (first.tokens, first.direct) == (last.tokens, last.direct)
        }),
    ),
    (
        "In this run, gradient descent changes no weight for five of twenty random sets of initial weights.",
        On(|runs| (unchanged(&dead(runs)), dead(runs).spec.run.replicas) == (5, 20)),
    ),
    ("The last token is the query: it has an input and no label.", Words),
    (
        "In this run, the entry for the label in the query's token holds 7 instead of 0.",
        On(|_| draw("query-descent").query_label == 7.0),
    ),
    (
        "All other numbers in the tokens are the same as in a run with the label 0 in the query's token.",
        On(the_label_changes_nothing),
    ),
    (
        "In each token, an entry t is 1 for an example and 0 for the query.",
        Known("`a_new_token_holds_its_example_the_weights_and_a_zero_workspace`"),
    ),
    (
        "In a token with t = 0, the layer that computes the loss gradient subtracts a large number before its ReLU, so the loss gradient in this token is 0.",
        Known(
            "equation D.14 of Wu et al. 2024; `the_order_of_examples_and_the_label_of_the_query_change_nothing`",
        ),
    ),
    (
        "The runs show that a transformer with product layers *can* carry out gradient descent on a network with several layers.",
        On(|runs| {
            let run = relu(runs);
            run.measure("distance", 25) < 1e-14 && run.measure("moved", 25) > 0.1
        }),
    ),
    (
        "The runs do not show that trained transformers work in this way.",
        Known("no transformer of this lab is trained"),
    ),
    (
        "The page executes the transformer that the paper constructs in its proof.",
        Known("appendix D of Wu et al. 2024; `layers_match_their_matrices_bitwise`"),
    ),
    ("The page also shows how large the tokens are.", Words),
    (
        "Every token holds all weights of the inner network, so the length of a token grows with the square of the inner network's width.",
        Known(
            "between two hidden layers of width m are m² weights; all other numbers of a token grow with m",
        ),
    ),
    ("To try next: open “The width δ of the band with a wrong ReLU slope” and compare the distances.", Words),
    ("Or open “The examples in another order”: does the order matter?", Words),
];

/// Both losses are the same number at every step.
fn the_loss_of_zeros_stays(runs: &Runs) -> bool {
    let run = runs.looked_into("zero-descent", &[0, 100]);
    run.rows.len() > 100
        && run
            .rows
            .iter()
            .all(|row| (&row.train_loss, &row.test_loss) == (&run.rows[0].train_loss, &run.rows[0].test_loss))
}

#[test]
fn what_it_says_is_so() {
    hold("a-network-inside-a-network");
}
