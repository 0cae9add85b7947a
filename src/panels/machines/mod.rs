//! The panels of the lab of Turing machines.

mod page;
