//! Panel of this lab: the tape next to the tokens, one step block by block, the search through past
//! tokens, and the editor of machines.

pub mod action;
pub mod bits;
pub mod counts;
pub mod editor;
pub mod search;
pub mod stages;
