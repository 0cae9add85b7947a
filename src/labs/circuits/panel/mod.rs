//! The panel of this lab: the circuit as a diagram with the state of each gate, the bits of its input, example
//! circuits, and an editor.

pub mod action;
pub mod diagram;
pub mod editor;
