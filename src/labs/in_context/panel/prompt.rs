//! Looking into one prompt: how many of its examples are shown, what everybody predicts for the next point, and the points.
//!
//! # Why
//! The tables are made anew when another prompt or number of examples is shown, and not when the network changes: their
//! numbers follow it one by one.

use leptos::prelude::*;

use super::action::{self, EXAMPLES, PromptAction};
use crate::labs::in_context::InContextState;
use crate::permalink::View;
use crate::ui::button::button;
use crate::ui::context::RunContext;

/// The run, for readers of the prompt that is looked into.
#[derive(Clone, Copy)]
struct News {
    context: RunContext,
    told: Memo<u64>,
}

impl News {
    fn here() -> News {
        let context = RunContext::here();
        // Each of them only ever grows.
        News { context, told: context.memo(|run| run.runs + run.findings + run.looked) }
    }

    /// What `of` sees in the prompt; whoever calls is told when there is news of it.
    fn see<T>(self, of: impl FnOnce(&InContextState, &View) -> T) -> Option<T> {
        self.told.get();
        self.peek(of)
    }

    fn peek<T>(self, of: impl FnOnce(&InContextState, &View) -> T) -> Option<T> {
        self.context.peek(|run| run.state::<InContextState>().map(|state| of(state, &run.link.view)))
    }

    /// Has a person's wish done.
    fn look(self, what: PromptAction) {
        if let Some(asked) = self.peek(|state, _| action::request(state, what)) {
            self.context.ask.run(asked);
        }
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
    let is_lab = RunContext::here().memo(|run| run.state::<InContextState>().is_some());
    move || {
        is_lab.get().then(|| {
            let news = News::here();
            let shape = news.context.memo(|run| {
                let state: &InContextState = run.state()?;
                let shown = state.shown(&run.link.view);
                Some(Shape { shown, methods: state.inspected.others.len() })
            });
            let most = news.context.memo(|run| run.state::<InContextState>().map(InContextState::most_shown));
            view! {
                <section class="inside" aria-labelledby="points-title" data-testid="inside">
                    <h2 class="inside__title" id="points-title">{tr!("Look into a prompt")}</h2>
                    <div class="inside__parts">
                        <section class="card card--wide" aria-label=tr!("Prompt")>
                            <p class="card__text" data-testid="origin">
                                {move || news.see(|state, _| action::origin(state))}
                            </p>
                            {which(news)}
                            {move || most.get().map(|most| examples(news, most))}
                            {move || shape.get().map(|shape| predictions(news, shape))}
                            {move || shape.get().map(|shape| points(news, shape))}
                            <p class="card__note" role="status" data-testid="prompt-answer">
                                {move || news.see(action::about)}
                            </p>
                        </section>
                    </div>
                </section>
            }
            .into_any()
        })
    }
}

/// Buttons that choose the prompt.
fn which(news: News) -> AnyView {
    let example = move || news.see(|_, view| view.example).unwrap_or(1);
    let show = move |step: fn(usize) -> usize| {
        let now = news.peek(|_, view| view.example).unwrap_or(1);
        news.look(PromptAction::Example(step(now)));
    };
    view! {
        <div class="editing__buttons" role="group" aria-label=tr!("Which prompt")>
            {button("previous-example", tr!("Previous"), Box::new(move || example() < 2),
                Box::new(move || show(|now| now.saturating_sub(1))))}
            {button("next-example", tr!("Next"), Box::new(move || example() >= EXAMPLES),
                Box::new(move || show(|now| now + 1)))}
        </div>
    }
    .into_any()
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
                        news.look(PromptAction::Shown(examples));
                    }
                } />
        </div>
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
    view! {
        <div class="expected__frame">
            <table class="prompt" data-testid="predictions">
                <thead>
                    <tr>
                        <th scope="col">{tr!("Who predicts the next label")}</th>
                        <th scope="col">{tr!("Prediction")}</th>
                        <th scope="col">{tr!("Distance from the label")}</th>
                    </tr>
                </thead>
                <tbody>{(0..=shape.methods).map(line).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
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
    view! {
        <div class="expected__frame">
            <table class="prompt" data-testid="prompt">
                <thead>
                    <tr>
                        <th scope="col">{tr!("Point")}</th>
                        <th scope="col">{tr!("x")}</th>
                        <th scope="col">{tr!("Label y")}</th>
                        <th scope="col">{tr!("Network, from the points above")}</th>
                    </tr>
                </thead>
                <tbody>{(0..=shape.shown).map(line).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
