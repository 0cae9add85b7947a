//! The layers of one step: a button for each, a scrubber, and what the one that is shown does.

use std::time::Duration;

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::action::PanelAction;
use super::news::News;
use super::steps::{self, LayerButton};
use super::strip;
use crate::ui::browser::by_id;
use crate::ui::button::button;

/// Time for which each layer is shown while they are played, so that its words can be read.
const EACH: Duration = Duration::from_millis(1200);

/// The layers of a step on a network of so many layers.
pub(super) fn layers(news: News, count: usize) -> AnyView {
    let last = 2 * count + 4;
    let shown = Memo::new(move |_| news.see(|state, view| state.layer(view)).unwrap_or(0));
    let go = move |layer: usize| news.look(PanelAction::Layer(layer.min(last)));
    let words = move |of: fn(usize, usize) -> String| move || of(count, shown.get());
    let wiring = news.memo(|state, view| {
        steps::wiring(&state.transformer, &strip::parts(state.layout()), state.layer(view))
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
        if let Some(button) = by_id(&format!("layer-{to}")) {
            // Nothing else would have the focus if it failed.
            let _ = button.focus();
        }
    };
    let buttons = steps::buttons(count).into_iter().enumerate();
    let buttons = buttons.map(|(at, of)| layer_button(shown, at + 1, of, go)).collect_view();
    view! {
        <p class="card__text" data-testid="layer-step">
            {move || news.see(|state, _| steps::step(state.trace.step))}
        </p>
        <div class="layers" role="group" aria-label=tr!("Layers of the step") data-testid="layers" on:keydown=on_key>
            {buttons}
        </div>
        {scrubber(shown, count, go)}
        <div class="layers__words" role="status">
            <h3 class="card__name" data-testid="layer-heading">{words(steps::heading)}</h3>
            <p class="card__text" data-testid="layer-about">{words(steps::about)}</p>
        </div>
        <p class="layers__formula" data-testid="layer-formula">
            <code>{words(steps::formula)}</code>
        </p>
        <p class="card__note" data-testid="layer-wiring">{wiring}</p>
    }
    .into_any()
}

/// The button of a layer, from 1; pressed again, it shows the tokens before the step.
fn layer_button(
    shown: Memo<usize>,
    layer: usize,
    of: LayerButton,
    go: impl Fn(usize) + Copy + 'static,
) -> AnyView {
    let is_shown = Memo::new(move |_| shown.get() == layer);
    // One of them can be reached by Tab.
    let is_reached = Memo::new(move |_| shown.get().max(1) == layer);
    view! {
        <button class="layer" class:layer--begins=of.begins type="button" id=format!("layer-{layer}")
            data-testid=format!("layer-{layer}") aria-pressed=move || is_shown.get().to_string()
            tabindex=move || if is_reached.get() { "0" } else { "-1" }
            on:click=move |_| go(if is_shown.get_untracked() { 0 } else { layer })>
            <span class="layer__name">{of.name}</span>
            <span class="layer__sign" aria-hidden="true">{of.short}</span>
        </button>
    }
    .into_any()
}

/// Previous, play and next, and a slider over all layers.
fn scrubber(shown: Memo<usize>, count: usize, go: impl Fn(usize) + Copy + Send + Sync + 'static) -> AnyView {
    let last = 2 * count + 4;
    let (plays, clock) = (RwSignal::new(false), StoredValue::new(None::<IntervalHandle>));
    let stop = move || {
        if let Some(clock) = clock.try_update_value(Option::take).flatten() {
            clock.clear();
        }
        plays.try_set(false);
    };
    on_cleanup(stop);
    let advance = move || match shown.try_get_untracked().and_then(|layer| steps::after(count, layer)) {
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
    let by_hand = move |layer: usize| {
        stop();
        go(layer);
    };
    view! {
        <div class="layers__scrub">
            {button("layer-previous", tr!("Previous layer"), Box::new(move || shown.get() == 0),
                Box::new(move || by_hand(shown.get_untracked().saturating_sub(1))))}
            <button class="button" type="button" data-testid="layer-play" aria-pressed=move || plays.get().to_string()
                on:click=move |_| play()>
                {move || if plays.get() { tr!("Pause the layers") } else { tr!("Play the layers") }}
            </button>
            {button("layer-next", tr!("Next layer"), Box::new(move || shown.get() >= last),
                Box::new(move || by_hand(shown.get_untracked() + 1)))}
            <input class="knob__slider layers__slider" type="range" min="0" max=last.to_string() step="1"
                data-testid="layer-slider" aria-label=tr!("Layer that is shown")
                aria-valuetext=move || steps::heading(count, shown.get()) prop:value=move || shown.get().to_string()
                style:--at=move || format!("{}%", 100 * shown.get() / last)
                on:input=move |event| {
                    if let Ok(layer) = event_target_value(&event).parse::<usize>() {
                        by_hand(layer);
                    }
                } />
        </div>
    }
    .into_any()
}
