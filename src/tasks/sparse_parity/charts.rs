//! Charts of networks on bits.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// Change of the first-layer weights since the start: the largest |w_t − w_0| on the relevant bits and on all other bits.
    MOVEMENT = "movement", "Weight movement", "Movement", Lines;
    /// Each weight of one neuron over the training steps; the weights on relevant bits are coloured.
    PATHS = "paths", "Path of every weight", "Paths", Lines;
    /// Γ of the population gradient: its largest absolute entry on a relevant bit minus its largest absolute entry on any other bit.
    GAP = "gap", "Fourier gap Γ", "Gap Γ", Lines;
    /// Share of the output's squared norm on parities of each degree, over all 2^n inputs.
    SPECTRUM = "spectrum", "Fourier weight by degree", "Spectrum", Bars;
    /// Attention of the transformer's class token to every input bit, averaged over the heads.
    ATTENTION = "attention", "Attention of [CLS]", "Attention", Bars;
    /// Embeddings u of the neurons with the largest norms, in a network with activation z^k; the relevant bits are marked.
    STRONGEST = "strongest", "Neurons with the largest norms", "Strongest", Grid;
    /// Neurons with the largest norms, in a layer that started with a few 1s in each row: norm, and number of initial 1s on relevant bits.
    LUCK = "luck", "Largest norms, and initial 1s on relevant bits", "Norms", Bars;
}
