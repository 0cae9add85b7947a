//! The search through past tokens: one row of attention weights for each block that attends to past tokens.

use leptos::html::Canvas;
use leptos::prelude::*;

use crate::machines::page::context::PanelContext;
use crate::machines::page::paint::paint_on_frames;
use vivarium_labs::machines::panel::search::{self, StepSearch, TokenMark};
use vivarium_ui::pixels;
use vivarium_ui::text::element_text;
use vivarium_view::display::words::MISSING;

/// Draws the search for the token that last wrote the cell under the head: a row with the attention of each block that
/// attends to past tokens, and the result.
pub(super) fn draw_search_rows(panel: PanelContext, position_bits: usize) -> AnyView {
    let found = panel.memo(|state, _| {
        let trace = state.trace.as_ref()?;
        Some(StepSearch::new(&state.program.machine, &state.transformer, trace))
    });
    let shown = panel.memo(|state, view| state.shown_block(view));
    let of = move |what: fn(&StepSearch) -> String| {
        move || found.with(|found| found.as_ref().and_then(Option::as_ref).map(what))
    };
    // Written?, a row for each bit, and the one that fetches.
    let canvases: Vec<NodeRef<Canvas>> = (0..position_bits + 2).map(|_| NodeRef::new()).collect();
    let one = |(at, canvas): (usize, &NodeRef<Canvas>)| draw_search_row(found, shown, at, *canvas);
    let all = canvases.iter().enumerate().map(one).collect_view();
    paint_rows(panel, found, canvases);
    let note = move || {
        let at = shown.get().unwrap_or(0);
        found.with(|found| {
            let search = found.as_ref().and_then(Option::as_ref)?;
            search.rows.iter().find(|row| row.block == at).map(search::SearchRow::describe)
        })
    };
    let note = move || {
        note().unwrap_or_else(|| {
            tr!("Each block that attends to past tokens has a row. The row of the block that is shown has a frame.")
                .into()
        })
    };
    view! {
        <p class="card__text" data-testid="search-about" prop:textContent=element_text(of(StepSearch::describe_range))></p>
        <div class="search__head" aria-hidden="true">
            <span>{tr!("Block")}</span><span>{tr!("Tokens")}</span><span>{tr!("Null slot")}</span><span>{tr!("Wrote")}</span>
        </div>
        <ol class="search" aria-label=tr!("Attention to past tokens, block by block") data-testid="search">{all}</ol>
        <p class="card__text" data-testid="search-note" prop:textContent=element_text(note)></p>
        <p class="card__text" data-testid="search-conclusion"
            prop:textContent=element_text(of(StepSearch::describe_result))></p>
        <p class="blocks__key" aria-hidden="true">{TokenMark::ALL.map(draw_mark_legend).into_iter().collect_view()}</p>
    }
    .into_any()
}

/// Draws the legend entry of a token mark (token that wrote another cell, dropped, candidate, chosen): its colour and
/// name.
fn draw_mark_legend(mark: TokenMark) -> AnyView {
    let class = match mark {
        TokenMark::Other => "blocks__sample search__sample--other",
        TokenMark::Dropped => "blocks__sample search__sample--dropped",
        TokenMark::Candidate => "blocks__sample search__sample--candidate",
        TokenMark::Chosen => "blocks__sample search__sample--chosen",
    };
    view! { <span class="blocks__pair"><i class=class></i>{mark.name()}</span> }.into_any()
}

/// Texts of one row of the search for the last write; a row stands for one attention block.
#[derive(Debug, Clone, PartialEq)]
struct SearchRowText {
    /// Number of the row's transformer block, counted from 1 over the blocks of one machine step.
    stage: usize,
    /// Name of the row's transformer block, as on the buttons of the blocks.
    name: String,
    /// Sentence that describes the attention of the row's transformer block.
    sentence: String,
    /// Whether the block attends to the null slot: no past token fits.
    is_null: bool,
    /// Tape symbol that the token attended by the block wrote, as text.
    written_symbol: String,
}

/// Draws row `row_index`, from 0, of the search for the last write. `search` is `None` while another lab's run is
/// displayed and `Some(None)` before a machine step is traced; `shown_block` is the number of the chosen transformer
/// block, counted from 1, 0 before the first.
fn draw_search_row(
    search: Memo<Option<Option<StepSearch>>>,
    shown_block: Memo<Option<usize>>,
    row_index: usize,
    canvas: NodeRef<Canvas>,
) -> AnyView {
    let row = Memo::new(move |_| {
        search.with(|found| {
            let row = found.as_ref().and_then(Option::as_ref)?.rows.get(row_index)?;
            Some(SearchRowText {
                stage: row.block,
                name: row.name(),
                sentence: row.describe(),
                is_null: row.is_null(),
                written_symbol: row.written_value.clone(),
            })
        })
    });
    let stage = move || row.with(|row| row.as_ref().map(|row| row.stage));
    // Before the first block, and without a step, no row is ahead of another one.
    let is_shown = Memo::new(move |_| stage().is_some() && stage() == shown_block.get());
    let is_later =
        Memo::new(move |_| shown_block.get().is_some_and(|at| at > 0 && stage().is_some_and(|of| of > at)));
    let of = move |what: fn(&SearchRowText) -> String| move || row.with(|row| row.as_ref().map(what));
    let null = of(|row| if row.is_null { "●".into() } else { "○".into() });
    let wrote = move || match is_later.get() {
        true => Some(MISSING.to_string()),
        false => row.with(|row| row.as_ref().map(|row| row.written_symbol.clone())),
    };
    view! {
        <li class="search__row" class:search__row--shown=is_shown class:search__row--later=is_later
            data-testid=format!("search-{row_index}")>
            <span class="visually-hidden" data-testid=format!("search-sentence-{row_index}")
                prop:textContent=element_text(of(|row| row.sentence.clone()))></span>
            <span class="search__name" aria-hidden="true" prop:textContent=element_text(of(|row| row.name.clone()))></span>
            <canvas class="search__tokens" node_ref=canvas aria-hidden="true"></canvas>
            <span class="search__null" aria-hidden="true" translate="no">{null}</span>
            <span class="search__written" aria-hidden="true" data-testid=format!("search-written-{row_index}")
                prop:textContent=element_text(wrote)></span>
        </li>
    }
    .into_any()
}

/// Repaints the canvases of the search for the last write, one per row, on the next frame after a change. `search` is
/// `None` while another lab's run is displayed and `Some(None)` before a machine step is traced.
fn paint_rows(panel: PanelContext, search: Memo<Option<Option<StepSearch>>>, canvases: Vec<NodeRef<Canvas>>) {
    paint_on_frames(panel, move |colours| {
        search.try_with_untracked(|found| {
            let Some(search) = found.as_ref().and_then(Option::as_ref) else { return };
            for (row, canvas) in search.rows.iter().zip(&canvases) {
                if let Some(canvas) = canvas.get_untracked() {
                    let picture = search::render_row(row, &colours.marks);
                    pixels::draw_pixels(&canvas, (row.marks.len() as u32, 1), &picture);
                }
            }
        });
    });
}
