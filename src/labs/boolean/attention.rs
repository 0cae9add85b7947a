//! Attention example by example: the chart of the tokens that each head attends to, and its summary.

use super::probes::CLS_ATTENTION;
use vivarium_model::tasks::sparse_boolean::charts;
use vivarium_plot::analysis::attention::attention_by_example_chart;
use vivarium_plot::analysis::{LineChart, Reading};
use vivarium_view::display::RunView;
use vivarium_view::display::charts::{ChartDependency, ChartSpec};
use vivarium_view::display::words::format_percent;

/// All charts of the lab of sparse Boolean functions: attention by example, and Fourier coefficients.
pub const CHARTS: &[ChartSpec] = &[
    ChartSpec::new(charts::LOOKS, |run| Reading::Lines(draw(run)))
        .probe(CLS_ATTENTION)
        .summary(|run| Some(summarize(run)))
        .depends_on(ChartDependency::Head),
    super::fourier::FOURIER_CHART,
];

/// The number of heads, and the latest attention weights of the \[CLS\] token as `[examples, heads, inputs + 1]`, where
/// the last entry of the last axis is the weight on \[CLS\] itself; 0 heads and no weights before the first
/// measurement.
fn latest_attention(run: &RunView) -> (usize, &[f32]) {
    match run.latest_finding(&CLS_ATTENTION) {
        Some(found) => (found.counts.first().copied().unwrap_or(0), &found.numbers),
        None => (0, &[]),
    }
}

/// The number of attention heads in the latest result of [`CLS_ATTENTION`]; 0 before the first result.
pub fn head_count(run: &RunView) -> usize {
    latest_attention(run).0
}

/// The index, from 0, of the attention head selected in the view; none if the view shows the mean over all `head_count`
/// heads.
pub fn selected_head(run: &RunView, head_count: usize) -> Option<usize> {
    run.link.view.head.checked_sub(1).filter(|head| *head < head_count)
}

/// The scatter plot of the \[CLS\] token's attention weights by input bit, one dot per held-out example, for the
/// selected head or the mean over all heads.
fn draw(run: &RunView) -> LineChart {
    let inputs = run.spec().task.examples().inputs();
    match latest_attention(run) {
        (0, _) => attention_by_example_chart(&[], 1, inputs + 1, None, &run.relevant),
        (heads, attention) => {
            attention_by_example_chart(attention, heads, inputs + 1, selected_head(run, heads), &run.relevant)
        }
    }
}

/// For each head, the sum of the \[CLS\] token's attention weights on the relevant bits, averaged over the measured
/// held-out examples.
pub fn relevant_attention_by_head(run: &RunView) -> Vec<f32> {
    let (heads, attention) = latest_attention(run);
    if heads == 0 {
        return vec![];
    }
    let tokens = run.spec().task.examples().inputs() + 1;
    let mut sums = vec![0.0; heads];
    for (at, own) in attention.chunks_exact(tokens).enumerate() {
        sums[at % heads] += run.relevant.iter().filter_map(|i| own.get(*i)).sum::<f32>();
    }
    let examples = (attention.len() / tokens / heads).max(1) as f32;
    sums.iter_mut().for_each(|sum| *sum /= examples);
    sums
}

/// Summary of the chart of the \[CLS\] token's attention: the share of it that is on the relevant bits, for the
/// selected head or the mean over all heads.
fn summarize(run: &RunView) -> String {
    let heads = relevant_attention_by_head(run);
    let mean = heads.iter().sum::<f32>() / heads.len() as f32;
    let best = heads.iter().copied().fold(f32::NAN, f32::max);
    match (selected_head(run, heads.len()), heads.len()) {
        (_, 0) => tr!("The attention has not been measured yet.").into(),
        (Some(head), _) => {
            tr!(
                "Head {head}: {share} of its attention is on the relevant bits.",
                head = head + 1,
                share = format_percent(heads[head])
            )
        }
        (None, 1) => tr!("{mean} of the attention is on the relevant bits.", mean = format_percent(mean)),
        (None, many) => tr!(
            "{mean} of the attention of {many} heads is on the relevant bits; the largest share of a single head is {best}.",
            mean = format_percent(mean),
            many,
            best = format_percent(best)
        ),
    }
}
