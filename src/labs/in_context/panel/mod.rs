//! The panel of this lab: one prompt, the number of its examples shown, and the predictions of the network and the
//! baselines for its next point.

pub mod action;
