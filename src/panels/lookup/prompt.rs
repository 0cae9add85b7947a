//! One prompt: a table of its positions, whose names and numbers can be edited, with the label, the network's answer
//! and the attention weights at each position.
//!
//! # Why
//! The table is made anew when another prompt, position or number of heads is shown, and not when the network changes:
//! whoever types in a box keeps it.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent};

use vivarium_labs::lookup::LookupState;
use vivarium_labs::lookup::panel::action::{self, HELD_OUT_PROMPTS, PromptAction};
use vivarium_ui::button::button;
use vivarium_ui::inside::{example_buttons, prompt_panel, show_for_lab};

/// Number of rows (prompt positions) that PageUp and PageDown move the focus by.
const PAGE_ROWS: usize = 10;

/// Access of the panel to the displayed run and to `LookupState`, the data that the lab on look-up tasks keeps for it.
type PanelContext = vivarium_ui::lab_context::LabContext<LookupState>;

/// Sends the actions of the panel on one prompt to the page.
trait SendAction {
    /// Sends the page the request that stands for `action`, a change of the prompt.
    fn send_action(self, action: PromptAction);
}

impl SendAction for PanelContext {
    fn send_action(self, action: PromptAction) {
        self.ask(|state, view| action::request(state, view, action));
    }
}

/// Rows and columns of the table in which the panel shows a prompt.
#[derive(Debug, Clone, PartialEq)]
struct TableShape {
    /// Positions in the prompt that have a row, from 0.
    positions: Vec<usize>,
    /// Number of components of the vector that each token of the prompt carries.
    token_dim: usize,
    /// Number of names per token; each name is the position in the prompt that the token refers to.
    name_count: usize,
    /// Number of attention heads of the network, each with a column of attention weights.
    head_count: usize,
}

/// The lab's panel: one prompt whose names (positions referred to) and token components can be edited, with labels,
/// answers and attention; for runs on such prompts.
#[component]
pub fn LookupPromptPanel() -> impl IntoView {
    show_for_lab(|panel: PanelContext| {
        let shape = panel.context.memo(|run| {
            let state: &LookupState = run.lab_state()?;
            let view = &run.link.view;
            Some(TableShape {
                positions: action::table_positions(state, view),
                token_dim: state.prompts.dim,
                name_count: state.prompts.names,
                head_count: state.inspected.attention.len(),
            })
        });
        let about_codes = panel.context.memo(|run| action::describe_codes(run.lab_state::<LookupState>()?));
        let [named, tokens] = ["named", "tokens"].map(|key| panel.rejected_text(key));
        let parts = view! {
            {move || about_codes.get().map(|text| view! { <p class="card__text" data-testid="code-pairs" prop:textContent=text></p> })}
            {draw_prompt_buttons(panel)}
            {move || shape.get().map(|shape| draw_table(panel, shape))}
            <p class="setting__error" role="status" data-testid="prompt-error">
                <span prop:textContent=named></span> " " <span prop:textContent=tokens></span>
            </p>
        };
        prompt_panel(
            "prompt-title",
            panel,
            action::describe_origin,
            parts.into_any(),
            action::describe_position,
        )
    })
}

/// Draws the buttons that choose a prompt, undo changes of the prompt, and add an attention head to the network.
fn draw_prompt_buttons(panel: PanelContext) -> AnyView {
    let is_drawn = move || {
        panel.see(|_, view| view.prompt.named.is_empty() && view.prompt.tokens.is_empty()) == Some(true)
    };
    let heads = panel.context.memo(|run| vivarium_labs::lookup::heads(run.spec()));
    let more = view! {
        {button("as-drawn", tr!("Undo all changes"), Box::new(is_drawn),
            Box::new(move || panel.send_action(PromptAction::UndoChanges)))}
        {move || heads.get().filter(|heads| *heads < 8).map(|heads| button("add-head", tr!("Add a head"),
            Box::new(|| false), Box::new(move || panel.send_action(PromptAction::AddHead(heads)))))}
    };
    let show = move |example| panel.send_action(PromptAction::SelectPrompt(example));
    example_buttons(tr!("Which prompt"), panel, HELD_OUT_PROMPTS, show, more.into_any())
}

