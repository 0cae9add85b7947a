//! The dialog that makes a link for a class, with its QR code and the markup that embeds it.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement, HtmlSelectElement};

use super::icon::Name;
use super::sheet::Sheet;
use super::transport::Copied;
use crate::app::browser;
use crate::app::qr::svg;
use crate::app::store::Store;
use crate::app::teaching::{Wish, form, frame};
use crate::permalink::encode;

/// What a teacher wishes for, and the link that comes of it.
#[component]
pub fn Teacher(
    /// Whether it is open.
    open: RwSignal<bool>,
) -> impl IntoView {
    let store = Store::here();
    view! {
        <Sheet open title="Link for a class">
            {move || {
                // As the link is when the dialog is opened; the run behind it goes on.
                let link = store.peek(|state| state.link.clone());
                let wish = RwSignal::new(Wish::of(&link));
                let fields = form(&link);
                let step = store.peek(|state| state.step);
                let at = wish.with_untracked(|wish| wish.at.map(|at| at.to_string()).unwrap_or_default());
                let link = StoredValue::new(link);
                let made = move |embedded: bool| {
                    let mut wish = wish.get();
                    wish.embedded |= embedded;
                    browser::address_of(&link.with_value(|link| encode(&wish.link(link))))
                };
                let address = Memo::new(move |_| made(false));
                let snippet = Memo::new(move |_| frame(&made(true)));
                let code = Memo::new(move |_| svg(&address.get()));
                let hear = move |event: Event| {
                    let Some(target) = event.target() else { return };
                    let field = match (target.dyn_ref::<HtmlSelectElement>(), target.dyn_ref::<HtmlInputElement>()) {
                        (Some(select), _) => (select.name(), select.value()),
                        (_, Some(input)) => (input.name(), input.value()),
                        _ => return,
                    };
                    wish.update(|wish| wish.take(&field.0, &field.1));
                };
                view! {
                    <div class="teacher" on:input=hear>
                        <div class="teacher__wishes">
                            <label class="wish">
                                <span>"Wait at step"</span>
                                <input class="knob__box" type="number" name="at" min="1" step="1" value=at
                                    placeholder=step.max(100).to_string() data-testid="wish-at" />
                            </label>
                            <div class="teacher__fields" inner_html=fields></div>
                        </div>
                        <div class="teacher__made">
                            <Copied testid="copy-lesson" icon=Name::Link word="Copy link" text=address.into()
                                about="The link for the class." />
                            <Copied testid="copy-frame" icon=Name::Terminal word="Copy HTML" text=snippet.into()
                                about="Markup that shows chart and play inside another page." />
                            {move || match code.get() {
                                Some((path, room)) => view! {
                                    <svg class="code" viewBox=room role="img" aria-label="QR code of the link" data-testid="code">
                                        <path d=path></path>
                                    </svg>
                                }
                                .into_any(),
                                None => view! { <p>"The link is too long for a QR code."</p> }.into_any(),
                            }}
                        </div>
                    </div>
                }
            }}
        </Sheet>
    }
    .into_any()
}
