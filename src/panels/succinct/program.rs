//! The program that the filter runs: programs to begin with, how large it is and how far the network is, and its text with
//! the line that the next layer applies.

use leptos::prelude::*;

use crate::succinct::news::{News, Requests};
use vivarium_core::language::translated;
use vivarium_labs::succinct::panel::action::{self, EXAMPLES, Example, PanelAction};
use vivarium_labs::succinct::panel::listing::{self, Line};
use vivarium_labs::succinct::panel::sentences::{self, Entries};
use vivarium_ui::browser::by_id;
use vivarium_ui::effect::effect;

/// The id of the list of lines.
const LISTING: &str = "succinct-listing";

/// A button for each program to begin with.
pub(super) fn examples(news: News) -> AnyView {
    let shown = news.memo(|state, _| state.on_table().map(|own| own.net.program));
    let one = move |(at, example): (usize, Example)| {
        let is_shown = Memo::new(move |_| shown.get().flatten() == Some(example.program));
        view! {
            <button class="button" type="button" data-testid=format!("learner-{}", example.program.slug())
                aria-pressed=move || is_shown.get().to_string() on:click=move |_| news.request(PanelAction::Example(at))>
                {translated(example.name)}
            </button>
        }
    };
    view! {
        <div class="succinct-examples" role="group" aria-label=tr!("Example programs")
            data-testid="program-examples">
            {EXAMPLES.into_iter().enumerate().map(one).collect_view()}
        </div>
    }
    .into_any()
}

/// How large the filter is, how far the network is, and what happens now.
pub(super) fn counts(news: News) -> AnyView {
    let fixed = Memo::new(move |_| {
        news.see(|state, _| state.on_table().map(sentences::fixed)).flatten().unwrap_or_default()
    });
    let growing = Memo::new(move |_| {
        let entries =
            news.see(|state, _| state.on_table().map(|own| sentences::growing(state, own))).flatten();
        entries.unwrap_or_default()
    });
    let now = Memo::new(move |_| news.see(|state, _| sentences::now(state)).flatten());
    view! {
        <div class="succinct-sizes">
            {list("filter-size", tr!("The filter, the same in every layer"), fixed)}
            {list("network-size", tr!("The network so far"), growing)}
        </div>
        <p class="card__note succinct-now" data-testid="program-now">{move || now.get()}</p>
    }
    .into_any()
}

/// Terms with their values below a title.
fn list(testid: &'static str, title: &'static str, entries: Memo<Entries>) -> AnyView {
    let one = |(term, value): (&'static str, String)| {
        view! { <div class="succinct-size"><dt>{term}</dt><dd>{value}</dd></div> }
    };
    view! {
        <div class="succinct-part" data-testid=testid>
            <p class="succinct-part__name">{title}</p>
            <dl>{move || entries.get().into_iter().map(one).collect_view()}</dl>
        </div>
    }
    .into_any()
}

/// The text of the program, with the line that the next layer applies.
pub(super) fn rules(news: News) -> AnyView {
    let text = Memo::new(move |_| news.see(|state, _| action::text(state)).flatten().unwrap_or_default());
    let current =
        Memo::new(move |_| news.see(|state, _| state.on_table().and_then(listing::current)).flatten());
    let line = move |line: Line| {
        let number = line.number;
        let is_current = Memo::new(move |_| current.get() == Some(number));
        view! {
            <li class="succinct-line" class:succinct-line--next=is_current id=line_id(number)
                aria-current=move || is_current.get().then_some("step")>
                <span class="succinct-line__number" aria-hidden="true">{number.to_string()}</span>
                <code>{line.rule}</code>
                <span class="succinct-line__comment">{line.comment}</span>
            </li>
        }
    };
    effect(move || {
        if let Some(number) = current.get() {
            keep_in_view(number);
        }
    });
    view! {
        <ol class="succinct-listing" id=LISTING tabindex="0" aria-label=tr!("Rules of the program")
            data-testid="listing">
            {move || listing::lines(&text.get()).into_iter().map(line).collect_view()}
        </ol>
        <p class="card__note">
            {tr!("A line consists of a state, the symbols read, the symbol written (* keeps the symbol), a move (U, D, L, R for up, down, left and right, S for stay) and the next state. The next layer applies the marked line.")}
        </p>
    }
    .into_any()
}

fn line_id(number: usize) -> String {
    format!("succinct-line-{number}")
}

/// Scrolls the list, and not the page, to a line that is not seen.
fn keep_in_view(number: usize) {
    let (Some(list), Some(line)) = (by_id(LISTING), by_id(&line_id(number))) else { return };
    let (top, high, room) = (line.offset_top(), line.offset_height(), list.client_height());
    let is_seen = list.scroll_top() <= top && top + high <= list.scroll_top() + room;
    if !is_seen {
        list.set_scroll_top((top - (room - high) / 2).max(0));
    }
}
