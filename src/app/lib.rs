//! The page: Leptos components that show the state of `vivarium_page` and send it the user's actions.
//!
//! For a browser only; elsewhere this crate is empty.

#![cfg(target_family = "wasm")]

#[macro_use]
extern crate vivarium_core;

pub mod bench;
pub mod browser;
pub mod charts;
pub mod compare;
pub mod files;
pub mod gallery;
pub mod lecture;
pub mod library;
pub mod presenter;
pub mod run;
pub mod settings;
pub mod share;
pub mod shell;
pub mod stage;
pub mod store;
pub mod sweeps;
pub mod timeline;
pub mod tour;
pub mod trainer;

use vivarium_page::LANGUAGE;

/// Starts the page: loads the texts of the reader's language, then shows it.
pub fn open() {
    use vivarium_core::language::{ENGLISH, choose_language, is_right_to_left, set_translations};
    use vivarium_ui::browser::{read_stored, set_root_attribute};
    let code = choose_language(read_stored(LANGUAGE), &browser::reader_languages());
    if code == ENGLISH {
        return show_page();
    }
    browser::fetch_text(&format!("./languages/{code}.json"), move |table| {
        // Without it the page is there all the same, in English.
        if let Some(table) = table.ok().and_then(|json| browser::parse_text_table(&json)) {
            set_translations(table);
            set_root_attribute("lang", &code);
            if is_right_to_left(&code) {
                set_root_attribute("dir", "rtl");
            }
        }
        show_page();
    });
}

/// Shows the page: at once, or after the second WebAssembly module is loaded if the run cannot be checked without it
/// (stored weights or a stored table).
fn show_page() {
    use vivarium_model::models::group_net::Beginning;
    let fragment = browser::fragment();
    let maximum = format!("from={}", Beginning::Maximum.slug());
    let table = vivarium_page::library::merge::link_table_number(&fragment);
    let is_maximum = fragment.starts_with("#v1/groups") && fragment.contains(&maximum);
    // Each entry of a lecture may be such a run.
    let is_lecture = fragment.starts_with(vivarium_page::lecture::ADDRESS_PREFIX);
    if table.is_none() && !is_maximum && !is_lecture {
        return mount();
    }
    vivarium_model::platform::web::spawn(async move {
        shell::second_module::fetch_before_page().await;
        // The file of the table may be kept in this browser.
        if let (Some(number), Some(storage)) = (table, library::storage::storage()) {
            (storage.open_table)(number).await;
        }
        mount();
    });
}

/// Mounts the page in the document in place of the static preview.
fn mount() {
    use leptos::prelude::document;
    use wasm_bindgen::JsCast;
    let place = document().get_element_by_id("page").and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok());
    match place {
        Some(place) => {
            place.set_text_content(None);
            leptos::mount::mount_to(place, shell::page::App).forget();
        }
        None => leptos::mount::mount_to_body(shell::page::App),
    }
}
