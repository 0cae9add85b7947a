//! Charts of networks on prompts.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// Mean squared error relative to the variance of the labels, with the lower bound of theory for each number of heads.
    ERROR = "error", "Relative error", "Rel. error", Lines;
    /// Relative error at the end of each run of a sweep over the heads H, beside the floor 1 − H/q of theory.
    STAIRS = "stairs", "Error by number of heads", "Stairs", Lines;
    /// Sizes of the entries of W_QK of each head. ω: code of a token's position; t1: code of its first name. The outlined blocks compare codes of names and positions.
    MATRIX = "qk", "Query-key matrix |W_QK|", "W_QK", Grid;
    /// Attention of every head at the chosen position of the prompt on show, with the named tokens outlined.
    GLANCES = "glances", "Attention of the heads", "Attention", Grid;
    /// Mean attention on the named token where each name has a separate head, and the smallest error that any network on top of these heads can reach.
    ANSWERED = "answered", "Attention on the named tokens", "Names", Lines;
    /// Relative error at each position of a prompt, over the held-out prompts.
    POSITIONS = "positions", "Error by position", "Positions", Bars;
    /// Sequences that a network has seen when it reaches the target, against the swept setting, with two fits.
    NEEDED = "sequences", "Sequences to the target", "Sequences", Lines;
    /// What the slots of the gated memory hold while the prompt on show passes, from its first position on.
    SLOTS = "slots", "Slots of the memory", "Slots", Grid;
    /// Retrieval error of the written-down attention against its sharpness α, with the bound of slope −d/(2q).
    SHARPNESS = "sharpness", "Retrieval error by sharpness α", "Sharpness", Lines;
    /// Labels are ⟨u, prompt⟩: the share of u outside the span of n prompts, beside the error of networks trained on n prompts.
    SPAN = "span", "Lower bound by the span of n prompts", "Span", Lines;
}
