//! Why log T?

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("Each example has 100 bits.", Words),
    ("Its label is the AND of 3 of these bits: it says whether all three bits are 1.", Words),
    ("The network is not told which three bits.", Words),
    ("There are 161,700 ways to choose them.", Words),
    ("The network has one layer of attention and one MLP.", Words),
    ("Its output is read at an extra token after the bits.", Words),
    ("The network trains on the same 100 examples at every training step.", Words),
    ("The network learns from its examples.", Words),
    ("What is the smallest number of labels that can identify one of 161,700 sets?", Words),
    ("About 18: each label answers one yes-or-no question.", Words),
    ("18 yes-or-no questions distinguish 262,144 cases.", Words),
    ("Twice as many bits give about eight times as many sets, which need three more questions.", Words),
    ("So the least number of examples grows like the logarithm of the number of bits.", Words),
    ("This number is a lower bound, even for a learner that can try all sets.", Words),
    ("Does a network that is trained with gradients come close to this bound?", Words),
    ("The same network now trains on 20 examples.", Words),
    ("In principle 20 examples are enough.", Words),
    ("What will the network learn?", Words),
    ("Its 20 examples, and little else.", Words),
    ("The network is right on all its 20 examples and wrong on many other examples.", Words),
    ("Many rules fit the 20 examples, and training finds one that is wrong on other examples.", Words),
    ("How does the accuracy change with more examples?", Words),
    ("Take more examples, and train again.", Words),
    ("Here the network has one head and 50 bits.", Words),
    ("The relevant bits are 5, 20 and 30.", Words),
    ("Every dot is the attention weight of one bit in one example.", Words),
    ("At the start the attention is spread over all bits.", Words),
    (
        "After 50 steps at least 80 % of the attention is on the three relevant bits, on average over examples.",
        Words,
    ),
    (
        "The output of the head now depends mostly on these three bits (the *variables*), and the rest of the network needs no other bit.",
        Words,
    ),
    ("How many examples are enough?", Words),
    ("Each cell of the map stands for a number of bits T, a number of examples m and 5 samples.", Words),
    ("On each sample the network is trained 5 times, and the best result counts.", Words),
    ("The examples are enough if 80 % of the samples lead to 99 % accuracy on held-out examples.", Words),
    ("200 bits are eight times as many as 25 bits.", Words),
    ("How many times as many examples will 200 bits need?", Words),
    ("Two or three times as many examples.", Words),
    ("Between 20 and 40 examples are enough for 25 bits, and between 40 and 80 for 200.", Words),
    ("The curve with the logarithm goes through the points.", Words),
    ("The line in proportion to T leaves the chart.", Words),
    ("Press Play: the sweep takes a few minutes, and the points appear one by one.", Words),
    ("The reason is the softmax.", Words),
    (
        "To put nearly all of its attention on 3 positions, a head must give these positions a score that exceeds all other scores by some R.",
        Words,
    ),
    (
        "Each irrelevant position then gets less attention than a relevant position by a factor of e to the R.",
        Words,
    ),
    (
        "Twice as many irrelevant positions need an R that is larger by only 0.69, the natural logarithm of two.",
        Words,
    ),
    ("The weights of a head must grow like R, not like T.", Words),
    (
        "By a theorem, the size of the weights bounds the necessary number of examples, and the number of positions enters this bound only through its logarithm.",
        Words,
    ),
    (
        "Below the charts, under *Heads written by hand*, you can set up such a head: change T, and see which R the head needs.",
        Words,
    ),
    ("What if the weights could be arbitrarily large?", Words),
    ("Then capacity would grow with T.", Words),
    (
        "The same part of the page shows a second construction: 16 heads over 16 positions give all 16 patterns of answers to 4 inputs.",
        Words,
    ),
    ("The weights of these heads grow like the square of T.", Words),
    ("So few examples are enough because the weights stay small, not because there are few weights.", Words),
    ("To try next: open “Layer norm halves the examples needed” and compare its two curves.", Words),
    ("Or open “A transformer suddenly finds 3 of 15 bits”, where the label is a parity.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("log-t");
}
