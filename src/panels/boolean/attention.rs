//! Buttons that choose an attention head for the chart of attention on relevant bits.

use leptos::prelude::*;

use vivarium_labs::boolean::attention::{head_count, relevant_attention_by_head, selected_head};
use vivarium_model::tasks::sparse_boolean::charts as boolean_charts;
use vivarium_ui::context::RunContext;
use vivarium_view::display::words::format_percent;

/// Largest number of attention heads that get a button; further heads have none.
const MAX_HEADS: usize = 32;

/// Buttons that choose one attention head for the chart of attention on relevant bits; empty unless that chart is
/// shown.
#[component]
pub fn HeadChooser() -> impl IntoView {
    let context = RunContext::here();
    let count = context.memo(|run| match head_count(run) {
        heads if heads > 1 && run.link.view.show.contains(&boolean_charts::LOOKS) => heads.min(MAX_HEADS),
        _ => 0,
    });
    move || {
        let count = count.get();
        (count > 0).then(|| {
            let choices = (0..=count).map(|number| draw_head_button(context, number)).collect_view();
            view! {
                <section class="inside" aria-labelledby="attention-title" data-testid="attention-heads">
                    <h2 class="inside__title" id="attention-title">{tr!("Attention of each head")}</h2>
                    <section class="card" aria-label=tr!("Heads")>
                        <p class="card__note">
                            {tr!("Attention of each head on all relevant bits together, averaged over the examples of the chart “Attention, example by example”. Press the button of a head to see the dots of this head in the chart.")}
                        </p>
                        <div class="toolbar" role="group" aria-label=tr!("Head in the chart")>{choices}</div>
                    </section>
                </section>
            }
        })
    }
}

/// Draws the button of a head, numbered from 1, with the sum of its attention weights on the relevant bits; number 0
/// stands for the mean of all heads.
fn draw_head_button(context: RunContext, number: usize) -> AnyView {
    let text = context.memo(move |run| {
        let heads = relevant_attention_by_head(run);
        let share = match number {
            0 => heads.iter().sum::<f32>() / heads.len() as f32,
            head => heads.get(head - 1).copied().unwrap_or(f32::NAN),
        };
        let name =
            if number == 0 { tr!("Mean of all heads").to_string() } else { tr!("Head {number}", number) };
        format!("{name}: {}", format_percent(share))
    });
    let chosen = context.memo(move |run| {
        selected_head(run, relevant_attention_by_head(run).len()).map_or(0, |head| head + 1) == number
    });
    view! {
        <button class="switch" type="button" aria-pressed=move || chosen.get().to_string()
            data-testid=format!("attention-{number}")
            on:click=move |_| context.edit("head", number.to_string()) prop:textContent=text>
        </button>
    }
    .into_any()
}
