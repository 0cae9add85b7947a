//! Charts of networks on prompts.

crate::charts! {
    /// Every chart of this task, in the order of links and buttons.
    CHARTS;
    /// Mean squared error divided by the variance of the labels, with the theoretical lower bound for each number of heads.
    ERROR = "error", "Relative error", "Rel. error", Lines, "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, equation 2.1; lower bound: proposition 21";
    /// Relative error at the end of each run of a sweep over the number of heads H, with the theoretical lower bound: 1 − H/q if the names of a position differ.
    STAIRS = "stairs", "Error by number of heads", "By heads", Lines, "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, proposition 21";
    /// Absolute values of W_QK of each head, not divided by √d_k. ω: code of a token's position; t1: code of its first name. Outlined: codes of names and positions.
    MATRIX = "qk", "Query-key matrix |W_QK|", "W_QK", Grid, "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 2 and equation A.2";
    /// Attention of every head at the chosen position of the prompt shown; the named tokens are outlined.
    GLANCES = "glances", "Attention of the heads", "Attention", Grid, "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, section 3";
    /// Mean attention on the named tokens, with one head assigned to each name, and the smallest error that is possible with the present attention weights.
    ANSWERED = "answered", "Attention on the named tokens", "Names", Lines;
    /// Relative error at each position of a prompt, over the held-out prompts.
    POSITIONS = "positions", "Error by position", "Positions", Bars;
    /// Number of training sequences until a network reaches the target, for each value of the swept setting, with two fitted curves.
    NEEDED = "sequences", "Sequences needed to reach the target", "Sequences", Lines, "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, figure 1";
    /// Contents of the slots of the gated memory after each position of the prompt shown, starting with the first position.
    SLOTS = "slots", "Slots of the memory", "Slots", Grid, "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, theorem 7 and appendix C";
    /// Retrieval error of attention set by hand, by sharpness α. Bound for codes with factor s: N exp(−αs²/2), if no two codes have a scalar product above 1/2.
    SHARPNESS = "sharpness", "Retrieval error by sharpness α", "Sharpness", Lines, "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, lemma 11 and equation A.2";
    /// Share of u outside the linear span of n prompts, and the error of networks trained on n prompts. The bound is for networks without weights outside this span.
    SPAN = "span", "Lower bound from the linear span of n prompts", "Span", Lines, "Mousavi-Hosseini, Sanford, Wu and Erdogdu 2025, definition 5, theorem 6 and appendix B";
}
