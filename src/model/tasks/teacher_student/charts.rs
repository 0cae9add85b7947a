//! Charts of students of a linear teacher.

crate::charts! {
    /// Every chart of this task, in the order of links and buttons.
    CHARTS;
    /// Cosine of the angle between the weights of student and teacher, with the theoretical value for Hebb's rule.
    OVERLAP = "overlap", "Overlap with the teacher", "Overlap", Lines, "Engel and Van den Broeck 2001, chapter 1; theoretical value: Vallet 1989; Engel and Van den Broeck 2001, section 3.1";
}
