//! Charts of circuits as networks.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// Norm of the smallest perturbation that changes the answer, found with random noise and with the search. Bounds and exact margin are shown if known.
    NORMS = "norms", "Smallest perturbation that changes the answer", "Margin", Lines;
    /// Norm of the smallest perturbation found by each run of a sweep over the depth or the number of bits, with the exact margin if known.
    DEPTHS = "bydepth", "Margin by depth", "By depth", Lines;
    /// The value of every gate for the input that is shown, layer by layer, with the noise of the newest step.
    VALUES = "gates", "Values of all gates", "Gates", Grid;
    /// For each layer: the largest distance of a value from the nearer of 0 and 1, before and after rounding, with the noise of the newest step.
    STRAYS = "strays", "Deviation from 0 and 1 by layer", "Deviation", Lines;
    /// Norm of each layer's part of the smallest perturbation found.
    WHERE = "where", "Smallest perturbation by layer", "By layer", Bars;
    /// Each input with the circuit's value and the network's output, with the noise of the newest step; a bit 0 is shown as −1.
    TRUTH = "truth", "Truth table", "Table", Grid;
}
