//! The line with task, run and a link to the whole page, for a page inside a frame.

use leptos::prelude::*;

use crate::browser;
use crate::store::Store;
use vivarium_model::permalink::encode;
use vivarium_page::share::titles::run_name;

/// In a frame of another page: a line with the name of the run and a link to the whole page.
#[component]
pub fn EmbedHeader() -> impl IntoView {
    let store = Store::here();
    let name = store.memo(|state| {
        let link = &state.player.run.link;
        link.is_embedded().then(|| run_name(&link.spec))
    });
    move || {
        name.get().map(|name| {
            view! {
                <div class="embed-header">
                    <h2 class="embed-header__name" title=name.clone() data-testid="embed-title" prop:textContent=name.clone()></h2>
                    <EmbedLink />
                </div>
            }
        })
    }
}

/// In a frame of another page: a link to the whole page with the same run.
#[component]
pub fn EmbedLink() -> impl IntoView {
    let address = Store::here().memo(|state| {
        let link = &state.player.run.link;
        browser::address_of(&encode(&link.clone().without_teacher_key("embed")))
    });
    view! {
        <a class="embed-header__link" href=address target="_blank" rel="noopener" data-testid="embed-open">{tr!("Open in Vivarium")}</a>
    }
    .into_any()
}
