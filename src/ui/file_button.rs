//! A button that has a person choose a file.

use leptos::html::Input;
use leptos::prelude::*;

use crate::browser;
use crate::context::RunContext;
use vivarium_view::ui::request::Request;

/// What the button is for.
pub struct FileButton {
    /// What stands on it.
    pub word: &'static str,
    /// Endings of the files that can be chosen.
    pub accept: &'static str,
    /// So many of the first bytes of a file are looked at.
    pub head: usize,
    /// What tests call the button, after `open-`, and the field behind it, before `-input`.
    pub id: &'static str,
}

impl FileButton {
    /// The button, and the field that the browser asks with; `after` each file, whether or not it was opened.
    pub fn view(self, after: impl Fn() + Copy + 'static) -> AnyView {
        let (context, input) = (RunContext::here(), NodeRef::<Input>::new());
        let chosen = move |_| {
            if let Some(field) = input.get_untracked() {
                browser::read_first(&field, self.head, move |name, read| {
                    context.ask.run(Request::OpenFile(name, read));
                    after();
                });
            }
        };
        // The same file may be chosen again once it is mended.
        let choose = move |_| {
            if let Some(field) = input.get_untracked() {
                field.set_value("");
                field.click();
            }
        };
        view! {
            <button class="button" type="button" data-testid=format!("open-{}", self.id) on:click=choose>{self.word}</button>
            <input class="hidden files__input" type="file" tabindex="-1" aria-hidden="true" accept=self.accept
                data-testid=format!("{}-input", self.id) node_ref=input on:change=chosen />
        }
        .into_any()
    }
}
