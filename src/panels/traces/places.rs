//! Where on the page the panel stands, and what it shows: the machine's rules, and buttons for another trace.

use leptos::prelude::*;

use crate::panel::{LabPanel, Place};
use vivarium_labs::traces::{TracesLab, TracesState, words};
use vivarium_ui::inside::{inside, of_lab, which};
use vivarium_ui::news::News;
use vivarium_view::ui::request::Request;

/// Held-out traces that can be looked into, as the setting has it.
const EXAMPLES: usize = 64;

impl LabPanel for TracesLab {
    fn help(&self) -> &'static str {
        tr!(
            "A random Turing machine runs on a random tape. At each step the network reads the state and the symbol under the head, and predicts the state and the symbol of the next step. The tape is not part of the network's input. A sure way to predict the symbol of a written cell is to find the step that last wrote to this cell. A transformer that is constructed by hand finds this step with a binary search. This training experiment is our own; it is not from a paper. We do not claim that training finds a binary search."
        )
    }

    fn draw(&self, place: Place) -> Option<AnyView> {
        match place {
            Place::Inside => Some(of_lab(panel).into_any()),
            _ => None,
        }
    }
}

/// The panel, for runs on traces.
fn panel(news: News<TracesState>) -> AnyView {
    let rules = news.memo(|state, _| state.machine.rule_lines());
    let item = |rule: String| view! { <li>{rule}</li> };
    let show = move |example: usize| news.ask(|_, _| Request::edit("example", example.to_string()));
    let parts = view! {
        <section class="card" aria-label=tr!("Rules of the machine") data-testid="rules">
            <p class="card__text">{move || news.see(|state, _| words::rules(state))}</p>
            <ul class="theory__texts">{move || rules.get().unwrap_or_default().into_iter().map(item).collect_view()}</ul>
            <p class="card__text">{move || news.see(|state, _| words::least(state))}</p>
        </section>
        <section class="card" aria-label=tr!("Trace shown")>
            <p class="card__text" data-testid="origin">{move || news.see(|state, _| words::origin(state))}</p>
            {which(tr!("Which trace"), news, EXAMPLES, show, ().into_any())}
            <p class="card__note" role="status" data-testid="trace-answer">{move || news.see(|state, _| words::answer(state))}</p>
        </section>
    };
    inside("machine-title", tr!("The machine, and one trace"), parts.into_any())
}
