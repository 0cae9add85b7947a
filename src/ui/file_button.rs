//! A button that lets the user choose a file.

use leptos::html::Input;
use leptos::prelude::*;

use crate::browser;
use crate::context::RunContext;
use vivarium_model::platform::file::UploadedFile;
use vivarium_view::ui::request::Request;

/// Button that lets the user choose a file and sends it to the page, or to a handler.
pub struct FileButton {
    /// Text on the button that opens the file dialog.
    pub word: &'static str,
    /// File extensions that can be chosen, as the HTML attribute `accept`.
    pub accept: &'static str,
    /// Largest number of bytes that are read, from the beginning of the file.
    pub max_head_bytes: usize,
    /// Part of the test ids: `open-<id>` for the button and `<id>-input` for the file input.
    pub id: &'static str,
}

impl FileButton {
    /// Renders the button and its hidden file input; calls `after` when the chosen file has been handled.
    pub fn view(self, after: impl Fn() + Copy + 'static) -> AnyView {
        let context = RunContext::here();
        self.view_with(move |name, read| {
            context.ask.run(Request::OpenFile(name, read));
            after();
        })
    }

    /// Renders the button and its hidden file input; `handle` receives the name of the chosen file, and its first bytes or
    /// the reason why it cannot be read.
    pub fn view_with(
        self,
        handle: impl Fn(String, Result<UploadedFile, String>) + Copy + 'static,
    ) -> AnyView {
        let input = NodeRef::<Input>::new();
        let chosen = move |_| {
            if let Some(field) = input.get_untracked() {
                browser::read_first_file(&field, self.max_head_bytes, handle);
            }
        };
        // Without this, choosing the same file again would not fire an event.
        let choose = move |_| {
            if let Some(field) = input.get_untracked() {
                field.set_value("");
                field.click();
            }
        };
        view! {
            <button class="button" type="button" data-testid=format!("open-{}", self.id) on:click=choose>{self.word}</button>
            <input class="invisible files__input" type="file" tabindex="-1" aria-hidden="true" accept=self.accept
                data-testid=format!("{}-input", self.id) node_ref=input on:change=chosen />
        }
        .into_any()
    }
}
