//! More neurons, fewer examples.

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    ("Three of 30 bits are relevant, and there are 4,060 sets of three bits.", Words),
    ("To find the right set, a network can use more examples, more steps, more neurons, or luck.", Words),
    (
        "This map has sample sizes from left to right and widths from top to bottom; each cell is ten networks.",
        Words,
    ),
    ("Which networks will need the fewest examples?", Words),
    ("Wide networks.", Words),
    ("Wide networks.", Words),
    ("With 2,000 examples networks of all widths succeed.", Words),
    (
        "With 600 examples the wide networks succeed, and with 300 examples hardly any network succeeds.",
        Words,
    ),
    ("More neurons help even where the network already has more parameters than examples.", Words),
    ("Press Play: the map fills in about half a minute.", Words),
    ("Now all networks get 400 examples, and there are twenty networks for each width.", Words),
    ("Of the networks with 10 neurons, at most 20 % find the bits.", Words),
    ("Of the networks with 300 neurons, at least 65 % find the bits.", Words),
    (
        "The networks of the second curve have other initial weights: each neuron starts with ones on two random bits and zeros elsewhere.",
        Words,
    ),
    ("At width 300 at least 85 % of these networks succeed.", Words),
    ("We can call a start with two ones a bet on two bits.", Words),
    ("A wide layer makes many bets at once.", Words),
    ("Press Play.", Words),
    ("Here are a hundred neurons, each with a bet on two bits of 30.", Words),
    ("Four bits are relevant, and every step has new examples.", Words),
    ("In about one bet in seventy, both bits are relevant.", Words),
    ("Before you train: which neurons will be the strongest at the end?", Words),
    ("The neurons with relevant bits in their bet.", Words),
    ("The neurons with relevant bits in their bet.", Words),
    (
        "The bars are the norms of the strongest neurons, and the line gives the number of relevant bits in the bet of each neuron.",
        Words,
    ),
    ("Take the five strongest neurons, reset them to their initial weights, and remove the others.", Words),
    ("Train the five neurons alone twenty times, on twenty orders of data.", Words),
    ("For comparison, train five random neurons, also twenty times.", Words),
    ("How often will the error of the five strongest neurons fall below 30 %?", Words),
    ("Every time.", Words),
    ("Every time, in this experiment.", Words),
    ("With random neurons, the error falls below 30 % in 15 to 65 % of the runs.", Words),
    ("The wide network succeeded because it contained these five neurons.", Words),
    ("Press Play.", Words),
    (
        "The panel *Width and initial weights* under a run does the same with any network of this kind that you train.",
        Words,
    ),
    ("Here are a thousand networks of one neuron each.", Words),
    ("Each neuron starts with nine ones on 30 bits.", Words),
    ("Two bits are relevant, and training is a single step on 1,024 examples.", Words),
    (
        "If both relevant bits are among the nine, the step moves the weights on these two bits farther than all other weights.",
        Words,
    ),
    (
        "If not, the gradient has a signal on at most one of the two bits; on the other bit there is only noise.",
        Words,
    ),
    ("One row in twelve is good.", Words),
    ("For any other row, one step hardly ever reveals both bits.", Words),
    (
        "The panel *Width and initial weights* shows the probabilities for other numbers of bits and ones.",
        Words,
    ),
    ("Lines show the theory, points show random batches.", Words),
    ("Can the first layer be so wide that it need not be trained at all?", Words),
    ("Its neurons are then fixed features, and only the second layer is trained.", Words),
    (
        "A network of a hundred trained neurons is right on all held-out examples after a few hundred steps.",
        Words,
    ),
    ("What will 3,000 neurons learn if their random initial weights stay fixed?", Words),
    ("Hardly anything.", Words),
    ("Hardly anything.", Words),
    (
        "The networks are hardly better than random guessing: in 6,000 steps no network reaches an accuracy of 90 %.",
        Words,
    ),
    (
        "If the number of features, times the squared norm of their weights, is far below 455, the number of sets of three bits, some parity cannot be learned.",
        Words,
    ),
    ("With more features, learning needs more steps and examples instead.", Words),
    ("Open the sweep with fixed neurons, and press Play.", Words),
    (
        "Theory gives a lower bound: the number of parameters times the number of steps times the number of examples must be large enough for the number of possible sets of relevant bits.",
        Words,
    ),
    (
        "By this bound, the settings in the cells with a dotted edge cannot have a success rate of one half.",
        Words,
    ),
    ("Press Play.", Words),
    ("For eight relevant bits of 100 and up to 3,000 examples, the bound excludes this success rate.", Words),
    (
        "With four relevant bits the networks fail as well, although the bound does not exclude success.",
        Words,
    ),
    ("So the bound is far below the cost of learning in practice.", Words),
    ("So width can replace examples: a wider network is more likely to contain lucky neurons.", Words),
    (
        "To try next: open “More data can hurt”, and look for a sample size at which more examples make the result worse.",
        Words,
    ),
    ("Or open “Sparse initialisation on a wide table”.", Words),
];

#[test]
fn what_it_says_is_so() {
    hold("width-luck");
}
