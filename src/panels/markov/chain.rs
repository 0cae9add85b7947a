//! The chain of the sequence that is looked into: its diagram, and its table, in which it can be changed.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use crate::markov::news::{News, Requests};
use vivarium_labs::markov::panel::action::{SequenceAction, shown_chain};
use vivarium_labs::markov::panel::diagram::{NODE, arrows, frame, nodes, width};
use vivarium_labs::markov::panel::words::{self, Table};
use vivarium_labs::markov::state::{MarkovState, Origin};
use vivarium_model::platform::fresh_seed;
use vivarium_plot::analysis::chains::letter;
use vivarium_ui::button::button;

/// Most symbols whose arrows carry numbers; more would cover each other.
const NUMBERED: usize = 3;

/// The chain.
#[component]
pub fn ChainCard(
    /// Tells of the sequence.
    news: News,
) -> impl IntoView {
    let context = news.context;
    // Symbols of a chain of order 2; none of a chain of higher order or that nobody knows.
    let square = context.memo(|run| {
        let chains = run.state::<MarkovState>()?;
        shown_chain(chains, &run.link.view).map(|_| chains.task.symbols)
    });
    let contexts = move || news.see(|chains, _| chains.inspected.chain.as_ref().map(words::table)).flatten();
    let is_own = move || news.see(|_, view| !view.chain.is_empty()).unwrap_or(false);
    let field = context.field("chain");
    let problem = Memo::new(move |_| field.with(|field| field.expected.as_deref().map(words::refused)));
    let about = move || {
        news.see(|chains, view| match (view.chain.is_empty(), chains.inspected.origin) {
            (false, Origin::Own) => tr!("This is your own chain. The displayed sequence does not come from this chain."),
            (false, _) => tr!("This is your own chain. The displayed sequences come from this chain. Training does not use this chain."),
            (true, Origin::Own) => tr!("Your own sequence does not come from a known chain, so no chain is shown."),
            (true, _) => {
                tr!("The displayed sequence comes from this chain. Change an entry to get sequences from your own chain.")
            }
        })
    };
    let rows = context.memo(|run| match run.state::<MarkovState>() {
        Some(chains) => words::rows(chains, &run.link.view).unwrap_or_default(),
        None => String::new(),
    });
    view! {
        <section class="card card--chain" aria-labelledby="chain-title" data-testid="chain">
            <h3 class="card__name" id="chain-title">{tr!("Chain")}</h3>
            <p class="card__note" data-testid="chain-about">{about}</p>
            {move || match square.get() {
                Some(symbols) => view! {
                    <div class="chain">
                        {diagram(news, symbols)}
                        {entries(news, symbols)}
                    </div>
                }.into_any(),
                None => (move || contexts().map(by_context)).into_any(),
            }}
            <p class="card__text" data-testid="stationary">
                {move || news.see(|chains, _| words::stationary(chains)).flatten()}
            </p>
            <div class="editing__own">
                <label class="editing__label" for="own-rows">{tr!("Rows of the transition matrix, %")}</label>
                <input class="knob__box editing__box" id="own-rows" data-testid="own-rows" type="text"
                    placeholder="e.g. 90 10 / 30 70" autocomplete="off" spellcheck="false"
                    aria-describedby="own-rows-problem"
                    aria-invalid=move || problem.with(|problem| problem.is_some().to_string())
                    prop:value=move || rows.get()
                    on:change=move |event| news.request(SequenceAction::Rows(event_target_value(&event))) />
                <p class="knob__problem" role="status" id="own-rows-problem" data-testid="chain-problem">
                    {move || problem.get()}
                </p>
            </div>
            <div class="editing__buttons">
                {button("own-chain", tr!("Use as my own chain"), Box::new(is_own), Box::new(move || news.request(SequenceAction::OwnChain)))}
                {button("random-chain", tr!("Random chain"), Box::new(|| false),
                    Box::new(move || news.request(SequenceAction::RandomChain(fresh_seed()))))}
                {button("no-chain", tr!("Use held-out sequences"), Box::new(move || !is_own()),
                    Box::new(move || news.request(SequenceAction::NoChain)))}
            </div>
        </section>
    }
    .into_any()
}

