//! Is training a lucky guess?

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("Three of 20 bits matter.", Words),
    (
        "There are 1,140 ways to choose three bits of 20, and a set that is only partly right does not help.",
        Words,
    ),
    ("So the search looks like a lottery: guess a set, test the set, guess again.", Words),
    ("A sudden fall of the loss can be misread.", Words),
    ("It may look as if the network guessed at random until one guess was right.", Words),
    ("Suppose that somebody guesses a new random set at every step.", Words),
    ("At which step is the first hit most likely?", Words),
    ("At the very first step.", Words),
    ("At the first step.", Words),
    ("A first hit at step t needs t − 1 misses before step t, so a later first hit is less likely.", Words),
    ("The mean is 1,140 steps, but some guessers succeed at once.", Words),
    (
        "If training were a lottery, some of a thousand networks would find the bits within the first steps.",
        Words,
    ),
    ("Here are a thousand networks, each with its own initial weights and its own data.", Words),
    ("On one processor core the training takes up to a minute.", Words),
    ("How many networks will have found the three bits by step 55?", Words),
    ("Practically no network.", Words),
    ("For at least 99 % of the networks the first hit lies between steps 60 and 250.", Words),
    ("A random guesser would succeed by step 55 with a chance of about one in twenty.", Words),
    (
        "Half of the networks have found the bits by a step between 95 and 135, and the times lie close together.",
        Words,
    ),
    ("The dashed curve is the distribution for random guessing.", Words),
    ("This distribution has its peak at the left edge, where no network has found the bits.", Words),
    ("If training is no lottery, what decides the time: the initial weights or the data?", Words),
    ("Here are 48 neurons: six initialisations, and eight orders of data for each.", Words),
    ("The training takes half a minute on one core.", Words),
    ("Mostly the initial weights.", Words),
    ("Mostly the initial weights.", Words),
    (
        "Differences between the initialisations explain at least half of the variance of the logarithm of the time.",
        Words,
    ),
    ("For a guesser without memory, the start would make no difference.", Words),
    (
        "A guesser needs about n² / 2 guesses for two bits, n³ / 6 for three bits and n⁴ / 24 for four bits.",
        Words,
    ),
    (
        "Press Play: the sweep has fifteen points of twenty networks each, and takes about ten seconds on one core.",
        Words,
    ),
    (
        "For these small n the fitted exponents lie between 0.2 and 1.0 for two bits, 0.8 and 1.6 for three, and 1.4 and 2.4 for four.",
        Words,
    ),
    ("The exponents grow with k, but stay well below k.", Words),
    ("The network is not given the number k.", Words),
    ("Its initial weights do not favour small sets of bits.", Words),
    ("Still, the time is shorter when fewer bits are relevant.", Words),
    (
        "Three of 50 bits are relevant: there are 19,600 sets, and the search takes a few thousand steps.",
        Words,
    ),
    ("For most of these steps the largest weights are not those on the three bits.", Words),
    (
        "Each step moves the weights on the three bits a little in one direction, and all weights much more at random.",
        Words,
    ),
    ("But this direction stays the same, so the small movements add up.", Words),
    ("Theory gives a lower bound.", Words),
    ("Gradient descent learns from noisy averages over data.", Words),
    (
        "On parities, every method that learns from such averages needs a time of about n to a power that grows in proportion to k, or more.",
        Words,
    ),
    ("Stochastic gradient descent comes near this lower bound, although it is not given k.", Words),
    ("So no network gets lucky, and no network needs luck.", Words),
    ("The story “Where is the progress hidden?” shows the progress in the weights.", Words),
    ("To try next: open “Time against label noise”.", Words),
    ("How does the time change when more labels are wrong?", Words),
    ("Or open “Larger n, larger exponent”.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("no-luck");
}
