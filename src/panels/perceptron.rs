//! The panel of the perceptron lab: theory for the run, and a slider for the number of examples per weight.

use leptos::prelude::*;

use crate::panel::{LabPanel, PageSection};
use vivarium_labs::perceptron::PerceptronLab;
use vivarium_labs::perceptron::probes::teacher_task;
use vivarium_labs::perceptron::theory::{ALPHA_RANGE, describe_hebb, describe_run};
use vivarium_ui::context::RunContext;
use vivarium_ui::slider::slider;
use vivarium_ui::text::element_text;

impl LabPanel for PerceptronLab {
    fn help(&self) -> &'static str {
        tr!(
            "A student network gets vectors of random signs as inputs and learns to answer like a linear teacher. If the inputs have many components, the overlap of the student's weights with the teacher's weights determines how often the student is wrong. Hebb's rule adds the label times the input to the weights, for one example after the other. For this rule, theory predicts the overlap and the error at every step."
        )
    }

    fn draw(&self, section: PageSection) -> Option<AnyView> {
        match section {
            PageSection::Theory => Some(draw_theory_card()),
            _ => None,
        }
    }
}

/// Draws the card about student and teacher: the overlap of their weights and the error that theory predicts; for runs
/// with a teacher.
fn draw_theory_card() -> AnyView {
    let context = RunContext::here();
    let is_lab = context.memo(|run| teacher_task(run.spec()).is_some());
    (move || {
        is_lab.get().then(|| {
            let texts = context.memo(describe_run);
            let alpha = RwSignal::new(20u32);
            let item = |text: String| view! { <li prop:textContent=text></li> };
            view! {
                <section class="inside" aria-labelledby="teacher-title" data-testid="teacher">
                    <h2 class="inside__title" id="teacher-title">{tr!("Student and teacher")}</h2>
                    <section class="card" aria-label=tr!("Theory")>
                        <ul class="theory__texts">{move || texts.get().into_iter().map(item).collect_view()}</ul>
                        {slider("teacher-alpha", tr!("Examples per weight α"), ALPHA_RANGE, alpha, |alpha| alpha.to_string())}
                        <p class="card__note" data-testid="teacher-summary"
                            prop:textContent=element_text(move || describe_hebb(alpha.get()))></p>
                    </section>
                </section>
            }
        })
    })
    .into_any()
}
