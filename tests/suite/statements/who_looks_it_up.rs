//! How many heads are enough?

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("A prompt has 8 positions.", Words),
    ("Each position has a *token*, here one random number, and *names* two positions.", Words),
    ("The label of a position depends only on its two named tokens.", Words),
    (
        "The label is the sum of their *centred squares*, x² − 1 for a token x, where 1 is the mean of x².",
        Words,
    ),
    ("Each prompt has different numbers and different names.", Words),
    ("The panel \"Look into a prompt\" shows one prompt that was not used in training.", Words),
    ("For each position the panel shows the label and the network's answer.", Words),
    ("Which part of the prompt will the network have to find?", Words),
    ("For each position its two named tokens, which are different in every prompt.", Words),
    ("The two named tokens of each position.", Words),
    ("No position is more important than another.", Words),
    ("The network has learned to look up the token that belongs to a name.", Words),
    ("Change a name in the panel: the answer at this position changes, too.", Words),
    ("This network has one attention head, and each position still names two tokens.", Words),
    ("What will the relative error be at the end?", Words),
    ("Near one half.", Words),
    ("Near one half.", Words),
    ("The output of a head is one weighted mean of the tokens.", Words),
    (
        "A weighted mean of two numbers does not determine the sum of their squares, so half of the variance stays unexplained.",
        Words,
    ),
    ("Theory proves that no network with one such head has a smaller error.", Words),
    ("Now add a second head.", Words),
    ("The run starts again.", Words),
    ("What will the relative error be then?", Words),
    ("Near 0.", Words),
    ("The error falls to a few hundredths of the variance.", Words),
    ("With two heads, there can be one head for each named token.", Words),
    ("Here the label is the mean of the two named tokens instead of their squares.", Words),
    ("There is one head again.", Words),
    ("Is one head enough?", Words),
    ("Yes, one head is enough.", Words),
    ("Yes, one head is enough.", Words),
    ("The label is a weighted mean of the tokens, and one head computes such a mean.", Words),
    ("At the end at least 99 % of the variance is explained.", Words),
    (
        "So the necessary number of heads depends not only on the number of names, but also on the function of the named tokens.",
        Words,
    ),
    ("In this network each position names one of 16 positions.", Words),
    ("The chart shows the sizes of the entries of the query-key matrix.", Words),
    ("This matrix gives the score of a query and a key.", Words),
    ("The query of a position contains the code of the position that it names.", Words),
    ("The key of a position contains the code of the position itself.", Words),
    ("Where will the large entries be after training?", Words),
    ("Inside the outlined block, on its diagonal.", Words),
    (
        "The large entries are in the block that compares the code of a name with the code of a position.",
        Words,
    ),
    ("The proof in the paper uses a matrix of this form.", Words),
    ("Here training has found such a matrix.", Words),
    (
        "Three networks learn the same task: attention, a feedforward network with the whole prompt as its input, and a recurrent network (GRU) that reads the prompt in both directions.",
        Words,
    ),
    ("The horizontal axis counts the *sequences seen*.", Words),
    (
        "How many sequences does each network need to explain half of the variance, with 4, 8 and 16 positions?",
        Words,
    ),
    ("For which network will the number of sequences grow least with the length of the prompt?", Words),
    ("Attention.", Words),
    ("Attention.", Words),
    ("The feedforward network has to learn every pair of a position and a name separately.", Words),
    ("With 16 positions this network has not reached the target after 200,000 sequences.", Words),
    ("The GRU has to store all tokens in its state.", Words),
    ("Press Play to start nine runs.", Words),
    ("They end after about half a minute on one core.", Words),
    ("Now all positions of a prompt name the same token.", Words),
    ("A recurrent network can store this token as soon as the network reads the token.", Words),
    ("The task is easier for all three networks.", Words),
    ("Press Play to start nine runs.", Words),
    ("They end after a few minutes on one core.", Words),
    ("With 9 positions the feedforward network needs the fewest sequences of the three.", Words),
    ("With 49 positions the feedforward network needs three times as many sequences as attention.", Words),
    ("So no network needs the fewest sequences for every task.", Words),
    ("Where each position has its own names, attention needs the fewest sequences.", Words),
    (
        "Where all positions have the same names, attention needs fewer sequences than the feedforward network only if prompts are long.",
        Words,
    ),
    ("To try next: open “Three names, 1 to 4 heads”.", Words),
    ("How many heads does the network need for three names?", Words),
    ("Or open “A memory with one slot for each name”.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("who-looks-it-up");
}
