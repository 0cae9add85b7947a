//! What the charts of chapter 4 show of the run, and say of it: where each example is looked at, and how many
//! examples are enough; as [`super::readings`] has it for all.

use super::sweep::Sweep;
use super::view::RunView;
use super::words::{decimal, label, percent, symbol, thousands};
use crate::analysis::attention::by_example;
use crate::analysis::threshold::{chart, fit, threshold};
use crate::analysis::{Lines, Reading, chart};
use crate::catalog::chart::Chart;
use crate::run::RunSpec;
use crate::settings::Axis;
use crate::tasks::sparse_boolean::charts as boolean_charts;

/// Whether there is such a chart of this run.
pub(super) fn applies(chart: Chart, run: &RunView) -> Result<(), String> {
    let run = &run.link.spec.run;
    if chart == chart::THRESHOLD && (numbers(&run.sweep).is_none() || numbers(&run.series).is_none()) {
        return Err(tr!("A threshold is of a sweep of two settings that are numbers.").into());
    }
    Ok(())
}

/// The values of an axis that has some, all of them numbers.
fn numbers(axis: &Axis) -> Option<Vec<f64>> {
    let numbers: Option<Vec<f64>> = axis.values.iter().map(|value| value.parse().ok()).collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

/// For each value of the second setting of a sweep the smallest value of the first at which enough trials succeed.
/// None for a sweep of words.
pub fn thresholds(spec: &RunSpec, sweep: &Sweep) -> Option<Vec<(f64, Option<f64>)>> {
    let (values, series) = (numbers(&spec.run.sweep)?, numbers(&spec.run.series)?);
    let count = |line: usize, at: usize| {
        let times = sweep.times(at * series.len() + line)?;
        Some((times.iter().flatten().count(), times.len()))
    };
    let of = |(line, x): (usize, &f64)| {
        let counts: Vec<_> = (0..values.len()).map(|at| count(line, at)).collect();
        (*x, threshold(&values, &counts))
    };
    Some(series.iter().enumerate().map(of).collect())
}

/// What one of these charts draws.
pub(super) fn reading(chart: Chart, run: &RunView) -> Option<Reading> {
    Some(Reading::Lines(match chart {
        chart::THRESHOLD => drawn(run).unwrap_or_default(),
        boolean_charts::LOOKS => looks(run),
        _ => return None,
    }))
}

fn drawn(run: &RunView) -> Option<Lines> {
    let spec = &run.link.spec;
    let (sweep, series) = (&spec.run.sweep.key, &spec.run.series.key);
    let points = thresholds(spec, run.sweep.as_ref()?)?;
    let name = tr!("least {setting}", setting = label(spec, sweep).to_lowercase());
    Some(chart(&points, &label(spec, series), &name, &symbol(spec, series)))
}

/// The head that is shown, from 0, of so many; none stands for the mean of all.
pub fn head(run: &RunView, heads: usize) -> Option<usize> {
    run.link.view.head.checked_sub(1).filter(|head| *head < heads)
}

fn looks(run: &RunView) -> Lines {
    let inputs = run.spec().task.sampler().inputs();
    match &run.looks {
        Some((heads, shares)) => by_example(shares, *heads, inputs + 1, head(run, *heads), &run.relevant),
        None => by_example(&[], 1, inputs + 1, None, &run.relevant),
    }
}

/// Attention on the relevant bits together, in each head, the mean over the examples that were looked at.
pub fn of_heads(run: &RunView) -> Vec<f32> {
    let Some((heads, shares)) = &run.looks else { return vec![] };
    let tokens = run.spec().task.sampler().inputs() + 1;
    let mut sums = vec![0.0; *heads];
    for (at, own) in shares.chunks_exact(tokens).enumerate() {
        sums[at % heads] += run.relevant.iter().filter_map(|i| own.get(*i)).sum::<f32>();
    }
    let examples = (shares.len() / tokens / heads).max(1) as f32;
    sums.iter_mut().for_each(|sum| *sum /= examples);
    sums
}

/// What is seen, for those who do not see it.
pub(super) fn summary(chart: Chart, run: &RunView) -> Option<String> {
    match chart {
        chart::THRESHOLD => {
            let spec = &run.link.spec;
            let all = thresholds(spec, run.sweep.as_ref()?)?;
            let known: Vec<(f64, f64)> = all.iter().filter_map(|(x, m)| Some((*x, (*m)?))).collect();
            let (of, symbol) = (symbol(spec, &spec.run.sweep.key), symbol(spec, &spec.run.series.key));
            let one = |(x, m): &(f64, f64)| {
                tr!(
                    "{least} at {symbol} = {value}",
                    least = thousands(*m as u64),
                    symbol,
                    value = thousands(*x as u64)
                )
            };
            let list: Vec<String> = known.iter().map(one).collect();
            Some(match fit(&known) {
                Some((_, b)) => tr!(
                    "80 % of the trials succeed from {of} = {places} on: {more} more for each doubling.",
                    of,
                    places = list.join(", "),
                    more = decimal((b * std::f64::consts::LN_2) as f32)
                ),
                None if list.is_empty() => tr!("No run of the sweep has enough successes yet.").into(),
                None => {
                    tr!("80 % of the trials succeed from {of} = {places} on.", of, places = list.join(", "))
                }
            })
        }
        boolean_charts::LOOKS => {
            let heads = of_heads(run);
            let mean = heads.iter().sum::<f32>() / heads.len() as f32;
            let best = heads.iter().copied().fold(f32::NAN, f32::max);
            Some(match (head(run, heads.len()), heads.len()) {
                (_, 0) => tr!("Nothing has been looked at yet.").into(),
                (Some(head), _) => {
                    tr!(
                        "Head {head}: {share} of its attention is on the relevant bits.",
                        head = head + 1,
                        share = percent(heads[head])
                    )
                }
                (None, 1) => tr!("{mean} of the attention is on the relevant bits.", mean = percent(mean)),
                (None, many) => tr!(
                    "{mean} of the attention of {many} heads is on the relevant bits, and {best} of the best one's.",
                    mean = percent(mean),
                    many,
                    best = percent(best)
                ),
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::state::{Action, State};

    fn open(link: &str) -> State {
        let mut state = State::default();
        state.apply(Action::Open(link.into()));
        state
    }

    #[test]
    fn a_threshold_wants_two_settings_that_are_numbers() {
        let applies = |link: &str| chart::THRESHOLD.applies(&open(link).run).is_ok();
        assert!(applies("#v1/sparse-boolean?sweep=m:20_40&series=n:25_50"));
        for other in
            ["", "?sweep=m:20_40", "?sweep=m:20_40&series=ln:yes_no", "?sweep=fn:and_or&series=n:25_50"]
        {
            assert!(!applies(&format!("#v1/sparse-boolean{other}")), "{other}");
        }
    }

    #[test]
    fn thresholds_are_of_the_best_of_each_group_and_said() {
        let mut state = open("#v1/sparse-boolean?sweep=m:20_30_40&series=n:25_50");
        let sweep = state.run.sweep.as_mut().unwrap();
        let cell = |some: usize| (0..5).map(|i| (i < some).then_some(40)).collect::<Vec<_>>();
        // m = 20, then 30, then 40; each at T = 25 and T = 50.
        sweep.done = [4, 0, 5, 3].map(cell).to_vec();
        assert_eq!(
            thresholds(&state.run.link.spec, state.run.sweep.as_ref().unwrap()).unwrap(),
            [(25.0, Some(20.0)), (50.0, None)]
        );
        state.run.sweep.as_mut().unwrap().done.extend([5, 4].map(cell));
        let said = chart::THRESHOLD.summary(&state.run);
        assert_eq!(
            said,
            "80 % of the trials succeed from m = 20 at T = 25, 40 at T = 50 on: 20.000 more for each doubling."
        );
        let Reading::Lines(lines) = chart::THRESHOLD.reading(&state.run) else { panic!("curves") };
        assert_eq!(lines.series[0].y, [20.0, 40.0]);
    }

    #[test]
    fn looks_are_of_one_head_or_of_all() {
        let mut state = open("#v1/sparse-boolean?n=3&k=1&s=2&m=20&heads=2&show=looks");
        assert!(boolean_charts::LOOKS.summary(&state.run).contains("yet"));
        // Two examples of two heads on three bits and [CLS].
        let numbers =
            vec![0.1, 0.8, 0.1, 0.0, 0.25, 0.25, 0.25, 0.25, 0.0, 0.6, 0.4, 0.0, 0.5, 0.25, 0.0, 0.25];
        state.run.looks = Some((2, numbers));
        let near = |(a, b): (&f32, f32)| (a - b).abs() < 1e-6;
        assert!(of_heads(&state.run).iter().zip([0.7, 0.25]).all(near));
        assert!(
            boolean_charts::LOOKS.summary(&state.run).starts_with("47.5 % of the attention of 2 heads"),
            "{}",
            boolean_charts::LOOKS.summary(&state.run)
        );
        let stamp = boolean_charts::LOOKS.stamp(&state.run);
        state.apply(Action::Edit("head".into(), "1".into()));
        assert!(
            boolean_charts::LOOKS.summary(&state.run).starts_with("Head 1: 70.0 %")
                && stamp != boolean_charts::LOOKS.stamp(&state.run)
        );
        let Reading::Lines(lines) = boolean_charts::LOOKS.reading(&state.run) else { panic!("dots") };
        let [other, relevant] = &lines.series[..] else { panic!("two kinds") };
        assert_eq!(
            (relevant.x.as_slice(), relevant.y.as_slice()),
            ([2.0, 2.0].as_slice(), [0.8, 0.6].as_slice())
        );
        assert_eq!(other.y.len(), 4);
    }
}
