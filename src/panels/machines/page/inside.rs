//! The panel: tape and tokens in step, the blocks of one step, the search, and the editor.

use leptos::prelude::*;

use crate::machines::page::blocks::draw_blocks;
use crate::machines::page::context::{PanelContext, SendAction};
use crate::machines::page::editor::draw_editor;
use crate::machines::page::rows::draw_search_rows;
use crate::machines::page::tape_and_tokens::draw_tape_and_tokens;
use vivarium_labs::machines::panel::counts;
use vivarium_ui::inside::{inside_panel, show_for_lab};
use vivarium_ui::text::element_text;

/// The lab's panel: tape and tokens, the transformer blocks of one step, the search for the token that last wrote the
/// cell under the head, and the editor; for runs of a Turing machine in a transformer.
#[component]
pub fn MachinePanel() -> impl IntoView {
    show_for_lab(|panel: PanelContext| {
        let bits = panel.memo_per_run(|state| state.transformer.construction().layout().bits());
        let counts = panel
            .memo_per_run(|state| counts::describe_size(&state.program, state.transformer.mode().rounding));
        let parts = view! {
            <section class="card card--wide" aria-label=tr!("Tape and tokens")>
                <p class="card__text" data-testid="machine-counts"
                    prop:textContent=element_text(move || counts.get())></p>
                {draw_tape_and_tokens(panel)}
            </section>
            <section class="card card--wide" aria-label=tr!("Blocks of one step")>
                {move || bits.get().map(|bits| draw_blocks(panel, bits))}
            </section>
            <section class="card card--wide" aria-labelledby="search-title">
                <h3 class="card__name" id="search-title">{tr!("Search for the step that last wrote to this cell")}</h3>
                {move || bits.get().map(|bits| draw_search_rows(panel, bits))}
            </section>
            <section class="card card--wide" aria-labelledby="editor-title">
                <h3 class="card__name" id="editor-title">{tr!("The machine")}</h3>
                {draw_editor(panel)}
            </section>
        };
        inside_panel(
            "step-title",
            tr!("Inside the transformer: a Turing machine without a stored tape"),
            parts.into_any(),
        )
    })
}
