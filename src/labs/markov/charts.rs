//! The charts of networks on sequences.

use super::probes::{ABLATION, PARAMETERS};
use super::state::{MarkovState, Who};
use super::words::said;
use vivarium_model::models::Model;
use vivarium_model::models::attention_only::Positions;
use vivarium_model::tasks::markov::charts;
use vivarium_plot::analysis::chains::curves;
use vivarium_plot::analysis::chains::looks::{self, Attention};
use vivarium_plot::analysis::chains::parts;
use vivarium_plot::analysis::{Bars, Grid, Lines, Reading, theory};
use vivarium_science::markov::Strategy;
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartSpec, Follows, marked, reached, solved};
use vivarium_view::display::words::significant;

/// Steps of the theory that are drawn, the last ones.
const DRAWN_STEPS: usize = 3;

/// All of them.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::TRUTH, truth)
        .summary(|run| said(charts::TRUTH, run))
        .follows(Follows::Rows)
        .of_measurements()
        .compares(),
    ChartSpec::new(charts::STRATEGIES, |run| {
        over_steps(run, |chains| curves::followed(&run.history, chains.task.order))
    })
    .summary(|run| said(charts::STRATEGIES, run))
    .follows(Follows::Rows)
    .of_measurements(),
    ChartSpec::new(charts::SCORES, |run| {
        let mut lines = marked(curves::scores(&run.history), run);
        // Scores are shares from 0 on.
        lines.log_y = false;
        Reading::Lines(lines)
    })
    .applies(has_heads)
    .summary(|run| said(charts::SCORES, run))
    .follows(Follows::Rows)
    .of_measurements(),
    ChartSpec::new(charts::MAP, |run| {
        Reading::Grid(run.state().map(|chains| map(run, chains)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .applies(has_heads)
    .title(map_title)
    .summary(|run| said(charts::MAP, run))
    .follows(Follows::Sequence),
    ChartSpec::new(charts::DISTANCES, |run| {
        over_steps(run, |chains| parts::distances(chains.distances.iter()))
    })
    .probe(PARAMETERS)
    .applies(has_distances)
    .summary(|run| said(charts::DISTANCES, run)),
    ChartSpec::new(charts::ABLATION, |run| Reading::Bars(run.state().map(ablation).unwrap_or_default()))
        .probe(ABLATION)
        .applies(has_heads)
        .summary(|run| said(charts::ABLATION, run)),
    ChartSpec::new(charts::OTHERS, |run| over_steps(run, |_| curves::others(&run.history)))
        .applies(|run| match run.state().is_some_and(|chains: &MarkovState| chains.task.order > 2) {
            true => Err(tr!("This chart needs chains of order 2.").into()),
            false => Ok(()),
        })
        .summary(|run| said(charts::OTHERS, run))
        .follows(Follows::Rows)
        .of_measurements(),
    ChartSpec::new(charts::KERNEL, |run| Reading::Grid(kernel(run).unwrap_or_default()))
        .probe(PARAMETERS)
        .applies(is_minimal)
        .summary(|run| said(charts::KERNEL, run)),
    ChartSpec::new(charts::LAGS, |run| Reading::Bars(lags(run).unwrap_or_default()))
        .probe(PARAMETERS)
        .applies(is_minimal)
        .summary(|run| said(charts::LAGS, run)),
    ChartSpec::new(charts::NEXT, |run| {
        Reading::Grid(run.state().map(|chains| next(run, chains)).unwrap_or_default())
    })
    .probe(PARAMETERS)
    .summary(|run| said(charts::NEXT, run))
    .follows(Follows::Sequence),
    ChartSpec::new(charts::THEORY, |run| over_steps(run, by_theory))
        .probe(PARAMETERS)
        .applies(is_minimal)
        .summary(|run| said(charts::THEORY, run))
        .follows(Follows::Sequence),
];

fn has_heads(run: &RunView) -> Result<(), String> {
    match run.spec().model.config().heads().is_empty() {
        true => Err(tr!("This network has no heads.").into()),
        false => Ok(()),
    }
}

fn has_distances(run: &RunView) -> Result<(), String> {
    match &run.spec().model {
        Model::AttentionOnly(net) if net.positions == Positions::Absolute => {
            Err(tr!("This chart needs a network with relative positions.").into())
        }
        _ => Ok(()),
    }
}

fn is_minimal(run: &RunView) -> Result<(), String> {
    match &run.spec().model {
        Model::MinimalMarkov(_) => Ok(()),
        _ => Err(tr!("This chart needs the minimal model.").into()),
    }
}

/// Curves over the steps with their marks, or other curves as they are; no axes before anything is known.
fn over_steps(run: &RunView, of: impl FnOnce(&MarkovState) -> Lines) -> Reading {
    let lines = run.state().map(of).unwrap_or_default();
    Reading::Lines(if lines.is_over_steps() { marked(lines, run) } else { lines })
}

fn truth(run: &RunView) -> Reading {
    let Reading::Lines(mut lines) = over_steps(run, |chains| {
        let name = |(strategy, kl): &(Strategy, f64)| (strategy.name().to_lowercase(), *kl);
        let mut lines: Vec<(String, f64)> = chains.lines.iter().map(name).collect();
        lines.extend(chains.bayes.map(|line| {
            let name = Who::Bayes.name();
            match line.standard_error > 0.0 {
                true => (tr!("{name} ± {error}", name, error = significant(line.standard_error)), line.kl),
                false => (name, line.kl),
            }
        }));
        curves::truth(&run.history, chains.task.order, &lines)
    }) else {
        return Reading::Lines(Lines::default());
    };
    lines.marks.extend(solved(run).map(reached(run)));
    Reading::Lines(lines)
}

fn ablation(chains: &MarkovState) -> Bars {
    parts::ablation(chains.heads(), chains.ablation.as_deref())
}

fn kernel(run: &RunView) -> Option<Grid> {
    let chains: &MarkovState = run.state()?;
    Some(parts::kernel(chains.task.symbols, chains.minimal()?.0))
}

fn lags(run: &RunView) -> Option<Bars> {
    Some(parts::lags(run.state::<MarkovState>()?.minimal()?.1))
}

fn next(run: &RunView, chains: &MarkovState) -> Grid {
    let expected = chains.expected(chains.place(&run.link.view));
    let network = expected.iter().position(|(who, _)| *who == Who::Network);
    let rows: Vec<_> = expected.into_iter().map(|(who, p)| (who.name(), p)).collect();
    looks::next(chains.task.symbols, &rows, network)
}

/// v by theory after its last steps, and that of the network.
fn by_theory(chains: &MarkovState) -> Lines {
    let Some((_, outcome)) = &chains.theory else { return Lines::default() };
    let after: Vec<(usize, &[f64])> =
        outcome.models.iter().enumerate().map(|(step, theory)| (step, theory.v.as_slice())).collect();
    let last = &after[after.len().saturating_sub(DRAWN_STEPS)..];
    theory::lags(last, chains.minimal().map(|(_, v)| v))
}

fn map(run: &RunView, chains: &MarkovState) -> Grid {
    let view = &run.link.view;
    let names = chains.head_names();
    let heads = chains.inspected.look.heads.iter().zip(&names);
    let heads: Vec<Attention> =
        heads.map(|(head, name)| Attention { layer: head.layer, name, shares: &head.shares }).collect();
    let place = (view.place > 0).then(|| chains.place(view));
    match view.head.checked_sub(1).and_then(|head| heads.get(head)) {
        Some(head) => looks::map(&chains.inspected.symbols, &[*head], place),
        None => looks::map(&chains.inspected.symbols, &heads, place),
    }
}

/// The title of the attention map, with the head that is drawn.
fn map_title(run: &RunView) -> Option<String> {
    let names = run.state::<MarkovState>()?.head_names();
    let name = names.get(run.link.view.head.checked_sub(1)?)?;
    Some(tr!("Attention map, head {name}", name))
}
