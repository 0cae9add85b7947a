//! Looking inside a network on sequences: one sequence, where its prediction looks, and what is expected next.
//!
//! # Why
//! What is shown here is asked of the state anew whenever there is news; a memo of each kind of thing would be carried by
//! every visitor, and saves little.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use crate::markov::chain::ChainCard;
use crate::markov::heads::Heads;
use crate::markov::news::{News, Requests};
use vivarium_labs::markov::panel::action::SequenceAction;
use vivarium_labs::markov::panel::words::{self, EXAMPLES};
use vivarium_labs::markov::state::{MarkovState, Origin};
use vivarium_plot::analysis::chains::{letter, word};
use vivarium_ui::button::button;
use vivarium_ui::inside::{inside, of_lab, which};
use vivarium_view::display::words::decimal;

/// Symbols that the keys PageUp and PageDown go.
const PAGE: usize = 10;

/// The panel, for runs on sequences.
#[component]
pub fn Inside() -> impl IntoView {
    of_lab(|news: News| {
        let parts = view! {
            <section class="card card--wide" aria-label=tr!("Sequence")>
                <p class="card__text" data-testid="origin">
                    {move || news.see(|chains, _| words::origin(chains))}
                </p>
                {strip(news)}
                {editing(news)}
            </section>
            {next_symbol(news)}
            <Heads news />
            <ChainCard news />
        };
        inside("inside-title", tr!("Inside the network"), parts.into_any())
    })
}

/// The number behind `data-at` of the element that an event is about.
fn at_of(event: &web_sys::Event) -> Option<usize> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.get_attribute("data-at")?.parse().ok()
}

