//! Looking inside a network on sequences: one sequence, where its prediction looks, and what is expected next.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use super::chain::ChainCard;
use super::heads::Heads;
use super::theme::Appearance;
use crate::analysis::chains::{letter, word};
use crate::app::chains::{Chains, Origin};
use crate::app::inside::{self, EXAMPLES};
use crate::app::looking::Looking;
use crate::app::state::Action;
use crate::app::store::Store;
use crate::app::words::decimal;
use crate::permalink::View;

/// Symbols that the keys PageUp and PageDown go.
const PAGE: usize = 10;

/// What `of` sees in the sequence that is looked into, asked again only when there is news of it.
pub(super) fn seen<T>(
    store: Store,
    of: impl Fn(&Chains, &View) -> T + Send + Sync + 'static,
) -> Memo<Option<T>>
where
    T: PartialEq + Send + Sync + 'static,
{
    let news = store.memo(|state| (state.runs, state.findings, state.looked));
    Memo::new(move |_| {
        news.get();
        store.peek(|state| state.chains.as_deref().map(|chains| of(chains, &state.link.view)))
    })
}

/// The panel, for runs on sequences.
#[component]
pub fn Inside(
    /// Whether maps are light or dark.
    appearance: Appearance,
) -> impl IntoView {
    let is_lab = Store::here().memo(|state| state.chains.is_some());
    move || {
        is_lab.get().then(|| {
            view! {
                <section class="inside" aria-labelledby="inside-title" data-testid="inside">
                    <h2 class="inside__title" id="inside-title">"Look inside"</h2>
                    <div class="inside__parts">
                        <SequenceCard />
                        <NextSymbol />
                        <Heads appearance />
                        <ChainCard />
                    </div>
                </section>
            }
            .into_any()
        })
    }
}

/// The sequence with what can be done to it.
#[component]
fn SequenceCard() -> impl IntoView {
    let store = Store::here();
    let origin = seen(store, |chains, _| inside::origin(chains));
    view! {
        <section class="card card--wide" aria-label="Sequence">
            <p class="card__text" data-testid="origin">{move || origin.get()}</p>
            <Strip />
            <Editing />
        </section>
    }
    .into_any()
}

/// Looks into the prediction after the symbol at this place, from 0; the last place is followed when symbols are added.
fn choose(store: Store, at: usize, count: usize) {
    store.act(Action::Look(Looking::Place(if at + 1 == count { 0 } else { at + 1 })));
}

/// The symbols, each coloured by how much the prediction looks at it.
#[component]
fn Strip() -> impl IntoView {
    let store = Store::here();
    let symbols = seen(store, |chains, _| chains.inspected.symbols.clone());
    let gaze = seen(store, inside::gaze);
    let here = seen(store, |chains, view| chains.place(view));
    let pointed = RwSignal::new(None::<usize>);
    let most = Memo::new(move |_| {
        gaze.with(|gaze| gaze.iter().flat_map(|(_, weights)| weights).fold(0.0f64, |m, w| m.max(w.abs())))
    });
    let count = move || symbols.with(|symbols| symbols.as_ref().map_or(0, Vec::len));
    let on_key = move |event: KeyboardEvent| {
        let (at, last) = (here.get_untracked().unwrap_or(0), untrack(count).saturating_sub(1));
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
        choose(store, to, last + 1);
        let chip = document().get_element_by_id(&format!("symbol-{to}"));
        if let Some(chip) = chip.and_then(|chip| chip.dyn_into::<HtmlElement>().ok()) {
            // Nothing else would have the focus if it failed.
            let _ = chip.focus();
        }
    };
    let name = move |at: usize| {
        store.peek(|s| s.chains.as_deref().map_or_else(String::new, |c| inside::place(c, at)))
    };
    let weight = move |at: usize| {
        gaze.with(|gaze| gaze.as_ref().and_then(|(_, weights)| weights.get(at).copied()).unwrap_or(0.0))
    };
    let note = move || {
        let who = gaze.with(|gaze| gaze.as_ref().map(|(who, _)| who.clone()).unwrap_or_default());
        symbols.with(|_| ());
        match (pointed.get(), here.get()) {
            (Some(at), Some(here)) if at > here => format!("{} is not seen yet.", upper(&name(at))),
            (Some(at), _) => format!("{}: {} ({who})", upper(&name(at)), decimal(weight(at) as f32)),
            (None, Some(here)) => format!(
                "Coloured by how much the prediction after {} looks at each symbol: {who}. The strongest colour is {}.",
                name(here),
                decimal(most.get() as f32)
            ),
            _ => String::new(),
        }
    };
    let chips = move || symbols.get().unwrap_or_default().into_iter().enumerate().collect::<Vec<_>>();
    view! {
        <div class="strip" role="listbox" aria-label="Symbols of the sequence" aria-orientation="horizontal"
            data-testid="strip" on:keydown=on_key>
            <For each=chips key=|chip| *chip let:chip>
                {
                    let (at, symbol) = chip;
                    let letter = letter(usize::from(symbol));
                    let spoken = letter.clone();
                    let is_here = Memo::new(move |_| here.get() == Some(at));
                    let is_later = Memo::new(move |_| here.get().is_some_and(|here| at > here));
                    let weight = Memo::new(move |_| weight(at));
                    let share = move || format!("{:.3}", weight.get().abs() / most.get().max(1e-9));
                    view! {
                        <button class="chip" class:chip--later=is_later class:chip--less=move || weight.get() < 0.0
                            type="button" role="option" id=format!("symbol-{at}")
                            data-testid=format!("symbol-{}", at + 1)
                            aria-selected=move || is_here.get().to_string()
                            aria-label=move || {
                                format!("Symbol {}, {spoken}: {}", at + 1, decimal(weight.get() as f32))
                            }
                            tabindex=move || if is_here.get() { "0" } else { "-1" } style:--share=share
                            on:click=move |_| choose(store, at, untrack(count))
                            on:focus=move |_| pointed.set(Some(at)) on:blur=move |_| pointed.set(None)
                            on:pointerenter=move |_| pointed.set(Some(at))
                            on:pointerleave=move |_| pointed.set(None)>
                            {letter}
                        </button>
                    }
                }
            </For>
        </div>
        <p class="card__note" data-testid="strip-note">{note}</p>
    }
    .into_any()
}

