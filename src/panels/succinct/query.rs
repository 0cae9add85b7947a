//! The test input, which a person changes, with the network's answer and the concept's.

use leptos::prelude::*;

use crate::succinct::news::{News, Requests};
use vivarium_labs::succinct::panel::action::PanelAction;
use vivarium_labs::succinct::panel::sentences;
use vivarium_ui::button::button;

/// A button for each number of the test input, one that takes the drawn input, and the answers.
pub(super) fn query(news: News) -> AnyView {
    let count = news.memo(|state, _| state.query.len());
    let is_drawn = news.memo(|state, _| state.problem.fixed_input.is_empty());
    let answer = Memo::new(move |_| news.see(|state, _| sentences::answer(state)).flatten());
    let label = news.memo(|state, _| sentences::label(state));
    let problem = news.problem("query");
    let one = move |at: usize| {
        let is_one = news.memo(move |state, _| state.query.get(at).is_some_and(|number| *number > 0));
        let is_one = move || is_one.get() == Some(true);
        view! {
            <button class="chip succinct-number" type="button" data-testid=format!("query-{}", at + 1)
                aria-pressed=move || is_one().to_string() on:click=move |_| news.request(PanelAction::Toggle(at))>
                {format!("x{} = ", at + 1)} {move || sentences::signed(if is_one() { 1 } else { -1 })}
            </button>
        }
    };
    view! {
        <div class="succinct-query" role="group" aria-label=tr!("Numbers of the test input") data-testid="query">
            {move || (0..count.get().unwrap_or(0)).map(one).collect_view()}
        </div>
        <p class="knob__problem" role="status" data-testid="query-problem">{problem}</p>
        <div class="succinct-answers">
            {button("draw-query", tr!("Use the random test input"), Box::new(move || is_drawn.get() != Some(false)),
                Box::new(move || news.request(PanelAction::Draw)))}
            <dl class="succinct-list">
                <div class="succinct-size">
                    <dt>{tr!("Answer of the network")}</dt>
                    <dd aria-live="polite" data-testid="network-answer">{move || answer.get()}</dd>
                </div>
                <div class="succinct-size">
                    <dt>{tr!("True label")}</dt>
                    <dd data-testid="concept-label">{move || label.get()}</dd>
                </div>
            </dl>
        </div>
    }
    .into_any()
}
