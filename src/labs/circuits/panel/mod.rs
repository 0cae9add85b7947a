//! What only this lab shows on the page: the circuit as a diagram whose gates are lit, the bits of its input, circuits to
//! begin with, and an editor.

pub mod action;
pub mod diagram;
pub mod editor;
