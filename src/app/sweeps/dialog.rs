//! The dialog for a sweep; its fields are HTML that is changed in place.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlInputElement, HtmlSelectElement};

use crate::store::Store;
use vivarium_page::state::Action;
use vivarium_page::sweeps::SweepAction;
use vivarium_page::sweeps::form::SweepForm;
use vivarium_ui::browser::{element_by_id, set_attribute};
use vivarium_ui::dialog::ModalDialog;
use vivarium_ui::text::element_text;

/// View of the button that opens the dialog in which a sweep is set up, and of that dialog.
#[component]
pub fn SweepForm() -> impl IntoView {
    let open = RwSignal::new(false);
    view! {
        <button class="button panel__action" type="button" data-testid="sweep" on:click=move |_| open.set(true)>
            {tr!("Sweep over settings")}
        </button>
        <ModalDialog open title=tr!("Sweep over one or two settings")>{move || dialog(open)}</ModalDialog>
    }
    .into_any()
}

/// Creates the content of the dialog for a sweep.
fn dialog(open: RwSignal<bool>) -> AnyView {
    let store = Store::here();
    // As the link is when the dialog is opened; the run behind it goes on.
    let (link, flops) = store.peek(|state| (state.player.run.link.clone(), state.player.measured_flops()));
    let choice = SweepForm::from_spec(&link.spec);
    let fields = choice.form_html(&link.spec);
    let form = StoredValue::new((link, choice));
    let sweep_link = move || form.with_value(|(link, choice)| choice.sweep_link(link));
    let status = RwSignal::new((false, String::new()));
    let update_status = move || {
        status.set(match sweep_link() {
            Ok(link) => (true, SweepForm::estimate_text(&link, flops)),
            Err(why) => (false, why),
        });
    };
    update_status();
    let on_input = move |event: Event| {
        let Some(target) = event.target() else { return };
        let (name, value, is_on) =
            match (target.dyn_ref::<HtmlSelectElement>(), target.dyn_ref::<HtmlInputElement>()) {
                (Some(select), _) => (select.name(), select.value(), false),
                (_, Some(input)) => (input.name(), input.value(), input.checked()),
                _ => return,
            };
        form.update_value(|(link, choice)| {
            let Some((at, is_other)) = choice.set_field(&link.spec, &name, &value, is_on) else { return };
            set_attribute(&format!("sweep-axis-{at}"), "data-kind", choice.axis_kind(&link.spec, at));
            if let Some(values) = element_by_id(&format!("sweep-values-{at}")).filter(|_| is_other) {
                // Markup: `SweepForm::value_fields_html`, whose texts are escaped.
                values.set_inner_html(&choice.value_fields_html(&link.spec, at));
            }
        });
        update_status();
    };
    let on_submit = move |event: web_sys::SubmitEvent| {
        event.prevent_default();
        if let Ok(link) = sweep_link() {
            open.set(false);
            store.act(Action::Sweep(SweepAction::Start(Box::new(link))));
        }
    };
    view! {
        <form class="sweep-dialog" on:input=on_input on:submit=on_submit>
            // Markup: `SweepForm::form_html`, whose texts are escaped.
            <div class="sweep-dialog" inner_html=fields></div>
            <p class="sweep-dialog__status" role="status" data-testid="sweep-status"
                prop:textContent=element_text(move || status.get().1)></p>
            <button class="button button--main" type="submit" data-testid="sweep-start" disabled=move || !status.get().0>
                {tr!("Start the sweep")}
            </button>
        </form>
    }
    .into_any()
}
