//! Looking into one prompt: how many of its examples are shown, what everybody predicts for the next point, and the points.
//!
//! # Why
//! The tables are made anew when another prompt or number of examples is shown, and not when the network changes: their
//! numbers follow it one by one.

use leptos::prelude::*;

use vivarium_labs::in_context::InContextState;
use vivarium_labs::in_context::panel::action::{self, EXAMPLES, PromptAction, SHIFTS};
use vivarium_model::permalink::View;
use vivarium_ui::inside::{of_lab, prompt, which};

/// The run, for readers of the prompt that is looked into.
type News = vivarium_ui::news::News<InContextState>;

/// Requests of the panel's controls.
trait Requests {
    /// Asks the page for the change that `action` makes.
    fn request(self, action: PromptAction);
}

impl Requests for News {
    fn request(self, action: PromptAction) {
        self.ask(|state, _| action::request(state, action));
    }
}

/// How many examples are shown, and how many predict besides the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    shown: usize,
    methods: usize,
}

/// The panel, for runs on prompts of points.
#[component]
pub fn Look() -> impl IntoView {
    of_lab(|news: News| {
        let shape = news.context.memo(|run| {
            let state: &InContextState = run.state()?;
            let shown = state.shown(&run.link.view);
            Some(Shape { shown, methods: state.inspected.others.len() })
        });
        let most = news.context.memo(|run| run.state::<InContextState>().map(InContextState::most_shown));
        let show = move |example| news.request(PromptAction::Example(example));
        let parts = view! {
            {which(tr!("Which prompt"), news, EXAMPLES, show, ().into_any())}
            {move || most.get().map(|most| examples(news, most))}
            {shift(news)}
            {move || shape.get().map(|shape| predictions(news, shape))}
            {move || shape.get().map(|shape| points(news, shape))}
        };
        prompt("points-title", news, action::origin, parts.into_any(), action::about)
    })
}

/// The slider over the number of examples. Where it stands is in the link; it stays while it is moved.
fn examples(news: News, most: usize) -> AnyView {
    let now = move || news.see(|state, view| state.shown(view)).unwrap_or(most);
    let share = move || 100 * now().saturating_sub(1) / most.saturating_sub(1).max(1);
    view! {
        <div class="knob">
            <label class="knob__label" for="examples-shown">
                {tr!("Examples shown")} " " <span class="knob__unit">{move || now().to_string()}</span>
            </label>
            <input class="knob__slider" type="range" id="examples-shown" data-testid="examples-shown" min="1"
                max=most.to_string() step="1" aria-valuetext=move || action::examples(now())
                prop:value=move || now().to_string() style:--at=move || format!("{}%", share())
                on:input=move |event| {
                    if let Ok(examples) = event_target_value(&event).parse() {
                        news.request(PromptAction::Shown(examples));
                    }
                } />
        </div>
    }
    .into_any()
}

/// The slider over the factor of the inputs.
fn shift(news: News) -> AnyView {
    let view = move |of: fn(&View) -> String| move || news.see(|_, view| of(view)).unwrap_or_default();
    let now = move || news.see(|_, view| action::quarters(view.shift)).unwrap_or(0);
    let share = move || 100 * (now() + SHIFTS) / (2 * SHIFTS);
    view! {
        <div class="knob">
            <label class="knob__label" for="inputs-factor">
                {tr!("Inputs multiplied by")} " " <span class="knob__unit">{view(action::times)}</span>
            </label>
            <input class="knob__slider" type="range" id="inputs-factor" data-testid="inputs-factor"
                min=(-SHIFTS).to_string() max=SHIFTS.to_string() step="1" aria-valuetext=view(action::times)
                aria-describedby="inputs-factor-about"
                prop:value=move || now().to_string() style:--at=move || format!("{}%", share())
                on:input=move |event| {
                    if let Ok(quarters) = event_target_value(&event).parse() {
                        news.request(PromptAction::Shift(quarters));
                    }
                } />
        </div>
        <p class="card__note" id="inputs-factor-about" data-testid="inputs-factor-about">
            {view(action::about_shift)}
        </p>
    }
    .into_any()
}

/// What everybody predicts for the next point.
fn predictions(news: News, shape: Shape) -> AnyView {
    let line = |at: usize| {
        let part = move |which: usize| {
            move || {
                let row = |state: &InContextState, view: &View| {
                    action::predictions(state, view).get(at).map(|row| row[which].clone())
                };
                news.see(row).flatten()
            }
        };
        let is_network = at == 0;
        view! {
            <tr class="prompt__line" class:prompt__line--chosen=is_network>
                <th scope="row">{part(0)}</th>
                <td class="prompt__number" data-testid=format!("prediction-{at}")>{part(1)}</td>
                <td class="prompt__number">{part(2)}</td>
            </tr>
        }
    };
    let columns = [tr!("Method"), tr!("Prediction"), tr!("Distance from the label")];
    table("predictions", &columns, (0..=shape.methods).map(line).collect_view().into_any())
}

/// The points that are shown, and below them the one that is asked.
fn points(news: News, shape: Shape) -> AnyView {
    let line = |at: usize| {
        let part = move |which: usize| move || news.see(|state, _| action::point(state, at)[which].clone());
        let is_asked = at == shape.shown;
        view! {
            <tr class="prompt__line" class:prompt__line--chosen=is_asked>
                <th scope="row">{part(0)}</th>
                <td class="prompt__number">{part(1)}</td>
                <td class="prompt__number" data-testid=format!("label-{}", at + 1)>{part(2)}</td>
                <td class="prompt__number" data-testid=format!("answer-{}", at + 1)>{part(3)}</td>
            </tr>
        }
    };
    let columns = [tr!("Point"), tr!("x"), tr!("Label y"), tr!("Network's prediction")];
    table("prompt", &columns, (0..=shape.shown).map(line).collect_view().into_any())
}

/// A table with these names of columns.
fn table(testid: &'static str, columns: &[&'static str], lines: AnyView) -> AnyView {
    // Behind the first there are numbers.
    let column = |(at, name): (usize, &&'static str)| {
        view! { <th scope="col" class:prompt__number=at != 0>{*name}</th> }
    };
    view! {
        <div class="expected__frame">
            <table class="prompt" data-testid=testid>
                <thead>
                    <tr>{columns.iter().enumerate().map(column).collect_view()}</tr>
                </thead>
                <tbody>{lines}</tbody>
            </table>
        </div>
    }
    .into_any()
}
