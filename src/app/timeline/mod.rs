//! The slider over the steps of a run.

pub mod scrub;
