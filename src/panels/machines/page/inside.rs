//! The panel: tape and tokens in step, the blocks of one step, the search, and the editor.

use leptos::prelude::*;

use crate::machines::page::beside::beside;
use crate::machines::page::blocks::blocks;
use crate::machines::page::news::{News, Requests};
use crate::machines::page::rows::rows;
use crate::machines::page::writing::writing;
use vivarium_labs::machines::panel::counts;
use vivarium_ui::inside::{inside, of_lab};

/// The panel, for runs of a transformer that runs a Turing machine.
#[component]
pub fn Inside() -> impl IntoView {
    of_lab(|news: News| {
        let bits = news.once_per_run(|state| state.transformer.construction().layout().bits());
        let counts = news.once_per_run(|state| counts::of(&state.program, state.transformer.mode().rounding));
        let parts = view! {
            <section class="card card--wide" aria-label=tr!("Tape and tokens")>
                <p class="card__text" data-testid="machine-counts">{move || counts.get().flatten()}</p>
                {beside(news)}
            </section>
            <section class="card card--wide" aria-label=tr!("Blocks of one step")>
                {move || bits.get().map(|bits| blocks(news, bits))}
            </section>
            <section class="card card--wide" aria-labelledby="search-title">
                <h3 class="card__name" id="search-title">{tr!("Search for the step that last wrote to this cell")}</h3>
                {move || bits.get().map(|bits| rows(news, bits))}
            </section>
            <section class="card card--wide" aria-labelledby="editor-title">
                <h3 class="card__name" id="editor-title">{tr!("The machine")}</h3>
                {writing(news)}
            </section>
        };
        inside(
            "step-title",
            tr!("Inside the transformer: a Turing machine without a stored tape"),
            parts.into_any(),
        )
    })
}