/// The symbols, each coloured by how much the prediction looks at it.
fn strip(news: News) -> AnyView {
    let pointed = RwSignal::new(None::<usize>);
    // The last place is followed when symbols are added.
    let choose = move |at: usize, count: usize| {
        news.request(SequenceAction::Place(if at + 1 == count { 0 } else { at + 1 }));
    };
    let now =
        move || untrack(|| news.see(|chains, view| (chains.place(view), chains.inspected.symbols.len())));
    let on_key = move |event: KeyboardEvent| {
        let Some((at, count)) = now() else { return };
        let last = count.saturating_sub(1);
        let to = match event.key().as_str() {
            "ArrowLeft" | "ArrowUp" => at.saturating_sub(1),
            "ArrowRight" | "ArrowDown" => (at + 1).min(last),
            "PageUp" => at.saturating_sub(PAGE),
            "PageDown" => (at + PAGE).min(last),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        choose(to, count);
        let chip = document().get_element_by_id(&format!("symbol-{to}"));
        if let Some(chip) = chip.and_then(|chip| chip.dyn_into::<HtmlElement>().ok()) {
            // Nothing else would have the focus if it failed.
            let _ = chip.focus();
        }
    };
    let on_click = move |event: web_sys::MouseEvent| {
        if let (Some(at), Some((_, count))) = (at_of(&event), now()) {
            choose(at, count);
        }
    };
    let note = move || news.see(|chains, view| words::gazed(chains, view, pointed.get()));
    let chips = move || {
        news.see(|chains, view| {
            let (_, weights) = words::gaze(chains, view);
            let most = weights.iter().fold(1e-9f64, |most, weight| most.max(weight.abs()));
            let here = chains.place(view);
            let both = chains.inspected.symbols.iter().zip(weights).enumerate();
            both.map(|(at, (symbol, weight))| chip(at, *symbol, weight, most, here)).collect_view()
        })
    };
    view! {
        <div class="strip" role="listbox" aria-label=tr!("Symbols of the sequence") aria-orientation="horizontal"
            data-testid="strip" on:keydown=on_key on:click=on_click
            on:focusin=move |event| pointed.set(at_of(&event)) on:focusout=move |_| pointed.set(None)
            on:pointerover=move |event| pointed.set(at_of(&event)) on:pointerleave=move |_| pointed.set(None)>
            {chips}
        </div>
        <p class="card__note" data-testid="strip-note">{note}</p>
    }
    .into_any()
}

/// One symbol of the strip.
fn chip(at: usize, symbol: u8, weight: f64, most: f64, here: usize) -> impl IntoView {
    let letter = letter(usize::from(symbol));
    let label = tr!("Symbol {at}, {letter}: {weight}", at = at + 1, letter, weight = decimal(weight as f32));
    let class = match (at > here, weight < 0.0) {
        (true, _) => "chip chip--later",
        (_, true) => "chip chip--less",
        _ => "chip",
    };
    view! {
        <button class=class type="button" role="option" id=format!("symbol-{at}") data-at=at.to_string()
            data-testid=format!("symbol-{}", at + 1) aria-selected=if at == here { "true" } else { "false" }
            aria-label=label
            tabindex=if at == here { "0" } else { "-1" }
            style:--share=format!("{:.3}", weight.abs() / most)>
            {letter}
        </button>
    }
}

/// Buttons and a field that change the sequence.
fn editing(news: News) -> AnyView {
    let context = news.context;
    // While it is typed, the text stays as it is; then it is written as the page would.
    let typed = RwSignal::new(None::<String>);
    let field = context.field("seq");
    let taken = context.memo(|run| {
        let symbols: Vec<u8> = run.link.view.sequence.iter().map(|symbol| *symbol as u8).collect();
        word(&symbols)
    });
    let own = Memo::new(move |_| {
        let refused = field.with(|field| field.expected.is_some().then(|| field.text.clone()));
        refused.unwrap_or_else(|| taken.get())
    });
    let text = move || typed.get().unwrap_or_else(|| own.get());
    let problem = Memo::new(move |_| field.with(|field| field.expected.as_deref().map(words::refused)));
    let show = move |example| news.request(SequenceAction::Example(example));
    let is_held_out =
        move || news.see(|chains, _| matches!(chains.inspected.origin, Origin::HeldOut(_))) == Some(true);
    let back = move || {
        let has_chain = context.peek(|run| !run.link.view.chain.is_empty());
        news.request(if has_chain {
            SequenceAction::NoChain
        } else {
            SequenceAction::Sequence(String::new())
        });
    };
    let count = context.memo(|run| run.state::<MarkovState>().map_or(0, |chains| chains.task.symbols));
    let append = move |symbol: usize| {
        let letter = letter(symbol);
        view! {
            <button class="button button--symbol" type="button" data-testid=format!("append-{letter}")
                aria-label=tr!("Add {letter} at the end", letter)
                on:click=move |_| news.request(SequenceAction::Append(symbol as u8))>
                {format!("+ {letter}")}
            </button>
        }
    };
    view! {
        <div class="editing">
            {which(tr!("Which sequence"), news, EXAMPLES, show,
                button("back-to-held-out", tr!("Back to held-out sequences"), Box::new(is_held_out), Box::new(back)))}
            <div class="editing__buttons" role="group" aria-label=tr!("Change the sequence")>
                {move || (0..count.get()).map(append).collect_view()}
                {button("shorten", tr!("Remove the last symbol"), Box::new(|| false), Box::new(move || news.request(SequenceAction::Shorten)))}
            </div>
            <div class="editing__own">
                <label class="editing__label" for="own-sequence">{tr!("Your own sequence")}</label>
                <input class="knob__box editing__box" id="own-sequence" data-testid="own-sequence" type="text"
                    placeholder=tr!("e.g. abba or 0110") autocomplete="off" autocapitalize="off" spellcheck="false"
                    aria-describedby="own-sequence-problem"
                    aria-invalid=move || problem.with(|problem| problem.is_some().to_string()) prop:value=text
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        typed.set(Some(text.clone()));
                        news.request(SequenceAction::Sequence(text));
                    }
                    on:blur=move |_| typed.set(None) />
                <p class="knob__problem" id="own-sequence-problem" role="status" data-testid="own-sequence-problem">
                    {move || problem.get()}
                </p>
            </div>
        </div>
    }
    .into_any()
}

/// What truth, network and strategies expect after the chosen symbol.
fn next_symbol(news: News) -> AnyView {
    let heads = move || {
        news.see(|chains, _| {
            chains.letters().into_iter().map(|letter| view! { <th scope="col">{letter}</th> }).collect_view()
        })
    };
    let rows = move || {
        let rows = news.see(words::expected).unwrap_or_default().into_iter().map(|(who, cells)| {
            let cells = cells.into_iter().map(|(share, text)| {
                view! { <td class="expected__cell" style:--share=format!("{share:.3}")>{text}</td> }
            });
            let cells = cells.collect_view();
            let (class, testid) = (format!("expected__{who}"), format!("next-{who}"));
            view! {
                <tr class=class data-testid=testid>
                    <th scope="row">{who}</th>
                    {cells}
                </tr>
            }
        });
        rows.collect_view()
    };
    view! {
        <section class="card" aria-labelledby="next-title">
            <h3 class="card__name" id="next-title">
                {tr!("Next symbol after ")}
                {move || news.see(|chains, view| words::place(chains, chains.place(view)))}
            </h3>
            <div class="expected__frame">
                <table class="expected" data-testid="next-symbol">
                    <thead><tr><td></td>{heads}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="card__text" data-testid="sequence-loss">
                {move || news.see(|chains, _| words::cost(chains)).flatten()}
            </p>
        </section>
    }
    .into_any()
}
