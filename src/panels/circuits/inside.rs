//! The panel: the circuit with its input, and the text of a circuit.

use leptos::prelude::*;

use crate::circuits::drawing::{bits, drawing};
use crate::circuits::news::News;
use crate::circuits::written::{examples, written};
use vivarium_ui::inside::{inside, of_lab};

/// The panel, for runs of a circuit.
#[component]
pub fn Inside() -> impl IntoView {
    of_lab(|news: News| {
        let parts = view! {
            <section class="card card--wide" aria-label=tr!("The circuit and its input")>
                {examples(news)}
                {bits(news)}
                {drawing(news)}
            </section>
            <section class="card card--wide" aria-labelledby="written-title" data-testid="written">
                <h3 class="card__name" id="written-title">{tr!("Write a circuit")}</h3>
                {written(news)}
            </section>
        };
        inside("circuit-title", tr!("Inside the circuit"), parts.into_any())
    })
}
