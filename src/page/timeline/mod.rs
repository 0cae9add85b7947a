//! Charts of a run that is shown at an earlier step, which [`vivarium_player::seek`] goes back to.

mod overlay;
#[cfg(test)]
pub(crate) mod tests;
