//! Sentences about runs on sequences and about their charts.

use super::state::{MarkovState, Predictor, SequenceOrigin};
use vivarium_core::language::translated;
use vivarium_model::chart::Chart;
use vivarium_model::tasks::markov::charts;
use vivarium_plot::analysis::chains::curves::{self, nearest_strategy};
use vivarium_plot::analysis::chains::{head_names, join_symbols, symbol_letter};
use vivarium_plot::analysis::replicas::ReplicaMeasure;
use vivarium_science::markov::{ChainMeasure, Strategy};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{
    MISSING, format_decimal, format_percent, format_probability, format_significant, format_thousands,
    join_list,
};

/// Maximum number of symbols of a sequence that is spelled out in a sentence.
const MAX_SPELLED_SYMBOLS: usize = 60;

/// Median of `metric` over the networks that have not diverged, in the latest measurement of the run; NaN before the
/// first measurement.
fn latest_median(run: &RunView, metric: ChainMeasure) -> f32 {
    run.history.latest_median(ReplicaMeasure::TaskMeasure(metric as usize))
}

/// Summary of `chart`, one of the charts of the lab on Markov chains, for screen readers; `None` without a state of the
/// lab.
pub(super) fn describe_chart(chart: Chart, run: &RunView) -> Option<String> {
    let chains: &MarkovState = run.lab_state()?;
    let order = chains.task.order;
    Some(match chart {
        charts::TRUTH => {
            let line = |(strategy, kl): &(Strategy, f64)| {
                tr!(
                    "{kl} for the {strategy} strategy",
                    kl = format_significant(*kl),
                    strategy = strategy.name().to_lowercase()
                )
            };
            let mut lines: Vec<String> = chains.strategy_kl.iter().map(line).collect();
            lines.extend(chains.bayes.map(|line| {
                let kl = format_significant(line.kl);
                match line.standard_error > 0.0 {
                    true => tr!(
                        "{kl} (standard error {error}) for the Bayes-optimal prediction",
                        kl,
                        error = format_significant(line.standard_error)
                    ),
                    false => tr!("{kl} for the Bayes-optimal prediction", kl),
                }
            }));
            let near = run.history.latest().and_then(|row| nearest_strategy(row, order));
            let near = near.map(|of| {
                tr!(
                    "; the network is nearest to the {strategy} strategy",
                    strategy = curves::strategy_name(of)
                )
            });
            let kl = run.history.latest_median(ReplicaMeasure::TestLoss);
            tr!(
                "KL to the true distribution: {network} for the network, {strategies}{near}.",
                network = format_decimal(kl),
                strategies = join_list(&lines),
                near = near.unwrap_or_default()
            )
        }
        charts::STRATEGIES => {
            let one = |of: &ChainMeasure| {
                tr!(
                    "{kl} for the {strategy} strategy",
                    kl = format_decimal(latest_median(run, *of)),
                    strategy = curves::strategy_name(*of)
                )
            };
            let all: Vec<String> = curves::strategies(order).iter().map(one).collect();
            tr!("KL to the network: {all}.", all = join_list(&all))
        }
        charts::SCORES => tr!(
            "Attention to the previous symbol: {previous}. Induction (attention from the last symbol to the symbols that \
             directly followed its earlier occurrences): {induction}.",
            previous = format_decimal(latest_median(run, ChainMeasure::Previous)),
            induction = format_decimal(latest_median(run, ChainMeasure::Induction))
        ),
        charts::OTHERS => {
            let distributions =
                [ChainMeasure::OnDirichlet, ChainMeasure::OnIndependent, ChainMeasure::OnDoubly];
            let one = |of: ChainMeasure| {
                tr!(
                    "{kl} on {law}",
                    kl = format_decimal(latest_median(run, of)),
                    law = translated(ChainMeasure::OPTIONS[of as usize].label)
                )
            };
            tr!("KL to the true distribution: {all}.", all = join_list(&distributions.map(one)))
        }
        charts::MAP => {
            let place = chains.shown_position(&run.link.view);
            let looks = chains.head_weights(place).into_iter().map(|glance| {
                let most = (0..=place).max_by(|a, b| glance.weights[*a].total_cmp(&glance.weights[*b]));
                let at = most.unwrap_or(0);
                let share = format_probability(glance.weights[at]);
                tr!(
                    "head {head} has its largest weight on symbol {at}, {share}",
                    head = glance.name,
                    at = at + 1,
                    share
                )
            });
            let looks: Vec<String> = looks.collect();
            tr!(
                "Attention on {sequence}. At symbol {place}, {looks}.",
                sequence = describe_sequence(chains),
                place = place + 1,
                looks = join_list(&looks)
            )
        }
        charts::DISTANCES => {
            let largest = |(name, weights): (String, &Vec<f64>)| {
                let most = (0..weights.len()).max_by(|a, b| weights[*a].total_cmp(&weights[*b]));
                let at = most.unwrap_or(0);
                let who = if name.is_empty() { String::new() } else { tr!(" in head {name}", name) };
                tr!(
                    "{at}{who} with weight {weight}",
                    at,
                    who,
                    weight = format_significant(weights.get(at).copied().unwrap_or(f64::NAN))
                )
            };
            let latest = chains.distances.latest().map(|(_, heads)| heads.as_slice()).unwrap_or_default();
            let names = match latest.len() {
                1 => vec![String::new()],
                count => head_names(&[count]),
            };
            let all: Vec<String> = names.into_iter().zip(latest).map(largest).collect();
            tr!(
                "Distance with the largest weight: {all}. The weights are multiplied by the number of distances, so with uniform attention each weight would be 1.",
                all = join_list(&all)
            )
        }
        charts::ABLATION => match chains.ablation.as_deref() {
            Some([whole, without @ ..]) => {
                let one = |(kl, name): (&f32, String)| {
                    tr!("{kl} without head {name}", kl = format_decimal(*kl), name)
                };
                let all: Vec<String> = without.iter().zip(chains.head_names()).map(one).collect();
                tr!(
                    "KL to the true distribution: {whole} for the whole network, {all}.",
                    whole = format_decimal(*whole),
                    all = join_list(&all)
                )
            }
            _ => tr!("The KL without each head has not been measured yet.").into(),
        },
        charts::KERNEL => {
            let (w, _) = chains.minimal_parameters()?;
            let k = chains.task.symbols;
            let mean = |own: bool| {
                let cells = w.iter().enumerate().filter(|(at, _)| (at / k == at % k) == own);
                let values: Vec<f32> = cells.map(|(_, w)| *w).collect();
                format_decimal(values.iter().sum::<f32>() / values.len().max(1) as f32)
            };
            tr!(
                "On average, an entry of W is {diagonal} on the diagonal and {off_diagonal} elsewhere.",
                diagonal = mean(true),
                off_diagonal = mean(false)
            )
        }
        charts::LAGS => {
            let (_, v) = chains.minimal_parameters()?;
            let most = (0..v.len()).max_by(|a, b| v[*a].total_cmp(&v[*b])).unwrap_or(0);
            tr!(
                "The largest entry of v is {value}, at distance {most}.",
                most,
                value = v.get(most).map_or(MISSING.into(), |v| format_decimal(*v))
            )
        }
        charts::NEXT => {
            let place = chains.shown_position(&run.link.view);
            let one = |(who, p): (Predictor, Vec<f64>)| {
                let most = (0..p.len()).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap_or(0);
                tr!(
                    "{who} {symbol} with probability {share}",
                    who = who.name(),
                    symbol = symbol_letter(most),
                    share = format_probability(p[most])
                )
            };
            let all: Vec<String> = chains.predict_next(place).into_iter().map(one).collect();
            tr!(
                "Most likely next symbol after symbol {place} of {sequence}: {all}.",
                place = place + 1,
                sequence = describe_sequence(chains),
                all = join_list(&all)
            )
        }
        charts::THEORY => chains.theory.as_ref().map(|(_, outcome)| outcome.summary.join(" "))?,
        _ => return None,
    })
}

