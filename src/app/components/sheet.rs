//! A dialog with a title and a button that closes it.

use leptos::html::Dialog;
use leptos::prelude::*;

/// What lies over the page while it is open.
#[component]
pub fn Sheet(
    /// Whether it is open.
    open: RwSignal<bool>,
    /// Its title.
    title: &'static str,
    /// What is in it; made anew each time it is opened.
    children: ChildrenFn,
) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match (open.get(), dialog.open()) {
            // It fails only where it is open already.
            (true, false) => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    view! {
        <dialog class="help" node_ref=dialog aria-label=title on:close=move |_| open.set(false)>
            <h2>{title}</h2>
            {move || open.get().then(|| children())}
            <button class="button" type="button" on:click=move |_| open.set(false)>{tr!("Close")}</button>
        </dialog>
    }
    .into_any()
}
