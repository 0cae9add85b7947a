//! The program in the filter.

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("A learning algorithm needs memory for its examples and time to compute.", Words),
    ("In this network the memory is the first layer: a table W with one row for each example.", Words),
    (
        "All other layers apply the same small filter, with the same weights, to windows of 3 × 3 cells.",
        Words,
    ),
    ("More layers give more time to compute.", Words),
    ("The filter is written down by hand.", Words),
    (
        "The table is trained with plain stochastic gradient descent (SGD), with one example in each step.",
        Words,
    ),
    ("There are eight examples with 6 inputs and a label each.", Words),
    ("The last example is a dummy example: all its inputs and its label are 1.", Words),
    ("The row of the dummy example will hold the test input.", Words),
    ("What will one step of SGD change?", Words),
    ("One row of the table.", Words),
    ("One row of the table.", Words),
    ("Only the table is learned, not the filter.", Words),
    (
        "The filter finds the first empty row, and the derivative of the output with respect to all other rows is 0.",
        Words,
    ),
    (
        "With the learning rate 1/54 the row becomes exactly y[x, 1]/3: the inputs x times the label y, then the label y, all divided by 3.",
        Words,
    ),
    ("After 9 steps the table is full, and its largest deviation from y[x, 1]/3 is 0.", Words),
    (
        "The label of these examples is one of the 6 inputs, and the program has to find out which input.",
        Words,
    ),
    ("Each row of the table is multiplied by the test input, component by component.", Words),
    ("In each layer the new content of a cell depends on the cell and its neighbours.", Words),
    (
        "In the first layer the bottom-right cell detects that the table is full, and receives the head of the program in its start state.",
        Words,
    ),
    ("From this cell a message spreads, one cell further in each layer.", Words),
    ("A cell starts to compute when the message reaches the cell.", Words),
    ("From the second layer on, each layer is one step of the program.", Words),
    (
        "The program checks the columns from right to left, until it finds a column in which all cells have the same sign.",
        Words,
    ),
    ("This sign is the answer.", Words),
    ("The label is equal to one of the inputs.", Words),
    ("In the column of this input, all signs are equal.", Words),
    ("In any other column, all signs are equal only by chance, which is rare.", Words),
    (
        "The program halts after about 115 layers in the median of 20 data sets, with the answer in the top-left cell.",
        Words,
    ),
    (
        "More steps of the program need more layers, but no further parameters of the filter: all layers share one filter.",
        Words,
    ),
    ("In the panel below you can change each number of the test input and run the program again.", Words),
    ("Now the label is a parity: the product of some of the 4 inputs.", Words),
    ("It is not known which inputs these are.", Words),
    (
        "If the value of one of these inputs is missing, the label cannot be predicted better than by random guessing.",
        Words,
    ),
    (
        "But each example is a linear equation modulo two, and Gaussian elimination solves such equations.",
        Words,
    ),
    ("The program for elimination has 47 states.", Words),
    ("Which share of the test inputs will be answered right after the program has halted?", Words),
    ("All test inputs, in the median of 20 data sets.", Words),
    ("All test inputs.", Words),
    (
        "If the examples have full rank, they determine the parity, and Gaussian elimination finds the parity.",
        Words,
    ),
    ("Here a perceptron with one hidden layer is trained on 40 examples of a parity of 8 of 20 bits.", Words),
    ("SGD trains all of its weights.", Words),
    ("How many new inputs will the perceptron answer right?", Words),
    ("About half of the new inputs, as with random guessing.", Words),
    ("About half of the new inputs.", Words),
    (
        "Within 100 steps the perceptron is right on all of its 40 training examples, but it does not learn the parity.",
        Words,
    ),
    ("For Gaussian elimination, 40 examples of a parity of 20 inputs are enough.", Words),
    ("The filter is the same as for the smaller parity, but the program needs about 55,000 layers.", Words),
    (
        "This run is a sweep over twenty-five sizes, from 3 inputs and 6 examples to 10 inputs and 20 examples.",
        Words,
    ),
    ("Press Play.", Words),
    ("With 3 inputs and 6 examples the program needs about 530 layers.", Words),
    ("With 10 inputs and 20 examples it needs about 8,600 layers.", Words),
    ("The filter is the same for all sizes.", Words),
    ("In the paper the filter is not written down by hand.", Words),
    (
        "Its weights are drawn at random again and again, and the filter that is best on validation examples is kept.",
        Words,
    ),
    (
        "This works in principle, because the size of the filter does not depend on the number of inputs and examples.",
        Words,
    ),
    (
        "But the probability of drawing one particular filter is below 10 to the power of minus a hundred thousand, even for programs with two states.",
        Words,
    ),
    ("The panel below has the numbers.", Words),
    ("So the search space here is small.", Words),
    ("A rule gives the new value of a cell from the cell itself and the cell above it.", Words),
    ("Cells are −1, 0 or +1, so a rule has nine entries, and there are 19,683 rules.", Words),
    (
        "Each rule is a learning algorithm: it changes all cells at once, as many times as the table has rows, and the sign of the sum of all cells is the answer.",
        Words,
    ),
    ("Each query has its own unknown bit, its own 15 examples and its own test input.", Words),
    (
        "After 3,000 restarts the chosen rule is right on more than 98 % of the test queries in the median of 20 searches.",
        Words,
    ),
    (
        "The third curve of the chart is the accuracy of the same rule on queries with twice as many inputs and examples.",
        Words,
    ),
    ("Some of the chosen rules reverse the sign of their answer in every layer.", Words),
    ("Such a rule is right only if the number of layers is even.", Words),
    ("With m examples there are m + 1 layers.", Words),
    ("Here this number is even.", Words),
    (
        "With twice as many examples the number of layers is odd, and almost all answers of such a rule are wrong.",
        Words,
    ),
    ("Some rules are easy to understand.", Words),
    (
        "Under the rule named consensus a cell below the top row keeps its sign only under a cell of the same sign; otherwise the cell becomes 0.",
        Words,
    ),
    (
        "A column with equal signs does not change, but in other columns only the cells above the first change of sign are left.",
        Words,
    ),
    ("So the column of the unknown bit dominates the sum.", Words),
    (
        "Under the rule named identity no cell changes, and the sum of all cells is a vote of all examples.",
        Words,
    ),
    (
        "This run is a sweep over six kinds of problem, three without label noise and three with 10 % of the labels wrong.",
        Words,
    ),
    (
        "Without noise consensus is right on about 99 % of the queries about one unknown bit, and the vote on about 93 %.",
        Words,
    ),
    ("Which of the two rules will be better when 10 % of the labels are wrong?", Words),
    ("The vote is better.", Words),
    ("The vote is better.", Words),
    (
        "One wrong label changes one sign in the column of the unknown bit, so under consensus the cells below this sign become 0.",
        Words,
    ),
    ("Consensus is right on about 79 % of the queries, and the vote on about 88 % of the queries.", Words),
    ("Press Play.", Words),
    ("Now the label depends on the side of a random hyperplane on which the input lies.", Words),
    ("With more restarts the accuracy of the chosen rule on the 60 validation queries never falls.", Words),
    (
        "Will the rule chosen after 3,000 restarts be better on the test queries than the rule chosen after 100 restarts?",
        Words,
    ),
    ("No.", Words),
    ("No.", Words),
    ("The chosen rule is the best one on the 60 validation queries partly by chance.", Words),
    ("The more rules are tried, the larger the effect of chance is.", Words),
    ("The median accuracy on the test queries stays between 0.74 and 0.81.", Words),
    (
        "The runs show that a filter of fixed size can contain a learning algorithm, that SGD can write the examples for the algorithm, and that the depth of the network is then the running time of the algorithm.",
        Words,
    ),
    (
        "The runs also show that a search with validation queries can find a learning algorithm if the space of rules is small.",
        Words,
    ),
    (
        "Of all 19,683 rules, between 90 and 130 learn a single bit: they are right on at least 95 % of the queries.",
        Words,
    ),
    ("The runs do not show that gradient descent finds such filters.", Words),
    ("The filters with a program were written by hand, and the rules were found by search.", Words),
    (
        "The paper proves theorems and has no experiments: the programs, their sizes and the space of rules are our choices.",
        Words,
    ),
    ("To try next: open “All 19,683 rules, with label noise”, and look at the chosen rule.", Words),
    ("Or open “No rule learns a parity”.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("the-program-in-the-filter");
}
