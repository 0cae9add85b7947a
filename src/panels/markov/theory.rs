//! The section on the theory of two gradient steps: settings, and charts that follow them immediately.

use leptos::prelude::*;

use crate::markov::context::PanelContext;
use vivarium_core::settings::Settings;
use vivarium_labs::markov::MarkovState;
use vivarium_model::models::Model;
use vivarium_plot::analysis::chains::parts;
use vivarium_plot::analysis::{Heatmap, Reading, theory};
use vivarium_science::markov::theory::TheorySettings;
use vivarium_ui::context::RunContext;
use vivarium_ui::dialog::fold;
use vivarium_ui::plot::Drawing;
use vivarium_ui::setting::Setting;
use vivarium_view::ui::field::Field;

/// Number of gradient steps, the last ones, for which the minimal model's attention vector v over distances is drawn.
const DRAWN_STEPS: usize = 3;

/// Section about the first gradient steps of the minimal attention model on Markov chains (Edelman 2024, section
/// 8.3.2), computed exactly; for runs on sequences, and open if the run trains that model.
#[component]
pub fn TwoStepTheory() -> impl IntoView {
    let context = RunContext::here();
    let lab = context.memo(|run| {
        run.lab_state::<MarkovState>().is_some().then(|| matches!(run.spec().model, Model::MinimalMarkov(_)))
    });
    move || {
        let is_minimal = lab.get()?;
        Some(fold("theory", tr!("The theory of two gradient steps"), is_minimal, move || {
            draw_explorer(context)
        }))
    }
}

/// Draws the settings, sentences and charts about the first gradient steps of the minimal attention model (Edelman
/// 2024, section 8.3.2).
fn draw_explorer(context: RunContext) -> AnyView {
    let panel = PanelContext::here();
    // As text, since texts are compared anyway.
    let taken = context.memo(|run| {
        let values = TheorySettings::SETTINGS.iter().filter_map(|setting| run.link.theory.value(setting.key));
        values.map(|value| value.to_string()).collect::<Vec<_>>().join(" ")
    });
    // While a slider is moved the theory follows at once, "tt=40"; the link changes when it is let go.
    let trial = RwSignal::new(None::<String>);
    Effect::new(move |_| {
        taken.get();
        trial.set(None);
    });
    let outcome = Memo::new(move |_| {
        taken.get();
        let mut settings = context.peek(|run| run.link.theory.clone());
        trial.with(|trial| {
            let (key, text) = trial.as_deref()?.split_once('=')?;
            let setting = TheorySettings::SETTINGS.iter().find(|setting| setting.key == key)?;
            settings.set(key, &setting.parse(text).ok()?).ok()
        });
        settings.compute()
    });
    let trained =
        move || panel.see(|chains, _| chains.minimal_parameters().map(|(_, v)| v.to_vec())).flatten();
    let is_trained = context.memo(|run| matches!(run.spec().model, Model::MinimalMarkov(_)));
    let lags = move || {
        outcome.with(|outcome| {
            let after: Vec<(usize, &[f64])> =
                outcome.models.iter().enumerate().map(|(step, theory)| (step, &theory.v[..])).collect();
            let last = &after[after.len().saturating_sub(DRAWN_STEPS)..];
            Reading::Lines(theory::lag_chart(last, trained().as_deref()))
        })
    };
    let kernel = move || {
        outcome.with(|outcome| {
            Reading::Grid(theory::kernel_heatmap(&outcome.last_model().w, outcome.models.len() - 1))
        })
    };
    let of_run = move || {
        let grid = panel.see(|chains, _| {
            Some(parts::kernel_heatmap(chains.task.symbols, chains.minimal_parameters()?.0))
        });
        let grid =
            Heatmap { title: tr!("Matrix W of this run").into(), ..grid.flatten().unwrap_or_default() };
        Reading::Grid(grid)
    };
    let moves = move || {
        outcome.with(|outcome| {
            Reading::Lines(theory::gradient_parts_chart(
                &outcome.uniform_lag_gradient,
                &outcome.diagonal_lag_gradient,
            ))
        })
    };
    let ratios = move || {
        outcome.with(|outcome| Reading::Lines(theory::diagonal_ratio_chart(&outcome.diagonal_ratios())))
    };
    let texts = move || outcome.with(|outcome| outcome.summary.clone());
    let drawing = move |testid, reading: Callback<(), Reading>, about: &'static str| {
        let label = move || format!("{about} {}", texts().join(" "));
        view! { <Drawing testid reading label=Signal::derive(label) /> }
    };
    let fields = TheorySettings::SETTINGS.iter().map(|setting| {
        let field = Field::of(setting);
        let key = field.key;
        view! { <Setting field trial=Callback::new(move |text: String| trial.set(Some(format!("{key}={text}")))) /> }
    });
    let fields = fields.collect_view();
    view! {
        <p class="card__note">
            {tr!("The charts show W and v of the minimal model with two symbols after a few exact gradient steps. The page computes these steps from a formula; no network is trained.")}
            {move || is_trained.get().then(|| view! { <span>{tr!(" The points show v of the network in this run.")}</span> })}
        </p>
        <div class="theory__parts">
            <div class="theory__settings">{fields}</div>
            <ul class="theory__texts" data-testid="theory-texts">
                {move || texts().into_iter().map(|text| view! { <li prop:textContent=text></li> }).collect_view()}
            </ul>
            <div class="theory__plots">
                {drawing("theory-v", Callback::new(move |()| lags()), tr!("Vector v by distance."))}
                {drawing("theory-parts", Callback::new(move |()| moves()), tr!("The two parts of the negative gradient of the loss with respect to v, by distance."))}
                {drawing("theory-w", Callback::new(move |()| kernel()), tr!("Matrix W by pair of symbols."))}
                {move || is_trained.get().then(|| {
                    drawing("theory-w-trained", Callback::new(move |()| of_run()), tr!("W of the network in this run."))
                })}
                {drawing("theory-ratio", Callback::new(move |()| ratios()), tr!("Mean of the diagonal of W divided by the mean of the other entries, by step."))}
            </div>
        </div>
    }
    .into_any()
}
