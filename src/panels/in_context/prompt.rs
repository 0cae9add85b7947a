//! One prompt: the number of its examples, the predictions for the next point, and the points.
//!
//! # Why
//! The tables are made anew when another prompt or number of examples is shown, and not when the network changes: their
//! numbers follow it one by one.

use leptos::prelude::*;

use vivarium_labs::in_context::InContextState;
use vivarium_labs::in_context::panel::action::{self, HELD_OUT_PROMPTS, MAX_QUARTERS, PromptAction};
use vivarium_model::permalink::ViewSettings;
use vivarium_ui::inside::{example_buttons, prompt_panel, show_for_lab};
use vivarium_ui::text::element_text;

/// Access of the panel to the displayed run and to `InContextState`, the data that the lab on in-context learning keeps
/// for it.
type PanelContext = vivarium_ui::lab_context::LabContext<InContextState>;

/// Sends the actions of the panel on one prompt to the page.
trait SendAction {
    /// Sends the page the request that stands for `action`, a change of the prompt.
    fn send_action(self, action: PromptAction);
}

impl SendAction for PanelContext {
    fn send_action(self, action: PromptAction) {
        self.ask(|state, _| action::build_request(state, action));
    }
}

/// Numbers of rows of the panel's two tables, one of the prompt's points and one of the predictions for the next point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PromptSize {
    /// Number of example points (x, y) in the prompt before the point to predict.
    example_count: usize,
    /// Number of baseline methods, such as least squares, whose predictions are listed after the network's.
    baseline_count: usize,
}

/// The lab's panel: one prompt of points (x, y), and the predictions for its next point; for runs on such prompts.
#[component]
pub fn FunctionPromptPanel() -> impl IntoView {
    show_for_lab(|panel: PanelContext| {
        let shape = panel.context.memo(|run| {
            let state: &InContextState = run.lab_state()?;
            let shown = state.shown_count(&run.link.view);
            Some(PromptSize {
                example_count: shown,
                baseline_count: state.inspected.baseline_predictions.len(),
            })
        });
        let most = panel.context.memo(|run| run.lab_state::<InContextState>().map(InContextState::max_shown));
        let show = move |example| panel.send_action(PromptAction::ShowPrompt(example));
        let parts = view! {
            {example_buttons(tr!("Which prompt"), panel, HELD_OUT_PROMPTS, show, ().into_any())}
            {move || most.get().map(|most| draw_example_slider(panel, most))}
            {draw_scale_slider(panel)}
            {move || shape.get().map(|shape| draw_predictions(panel, shape))}
            {move || shape.get().map(|shape| draw_points(panel, shape))}
        };
        prompt_panel(
            "points-title",
            panel,
            action::describe_origin,
            parts.into_any(),
            action::describe_prompt,
        )
    })
}

/// Draws the slider for the number of examples in the prompt, from 1 to `max_examples`.
fn draw_example_slider(panel: PanelContext, max_examples: usize) -> AnyView {
    let now = move || panel.see(|state, view| state.shown_count(view)).unwrap_or(max_examples);
    let share = move || 100 * now().saturating_sub(1) / max_examples.saturating_sub(1).max(1);
    view! {
        <div class="setting">
            <label class="setting__label" for="examples-shown">
                {tr!("Examples shown")} " " <span class="setting__unit" translate="no">{move || now().to_string()}</span>
            </label>
            <input class="setting__slider" type="range" id="examples-shown" data-testid="examples-shown" min="1"
                max=max_examples.to_string() step="1" aria-valuetext=move || action::format_example_count(now())
                prop:value=move || now().to_string() style:--filled=move || format!("{}%", share())
                on:input=move |event| {
                    if let Ok(examples) = event_target_value(&event).parse() {
                        panel.send_action(PromptAction::ShowExamples(examples));
                    }
                } />
        </div>
    }
    .into_any()
}

/// Draws the slider for the factor by which all inputs x are multiplied.
fn draw_scale_slider(panel: PanelContext) -> AnyView {
    let view =
        move |of: fn(&ViewSettings) -> String| move || panel.see(|_, view| of(view)).unwrap_or_default();
    let now = move || panel.see(|_, view| action::nearest_quarters(view.in_context.shift)).unwrap_or(0);
    let share = move || 100 * (now() + MAX_QUARTERS) / (2 * MAX_QUARTERS);
    view! {
        <div class="setting">
            <label class="setting__label" for="inputs-factor">
                {tr!("Inputs multiplied by")} " " <span class="setting__unit" translate="no">{view(action::format_factor)}</span>
            </label>
            <input class="setting__slider" type="range" id="inputs-factor" data-testid="inputs-factor"
                min=(-MAX_QUARTERS).to_string() max=MAX_QUARTERS.to_string() step="1" aria-valuetext=view(action::format_factor)
                aria-describedby="inputs-factor-about"
                prop:value=move || now().to_string() style:--filled=move || format!("{}%", share())
                on:input=move |event| {
                    if let Ok(quarters) = event_target_value(&event).parse() {
                        panel.send_action(PromptAction::ScaleInputs(quarters));
                    }
                } />
        </div>
        <p class="card__note" id="inputs-factor-about" data-testid="inputs-factor-about"
            prop:textContent=element_text(view(action::describe_shift))></p>
    }
    .into_any()
}

/// Draws the table of predictions for the next point: a row for the network and one for each baseline.
fn draw_predictions(panel: PanelContext, size: PromptSize) -> AnyView {
    let line = |at: usize| {
        let part = move |which: usize| {
            move || {
                let row = |state: &InContextState, view: &ViewSettings| {
                    action::prediction_rows(state, view).get(at).map(|row| row[which].clone())
                };
                panel.see(row).flatten()
            }
        };
        let is_network = at == 0;
        view! {
            <tr class="prompt__line" class:prompt__line--chosen=is_network>
                <th scope="row" prop:textContent=element_text(part(0))></th>
                <td class="prompt__number" translate="no" data-testid=format!("prediction-{at}")>{part(1)}</td>
                <td class="prompt__number" translate="no">{part(2)}</td>
            </tr>
        }
    };
    let columns = [tr!("Method"), tr!("Prediction"), tr!("Distance from the label")];
    draw_table("predictions", &columns, (0..=size.baseline_count).map(line).collect_view().into_any())
}

/// Draws the table of the prompt's points (x, y); the last row is the point whose y the network predicts.
fn draw_points(panel: PanelContext, size: PromptSize) -> AnyView {
    let line = |at: usize| {
        let part =
            move |which: usize| move || panel.see(|state, _| action::point_row(state, at)[which].clone());
        let is_asked = at == size.example_count;
        view! {
            <tr class="prompt__line" class:prompt__line--chosen=is_asked>
                <th scope="row" prop:textContent=element_text(part(0))></th>
                <td class="prompt__number" translate="no">{part(1)}</td>
                <td class="prompt__number" translate="no" data-testid=format!("label-{}", at + 1)>{part(2)}</td>
                <td class="prompt__number" translate="no" data-testid=format!("answer-{}", at + 1)>{part(3)}</td>
            </tr>
        }
    };
    let columns = [tr!("Point"), tr!("x"), tr!("Label y"), tr!("Network's prediction")];
    draw_table("prompt", &columns, (0..=size.example_count).map(line).collect_view().into_any())
}

/// Draws a table with these column headings; `rows` is the view of its body.
fn draw_table(testid: &'static str, columns: &[&'static str], rows: AnyView) -> AnyView {
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
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
