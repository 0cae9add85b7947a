//! Charts of networks on pairs of elements.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// Share of every live neuron's squared norm in each frequency or irrep; neurons of the same frequency or irrep are side by side.
    NEURONS = "neurons", "Frequency or irrep of each neuron", "Neurons", Grid;
    /// For each live neuron we take the largest share of one frequency or irrep in its embedding u: distribution of these shares, at the start and now.
    PURITY = "purity", "Largest share of one frequency or irrep", "Purity", Lines;
    /// How many live neurons belong to each frequency or irrep.
    COUNTS = "counts", "Number of neurons by frequency or irrep", "Counts", Bars;
    /// Share of each frequency or irrep in the sum of the neurons' norms, with the prediction of the theory for this λ.
    MASS = "mass", "Share of the norm by frequency or irrep", "Mass", Bars;
    /// Phases of u and v of every live neuron; opposite edges of the chart show the same phase.
    PHASES = "phases", "Phases of u and v", "Phases", Lines;
    /// Distribution of the phase residual θu + θv − θw over all live neurons; at the largest margin all residuals are 0.
    RESIDUAL = "residual", "Phase residual θu + θv − θw", "Residual", Lines;
    /// First-layer weights of one neuron over the elements, with the smooth curve that has the same Fourier coefficients.
    CURVE = "curve", "Embedding of one neuron", "Curve", Lines;
    /// Power of one neuron's embedding in each frequency or irrep.
    WAVE = "wave", "Spectrum of one neuron", "Wave", Bars;
    /// For some pairs, each output minus the output of the correct answer; at the largest margin, all wrong answers have the same value.
    OUTPUTS = "outputs", "Outputs minus the correct output", "Outputs", Grid;
    /// Number of live neurons for each subgroup. The subgroup of a neuron is the largest subgroup for which u is constant on the cosets.
    COSETS = "cosets", "Neurons that are constant on cosets", "Cosets", Bars;
    /// Characters of the group's irreducible real representations by conjugacy class, computed from the table of the group.
    CHARACTERS = "characters", "Character table", "Table", Grid;
    /// Loss with only the key frequencies, loss without the key frequencies, and the losses on training pairs and held-out pairs.
    PROGRESS = "progress", "Restricted and excluded loss", "Progress", Lines;
    /// How unevenly the squared norm of the embedding is spread over the frequencies: Gini coefficient and participation ratio.
    SPARSITY = "sparsity", "Sparsity of the embedding", "Sparsity", Lines;
    /// Share of each frequency in the variance of the outputs; the key frequencies are marked.
    KEYS = "keys", "Key frequencies", "Keys", Bars;
}
