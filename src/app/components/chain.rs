//! The chain of the sequence that is looked into: its diagram, and its table, in which it can be changed.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::inside::seen;
use crate::analysis::chains::letter;
use crate::app::chains::Origin;
use crate::app::diagram::{NODE, SIDE, arrows, nodes, width};
use crate::app::inside::{self, Table};
use crate::app::looking::{Looking, shown_chain};
use crate::app::state::Action;
use crate::app::store::Store;
use crate::platform::fresh_seed;

/// Most symbols whose arrows carry numbers; more would cover each other.
const NUMBERED: usize = 4;

/// What the card shows.
#[derive(Debug, Clone, PartialEq)]
enum Shape {
    /// A chain of order 2 on so many symbols.
    Square(usize),
    /// A chain of higher order.
    Contexts(Table),
    /// Nobody knows it.
    Unknown,
}

/// The chain.
#[component]
pub fn ChainCard() -> impl IntoView {
    let store = Store::here();
    let look = move |what: Looking| store.act(Action::Look(what));
    let shape = seen(store, |chains, view| match (shown_chain(chains, view), &chains.inspected.chain) {
        (Some(_), _) => Shape::Square(chains.task.symbols),
        (None, Some(chain)) => Shape::Contexts(inside::table(chain)),
        (None, None) => Shape::Unknown,
    });
    let is_own = store.memo(|state| !state.link.view.chain.is_empty());
    let stationary = seen(store, |chains, _| inside::stationary(chains));
    let problem = store.memo(|state| inside::refused(state, "chain"));
    let about = seen(store, |chains, view| match (view.chain.is_empty(), chains.inspected.origin) {
        (false, Origin::Own) => "Your own chain; the sequence on show is not drawn from it.",
        (false, _) => "Your own chain: sequences to look into are drawn from it. Training goes on as it was.",
        (true, Origin::Own) => "Nobody knows what chain your own sequence is from.",
        (true, _) => {
            "The chain that this sequence was drawn from. Change an entry to draw sequences of your own chain."
        }
    });
    let begin = move || if shape.get() == Some(Shape::Unknown) { "Draw a chain" } else { "Make it mine" };
    view! {
        <section class="card card--chain" aria-labelledby="chain-title" data-testid="chain">
            <h3 class="card__name" id="chain-title">"Chain"</h3>
            <p class="card__note" data-testid="chain-about">{move || about.get()}</p>
            {move || match shape.get() {
                Some(Shape::Square(symbols)) => view! {
                    <div class="chain">
                        <Diagram symbols />
                        <Entries symbols />
                    </div>
                }.into_any(),
                Some(Shape::Contexts(table)) => contexts(table),
                _ => ().into_any(),
            }}
            <p class="knob__problem" role="status" data-testid="chain-problem">{move || problem.get()}</p>
            <p class="card__text" data-testid="stationary">{move || stationary.get().flatten()}</p>
            <div class="editing__buttons">
                <button class="button" type="button" data-testid="own-chain" disabled=is_own
                    title="Draws sequences to look into from a chain that you can change"
                    on:click=move |_| look(Looking::OwnChain)>
                    {begin}
                </button>
                <button class="button" type="button" data-testid="random-chain"
                    on:click=move |_| look(Looking::RandomChain(fresh_seed()))>
                    "Random chain"
                </button>
                <button class="button" type="button" data-testid="no-chain" disabled=move || !is_own.get()
                    on:click=move |_| look(Looking::NoChain)>
                    "Use held-out sequences"
                </button>
            </div>
        </section>
    }
    .into_any()
}

/// Percent of a step of the chain on show.
fn percent_of(store: Store, symbols: usize, row: usize, column: usize) -> Memo<usize> {
    let entry = seen(store, move |chains, view| {
        shown_chain(chains, view).and_then(|chain| chain.get(row * symbols + column).copied())
    });
    Memo::new(move |_| entry.get().flatten().unwrap_or(0))
}

fn entry_id(row: usize, column: usize) -> String {
    format!("chain-{}-{}", letter(row), letter(column))
}

