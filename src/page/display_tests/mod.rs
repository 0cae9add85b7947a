//! Tests of what is shown of every run, on a page that is opened at a link.

mod charts;
mod events;
mod medians;
mod threshold;
