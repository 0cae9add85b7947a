//! What is said of runs on sequences.

use super::state::{MarkovState, Origin, Who};
use vivarium_core::language::translated;
use vivarium_model::chart::Chart;
use vivarium_model::tasks::markov::charts;
use vivarium_plot::analysis::chains::curves::{self, measured, nearest};
use vivarium_plot::analysis::chains::{head_names, letter, word};
use vivarium_plot::analysis::curves::spread;
use vivarium_science::markov::{ChainMeasure, Strategy};
use vivarium_view::display::RunView;
use vivarium_view::display::words::{MISSING, decimal, list, percent, probability, significant, thousands};

/// Longest sequence that is spelled out in a sentence.
const SPELLED: usize = 60;

/// The median over replicas of a measure in the newest row; not a number where there is none.
fn newest(run: &RunView, of: ChainMeasure) -> f32 {
    run.history.last().map_or(f32::NAN, |row| spread(measured(row, of)).0)
}

/// What is seen, for those who do not see it.
pub(super) fn said(chart: Chart, run: &RunView) -> Option<String> {
    let chains: &MarkovState = run.state()?;
    let order = chains.task.order;
    Some(match chart {
        charts::TRUTH => {
            let line = |(strategy, kl): &(Strategy, f64)| {
                tr!(
                    "{kl} for the {strategy} strategy",
                    kl = significant(*kl),
                    strategy = strategy.name().to_lowercase()
                )
            };
            let mut lines: Vec<String> = chains.lines.iter().map(line).collect();
            lines.extend(chains.bayes.map(|line| {
                let kl = significant(line.kl);
                match line.standard_error > 0.0 {
                    true => tr!(
                        "{kl} (standard error {error}) for the Bayes-optimal prediction",
                        kl,
                        error = significant(line.standard_error)
                    ),
                    false => tr!("{kl} for the Bayes-optimal prediction", kl),
                }
            }));
            let near = run.history.last().and_then(|row| nearest(row, order));
            let near = near.map(|of| {
                tr!("; the network is nearest to the {strategy} strategy", strategy = curves::name(of))
            });
            let kl = run.history.last().map_or(f32::NAN, |row| spread(&row.test_loss).0);
            tr!(
                "KL to the true distribution: {network} for the network, {strategies}{near}.",
                network = decimal(kl),
                strategies = list(&lines),
                near = near.unwrap_or_default()
            )
        }
        charts::STRATEGIES => {
            let one = |of: &ChainMeasure| {
                tr!(
                    "{kl} for the {strategy} strategy",
                    kl = decimal(newest(run, *of)),
                    strategy = curves::name(*of)
                )
            };
            let all: Vec<String> = curves::strategies(order).iter().map(one).collect();
            tr!("KL to the network: {all}.", all = list(&all))
        }
        charts::SCORES => tr!(
            "Attention to the previous symbol: {previous}. Induction (attention from the last symbol to the symbols that \
             directly followed its earlier occurrences): {induction}.",
            previous = decimal(newest(run, ChainMeasure::Previous)),
            induction = decimal(newest(run, ChainMeasure::Induction))
        ),
        charts::OTHERS => {
            let laws = [ChainMeasure::OnDirichlet, ChainMeasure::OnIndependent, ChainMeasure::OnDoubly];
            let one = |of: ChainMeasure| {
                tr!(
                    "{kl} on {law}",
                    kl = decimal(newest(run, of)),
                    law = translated(ChainMeasure::OPTIONS[of as usize].label)
                )
            };
            tr!("KL to the true distribution: {all}.", all = list(&laws.map(one)))
        }
        charts::MAP => {
            let place = chains.place(&run.link.view);
            let looks = chains.glances(place).into_iter().map(|glance| {
                let most = (0..=place).max_by(|a, b| glance.weights[*a].total_cmp(&glance.weights[*b]));
                let at = most.unwrap_or(0);
                let share = probability(glance.weights[at]);
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
                sequence = sequence(chains),
                place = place + 1,
                looks = list(&looks)
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
                    weight = significant(weights.get(at).copied().unwrap_or(f64::NAN))
                )
            };
            let newest = chains.distances.newest().map(|(_, heads)| heads.as_slice()).unwrap_or_default();
            let names = match newest.len() {
                1 => vec![String::new()],
                count => head_names(&[count]),
            };
            let all: Vec<String> = names.into_iter().zip(newest).map(largest).collect();
            tr!(
                "Distance with the largest weight: {all}. The weights are multiplied by the number of distances, so with uniform attention each weight would be 1.",
                all = list(&all)
            )
        }
        charts::ABLATION => match chains.ablation.as_deref() {
            Some([whole, without @ ..]) => {
                let one =
                    |(kl, name): (&f32, String)| tr!("{kl} without head {name}", kl = decimal(*kl), name);
                let all: Vec<String> = without.iter().zip(chains.head_names()).map(one).collect();
                tr!(
                    "KL to the true distribution: {whole} for the whole network, {all}.",
                    whole = decimal(*whole),
                    all = list(&all)
                )
            }
            _ => tr!("The KL without each head has not been measured yet.").into(),
        },
        charts::KERNEL => {
            let (w, _) = chains.minimal()?;
            let k = chains.task.symbols;
            let mean = |own: bool| {
                let cells = w.iter().enumerate().filter(|(at, _)| (at / k == at % k) == own);
                let values: Vec<f32> = cells.map(|(_, w)| *w).collect();
                decimal(values.iter().sum::<f32>() / values.len().max(1) as f32)
            };
            tr!(
                "On average, an entry of W is {diagonal} on the diagonal and {off_diagonal} elsewhere.",
                diagonal = mean(true),
                off_diagonal = mean(false)
            )
        }
        charts::LAGS => {
            let (_, v) = chains.minimal()?;
            let most = (0..v.len()).max_by(|a, b| v[*a].total_cmp(&v[*b])).unwrap_or(0);
            tr!(
                "The largest entry of v is {value}, at distance {most}.",
                most,
                value = v.get(most).map_or(MISSING.into(), |v| decimal(*v))
            )
        }
        charts::NEXT => {
            let place = chains.place(&run.link.view);
            let one = |(who, p): (Who, Vec<f64>)| {
                let most = (0..p.len()).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap_or(0);
                tr!(
                    "{who} {symbol} with probability {share}",
                    who = who.name(),
                    symbol = letter(most),
                    share = probability(p[most])
                )
            };
            let all: Vec<String> = chains.expected(place).into_iter().map(one).collect();
            tr!(
                "Most likely next symbol after symbol {place} of {sequence}: {all}.",
                place = place + 1,
                sequence = sequence(chains),
                all = list(&all)
            )
        }
        charts::THEORY => chains.theory.as_ref().map(|(_, outcome)| outcome.summary.join(" "))?,
        _ => return None,
    })
}