/// Percent of a step of the chain on show, as text that tells of changes alone.
fn percent_of(news: News, symbols: usize, row: usize, column: usize) -> Memo<String> {
    Memo::new(move |_| {
        let entry = news.see(|chains, view| shown_chain(chains, view)?.get(row * symbols + column).copied());
        entry.flatten().unwrap_or(0).to_string()
    })
}

fn entry_id(row: usize, column: usize) -> String {
    format!("chain-{}-{}", letter(row), letter(column))
}

/// Nodes and arrows. A press on an arrow goes to its entry in the table, which the keyboard reaches anyway.
fn diagram(news: News, symbols: usize) -> AnyView {
    let lines = arrows(symbols).into_iter().map(|arrow| {
        let (from, to) = (arrow.from, arrow.to);
        let percent = percent_of(news, symbols, from, to);
        let go = move |_| {
            let field = document().get_element_by_id(&entry_id(from, to));
            if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlInputElement>().ok()) {
                // A field that cannot be focused now is pressed itself.
                let _ = field.focus();
                field.select();
            }
        };
        let part = move || percent.with(|percent| percent.parse::<f64>().unwrap_or(0.0)) / 100.0;
        let broad = move || format!("{:.2}", width(part()));
        let (x, y) = arrow.label;
        view! {
            <g class="arrow" class:arrow--none=move || part() == 0.0
                data-testid=format!("arrow-{}-{}", letter(from), letter(to)) on:click=go>
                <path class="arrow__reach" d=arrow.path.clone() />
                <path class="arrow__line" d=arrow.path stroke-width=broad />
                <path class="arrow__head" d=arrow.head />
                {(symbols <= NUMBERED).then(|| view! {
                    <text class="arrow__number" x=format!("{x:.1}") y=format!("{y:.1}")>
                        {move || percent.get()}
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
        <svg class="diagram" viewBox=frame(symbols) role="img" data-testid="diagram"
            aria-label=tr!("Transition diagram; the numbers can be changed in the table next to the diagram")>
            {lines.collect_view()}
            {circles.collect_view()}
        </svg>
    }
    .into_any()
}

/// The table of percents, each a field.
fn entries(news: News, symbols: usize) -> AnyView {
    let heads = (0..symbols)
        .map(|column| view! { <th scope="col">{tr!("to {column}", column = letter(column))}</th> });
    let rows = (0..symbols).map(|row| {
        let cells = (0..symbols).map(|column| {
            let percent = percent_of(news, symbols, row, column);
            let id = entry_id(row, column);
            let name = tr!("from {row} to {column}, percent", row = letter(row), column = letter(column));
            let take = move |event: web_sys::Event| {
                let text = event_target_value(&event);
                news.request(SequenceAction::Typed { row, column, text });
                // What was refused is not kept: the reason stands below, and rows stay at 100.
                event_target::<HtmlInputElement>(&event).set_value(&percent.get_untracked());
            };
            view! {
                <td>
                    <input class="knob__box entries__box" id=id.clone() data-testid=id type="text" inputmode="numeric"
                        autocomplete="off" aria-label=name prop:value=move || percent.get()
                        on:change=take />
                </td>
            }
        });
        let cells = cells.collect_view();
        view! { <tr><th scope="row">{tr!("from {row}", row = letter(row))}</th>{cells}</tr> }
    });
    view! {
        <div class="entries__side">
            <table class="entries" data-testid="chain-entries">
                <caption class="entries__caption">{tr!("Percent; each row sums to 100")}</caption>
                <thead><tr><td></td>{heads.collect_view()}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// The table of a chain of higher order, which can only be read.
fn by_context(table: Table) -> AnyView {
    let symbols = table.entries.len() / table.contexts.len().max(1);
    let heads = (0..symbols)
        .map(|column| view! { <th scope="col">{tr!("to {column}", column = letter(column))}</th> });
    let rows = table.contexts.iter().zip(table.entries.chunks(symbols.max(1))).map(|(name, entries)| {
        let cells = entries.iter().map(|text| view! { <td>{text.clone()}</td> }).collect_view();
        view! { <tr><th scope="row">{tr!("after {name}", name)}</th>{cells}</tr> }
    });
    let rows = rows.collect_view();
    view! {
        <div class="entries__frame" tabindex="0" role="region" aria-label=tr!("Table of the chain")>
            <table class="entries" data-testid="chain-contexts">
                <thead><tr><td></td>{heads.collect_view()}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