/// Draws the table of a prompt: one row per position, one column per attention head.
fn draw_table(panel: PanelContext, shape: TableShape) -> AnyView {
    let TableShape { positions: rows, token_dim: dim, name_count: names, head_count: heads } = shape;
    let of_heads = (0..heads).map(|head| {
        view! {
            <th scope="col" class="prompt__number">
                {tr!("Head {number}", number = head + 1)}
                <small class="prompt__share" translate="no" data-testid=format!("head-{}", head + 1)>
                    {move || panel.see(|state, view| action::format_attention_on_names(state, view, head))}
                </small>
            </th>
        }
    });
    let of_heads = of_heads.collect_view();
    let order = rows.clone();
    let on_key = move |event: KeyboardEvent| {
        let at = |place: usize| order.iter().position(|row| *row == place).unwrap_or(0);
        let of = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        // In a box the same keys move the caret.
        let is_button = of.is_some_and(|of| of.tag_name() == "BUTTON");
        let (Some(now), true) = (panel.peek(|state, view| state.shown_position(view)), is_button) else {
            return;
        };
        let last = order.len().saturating_sub(1);
        let to = match event.key().as_str() {
            "ArrowUp" => at(now).saturating_sub(1),
            "ArrowDown" => (at(now) + 1).min(last),
            "PageUp" => at(now).saturating_sub(PAGE_ROWS),
            "PageDown" => (at(now) + PAGE_ROWS).min(last),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        let Some(to) = order.get(to).copied() else { return };
        panel.send_action(PromptAction::SelectPosition(to));
        // Of a large prompt the table is made anew.
        request_animation_frame(move || {
            let button = document().get_element_by_id(&format!("position-{}", to + 1));
            if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
                // Nothing else would have the focus if it failed.
                let _ = button.focus();
            }
        });
    };
    let lines = rows.into_iter().map(|row| draw_row(panel, row, [dim, names, heads])).collect_view();
    view! {
        <div class="expected__frame">
            <table class="prompt" data-testid="prompt" on:keydown=on_key>
                <thead>
                    <tr>
                        <th scope="col">{tr!("Position")}</th>
                        <th scope="col">{tr!("Token")}</th>
                        <th scope="col">{tr!("Names")}</th>
                        <th scope="col" class="prompt__number">{tr!("Label")}</th>
                        <th scope="col" class="prompt__number">{tr!("Network")}</th>
                        {of_heads}
                    </tr>
                </thead>
                <tbody>{lines}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// Draws the row of a position, counted from 0. The row has fields for `dim` token components and `names` names, and
/// the attention weight of each of `heads` heads.
fn draw_row(panel: PanelContext, position: usize, [dim, names, heads]: [usize; 3]) -> AnyView {
    let is_chosen = panel.context.memo(move |run| {
        run.lab_state::<LookupState>().is_some_and(|state| state.shown_position(&run.link.view) == position)
    });
    let at = position + 1;
    let numbers = (0..dim).map(|which| {
        let value = move || {
            panel
                .see(|state, _| state.token_at(position).get(which).copied().map(action::format_number))
                .flatten()
        };
        let label = match dim {
            1 => tr!("Token at position {at}", at),
            _ => tr!("Number {which} of the token at position {at}", which = which + 1, at),
        };
        draw_entry(
            panel,
            format!("token-{at}-{}", which + 1),
            label,
            "decimal",
            Box::new(value),
            Box::new(move |text| PromptAction::SetTokenEntry { place: position, entry_index: which, text }),
        )
    });
    let named = (0..names).map(|which| {
        let value = move || {
            panel
                .see(|state, _| state.names_at(position).get(which).map(|name| (name + 1).to_string()))
                .flatten()
        };
        let label = match names {
            1 => tr!("Name at position {at}", at),
            _ => tr!("Name {which} at position {at}", which = which + 1, at),
        };
        draw_entry(
            panel,
            format!("name-{at}-{}", which + 1),
            label,
            "numeric",
            Box::new(value),
            Box::new(move |text| PromptAction::SetName { place: position, name_index: which, text }),
        )
    });
    let shares = (0..heads).map(|head| {
        let share =
            move || panel.see(|state, _| action::attention_weight(state, head, position)).unwrap_or(0.0);
        view! {
            <td class="expected__cell" translate="no" style:--share=move || format!("{:.3}", share())>
                {move || format!("{:.2}", share())}
            </td>
        }
    });
    let both = move |which: usize| {
        move || panel.see(|state, _| action::format_label_and_output(state, position)[which].clone())
    };
    let is_named = move || {
        panel
            .see(|state, view| state.names_at(state.shown_position(view)).contains(&position))
            .unwrap_or(false)
    };
    view! {
        <tr class="prompt__line" class:prompt__line--named=is_named class:prompt__line--chosen=is_chosen>
            <th scope="row">
                <button class="chip" type="button" translate="no" id=format!("position-{at}") data-testid=format!("position-{at}")
                    aria-pressed=move || is_chosen.get().to_string()
                    aria-label=tr!("Show position {at}", at)
                    tabindex=move || if is_chosen.get() { "0" } else { "-1" }
                    on:click=move |_| panel.send_action(PromptAction::SelectPosition(position))>
                    {at}
                </button>
            </th>
            <td><span class="prompt__boxes">{numbers.collect_view()}</span></td>
            <td><span class="prompt__boxes">{named.collect_view()}</span></td>
            <td class="prompt__number" translate="no" data-testid=format!("label-{at}")>{both(0)}</td>
            <td class="prompt__number" translate="no" data-testid=format!("answer-{at}")>{both(1)}</td>
            {shares.collect_view()}
        </tr>
    }
    .into_any()
}

/// Draws an input field for a name or a number; `action` makes the action from the text when the field loses focus or
/// at Enter. `id` is the field's test id, `label` its label for screen readers, `input_mode` its HTML attribute
/// `inputmode`; a `value` of `None` leaves it empty.
fn draw_entry(
    panel: PanelContext,
    id: String,
    label: String,
    input_mode: &'static str,
    value: Box<dyn Fn() -> Option<String> + Send + Sync>,
    action: Box<dyn Fn(String) -> PromptAction>,
) -> AnyView {
    let shown = Memo::new(move |_| value().unwrap_or_default());
    let take = move |event: web_sys::Event| {
        panel.send_action(action(event_target_value(&event)));
        // What was refused is not kept: the reason stands below.
        event_target::<HtmlInputElement>(&event).set_value(&shown.get_untracked());
    };
    view! {
        <input class="setting__input prompt__box" type="text" inputmode=input_mode autocomplete="off" spellcheck="false"
            data-testid=id aria-label=label prop:value=move || shown.get() on:change=take />
    }
    .into_any()
}
