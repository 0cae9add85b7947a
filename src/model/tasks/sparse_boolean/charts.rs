//! Charts of attention on bits.

crate::charts! {
    /// Every chart of this task, in the order of links and buttons.
    CHARTS;
    /// Attention of the class token to every input bit, one dot for each of up to 100 held-out examples: for one head, or averaged over all heads.
    LOOKS = "looks", "Attention, example by example", "By example", Lines, "Edelman 2024, figure 4.3 (right)";
    /// Fourier coefficients of the label in the relevant bits (−1 or +1, equally likely). If more than 16 coefficients are not 0, the largest 16 are shown.
    FOURIER = "fourier", "Fourier coefficients of the function", "Fourier", Bars;
}
