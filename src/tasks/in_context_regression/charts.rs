//! Charts of transformers that are gradient descent.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
}
