//! Charts of circuits as networks.

crate::charts! {
    /// Every chart of this task, in the order of links and buttons.
    CHARTS;
    /// Norm of the smallest weight perturbation that changes the answer, as found with random noise and by a search. Also bounds and the exact margin, if known.
    NORMS = "norms", "Smallest perturbation that changes the answer", "Margin", Lines, "Wei, Chen and Ma 2022, equation 2.1; lower bounds: theorem D.6, and its proof (lemma D.8)";
    /// For each run of a sweep over depth or number of bits: norm of the smallest weight perturbation found that changes the answer; exact margin if known.
    DEPTHS = "bydepth", "Margin by depth", "By depth", Lines, "Wei, Chen and Ma 2022, section 3, claim 3.5 and theorem D.6";
    /// The value of every gate for the input that is shown, layer by layer, with the noise of the newest step.
    VALUES = "gates", "Values of all gates", "Gates", Grid, "Wei, Chen and Ma 2022, lemma B.1";
    /// For each layer: the largest distance of a gate value from the nearer of 0 and 1, before and after rounding, with the noise of the newest step.
    STRAYS = "strays", "Deviation from 0 and 1 by layer", "Deviation", Lines, "Wei, Chen and Ma 2022, proposition 3.4";
    /// For each layer: norm of the changes of this layer's parameters in the smallest perturbation found.
    WHERE = "where", "Smallest perturbation by layer", "By layer", Bars, "Wei, Chen and Ma 2022, equation 2.1";
    /// One row for each input: its bits, the circuit's value, and the network's output with the noise of the newest step. A bit 0 is shown as −1.
    TRUTH = "truth", "Truth table", "Table", Grid;
}
