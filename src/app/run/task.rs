//! The task of the run: a sentence, and one example with the network's current answer.
//!
//! # Why
//! The sentence is part of the first paint. Examples are drawn and described by the lab, which is in the second
//! program; their space is reserved, so that nothing below moves.

use leptos::prelude::*;

use crate::store::Store;
use vivarium_core::language::translated;
use vivarium_labs::answers::example_count;
use vivarium_ui::text::element_text;
use vivarium_view::display::HeldOutExample;

/// The task of the run with an example, above the charts.
#[component]
pub fn Task() -> impl IntoView {
    let store = Store::here();
    let about = store.memo(|state| state.player.run.lab().about(state.player.run.spec()));
    let run = store.memo(|state| state.player.run.run_count);
    // Whether there are examples hangs on the settings alone, and is asked once for a run.
    let count = Memo::new(move |_| {
        run.track();
        store.peek(|state| example_count(&state.player.run))
    });
    // Another run begins with its first example.
    let chosen = RwSignal::new((0, 0));
    let at = Memo::new(move |_| match (chosen.get(), count.get()) {
        ((of, at), count) if of == run.get() && count > 0 => at % count,
        _ => 0,
    });
    let answer_version = store.memo(|state| {
        let run = &state.player.run;
        let answers = run.lab().answer_probe().and_then(|probe| run.latest_results.get(&probe.id()));
        // Some answers are computed here from what was found, in parts: what is looked into is counted then.
        (
            run.run_count,
            run.lazy_lab().is_some(),
            run.relevant.len(),
            answers.map(|(step, _)| *step),
            run.view_changes,
        )
    });
    let example = Memo::new(move |_| {
        let at = at.get();
        answer_version.track();
        let has_any = count.get() > 0;
        store.peek(|state| {
            let lab = state.player.run.lazy_lab().filter(|_| has_any);
            lab.and_then(|lab| (lab.example)(&state.player.run, at)).unwrap_or_default()
        })
    });
    let next = move |_| chosen.set((run.get_untracked(), at.get_untracked() + 1));
    let part = move |of: fn(&HeldOutExample) -> &String| {
        element_text(move || example.with(|example| of(example).clone()))
    };
    let [has_any, has_more] = [0, 1].map(|than| Memo::new(move |_| count.get() > than));
    view! {
        <section class="task" aria-labelledby="task-title" data-testid="task">
            <h2 class="task__title" id="task-title">{tr!("The task")}</h2>
            // Markup: `Store::explained`, which escapes texts.
            <p class="task__about" inner_html=move || store.explained(translated(about.get()))></p>
            {move || has_any.get().then(|| view! {
                <div class="task__example">
                    <p>
                        <span data-testid="task-input" prop:textContent=part(|one| &one.input)></span>
                        " "
                        <span data-testid="task-label" prop:textContent=part(|one| &one.label)></span>
                        " "
                        <span data-testid="task-answer" prop:textContent=part(|one| &one.answer)></span>
                    </p>
                    {move || has_more.get().then(|| view! {
                        <button class="button" type="button" data-testid="task-next" on:click=next>
                            {tr!("Another example")}
                        </button>
                    })}
                </div>
            })}
        </section>
    }
    .into_any()
}
