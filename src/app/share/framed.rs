//! What a page inside another page says of itself: its task and run, and the way to the whole page.

use leptos::prelude::*;

use crate::browser;
use crate::store::Store;
use vivarium_model::permalink::encode;
use vivarium_page::share::titles::run_name;

/// One line above the transport, in a frame only.
#[component]
pub fn Framed() -> impl IntoView {
    let store = Store::here();
    let line = store.memo(|state| {
        let link = &state.run.link;
        let whole = || browser::address_of(&encode(&link.clone().without("embed")));
        link.is_embedded().then(|| (run_name(&link.spec), whole()))
    });
    move || {
        line.get().map(|(name, address)| {
            view! {
                <div class="framed">
                    <h2 class="framed__name" title=name.clone() data-testid="framed">{name.clone()}</h2>
                    <a class="whole" href=address target="_blank" rel="noopener" data-testid="whole">{tr!("Open in Vivarium")}</a>
                </div>
            }
        })
    }
}
