//! The stages of one step, one after the other: a button for each, arrow keys, play, a slider, and what the one that is
//! shown does.

use std::time::Duration;

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use crate::browser::by_id;
use crate::button::button;
use vivarium_view::ui::stage::{StageButton, StageNames, after};

/// Time for which each stage is shown while they are played, so that its words can be read.
const EACH: Duration = Duration::from_millis(1200);

/// What is said of a stage, from 1; of 0, of what is there before the first.
pub struct StageWords {
    /// Which stage it is.
    pub heading: Box<dyn Fn(usize) -> String + Send + Sync>,
    /// What it does.
    pub about: Box<dyn Fn(usize) -> String + Send + Sync>,
    /// What it computes.
    pub formula: Box<dyn Fn(usize) -> String + Send + Sync>,
}

/// The stages behind these buttons; `go` shows the stage with this number, and 0 what is there before the first.
pub fn stages(
    names: StageNames,
    buttons: Vec<StageButton>,
    words: StageWords,
    shown: Memo<usize>,
    go: impl Fn(usize) + Copy + Send + Sync + 'static,
) -> AnyView {
    let (key, last) = (names.key, buttons.len());
    let words = StoredValue::new(words);
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
        if let Some(button) = by_id(&format!("{key}-{to}")) {
            // Nothing else would have the focus if it failed.
            let _ = button.focus();
        }
    };
    let buttons = buttons.into_iter().enumerate();
    let buttons = buttons.map(|(at, of)| stage_button(names, shown, at + 1, of, go)).collect_view();
    view! {
        <div class="layers" role="group" aria-label=names.all data-testid=format!("{key}s") on:keydown=on_key>
            {buttons}
        </div>
        {scrubber(names, shown, last, words, go)}
        <div class="layers__words" role="status">
            <h3 class="card__name" data-testid=format!("{key}-heading")>
                {move || words.with_value(|words| (words.heading)(shown.get()))}
            </h3>
            <p class="card__text" data-testid=format!("{key}-about")>
                {move || words.with_value(|words| (words.about)(shown.get()))}
            </p>
        </div>
        <p class="layers__formula" data-testid=format!("{key}-formula")>
            <code>{move || words.with_value(|words| (words.formula)(shown.get()))}</code>
        </p>
    }
    .into_any()
}

/// The button of a stage, from 1; pressed again, it shows what is there before the first.
fn stage_button(
    names: StageNames,
    shown: Memo<usize>,
    stage: usize,
    of: StageButton,
    go: impl Fn(usize) + Copy + 'static,
) -> AnyView {
    let id = format!("{}-{stage}", names.key);
    let is_shown = Memo::new(move |_| shown.get() == stage);
    let is_done = Memo::new(move |_| names.marks_done && stage < shown.get());
    // One of them can be reached by Tab.
    let is_reached = Memo::new(move |_| shown.get().max(1) == stage);
    view! {
        <button class="layer" class:layer--begins=of.begins class:layer--done=is_done type="button" id=id.clone()
            data-testid=id aria-pressed=move || is_shown.get().to_string()
            tabindex=move || if is_reached.get() { "0" } else { "-1" }
            on:click=move |_| go(if is_shown.get_untracked() { 0 } else { stage })>
            <span class="layer__name">{of.name}</span>
            <span class="layer__sign" aria-hidden="true">{of.short}</span>
        </button>
    }
    .into_any()
}

/// Previous, play and next, and a slider over all stages.
fn scrubber(
    names: StageNames,
    shown: Memo<usize>,
    last: usize,
    words: StoredValue<StageWords>,
    go: impl Fn(usize) + Copy + Send + Sync + 'static,
) -> AnyView {
    let key = names.key;
    let (plays, clock) = (RwSignal::new(false), StoredValue::new(None::<IntervalHandle>));
    let stop = move || {
        if let Some(clock) = clock.try_update_value(Option::take).flatten() {
            clock.clear();
        }
        plays.try_set(false);
    };
    on_cleanup(stop);
    let advance = move || match shown.try_get_untracked().and_then(|stage| after(last, stage)) {
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
            {button(&format!("{key}-previous"), names.previous, Box::new(move || shown.get() == 0),
                Box::new(move || by_hand(shown.get_untracked().saturating_sub(1))))}
            <button class="button" type="button" data-testid=format!("{key}-play")
                aria-pressed=move || plays.get().to_string() on:click=move |_| play()>
                {move || if plays.get() { names.pause } else { names.play }}
            </button>
            {button(&format!("{key}-next"), names.next, Box::new(move || shown.get() >= last),
                Box::new(move || by_hand(shown.get_untracked() + 1)))}
            <input class="knob__slider layers__slider" type="range" min="0" max=last.to_string() step="1"
                data-testid=format!("{key}-slider") aria-label=names.shown
                aria-valuetext=move || words.with_value(|words| (words.heading)(shown.get()))
                prop:value=move || shown.get().to_string()
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
