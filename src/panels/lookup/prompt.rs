//! Looking into one prompt: a table of its positions, whose names and numbers can be changed, with the label and the answer
//! of the network at each of them, and where its heads look.
//!
//! # Why
//! The table is made anew when another prompt, position or number of heads is shown, and not when the network changes:
//! whoever types in a box keeps it.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, KeyboardEvent};

use vivarium_labs::lookup::LookupState;
use vivarium_labs::lookup::panel::action::{self, EXAMPLES, PromptAction};
use vivarium_ui::button::button;
use vivarium_ui::inside::{of_lab, prompt, which};

/// Positions that the keys PageUp and PageDown go.
const PAGE: usize = 10;

/// The run, for readers of the prompt that is looked into.
type News = vivarium_ui::news::News<LookupState>;

/// Requests of the panel's controls.
trait Requests {
    /// Asks the page for the change that `action` makes.
    fn request(self, action: PromptAction);
}

impl Requests for News {
    fn request(self, action: PromptAction) {
        self.ask(|state, view| action::request(state, view, action));
    }
}

/// What the table is made of: which rows it has, how many numbers and names each has, and how many heads there are.
#[derive(Debug, Clone, PartialEq)]
struct Shape {
    rows: Vec<usize>,
    dim: usize,
    names: usize,
    heads: usize,
}

/// The panel, for runs on prompts.
#[component]
pub fn Look() -> impl IntoView {
    of_lab(|news: News| {
        let shape = news.context.memo(|run| {
            let state: &LookupState = run.state()?;
            let view = &run.link.view;
            Some(Shape {
                rows: action::shown(state, view),
                dim: state.prompts.dim,
                names: state.prompts.names,
                heads: state.inspected.attention.len(),
            })
        });
        let about_codes = news.context.memo(|run| action::about_codes(run.state::<LookupState>()?));
        let [named, tokens] = ["named", "tokens"].map(|key| news.problem(key));
        let parts = view! {
            {move || about_codes.get().map(|said| view! { <p class="card__text" data-testid="code-pairs">{said}</p> })}
            {which_prompt(news)}
            {move || shape.get().map(|shape| table(news, shape))}
            <p class="knob__problem" role="status" data-testid="prompt-problem">
                {move || named.get()} " " {move || tokens.get()}
            </p>
        };
        prompt("prompt-title", news, action::origin, parts.into_any(), action::about)
    })
}

/// Buttons that choose the prompt, and one that adds a head.
fn which_prompt(news: News) -> AnyView {
    let is_drawn = move || news.see(|_, view| view.named.is_empty() && view.tokens.is_empty()) == Some(true);
    let heads = news.context.memo(|run| vivarium_labs::lookup::heads(run.spec()));
    let more = view! {
        {button("as-drawn", tr!("Undo all changes"), Box::new(is_drawn),
            Box::new(move || news.request(PromptAction::AsDrawn)))}
        {move || heads.get().filter(|heads| *heads < 8).map(|heads| button("add-head", tr!("Add a head"),
            Box::new(|| false), Box::new(move || news.request(PromptAction::AddHead(heads)))))}
    };
    let show = move |example| news.request(PromptAction::Example(example));
    which(tr!("Which prompt"), news, EXAMPLES, show, more.into_any())
}