/// Name and symbols of the inspected sequence: "held-out sequence 1, abba".
fn describe_sequence(state: &MarkovState) -> String {
    let symbols = &state.inspected.symbols;
    let of = match state.inspected.origin {
        SequenceOrigin::Entered => tr!("your own sequence").into(),
        SequenceOrigin::Drawn(number) => tr!("sequence {number} of your chain", number),
        SequenceOrigin::HeldOut(number) => tr!("held-out sequence {number}", number),
    };
    match symbols.len() > MAX_SPELLED_SYMBOLS {
        true => tr!("{of} ({symbols} symbols)", of, symbols = symbols.len()),
        false => format!("{of}, {}", join_symbols(symbols)),
    }
}

/// Two readouts (label, value): the KL divergence divided by that of the best reference strategy, and the
/// previous-token score (for the minimal model v at distance 1 divided by v at distance 0).
pub(super) fn readouts(run: &RunView) -> Option<[(String, String); 2]> {
    let chains: &MarkovState = run.lab_state()?;
    let line = chains.target_strategies().map(|(_, best)| best);
    let name = line.map_or(MISSING.into(), |(strategy, _)| strategy.name().to_lowercase());
    let kl = run.history.latest_median(ReplicaMeasure::TestLoss);
    let share = kl / line.map_or(f32::NAN, |(_, kl)| kl as f32);
    let known = |share: f32| if share.is_finite() { format_decimal(share) } else { MISSING.into() };
    let first = (tr!("KL divided by {strategy} KL", strategy = name), known(share));
    let second = match chains.minimal_parameters() {
        None => {
            (tr!("Previous-token score").into(), format_decimal(latest_median(run, ChainMeasure::Previous)))
        }
        Some((_, v)) => {
            // Probes that are not watched keep their value from the start.
            let is_new = chains.step > 0 || run.step == 0;
            ("v₁ / v₀".into(), known(if is_new { v[1] / v[0] } else { f32::NAN }))
        }
    };
    Some([first, second])
}

