//! The charts of networks on sequences.

use super::gradients;
use super::own_network::{attention_layers, check_traceable};
use super::probes::{ABLATION, PARAMETERS};
use super::state::{MarkovState, Predictor};
use super::swaps::{LayerSwaps, check_has_swaps};
use super::texts::describe_chart;
use vivarium_model::models::Model;
use vivarium_model::models::attention_only::Positions;
use vivarium_model::tasks::markov::charts;
use vivarium_plot::analysis::chains::curves;
use vivarium_plot::analysis::chains::looks::{self, HeadAttention};
use vivarium_plot::analysis::chains::parts;
use vivarium_plot::analysis::{BarChart, Heatmap, LineChart, Reading, theory};
use vivarium_science::markov::Strategy;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{
    ChartDependency, ChartSpec, add_step_marks, last_solved_step, target_mark,
};
use vivarium_view::display::words::format_significant;

/// Maximum number of training steps in the chart of the minimal model's theory: only the last steps that the theory
/// computes are drawn.
const MAX_THEORY_STEPS: usize = 3;

/// Charts of the lab on Markov chains, in the order of the chart menu.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::TRUTH, draw_kl_to_truth)
        .summary(|run| describe_chart(charts::TRUTH, run))
        .depends_on(ChartDependency::Measurements)
        .uses_measurements_only()
        .with_other_runs(),
    ChartSpec::new(charts::STRATEGIES, |run| {
        draw_curves(run, |chains| curves::strategy_kl_chart(&run.history, chains.task.order))
    })
    .summary(|run| describe_chart(charts::STRATEGIES, run))
    .depends_on(ChartDependency::Measurements)
    .uses_measurements_only(),
    ChartSpec::new(charts::SCORES, |run| {
        let mut lines = add_step_marks(curves::head_score_chart(&run.history), run);
        // Scores can be 0, which a logarithmic axis cannot show.
        lines.log_y = false;
        Reading::Lines(lines)
    })
    .applies(check_has_scores)
    .summary(|run| describe_chart(charts::SCORES, run))
    .depends_on(ChartDependency::Measurements)
    .uses_measurements_only(),
    ChartSpec::new(charts::MAP, |run| {
        Reading::Grid(run.lab_state().map(|chains| draw_attention(run, chains)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .applies(|run| check_has_heads(run).and_then(|()| check_traceable(run.spec())))
    .title(attention_title)
    .summary(|run| describe_chart(charts::MAP, run))
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::DISTANCES, |run| {
        draw_curves(run, |chains| parts::distance_chart(chains.distances.iter()))
    })
    .probe(PARAMETERS)
    .applies(check_has_distances)
    .summary(|run| describe_chart(charts::DISTANCES, run)),
    ChartSpec::new(charts::ABLATION, |run| {
        Reading::Bars(run.lab_state().map(draw_ablation).unwrap_or_default())
    })
    .probe(ABLATION)
    .applies(check_has_heads)
    .summary(|run| describe_chart(charts::ABLATION, run)),
    ChartSpec::new(charts::OTHERS, |run| {
        draw_curves(run, |_| curves::kl_by_distribution_chart(&run.history))
    })
    .applies(|run| match run.lab_state().is_some_and(|chains: &MarkovState| chains.task.order > 2) {
        true => Err(tr!("This chart needs chains of order 2.").into()),
        false => Ok(()),
    })
    .summary(|run| describe_chart(charts::OTHERS, run))
    .depends_on(ChartDependency::Measurements)
    .uses_measurements_only(),
    ChartSpec::new(charts::GRADIENTS, |run| {
        Reading::Lines(add_step_marks(gradients::draw_gradients(run), run))
    })
    .probe(gradients::GRADIENTS)
    .summary(|run| Some(gradients::describe_gradients(run))),
    ChartSpec::new(charts::SWAPS, |run| {
        let swaps = run.lab_state().and_then(|chains: &MarkovState| chains.swaps.as_ref());
        Reading::Grid(swaps.map(LayerSwaps::draw).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .applies(|run| check_has_swaps(run.spec()))
    .summary(|run| Some(run.lab_state::<MarkovState>()?.swaps.as_ref()?.describe())),
    ChartSpec::new(charts::KERNEL, |run| Reading::Grid(draw_kernel(run).unwrap_or_default()))
        .probe(PARAMETERS)
        .applies(check_is_minimal)
        .summary(|run| describe_chart(charts::KERNEL, run)),
    ChartSpec::new(charts::LAGS, |run| Reading::Bars(draw_lags(run).unwrap_or_default()))
        .probe(PARAMETERS)
        .applies(check_is_minimal)
        .summary(|run| describe_chart(charts::LAGS, run)),
    ChartSpec::new(charts::NEXT, |run| {
        Reading::Grid(run.lab_state().map(|chains| draw_next_symbol(run, chains)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .summary(|run| describe_chart(charts::NEXT, run))
    .depends_on(ChartDependency::Sequence),
    ChartSpec::new(charts::THEORY, |run| draw_curves(run, draw_theory))
        .probe(PARAMETERS)
        .applies(check_is_minimal)
        .summary(|run| describe_chart(charts::THEORY, run))
        .depends_on(ChartDependency::Sequence),
];

/// Returns an error message if the network has no attention heads, so that no chart of attention can be drawn.
fn check_has_heads(run: &RunView) -> Result<(), String> {
    match attention_layers(run.spec()).is_empty() {
        true => Err(tr!("This network has no heads.").into()),
        false => Ok(()),
    }
}

/// Returns an error message if training does not measure the scores of attention heads.
fn check_has_scores(run: &RunView) -> Result<(), String> {
    check_has_heads(run)?;
    match run.spec().model.config().heads().is_empty() {
        true => Err(tr!("The scores of heads are not measured in a network of your own.").into()),
        false => Ok(()),
    }
}

/// Returns an error message if the network encodes absolute positions instead of distances.
fn check_has_distances(run: &RunView) -> Result<(), String> {
    match &run.spec().model {
        Model::AttentionOnly(net) if net.positions == Positions::Absolute => {
            Err(tr!("This chart needs a network with relative positions.").into())
        }
        Model::OwnNetwork(_) => Err(tr!("This chart is not available for a network of your own.").into()),
        _ => Ok(()),
    }
}

/// Returns an error message unless the network is the minimal model of Edelman 2024, equation 8.8, with a matrix W over
/// symbols and a vector v over distances.
fn check_is_minimal(run: &RunView) -> Result<(), String> {
    match &run.spec().model {
        Model::MinimalMarkov(_) => Ok(()),
        _ => Err(tr!("This chart needs the minimal model.").into()),
    }
}

/// Line chart that `draw` makes from the state of the run, with the run's vertical step marks if the x-axis is the
/// step; empty axes without a state.
fn draw_curves(run: &RunView, draw: impl FnOnce(&MarkovState) -> LineChart) -> Reading {
    let lines = run.lab_state().map(draw).unwrap_or_default();
    Reading::Lines(if lines.is_over_steps() { add_step_marks(lines, run) } else { lines })
}

/// Draws the KL divergence from the true next-symbol distribution to the network's prediction against steps, with
/// horizontal lines for each reference strategy and the Bayes-optimal prediction.
fn draw_kl_to_truth(run: &RunView) -> Reading {
    let Reading::Lines(mut lines) = draw_curves(run, |chains| {
        let name = |(strategy, kl): &(Strategy, f64)| (strategy.name().to_lowercase(), *kl);
        let mut lines: Vec<(String, f64)> = chains.strategy_kl.iter().map(name).collect();
        lines.extend(chains.bayes.map(|line| {
            let name = Predictor::Bayes.name();
            match line.standard_error > 0.0 {
                true => {
                    (tr!("{name} ± {error}", name, error = format_significant(line.standard_error)), line.kl)
                }
                false => (name, line.kl),
            }
        }));
        curves::kl_to_truth_chart(&run.history, chains.task.order, &lines)
    }) else {
        return Reading::Lines(LineChart::default());
    };
    lines.marks.extend(last_solved_step(run).map(target_mark(run)));
    Reading::Lines(lines)
}

/// Bars of the KL divergence from the truth to the network's prediction when one attention head is switched off, one
/// bar per head.
fn draw_ablation(state: &MarkovState) -> BarChart {
    parts::ablation_chart(state.heads(), state.ablation.as_deref())
}

/// Heat map of the minimal model's matrix W, `[symbols, symbols]`; `None` for other networks.
fn draw_kernel(run: &RunView) -> Option<Heatmap> {
    let chains: &MarkovState = run.lab_state()?;
    Some(parts::kernel_heatmap(chains.task.symbols, chains.minimal_parameters()?.0))
}

/// Bars of the minimal model's vector v, one weight per distance; `None` for other networks.
fn draw_lags(run: &RunView) -> Option<BarChart> {
    Some(parts::lag_chart(run.lab_state::<MarkovState>()?.minimal_parameters()?.1))
}

/// Heat map of next-symbol probabilities after the selected position: a row for each predictor (truth, network,
/// reference strategies, Bayes), a column per symbol.
fn draw_next_symbol(run: &RunView, state: &MarkovState) -> Heatmap {
    let expected = state.predict_next(state.shown_position(&run.link.view));
    let network = expected.iter().position(|(who, _)| *who == Predictor::Network);
    let rows: Vec<_> = expected.into_iter().map(|(who, p)| (who.name(), p)).collect();
    looks::next_symbol_heatmap(state.task.symbols, &rows, network)
}

/// Draws the minimal model's vector v by distance: as theory predicts it after its last training steps, and as the
/// network has it.
fn draw_theory(state: &MarkovState) -> LineChart {
    let Some((_, outcome)) = &state.theory else { return LineChart::default() };
    let after: Vec<(usize, &[f64])> =
        outcome.models.iter().enumerate().map(|(step, theory)| (step, theory.v.as_slice())).collect();
    let last = &after[after.len().saturating_sub(MAX_THEORY_STEPS)..];
    theory::lag_chart(last, state.minimal_parameters().map(|(_, v)| v))
}

/// Attention map of one head, or of all heads side by side.
fn draw_attention(run: &RunView, state: &MarkovState) -> Heatmap {
    let view = &run.link.view;
    let names = state.head_names();
    let heads = state.inspected.trace.heads.iter().zip(&names);
    let heads: Vec<HeadAttention> =
        heads.map(|(head, name)| HeadAttention { layer: head.layer, name, weights: &head.shares }).collect();
    let place = (view.place > 0).then(|| state.shown_position(view));
    match view.head.checked_sub(1).and_then(|head| heads.get(head)) {
        Some(head) => looks::attention_heatmap(&state.inspected.symbols, &[*head], place),
        None => looks::attention_heatmap(&state.inspected.symbols, &heads, place),
    }
}

/// Title of the attention map with the selected head; `None` if all heads are drawn.
fn attention_title(run: &RunView) -> Option<String> {
    let names = run.lab_state::<MarkovState>()?.head_names();
    let name = names.get(run.link.view.head.checked_sub(1)?)?;
    Some(tr!("Attention map, head {name}", name))
}