/// "held-out sequence 1, abba".
fn sequence(chains: &MarkovState) -> String {
    let symbols = &chains.inspected.symbols;
    let of = match chains.inspected.origin {
        Origin::Own => tr!("your own sequence").into(),
        Origin::Drawn(number) => tr!("sequence {number} of your chain", number),
        Origin::HeldOut(number) => tr!("held-out sequence {number}", number),
    };
    match symbols.len() > SPELLED {
        true => tr!("{of} ({symbols} symbols)", of, symbols = symbols.len()),
        false => format!("{of}, {}", word(symbols)),
    }
}

/// KL in units of the best strategy's, and the previous-token score, or of the minimal model v at distance 1 over v at 0.
pub(super) fn numbers(run: &RunView) -> Option<[(String, String); 2]> {
    let chains: &MarkovState = run.state()?;
    let line = chains.way().map(|(_, best)| best);
    let name = line.map_or(MISSING.into(), |(strategy, _)| strategy.name().to_lowercase());
    let kl = run.history.last().map_or(f32::NAN, |row| spread(&row.test_loss).0);
    let share = kl / line.map_or(f32::NAN, |(_, kl)| kl as f32);
    let known = |share: f32| if share.is_finite() { decimal(share) } else { MISSING.into() };
    let first = (tr!("KL divided by {strategy} KL", strategy = name), known(share));
    let second = match chains.minimal() {
        None => (tr!("Previous-token score").into(), decimal(newest(run, ChainMeasure::Previous))),
        Some((_, v)) => {
            // What is not watched stands still at the start.
            let is_new = chains.step > 0 || run.step == 0;
            ("v₁ / v₀".into(), known(if is_new { v[1] / v[0] } else { f32::NAN }))
        }
    };
    Some([first, second])
}

