//! A machine without a tape.

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("A Turing machine has a tape and a head.", Words),
    (
        "In each step the machine reads the symbol under the head, writes a symbol into this cell, moves the head by one cell and goes to its next state.",
        Words,
    ),
    ("The chart \"Tape of the simulator over time\" shows the tape of a machine with 4 states.", Words),
    ("An ordinary simulator computes this tape.", Words),
    ("The transformer has no tape.", Words),
    ("It writes one token for each step.", Words),
    ("A token consists of 46 numbers.", Words),
    ("A formula from the paper of Wei, Chen and Ma sets the weights of the transformer.", Words),
    ("Nothing is trained.", Words),
    ("Where will the transformer keep the symbols of the tape?", Words),
    ("Not as a tape.", Words),
    (
        "Inside the blocks, each past token holds the symbol that its step wrote and the number of the cell.",
        Words,
    ),
    ("The tape follows from the past tokens.", Words),
    ("The symbol in a cell is the symbol that the last step on this cell wrote.", Words),
    (
        "If no step has written the cell, the cell holds its symbol of the input, or the blank outside the input.",
        Words,
    ),
    (
        "After the last block a token holds only the state, the symbol under the head and the cell of the head.",
        Words,
    ),
    ("For the next step the transformer needs the symbol under the head after the move.", Words),
    ("The last step that wrote this cell wrote this symbol.", Words),
    ("One attention layer finds all steps that wrote the cell, but not the last of these steps.", Words),
    (
        "So the transformer finds the number of the last step bit by bit, beginning with the most significant bit.",
        Words,
    ),
    (
        "Each of 7 attention blocks finds one bit: the bit is 1 if some past step wrote this cell and has a number that begins with the bits found so far, followed by 1.",
        Words,
    ),
    ("The attention also has a null slot, which belongs to no token.", Words),
    ("If no past token fits, the null slot has the largest score, and the bit is 0.", Words),
    ("Why does each block find a bit of the number of the *last* step that wrote the cell?", Words),
    (
        "If the number of some step that wrote the cell begins with the bits found so far, followed by 1, the number of the last write has this 1, too.",
        Words,
    ),
    (
        "Suppose that such a step exists, and that the number of the last write has a 0 instead of this 1.",
        Words,
    ),
    ("Both numbers begin with the same bits, so the last write would have the smaller number.", Words),
    ("Then it would not be the last write.", Words),
    ("The scores do not depend on how recent a token is.", Words),
    ("This machine halts after 107 steps.", Words),
    ("No machine with 4 states and 2 symbols that halts runs longer on an empty tape.", Words),
    ("All 107 tokens agree with the simulator's steps.", Words),
    ("The transformer has 11 blocks: one for each of the 7 bits of a step's number, and 4 more.", Words),
    (
        "These 4 blocks apply the rule, move the head, test whether the cell was written before, and fetch the symbol.",
        Words,
    ),
    ("This machine accepts a word that is the same in both directions.", Words),
    ("Its head moves from one end of the word to the other and erases symbols.", Words),
    ("The same construction gives a transformer for this machine.", Words),
    ("The first block holds the rules of the machine.", Words),
    ("The width of the transformer depends on the numbers of states, symbols and bits.", Words),
    ("The number of blocks depends on the number of bits.", Words),
    (
        "In each run of this sweep the largest number of steps, T, is about twice that of the previous run.",
        Words,
    ),
    ("How many blocks will the transformer need for twice the steps?", Words),
    ("One more block.", Words),
    ("One more block, because the number of a step has one more bit.", Words),
    ("From T = 7 to T = 1,023 the number of blocks grows from 7 to 14.", Words),
    ("Press Play.", Words),
    (
        "Now every weight has a small random error, with a standard deviation of 0.00001 in the first run.",
        Words,
    ),
    ("Rounding after the blocks is off.", Words),
    ("Six networks with different random noise run at the same time.", Words),
    ("How many of the 107 steps will be right?", Words),
    ("About ten steps.", Words),
    ("The first wrong step is about step 9.", Words),
    ("The errors of one step enter the next step, and each step makes these errors larger.", Words),
    ("Press Play.", Words),
    ("In this sweep two ReLUs round each number of a token to 0 or 1 after every block.", Words),
    ("This rounding removes every error below 1/3.", Words),
    ("How much noise will the networks withstand now, compared with the networks without rounding?", Words),
    ("300 times as much noise, or more.", Words),
    ("With a standard deviation of 0.003 all six networks run to the end.", Words),
    ("This is 300 times the noise that was already too much without rounding.", Words),
    ("With 0.03 no network runs to the end.", Words),
    ("Press Play.", Words),
    (
        "The margin of a network is the norm of the smallest change of the weights that changes the answer.",
        Words,
    ),
    ("The paper proves a lower bound of the margin.", Words),
    ("This bound does not depend on the depth.", Words),
    ("The bound gives no information about how often random noise changes the answer.", Words),
    ("With noise of 0.003 all six networks make 50, 200 and 800 steps without an error.", Words),
    (
        "With noise of 0.005 all six networks make 50 steps without an error, but at most two networks make 800 steps without an error, because a rare large error can occur in each further step.",
        Words,
    ),
    ("Press Play.", Words),
    ("Ordinary transformers use softmax instead of a hard maximum.", Words),
    (
        "The largest score exceeds every smaller score by at least 1, so softmax is close to the hard maximum if the inverse temperature β is large.",
        Words,
    ),
    ("With β = 3.5 the endless counter runs 100 steps without an error; 400 steps need β = 5.", Words),
    ("The small attention weights of all other tokens add up, and a longer run has more tokens.", Words),
    ("Press Play.", Words),
    (
        "The experiment shows that a transformer with few blocks *can* run a machine for many steps, and that rounding makes the transformer robust to noise.",
        Words,
    ),
    ("It does not show that training finds this search.", Words),
    ("The paper does not claim this either.", Words),
    ("Other work also compiles programs into transformers.", Words),
    (
        "RASP (Weiss, Goldberg and Yahav) is a language with attention and MLP layers as operations, and Tracr (Lindner and others) compiles RASP programs into weights.",
        Words,
    ),
    ("A compiled program has a fixed number of layers and answers in one pass.", Words),
    ("The construction here sets each weight directly.", Words),
    ("Its attention has a null slot and a hard maximum.", Words),
    (
        "The transformer makes one step of the machine for each token, so it can make many more steps than it has layers.",
        Words,
    ),
    ("To try next: open “Softmax without rounding”, and find the first wrong step.", Words),
    ("Or open “Binary increment”, and follow the carry on the tape.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("a-machine-without-a-tape");
}
