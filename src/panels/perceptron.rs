//! What only this lab shows on the page: theory beside the run, and a slider for the examples that theory is told.

use leptos::prelude::*;

use crate::panel::{LabPanel, Place};
use vivarium_labs::perceptron::PerceptronLab;
use vivarium_labs::perceptron::probes::task;
use vivarium_labs::perceptron::theory::{ALPHAS, about, after};
use vivarium_ui::context::RunContext;
use vivarium_ui::slider::slider;

impl LabPanel for PerceptronLab {
    fn help(&self) -> &'static str {
        tr!(
            "A student network gets vectors of random signs as inputs and learns to answer like a linear teacher. If the inputs have many components, the overlap of the student's weights with the teacher's weights determines how often the student is wrong. Hebb's rule adds the label times the input to the weights, for one example after the other. For this rule, theory predicts the overlap and the error at every step."
        )
    }

    fn draw(&self, place: Place) -> Option<AnyView> {
        match place {
            Place::Theory => Some(theory()),
            _ => None,
        }
    }
}

/// The card of theory, for runs with a teacher.
fn theory() -> AnyView {
    let context = RunContext::here();
    let is_lab = context.memo(|run| task(run.spec()).is_some());
    (move || {
        is_lab.get().then(|| {
            let texts = context.memo(about);
            let alpha = RwSignal::new(20u32);
            let item = |text: String| view! { <li>{text}</li> };
            view! {
                <section class="inside" aria-labelledby="teacher-title" data-testid="teacher">
                    <h2 class="inside__title" id="teacher-title">{tr!("Student and teacher")}</h2>
                    <section class="card" aria-label=tr!("Theory")>
                        <ul class="theory__texts">{move || texts.get().into_iter().map(item).collect_view()}</ul>
                        {slider("teacher-alpha", tr!("Examples per weight α"), ALPHAS, alpha, |alpha| alpha.to_string())}
                        <p class="card__note" data-testid="teacher-after">{move || after(alpha.get())}</p>
                    </section>
                </section>
            }
        })
    })
    .into_any()
}
