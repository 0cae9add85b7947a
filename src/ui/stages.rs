//! A player for the stages of a computation: a button per stage, arrow keys, playback, a slider, and texts on the
//! current stage.

use std::time::Duration;

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use crate::browser::element_by_id;
use crate::button::button;
use crate::text::element_text;
use vivarium_view::ui::stage::{StageButton, StageNames, next_stage};

/// Time for which playback shows each stage of a computation, such as a transformer layer, before the next one.
const STAGE_DURATION: Duration = Duration::from_millis(1200);

/// Texts on a stage of a computation, by the stage's number from 1; number 0 is the state before the first stage.
pub struct StageTexts {
    /// Returns the heading of the stage with this number, counted from 1; 0 is the state before the first stage.
    pub heading: Box<dyn Fn(usize) -> String + Send + Sync>,
    /// Returns the explanation of the stage with this number, counted from 1; 0 is the state before the first stage.
    pub about: Box<dyn Fn(usize) -> String + Send + Sync>,
    /// Returns the formula that the stage with this number computes; counted from 1, 0 is the state before the first
    /// stage.
    pub formula: Box<dyn Fn(usize) -> String + Send + Sync>,
}

/// Buttons (`buttons`, one per stage), playback and texts for the stages of a computation; `shown` is the number of the
/// selected stage, `go` selects a stage by its number, 0 for the state before the first.
pub fn stage_player(
    names: StageNames,
    buttons: Vec<StageButton>,
    words: StageTexts,
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
        if let Some(button) = element_by_id(&format!("{key}-{to}")) {
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
        <div class="layers__text" role="status">
            <h3 class="card__name" data-testid=format!("{key}-heading")
                prop:textContent=element_text(move || words.with_value(|words| (words.heading)(shown.get())))></h3>
            <p class="card__text" data-testid=format!("{key}-about")
                prop:textContent=element_text(move || words.with_value(|words| (words.about)(shown.get())))></p>
        </div>
        <p class="layers__formula" data-testid=format!("{key}-formula")>
            <code translate="no" prop:textContent=element_text(move || words.with_value(|words| (words.formula)(shown.get())))></code>
        </p>
    }
    .into_any()
}

/// Button that selects stage number `stage`, from 1; if that stage is `shown` already, a click selects 0, the state
/// before the first stage.
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
        <button class="layer" class:layer--group-start=of.begins class:layer--applied=is_done type="button" id=id.clone()
            data-testid=id aria-pressed=move || is_shown.get().to_string()
            tabindex=move || if is_reached.get() { "0" } else { "-1" }
            on:click=move |_| go(if is_shown.get_untracked() { 0 } else { stage })>
            <span class="layer__name" prop:textContent=of.name></span>
            <span class="layer__symbol" aria-hidden="true" translate="no">{of.short}</span>
        </button>
    }
    .into_any()
}

/// Buttons for previous, play and next, and a slider over the stages 0 to `last`, where 0 is the state before the first
/// stage; `shown` is the selected stage, `go` selects another one. `names` has the labels of buttons and slider,
/// `words` the headings of the stages, which screen readers announce.
fn scrubber(
    names: StageNames,
    shown: Memo<usize>,
    last: usize,
    words: StoredValue<StageTexts>,
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
    let advance = move || match shown.try_get_untracked().and_then(|stage| next_stage(last, stage)) {
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
        clock.set_value(set_interval_with_handle(advance, STAGE_DURATION).ok());
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
                aria-pressed=move || plays.get().to_string() on:click=move |_| play()
                prop:textContent=element_text(move || if plays.get() { names.pause } else { names.play })></button>
            {button(&format!("{key}-next"), names.next, Box::new(move || shown.get() >= last),
                Box::new(move || by_hand(shown.get_untracked() + 1)))}
            <input class="setting__slider layers__slider" type="range" min="0" max=last.to_string() step="1"
                data-testid=format!("{key}-slider") aria-label=names.shown
                aria-valuetext=move || words.with_value(|words| (words.heading)(shown.get()))
                prop:value=move || shown.get().to_string()
                style:--filled=move || format!("{}%", 100 * shown.get() / last)
                on:input=move |event| {
                    if let Ok(stage) = event_target_value(&event).parse::<usize>() {
                        by_hand(stage);
                    }
                } />
        </div>
    }
    .into_any()
}
