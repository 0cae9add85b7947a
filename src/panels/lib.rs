//! The panels of the labs: the parts of the page, other than charts, that are specific to a lab; one module per lab.
//!
//! For a browser only; elsewhere this crate is empty.

#![cfg(target_family = "wasm")]

#[macro_use]
extern crate vivarium_core;

pub mod boolean;
pub mod circuits;
pub mod descent;
pub mod groups;
pub mod in_context;
pub mod lookup;
pub mod machines;
pub mod markov;
pub mod panel;
pub mod parity;
pub mod perceptron;
pub mod succinct;
pub mod tables;
pub mod text_editor;
pub mod traces;

use vivarium_labs::LABS;
use vivarium_model::run::RunSpec;

use panel::LabPanel;

/// One panel per lab, in the order of the table [`LABS`].
pub static PANELS: [&dyn LabPanel; LABS.all.len()] = [
    &vivarium_labs::parity::ParityLab,
    &vivarium_labs::groups::GroupsLab,
    &vivarium_labs::markov::MarkovLab,
    &vivarium_labs::boolean::BooleanLab,
    &vivarium_labs::tables::TablesLab,
    &vivarium_labs::perceptron::PerceptronLab,
    &vivarium_labs::lookup::LookupLab,
    &vivarium_labs::descent::DescentLab,
    &vivarium_labs::in_context::InContextLab,
    &vivarium_labs::machines::MachinesLab,
    &vivarium_labs::circuits::CircuitsLab,
    &vivarium_labs::traces::TracesLab,
    &vivarium_labs::succinct::SuccinctLab,
];

/// The panel of the lab that the run `spec` belongs to.
pub fn panel(spec: &RunSpec) -> &'static dyn LabPanel {
    PANELS[LABS.index_of(spec).unwrap_or(0)]
}
