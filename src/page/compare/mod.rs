//! Keep and compare: the curves of kept runs beside those of the run of the page.
//!
//! # Why
//! Which runs are compared is known to the tab, not to the library: another tab compares others. All runs are kept
//! anyway, so comparing one stores nothing more, and to stop comparing deletes nothing.
//!
//! A run that goes on is no second run. So a kept run is not drawn while its curve is a part of the curve of the page's
//! run: before a setting changes, and where only the learning rate was changed on the way. It is drawn as soon as the
//! two curves differ.
//!
//! All of this is code of the page's second program, reached through [`Keeper`](super::library::keeper::Keeper) alone.

mod draw;
mod update;

#[cfg(test)]
mod tests;

pub use draw::NamedRun;

/// Most kept runs that are compared: each has a colour of its own.
pub const MOST: usize = super::library::COLOURS;
