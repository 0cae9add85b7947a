//! The life of the current run: how it starts, and how actions change it.

#[cfg(test)]
mod consent_tests;
#[cfg(test)]
mod gpu_tests;
pub mod lifecycle;
#[cfg(test)]
mod message_tests;
#[cfg(test)]
mod status_tests;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod timing_tests;
mod undo;
#[cfg(test)]
mod undo_tests;
