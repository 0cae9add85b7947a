//! The blocks of one step: a button for each, and what the one that is shown does.

use std::time::Duration;

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::news::News;
use crate::labs::machines::panel::action::PanelAction;
use crate::labs::machines::panel::stages::{self, BlockButton};
use crate::ui::browser::by_id;
use crate::ui::button::button;

/// Time for which each block is shown while they are played, so that its words can be read.
const EACH: Duration = Duration::from_millis(1200);

/// The blocks of a step where positions have so many bits.
pub(super) fn blocks(news: News, bits: usize) -> AnyView {
    let last = bits + 4;
    let shown = Memo::new(move |_| news.see(|state, view| state.stage(view)).unwrap_or(0));
    let go = move |stage: usize| news.look(PanelAction::Stage(stage.min(last)));
    let words = move |of: fn(usize, usize) -> String| move || of(bits, shown.get());
    let step = news.memo(|state, _| stages::step(state.trace.as_ref()));
    let measured = news.memo(|state, view| {
        let (trace, stage) = (state.trace.as_ref()?, state.stage(view));
        let deviation = stages::deviation(trace, stage, state.transformer.how().rounding)?;
        let gap = stages::gap(trace, stage).unwrap_or_default();
        Some(format!("{deviation} {gap}"))
    });
    let on_key = move |event: KeyboardEvent| {
        let now = shown.get_untracked();
        let to = match event.key().as_str() {
            "ArrowLeft" | "ArrowUp" => now.saturating_sub(1).max(1),
            "ArrowRight" | "ArrowDown" => (now + 1).min(last),
            "Home" => 1,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        go(to);
        if let Some(button) = by_id(&format!("block-{to}")) {
            // Nothing else would have the focus if it failed.
            let _ = button.focus();
        }
    };
    let buttons = stages::buttons(bits).into_iter().enumerate();
    let buttons = buttons.map(|(at, of)| block_button(shown, at + 1, of, go)).collect_view();
    view! {
        <p class="card__text" data-testid="block-step">{step}</p>
        <div class="layers" role="group" aria-label=tr!("Blocks of the step") data-testid="blocks" on:keydown=on_key>
            {buttons}
        </div>
        {scrubber(shown, bits, go)}
        <div class="layers__words" role="status">
            <h3 class="card__name" data-testid="block-heading">{words(stages::heading)}</h3>
            <p class="card__text" data-testid="block-about">{words(stages::about)}</p>
        </div>
        <p class="layers__formula" data-testid="block-formula">
            <code>{words(stages::formula)}</code>
        </p>
        <p class="card__note" data-testid="block-deviation">{move || measured.get().flatten()}</p>
    }
    .into_any()
}

/// The button of a block, from 1; pressed again, it shows the token before the step's blocks.
fn block_button(
    shown: Memo<usize>,
    stage: usize,
    of: BlockButton,
    go: impl Fn(usize) + Copy + 'static,
) -> AnyView {
    let is_shown = Memo::new(move |_| shown.get() == stage);
    let is_done = Memo::new(move |_| stage < shown.get());
    // One of them can be reached by Tab.
    let is_reached = Memo::new(move |_| shown.get().max(1) == stage);
    view! {
        <button class="layer" class:layer--begins=of.begins class:layer--done=is_done type="button"
            id=format!("block-{stage}") data-testid=format!("block-{stage}")
            aria-pressed=move || is_shown.get().to_string()
            tabindex=move || if is_reached.get() { "0" } else { "-1" }
            on:click=move |_| go(if is_shown.get_untracked() { 0 } else { stage })>
            <span class="layer__name">{of.name}</span>
            <span class="layer__sign" aria-hidden="true">{of.short}</span>
        </button>
    }
    .into_any()
}

/// Previous, play and next, and a slider over all blocks.
fn scrubber(shown: Memo<usize>, bits: usize, go: impl Fn(usize) + Copy + Send + Sync + 'static) -> AnyView {
    let last = bits + 4;
    let (plays, clock) = (RwSignal::new(false), StoredValue::new(None::<IntervalHandle>));
    let stop = move || {
        if let Some(clock) = clock.try_update_value(Option::take).flatten() {
            clock.clear();
        }
        plays.try_set(false);
    };
    on_cleanup(stop);
    let advance = move || match shown.try_get_untracked().and_then(|stage| stages::after(bits, stage)) {
        Some(next) => go(next),
        None => stop(),
    };
    let play = move || {
        if plays.get_untracked() {
            return stop();
        }
        // At the end it begins again.
        if shown.get_untracked() == last {
            go(1)
        } else {
            advance()
        }
        clock.set_value(set_interval_with_handle(advance, EACH).ok());
        plays.set(true);
    };
    let by_hand = move |stage: usize| {
        stop();
        go(stage);
    };
    view! {
        <div class="layers__scrub">
            {button("block-previous", tr!("Previous block"), Box::new(move || shown.get() == 0),
                Box::new(move || by_hand(shown.get_untracked().saturating_sub(1))))}
            <button class="button" type="button" data-testid="block-play" aria-pressed=move || plays.get().to_string()
                on:click=move |_| play()>
                {move || if plays.get() { tr!("Pause the blocks") } else { tr!("Play the blocks") }}
            </button>
            {button("block-next", tr!("Next block"), Box::new(move || shown.get() >= last),
                Box::new(move || by_hand(shown.get_untracked() + 1)))}
            <input class="knob__slider layers__slider" type="range" min="0" max=last.to_string() step="1"
                data-testid="block-slider" aria-label=tr!("Block that is shown")
                aria-valuetext=move || stages::heading(bits, shown.get()) prop:value=move || shown.get().to_string()
                style:--at=move || format!("{}%", 100 * shown.get() / last)
                on:input=move |event| {
                    if let Ok(stage) = event_target_value(&event).parse::<usize>() {
                        by_hand(stage);
                    }
                } />
        </div>
    }
    .into_any()
}
