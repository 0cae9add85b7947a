//! One field of the settings form: label, value, slider, help and error message.

use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

use crate::context::RunContext;
use crate::icon::{Icon, Name};
use crate::text::element_text;
use vivarium_view::ui::field::{Control, Field, FieldState, SPEED_KEY};
use vivarium_view::ui::request::Request;
use vivarium_view::ui::scale::{SliderScale, TRACK};

/// DOM id of the control of the setting `key`.
pub fn control_id(key: &str) -> String {
    format!("setting-{key}")
}

/// A field of the settings form: label, help, input element and error message.
#[component]
pub fn Setting(
    /// Description of the field.
    field: Field,
    /// Called with the slider's value while it is dragged.
    #[prop(optional)]
    trial: Option<Callback<String>>,
) -> impl IntoView {
    let context = RunContext::here();
    let Field { key, label, help, range, unit, control } = field;
    let state = context.field(key);
    let text = Memo::new(move |_| state.with(|state| state.text.clone()));
    // The field itself shows its name and what was entered.
    let error = Memo::new(move |_| {
        let expected = state.with(|state| state.expected.clone())?;
        Some(tr!("Expected {expected}", expected))
    });
    let is = move |of: fn(&FieldState) -> bool| Memo::new(move |_| state.with(of));
    let is_default = is(|state| state.is_default);
    let swept = is(|state| state.is_swept);
    let idle = is(|state| state.is_idle);
    let locked = is(|state| state.is_locked);
    let is_hidden = is(|state| state.is_hidden);
    let note = element_text(move || match () {
        () if locked.get() => "locked",
        () if swept.get() => tr!("set by the sweep"),
        () if idle.get() => tr!("no effect now"),
        () if key == SPEED_KEY && text.with(|t| t == "0") => tr!("no limit"),
        () => unit,
    });
    // Help appears on hover and keyboard focus by the style sheet, and on a tap by this.
    let help_is_open = RwSignal::new(false);
    let dismissed = RwSignal::new(false);
    let on_key = move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            help_is_open.set(false);
            dismissed.set(true);
        }
    };
    let on_leave = move |_| {
        help_is_open.set(false);
        dismissed.set(false);
    };
    // Help would cover what is below a text of several lines while the person writes.
    let on_input = move |event: web_sys::Event| {
        if event_target::<web_sys::Element>(&event).tag_name() == "TEXTAREA" {
            dismissed.set(true);
        }
    };
    // A finger leaves as soon as it has tapped.
    let on_out = move |event: PointerEvent| {
        if event.pointer_type() == "mouse" {
            help_is_open.set(false);
        }
    };
    let (id, help_id, error_id) =
        (control_id(key), format!("setting-help-{key}"), format!("setting-error-{key}"));
    let described = format!("{help_id} {error_id}");
    let input = match control {
        Control::Number(scale) => {
            number_input(context, state, key, label, scale, text, error, trial, &id, &described)
        }
        Control::Select(options) => select_input(context, key, options, text, &id, &described),
        Control::Text(example) => text_input(context, key, example, text, error, &id, &described),
        Control::Lines(example) => text_area(context, key, example, text, error, &id, &described),
    };
    view! {
        <fieldset class="setting" role="presentation" disabled=locked class:not-displayed=is_hidden class:setting--invalid=move || error.with(Option::is_some) class:setting--help-dismissed=dismissed
            class:setting--inactive=idle
            on:keydown=on_key on:input=on_input on:focusout=on_leave on:pointerleave=on_out>
            <label class="setting__label" for=id.clone()>
                <span prop:textContent=label></span>
                " "
                <span class="setting__unit" prop:textContent=note></span>
            </label>
            <button class="setting__help-button" type="button" tabindex="-1" aria-label=tr!("About {label}", label)
                on:click=move |_| help_is_open.update(|help_is_open| *help_is_open = !*help_is_open)>
                <Icon name=Name::About />
            </button>
            {input}
            <button class="setting__reset" type="button" title=tr!("Back to the default")
                aria-label=tr!("{label}: back to the default", label) class:invisible=is_default
                on:click=move |_| context.ask.run(Request::Reset(key))>
                "↺"
            </button>
            <p class="setting__error" id=error_id prop:textContent=error></p>
            // No tooltip in the sense of ARIA, since the terms in it can be pressed.
            <p class="setting__help" class:setting__help--open=help_is_open id=help_id>
                // Markup: `RunContext::explained_html`, which escapes the text.
                <span inner_html=move || context.explained_html.run(help.clone())></span>
                {(!range.is_empty()).then(|| view! { <span class="setting__range" prop:textContent=range></span> })}
            </p>
        </fieldset>
    }
    .into_any()
}

