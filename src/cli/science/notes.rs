//! What is known of figures on which the two differ, or may.

/// A reason, and the figures that it is about.
#[derive(Debug)]
pub struct Note {
    /// Their names.
    pub figures: &'static [&'static str],
    /// Whether they are known to differ by more than is let pass elsewhere.
    pub apart: bool,
    /// The reason.
    pub why: &'static str,
}

/// The note on a figure, if there is one.
pub fn note(figure: &str) -> Option<&'static Note> {
    NOTES.iter().find(|note| note.figures.contains(&figure))
}

/// Every note, in the order of the table.
pub const NOTES: &[Note] = &[
    Note {
        figures: &["B.8 right: Γ at 60", "B.8 right: Γ at 120"],
        apart: true,
        why: "The path was written down for one seed, which is faster than all of 200 seeds here and of a third implementation, made for this question. With the argument of the sine doubled, as in the thesis's section 5.3, it would lie within their range.",
    },
    Note {
        figures: &[
            "look-up 4 (iii): pairs of codes with |⟨ω, ω⟩| > 1/2, N = 12",
            "look-up 4 (iii): pairs of codes with |⟨ω, ω⟩| > 1/2, N = 33",
            "look-up 4 (iii): pairs of codes with |⟨ω, ω⟩| > 1/2, N = 100",
        ],
        apart: false,
        why: "An average over draws there, the exact mean here.",
    },
    Note {
        figures: &["look-up 5.1: squares, q = 2, H = 3 (floor 0)"],
        apart: true,
        why: "With one matrix W_QK for each head PyTorch ends where the loops here do, at 0.007 to 0.03 whatever weights it begins from; with W_Q and W_K instead it ends at 0.002. What the scores were made of there was not written down.",
    },
    Note {
        figures: &["look-up 5.1: squares, q = 2, H = 2 (floor 0)"],
        apart: false,
        why: "With W_Q and W_K instead of one matrix W_QK for each head PyTorch ends at 0.001, two seeds; what was found elsewhere is between that and what is found here. What the scores were made of there was not written down.",
    },
    Note {
        figures: &["look-up 5.1: squares, q = 3, H = 3 (floor 0)"],
        apart: false,
        why: "With W_Q and W_K instead of one matrix W_QK for each head PyTorch ends at 0.013, two seeds; what was found elsewhere is between that and what is found here. What the scores were made of there was not written down.",
    },
    Note {
        figures: &["look-up 5.1: squares, q = 3, H = 4 (floor 0)"],
        apart: false,
        why: "With fewer heads, W_Q and W_K instead of one matrix W_QK for each head make the error several times smaller in PyTorch; with 4 heads this was not tried. What the scores were made of there was not written down.",
    },
    Note {
        figures: &["look-up 5.1: mean, q = 2, H = 1", "look-up 5.1: mean, q = 3, H = 1"],
        apart: true,
        why: "With one matrix W_QK PyTorch ends where the loops here do, at 0.003 to 0.004 whatever weights it begins from; with W_Q and W_K instead it ends at 0.0001. What the scores were made of there was not written down.",
    },
    Note {
        figures: &["look-up 5.2: attention, N = 12: trained numbers"],
        apart: true,
        why: "There attention has W_V, W_O and biases besides, which what follows it could take over: with them it would be 8,361 here.",
    },
    Note {
        figures: &["look-up 5.2: attention, N = 8", "look-up 5.2: MLP, N = 8", "look-up 5.2: GRU, N = 8"],
        apart: false,
        why: TEN_SIGNS,
    },
    Note {
        figures: &["look-up 5.2, simple test prompts: MLP, N = 12"],
        apart: false,
        why: "One seed there, and the codes that it drew were not written down. Here five seeds with the codes of seed 0; none of them needs more than 116,000.",
    },
    Note {
        figures: &["look-up 5.3: MLP, N = 8"],
        apart: false,
        why: "One seed there. Here no seed needs as many, 49,000 to 65,000; and in one draw of four, two of 8 codes of ten signs differ in one sign or in none.",
    },
    Note {
        figures: &["look-up 5.3: GRU, N = 8"],
        apart: false,
        why: "One seed there, at the upper end of 49,000 to 56,000 here; and in one draw of four, two of 8 codes of ten signs differ in one sign or in none.",
    },
    Note {
        figures: &["look-up 5.3: GRU, N = 16"],
        apart: false,
        why: "One seed there, above 96,000 to 110,000 here.",
    },
    Note { figures: &["look-up 5.3: attention, N = 8"], apart: false, why: TEN_SIGNS },
    Note {
        figures: &["learned 4: ridge from 50 examples, 3 layers, N(−2, I)"],
        apart: true,
        why: "A program in numpy, made for this question, finds 0.73 to 0.76 whatever λ from 0.001 to 5, with a constant or without; how many networks it was of there was not written down.",
    },
    Note {
        figures: &[
            "learned 5.2: 1 layer: R² at step 1000",
            "learned 5.2: 1 layer: R² at step 3000",
            "learned 5.2: 1 layer: R² at step 4000",
            "learned 5.2: 2 layers: R² at step 1000",
            "learned 5.2: 2 layers: R² at step 3000",
            "learned 5.2: 2 layers: R² at step 4000",
        ],
        apart: true,
        why: "PyTorch with what was written down ends where the loops here do, at 0.54 and 0.94. What is different there was not written down.",
    },
    Note {
        figures: &[
            "learned 5.2: no constant, 13 points, 1 layer: R² at step 3000",
            "learned 5.2: no constant, 13 points, 2 layers, ReLU attention: R² at step 3000",
            "learned 5.2: d = 2, 21 points, 3 layers of width 64: R² at step 1500",
            "learned 5.2: d = 2, 21 points, 3 layers of width 64: R² at step 2500",
        ],
        apart: true,
        why: "One seed there. As with a constant, networks get further here; a third implementation was not asked.",
    },
    Note {
        figures: &[
            "learned 5.2: baselines: Ridge, R² at the last point",
            "learned 5.2: baselines: Ridge, R² after 10 examples",
            "learned 5.2: no constant, 13 points, baselines: Ridge on (x, 1), R² at the last point",
        ],
        apart: true,
        why: "The squared error has heavy tails, so that its mean over a thousand prompts has a standard error of 0.1; here it is of 20,000. λ was not written down.",
    },
    Note {
        figures: &["learned 5.2: d = 2, 21 points, baselines: Ridge on (x, 1), R² at the last point"],
        apart: true,
        why: "A program in numpy, made for this question, finds 0.49 to 0.50 with a constant, whatever λ from 0.001 to 1, and less than 0 without one. What was drawn there was not written down.",
    },
    Note {
        figures: &["look-up 5.4: attention, N = 9", "look-up 5.4: GRU, N = 9"],
        apart: false,
        why: "One seed there, and the codes that it drew were not written down. Here all networks have the codes of seed 2, which was chosen because no two of its 9 codes are the same; three pairs of them differ in one sign of ten.",
    },
    Note {
        figures: &["look-up 5.4: attention, N = 17", "look-up 5.4: GRU, N = 17", "look-up 5.4: MLP, N = 17"],
        apart: false,
        why: "One seed there, and the codes that it drew were not written down. Here all networks have the codes of seed 2, which was chosen for its codes of 9 positions; of its 17 codes any two differ in at least three signs of fourteen.",
    },
    Note {
        figures: &["look-up 5.4: MLP, N = 33"],
        apart: true,
        why: "The network is still learning when the run ends, and how far it is depends on the codes: over five draws of these the error is between 0.68 and 0.90 here.",
    },
    Note {
        figures: &["learned 5.2: d = 4, N(−2, I), 21 points, 3 layers of width 64: R² at step 2000"],
        apart: true,
        why: "One seed there, and the two here are 0.59 and 0.78: the network is still learning when the run ends.",
    },
];

const TEN_SIGNS: &str = "In a quarter to a third of all draws two of 8 or 9 codes of ten signs differ in one sign or in none, and names of these positions can hardly be told apart.";

#[cfg(test)]
mod tests {
    use super::super::{INSTANCES, figures, in_context};
    use super::*;

    #[test]
    fn every_note_is_on_a_figure_that_there_is() {
        let mut others: Vec<String> =
            figures::instances().into_iter().map(|instance| instance.name).collect();
        others.extend(in_context::instances().into_iter().map(|instance| instance.name));
        for note in NOTES {
            assert!(note.why.ends_with('.') && !note.figures.is_empty(), "{note:?}");
            for figure in note.figures {
                let there_is =
                    INSTANCES.iter().any(|i| i.name == *figure) || others.iter().any(|other| other == figure);
                let notes = NOTES.iter().filter(|other| other.figures.contains(figure)).count();
                assert!(there_is && notes == 1, "{figure}");
            }
        }
    }
}
