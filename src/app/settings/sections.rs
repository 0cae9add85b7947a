//! The sections of the form with the settings.

use leptos::prelude::*;

use crate::store::Store;
use vivarium_core::language::translated;
use vivarium_model::run::FormSection;
use vivarium_page::settings::form::section_fields;
use vivarium_ui::browser::matches_media;
use vivarium_ui::setting::Setting;

/// The form with all settings of the run.
#[component]
pub fn Form() -> impl IntoView {
    // A phone shows the charts first and the groups closed.
    let open = matches_media("(min-width: 900px)");
    FormSection::ALL.into_iter().map(|section| view! { <Group section open /> }).collect_view()
}

/// A section of the settings form with its fields.
#[component]
fn Group(
    /// The section.
    section: FormSection,
    /// Whether the section is open at first.
    open: bool,
) -> impl IntoView {
    let store = Store::here();
    // Built again only when another model or optimizer brings other settings.
    let fields = Memo::new(move |_| store.see_form(|state| section_fields(state.form_spec(), section)));
    // A network that no optimizer changes has a group less.
    let is_idle = Memo::new(move |_| {
        section == FormSection::Optimizer
            && store.see_form(|state| !state.form_spec().model.config().is_optimized())
    });
    view! {
        <details class="group" open=open hidden=move || is_idle.get()>
            <summary class="group__name">{translated(section.label())}</summary>
            <div class="group__settings">
                {move || fields.get().into_iter().map(|field| view! { <Setting field /> }).collect_view()}
                // Styles alone hide such settings, and this where there is none.
                <label class="group__show-inactive">
                    <input type="checkbox" data-testid="show-inactive" />
                    {tr!("Show settings that have no effect")}
                </label>
            </div>
        </details>
    }
    .into_any()
}
