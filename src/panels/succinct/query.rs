//! The test input, which the user can change, with the network's answer and the true label.

use leptos::prelude::*;

use crate::succinct::context::{PanelContext, SendAction};
use vivarium_labs::succinct::panel::action::SuccinctAction;
use vivarium_labs::succinct::panel::sentences;
use vivarium_ui::button::button;

/// Draws the test input: a toggle button per entry, a button that restores the sampled input, and the network's answer
/// with the true label.
pub(super) fn draw_query(panel: PanelContext) -> AnyView {
    let count = panel.memo(|state, _| state.query.len());
    let is_drawn = panel.memo(|state, _| state.problem.fixed_input.is_empty());
    let answer = Memo::new(move |_| panel.see(|state, _| sentences::format_answer(state)).flatten());
    let label = panel.memo(|state, _| sentences::format_true_label(state));
    let problem = panel.rejected_text("query");
    let one = move |at: usize| {
        let is_one = panel.memo(move |state, _| state.query.get(at).is_some_and(|number| *number > 0));
        let is_one = move || is_one.get() == Some(true);
        view! {
            <button class="chip succinct-number" type="button" data-testid=format!("query-{}", at + 1)
                aria-pressed=move || is_one().to_string() translate="no"
                on:click=move |_| panel.send_action(SuccinctAction::ToggleInput(at))>
                {format!("x{} = ", at + 1)} {move || sentences::format_label(if is_one() { 1 } else { -1 })}
            </button>
        }
    };
    view! {
        <div class="succinct-query" role="group" aria-label=tr!("Numbers of the test input") data-testid="query">
            {move || (0..count.get().unwrap_or(0)).map(one).collect_view()}
        </div>
        <p class="setting__error" role="status" data-testid="query-error" prop:textContent=problem></p>
        <div class="succinct-answers">
            {button("draw-query", tr!("Use the random test input"), Box::new(move || is_drawn.get() != Some(false)),
                Box::new(move || panel.send_action(SuccinctAction::ResetInput)))}
            <dl class="succinct-list">
                <div class="succinct-size">
                    <dt>{tr!("Answer of the network")}</dt>
                    <dd aria-live="polite" data-testid="network-answer" prop:textContent=answer></dd>
                </div>
                <div class="succinct-size">
                    <dt>{tr!("True label")}</dt>
                    <dd data-testid="concept-label" prop:textContent=label></dd>
                </div>
            </dl>
        </div>
    }
    .into_any()
}
