//! What training finds.

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("A Turing machine with two states runs on a tape of random symbols.", Words),
    (
        "At each step the network reads two things: the state of the machine and the symbol under the head.",
        Words,
    ),
    ("The network predicts the state and the symbol of the next step.", Words),
    ("The tape is not part of its input.", Words),
    (
        "When the head comes to a new cell, the symbol is 0 or 1 with probability 1/2 each, and no network can predict this symbol.",
        Words,
    ),
    ("When the head returns to a cell, the symbol is the last one that the machine wrote there.", Words),
    ("The network has read the step that wrote this symbol.", Words),
    ("How many symbols on written cells will a network of two small layers predict correctly?", Words),
    ("Nearly all symbols.", Words),
    ("Nearly all symbols.", Words),
    ("After 300 steps of training at least 98 % of these predictions are right.", Words),
    (
        "The chart shows the share of each layer's attention on the step that wrote the cell, if this step was four or more steps ago.",
        Words,
    ),
    ("Uniform attention over all steps would give this step a share of 3 to 5 %.", Words),
    ("Both layers have a share between 2 and 10 %.", Words),
    ("This suggests that the network mostly makes its predictions without attention to the write.", Words),
    (
        "Such attention is not necessary: a small machine repeats itself, so the last few steps determine most symbols on the tape.",
        Words,
    ),
    (
        "In this run the next state is chosen uniformly at random at every step, so the last few steps no longer determine the symbols.",
        Words,
    ),
    ("There are four states, one for each pair of a symbol to write and a direction.", Words),
    ("Now the head does a random walk and writes random symbols.", Words),
    ("Only the most recent write to a cell determines the symbol there.", Words),
    ("Which writes will the network learn to use?", Words),
    ("Recent writes, but not old writes.", Words),
    ("Recent writes, but not old writes.", Words),
    (
        "If the write was two steps ago, at least 99 % of the symbols are right; if the write was four steps ago, at least 98 %.",
        Words,
    ),
    (
        "For writes ten to sixteen steps ago, between 68 and 90 % of the symbols are right, and for writes 18 or more steps ago, between 45 and 75 %.",
        Words,
    ),
    ("A guess is right half of the time.", Words),
    (
        "The head mostly returns to a cell after a few steps, so 95 to 99 % of the symbols on all written cells are right.",
        Words,
    ),
    ("The errors on cells that were written long ago have little influence on this average.", Words),
    ("In the first layer, one attention head has between 20 and 60 % of its attention on the write.", Words),
    ("The input of this layer has only tokens and distances.", Words),
    (
        "A write four steps ago is always at the same distance, so an attention head can attend to this step without information about the cell of the machine's head.",
        Words,
    ),
    ("The second layer differs from one network to the next.", Words),
    ("In this run the second layer has less than uniform attention on the write.", Words),
    (
        "With some other seeds, one head of this layer has several times as much attention on the write as uniform attention.",
        Words,
    ),
    ("The network is also tested on runs eight times as long as in training.", Words),
    ("It reads the last 32 steps of such a run.", Words),
    ("Of the symbols on cells that were written within these steps, 93 to 99 % are right.", Words),
    (
        "A third layer changes little: at least 98 % of the symbols are right if the write was four steps ago, and between 45 and 80 % if the write was 18 or more steps ago.",
        Words,
    ),
    ("Wei, Chen and Ma construct a transformer that finds the most recent write at any distance.", Words),
    ("It does a binary search with one layer for each bit of the step number.", Words),
    (
        "This construction needs more layers than these networks have, attention to the largest score only, and weights that are chosen by hand.",
        Words,
    ),
    ("Their paper trains no network.", Words),
    ("These runs are ours.", Words),
    ("These runs show the result of a short training of small networks.", Words),
    ("They show nothing about larger networks or longer training.", Words),
    ("To try next: open “A random next state, two layers” and train it with another seed.", Words),
    ("Look at the attention: does the second layer have more attention on the write?", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("what-training-finds");
}
