//! The sections of the form with the settings.

use leptos::prelude::*;

use super::layers::LayerOutline;
use crate::store::Store;
use vivarium_core::language::translated;
use vivarium_model::run::FormSection;
use vivarium_page::settings::form::section_fields;
use vivarium_page::settings::layers::LAYERS_KEY;
use vivarium_page::state::State;
use vivarium_ui::browser::matches_media;
use vivarium_ui::setting::Setting;
use vivarium_ui::text::element_text;
use vivarium_view::ui::field::Field;

/// The form with all settings of the run.
#[component]
pub fn Form(
    /// Keys of the settings that another part of the page shows, so that each field exists once; none by default.
    #[prop(optional)]
    except: Option<Memo<Vec<&'static str>>>,
) -> impl IntoView {
    // A phone shows the charts first and the groups closed.
    let open = matches_media("(min-width: 56.25rem)");
    FormSection::ALL.into_iter().map(|section| view! { <Group section open except /> }).collect_view()
}

/// The settings with which the first screen's drawer begins, and a button that opens the other ones below them.
#[component]
pub fn ShortForm() -> impl IntoView {
    let store = Store::here();
    let fields = Memo::new(move |_| store.see_form(State::first_fields));
    let keys = Memo::new(move |_| fields.get().iter().map(|field| field.key).collect::<Vec<_>>());
    let is_whole = RwSignal::new(false);
    let label = move || if is_whole.get() { tr!("Fewer settings") } else { tr!("More settings") };
    view! {
        <div class="first-settings" data-testid="first-settings">
            // A field that stays keeps the focus when another one comes or goes.
            <For each=move || fields.get() key=|field| (field.key, field.help.clone()) let:field>
                {draw_field(field)}
            </For>
        </div>
        <button class="button first-settings__more" type="button" data-testid="more-settings"
            aria-expanded=move || is_whole.get().to_string() on:click=move |_| is_whole.update(|whole| *whole = !*whole)
            prop:textContent=element_text(label)></button>
        {move || is_whole.get().then(|| view! { <Form except=keys /> })}
    }
    .into_any()
}

/// A field, and below the layers of a network what each of them computes.
fn draw_field(field: Field) -> impl IntoView {
    let has_layers = field.key == LAYERS_KEY;
    view! {
        <Setting field />
        {has_layers.then(|| view! { <LayerOutline /> })}
    }
}

/// A section of the settings form with its fields.
#[component]
fn Group(
    /// The section.
    section: FormSection,
    /// Whether the section is open at first.
    open: bool,
    /// Keys of the settings that another part of the page shows.
    except: Option<Memo<Vec<&'static str>>>,
) -> impl IntoView {
    let store = Store::here();
    // Built again only when another model or optimizer brings other settings.
    let fields = Memo::new(move |_| {
        let mut fields = store.see_form(|state| section_fields(state.form_spec(), section));
        if let Some(except) = except {
            let keys = except.get();
            fields.retain(|field| !keys.contains(&field.key));
        }
        fields
    });
    // A network that no optimizer changes has a group less.
    let is_idle = Memo::new(move |_| {
        let is_optimized = store.see_form(|state| state.form_spec().model.config().is_optimized());
        section == FormSection::Optimizer && !is_optimized || fields.get().is_empty()
    });
    view! {
        <details class="group" open=open hidden=move || is_idle.get()>
            <summary class="group__name">{translated(section.label())}</summary>
            <div class="group__settings">
                {move || fields.get().into_iter().map(draw_field).collect_view()}
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
