//! Explanations of known or possible differences from the results of independent programs.

/// Explanation of a difference between our results and those of an independent program.
#[derive(Debug)]
pub struct ComparisonNote {
    /// Names, in the table of comparisons, of the results that the note explains.
    pub figures: &'static [&'static str],
    /// Whether the results are known to differ by more than the tolerance.
    pub is_known_difference: bool,
    /// The explanation, in a few sentences, of why our results differ from those of the independent program.
    pub reason: &'static str,
}

/// The explanation for the compared result with the name `figure`; None if there is none.
pub fn find_note(figure: &str) -> Option<&'static ComparisonNote> {
    COMPARISON_NOTES.iter().find(|note| note.figures.contains(&figure))
}

/// Explanations of all results that differ, or may differ, from those of an independent program, in the order
/// of the table of comparisons.
pub const COMPARISON_NOTES: &[ComparisonNote] = &[
    ComparisonNote {
        figures: &["B.8 right: Γ at 60", "B.8 right: Γ at 120"],
        is_known_difference: true,
        reason: "The independent program recorded one seed, and Γ rises faster there than for all 200 seeds here and of a third implementation, made for this comparison. With the argument of the sine doubled, as in section 5.3 of the thesis, Γ would lie within the range of these seeds.",
    },
    ComparisonNote {
        figures: &[
            "look-up 4 (iii): pairs of codes with |⟨ω, ω⟩| > 1/2, N = 12",
            "look-up 4 (iii): pairs of codes with |⟨ω, ω⟩| > 1/2, N = 33",
            "look-up 4 (iii): pairs of codes with |⟨ω, ω⟩| > 1/2, N = 100",
        ],
        is_known_difference: false,
        reason: "The independent program averaged over random draws; here the mean is exact.",
    },
    ComparisonNote {
        figures: &["look-up 5.1: squares, q = 2, H = 3 (floor 0)"],
        is_known_difference: true,
        reason: "With one matrix W_QK for each head PyTorch ends at the same errors as this program, 0.007 to 0.03, for every initialisation; with W_Q and W_K instead it ends at 0.002. The scores of the independent program were not recorded.",
    },
    ComparisonNote {
        figures: &["look-up 5.1: squares, q = 2, H = 2 (floor 0)"],
        is_known_difference: false,
        reason: "With W_Q and W_K instead of one matrix W_QK for each head PyTorch ends at 0.001 (two seeds). The error of the independent program lies between that error and the error here. The scores of the independent program were not recorded.",
    },
    ComparisonNote {
        figures: &["look-up 5.1: squares, q = 3, H = 3 (floor 0)"],
        is_known_difference: false,
        reason: "With W_Q and W_K instead of one matrix W_QK for each head PyTorch ends at 0.013 (two seeds). The error of the independent program lies between that error and the error here. The scores of the independent program were not recorded.",
    },
    ComparisonNote {
        figures: &["look-up 5.1: squares, q = 3, H = 4 (floor 0)"],
        is_known_difference: false,
        reason: "With fewer heads, the error in PyTorch is several times smaller with W_Q and W_K than with one matrix W_QK for each head; 4 heads were not tried. The scores of the independent program were not recorded.",
    },
    ComparisonNote {
        figures: &["look-up 5.1: mean, q = 2, H = 1", "look-up 5.1: mean, q = 3, H = 1"],
        is_known_difference: true,
        reason: "With one matrix W_QK PyTorch ends at the same errors as this program, 0.003 to 0.004, for every initialisation; with W_Q and W_K instead it ends at 0.0001. The scores of the independent program were not recorded.",
    },
    ComparisonNote {
        figures: &["look-up 5.2: attention, N = 12: trained numbers"],
        is_known_difference: true,
        reason: "In the independent program attention also has W_V, W_O and biases. The layers after attention can represent the same functions without them. With them the number here would be 8,361.",
    },
    ComparisonNote {
        figures: &["look-up 5.2: attention, N = 8", "look-up 5.2: MLP, N = 8", "look-up 5.2: GRU, N = 8"],
        is_known_difference: false,
        reason: SIMILAR_CODES_REASON,
    },
    ComparisonNote {
        figures: &["look-up 5.2, simple test prompts: MLP, N = 12"],
        is_known_difference: false,
        reason: "The independent program used one seed, and its codes were not recorded. Here five seeds have the codes of seed 0; none of them needs more than 116,000 prompts.",
    },
    ComparisonNote {
        figures: &["look-up 5.3: MLP, N = 8"],
        is_known_difference: false,
        reason: "The independent program used one seed. Here all seeds need fewer prompts, 49,000 to 65,000; and in one of four draws, two of the 8 codes of ten signs are equal or differ in one sign.",
    },
    ComparisonNote {
        figures: &["look-up 5.3: GRU, N = 8"],
        is_known_difference: false,
        reason: "The independent program used one seed, at the upper end of the range here, 49,000 to 56,000; and in one of four draws, two of the 8 codes of ten signs are equal or differ in one sign.",
    },
    ComparisonNote {
        figures: &["look-up 5.3: GRU, N = 16"],
        is_known_difference: false,
        reason: "The independent program used one seed, above the range here, 96,000 to 110,000.",
    },
    ComparisonNote {
        figures: &["look-up 5.3: attention, N = 8"],
        is_known_difference: false,
        reason: SIMILAR_CODES_REASON,
    },
    ComparisonNote {
        figures: &["learned 4: ridge from 50 examples, 3 layers, N(−2, I)"],
        is_known_difference: true,
        reason: "A program in numpy, made for this comparison, finds 0.73 to 0.76 for every λ from 0.001 to 5, with a constant and without. The independent program's number of networks was not recorded.",
    },
    ComparisonNote {
        figures: &[
            "learned 5.2: 1 layer: R² at step 1000",
            "learned 5.2: 1 layer: R² at step 3000",
            "learned 5.2: 1 layer: R² at step 4000",
            "learned 5.2: 2 layers: R² at step 1000",
            "learned 5.2: 2 layers: R² at step 3000",
            "learned 5.2: 2 layers: R² at step 4000",
        ],
        is_known_difference: true,
        reason: "PyTorch with the recorded settings ends at the same R² as this program, 0.54 and 0.94. Other settings of the independent program were not recorded.",
    },
    ComparisonNote {
        figures: &[
            "learned 5.2: no constant, 13 points, 1 layer: R² at step 3000",
            "learned 5.2: no constant, 13 points, 2 layers, ReLU attention: R² at step 3000",
            "learned 5.2: d = 2, 21 points, 3 layers of width 64: R² at step 1500",
            "learned 5.2: d = 2, 21 points, 3 layers of width 64: R² at step 2500",
        ],
        is_known_difference: true,
        reason: "The independent program used one seed. As with a constant, R² is larger here. No third implementation was run.",
    },
    ComparisonNote {
        figures: &[
            "learned 5.2: baselines: Ridge, R² at the last point",
            "learned 5.2: baselines: Ridge, R² after 10 examples",
            "learned 5.2: no constant, 13 points, baselines: Ridge on (x, 1), R² at the last point",
        ],
        is_known_difference: true,
        reason: "The squared error has heavy tails: its mean over a thousand prompts has a standard error of 0.1. Here the mean is over 20,000 prompts. The independent program's λ was not recorded.",
    },
    ComparisonNote {
        figures: &["learned 5.2: d = 2, 21 points, baselines: Ridge on (x, 1), R² at the last point"],
        is_known_difference: true,
        reason: "A program in numpy, made for this comparison, finds 0.49 to 0.50 with a constant, for every λ from 0.001 to 1, and less than 0 without one. The independent program's prompts were not recorded.",
    },
    ComparisonNote {
        figures: &["look-up 5.4: attention, N = 9", "look-up 5.4: GRU, N = 9"],
        is_known_difference: false,
        reason: "The independent program used one seed, and its codes were not recorded. Here all networks have the codes of seed 2, which was chosen because no two of its 9 codes are equal; three pairs of these codes differ in one of ten signs.",
    },
    ComparisonNote {
        figures: &["look-up 5.4: attention, N = 17", "look-up 5.4: GRU, N = 17", "look-up 5.4: MLP, N = 17"],
        is_known_difference: false,
        reason: "The independent program used one seed, and its codes were not recorded. Here all networks have the codes of seed 2, which was chosen for its codes of 9 positions; any two of its 17 codes differ in at least three of fourteen signs.",
    },
    ComparisonNote {
        figures: &["look-up 5.4: MLP, N = 33"],
        is_known_difference: true,
        reason: "The network is still learning when the run ends, and its error then depends on the codes: over five draws of the codes the error here is between 0.68 and 0.90.",
    },
    ComparisonNote {
        figures: &["learned 5.2: d = 4, N(−2, I), 21 points, 3 layers of width 64: R² at step 2000"],
        is_known_difference: true,
        reason: "The independent program used one seed. R² of the two seeds here is 0.59 and 0.78: the network is still learning when the run ends.",
    },
];

/// Explanation shared by the notes on runs in which random position codes are too similar.
const SIMILAR_CODES_REASON: &str = "In a quarter to a third of all draws two of the 8 or 9 codes of ten signs are equal or differ in one sign. The network can then hardly distinguish the names of these two positions.";

#[cfg(test)]
mod tests {
    use super::super::{PARITY_INSTANCES, figures, in_context};
    use super::*;

    #[test]
    fn every_note_is_on_a_figure_that_there_is() {
        let mut others: Vec<String> =
            figures::lookup_instances().into_iter().map(|instance| instance.name).collect();
        others.extend(in_context::in_context_instances().into_iter().map(|instance| instance.name));
        for note in COMPARISON_NOTES {
            assert!(note.reason.ends_with('.') && !note.figures.is_empty(), "{note:?}");
            for figure in note.figures {
                let there_is = PARITY_INSTANCES.iter().any(|i| i.name == *figure)
                    || others.iter().any(|other| other == figure);
                let notes = COMPARISON_NOTES.iter().filter(|other| other.figures.contains(figure)).count();
                assert!(there_is && notes == 1, "{figure}");
            }
        }
    }
}
