//! Attention example by example: the chart of what each head attends to, and what is said of it.

use super::probes::LOOKS;
use vivarium_model::tasks::sparse_boolean::charts;
use vivarium_plot::analysis::attention::by_example;
use vivarium_plot::analysis::{Lines, Reading};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartSpec, Follows};
use vivarium_view::display::words::percent;

/// The charts of the lab.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::LOOKS, |run| Reading::Lines(drawn(run)))
        .probe(LOOKS)
        .summary(|run| Some(said(run)))
        .follows(Follows::Head),
    super::fourier::CHART,
];

/// Heads, and the newest attention of each for some examples, `[examples, heads, inputs + 1]`; no head before any was
/// looked at.
fn looked_at(run: &RunView) -> (usize, &[f32]) {
    match run.finding(&LOOKS) {
        Some(found) => (found.counts.first().copied().unwrap_or(0), &found.numbers),
        None => (0, &[]),
    }
}

/// How many heads have been looked at.
pub fn heads(run: &RunView) -> usize {
    looked_at(run).0
}

/// The head that is shown, from 0, of so many; none stands for the mean of all.
pub fn head(run: &RunView, heads: usize) -> Option<usize> {
    run.link.view.head.checked_sub(1).filter(|head| *head < heads)
}

fn drawn(run: &RunView) -> Lines {
    let inputs = run.spec().task.examples().inputs();
    match looked_at(run) {
        (0, _) => by_example(&[], 1, inputs + 1, None, &run.relevant),
        (heads, shares) => by_example(shares, heads, inputs + 1, head(run, heads), &run.relevant),
    }
}

/// Attention on the relevant bits together, in each head, the mean over the examples that were looked at.
pub fn of_heads(run: &RunView) -> Vec<f32> {
    let (heads, shares) = looked_at(run);
    if heads == 0 {
        return vec![];
    }
    let tokens = run.spec().task.examples().inputs() + 1;
    let mut sums = vec![0.0; heads];
    for (at, own) in shares.chunks_exact(tokens).enumerate() {
        sums[at % heads] += run.relevant.iter().filter_map(|i| own.get(*i)).sum::<f32>();
    }
    let examples = (shares.len() / tokens / heads).max(1) as f32;
    sums.iter_mut().for_each(|sum| *sum /= examples);
    sums
}

fn said(run: &RunView) -> String {
    let heads = of_heads(run);
    let mean = heads.iter().sum::<f32>() / heads.len() as f32;
    let best = heads.iter().copied().fold(f32::NAN, f32::max);
    match (head(run, heads.len()), heads.len()) {
        (_, 0) => tr!("The attention has not been measured yet.").into(),
        (Some(head), _) => {
            tr!(
                "Head {head}: {share} of its attention is on the relevant bits.",
                head = head + 1,
                share = percent(heads[head])
            )
        }
        (None, 1) => tr!("{mean} of the attention is on the relevant bits.", mean = percent(mean)),
        (None, many) => tr!(
            "{mean} of the attention of {many} heads is on the relevant bits; the largest share of a single head is {best}.",
            mean = percent(mean),
            many,
            best = percent(best)
        ),
    }
}
