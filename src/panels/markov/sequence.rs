//! One sequence: the attention weights of a prediction, and the probabilities of the next symbol.
//!
//! # Why
//! Every view reads the state anew after each change of the run; memos for each kind of value would add to the size of
//! the program and save little time.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use crate::markov::chain::ChainCard;
use crate::markov::context::{PanelContext, SendAction};
use crate::markov::heads::HeadMaps;
use vivarium_labs::markov::panel::action::SequenceAction;
use vivarium_labs::markov::panel::texts::{self, SEQUENCE_COUNT};
use vivarium_labs::markov::state::{MarkovState, SequenceOrigin};
use vivarium_plot::analysis::chains::{join_symbols, symbol_letter};
use vivarium_ui::button::button;
use vivarium_ui::inside::{example_buttons, inside_panel, show_for_lab};
use vivarium_ui::text::element_text;
use vivarium_view::display::words::format_decimal;

/// Number of symbols by which PageUp and PageDown move the chosen position in the sequence.
const PAGE_SYMBOLS: usize = 10;

/// The lab's panel: one sequence, its next-symbol predictions, the attention heads and the chain; for runs on
/// sequences.
#[component]
pub fn SequencePanel() -> impl IntoView {
    show_for_lab(|panel: PanelContext| {
        let parts = view! {
            <section class="card card--wide" aria-label=tr!("Sequence")>
                <p class="card__text" data-testid="origin"
                    prop:textContent=element_text(move || panel.see(|chains, _| texts::describe_origin(chains)))></p>
                {draw_strip(panel)}
                {draw_editing(panel)}
            </section>
            {draw_next_symbol(panel)}
            <HeadMaps panel />
            <ChainCard panel />
        };
        inside_panel("inside-title", tr!("Inside the network"), parts.into_any())
    })
}

/// Position in the sequence, from 0, of the symbol that is an event's target; `None` for another target. It is read
/// from the attribute `data-at`.
fn event_position(event: &web_sys::Event) -> Option<usize> {
    let target: Element = event.target()?.dyn_into().ok()?;
    target.get_attribute("data-at")?.parse().ok()
}

