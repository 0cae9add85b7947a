//! A dialog with a title and a button that closes it.

use js_sys::Reflect;
use leptos::html::Dialog;
use leptos::prelude::*;

/// Modal dialog with a title and a close button.
#[component]
pub fn ModalDialog(
    /// Whether the dialog is open.
    open: RwSignal<bool>,
    /// Title of the dialog.
    title: &'static str,
    /// Content, rendered again each time the dialog opens.
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

/// Section that can be collapsed; its content `inside` is rendered only while it is open.
pub fn fold(
    testid: &'static str,
    title: &'static str,
    is_open: bool,
    inside: impl Fn() -> AnyView + Send + 'static,
) -> AnyView {
    let open = RwSignal::new(is_open);
    let toggled = move |event: web_sys::Event| {
        let now = event.target().and_then(|target| Reflect::get(&target, &"open".into()).ok());
        if let Some(now) = now {
            open.set(now.is_truthy());
        }
    };
    view! {
        <details class="theory" open=is_open data-testid=testid on:toggle=toggled>
            <summary class="theory__title"><h2 class="theory__name">{title}</h2></summary>
            {move || open.get().then(&inside)}
        </details>
    }
    .into_any()
}
