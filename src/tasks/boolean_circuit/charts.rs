//! Charts of circuits as networks.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// Norm of the smallest weight perturbation that changes the answer, as found with random noise and by a search. Also bounds and the exact margin, if known.
    NORMS = "norms", "Smallest perturbation that changes the answer", "Margin", Lines;
    /// For each run of a sweep over depth or number of bits: norm of the smallest weight perturbation found that changes the answer; exact margin if known.
    DEPTHS = "bydepth", "Margin by depth", "By depth", Lines;
    /// The value of every gate for the input that is shown, layer by layer, with the noise of the newest step.
    VALUES = "gates", "Values of all gates", "Gates", Grid;
    /// For each layer: the largest distance of a gate value from the nearer of 0 and 1, before and after rounding, with the noise of the newest step.
    STRAYS = "strays", "Deviation from 0 and 1 by layer", "Deviation", Lines;
    /// For each layer: norm of the changes of this layer's parameters in the smallest perturbation found.
    WHERE = "where", "Smallest perturbation by layer", "By layer", Bars;
    /// One row for each input: its bits, the circuit's value, and the network's output with the noise of the newest step. A bit 0 is shown as −1.
    TRUTH = "truth", "Truth table", "Table", Grid;
}
