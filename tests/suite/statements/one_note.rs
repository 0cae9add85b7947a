//! One frequency per neuron.

use super::Shown::{Known, Preset, Runs as On, Words};
use super::{Runs, Statements, Trained, hold};

/// The sentences.
pub const STATEMENTS: Statements = &[
    (
        "The network gets two numbers a and b from 0 to 22 and must answer with a + b modulo 23, like a clock with 23 hours.",
        Words,
    ),
    ("There are 529 pairs.", Words),
    ("The network trains on all pairs: no pair is held out.", Words),
    ("The network has 200 simple neurons.", Words),
    (
        "Each neuron adds one number for a and one number for b, squares the sum, and adds a multiple of the square to each of the 23 outputs.",
        Words,
    ),
    ("Nothing in the data mentions circles, waves or frequencies.", Words),
    ("To the network the numbers 0 to 22 are only names.", Words),
    ("By now the network seems to have learned everything.", Words),
    ("What will further training do?", Words),
    ("It raises the outputs for the right answers further above the outputs for the wrong answers.", Words),
    (
        "The *margin* is the output for the right answer minus the largest output for a wrong answer, at the worst pair, for weights of a given size.",
        Words,
    ),
    ("The margin keeps growing for a long time.", Words),
    ("A neuron has one number for each of the 23 values of a.", Words),
    ("A Fourier transform writes these numbers as a sum of waves, as it splits a sound into tones.", Words),
    ("There are eleven frequencies.", Words),
    ("How many frequencies will one neuron use at the end?", Words),
    ("One frequency.", Words),
    ("One frequency.", Words),
    ("At step 600 the largest frequency has at least 99.9 % of the power in the median neuron.", Words),
    ("A neuron has weights u for a, v for b and w for the answers.", Words),
    ("All three have the same frequency.", Words),
    ("All eleven frequencies are in use, although each neuron has only one.", Words),
    ("A wave also has a phase: how far the wave is shifted.", Words),
    ("Across neurons the phases of u and v look random.", Words),
    (
        "Within a neuron there is a rule: the phase of w is the sum of the phases of u and v, up to 0.02 radians in the median.",
        Words,
    ),
    ("The square of the sum of two waves contains a wave in a + b.", Words),
    ("Because of the rule, this wave raises the output for the right answer.", Words),
    ("The square also contains terms that depend on a alone, on b alone or on a − b.", Words),
    ("In the sum over the neurons of one frequency these terms cancel.", Words),
    ("A peak at a + b remains.", Words),
    ("Must a network that is right on every pair consist of waves?", Words),
    ("The network in this run is not trained: a formula gives its weights.", Words),
    ("It has two neurons for each of the 529 pairs.", Words),
    ("Together these two neurons change the outputs for this pair only.", Words),
    ("The spectra of all neurons are flat.", Words),
    ("The network is right on every pair.", Words),
    ("How large is its margin?", Words),
    ("About a quarter of the margin of a network of waves.", Words),
    ("The margin is 28 % of the largest possible margin.", Words),
    ("So right answers do not require waves, but the largest margin requires waves.", Words),
    ("The dashed line in the chart of the margin is not fitted to the run.", Words),
    (
        "If the modulus p is an odd prime, theory gives the largest normalised margin exactly, for the square activation and the norm used here.",
        Words,
    ),
    (
        "Theory also says what every network with this margin looks like: one frequency per neuron, phases that add up, all frequencies in use.",
        Words,
    ),
    ("At step 600 the margin differs from this line by less than a thousandth.", Words),
    ("Theory proves that 88 neurons suffice for the largest margin, eight for each frequency.", Words),
    ("This network has 88 neurons.", Words),
    ("Each neuron ends with one frequency.", Words),
    (
        "But some frequencies get too few neurons, and the margin stays between 70 and 97 % of the largest possible margin.",
        Words,
    ),
    ("The theorem says which networks have the largest margin.", Words),
    ("The theorem does not say that training finds these networks.", Words),
    ("The last control is a table that is not addition: a² + ab + b² modulo 23.", Words),
    ("The same network learns this table.", Words),
    (
        "This time no frequency dominates: the largest frequency has at most 60 % of the power in the median neuron.",
        Words,
    ),
    ("So the waves came from the structure of addition, not from the network.", Words),
    ("To try next: open “Six permutations: S3” or “The rotations of a cube: S4”.", Words),
    (
        "In these groups the order of the two elements matters, and irreducible representations replace frequencies.",
        Words,
    ),
];

#[test]
fn what_it_says_is_so() {
    hold("one-note");
}