/// Nodes and arrows. A press on an arrow goes to its entry in the table, which the keyboard reaches anyway.
#[component]
fn Diagram(
    /// Symbols of the chain.
    symbols: usize,
) -> impl IntoView {
    let store = Store::here();
    let lines = arrows(symbols).into_iter().map(|arrow| {
        let (from, to) = (arrow.from, arrow.to);
        let percent = percent_of(store, symbols, from, to);
        let go = move |_| {
            let field = document().get_element_by_id(&entry_id(from, to));
            if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlInputElement>().ok()) {
                // A field that cannot be focused now is pressed itself.
                let _ = field.focus();
                field.select();
            }
        };
        let broad = move || format!("{:.2}", width(percent.get() as f64 / 100.0));
        let (x, y) = arrow.label;
        view! {
            <g class="arrow" class:arrow--none=move || percent.get() == 0
                data-testid=format!("arrow-{}-{}", letter(from), letter(to)) on:click=go>
                <path class="arrow__reach" d=arrow.path.clone() />
                <path class="arrow__line" d=arrow.path stroke-width=broad />
                <path class="arrow__head" d=arrow.head />
                {(symbols <= NUMBERED).then(|| view! {
                    <text class="arrow__number" x=format!("{x:.1}") y=format!("{y:.1}")>
                        {move || percent.get().to_string()}
                    </text>
                })}
            </g>
        }
    });
    let circles = nodes(symbols).into_iter().enumerate().map(|(symbol, (x, y))| {
        view! {
            <g class="node">
                <circle class="node__ring" cx=format!("{x:.1}") cy=format!("{y:.1}") r=NODE.to_string() />
                <text class="node__name" x=format!("{x:.1}") y=format!("{y:.1}")>{letter(symbol)}</text>
            </g>
        }
    });
    view! {
        <svg class="diagram" viewBox=format!("0 0 {SIDE} {SIDE}") role="img" data-testid="diagram"
            aria-label="Transition diagram; the table beside it holds the numbers and can be changed">
            {lines.collect_view()}
            {circles.collect_view()}
        </svg>
    }
    .into_any()
}

/// The table of percents, each a field.
#[component]
fn Entries(
    /// Symbols of the chain.
    symbols: usize,
) -> impl IntoView {
    let store = Store::here();
    let heads = (0..symbols).map(|column| view! { <th scope="col">{format!("to {}", letter(column))}</th> });
    let rows = (0..symbols).map(|row| {
        let cells = (0..symbols).map(|column| {
            let percent = percent_of(store, symbols, row, column);
            let id = entry_id(row, column);
            let name = format!("from {} to {}, percent", letter(row), letter(column));
            let take = move |event: web_sys::Event| {
                let text = event_target_value(&event);
                store.act(Action::Look(Looking::Typed { row, column, text }));
                // What was refused is not kept: the reason stands below, and rows stay at 100.
                event_target::<HtmlInputElement>(&event).set_value(&percent.get_untracked().to_string());
            };
            view! {
                <td>
                    <input class="knob__box entries__box" id=id.clone() data-testid=id type="text" inputmode="numeric"
                        autocomplete="off" aria-label=name prop:value=move || percent.get().to_string()
                        on:change=take />
                </td>
            }
        });
        let cells = cells.collect_view();
        view! { <tr><th scope="row">{format!("from {}", letter(row))}</th>{cells}</tr> }
    });
    view! {
        <table class="entries" data-testid="chain-entries">
            <caption class="entries__caption">"Percent; rows stay at 100"</caption>
            <thead><tr><td></td>{heads.collect_view()}</tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
    .into_any()
}

/// The table of a chain of higher order, which can only be read.
fn contexts(table: Table) -> AnyView {
    let symbols = table.entries.len() / table.contexts.len().max(1);
    let heads = (0..symbols).map(|column| view! { <th scope="col">{format!("to {}", letter(column))}</th> });
    let rows = table.contexts.iter().zip(table.entries.chunks(symbols.max(1))).map(|(name, entries)| {
        let cells = entries.iter().map(|text| view! { <td>{text.clone()}</td> }).collect_view();
        view! { <tr><th scope="row">{format!("after {name}")}</th>{cells}</tr> }
    });
    let rows = rows.collect_view();
    view! {
        <div class="entries__frame" tabindex="0" role="region" aria-label="Table of the chain">
            <table class="entries" data-testid="chain-contexts">
                <thead><tr><td></td>{heads.collect_view()}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
