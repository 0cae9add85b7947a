//! What only this lab shows on the page: one prompt, which a person can change, and what the network answers.

pub mod action;