/// With a capital at the beginning.
fn upper(text: &str) -> String {
    let mut signs = text.chars();
    signs.next().map(|first| first.to_uppercase().chain(signs).collect()).unwrap_or_default()
}

/// Buttons and a field that change the sequence.
#[component]
fn Editing() -> impl IntoView {
    let store = Store::here();
    let look = move |what: Looking| store.act(Action::Look(what));
    let symbols = seen(store, |chains, _| chains.task.symbols);
    // While it is typed, the text stays as it is; then it is written as the page would.
    let typed = RwSignal::new(None::<String>);
    let own = store.memo(|state| {
        if let Some(draft) = state.drafts.iter().find(|draft| draft.key == "seq") {
            return draft.text.clone();
        }
        let symbols: Vec<u8> = state.link.view.sequence.iter().map(|symbol| *symbol as u8).collect();
        word(&symbols)
    });
    let text = move || typed.get().unwrap_or_else(|| own.get());
    let problem = store.memo(|state| inside::refused(state, "seq"));
    let example = store.memo(|state| state.link.view.example);
    let at_first = move || example.get() < 2;
    let at_last = move || example.get() >= EXAMPLES;
    let is_held_out = seen(store, |chains, _| matches!(chains.inspected.origin, Origin::HeldOut(_)));
    let back = move |_| {
        let has_chain = store.peek(|state| !state.link.view.chain.is_empty());
        look(if has_chain { Looking::NoChain } else { Looking::Sequence(String::new()) });
    };
    view! {
        <div class="editing">
            <div class="editing__buttons" role="group" aria-label="Which sequence">
                <button class="button" type="button" data-testid="previous-example"
                    disabled=at_first
                    on:click=move |_| look(Looking::Example(example.get_untracked().saturating_sub(1).max(1)))>
                    "Previous"
                </button>
                <button class="button" type="button" data-testid="next-example"
                    disabled=at_last
                    on:click=move |_| look(Looking::Example((example.get_untracked() + 1).min(EXAMPLES)))>
                    "Next"
                </button>
                <button class="button" type="button" data-testid="back-to-held-out"
                    disabled=move || is_held_out.get() != Some(false) on:click=back>
                    "Back to held-out"
                </button>
            </div>
            <div class="editing__buttons" role="group" aria-label="Change the sequence">
                {move || (0..symbols.get().unwrap_or(0)).map(|symbol| {
                    let letter = letter(symbol);
                    view! {
                        <button class="button button--symbol" type="button" data-testid=format!("append-{letter}")
                            aria-label=format!("Add {letter} at the end")
                            on:click=move |_| look(Looking::Append(symbol as u8))>
                            {format!("+ {letter}")}
                        </button>
                    }
                }).collect_view()}
                <button class="button" type="button" data-testid="shorten"
                    on:click=move |_| look(Looking::Shorten)>
                    "Remove last"
                </button>
            </div>
            <div class="editing__own">
                <label class="editing__label" for="own-sequence">"Your own sequence"</label>
                <input class="knob__box editing__box" id="own-sequence" data-testid="own-sequence" type="text"
                    placeholder="e.g. abba or 0110" autocomplete="off" autocapitalize="off" spellcheck="false"
                    aria-describedby="own-sequence-problem"
                    aria-invalid=move || problem.with(|problem| problem.is_some().to_string()) prop:value=text
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        typed.set(Some(text.clone()));
                        look(Looking::Sequence(text));
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
#[component]
fn NextSymbol() -> impl IntoView {
    let store = Store::here();
    let rows = seen(store, inside::expected);
    let letters = seen(store, |chains, _| chains.letters());
    let after = seen(store, |chains, view| inside::place(chains, chains.place(view)));
    view! {
        <section class="card" aria-labelledby="next-title">
            <h3 class="card__name" id="next-title">
                "Next symbol after "{move || after.get()}
            </h3>
            <table class="expected" data-testid="next-symbol">
                <thead>
                    <tr>
                        <td></td>
                        {move || letters.get().unwrap_or_default().into_iter().map(|letter| {
                            view! { <th scope="col">{letter}</th> }
                        }).collect_view()}
                    </tr>
                </thead>
                <tbody>
                    {move || rows.get().unwrap_or_default().into_iter().map(|(who, cells)| {
                        let cells = cells.into_iter().map(|(share, text)| {
                            view! { <td class="expected__cell" style:--share=format!("{share:.3}")>{text}</td> }
                        }).collect_view();
                        view! {
                            <tr class=format!("expected__{who}") data-testid=format!("next-{who}")>
                                <th scope="row">{who.clone()}</th>
                                {cells}
                            </tr>
                        }
                    }).collect_view()}
                </tbody>
            </table>
        </section>
    }
    .into_any()
}
