//! The chain that generated the sequence: its diagram, and its transition matrix, which can be edited.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use crate::markov::context::{PanelContext, SendAction};
use vivarium_labs::markov::panel::action::{SequenceAction, displayed_chain};
use vivarium_labs::markov::panel::diagram::{NODE_RADIUS, arrow_width, build_arrows, node_centres, view_box};
use vivarium_labs::markov::panel::texts::{self, TransitionTable};
use vivarium_labs::markov::state::{MarkovState, SequenceOrigin};
use vivarium_model::platform::fresh_seed;
use vivarium_plot::analysis::chains::symbol_letter;
use vivarium_ui::button::button;
use vivarium_ui::text::element_text;

/// Maximum number of symbols for which the diagram's arrows have numbers; with more, the numbers would overlap.
const MAX_NUMBERED_SYMBOLS: usize = 3;

/// Card of the Markov chain behind the sequence: its diagram, and its transition matrix, which can be edited.
#[component]
pub fn ChainCard(
    /// Reactive handle to the run and its sequence.
    panel: PanelContext,
) -> impl IntoView {
    let context = panel.context;
    // Number of symbols of a chain of order 2; `None` for a chain of higher order or an unknown chain.
    let square = context.memo(|run| {
        let chains = run.lab_state::<MarkovState>()?;
        displayed_chain(chains, &run.link.view).map(|_| chains.task.symbols)
    });
    let contexts =
        move || panel.see(|chains, _| chains.inspected.chain.as_ref().map(texts::transition_table)).flatten();
    let is_own = move || panel.see(|_, view| !view.markov.chain.is_empty()).unwrap_or(false);
    let field = context.field("chain");
    let problem =
        Memo::new(move |_| field.with(|field| field.expected.as_deref().map(texts::describe_rejection)));
    let about = move || {
        panel.see(|chains, view| match (view.markov.chain.is_empty(), chains.inspected.origin) {
            (false, SequenceOrigin::Entered) => tr!("This is your own chain. The displayed sequence does not come from this chain."),
            (false, _) => tr!("This is your own chain. The displayed sequences come from this chain. Training does not use this chain."),
            (true, SequenceOrigin::Entered) => tr!("Your own sequence does not come from a known chain, so no chain is shown."),
            (true, _) => {
                tr!("The displayed sequence comes from this chain. Change an entry to get sequences from your own chain.")
            }
        })
    };
    let rows = context.memo(|run| match run.lab_state::<MarkovState>() {
        Some(chains) => texts::format_rows(chains, &run.link.view).unwrap_or_default(),
        None => String::new(),
    });
    view! {
        <section class="card card--chain" aria-labelledby="chain-title" data-testid="chain">
            <h3 class="card__name" id="chain-title">{tr!("Chain")}</h3>
            <p class="card__note" data-testid="chain-about" prop:textContent=element_text(about)></p>
            {move || match square.get() {
                Some(symbols) => view! {
                    <div class="chain">
                        {draw_diagram(panel, symbols)}
                        {draw_entries(panel, symbols)}
                    </div>
                }.into_any(),
                None => (move || contexts().map(draw_context_table)).into_any(),
            }}
            <p class="card__text" data-testid="stationary"
                prop:textContent=element_text(move || panel.see(|chains, _| texts::describe_stationary(chains)))></p>
            <div class="editor__custom">
                <label class="editor__label" for="custom-rows">{tr!("Rows of the transition matrix, %")}</label>
                <input class="setting__input editor__input" id="custom-rows" data-testid="custom-rows" type="text"
                    placeholder="e.g. 90 10 / 30 70" autocomplete="off" spellcheck="false"
                    aria-describedby="custom-rows-error"
                    aria-invalid=move || problem.with(|problem| problem.is_some().to_string())
                    prop:value=move || rows.get()
                    on:change=move |event| panel.send_action(SequenceAction::SetRows(event_target_value(&event))) />
                <p class="setting__error" role="status" id="custom-rows-error" data-testid="chain-error"
                    prop:textContent=problem></p>
            </div>
            <div class="editor__buttons">
                {button("custom-chain", tr!("Use as my own chain"), Box::new(is_own), Box::new(move || panel.send_action(SequenceAction::CopyChain)))}
                {button("random-chain", tr!("Random chain"), Box::new(|| false),
                    Box::new(move || panel.send_action(SequenceAction::RandomChain(fresh_seed()))))}
                {button("no-chain", tr!("Use held-out sequences"), Box::new(move || !is_own()),
                    Box::new(move || panel.send_action(SequenceAction::RemoveChain)))}
            </div>
        </section>
    }
    .into_any()
}