/// Names of the four metrics of a measurement: training loss, KL to the truth, training accuracy, and progress towards
/// the best reference strategy, which is named; `None` without a state of the lab.
pub(super) fn metric_names(run: &RunView) -> Option<[String; 4]> {
    let chains: &MarkovState = run.lab_state()?;
    let best = chains
        .target_strategies()
        .map_or(MISSING.into(), |(_, (strategy, _))| strategy.name().to_lowercase());
    let way = tr!("Progress towards the KL of the {best} strategy", best);
    Some([tr!("Loss, training").into(), tr!("KL to the truth").into(), tr!("Accuracy, training").into(), way])
}

/// Progress for the status line: "the network is nearest to the unigram strategy. KL 0.091, unigram 0.088, bigram
/// 0.018".
pub(super) fn describe_progress(run: &RunView) -> Option<String> {
    let chains = run.lab_state::<MarkovState>()?;
    let row = run.history.latest()?;
    let kl = run.history.latest_median(ReplicaMeasure::TestLoss);
    let near = nearest_strategy(row, chains.task.order).map(|of| {
        tr!("the network is nearest to the {strategy} strategy. ", strategy = curves::strategy_name(of))
    });
    let (before, best) = chains.target_strategies()?;
    let line = |(strategy, kl): (Strategy, f64)| {
        format!("{} {}", strategy.name().to_lowercase(), format_decimal(kl as f32))
    };
    let lines: Vec<String> = before.into_iter().chain([best]).map(line).collect();
    let median = if run.spec().run.replicas > 1 { tr!(" in the median") } else { "" };
    Some(tr!(
        "{near}KL {kl}{median}, {lines}",
        near = near.unwrap_or_default(),
        kl = format_decimal(kl),
        median,
        lines = lines.join(", ")
    ))
}

/// Minimum value that both the previous-token score and the induction score must have to count as an induction head.
///
/// Uniform attention has an induction score of about 0.6 for two symbols, since most positions then follow an
/// occurrence of the last symbol.
const MIN_INDUCTION_SCORE: f32 = 0.8;

/// Sentence that the target was reached ("Target reached by …: the KL is more than half-way from the unigram KL to the
/// bigram KL."), and whether attention shows an induction head; `networks` and `at` are phrases that say by which
/// networks and at which steps.
pub(super) fn describe_success(run: &RunView, networks: &str, at: &str) -> Option<String> {
    let chains: &MarkovState = run.lab_state()?;
    let has_replicas = run.spec().run.replicas > 1;
    let who = if has_replicas { tr!(" by {networks},", networks) } else { String::new() };
    let (before, (best, _)) = chains.target_strategies()?;
    let best = best.name().to_lowercase();
    let target = run.spec().run.target;
    let reached = match before {
        None => tr!("Target reached{who} {at}: the KL is at most the {to} KL.", who, at, to = best),
        Some((before, _)) => {
            let way = match target == 0.5 {
                true => tr!("more than half-way").into(),
                false => tr!("at least {target} of the way", target = format_percent(target as f32)),
            };
            tr!(
                "Target reached{who} {at}: the KL is {way} from the {from} KL to the {to} KL.",
                who,
                at,
                way,
                from = before.name().to_lowercase(),
                to = best
            )
        }
    };
    let attention = describe_induction(run, chains, has_replicas);
    Some([Some(reached), attention].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Sentence on whether the latest previous-token and induction scores show an induction head; `None` if there are no
/// such scores or fewer than two layers.
fn describe_induction(run: &RunView, state: &MarkovState, has_replicas: bool) -> Option<String> {
    let [previous, induction] =
        [ChainMeasure::Previous, ChainMeasure::Induction].map(|of| latest_median(run, of));
    if state.heads().len() < 2 || !previous.is_finite() || !induction.is_finite() {
        return None;
    }
    let step = format_thousands(run.history.latest()?.step);
    let scores = match has_replicas {
        true => tr!(
            "at step {step} the median previous-token score is {previous} and the median induction score is {induction}",
            step,
            previous = format_decimal(previous),
            induction = format_decimal(induction)
        ),
        false => tr!(
            "at step {step} the previous-token score is {previous} and the induction score is {induction}",
            step,
            previous = format_decimal(previous),
            induction = format_decimal(induction)
        ),
    };
    let least = format_decimal(MIN_INDUCTION_SCORE);
    Some(match previous >= MIN_INDUCTION_SCORE && induction >= MIN_INDUCTION_SCORE {
        true => tr!("An induction head has formed: {scores}, both at least {least}.", scores, least),
        false => {
            tr!(
                "The attention does not show an induction head: {scores}, not both at least {least}.",
                scores,
                least
            )
        }
    })
}
