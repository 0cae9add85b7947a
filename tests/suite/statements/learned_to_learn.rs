//! Learned to learn.

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("A *prompt* is a sequence of points (x, y) of one function.", Words),
    ("Here a prompt has 17 points, and the function is a random network.", Words),
    ("Every prompt has its own function.", Words),
    ("The transformer reads the points from left to right.", Words),
    ("At each x it predicts y from the earlier points.", Words),
    (
        "Every training step uses new prompts with new functions, so no function occurs twice in training.",
        Words,
    ),
    (
        "The panel \"Look into a prompt\" shows a held-out prompt, with a slider for the number of examples.",
        Words,
    ),
    ("Do the weights of the transformer contain the function of a held-out prompt?", Words),
    ("No, only the prompt describes this function.", Words),
    ("No.", Words),
    ("The function was sampled for this prompt only.", Words),
    (
        "Everything that the transformer computes about the function is in the activations while the transformer reads the prompt.",
        Words,
    ),
    ("R² compares the squared error with the variance of the labels within a prompt.", Words),
    ("Predicting the mean of the labels has an R² of 0; a perfect prediction has an R² of 1.", Words),
    (
        "The horizontal lines show methods that use only the prompt: ridge regression on (x, 1), nearest neighbours, and a network that is trained on the 16 examples for 100 epochs.",
        Words,
    ),
    ("Where will the transformer's R² be after 4,000 steps?", Words),
    ("Above the R² of ridge regression, near the R² of the network that is trained on the prompt.", Words),
    ("R² is about 0.9.", Words),
    ("The transformer predicts about as well as a network that is trained on these examples.", Words),
    ("For a new function the transformer needs no training, only one pass through its two layers.", Words),
    (
        "The chart of one prompt shows the function, the examples, and the curves that the transformer and other methods predict from these examples.",
        Words,
    ),
    ("Move the slider in the panel from 1 example upwards.", Words),
    ("With one example, the transformer predicts a typical function through this point.", Words),
    ("With more examples, the predicted curve follows the function.", Words),
    ("The weights of the transformer do not change.", Words),
    ("A second slider multiplies the inputs of the prompt by a number.", Words),
    ("The transformer is not trained again.", Words),
    ("Compare its curve with the curves of the methods that use only the prompt.", Words),
    ("The curves do not show *how* the transformer predicts.", Words),
    (
        "The transformer predicts about as well as a trained network, but this does not mean that its layers train a network.",
        Words,
    ),
    ("This transformer has one layer instead of two.", Words),
    ("What will its R² be at the end of training?", Words),
    ("Far lower than with two layers.", Words),
    ("R² is far lower than with two layers.", Words),
    ("The x and y of an example are in different tokens.", Words),
    (
        "One layer of attention cannot both combine x with y and compare the x of the question with the x of each example.",
        Words,
    ),
    ("Here the x and y of an example are in the same token.", Words),
    ("The transformer again has one layer.", Words),
    ("Is one layer still too few?", Words),
    ("No, R² is far higher than with one layer and separate tokens.", Words),
    ("One layer is not too few here: R² is above 0.85.", Words),
    ("So a large part of the second layer's work was to combine x with y.", Words),
    ("A comparison of depths also depends on the form of the tokens.", Words),
    ("Here the function of a prompt is a decision tree.", Words),
    ("Each input has four numbers.", Words),
    (
        "The tree tests the sign of one number, then the sign of a second number (or of the same number again).",
        Words,
    ),
    ("So the function has at most four values.", Words),
    ("A prompt has 20 examples and a question.", Words),
    ("Where will the transformer's R² be after 4,000 steps?", Words),
    ("Far above the R² of ridge regression, and above the R² of nearest neighbours.", Words),
    ("The transformer's R² is about 0.7.", Words),
    ("The R² of every other method is at most 0.4.", Words),
    ("The transformer was trained on such trees.", Words),
    ("The other methods do not use the fact that the function is a tree.", Words),
    (
        "In the paper, every number of a training input is sampled from a normal distribution with mean −2.",
        Words,
    ),
    ("The random networks have no biases.", Words),
    ("Which simple method will be good on these inputs?", Words),
    ("An affine fit.", Words),
    ("An affine fit.", Words),
    ("On such inputs the random networks are nearly affine functions.", Words),
    ("Ridge regression on (x, 1) explains most of the variance here.", Words),
    (
        "A figure without the line of ridge regression cannot show whether a method is better than an affine fit.",
        Words,
    ),
    (
        "To try next: open “Prompts longer than in training” or “Inputs narrower and wider than in training”.",
        Words,
    ),
    ("Does the transformer still predict well?", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("learned-to-learn");
}
