//! Charts of networks on bits.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// How far the first layer has moved: the largest |w_t − w_0| on relevant bits and on the others.
    MOVEMENT = "movement", "Weight movement", "Movement", Lines;
    /// Each weight of one neuron over the steps, those on relevant bits in colour.
    PATHS = "paths", "Path of every weight", "Paths", Lines;
    /// Γ of the population gradient: its largest entry on a relevant bit minus the largest on another.
    GAP = "gap", "Fourier gap Γ", "Gap Γ", Lines;
    /// Share of the output's squared norm on parities of each degree, over all 2^n inputs.
    SPECTRUM = "spectrum", "Fourier weight by degree", "Spectrum", Bars;
    /// Mean attention of the transformer's class token on every input bit, over its heads.
    ATTENTION = "attention", "Attention of [CLS]", "Attention", Bars;
    /// Embeddings u of the neurons of largest norm in a network of powers, relevant bits pointed at.
    STRONGEST = "strongest", "Neurons of largest norm", "Strongest", Grid;
    /// Norms of the strongest neurons of a layer whose rows began with a few ones, and how many relevant bits each of those rows held.
    LUCK = "luck", "Strongest neurons and their luck", "Luck", Bars;
}
