//! Charts of attention on bits.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// Attention of the class token on every input bit, a dot for each held-out example: of one head, or of all on average.
    LOOKS = "looks", "Attention, example by example", "Looks", Lines;
}
