//! Memorise, then understand.

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("The table of addition modulo 31 has 961 entries.", Words),
    ("The network trains on 60 % of these pairs.", Words),
    ("The other pairs are held out: they only test whether the network has learned addition.", Words),
    ("Within 300 steps the network will be right on at least 99 % of the training pairs.", Words),
    ("By step 500, how many of the held-out pairs will be right?", Words),
    ("Hardly any.", Words),
    ("At most 15 % of the held-out pairs.", Words),
    ("The network has memorised the training pairs and has learned almost nothing about the others.", Words),
    ("Compare training accuracy and held-out accuracy.", Words),
    ("The training loss is almost zero.", Words),
    ("In an ordinary project training would stop here, because the network overfits.", Words),
    ("This run goes on.", Words),
    ("How will the answers for the held-out pairs change?", Words),
    ("The answers become right, long after the answers for the training pairs.", Words),
    ("Half of the held-out pairs are right at a step between 1,000 and 4,000.", Words),
    ("In at least nine of ten runs 99 % of the held-out pairs are right by step 6,000.", Words),
    ("This is *grokking*.", Words),
    ("The axis of the training steps is logarithmic.", Words),
    ("On a linear axis memorisation would be squeezed to the left edge.", Words),
    ("The embeddings of the neurons are now waves: each neuron has almost a single frequency.", Words),
    ("The training data did not change, so what changed the weights?", Words),
    ("One candidate is weight decay: at every step it pulls every weight towards zero.", Words),
    ("You will set weight decay to zero and train again.", Words),
    ("What will the network learn?", Words),
    ("The network only memorises the training pairs.", Words),
    (
        "The network memorises the training pairs, and within 6,000 steps it never reaches an accuracy of 20 % on the held-out pairs.",
        Words,
    ),
    ("With these settings weight decay makes the difference.", Words),
    ("Other work has found grokking without weight decay.", Words),
    ("While held-out accuracy is still low, the waves in the network already grow.", Words),
    (
        "A measure can show this growth: keep only the waves of a few *key frequencies* in the outputs, and compute the loss.",
        Words,
    ),
    ("This is the restricted loss.", Words),
    ("The restricted loss falls before held-out accuracy rises.", Words),
    ("The excluded loss is the loss on the training pairs without the key frequencies.", Words),
    ("The excluded loss rises: waves replace the memorised pairs.", Words),
    ("At step 3,000 the restricted loss is below 0.2.", Words),
    ("Does weight decay make any network right on held-out pairs?", Words),
    ("The control is a table filled at random.", Words),
    ("The network can memorise this table.", Words),
    ("Will a network with weight decay answer the held-out pairs right?", Words),
    ("No: the network only memorises the training pairs.", Words),
    ("There is no rule to learn.", Words),
    (
        "At least 99 % of the training pairs are right within 500 steps, but held-out accuracy never reaches 15 %.",
        Words,
    ),
    ("Two solutions fit the training pairs.", Words),
    ("The first solution stores each pair and needs large weights.", Words),
    (
        "The second solution uses waves, needs smaller weights for the same margin, and is right on all pairs.",
        Words,
    ),
    ("Training finds the first solution quickly.", Words),
    ("Weight decay, or a penalty on large weights, then favours the second solution.", Words),
    ("This explanation fits the runs of this story.", Words),
    ("A theorem says that waves give the largest margin.", Words),
    ("Why memorising comes first, and how long the change takes, are open questions.", Words),
    ("Modulo 113 the same happens with a penalty instead of weight decay.", Words),
    (
        "By step 200 the network has memorised the 3,831 training pairs, and at most 5 % of the other pairs are right.",
        Words,
    ),
    ("To try next: open “A penalty instead of weight decay”, or open “A small transformer”.", Words),
    ("Does the network also memorise first?", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("grokking");
}
