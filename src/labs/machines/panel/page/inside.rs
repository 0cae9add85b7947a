//! The panel: tape and tokens in step, the blocks of one step, the search, and the editor.

use leptos::prelude::*;

use super::beside::beside;
use super::blocks::blocks;
use super::news::News;
use super::rows::rows;
use super::writing::writing;
use crate::machines::panel::counts;
use vivarium_view::ui::inside::{inside, of_lab};

/// The panel, for runs of a transformer that runs a Turing machine.
#[component]
pub fn Inside() -> impl IntoView {
    of_lab(|news: News| {
        let bits = news.once(|state| state.transformer.construction().layout().bits());
        let counts = news.once(|state| counts::of(&state.program, state.transformer.how().rounding));
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