/// Draws the symbols of the sequence, each coloured by its attention weight for the chosen prediction.
fn draw_strip(panel: PanelContext) -> AnyView {
    let pointed = RwSignal::new(None::<usize>);
    // The last place is followed when symbols are added.
    let choose = move |at: usize, count: usize| {
        panel.send_action(SequenceAction::SelectPosition(if at + 1 == count { 0 } else { at + 1 }));
    };
    let now = move || {
        untrack(|| panel.see(|chains, view| (chains.shown_position(view), chains.inspected.symbols.len())))
    };
    let on_key = move |event: KeyboardEvent| {
        let Some((at, count)) = now() else { return };
        let last = count.saturating_sub(1);
        let to = match event.key().as_str() {
            "ArrowLeft" | "ArrowUp" => at.saturating_sub(1),
            "ArrowRight" | "ArrowDown" => (at + 1).min(last),
            "PageUp" => at.saturating_sub(PAGE_SYMBOLS),
            "PageDown" => (at + PAGE_SYMBOLS).min(last),
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
        if let (Some(at), Some((_, count))) = (event_position(&event), now()) {
            choose(at, count);
        }
    };
    let note = move || panel.see(|chains, view| texts::describe_weights(chains, view, pointed.get()));
    let chips = move || {
        panel.see(|chains, view| {
            let (_, weights) = texts::mean_head_weights(chains, view);
            let most = weights.iter().fold(1e-9f64, |most, weight| most.max(weight.abs()));
            let here = chains.shown_position(view);
            let both = chains.inspected.symbols.iter().zip(weights).enumerate();
            both.map(|(at, (symbol, weight))| draw_symbol(at, *symbol, weight, most, here)).collect_view()
        })
    };
    view! {
        <div class="strip" role="listbox" aria-label=tr!("Symbols of the sequence") aria-orientation="horizontal"
            data-testid="strip" on:keydown=on_key on:click=on_click
            on:focusin=move |event| pointed.set(event_position(&event)) on:focusout=move |_| pointed.set(None)
            on:pointerover=move |event| pointed.set(event_position(&event)) on:pointerleave=move |_| pointed.set(None)>
            {chips}
        </div>
        <p class="card__note" data-testid="strip-note" prop:textContent=element_text(note)></p>
    }
    .into_any()
}

/// Draws the symbol at position `at`, from 0; |`weight`|/`max_weight` is the strength of its colour, where `weight` is
/// its attention weight. `chosen` is the position after which the next symbol is predicted.
fn draw_symbol(at: usize, symbol: u8, weight: f64, max_weight: f64, chosen: usize) -> impl IntoView {
    let letter = symbol_letter(usize::from(symbol));
    let label =
        tr!("Symbol {at}, {letter}: {weight}", at = at + 1, letter, weight = format_decimal(weight as f32));
    let class = match (at > chosen, weight < 0.0) {
        (true, _) => "chip chip--future",
        (_, true) => "chip chip--negative",
        _ => "chip",
    };
    view! {
        <button class=class type="button" role="option" translate="no" id=format!("symbol-{at}") data-at=at.to_string()
            data-testid=format!("symbol-{}", at + 1) aria-selected=if at == chosen { "true" } else { "false" }
            aria-label=label
            tabindex=if at == chosen { "0" } else { "-1" }
            style:--share=format!("{:.3}", weight.abs() / max_weight)>
            {letter}
        </button>
    }
}

/// Draws the buttons and the text field that edit the sequence.
fn draw_editing(panel: PanelContext) -> AnyView {
    let context = panel.context;
    // While it is typed, the text stays as it is; then it is written as the page would.
    let typed = RwSignal::new(None::<String>);
    let field = context.field("seq");
    let taken = context.memo(|run| {
        let symbols: Vec<u8> = run.link.view.markov.sequence.iter().map(|symbol| *symbol as u8).collect();
        join_symbols(&symbols)
    });
    let own = Memo::new(move |_| {
        let refused = field.with(|field| field.expected.is_some().then(|| field.text.clone()));
        refused.unwrap_or_else(|| taken.get())
    });
    let text = move || typed.get().unwrap_or_else(|| own.get());
    let problem =
        Memo::new(move |_| field.with(|field| field.expected.as_deref().map(texts::describe_rejection)));
    let show = move |example| panel.send_action(SequenceAction::SelectSequence(example));
    let is_held_out = move || {
        panel.see(|chains, _| matches!(chains.inspected.origin, SequenceOrigin::HeldOut(_))) == Some(true)
    };
    let back = move || {
        let has_chain = context.peek(|run| !run.link.view.markov.chain.is_empty());
        panel.send_action(if has_chain {
            SequenceAction::RemoveChain
        } else {
            SequenceAction::SetSequence(String::new())
        });
    };
    let count = context.memo(|run| run.lab_state::<MarkovState>().map_or(0, |chains| chains.task.symbols));
    let append = move |symbol: usize| {
        let letter = symbol_letter(symbol);
        view! {
            <button class="button button--symbol" type="button" translate="no" data-testid=format!("append-{letter}")
                aria-label=tr!("Add {letter} at the end", letter)
                on:click=move |_| panel.send_action(SequenceAction::Append(symbol as u8))>
                {format!("+ {letter}")}
            </button>
        }
    };
    view! {
        <div class="editor">
            {example_buttons(tr!("Which sequence"), panel, SEQUENCE_COUNT, show,
                button("back-to-held-out", tr!("Back to held-out sequences"), Box::new(is_held_out), Box::new(back)))}
            <div class="editor__buttons" role="group" aria-label=tr!("Change the sequence")>
                {move || (0..count.get()).map(append).collect_view()}
                {button("shorten", tr!("Remove the last symbol"), Box::new(|| false), Box::new(move || panel.send_action(SequenceAction::RemoveLast)))}
            </div>
            <div class="editor__custom">
                <label class="editor__label" for="custom-sequence">{tr!("Your own sequence")}</label>
                <input class="setting__input editor__input" id="custom-sequence" data-testid="custom-sequence" type="text"
                    placeholder=tr!("e.g. abba or 0110") autocomplete="off" autocapitalize="off" spellcheck="false"
                    aria-describedby="custom-sequence-error"
                    aria-invalid=move || problem.with(|problem| problem.is_some().to_string()) prop:value=text
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        typed.set(Some(text.clone()));
                        panel.send_action(SequenceAction::SetSequence(text));
                    }
                    on:blur=move |_| typed.set(None) />
                <p class="setting__error" id="custom-sequence-error" role="status" data-testid="custom-sequence-error"
                    prop:textContent=problem></p>
            </div>
        </div>
    }
    .into_any()
}

/// Draws the table of next-symbol probabilities after the chosen position: of the chain, of the network and of the
/// known strategies.
fn draw_next_symbol(panel: PanelContext) -> AnyView {
    let heads = move || {
        panel.see(|chains, _| {
            chains
                .symbol_letters()
                .into_iter()
                .map(|letter| view! { <th scope="col" translate="no">{letter}</th> })
                .collect_view()
        })
    };
    let rows = move || {
        let rows = panel.see(texts::prediction_rows).unwrap_or_default().into_iter().map(|(who, cells)| {
            let cells = cells.into_iter().map(|(share, text)| {
                view! { <td class="expected__cell" translate="no" style:--share=format!("{share:.3}")>{text}</td> }
            });
            let cells = cells.collect_view();
            let (class, testid) = (format!("expected__{who}"), format!("next-{who}"));
            view! {
                <tr class=class data-testid=testid>
                    <th scope="row" prop:textContent=who></th>
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
                <span prop:textContent=element_text(move || {
                    panel.see(|chains, view| texts::position_name(chains, chains.shown_position(view)))
                })></span>
            </h3>
            <div class="expected__frame">
                <table class="expected" data-testid="next-symbol">
                    <thead><tr><td></td>{heads}</tr></thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <p class="card__text" data-testid="sequence-loss"
                prop:textContent=element_text(move || panel.see(|chains, _| texts::describe_loss(chains)))></p>
        </section>
    }
    .into_any()
}
