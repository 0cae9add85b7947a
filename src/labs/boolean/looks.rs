//! Attention example by example: the chart of what each head attends to, and what is said of it.

use super::probes::LOOKS;
use crate::analysis::attention::by_example;
use crate::analysis::{Lines, Reading};
use crate::display::RunView;
use crate::display::charts::{ChartSpec, Follows};
use crate::display::words::percent;
use crate::tasks::sparse_boolean::charts;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::{Action, State};
    use crate::protocol::Finding;

    fn open(link: &str) -> State {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        state
    }

    #[test]
    fn looks_are_of_one_head_or_of_all() {
        let mut state = open("#v1/sparse-boolean?n=3&k=1&s=2&m=20&heads=2&show=looks");
        assert!(charts::LOOKS.summary(&state.run).contains("yet"));
        // Two examples of two heads on three bits and [CLS].
        let numbers =
            vec![0.1, 0.8, 0.1, 0.0, 0.25, 0.25, 0.25, 0.25, 0.0, 0.6, 0.4, 0.0, 0.5, 0.25, 0.0, 0.25];
        state.run.found(1, Finding::of(LOOKS.id()).with_counts([2]).with_numbers(numbers));
        let near = |(a, b): (&f32, f32)| (a - b).abs() < 1e-6;
        assert!(of_heads(&state.run).iter().zip([0.7, 0.25]).all(near));
        assert!(
            charts::LOOKS.summary(&state.run).starts_with("47.5 % of the attention of 2 heads"),
            "{}",
            charts::LOOKS.summary(&state.run)
        );
        let stamp = charts::LOOKS.stamp(&state.run);
        state.apply(Action::Edit("head".into(), "1".into()));
        assert!(
            charts::LOOKS.summary(&state.run).starts_with("Head 1: 70.0 %")
                && stamp != charts::LOOKS.stamp(&state.run)
        );
        let Reading::Lines(lines) = charts::LOOKS.reading(&state.run) else { panic!("dots") };
        let [other, relevant] = &lines.series[..] else { panic!("two kinds") };
        assert_eq!(
            (relevant.x.as_slice(), relevant.y.as_slice()),
            ([2.0, 2.0].as_slice(), [0.8, 0.6].as_slice())
        );
        assert_eq!(other.y.len(), 4);
    }
}
