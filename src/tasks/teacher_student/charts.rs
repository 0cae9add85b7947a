//! Charts of students of a linear teacher.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// Cosine of the angle between the weights of student and teacher, with the theoretical value for Hebb's rule.
    OVERLAP = "overlap", "Overlap with the teacher", "Overlap", Lines;
}
