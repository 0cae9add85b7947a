//! What is shown and on which axes: a row of switches above the charts.

use leptos::prelude::*;
use vivarium_view::display::charts::ChartOfRun;

use crate::charts::curves::Gaze;
use crate::store::Store;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::Counted;
use vivarium_page::charts::viewport::ViewportAction;
use vivarium_page::settings::form::{COUNT_KEY, SMOOTH_KEY};
use vivarium_page::state::Action;

/// A button that is on or off.
#[component]
fn Switch(
    /// Name for tests.
    testid: String,
    /// Word on it.
    word: &'static str,
    /// What it is about, or why it cannot be used now.
    hint: Signal<String>,
    /// Whether it is on.
    on: Memo<bool>,
    /// Whether it does nothing now. It stays within reach of the keyboard, so that its reason does too.
    idle: Signal<bool>,
    /// What happens.
    press: Action,
) -> impl IntoView {
    let store = Store::here();
    view! {
        <button class="switch" type="button" data-testid=testid title=hint
            aria-pressed=move || on.get().to_string() aria-disabled=move || idle.get().to_string()
            on:click=move |_| store.act(press.clone())>
            {word}
        </button>
    }
    .into_any()
}

/// Shows a chart, or hides it.
#[component]
fn ChartSwitch(
    /// The chart.
    chart: Chart,
) -> impl IntoView {
    let store = Store::here();
    let about = chart.info();
    let on = store.memo(move |state| state.run.link.view.show.contains(&chart));
    let reason = store.memo(move |state| chart.applies(&state.run).err());
    let hint = Signal::derive(move || match reason.get() {
        Some(why) => format!("{}: {why}", about.name),
        None => format!("{}: {}", about.name, about.help),
    });
    // One that the link asked for can always be hidden.
    let idle = Signal::derive(move || !on.get() && reason.with(Option::is_some));
    let testid = format!("show-{}", about.slug);
    view! { <Switch testid word=about.word hint on idle press=Action::ToggleChart(chart) /> }
}

/// Makes the axis of every curve logarithmic, or linear.
#[component]
fn AxisSwitch(
    /// The axis's key in the link.
    key: &'static str,
    /// Word on it.
    word: &'static str,
    /// What it is about.
    hint: &'static str,
) -> impl IntoView {
    let on = Store::here().memo(move |state| state.is_log(key));
    let (hint, idle) = (Signal::derive(move || hint.to_string()), Signal::derive(|| false));
    view! { <Switch testid=format!("log-{key}") word hint on idle press=Action::ToggleAxis(key) /> }
}

/// Has the axis of the steps count the examples that were trained on.
fn counting() -> AnyView {
    let store = Store::here();
    let on = store.memo(|state| state.run.link.view.counted == Counted::Examples);
    let hint = Signal::derive(|| {
        tr!("The horizontal axis of the curves counts training examples instead of training steps.")
            .to_string()
    });
    let (word, idle) = (tr!("Examples"), Signal::derive(|| false));
    view! { <Switch testid="count-examples".to_string() word hint on idle press=Action::ToggleAxis(COUNT_KEY) /> }
        .into_any()
}

/// Lets a drag select steps to be shown, and shows the whole run again.
fn zoom() -> AnyView {
    let (store, selects) = (Store::here(), Gaze::here().selects);
    let is_whole = store.memo(|state| state.viewing.zoom.is_none());
    view! {
        <button class="switch" class:gone=move || !is_whole.get() type="button" data-testid="zoom" aria-pressed=move || selects.get().to_string()
            title=tr!("Drag over the curves to show only the selected steps. You can also zoom with Shift and drag, with Ctrl and the mouse wheel, or with the + key on a chart")
            on:click=move |_| selects.update(|selects| *selects = !*selects)>
            {tr!("Zoom")}
        </button>
        <button class="switch" class:gone=is_whole type="button" data-testid="whole-run"
            title=tr!("Show all steps again. You can also double-click the curves, or press the 0 key on a chart")
            on:click=move |_| store.act(Action::ViewportAction(ViewportAction::Whole))>
            {tr!("Whole run")}
        </button>
    }
    .into_any()
}

/// How smooth the curves are.
fn smoothing() -> AnyView {
    let store = Store::here();
    let value = store.memo(|state| state.run.link.view.smooth.to_string());
    let at = store.memo(|state| format!("{}%", state.run.link.view.smooth * 100.0));
    let locked = store.memo(|state| state.run.link.locks(SMOOTH_KEY));
    view! {
        <label class="switches__smooth" title=tr!("Draws a moving average of each curve; the measurements stay visible in a pale colour. Move the slider to the right for a smoother curve")>
            {tr!("Smooth")}
            <input class="knob__slider" type="range" min="0" max="0.99" step="0.01" data-testid="smooth"
                aria-label=tr!("Smoothing") disabled=locked prop:value=value
                style:--at=at
                on:input=move |event| store.act(Action::Edit(SMOOTH_KEY.into(), event_target_value(&event))) />
        </label>
    }
    .into_any()
}

/// A switch for every chart of the catalogue, and two for the axes.
#[component]
pub fn Toolbar() -> impl IntoView {
    // Those of another lab would only be in the way; one that the link asked for can be hidden.
    let offered = Store::here().memo(|state| {
        let form = state.run.spec().task.examples().form();
        let suits = |chart: &Chart| chart.form().is_none_or(|of| form.is_a(of));
        let shown = |chart: &Chart| state.run.link.view.show.contains(chart);
        // What is not known yet keeps its place: it would move all others when it comes.
        let applies = |chart: &Chart| state.run.lazy().is_none() || chart.applies(&state.run).is_ok();
        let all = Chart::ALL.iter().copied().filter(|chart| suits(chart) || shown(chart));
        all.partition::<Vec<_>, _>(|chart| shown(chart) || applies(chart))
    });
    let is_unfolded = RwSignal::new(false);
    let folded = move || offered.with(|(_, others)| others.len());
    let others = move || match is_unfolded.get() {
        true => offered.with(|(_, others)| others.clone()),
        false => vec![],
    };
    view! {
        <div class="switches" role="group" aria-label=tr!("Charts") data-testid="toolbar">
            {move || offered.with(|(these, _)| these.clone()).into_iter().map(|chart| view! { <ChartSwitch chart /> }).collect_view()}
            <button class="switch" class:gone=move || folded() == 0 type="button" data-testid="more-charts"
                title=tr!("Charts that do not apply to these settings, each with the reason")
                aria-expanded=move || is_unfolded.get().to_string()
                on:click=move |_| is_unfolded.update(|is_unfolded| *is_unfolded = !*is_unfolded)>
                {move || tr!("More charts: {count}", count = folded())}
            </button>
            {move || others().into_iter().map(|chart| view! { <ChartSwitch chart /> }).collect_view()}
            <span class="switches__axes">
                <AxisSwitch key="x" word=tr!("Log x")
                    hint=tr!("Logarithmic axis of the steps. On this axis, both early memorisation and late generalisation can be seen.") />
                <AxisSwitch key="y" word=tr!("Log y")
                    hint=tr!("Logarithmic axis of the values. Accuracy is drawn as error, 1 − accuracy; values that can be negative keep a linear axis.") />
                {counting()}
                {zoom()}
                {smoothing()}
            </span>
        </div>
    }
    .into_any()
}
