//! The dialog that covers the whole screen: black, or with a QR code.

use leptos::html::Dialog;
use leptos::prelude::*;

use vivarium_page::share::qr::qr_svg;

/// The dialog of presenter mode that covers the whole screen with black or with a QR code.
#[component]
pub fn Cover(
    /// An address, shown with its QR code; an empty text shows a black screen; None while it is closed.
    #[prop(into)]
    shown: Signal<Option<String>>,
    /// Called when the dialog is closed.
    close: Callback<()>,
) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        match (shown.with(Option::is_some), dialog.open()) {
            // It fails only where it is open already.
            (true, false) => drop(dialog.show_modal()),
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    let is_black = move || shown.with(|shown| shown.as_deref() == Some(""));
    let label = move || if is_black() { tr!("Black screen") } else { tr!("QR code of the link") };
    view! {
        <dialog class="cover" class:cover--black=is_black node_ref=dialog aria-label=label data-testid="cover"
            on:close=move |_| {
                // The browser tells it later, and it may have been opened again since.
                if dialog.get_untracked().is_some_and(|dialog| !dialog.open()) {
                    close.run(());
                }
            }>
            {move || shown.get().map(|address| match address.is_empty() {
                true => black(close),
                false => code(address, close),
            })}
        </dialog>
    }
    .into_any()
}

/// Creates the black screen of presenter mode: a button that closes it.
fn black(close: Callback<()>) -> AnyView {
    view! {
        <button class="cover__black" type="button" aria-label=tr!("Show the page again") data-testid="cover-black"
            on:click=move |_| close.run(())></button>
    }
    .into_any()
}

/// Creates the screen of presenter mode with an address and its QR code.
fn code(address: String, close: Callback<()>) -> AnyView {
    let letters = address.chars().count().to_string();
    let code = qr_svg(&address);
    view! {
        // Markup: `qr_svg`, whose texts are escaped.
        <div class="cover__code" inner_html=code></div>
        <p class="cover__address" style:--letter-count=letters data-testid="cover-address" translate="no"
            prop:textContent=address></p>
        <button class="button cover__close" type="button" data-testid="cover-close" on:click=move |_| close.run(())>
            {tr!("Close")}
        </button>
    }
    .into_any()
}
