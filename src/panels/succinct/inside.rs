//! The panel: the test input and the program, or the rule that the search has found; and lemma 5 for both.

use leptos::prelude::*;

use crate::succinct::news::News;
use crate::succinct::plane::plane;
use crate::succinct::program::{counts, examples, rules};
use crate::succinct::query::query;
use crate::succinct::rule::{odds, rule};
use crate::succinct::written::written;
use vivarium_ui::inside::{inside, of_lab};

/// The panel, for runs of this lab.
#[component]
pub fn Inside() -> impl IntoView {
    of_lab(|news: News| {
        let is_program = news.memo(|state, _| state.on_table().is_some());
        let own = move || match is_program.get() {
            Some(true) => of_program(news),
            Some(false) => of_search(news),
            None => ().into_any(),
        };
        let parts = view! {
            {own}
            <section class="card card--wide" aria-labelledby="succinct-through" data-testid="through">
                <h3 class="card__name" id="succinct-through">{tr!("Values and slopes at given points")}</h3>
                {plane()}
            </section>
        };
        inside("succinct-title", tr!("Inside the learning algorithm"), parts.into_any())
    })
}

/// What is shown of a network that runs a program.
fn of_program(news: News) -> AnyView {
    view! {
        <section class="card card--wide" aria-labelledby="succinct-query" data-testid="test-input">
            <h3 class="card__name" id="succinct-query">{tr!("Test input")}</h3>
            {query(news)}
        </section>
        <section class="card card--wide" aria-labelledby="succinct-program" data-testid="program">
            <h3 class="card__name" id="succinct-program">{tr!("The program")}</h3>
            {examples(news)}
            {counts(news)}
            {rules(news)}
        </section>
        <section class="card card--wide" aria-labelledby="succinct-written" data-testid="written">
            <h3 class="card__name" id="succinct-written">{tr!("Write a program")}</h3>
            {written(news)}
        </section>
    }
    .into_any()
}

/// What is shown of a search.
fn of_search(news: News) -> AnyView {
    view! {
        <section class="card" aria-labelledby="succinct-rule" data-testid="rule">
            <h3 class="card__name" id="succinct-rule">{tr!("The chosen rule")}</h3>
            {rule(news)}
        </section>
        <section class="card" aria-labelledby="succinct-odds" data-testid="odds">
            <h3 class="card__name" id="succinct-odds">{tr!("Probability of drawing the paper's filter")}</h3>
            {odds(news)}
        </section>
    }
    .into_any()
}
