//! The panel: the circuit with its input, and the text of a circuit.

use leptos::prelude::*;

use crate::circuits::context::PanelContext;
use crate::circuits::drawing::{draw_circuit, draw_input_bits};
use crate::circuits::editor::{draw_editor, draw_example_buttons};
use vivarium_ui::inside::{inside_panel, show_for_lab};

/// The lab's panel: example circuits, input bits, diagram and text editor; for runs of a circuit.
#[component]
pub fn CircuitPanel() -> impl IntoView {
    show_for_lab(|panel: PanelContext| {
        let parts = view! {
            <section class="card card--wide" aria-label=tr!("The circuit and its input")>
                {draw_example_buttons(panel)}
                {draw_input_bits(panel)}
                {draw_circuit(panel)}
            </section>
            <section class="card card--wide" aria-labelledby="circuit-editor-title" data-testid="circuit-editor">
                <h3 class="card__name" id="circuit-editor-title">{tr!("Write a circuit")}</h3>
                {draw_editor(panel)}
            </section>
        };
        inside_panel("circuit-title", tr!("Inside the circuit"), parts.into_any())
    })
}
