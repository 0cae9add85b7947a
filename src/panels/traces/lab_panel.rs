//! The lab's help text and its panel: the machine's rules, and buttons for another trace.

use leptos::prelude::*;

use crate::panel::{LabPanel, PageSection};
use vivarium_labs::traces::{TracesLab, TracesState, texts};
use vivarium_ui::inside::{example_buttons, inside_panel, show_for_lab};
use vivarium_ui::lab_context::LabContext;
use vivarium_ui::text::element_text;
use vivarium_view::ui::request::Request;

/// Number of held-out traces (recorded runs of the Turing machine) of which the user can choose one for display.
const HELD_OUT_TRACES: usize = 64;

impl LabPanel for TracesLab {
    fn help(&self) -> &'static str {
        tr!(
            "A random Turing machine runs on a random tape. At each step the network reads the state and the symbol under the head, and predicts the state and the symbol of the next step. The tape is not part of the network's input. A sure way to predict the symbol of a written cell is to find the step that last wrote to this cell. A transformer that is constructed by hand finds this step with a binary search. This training experiment is our own; it is not from a paper. We do not claim that training finds a binary search."
        )
    }

    fn draw(&self, section: PageSection) -> Option<AnyView> {
        match section {
            PageSection::Inside => Some(show_for_lab(draw_panel).into_any()),
            _ => None,
        }
    }
}

/// Draws the lab's panel: the rules of the machine, and the trace on display with the network's answer.
fn draw_panel(panel: LabContext<TracesState>) -> AnyView {
    let rules = panel.memo(|state, _| state.machine.rule_lines());
    let item = |rule: String| view! { <li prop:textContent=rule></li> };
    let show = move |example: usize| panel.ask(|_, _| Request::edit("example", example.to_string()));
    let parts = view! {
        <section class="card" aria-label=tr!("Rules of the machine") data-testid="rules">
            <p class="card__text" prop:textContent=element_text(move || panel.see(|state, _| texts::rule_table_heading(state)))></p>
            <ul class="theory__texts">{move || rules.get().unwrap_or_default().into_iter().map(item).collect_view()}</ul>
            <p class="card__text" prop:textContent=element_text(move || panel.see(|state, _| texts::describe_min_loss(state)))></p>
        </section>
        <section class="card" aria-label=tr!("Trace shown")>
            <p class="card__text" data-testid="origin"
                prop:textContent=element_text(move || panel.see(|state, _| texts::describe_origin(state)))></p>
            {example_buttons(tr!("Which trace"), panel, HELD_OUT_TRACES, show, ().into_any())}
            <p class="card__note" role="status" data-testid="trace-answer"
                prop:textContent=element_text(move || panel.see(|state, _| texts::describe_errors(state)))></p>
        </section>
    };
    inside_panel("machine-title", tr!("The machine, and one trace"), parts.into_any())
}
