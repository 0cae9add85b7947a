//! A network inside a network.

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("Two networks are on this page.", Words),
    ("The *inner* network is small: 88 weights, fitted to 16 points of sin(2x).", Words),
    ("The *outer* network is a transformer.", Words),
    ("Each of its tokens holds one point and all 88 weights of the inner network.", Words),
    ("A formula of the paper sets the transformer's own weights.", Words),
    ("The loss of the inner network will fall.", Words),
    ("Which weights will change?", Words),
    ("The weights in the tokens.", Words),
    ("Only the weights in the tokens.", Words),
    ("The transformer is not trained: its own weights never change.", Words),
    (
        "One pass through 10 layers of the transformer changes the weights in the tokens in the same way as one step of gradient descent.",
        Words,
    ),
    ("25 steps are 250 layers.", Words),
    ("The panel \"Inside one step\" shows one token after each of the 10 layers.", Words),
    (
        "The chart \"Tokens, number by number\" shows all tokens after the layer that is chosen in the panel.",
        Words,
    ),
    ("Three layers of attention compute the outputs p of the inner network.", Words),
    ("A fourth layer of attention computes the slopes r′ of the ReLUs.", Words),
    ("An MLP writes the gradient g of the loss.", Words),
    (
        "Three product layers compute the errors s, from the last layer of the inner network to the first.",
        Words,
    ),
    (
        "Another layer of attention subtracts the gradient from w, and an MLP sets p, r′, g and s to 0 again.",
        Words,
    ),
    ("Together, these layers perform backpropagation and one step of gradient descent.", Words),
    (
        "One kind of layer is not part of an ordinary transformer: a *product layer* multiplies numbers of one token with each other.",
        Words,
    ),
    (
        "The paper calls this layer EWML, and also says that ordinary transformers do not have such a layer.",
        Words,
    ),
    ("Why does every token hold the same weights w?", Words),
    ("The layer that changes w computes a mean over all tokens and adds the result in each token.", Words),
    (
        "The query adds 0 to this mean, so the layer computes a mean over the examples, as in gradient descent.",
        Words,
    ),
    ("Only attention combines different examples; all other layers work on each token by itself.", Words),
    ("The page also runs direct gradient descent on the same inner network.", Words),
    (
        "The chart shows the distance between the weights of direct descent and the weights in the tokens.",
        Words,
    ),
    ("For many steps the distance will be only rounding error.", Words),
    ("At a later step it will jump.", Words),
    ("What will happen at the jump?", Words),
    ("The input of a ReLU comes near 0.", Words),
    ("The slope of a ReLU jumps from 0 to 1.", Words),
    ("The transformer computes the slope as a sum of ReLUs.", Words),
    (
        "Such a sum is continuous, so it cannot jump: it rises from 0 to 1 within a band of width 0.0001.",
        Words,
    ),
    ("If the input of a ReLU is in this band for some example, the slope is wrong in this step.", Words),
    ("The chart also shows direct descent in single precision.", Words),
    (
        "Before the jump, rounding in single precision causes a much larger distance than the transformer does.",
        Words,
    ),
    ("Now the activation of the inner network is tanh.", Words),
    ("A curve of straight lines approximates tanh.", Words),
    ("For each neuron, each line of this curve needs about one attention head.", Words),
    ("The sweep goes from 8 lines to 128.", Words),
    ("How will the distance to direct descent change when the number of lines doubles?", Words),
    ("The distance falls to a quarter.", Words),
    ("The distance falls to about a quarter.", Words),
    (
        "When a straight line approximates a piece of a smooth curve, the error grows with the square of the line's length.",
        Words,
    ),
    ("The bound in the paper's theorem is much weaker.", Words),
    ("Press Play: the five runs take a few seconds.", Words),
    ("For an inner network of 6 layers, a step needs 16 layers of the transformer.", Words),
    ("The inner network has more weights, so the tokens are longer.", Words),
    ("The examples and the learning rate are the same.", Words),
    ("In the paper all initial weights in the tokens are 0.", Words),
    ("How will the loss change?", Words),
    ("The loss does not change.", Words),
    ("The loss does not change.", Words),
    ("The inner network has no biases.", Words),
    ("With weights of 0 all its outputs are 0, and every gradient contains a factor that is 0.", Words),
    (
        "So direct gradient descent does not change the weights, and the transformer does not change them either.",
        Words,
    ),
    ("In the paper's definition, the output layer of the inner network has the activation, too.", Words),
    ("If this activation is a ReLU, the output can be 0 for every example.", Words),
    ("Then no weight changes.", Words),
    ("This happens for five of twenty random sets of initial weights.", Words),
    ("The last token is the query: it has an input and no label.", Words),
    ("In this run, the entry for the label in the query's token holds 7.", Words),
    ("A number t in each token is 1 for an example and 0 for the query.", Words),
    (
        "Where t is 0, the layer of the loss gradient subtracts a large number before its ReLU, so the result is 0.",
        Words,
    ),
    ("All other numbers are the same as with the label 0.", Words),
    ("The page executes the construction of the proof.", Words),
    (
        "The runs show that a transformer with product layers *can* carry out gradient descent on a network with several layers.",
        Words,
    ),
    ("The runs do not show that trained transformers work in this way.", Words),
    ("The page also shows the cost.", Words),
    (
        "Every token holds all weights of the inner network, so the length of a token grows with the square of the inner network's width.",
        Words,
    ),
    (
        "To try next: open “The band δ of the ReLU”, and compare the distances for different widths of the band.",
        Words,
    ),
    ("Or open “The examples in another order”: does the order of the tokens matter?", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("a-network-inside-a-network");
}
