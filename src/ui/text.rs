//! Texts that change, as the content of an element, so that the browser may translate the page.
//!
//! # Why
//! Translators of browsers, such as Google Translate, replace every text node of a page by elements of their own. The
//! view `<p>{move || text.get()}</p>` keeps a reference to its text node, and then changes a node that is no longer in
//! the page: the text stays as it is for good. So every text that changes is the content of an element, which stays in
//! the page, as `<p prop:textContent=element_text(move || text.get())></p>`; a memo or signal of a text can be the
//! property itself. The content is set only when the text has changed, so that its translation stays until then. A text
//! of a list or of an optional view is written in the same way, because Leptos changes the texts of a view that is made
//! again. Numbers, formulas and symbols have `translate="no"`. Pages that are made with React often replace the methods
//! `removeChild` and `insertBefore` of the browser instead (https://github.com/facebook/react/issues/11538); then the page
//! goes on, but its old texts stay. 2026-11-28.

use leptos::prelude::*;

/// A value that can be the text of an element.
pub trait IntoText {
    /// Converts the value to the text that the element contains; `None` is an empty text.
    fn into_text(self) -> String;
}

impl IntoText for String {
    fn into_text(self) -> String {
        self
    }
}

impl IntoText for &str {
    fn into_text(self) -> String {
        self.into()
    }
}

impl<T: IntoText> IntoText for Option<T> {
    fn into_text(self) -> String {
        self.map(T::into_text).unwrap_or_default()
    }
}

/// Memo of the text that an element contains, for the property `textContent` of that element; `text` subscribes to
/// the signals that it reads.
pub fn element_text<T: IntoText>(text: impl Fn() -> T + Send + Sync + 'static) -> Memo<String> {
    text_memo(Box::new(move || text().into_text()))
}

/// Memo of a text; it is a function of its own so that the code of a memo is in the program once.
fn text_memo(text: Box<dyn Fn() -> String + Send + Sync>) -> Memo<String> {
    Memo::new(move |_| text())
}