/// Number box of a form field, with a slider if `scale` is given; `trial` is called with the slider's value while it is
/// dragged. `id` is the box's DOM id, `described` the DOM ids of its help and error, `error` is `None` for a valid
/// text.
#[expect(clippy::too_many_arguments, reason = "one place calls it, and a struct would only rename them")]
fn number_input(
    context: RunContext,
    state: Memo<FieldState>,
    key: &'static str,
    label: &'static str,
    scale: Option<SliderScale>,
    text: Memo<String>,
    error: Memo<Option<String>>,
    trial: Option<Callback<String>>,
    id: &str,
    described: &str,
) -> AnyView {
    // While the slider is moved, the box follows; the run changes when it is let go.
    let preview = RwSignal::new(None::<String>);
    let value = Memo::new(move |_| preview.get().unwrap_or_else(|| text.get()));
    let wide = if scale.is_none() { "setting__input setting__input--wide" } else { "setting__input" };
    view! {
        <input class=wide id=id.to_string() data-testid=id.to_string() type="text" inputmode="decimal"
            autocomplete="off" spellcheck="false" aria-describedby=described.to_string()
            aria-invalid=move || error.with(|p| p.is_some().to_string())
            prop:value=value on:change=move |event| submit(context, key, &event) />
        {scale.map(|scale| {
            let position = Memo::new(move |_| {
                let at = state.with(|state| state.value.as_ref().map_or(0, |value| scale.position_of(value)));
                at.to_string()
            });
            let at = |event: &web_sys::Event| {
                (event_target_value(event).parse::<f64>().unwrap_or(0.0).round() as u32).min(TRACK)
            };
            view! {
                <input class="setting__slider" type="range" min="0" max=TRACK.to_string() step=scale.step().to_string()
                    aria-label=tr!("{label}, slider", label) aria-valuetext=value prop:value=position
                    style:--filled=move || format!("{}%", position.with(|p| p.parse::<u32>().unwrap_or(0) / 10))
                    on:input=move |event| {
                        let text = scale.text(at(&event));
                        preview.set(Some(text.clone()));
                        if let Some(trial) = trial {
                            trial.run(text);
                        }
                    }
                    on:change=move |event| {
                        preview.set(None);
                        context.edit(key, scale.text(at(&event)));
                    } />
            }
        })}
    }
    .into_any()
}

/// Drop-down list of a form field; `options` are (slug, label), `text` is the slug of the selected one. `id` is the
/// list's DOM id, `described` the DOM ids of its help and error.
fn select_input(
    context: RunContext,
    key: &'static str,
    options: Vec<(&'static str, &'static str)>,
    text: Memo<String>,
    id: &str,
    described: &str,
) -> AnyView {
    view! {
        <select class="setting__select" id=id.to_string() data-testid=id.to_string()
            aria-describedby=described.to_string()
            on:change=move |event| context.edit(key, event_target_value(&event))>
            {options
                .into_iter()
                .map(|(slug, label)| {
                    view! { <option value=slug prop:selected=move || text.with(|t| t == slug)
                        prop:textContent=label></option> }
                })
                .collect_view()}
        </select>
    }
    .into_any()
}

/// One-line text box of a form field; `example` is shown while it is empty. `id` is the box's DOM id, `described` the
/// DOM ids of its help and error, `error` is `None` for a valid text.
fn text_input(
    context: RunContext,
    key: &'static str,
    example: &'static str,
    text: Memo<String>,
    error: Memo<Option<String>>,
    id: &str,
    described: &str,
) -> AnyView {
    view! {
        <input class="setting__input setting__input--wide" id=id.to_string() data-testid=id.to_string() type="text"
            placeholder=example autocomplete="off" spellcheck="false" aria-describedby=described.to_string()
            aria-invalid=move || error.with(|p| p.is_some().to_string())
            prop:value=text on:change=move |event| submit(context, key, &event) />
    }
    .into_any()
}

/// Multi-line text box of a form field, which keeps the line breaks of pasted text; `example` is shown while it is
/// empty. `id` is the box's DOM id, `described` the DOM ids of its help and error, `error` is `None` for a valid text.
fn text_area(
    context: RunContext,
    key: &'static str,
    example: &'static str,
    text: Memo<String>,
    error: Memo<Option<String>>,
    id: &str,
    described: &str,
) -> AnyView {
    let take = move |event: web_sys::Event| {
        context.edit(key, event_target_value(&event));
        event_target::<web_sys::HtmlTextAreaElement>(&event).set_value(&current_text(context, key));
    };
    view! {
        <textarea class="setting__input setting__input--wide setting__input--multiline" id=id.to_string() data-testid=id.to_string()
            rows=move || text.with(|text| (text.lines().count() + 1).clamp(4, 12).to_string()) placeholder=example autocomplete="off" spellcheck="false"
            aria-describedby=described.to_string()
            aria-invalid=move || error.with(|p| p.is_some().to_string())
            prop:value=text on:change=take></textarea>
    }
    .into_any()
}

/// Current text of the form field of the setting `key`, without a subscription to its changes.
fn current_text(context: RunContext, key: &'static str) -> String {
    untrack(|| context.field.run(key)).text
}

/// Submits the text of an input event as the value of the setting `key`, and replaces the text by its canonical form:
/// "1e3" becomes "1000".
fn submit(context: RunContext, key: &'static str, event: &web_sys::Event) {
    context.edit(key, event_target_value(event));
    event_target::<web_sys::HtmlInputElement>(event).set_value(&current_text(context, key));
}
