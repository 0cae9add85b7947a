//! The bits of the input, which a person changes, and the diagram of the circuit with the gates that are lit.

use leptos::prelude::*;

use crate::circuits::news::{News, Requests};
use vivarium_labs::circuits::CircuitState;
use vivarium_labs::circuits::panel::action::PanelAction;
use vivarium_labs::circuits::panel::diagram::{self, Diagram, GateBox, Lit, Wire};

/// Radius of the dot of an ID gate that only carries a value.
const DOT: &str = "3";

/// A button for each bit of the input.
pub(super) fn bits(news: News) -> AnyView {
    let names = news.memo(|state, _| state.circuit.signal_names()[..state.circuit.input_count()].to_vec());
    let problem = news.problem("in");
    let one = move |(at, name): (usize, String)| {
        let is_on = news.memo(move |state, _| state.bits.get(at).copied().unwrap_or(false));
        let is_on = move || is_on.get().unwrap_or(false);
        view! {
            <button class="chip circuit-bit" type="button" data-testid=format!("bit-{}", at + 1)
                aria-pressed=move || is_on().to_string() on:click=move |_| news.request(PanelAction::Toggle(at))>
                {name} " = " {move || if is_on() { "1" } else { "0" }}
            </button>
        }
    };
    view! {
        <div class="circuit-bits" role="group" aria-label=tr!("Bits of the input") data-testid="bits">
            {move || names.get().unwrap_or_default().into_iter().enumerate().map(one).collect_view()}
        </div>
        <p class="knob__problem" role="status" data-testid="bits-problem">{problem}</p>
    }
    .into_any()
}

/// The diagram with what is said of it.
pub(super) fn drawing(news: News) -> AnyView {
    // It is drawn anew for another circuit alone, and not with each step.
    let circuit = news.memo(|state, _| (state.circuit.clone(), state.layered.clone()));
    let drawn = Memo::new(move |_| {
        circuit.with(|of| of.as_ref().map(|(circuit, layered)| diagram::diagram(circuit, layered)))
    });
    let lit = news.memo(|state, _| diagram::lit(&state.given(), &state.values));
    let about = news.memo(about);
    let picture = move || match drawn.get() {
        Some(Ok(drawing)) => picture(drawing, lit, about),
        Some(Err(why)) => view! { <p class="card__text" data-testid="no-drawing">{why}</p> }.into_any(),
        None => ().into_any(),
    };
    view! {
        {picture}
        <p class="card__note" role="status" data-testid="circuit-about">{about}</p>
        <p class="blocks__key" aria-hidden="true">
            <span class="blocks__pair"><i class="gate__sample gate__sample--on"></i>{tr!("value 1")}</span>
            <span class="blocks__pair"><i class="gate__sample"></i>{tr!("value 0")}</span>
            <span class="blocks__pair"><i class="gate__sample gate__sample--wrong"></i>{tr!("value differs from the circuit's value")}</span>
        </p>
    }
    .into_any()
}

/// What is said of the input that is shown.
fn about(state: &CircuitState, _: &vivarium_model::permalink::View) -> String {
    let input: String = state.bits.iter().map(|bit| if *bit { '1' } else { '0' }).collect();
    let answer = state.circuit.evaluate(&state.bits).unwrap_or(false);
    diagram::about(&input, answer, &diagram::lit(&state.given(), &state.values))
}

fn picture(drawing: Diagram, lit: Memo<Option<Vec<Vec<Lit>>>>, about: Memo<Option<String>>) -> AnyView {
    let (width, height) = drawing.size;
    let of = move |(layer, at): (usize, usize)| {
        lit.with(|lit| lit.as_ref().and_then(|all| all.get(layer)?.get(at).copied())).unwrap_or_default()
    };
    let wire = move |wire: Wire| {
        let lit = Memo::new(move |_| of(wire.from));
        view! { <path class="wire" class:wire--on=move || lit.get().is_on d=wire.path /> }
    };
    let gate = move |gate: GateBox| {
        let (at, (x, y)) = (gate.at, gate.middle);
        let lit = Memo::new(move |_| of(at));
        let shape = match gate.is_carried {
            true => view! { <circle class="gate__box" cx=x.to_string() cy=y.to_string() r=DOT /> }.into_any(),
            false => {
                let [left, top, wide, high] = diagram::corner(gate.middle).map(|number| number.to_string());
                view! {
                    <rect class="gate__box" x=left y=top width=wide height=high rx="4" />
                    <text class="gate__word" x=x.to_string() y=(y + 4.0).to_string()>{gate.word}</text>
                }
                .into_any()
            }
        };
        view! {
            <g class="gate" class:gate--on=move || lit.get().is_on class:gate--wrong=move || lit.get().is_wrong>
                <title>{gate.name} " = " {move || if lit.get().is_on { "1" } else { "0" }}</title>
                {shape}
            </g>
        }
    };
    view! {
        <div class="circuit" role="group" tabindex="0" aria-label=tr!("The circuit, layer by layer")>
            <svg class="circuit__drawing" viewBox=format!("0 0 {width} {height}") width=width.to_string()
                height=height.to_string() role="img" data-testid="circuit-drawing"
                aria-label=move || about.get().unwrap_or_default()>
                {drawing.wires.into_iter().map(wire).collect_view()}
                {drawing.boxes.into_iter().map(gate).collect_view()}
            </svg>
        </div>
    }
    .into_any()
}
