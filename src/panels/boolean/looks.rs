//! The heads of a network on bits that is read at one place, to choose one for the chart of where it looks.

use leptos::prelude::*;

use vivarium_labs::boolean::looks::{head, heads, of_heads};
use vivarium_model::tasks::sparse_boolean::charts as boolean_charts;
use vivarium_ui::context::RunContext;
use vivarium_view::display::words::percent;

/// Heads that a link can name.
const MOST_HEADS: usize = 32;

/// The heads of a network that is read at `[CLS]`, to choose one for the chart of looks; where that chart is shown.
#[component]
pub fn Looks() -> impl IntoView {
    let context = RunContext::here();
    let count = context.memo(|run| match heads(run) {
        heads if heads > 1 && run.link.view.show.contains(&boolean_charts::LOOKS) => heads.min(MOST_HEADS),
        _ => 0,
    });
    move || {
        let count = count.get();
        (count > 0).then(|| {
            let choices = (0..=count).map(|number| choice(context, number)).collect_view();
            view! {
                <section class="inside" aria-labelledby="looks-title" data-testid="looks-heads">
                    <h2 class="inside__title" id="looks-title">{tr!("Attention of each head")}</h2>
                    <section class="card" aria-label=tr!("Heads")>
                        <p class="card__note">
                            {tr!("Attention of each head on all relevant bits together, averaged over the examples of the chart “Attention, example by example”. Press the button of a head to see the dots of this head in the chart.")}
                        </p>
                        <div class="switches" role="group" aria-label=tr!("Head in the chart")>{choices}</div>
                    </section>
                </section>
            }
        })
    }
}

/// The button of a head, counted from 1; 0 stands for all of them.
fn choice(context: RunContext, number: usize) -> AnyView {
    let said = context.memo(move |run| {
        let heads = of_heads(run);
        let share = match number {
            0 => heads.iter().sum::<f32>() / heads.len() as f32,
            head => heads.get(head - 1).copied().unwrap_or(f32::NAN),
        };
        let name =
            if number == 0 { tr!("Mean of all heads").to_string() } else { tr!("Head {number}", number) };
        format!("{name}: {}", percent(share))
    });
    let chosen = context.memo(move |run| head(run, of_heads(run).len()).map_or(0, |head| head + 1) == number);
    view! {
        <button class="switch" type="button" aria-pressed=move || chosen.get().to_string()
            data-testid=format!("looks-{number}")
            on:click=move |_| context.edit("head", number.to_string())>
            {said}
        </button>
    }
    .into_any()
}
