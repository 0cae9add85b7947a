//! Rounding keeps the margin.

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    (
        "This network is as simple as a deep network can be: 100 weights, one after the other, all equal to 1.",
        Words,
    ),
    ("Its output is the product of the weights.", Words),
    ("The answer is right as long as the product is above 0.5.", Words),
    ("Suppose that all weights change a little at the same time.", Words),
    ("How large must the change be to make the answer wrong?", Words),
    (
        "The size of a change is its norm: the square root of the sum of the squared changes of all weights.",
        Words,
    ),
    ("The norm of the smallest change that makes the answer wrong is called the *all-layer margin*.", Words),
    ("If only one weight changes, this weight must fall to half of its value.", Words),
    ("Such a change has norm 0.5.", Words),
    ("What will the smallest change look like?", Words),
    ("All weights change a little.", Words),
    ("All weights change by the same small amount.", Words),
    (
        "Each weight is then only slightly below 1, but the product of all weights is no longer above 0.5.",
        Words,
    ),
    ("The search finds a change of norm 0.0691.", Words),
    ("The bars show how large the change is in each layer.", Words),
    ("The sweep measures products of 1, 4, 25, 100 and 400 weights.", Words),
    ("What will happen to the margin when the product becomes deeper?", Words),
    ("The margin falls.", Words),
    ("The margin falls: 0.500, 0.318, 0.137, 0.069, 0.035.", Words),
    ("With d weights the margin is √d(1 − 2^(−1/d)), which falls roughly as 1/√d.", Words),
    ("The line in the chart shows this formula.", Words),
    ("Press Play.", Words),
    ("The page runs five searches in a few seconds.", Words),
    (
        "Now each product is rounded before the next weight: a value below 1/3 becomes 0, and a value above 2/3 becomes 1.",
        Words,
    ),
    ("Two ReLUs can compute this rounding.", Words),
    (
        "Rounding removes a small error of one layer before the next layer, so small errors can no longer add up.",
        Words,
    ),
    ("Where will the smallest change be now?", Words),
    ("Nearly all of the change is in one layer.", Words),
    ("Nearly all of the change is in one layer.", Words),
    ("This layer must bring the value below 2/3, and the following layers help a little.", Words),
    ("The search ends at norm 0.4907, which is close to the norm 0.5 for a single weight.", Words),
    (
        "The chart of the norms also shows lower bounds: no change of norm below 0.333 can make the answer wrong if the parameters of rounding stay fixed.",
        Words,
    ),
    ("This is the same sweep, with and without rounding.", Words),
    ("Press Play.", Words),
    ("Without rounding the margin falls from 0.500 to 0.035.", Words),
    ("With rounding the margin is 0.4907 for 4 weights, and also 0.4907 for 400.", Words),
    ("From 4 weights on, the margin no longer depends on the depth, up to rounding of this number.", Words),
    ("The value 0.4924 is sometimes given for this margin.", Words),
    (
        "It is only a first-order approximation, which assumes that the boundary between the two answers is flat.",
        Words,
    ),
    (
        "Any circuit of AND, OR and NOT gates can be written as such a network: each layer of gates becomes two layers of ReLUs with weights −1, 0 and 1.",
        Words,
    ),
    ("The output of the circuit here is 1 if an odd number of the 4 input bits are 1.", Words),
    ("The panel \"Inside the circuit\" shows the gates.", Words),
    ("Press a bit to change this bit.", Words),
    ("The search finds a change of norm 0.158 that flips the answer for the input 1111.", Words),
    ("The search does not prove that there is no smaller change.", Words),
    (
        "But theorem D.6 of the paper proves that no change of norm below 0.0859 flips this answer, as long as the parameters of rounding stay fixed.",
        Words,
    ),
    ("The true margin lies between these two norms.", Words),
    (
        "An exclusive or (XOR) of two bits is made deeper, up to 64 layers, by gates that only copy a value.",
        Words,
    ),
    ("How will the bound of the theorem change when the circuit becomes deeper?", Words),
    ("The bound stays the same.", Words),
    ("The bound stays the same: it is 0.135 at every depth.", Words),
    (
        "Without rounding the theorem gives no bound, and the norm of the smallest change found falls from 0.109 to 0.041.",
        Words,
    ),
    ("Press Play.", Words),
    ("Random noise is less harmful than the worst change of the same norm.", Words),
    (
        "Here every weight of a network for the parity of 8 bits gets random noise of standard deviation σ.",
        Words,
    ),
    ("There are 20 random samples of the noise for each of six values of σ.", Words),
    ("Press Play.", Words),
    ("With σ = 0.03 and rounding, all answers are right in at least half of the samples.", Words),
    (
        "Without rounding, the median share of right answers is about one half, which is no better than guessing.",
        Words,
    ),
    ("With σ = 0.1 rounding no longer helps.", Words),
    (
        "The experiment shows that there *are* weights that compute a circuit and still give the right answer after every change below a certain norm.",
        Words,
    ),
    ("This norm does not depend on the depth of the circuit, but it does depend on the width.", Words),
    (
        "The paper uses this result to bound the number of examples that are enough to learn these circuits.",
        Words,
    ),
    ("The experiment does not show that training finds these weights.", Words),
    ("The weights here are set by hand.", Words),
    ("The paper leaves open how a network with a large margin is found.", Words),
    (
        "To try next: open “Errors that grow from layer to layer”, and then “Errors that rounding removes after each layer”.",
        Words,
    ),
    ("Compare the last layers of the two runs.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("rounding-keeps-the-margin");
}
