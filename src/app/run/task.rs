//! What there is to learn: a sentence, and one example with the network's present answer.
//!
//! # Why
//! The sentence is there with the first picture. Examples are drawn and put into words by the lab, which comes with the second
//! program; their place is kept free, so that nothing below moves.

use leptos::prelude::*;

use crate::store::Store;
use vivarium_core::language::translated;
use vivarium_labs::answers::count;
use vivarium_view::display::Example;

/// The task of the run, above its charts.
#[component]
pub fn Task() -> impl IntoView {
    let store = Store::here();
    let about = store.memo(|state| state.run.lab().about(state.run.spec()));
    let run = store.memo(|state| state.run.runs);
    // Whether there are examples hangs on the settings alone, and is asked once for a run.
    let many = Memo::new(move |_| {
        run.track();
        store.peek(|state| count(&state.run))
    });
    // Another run begins with its first example.
    let chosen = RwSignal::new((0, 0));
    let at = Memo::new(move |_| match (chosen.get(), many.get()) {
        ((of, at), many) if of == run.get() && many > 0 => at % many,
        _ => 0,
    });
    let news = store.memo(|state| {
        let run = &state.run;
        let found = run.lab().answers().and_then(|probe| run.found.get(&probe.id()));
        // Some answers are computed here from what was found, in parts: what is looked into is counted then.
        (run.runs, run.lazy().is_some(), run.relevant.len(), found.map(|(step, _)| *step), run.looked)
    });
    let example = Memo::new(move |_| {
        let at = at.get();
        news.track();
        let has_any = many.get() > 0;
        store.peek(|state| {
            let lab = state.run.lazy().filter(|_| has_any);
            lab.and_then(|lab| lab.example(&state.run, at)).unwrap_or_default()
        })
    });
    let next = move |_| chosen.set((run.get_untracked(), at.get_untracked() + 1));
    let part = move |of: fn(&Example) -> &String| move || example.with(|example| of(example).clone());
    let [has_any, has_more] = [0, 1].map(|than| Memo::new(move |_| many.get() > than));
    view! {
        <section class="task" aria-labelledby="task-title" data-testid="task">
            <h2 class="task__title" id="task-title">{tr!("The task")}</h2>
            // Markup: `Store::explained`, which escapes texts.
            <p class="task__about" inner_html=move || store.explained(translated(about.get()))></p>
            {move || has_any.get().then(|| view! {
                <div class="task__example">
                    <p>
                        <span data-testid="task-given">{part(|one| &one.given)}</span>
                        " "
                        <span data-testid="task-label">{part(|one| &one.label)}</span>
                        " "
                        <span data-testid="task-answer">{part(|one| &one.answer)}</span>
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
