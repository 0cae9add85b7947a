//! Below the layers of a network of one's own: what each computes, as a picture, and buttons that add a layer.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlTextAreaElement, MouseEvent};

use crate::store::Store;
use vivarium_model::models::own::layers::{LAYERS, LayerInfo};
use vivarium_page::settings::layer_drawing::{HEIGHT, LayerDrawing, WIDTH};
use vivarium_page::settings::layers::{LAYERS_KEY, LayerRow, complete, completions, layer_list, with_layer};
use vivarium_panels::text_editor::find_text_area;
use vivarium_ui::context::RunContext;
use vivarium_ui::setting::control_id;

/// The text of a field before and behind the caret.
fn text_at_caret(field: &HtmlTextAreaElement) -> Option<[String; 2]> {
    // The browser counts units of UTF-16.
    let units: Vec<u16> = field.value().encode_utf16().collect();
    let at = (field.selection_start().ok()?? as usize).min(units.len());
    let (before, behind) = units.split_at(at);
    Some([before, behind].map(String::from_utf16_lossy))
}

/// The list of layers, buttons that add one, and what can complete the line at the caret.
#[component]
pub fn LayerOutline() -> impl IntoView {
    let (store, context) = (Store::here(), RunContext::here());
    let list = Memo::new(move |_| store.see_form(layer_list));
    let state = context.field(LAYERS_KEY);
    // The text before and behind the caret; none before the person writes.
    let caret = RwSignal::new(None::<[String; 2]>);
    let listen = |name: &'static str| {
        window_event_listener_untyped(name, move |event| {
            let field = event.target().and_then(|target| target.dyn_into::<HtmlTextAreaElement>().ok());
            if let Some(field) = field.filter(|field| field.id() == control_id(LAYERS_KEY)) {
                caret.set(text_at_caret(&field));
            }
        })
    };
    for name in ["input", "keyup", "click"] {
        let listener = listen(name);
        on_cleanup(move || listener.remove());
    }
    let offers = Memo::new(move |_| {
        caret.with(|caret| caret.as_ref().map_or(vec![], |[before, behind]| completions(before, behind)))
    });
    // Another text of the run has another caret.
    Effect::new(move |_| {
        let text = state.with(|state| state.text.clone());
        caret.update(|caret| _ = caret.take_if(|[before, behind]| format!("{before}{behind}") != text));
    });
    let complete_line = move |completion: &'static str| {
        let Some(field) = find_text_area(&control_id(LAYERS_KEY)) else { return };
        let Some([before, behind]) = text_at_caret(&field) else { return };
        if !completions(&before, &behind).contains(&completion) {
            return;
        }
        let before = complete(&before, completion);
        let (text, end) = (format!("{before}{behind}"), before.encode_utf16().count() as u32);
        context.edit(LAYERS_KEY, text.clone());
        caret.set(None);
        field.set_value(&text);
        let _ = field.focus();
        let _ = field.set_selection_range(end, end);
    };
    // A press on a button does not take the focus from the field, which would move the button before the press ends.
    let stay_in_field = |event: MouseEvent| event.prevent_default();
    let offer = move |completion: &'static str| {
        view! {
            <button class="button own-layers__add" type="button" data-testid="completion"
                disabled=move || state.with(|state| state.is_locked) on:mousedown=stay_in_field on:click=move |_| complete_line(completion)>{completion}</button>
        }
    };
    // What is in the field may not be part of the run yet.
    let written = move || match find_text_area(&control_id(LAYERS_KEY)) {
        Some(field) => field.value(),
        None => state.get_untracked().text,
    };
    let add = move |kind: usize| context.edit(LAYERS_KEY, with_layer(&written(), kind));
    let row = |LayerRow { text, drawing, shape, parameters }: LayerRow| {
        let LayerDrawing { vectors, reads, operations } = drawing;
        view! {
            <li class="own-layers__row">
                <svg class="own-layers__drawing" viewBox=format!("0 0 {WIDTH} {HEIGHT}") aria-hidden="true">
                    <path class="own-layers__reads" d=reads></path>
                    <path class="own-layers__vectors" d=vectors></path>
                    <path class="own-layers__operations" d=operations></path>
                </svg>
                <code class="own-layers__text" title=text.clone() prop:textContent=text></code>
                <span class="own-layers__shape" title=tr!("number of vectors × components of each vector") prop:textContent=shape></span>
                <span class="own-layers__parameters" title=tr!("parameters") prop:textContent=parameters></span>
            </li>
        }
    };
    let described = |info: &LayerInfo| {
        let words = [&[info.example], info.options].concat().join(", ");
        view! {
            <dt><code>{words}</code></dt>
            <dd>{info.about()}</dd>
        }
    };
    let buttons = LAYERS.iter().enumerate().map(|(kind, info)| {
        view! {
            <button class="button own-layers__add" type="button" data-testid=format!("add-{}", info.word) title=info.about()
                disabled=move || state.with(|state| state.is_locked) on:mousedown=stay_in_field on:click=move |_| add(kind)>
                {info.word}
            </button>
        }
    });
    view! {
        <div class="own-layers" data-testid="layers">
            <div class="own-layers__buttons" role="group" aria-label=tr!("Complete the line") data-testid="completions">
                {move || offers.get().into_iter().map(offer).collect_view()}
            </div>
            <div class="own-layers__buttons" role="group" aria-label=tr!("Add a layer")>{buttons.collect_view()}</div>
            <ol class="own-layers__list" aria-label=tr!("Output size and parameters of each layer")>
                {move || list.get().map(|list| list.rows).unwrap_or_default().into_iter().map(row).collect_view()}
            </ol>
            <details class="own-layers__help">
                <summary>{tr!("What the layers compute")}</summary>
                <dl>{LAYERS.iter().map(described).collect_view()}</dl>
            </details>
            <p class="own-layers__total" role="status" data-testid="layers-total"
                prop:textContent=move || list.get().map(|list| list.total).unwrap_or_default()></p>
        </div>
    }
    .into_any()
}