/// Transition probability from symbol `row` to symbol `column` (from 0, of `symbols`) in percent, as text; a memo that
/// changes only with the text.
fn transition_percent(panel: PanelContext, symbols: usize, row: usize, column: usize) -> Memo<String> {
    Memo::new(move |_| {
        let entry =
            panel.see(|chains, view| displayed_chain(chains, view)?.get(row * symbols + column).copied());
        entry.flatten().unwrap_or(0).to_string()
    })
}

/// DOM id of the input field for the transition probability from symbol `row` to symbol `column`.
fn entry_id(row: usize, column: usize) -> String {
    format!("chain-{}-{}", symbol_letter(row), symbol_letter(column))
}

/// Draws the chain as a diagram of nodes and arrows. A click on an arrow focuses its entry in the table.
fn draw_diagram(panel: PanelContext, symbols: usize) -> AnyView {
    let lines = build_arrows(symbols).into_iter().map(|arrow| {
        let (from, to) = (arrow.from, arrow.to);
        let percent = transition_percent(panel, symbols, from, to);
        let go = move |_| {
            let field = document().get_element_by_id(&entry_id(from, to));
            if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlInputElement>().ok()) {
                // A field that cannot be focused now is pressed itself.
                let _ = field.focus();
                field.select();
            }
        };
        let part = move || percent.with(|percent| percent.parse::<f64>().unwrap_or(0.0)) / 100.0;
        let broad = move || format!("{:.2}", arrow_width(part()));
        let (x, y) = arrow.label_position;
        view! {
            <g class="arrow" class:arrow--none=move || part() == 0.0
                data-testid=format!("arrow-{}-{}", symbol_letter(from), symbol_letter(to)) on:click=go>
                <path class="arrow__reach" d=arrow.path.clone() />
                <path class="arrow__line" d=arrow.path stroke-width=broad />
                <path class="arrow__head" d=arrow.head />
                {(symbols <= MAX_NUMBERED_SYMBOLS).then(|| view! {
                    <text class="arrow__number" translate="no" x=format!("{x:.1}") y=format!("{y:.1}")>
                        {move || percent.get()}
                    </text>
                })}
            </g>
        }
    });
    let circles = node_centres(symbols).into_iter().enumerate().map(|(symbol, (x, y))| {
        view! {
            <g class="node">
                <circle class="node__ring" cx=format!("{x:.1}") cy=format!("{y:.1}") r=NODE_RADIUS.to_string() />
                <text class="node__name" x=format!("{x:.1}") y=format!("{y:.1}")>{symbol_letter(symbol)}</text>
            </g>
        }
    });
    view! {
        <svg class="diagram" viewBox=view_box(symbols) role="img" data-testid="diagram"
            aria-label=tr!("Transition diagram; the numbers can be changed in the table next to the diagram")>
            {lines.collect_view()}
            {circles.collect_view()}
        </svg>
    }
    .into_any()
}

/// Draws the transition matrix in percent, with an input field per entry.
fn draw_entries(panel: PanelContext, symbols: usize) -> AnyView {
    let heads = (0..symbols)
        .map(|column| view! { <th scope="col">{tr!("to {column}", column = symbol_letter(column))}</th> });
    let rows = (0..symbols).map(|row| {
        let cells = (0..symbols).map(|column| {
            let percent = transition_percent(panel, symbols, row, column);
            let id = entry_id(row, column);
            let name = tr!("from {row} to {column}, percent", row = symbol_letter(row), column = symbol_letter(column));
            let take = move |event: web_sys::Event| {
                let text = event_target_value(&event);
                panel.send_action(SequenceAction::SetEntryText { row, column, text });
                // What was refused is not kept: the reason stands below, and rows stay at 100.
                event_target::<HtmlInputElement>(&event).set_value(&percent.get_untracked());
            };
            view! {
                <td>
                    <input class="setting__input entries__box" id=id.clone() data-testid=id type="text" inputmode="numeric"
                        autocomplete="off" aria-label=name prop:value=move || percent.get()
                        on:change=take />
                </td>
            }
        });
        let cells = cells.collect_view();
        view! { <tr><th scope="row">{tr!("from {row}", row = symbol_letter(row))}</th>{cells}</tr> }
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

/// Draws the transition table of a chain of higher order, which cannot be edited: one row per context (the last
/// symbols), one column per next symbol.
fn draw_context_table(table: TransitionTable) -> AnyView {
    let symbols = table.entries.len() / table.contexts.len().max(1);
    let heads = (0..symbols)
        .map(|column| view! { <th scope="col">{tr!("to {column}", column = symbol_letter(column))}</th> });
    let rows = table.contexts.iter().zip(table.entries.chunks(symbols.max(1))).map(|(name, entries)| {
        let cells =
            entries.iter().map(|text| view! { <td translate="no">{text.clone()}</td> }).collect_view();
        view! { <tr><th scope="row" prop:textContent=tr!("after {name}", name)></th>{cells}</tr> }
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
