//! The program that the filter runs: example programs, the size of filter and network, and the rules with the line that
//! the next layer applies.

use leptos::prelude::*;

use crate::succinct::context::{PanelContext, SendAction};
use vivarium_core::language::translated;
use vivarium_labs::succinct::panel::action::{self, EXAMPLES, ExampleProgram, SuccinctAction};
use vivarium_labs::succinct::panel::listing::{self, ProgramLine};
use vivarium_labs::succinct::panel::sentences::{self, LabeledValues};
use vivarium_ui::browser::element_by_id;
use vivarium_ui::effect::effect;

/// DOM id of the list of the program's update rules.
const LISTING_ID: &str = "succinct-listing";

/// Draws one button per example program; a click opens a run of that program.
pub(super) fn draw_example_buttons(panel: PanelContext) -> AnyView {
    let shown = panel.memo(|state, _| state.program_state().map(|own| own.net.program));
    let one = move |(at, example): (usize, ExampleProgram)| {
        let is_shown = Memo::new(move |_| shown.get().flatten() == Some(example.program));
        view! {
            <button class="button" type="button" data-testid=format!("learner-{}", example.program.slug())
                aria-pressed=move || is_shown.get().to_string() on:click=move |_| panel.send_action(SuccinctAction::RunExample(at))>
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

/// Draws the size of the convolution filter that all layers share, the size of the network so far, and a sentence on
/// the current stage of the program.
pub(super) fn draw_sizes(panel: PanelContext) -> AnyView {
    let fixed = Memo::new(move |_| {
        panel.see(|state, _| state.program_state().map(sentences::filter_sizes)).flatten().unwrap_or_default()
    });
    let growing = Memo::new(move |_| {
        let entries = panel
            .see(|state, _| state.program_state().map(|own| sentences::progress_values(state, own)))
            .flatten();
        entries.unwrap_or_default()
    });
    let now = Memo::new(move |_| panel.see(|state, _| sentences::describe_now(state)).flatten());
    view! {
        <div class="succinct-sizes">
            {draw_definition_list("filter-size", tr!("The filter, the same in every layer"), fixed)}
            {draw_definition_list("network-size", tr!("The network so far"), growing)}
        </div>
        <p class="card__note succinct-now" data-testid="program-now" prop:textContent=now></p>
    }
    .into_any()
}

/// Draws a titled list of terms and their values, such as the sizes of the program and the network.
fn draw_definition_list(testid: &'static str, title: &'static str, entries: Memo<LabeledValues>) -> AnyView {
    let one = |(term, value): (&'static str, String)| {
        view! { <div class="succinct-size"><dt prop:textContent=term></dt><dd prop:textContent=value></dd></div> }
    };
    view! {
        <div class="succinct-part" data-testid=testid>
            <p class="succinct-part__name">{title}</p>
            <dl>{move || entries.get().into_iter().map(one).collect_view()}</dl>
        </div>
    }
    .into_any()
}

/// Draws the program as a list of rules; the rule that the next layer applies is marked.
pub(super) fn draw_listing(panel: PanelContext) -> AnyView {
    let text =
        Memo::new(move |_| panel.see(|state, _| action::program_text(state)).flatten().unwrap_or_default());
    let current = Memo::new(move |_| {
        panel.see(|state, _| state.program_state().and_then(listing::next_rule_line)).flatten()
    });
    let line = move |line: ProgramLine| {
        let number = line.number;
        let is_current = Memo::new(move |_| current.get() == Some(number));
        view! {
            <li class="succinct-line" class:succinct-line--next=is_current id=line_id(number)
                aria-current=move || is_current.get().then_some("step")>
                <span class="succinct-line__number" aria-hidden="true" translate="no">{number.to_string()}</span>
                <code translate="no">{line.rule}</code>
                <span class="succinct-line__comment" prop:textContent=line.comment></span>
            </li>
        }
    };
    effect(move || {
        if let Some(number) = current.get() {
            scroll_to_line(number);
        }
    });
    view! {
        <ol class="succinct-listing" id=LISTING_ID tabindex="0" aria-label=tr!("Rules of the program")
            data-testid="listing">
            {move || listing::split_lines(&text.get()).into_iter().map(line).collect_view()}
        </ol>
        <p class="card__note">
            {tr!("A line consists of a state, the symbols read, the symbol written (* keeps the symbol), a move (U, D, L, R for up, down, left and right, S for stay) and the next state. The next layer applies the marked line.")}
        </p>
    }
    .into_any()
}

/// DOM id of the line with number `number` in the list of the program's rules.
fn line_id(number: usize) -> String {
    format!("succinct-line-{number}")
}

/// Scrolls the list of the program's rules, but not the page, until the rule in line `number` is visible.
fn scroll_to_line(number: usize) {
    let (Some(list), Some(line)) = (element_by_id(LISTING_ID), element_by_id(&line_id(number))) else {
        return;
    };
    let (top, high, room) = (line.offset_top(), line.offset_height(), list.client_height());
    let is_seen = list.scroll_top() <= top && top + high <= list.scroll_top() + room;
    if !is_seen {
        list.set_scroll_top((top - (room - high) / 2).max(0));
    }
}
