//! The panel: the test input and the program, or the rule that the search has found; and lemma 5 for both.

use leptos::prelude::*;

use crate::succinct::context::PanelContext;
use crate::succinct::editor::draw_editor;
use crate::succinct::plane::draw_interpolation;
use crate::succinct::program::{draw_example_buttons, draw_listing, draw_sizes};
use crate::succinct::query::draw_query;
use crate::succinct::rule::{draw_odds, draw_rule};
use vivarium_ui::inside::{inside_panel, show_for_lab};

/// The lab's panel: the program and its test input, or the update rule that a search found; and lemma 5 of Goel,
/// Kakade, Kalai and Zhang (2022), by which a ReLU network has given values and slopes at given points.
#[component]
pub fn SuccinctPanel() -> impl IntoView {
    show_for_lab(|panel: PanelContext| {
        let is_program = panel.memo(|state, _| state.program_state().is_some());
        let own = move || match is_program.get() {
            Some(true) => draw_program_cards(panel),
            Some(false) => draw_search_cards(panel),
            None => ().into_any(),
        };
        let parts = view! {
            {own}
            <section class="card card--wide" aria-labelledby="succinct-interpolation" data-testid="interpolation">
                <h3 class="card__name" id="succinct-interpolation">{tr!("Values and slopes at given points")}</h3>
                {draw_interpolation()}
            </section>
        };
        inside_panel("succinct-title", tr!("Inside the learning algorithm"), parts.into_any())
    })
}

/// Draws the cards of a run whose network executes a program: test input, program and editor.
fn draw_program_cards(panel: PanelContext) -> AnyView {
    view! {
        <section class="card card--wide" aria-labelledby="succinct-query" data-testid="test-input">
            <h3 class="card__name" id="succinct-query">{tr!("Test input")}</h3>
            {draw_query(panel)}
        </section>
        <section class="card card--wide" aria-labelledby="succinct-program" data-testid="program">
            <h3 class="card__name" id="succinct-program">{tr!("The program")}</h3>
            {draw_example_buttons(panel)}
            {draw_sizes(panel)}
            {draw_listing(panel)}
        </section>
        <section class="card card--wide" aria-labelledby="program-editor-title" data-testid="program-editor">
            <h3 class="card__name" id="program-editor-title">{tr!("Write a program")}</h3>
            {draw_editor(panel)}
        </section>
    }
    .into_any()
}

/// Draws the cards of a run that searches for an update rule: the chosen rule and its odds.
fn draw_search_cards(panel: PanelContext) -> AnyView {
    view! {
        <section class="card" aria-labelledby="succinct-rule" data-testid="rule">
            <h3 class="card__name" id="succinct-rule">{tr!("The chosen rule")}</h3>
            {draw_rule(panel)}
        </section>
        <section class="card" aria-labelledby="succinct-odds" data-testid="odds">
            <h3 class="card__name" id="succinct-odds">{tr!("Probability of drawing the paper's filter")}</h3>
            {draw_odds(panel)}
        </section>
    }
    .into_any()
}
