//! Charts of networks on pairs of elements.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// Share of every live neuron's squared norm in each frequency or irrep, neurons of one kind side by side.
    NEURONS = "neurons", "What each neuron is made of", "Neurons", Grid;
    /// Largest share of one frequency or irrep in the embedding u, over all live neurons, at the start and now.
    PURITY = "purity", "Largest normalised power", "Purity", Lines;
    /// How many live neurons belong to each frequency or irrep.
    COUNTS = "counts", "Neurons of each kind", "Counts", Bars;
    /// Share of each frequency or irrep in the sum of the neurons' norms, with what theory predicts at this λ.
    MASS = "mass", "Norm of each kind", "Mass", Bars;
    /// Phases of u and v of every live neuron; opposite edges are the same place.
    PHASES = "phases", "Phases of u and v", "Phases", Lines;
    /// How far the phases of u, v and w are from adding up, over all live neurons.
    RESIDUAL = "residual", "Phase residual θu + θv − θw", "Residual", Lines;
    /// First-layer weights of one neuron over the elements, with the smooth curve of the same Fourier coefficients.
    CURVE = "curve", "Embedding of one neuron", "Curve", Lines;
    /// Power of one neuron's embedding in each frequency or irrep.
    WAVE = "wave", "Spectrum of one neuron", "Wave", Bars;
    /// Outputs for some pairs less that of the right answer; at the largest margin all wrong ones are alike.
    OUTPUTS = "outputs", "Outputs less the right one", "Outputs", Grid;
    /// Live neurons by the largest subgroup on whose cosets u is constant: another reading of the same weights.
    COSETS = "cosets", "Neurons that read cosets", "Cosets", Bars;
    /// Characters of the group's irreducible real representations by conjugacy class, computed from its table.
    CHARACTERS = "characters", "Character table", "Table", Grid;
    /// Loss with the key frequencies alone and without them, beside those of training and held-out pairs.
    PROGRESS = "progress", "Restricted and excluded loss", "Progress", Lines;
    /// How unevenly the embedding's squared norm lies on the frequencies: Gini coefficient and participation ratio.
    SPARSITY = "sparsity", "Sparsity of the embedding", "Sparsity", Lines;
    /// Share of the outputs' variance in the waves of each frequency, key frequencies pointed at.
    KEYS = "keys", "Key frequencies", "Keys", Bars;
}
