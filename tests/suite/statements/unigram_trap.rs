//! The unigram trap.

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("Each sequence comes from a different *Markov chain* on three symbols.", Words),
    ("The chain gives, for each symbol, the probabilities of the next symbol.", Words),
    ("The same chain never occurs twice, so the network cannot memorise the chains.", Words),
    (
        "To predict the next symbol of a sequence, the network must use the earlier symbols of the same sequence.",
        Words,
    ),
    (
        "The chart shows how far the prediction of the network is from the true distribution, as KL divergence.",
        Words,
    ),
    (
        "The horizontal lines show three strategies: give all symbols the same probability (*uniform*), count how often each symbol has occurred (*unigrams*), or count what has followed the current symbol (*bigrams*).",
        Words,
    ),
    ("Which strategy will the network learn first?", Words),
    ("Unigrams first, bigrams later.", Words),
    ("Unigrams first.", Words),
    (
        "At step 240 the KL of the network differs from the KL of the unigram strategy by at most a tenth.",
        Words,
    ),
    ("Now the KL stays near the line of unigrams and falls only slowly.", Words),
    (
        "Counting symbols is a good strategy, but also a trap: near this strategy, small changes of the weights hardly reduce the loss.",
        Words,
    ),
    ("How will the network leave the plateau?", Words),
    ("In a second drop, less steep than the first.", Words),
    ("In a second drop, less steep than the first.", Words),
    (
        "The KL is half-way between the lines of unigrams and bigrams at a step between 400 and 800, depending on the seed.",
        Words,
    ),
    ("At step 1,000 the KL is 1.3 to 1.9 times the KL of the bigram strategy.", Words),
    ("This run has two symbols instead of three, and a larger learning rate.", Words),
    ("It shows the same stages in 400 steps.", Words),
    (
        "The first layer has learned to attend to the previous symbol: at the end this symbol gets at least 95 % of its attention.",
        Words,
    ),
    (
        "At the last symbol, the second layer attends to the symbols that followed earlier occurrences of the last symbol: these symbols get at least 85 % of its attention.",
        Words,
    ),
    (
        "Together the two layers are an *induction head*: they find what followed the current symbol earlier.",
        Words,
    ),
    ("Neither layer is useful without the other layer.", Words),
    (
        "The second layer can find these positions only if the first layer has stored, at each position, which symbol came before.",
        Words,
    ),
    ("The first layer gives a weight to each distance between two symbols.", Words),
    ("While the loss falls only slowly, these weights can change.", Words),
    ("Which distances will get more weight on the plateau?", Words),
    ("Odd distances more than even distances.", Words),
    ("Odd distances.", Words),
    ("Each odd distance up to 5 has more weight than the next smaller even distance.", Words),
    ("There is a theory for a smaller model.", Words),
    (
        "In this theory the difference between odd and even distances appears in the second step of gradient descent, after the second layer has begun to compare symbols.",
        Words,
    ),
    ("At the end of training distance 1 has the largest weight.", Words),
    ("The loss shows this progress only later.", Words),
    ("In the previous runs two layers together formed the induction head.", Words),
    ("This network has only one layer, and trains for about four times as many steps.", Words),
    ("Where will its KL be at the end?", Words),
    ("Near the line of unigrams.", Words),
    ("Near the line of unigrams.", Words),
    ("At step 1,500 the KL is 0.8 to 1.0 times the KL of the unigram strategy.", Words),
    ("The KL never gets half-way to the line of bigrams.", Words),
    (
        "In *doubly stochastic* chains all symbols are equally frequent in the long run, so counting symbols does not help.",
        Words,
    ),
    ("This network trains on doubly stochastic chains.", Words),
    ("It is tested on chains in which each row of the transition matrix is sampled independently.", Words),
    ("Most networks learn the bigram strategy without a plateau at the KL of the unigram strategy.", Words),
    ("If half of the training sequences have independent symbols, counting symbols helps again.", Words),
    ("Then the plateau is back, and the network needs more than twice as many steps.", Words),
    ("So unigrams are not a necessary step towards bigrams.", Words),
    ("The network learns unigrams first because unigrams reduce the loss at once.", Words),
    ("To try next: open “Do unigrams delay bigrams?", Words),
    ("Forty seeds each”.", Words),
    (
        "Or open “The minimal model: diagonal W, alternating v”, and compare odd distances with even distances.",
        Words,
    ),
];

#[test]
fn what_it_says_is_so() {
    hold("unigram-trap");
}