/// The table of a prompt.
fn table(news: News, shape: Shape) -> AnyView {
    let Shape { rows, dim, names, heads } = shape;
    let of_heads = (0..heads).map(|head| {
        view! {
            <th scope="col" class="prompt__number">
                {tr!("Head {number}", number = head + 1)}
                <small class="prompt__share" data-testid=format!("head-{}", head + 1)>
                    {move || news.see(|state, view| action::on_names(state, view, head))}
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
        let (Some(now), true) = (news.peek(|state, view| state.place(view)), is_button) else { return };
        let last = order.len().saturating_sub(1);
        let to = match event.key().as_str() {
            "ArrowUp" => at(now).saturating_sub(1),
            "ArrowDown" => (at(now) + 1).min(last),
            "PageUp" => at(now).saturating_sub(PAGE),
            "PageDown" => (at(now) + PAGE).min(last),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        let Some(to) = order.get(to).copied() else { return };
        news.request(PromptAction::Place(to));
        // Of a large prompt the table is made anew.
        request_animation_frame(move || {
            let button = document().get_element_by_id(&format!("position-{}", to + 1));
            if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
                // Nothing else would have the focus if it failed.
                let _ = button.focus();
            }
        });
    };
    let lines = rows.into_iter().map(|row| line(news, row, [dim, names, heads])).collect_view();
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

/// One position, from 0.
fn line(news: News, place: usize, [dim, names, heads]: [usize; 3]) -> AnyView {
    let is_chosen = news.context.memo(move |run| {
        run.state::<LookupState>().is_some_and(|state| state.place(&run.link.view) == place)
    });
    let at = place + 1;
    let numbers = (0..dim).map(|which| {
        let value =
            move || news.see(|state, _| state.token(place).get(which).copied().map(action::number)).flatten();
        let label = match dim {
            1 => tr!("Token at position {at}", at),
            _ => tr!("Number {which} of the token at position {at}", which = which + 1, at),
        };
        entry(
            news,
            format!("token-{at}-{}", which + 1),
            label,
            "decimal",
            Box::new(value),
            Box::new(move |text| PromptAction::Number { place, which, text }),
        )
    });
    let named = (0..names).map(|which| {
        let value = move || {
            news.see(|state, _| state.named(place).get(which).map(|name| (name + 1).to_string())).flatten()
        };
        let label = match names {
            1 => tr!("Name at position {at}", at),
            _ => tr!("Name {which} at position {at}", which = which + 1, at),
        };
        entry(
            news,
            format!("name-{at}-{}", which + 1),
            label,
            "numeric",
            Box::new(value),
            Box::new(move |text| PromptAction::Name { place, which, text }),
        )
    });
    let shares = (0..heads).map(|head| {
        let share = move || news.see(|state, _| action::share(state, head, place)).unwrap_or(0.0);
        view! {
            <td class="expected__cell" style:--share=move || format!("{:.3}", share())>
                {move || format!("{:.2}", share())}
            </td>
        }
    });
    let both = move |which: usize| move || news.see(|state, _| action::answer(state, place)[which].clone());
    let is_named =
        move || news.see(|state, view| state.named(state.place(view)).contains(&place)).unwrap_or(false);
    view! {
        <tr class="prompt__line" class:prompt__line--named=is_named class:prompt__line--chosen=is_chosen>
            <th scope="row">
                <button class="chip" type="button" id=format!("position-{at}") data-testid=format!("position-{at}")
                    aria-pressed=move || is_chosen.get().to_string()
                    aria-label=tr!("Show position {at}", at)
                    tabindex=move || if is_chosen.get() { "0" } else { "-1" }
                    on:click=move |_| news.request(PromptAction::Place(place))>
                    {at}
                </button>
            </th>
            <td><span class="prompt__boxes">{numbers.collect_view()}</span></td>
            <td><span class="prompt__boxes">{named.collect_view()}</span></td>
            <td class="prompt__number" data-testid=format!("label-{at}")>{both(0)}</td>
            <td class="prompt__number" data-testid=format!("answer-{at}")>{both(1)}</td>
            {shares.collect_view()}
        </tr>
    }
    .into_any()
}

/// A box for a name or a number. It is taken when it is left, or at Enter.
fn entry(
    news: News,
    id: String,
    label: String,
    keys: &'static str,
    value: Box<dyn Fn() -> Option<String> + Send + Sync>,
    wish: Box<dyn Fn(String) -> PromptAction>,
) -> AnyView {
    let shown = Memo::new(move |_| value().unwrap_or_default());
    let take = move |event: web_sys::Event| {
        news.request(wish(event_target_value(&event)));
        // What was refused is not kept: the reason stands below.
        event_target::<HtmlInputElement>(&event).set_value(&shown.get_untracked());
    };
    view! {
        <input class="knob__box prompt__box" type="text" inputmode=keys autocomplete="off" spellcheck="false"
            data-testid=id aria-label=label prop:value=move || shown.get() on:change=take />
    }
    .into_any()
}
