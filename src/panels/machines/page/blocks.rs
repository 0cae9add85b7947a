//! The blocks of one step: a button for each, and a description of the block on display.

use leptos::prelude::*;

use crate::machines::page::context::{PanelContext, SendAction};
use vivarium_labs::machines::panel::action::MachineAction;
use vivarium_labs::machines::panel::stages;
use vivarium_ui::stages::{StageTexts, stage_player as view_of};
use vivarium_ui::text::element_text;
use vivarium_view::ui::stage::StageNames;

/// Draws the transformer blocks that execute one step of the Turing machine as buttons, with description and rounding
/// error of the chosen block; `position_bits` is the number of bits that encode a tape position.
pub(super) fn draw_blocks(panel: PanelContext, position_bits: usize) -> AnyView {
    let buttons = stages::block_buttons(position_bits);
    let last = buttons.len();
    let shown = Memo::new(move |_| panel.see(|state, view| state.shown_block(view)).unwrap_or(0));
    let go = move |stage: usize| panel.send_action(MachineAction::SelectBlock(stage.min(last)));
    let step = panel.memo(|state, _| stages::describe_step(state.trace.as_ref()));
    let result = panel.memo(|state, view| stages::describe_result(state, state.shown_block(view)));
    let measured = panel.memo(|state, view| {
        let (trace, stage) = (state.trace.as_ref()?, state.shown_block(view));
        let deviation = stages::describe_deviation(trace, stage, state.transformer.mode().rounding)?;
        let gap = stages::describe_score_gap(trace, stage).unwrap_or_default();
        Some(format!("{deviation} {gap}"))
    });
    let names = StageNames {
        key: "block",
        all: tr!("Blocks of the step"),
        previous: tr!("Previous block"),
        next: tr!("Next block"),
        play: tr!("Play the blocks"),
        pause: tr!("Pause the blocks"),
        shown: tr!("Block that is shown"),
        marks_done: true,
    };
    let words = StageTexts {
        heading: Box::new(move |stage| stages::block_heading(position_bits, stage)),
        about: Box::new(move |stage| stages::describe_block(position_bits, stage)),
        formula: Box::new(move |stage| stages::block_formula(position_bits, stage)),
    };
    view! {
        <p class="card__text" data-testid="block-step" prop:textContent=step></p>
        {view_of(names, buttons, words, shown, go)}
        <p class="card__text" data-testid="block-result" prop:textContent=element_text(move || result.get())></p>
        <p class="card__note" data-testid="block-deviation" prop:textContent=element_text(move || measured.get())></p>
    }
    .into_any()
}
