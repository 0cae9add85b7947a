//! Tests of the labs that need a page: what a lab draws, says and does once its run is opened.
//!
//! # Why
//! A lab is built without the page, so that its tests cannot open one. What needs none is tested where it stands.

mod boolean;
mod boolean_attention;
mod boolean_fourier;
mod circuits;
mod circuits_panel;
mod descent;
mod descent_panel;
mod groups;
mod in_context;
mod lookup;
mod lookup_panel;
mod machines;
mod machines_panel;
mod markov_change;
mod markov_texts;
mod perceptron_charts;
mod perceptron_theory;
mod succinct;
mod succinct_panel;
mod traces;
