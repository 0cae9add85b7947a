//! Charts of networks on pairs of elements.

crate::charts! {
    /// Every chart of this task, in the order of links and buttons.
    CHARTS;
    /// Share of every live neuron's squared norm in each frequency or irrep; neurons of the same frequency or irrep are side by side.
    NEURONS = "neurons", "Frequency or irrep of each neuron", "Neurons", Grid;
    /// For each live neuron we take the largest share of one frequency or irrep in its embedding u: distribution of these shares, at the start and now.
    PURITY = "purity", "Largest share of one frequency or irrep", "Purity", Lines, "Edelman 2024, figures 7.4, 7.6c and 7.6d";
    /// How many live neurons belong to each frequency or irrep.
    COUNTS = "counts", "Number of neurons by frequency or irrep", "Counts", Bars, "Edelman 2024, figures 7.6b and D.1";
    /// Share of each frequency or irrep in Σ‖ω‖^ν over live neurons, with our prediction for this λ. Marked: predicted share 0 for this λ, but not for λ → 0.
    MASS = "mass", "Share of the norm by frequency or irrep", "Mass", Bars;
    /// Phases of u and v of every live neuron; opposite edges of the chart show the same phase.
    PHASES = "phases", "Phases of u and v", "Phases", Lines, "Edelman 2024, theorem 7.7";
    /// Distribution of the phase residual over all live neurons: θu + θv − θw for addition, θu − θv − θw for subtraction. At the largest margin all residuals are 0.
    RESIDUAL = "residual", "Phase residual", "Residual", Lines, "Edelman 2024, theorem 7.7, for addition";
    /// First-layer weights of one neuron over the elements, with the smooth curve that has the same Fourier coefficients.
    CURVE = "curve", "Embedding of one neuron", "Curve", Lines, "Edelman 2024, figure 7.1";
    /// Power of one neuron's embedding in each frequency or irrep.
    WAVE = "wave", "Spectrum of one neuron", "Wave", Bars, "Edelman 2024, figure 7.1";
    /// For some pairs, each output minus that of the correct answer; at the largest margin all wrong answers are equal if theorem 7.7 or 7.9 of the thesis applies.
    OUTPUTS = "outputs", "Outputs minus the correct output", "Outputs", Grid, "Edelman 2024, lemma 7.6";
    /// Number of live neurons for each subgroup. The subgroup of a neuron is the largest subgroup for which u is constant on the cosets.
    COSETS = "cosets", "Neurons that are constant on cosets", "Cosets", Bars;
    /// Characters of the group's irreducible real representations by conjugacy class, computed from the table of the group.
    CHARACTERS = "characters", "Character table", "Table", Grid, "Edelman 2024, section 7.6.1 and table D.1";
    /// Loss with only the key frequencies, loss without the key frequencies, and the losses on training pairs and held-out pairs.
    PROGRESS = "progress", "Restricted and excluded loss", "Progress", Lines, "Nanda et al. 2023, section 5.1";
    /// How unevenly the squared norm of the embedding is spread over the frequencies: Gini coefficient and participation ratio.
    SPARSITY = "sparsity", "Sparsity of the embedding", "Sparsity", Lines, "Nanda et al. 2023, section 5.1, for the Gini coefficient";
    /// Share of each frequency in the variance of the outputs; the key frequencies are marked.
    KEYS = "keys", "Key frequencies", "Keys", Bars, "Nanda et al. 2023, section 4";
    /// Normalised margin at the end of each run of a sweep as a share of the largest margin, and the share that theory predicts for each λ.
    MARGINS = "margins", "Margin at the end of each run of a sweep", "Margins", Lines, "Edelman 2024, theorem 7.1";
    /// Smallest margin over wrong answers c with a·b·c⁻¹ in each conjugacy class, divided by γ*. Line: a network with the largest margin.
    CLASSES = "classes", "Margin by conjugacy class", "Classes", Bars, "Edelman 2024, theorem 7.9 and appendix D.9";
    /// Weighted margin ψ′(ω) of each neuron, divided by γ*‖ω‖³. It is at most 1; at the largest margin it is 1 for all live neurons.
    CERTIFICATE = "certificate", "Certificate: margin of each neuron", "Optimality", Lines, "Edelman 2024, lemmas 7.5 and 7.6";
}
