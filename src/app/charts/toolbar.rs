//! The toolbar above the charts: buttons for charts, axes and zoom.

use leptos::prelude::*;
use vivarium_ui::text::element_text;
use vivarium_view::display::charts::ChartOfRun;

use crate::charts::curves::PointerContext;
use crate::store::Store;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::StepAxisUnit;
use vivarium_page::charts::shown::chart_button_label;
use vivarium_page::charts::viewport::ViewportAction;
use vivarium_page::settings::form::{SMOOTHING_KEY, STEP_AXIS_KEY};
use vivarium_page::state::Action;

/// A button of the toolbar that is on or off.
#[component]
fn Switch(
    /// Test id.
    testid: String,
    /// Label.
    word: &'static str,
    /// Description, or why the button has no effect now.
    hint: Signal<String>,
    /// Whether the button is on.
    on: Memo<bool>,
    /// Whether the button has no effect now; it stays focusable, so that its reason can be read.
    idle: Signal<bool>,
    /// Action of the button.
    press: Action,
) -> impl IntoView {
    let store = Store::here();
    view! {
        <button class="switch" type="button" data-testid=testid title=hint
            aria-pressed=move || on.get().to_string() aria-disabled=move || idle.get().to_string()
            on:click=move |_| store.act(press.clone())
            prop:textContent=word></button>
    }
    .into_any()
}

/// A button that shows or hides a chart.
#[component]
fn ChartSwitch(
    /// The chart.
    chart: Chart,
    /// Label.
    word: &'static str,
) -> impl IntoView {
    let store = Store::here();
    let about = chart.info();
    let on = store.memo(move |state| state.player.run.link.view.show.contains(&chart));
    let reason = store.memo(move |state| chart.applies(&state.player.run).err());
    let hint = Signal::derive(move || match reason.get() {
        Some(why) => format!("{}: {why}", about.name),
        None => format!("{}: {}", about.name, about.help),
    });
    // One that the link asked for can always be hidden.
    let idle = Signal::derive(move || !on.get() && reason.with(Option::is_some));
    let testid = format!("show-{}", about.slug);
    view! { <Switch testid word hint on idle press=Action::ToggleChart(chart) /> }
}

/// A button that switches the horizontal or the vertical axis of all charts of curves between logarithmic and linear.
#[component]
fn AxisSwitch(
    /// Key of the axis in the link.
    key: &'static str,
    /// Label.
    word: &'static str,
    /// Description.
    hint: &'static str,
) -> impl IntoView {
    let on = Store::here().memo(move |state| state.is_log_axis(key));
    let (hint, idle) = (Signal::derive(move || hint.to_string()), Signal::derive(|| false));
    view! { <Switch testid=format!("log-{key}") word hint on idle press=Action::ToggleAxis(key) /> }
}

/// Creates the button that makes horizontal axes count training examples instead of steps.
fn counting() -> AnyView {
    let store = Store::here();
    let on = store.memo(|state| state.player.run.link.view.counted == StepAxisUnit::Examples);
    let hint = Signal::derive(|| {
        tr!("The horizontal axis of the curves counts training examples instead of training steps.")
            .to_string()
    });
    let (word, idle) = (tr!("Examples"), Signal::derive(|| false));
    view! { <Switch testid="count-examples".to_string() word hint on idle press=Action::ToggleAxis(STEP_AXIS_KEY) /> }
        .into_any()
}

/// Creates the buttons for selecting a range of steps and for showing all steps.
fn zoom() -> AnyView {
    let (store, selects) = (Store::here(), PointerContext::here().selects_range);
    let is_whole = store.memo(|state| state.viewport.zoom.is_none());
    view! {
        <button class="switch" class:not-displayed=move || !is_whole.get() type="button" data-testid="zoom" aria-pressed=move || selects.get().to_string()
            title=tr!("Drag over the curves to show only the selected steps. You can also zoom with Shift and drag, with Ctrl and the mouse wheel, or with the + key on a chart")
            on:click=move |_| selects.update(|selects| *selects = !*selects)>
            {tr!("Zoom")}
        </button>
        <button class="switch" class:not-displayed=is_whole type="button" data-testid="whole-run"
            title=tr!("Show all steps again. You can also double-click the curves, or press the 0 key on a chart")
            on:click=move |_| store.act(Action::Viewport(ViewportAction::ResetZoom))>
            {tr!("Whole run")}
        </button>
    }
    .into_any()
}

/// Creates the slider for the smoothing of curves.
fn smoothing() -> AnyView {
    let store = Store::here();
    let value = store.memo(|state| state.player.run.link.view.smooth.to_string());
    let at = store.memo(|state| format!("{}%", state.player.run.link.view.smooth * 100.0));
    let locked = store.memo(|state| state.player.run.link.locks(SMOOTHING_KEY));
    view! {
        <label class="toolbar__smoothing" title=tr!("Draws a moving average of each curve; the measurements stay visible in a pale colour. Move the slider to the right for a smoother curve")>
            {tr!("Smooth")}
            <input class="setting__slider" type="range" min="0" max="0.99" step="0.01" data-testid="smooth"
                aria-label=tr!("Smoothing") disabled=locked prop:value=value
                style:--filled=at
                on:input=move |event| store.act(Action::Edit(SMOOTHING_KEY.into(), event_target_value(&event))) />
        </label>
    }
    .into_any()
}

/// The toolbar: buttons for the charts, the axes and the zoom, and the smoothing.
#[component]
pub fn Toolbar() -> impl IntoView {
    // Those of another lab would only be in the way; one that the link asked for can be hidden.
    let offered = Store::here().memo(|state| {
        let form = state.player.run.spec().task.data().form();
        let suits = |chart: &Chart| chart.form().is_none_or(|of| form.counts_as(of));
        let shown = |chart: &Chart| state.player.run.link.view.show.contains(chart);
        // What is not known yet keeps its place: it would move all others when it comes.
        let applies =
            |chart: &Chart| state.player.run.lazy_lab().is_none() || chart.applies(&state.player.run).is_ok();
        let all = Chart::ALL.iter().copied().filter(|chart| suits(chart) || shown(chart));
        all.partition::<Vec<_>, _>(|chart| shown(chart) || applies(chart))
    });
    let is_unfolded = RwSignal::new(false);
    let folded = move || offered.with(|(_, others)| others.len());
    let switches = move |charts: &[Chart]| {
        let label = |chart| {
            offered.with(|(these, others)| chart_button_label(chart, these.iter().chain(others).copied()))
        };
        charts.iter().map(|chart| view! { <ChartSwitch chart=*chart word=label(*chart) /> }).collect_view()
    };
    let others = move || match is_unfolded.get() {
        true => offered.with(|(_, others)| others.clone()),
        false => vec![],
    };
    view! {
        <div class="toolbar" role="group" aria-label=tr!("Charts") data-testid="toolbar">
            {move || switches(&offered.with(|(these, _)| these.clone()))}
            <button class="switch" class:not-displayed=move || folded() == 0 type="button" data-testid="more-charts"
                title=tr!("Charts that do not apply to these settings, each with the reason")
                aria-expanded=move || is_unfolded.get().to_string()
                on:click=move |_| is_unfolded.update(|is_unfolded| *is_unfolded = !*is_unfolded)
                prop:textContent=element_text(move || tr!("More charts: {count}", count = folded()))></button>
            {move || switches(&others())}
            <span class="toolbar__axes">
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
