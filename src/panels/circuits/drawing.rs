//! The input bits, which the user can change, and the diagram of the circuit with the value of each gate.

use leptos::prelude::*;

use crate::circuits::context::{PanelContext, SendAction};
use vivarium_labs::circuits::CircuitState;
use vivarium_labs::circuits::panel::action::PanelAction;
use vivarium_labs::circuits::panel::diagram::{self, Diagram, GateBox, GateState, Wire};

/// Radius of the circle of an ID gate that only copies a value to the next layer, in SVG units.
const ID_GATE_RADIUS: &str = "3";

/// Draws one toggle button per input bit of the circuit; a click flips the bit.
pub(super) fn draw_input_bits(panel: PanelContext) -> AnyView {
    let names = panel.memo(|state, _| state.circuit.signal_names()[..state.circuit.input_count()].to_vec());
    let problem = panel.rejected_text("in");
    let one = move |(at, name): (usize, String)| {
        let is_on = panel.memo(move |state, _| state.input.get(at).copied().unwrap_or(false));
        let is_on = move || is_on.get().unwrap_or(false);
        view! {
            <button class="chip circuit-bit" type="button" translate="no" data-testid=format!("bit-{}", at + 1)
                aria-pressed=move || is_on().to_string() on:click=move |_| panel.send_action(PanelAction::ToggleBit(at))>
                {name} " = " {move || if is_on() { "1" } else { "0" }}
            </button>
        }
    };
    view! {
        <div class="circuit-bits" role="group" aria-label=tr!("Bits of the input") data-testid="bits">
            {move || names.get().unwrap_or_default().into_iter().enumerate().map(one).collect_view()}
        </div>
        <p class="setting__error" role="status" data-testid="bits-error" prop:textContent=problem></p>
    }
    .into_any()
}

/// Draws the diagram of the circuit with its values, a sentence about the input, and the legend.
pub(super) fn draw_circuit(panel: PanelContext) -> AnyView {
    // It is drawn anew for another circuit alone, and not with each step.
    let circuit = panel.memo(|state, _| (state.circuit.clone(), state.layered.clone()));
    let drawn = Memo::new(move |_| {
        circuit.with(|of| of.as_ref().map(|(circuit, layered)| diagram::build_diagram(circuit, layered)))
    });
    let lit = panel.memo(|state, _| diagram::gate_states(&state.network_values(), &state.values));
    let about = panel.memo(describe_input);
    let picture = move || match drawn.get() {
        Some(Ok(drawing)) => draw_diagram(drawing, lit, about),
        Some(Err(why)) => {
            view! { <p class="card__text" data-testid="no-drawing" prop:textContent=why></p> }.into_any()
        }
        None => ().into_any(),
    };
    view! {
        {picture}
        <p class="card__note" role="status" data-testid="circuit-about" prop:textContent=about></p>
        <p class="blocks__key" aria-hidden="true">
            <span class="blocks__pair"><i class="gate__sample gate__sample--on"></i>{tr!("value 1")}</span>
            <span class="blocks__pair"><i class="gate__sample"></i>{tr!("value 0")}</span>
            <span class="blocks__pair"><i class="gate__sample gate__sample--wrong"></i>{tr!("value differs from the circuit's value")}</span>
        </p>
    }
    .into_any()
}

/// A sentence with the circuit's current input bits and the output for them, for screen readers.
fn describe_input(state: &CircuitState, _: &vivarium_model::permalink::ViewSettings) -> String {
    let input: String = state.input.iter().map(|bit| if *bit { '1' } else { '0' }).collect();
    let answer = state.circuit.evaluate(&state.input).unwrap_or(false);
    diagram::describe_diagram(&input, answer, &diagram::gate_states(&state.network_values(), &state.values))
}

/// Draws the gates and wires as SVG. `lit` holds the state of each gate as `[layer][gate]`, `None` while another lab's
/// run is displayed; `description` is the label for screen readers.
fn draw_diagram(
    drawing: Diagram,
    lit: Memo<Option<Vec<Vec<GateState>>>>,
    description: Memo<Option<String>>,
) -> AnyView {
    let (width, height) = drawing.size;
    let of = move |(layer, at): (usize, usize)| {
        lit.with(|lit| lit.as_ref().and_then(|all| all.get(layer)?.get(at).copied())).unwrap_or_default()
    };
    let wire = move |wire: Wire| {
        let lit = Memo::new(move |_| of(wire.from));
        view! { <path class="wire" class:wire--on=move || lit.get().is_on d=wire.path /> }
    };
    let gate = move |gate: GateBox| {
        let (at, (x, y)) = (gate.position, gate.center);
        let lit = Memo::new(move |_| of(at));
        let shape = match gate.is_relay {
            true => view! { <circle class="gate__box" cx=x.to_string() cy=y.to_string() r=ID_GATE_RADIUS /> }
                .into_any(),
            false => {
                let [left, top, wide, high] =
                    diagram::gate_rect(gate.center).map(|number| number.to_string());
                view! {
                    // Square corners and no pointer: buttons have round corners, and a gate is none.
                    <rect class="gate__box" x=left y=top width=wide height=high />
                    <text class="gate__label" translate="no" x=x.to_string() y=(y + 4.0).to_string()>{gate.label}</text>
                }
                .into_any()
            }
        };
        view! {
            <g class="gate" class:gate--on=move || lit.get().is_on class:gate--wrong=move || lit.get().is_wrong>
                <title translate="no">{gate.signal_name} " = " {move || if lit.get().is_on { "1" } else { "0" }}</title>
                {shape}
            </g>
        }
    };
    view! {
        <div class="circuit" role="group" tabindex="0" aria-label=tr!("The circuit, layer by layer")>
            <svg class="circuit__drawing" viewBox=format!("0 0 {width} {height}") width=width.to_string()
                height=height.to_string() role="img" data-testid="circuit-drawing"
                aria-label=move || description.get().unwrap_or_default()>
                {drawing.wires.into_iter().map(wire).collect_view()}
                {drawing.boxes.into_iter().map(gate).collect_view()}
            </svg>
        </div>
    }
    .into_any()
}