/// What the four numbers of a measurement are called.
pub(super) fn names(run: &RunView) -> Option<[String; 4]> {
    let chains: &MarkovState = run.state()?;
    let best = chains.way().map_or(MISSING.into(), |(_, (strategy, _))| strategy.name().to_lowercase());
    let way = tr!("Progress towards the KL of the {best} strategy", best);
    Some([tr!("Loss, training").into(), tr!("KL to the truth").into(), tr!("Accuracy, training").into(), way])
}

/// "the network is nearest to the unigram strategy. KL 0.091, unigram 0.088, bigram 0.018".
pub(super) fn learning(run: &RunView) -> Option<String> {
    let chains = run.state::<MarkovState>()?;
    let row = run.history.last()?;
    let kl = spread(&row.test_loss).0;
    let near = nearest(row, chains.task.order)
        .map(|of| tr!("the network is nearest to the {strategy} strategy. ", strategy = curves::name(of)));
    let (before, best) = chains.way()?;
    let line = |(strategy, kl): (Strategy, f64)| {
        format!("{} {}", strategy.name().to_lowercase(), decimal(kl as f32))
    };
    let lines: Vec<String> = before.into_iter().chain([best]).map(line).collect();
    let median = if run.spec().run.replicas > 1 { tr!(" in the median") } else { "" };
    Some(tr!(
        "{near}KL {kl}{median}, {lines}",
        near = near.unwrap_or_default(),
        kl = decimal(kl),
        median,
        lines = lines.join(", ")
    ))
}

/// From which score on attention shows an induction head, for the previous-token score and for the induction score.
///
/// Uniform attention has an induction score of about 0.6 for two symbols, since most positions then follow an occurrence of
/// the last symbol.
const FORMED: f32 = 0.8;

/// "Target reached{who} {at}: the KL is more than half-way from the unigram KL to the bigram KL.", and what the attention
/// scores show of an induction head.
pub(super) fn found(run: &RunView, networks: &str, at: &str) -> Option<String> {
    let chains: &MarkovState = run.state()?;
    let many = run.spec().run.replicas > 1;
    let who = if many { tr!(" by {networks},", networks) } else { String::new() };
    let (before, (best, _)) = chains.way()?;
    let best = best.name().to_lowercase();
    let target = run.spec().run.target;
    let reached = match before {
        None => tr!("Target reached{who} {at}: the KL is at most the {to} KL.", who, at, to = best),
        Some((before, _)) => {
            let way = match target == 0.5 {
                true => tr!("more than half-way").into(),
                false => tr!("at least {target} of the way", target = percent(target as f32)),
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
    let attention = attention(run, chains, many);
    Some([Some(reached), attention].into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Whether the newest attention scores show an induction head; nothing where there are no such scores.
fn attention(run: &RunView, chains: &MarkovState, many: bool) -> Option<String> {
    let [previous, induction] = [ChainMeasure::Previous, ChainMeasure::Induction].map(|of| newest(run, of));
    if chains.heads().len() < 2 || !previous.is_finite() || !induction.is_finite() {
        return None;
    }
    let step = thousands(run.history.last()?.step);
    let scores = match many {
        true => tr!(
            "at step {step} the median previous-token score is {previous} and the median induction score is {induction}",
            step,
            previous = decimal(previous),
            induction = decimal(induction)
        ),
        false => tr!(
            "at step {step} the previous-token score is {previous} and the induction score is {induction}",
            step,
            previous = decimal(previous),
            induction = decimal(induction)
        ),
    };
    let least = decimal(FORMED);
    Some(match previous >= FORMED && induction >= FORMED {
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
