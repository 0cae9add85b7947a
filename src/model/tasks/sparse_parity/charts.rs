//! Charts of networks on bits.

crate::charts! {
    /// Every chart of this task, in the order of links and buttons.
    CHARTS;
    /// Change of the first-layer weights since the start: the largest |w_t − w_0| on the relevant bits and on all other bits.
    MOVEMENT = "movement", "Weight movement", "Movement", Lines, "Edelman 2024, section 5.5 and appendix B.3.3";
    /// Each weight of one neuron over the training steps; the weights on relevant bits are coloured.
    PATHS = "paths", "Path of every weight", "Paths", Lines, "Edelman 2024, figures 5.3 and B.9";
    /// Largest |g| on a relevant bit minus the largest |g| on any other bit, for one neuron: g = E[y x σ′(w·x + b)]. Dashed line: weights ±1/√n and no bias.
    GAP = "gap", "Fourier gap Γ", "Gap Γ", Lines, "Edelman 2024, definition 5.4 and appendix B.3.1; dashed line: for ReLU half the gap of lemma B.2, for other activations computed in the same way";
    /// Share of the output's squared norm on parities of each degree, over all 2^n inputs.
    SPECTRUM = "spectrum", "Fourier weight by degree", "Spectrum", Bars, "Edelman 2024, section 5.4.1 and equation B.2";
    /// Attention of the transformer's class token to every input bit, averaged over the heads.
    ATTENTION = "attention", "Attention of [CLS]", "Attention", Bars;
    /// Embeddings u of the neurons with the largest norms, in a network with activation z^k; the relevant bits are marked.
    STRONGEST = "strongest", "Neurons with the largest norms", "Strongest", Grid, "Edelman 2024, figure 7.5";
    /// Neurons with the largest norms, in a layer that started with a few 1s in each row: norm, and number of initial 1s on relevant bits.
    LUCK = "luck", "Largest norms, and initial 1s on relevant bits", "Norms", Bars, "Edelman 2024, figure C.2";
    /// Error of the first network, and the error that theory predicts from its initial weights: gradient flow of the correlation loss over all inputs.
    PLATEAU = "plateau", "Plateau of the error, and theory", "Plateau", Lines, "Edelman 2024, section 5.4.2, theorem 5.7, lemmas B.8 and B.9, and figure B.1";
    /// Progress ρ of each network, its largest |w_t − w_0|, against the steps left until it reaches the target. One dot per network and measured step.
    TIME_LEFT = "timeleft", "Progress ρ and steps left", "Steps left", Lines, "Edelman 2024, section 5.5 and appendix B.3.3";
    /// Number of networks by the Fourier gap Γ at their initial weights: the largest |g| on a relevant bit minus the largest |g| on any other bit.
    INITIAL_GAPS = "startgaps", "Fourier gap Γ of every network at the start", "Start gaps", Lines, "Edelman 2024, figure B.7 and appendix B.3.1";
}
