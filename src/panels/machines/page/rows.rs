//! The search through past tokens on the page: one row of attention for each block that looks at the past.

use leptos::html::Canvas;
use leptos::prelude::*;

use crate::machines::page::news::News;
use crate::machines::page::paint::on_frames;
use vivarium_labs::machines::panel::search::{self, Mark, Search};
use vivarium_ui::pixels;
use vivarium_view::display::words::MISSING;

/// The rows, and where the search has ended.
pub(super) fn rows(news: News, bits: usize) -> AnyView {
    let found = news.memo(|state, _| {
        let trace = state.trace.as_ref()?;
        Some(Search::of(&state.program.machine, &state.transformer, trace))
    });
    let shown = news.memo(|state, view| state.stage(view));
    let of = move |what: fn(&Search) -> String| {
        move || found.with(|found| found.as_ref().and_then(Option::as_ref).map(what))
    };
    // Written?, a row for each bit, and the one that fetches.
    let canvases: Vec<NodeRef<Canvas>> = (0..bits + 2).map(|_| NodeRef::new()).collect();
    let one = |(at, canvas): (usize, &NodeRef<Canvas>)| row(found, shown, at, *canvas);
    let all = canvases.iter().enumerate().map(one).collect_view();
    paint(news, found, canvases);
    let note = move || {
        let at = shown.get().unwrap_or(0);
        found.with(|found| {
            let search = found.as_ref().and_then(Option::as_ref)?;
            search.rows.iter().find(|row| row.stage == at).map(search::Row::sentence)
        })
    };
    let note = move || {
        note().unwrap_or_else(|| {
            tr!("Each block that attends to past tokens has a row. The row of the block that is shown has a frame.")
                .into()
        })
    };
    view! {
        <p class="card__text" data-testid="search-about">{of(Search::about)}</p>
        <div class="search__head" aria-hidden="true">
            <span>{tr!("Block")}</span><span>{tr!("Tokens")}</span><span>{tr!("Null slot")}</span><span>{tr!("Wrote")}</span>
        </div>
        <ol class="search" aria-label=tr!("Attention to past tokens, block by block") data-testid="search">{all}</ol>
        <p class="card__text" data-testid="search-note">{note}</p>
        <p class="card__text" data-testid="search-conclusion">{of(Search::conclusion)}</p>
        <p class="blocks__key" aria-hidden="true">{Mark::ALL.map(mark).into_iter().collect_view()}</p>
    }
    .into_any()
}

/// What a colour of the rows means.
fn mark(mark: Mark) -> AnyView {
    let class = match mark {
        Mark::Other => "blocks__sample search__sample--other",
        Mark::Dropped => "blocks__sample search__sample--dropped",
        Mark::Candidate => "blocks__sample search__sample--candidate",
        Mark::Chosen => "blocks__sample search__sample--chosen",
    };
    view! { <span class="blocks__pair"><i class=class></i>{mark.name()}</span> }.into_any()
}

/// What one row shows besides its picture.
#[derive(Debug, Clone, PartialEq)]
struct Shown {
    stage: usize,
    name: String,
    sentence: String,
    is_null: bool,
    wrote: String,
}

/// A row, from 0.
fn row(
    found: Memo<Option<Option<Search>>>,
    shown: Memo<Option<usize>>,
    at: usize,
    canvas: NodeRef<Canvas>,
) -> AnyView {
    let row = Memo::new(move |_| {
        found.with(|found| {
            let row = found.as_ref().and_then(Option::as_ref)?.rows.get(at)?;
            Some(Shown {
                stage: row.stage,
                name: row.name(),
                sentence: row.sentence(),
                is_null: row.is_null(),
                wrote: row.wrote.clone(),
            })
        })
    });
    let stage = move || row.with(|row| row.as_ref().map(|row| row.stage));
    // Before the first block, and without a step, no row is ahead of another one.
    let is_shown = Memo::new(move |_| stage().is_some() && stage() == shown.get());
    let is_later =
        Memo::new(move |_| shown.get().is_some_and(|at| at > 0 && stage().is_some_and(|of| of > at)));
    let of = move |what: fn(&Shown) -> String| move || row.with(|row| row.as_ref().map(what));
    let null = of(|row| if row.is_null { "●".into() } else { "○".into() });
    let wrote = move || match is_later.get() {
        true => Some(MISSING.to_string()),
        false => row.with(|row| row.as_ref().map(|row| row.wrote.clone())),
    };
    view! {
        <li class="search__row" class:search__row--shown=is_shown class:search__row--later=is_later
            data-testid=format!("search-{at}")>
            <span class="spoken" data-testid=format!("search-words-{at}")>{of(|row| row.sentence.clone())}</span>
            <span class="search__name" aria-hidden="true">{of(|row| row.name.clone())}</span>
            <canvas class="search__tokens" node_ref=canvas aria-hidden="true"></canvas>
            <span class="search__null" aria-hidden="true">{null}</span>
            <span class="search__wrote" aria-hidden="true" data-testid=format!("search-wrote-{at}")>{wrote}</span>
        </li>
    }
    .into_any()
}

/// Paints all rows on every frame on which they have changed.
fn paint(news: News, found: Memo<Option<Option<Search>>>, canvases: Vec<NodeRef<Canvas>>) {
    on_frames(news, move |colours| {
        found.try_with_untracked(|found| {
            let Some(search) = found.as_ref().and_then(Option::as_ref) else { return };
            for (row, canvas) in search.rows.iter().zip(&canvases) {
                if let Some(canvas) = canvas.get_untracked() {
                    let picture = search::pixels(row, &colours.marks);
                    pixels::put(&canvas, (row.marks.len() as u32, 1), &picture);
                }
            }
        });
    });
}
