//! The page: Leptos components that show the state of [`vivarium_page`] and send it the user's actions.
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
pub mod library;
pub mod presenter;
pub mod run;
pub mod settings;
pub mod share;
pub mod shell;
pub mod store;
pub mod sweeps;
pub mod timeline;
pub mod tour;
pub mod trainer;

use vivarium_page::LANGUAGE;

/// Fetches the reader's language, if it is another than English, and shows the page.
pub fn open() {
    use vivarium_core::language::{ENGLISH, speak, wanted};
    use vivarium_ui::browser::{mark_root, remembered};
    let code = wanted(remembered(LANGUAGE), &browser::reads());
    if code == ENGLISH {
        return show();
    }
    browser::fetch(&format!("./languages/{code}.json"), move |table| {
        // Without it the page is there all the same, in English.
        if let Some(table) = table.ok().and_then(|json| browser::texts(&json)) {
            speak(table);
            mark_root("lang", &code);
        }
        show();
    });
}

/// Shows the page at once, unless its run begins with a network that only the second program can write down, or is
/// about a table that this browser keeps.
fn show() {
    use vivarium_model::models::group_net::Beginning;
    let fragment = browser::fragment();
    let maximum = format!("from={}", Beginning::Maximum.slug());
    let table = vivarium_page::library::merge::table_in(&fragment);
    let is_maximum = fragment.starts_with("#v1/groups") && fragment.contains(&maximum);
    if table.is_none() && !is_maximum {
        return mount();
    }
    vivarium_model::platform::web::spawn(async move {
        shell::second::early().await;
        // The file of the table may be kept in this browser.
        if let (Some(number), Some(storage)) = (table, library::storage::storage()) {
            (storage.open_table)(number).await;
        }
        mount();
    });
}

/// Puts the page into the document, in place of the picture of itself that stood there until now.
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
