//! Below the layers of a network of one's own: what each computes, as a picture, and buttons that add a layer.

use leptos::prelude::*;

use crate::store::Store;
use vivarium_model::models::own::layers::{LAYERS, LayerInfo};
use vivarium_page::settings::layers::{LAYERS_KEY, LayerRow, layer_list, with_layer};
use vivarium_ui::context::RunContext;

/// The list of layers, and buttons that add one.
#[component]
pub fn LayerOutline() -> impl IntoView {
    let (store, context) = (Store::here(), RunContext::here());
    let list = Memo::new(move |_| store.see_form(layer_list));
    let state = context.field(LAYERS_KEY);
    let add = move |kind: usize| context.edit(LAYERS_KEY, with_layer(&state.get_untracked().text, kind));
    let row = |LayerRow { text, bars, shape, parameters, bar_percent }: LayerRow| {
        let bars = (0..bars).map(|_| {
            view! { <span class="own-layers__bar" style:--filled=format!("{bar_percent}%")></span> }
        });
        view! {
            <li class="own-layers__row">
                <span class="own-layers__bars" aria-hidden="true">{bars.collect_view()}</span>
                <code class="own-layers__text" prop:textContent=text></code>
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
                disabled=move || state.with(|state| state.is_locked) on:click=move |_| add(kind)>
                {info.word}
            </button>
        }
    });
    view! {
        <div class="own-layers" data-testid="layers">
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
