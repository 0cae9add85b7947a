//! What the charts of networks on sequences show of the run, and say of it; as [`super::readings`] has it for all.

use super::chains::{MarkovState, Origin, Who};
use super::view::RunView;
use super::words::{MISSING, decimal, list, percent, significant};
use crate::analysis::chains::curves::{self, measured, nearest};
use crate::analysis::chains::looks::{self, Attention};
use crate::analysis::chains::{head_names, letter, parts, word};
use crate::analysis::curves::spread;
use crate::analysis::{Lines, Reading, theory};
use crate::catalog::chart::Chart;
use crate::language::translated;
use crate::markov::{Measure, Strategy};
use crate::models::Model;
use crate::models::attention_only::Positions;
use crate::tasks::markov::charts as markov_charts;

/// Steps of the theory that are drawn, the last ones.
const DRAWN_STEPS: usize = 3;
/// Longest sequence that is spelled out in a sentence.
const SPELLED: usize = 60;

/// Whether there is such a chart of networks on sequences.
///
/// # Errors
/// A sentence that says why not.
pub(super) fn applies(chart: Chart, run: &RunView) -> Result<(), String> {
    match (chart, &run.spec().model) {
        (markov_charts::MAP | markov_charts::SCORES | markov_charts::ABLATION, Model::AttentionOnly(_)) => {
            Ok(())
        }
        (markov_charts::MAP | markov_charts::SCORES | markov_charts::ABLATION, _) => {
            Err(tr!("This network has no heads.").into())
        }
        (markov_charts::DISTANCES, Model::AttentionOnly(net)) if net.positions == Positions::Absolute => {
            Err(tr!("Distances have weights where positions are relative.").into())
        }
        (markov_charts::KERNEL | markov_charts::LAGS | markov_charts::THEORY, Model::MinimalMarkov(_)) => {
            Ok(())
        }
        (markov_charts::KERNEL | markov_charts::LAGS | markov_charts::THEORY, _) => {
            Err(tr!("This is about the minimal model.").into())
        }
        (markov_charts::OTHERS, _) if run.chains.as_ref().is_some_and(|chains| chains.task.order > 2) => {
            Err(tr!("The other laws are of chains of order 2.").into())
        }
        _ => Ok(()),
    }
}

/// What one of these charts draws; axes without anything until something is found.
pub(super) fn reading(chart: Chart, run: &RunView) -> Option<Reading> {
    let chains = run.chains.as_deref()?;
    let (history, order) = (&run.history, chains.task.order);
    Some(match chart {
        markov_charts::TRUTH => {
            let name = |(strategy, kl): &(Strategy, f64)| (strategy.name().to_lowercase(), *kl);
            let lines: Vec<(String, f64)> = chains.lines.iter().map(name).collect();
            Reading::Lines(curves::truth(history, order, &lines))
        }
        markov_charts::STRATEGIES => Reading::Lines(curves::followed(history, order)),
        markov_charts::SCORES => Reading::Lines(curves::scores(history)),
        markov_charts::OTHERS => Reading::Lines(curves::others(history)),
        markov_charts::MAP => Reading::Grid(map(run, chains)),
        markov_charts::DISTANCES => Reading::Lines(parts::distances(chains.distances.iter())),
        markov_charts::ABLATION => Reading::Bars(parts::ablation(chains.heads(), chains.ablation.as_deref())),
        markov_charts::KERNEL => Reading::Grid(
            chains.minimal().map(|(w, _)| parts::kernel(chains.task.symbols, w)).unwrap_or_default(),
        ),
        markov_charts::LAGS => {
            Reading::Bars(chains.minimal().map(|(_, v)| parts::lags(v)).unwrap_or_default())
        }
        markov_charts::NEXT => {
            let expected = chains.expected(chains.place(&run.link.view));
            let network = expected.iter().position(|(who, _)| *who == Who::Network);
            let rows: Vec<_> = expected.into_iter().map(|(who, p)| (who.name(), p)).collect();
            Reading::Grid(looks::next(chains.task.symbols, &rows, network))
        }
        markov_charts::THEORY => Reading::Lines(by_theory(chains)),
        _ => return None,
    })
}

/// v by theory after its last steps, and that of the network.
fn by_theory(chains: &MarkovState) -> Lines {
    let Some((_, outcome)) = &chains.theory else { return Lines::default() };
    let after: Vec<(usize, &[f64])> =
        outcome.after.iter().enumerate().map(|(step, theory)| (step, theory.v.as_slice())).collect();
    let last = &after[after.len().saturating_sub(DRAWN_STEPS)..];
    theory::lags(last, chains.minimal().map(|(_, v)| v))
}

fn map(run: &RunView, chains: &MarkovState) -> crate::analysis::Grid {
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
pub(super) fn map_title(run: &RunView) -> Option<String> {
    let names = run.chains.as_ref()?.head_names();
    let name = names.get(run.link.view.head.checked_sub(1)?)?;
    Some(tr!("Attention map, head {name}", name))
}

/// The median over replicas of a measure in the newest row; not a number where there is none.
fn newest(run: &RunView, of: Measure) -> f32 {
    run.history.last().map_or(f32::NAN, |row| spread(measured(row, of)).0)
}

/// What is seen, for those who do not see it.
pub(super) fn summary(chart: Chart, run: &RunView) -> Option<String> {
    let chains = run.chains.as_deref()?;
    let order = chains.task.order;
    Some(match chart {
        markov_charts::TRUTH => {
            let line = |(strategy, kl): &(Strategy, f64)| {
                tr!(
                    "{kl} for the {strategy} strategy",
                    kl = significant(*kl),
                    strategy = strategy.name().to_lowercase()
                )
            };
            let lines: Vec<String> = chains.lines.iter().map(line).collect();
            let near = run.history.last().and_then(|row| nearest(row, order));
            let near = near
                .map(|of| tr!("; the network is nearest to the {strategy} one", strategy = curves::name(of)));
            let kl = run.history.last().map_or(f32::NAN, |row| spread(&row.test_loss).0);
            tr!(
                "KL of the truth is {network} to the network, {strategies}{near}.",
                network = decimal(kl),
                strategies = list(&lines),
                near = near.unwrap_or_default()
            )
        }
        markov_charts::STRATEGIES => {
            let one = |of: &Measure| {
                tr!(
                    "{kl} from the {strategy} strategy",
                    kl = decimal(newest(run, *of)),
                    strategy = curves::name(*of)
                )
            };
            let all: Vec<String> = curves::strategies(order).iter().map(one).collect();
            tr!("KL to the network: {all}.", all = list(&all))
        }
        markov_charts::SCORES => tr!(
            "Attention on the symbol before: {previous}; of the last symbol on those after its earlier \
             copies: {induction}.",
            previous = decimal(newest(run, Measure::Previous)),
            induction = decimal(newest(run, Measure::Induction))
        ),
        markov_charts::OTHERS => {
            let laws = [Measure::OnDirichlet, Measure::OnIndependent, Measure::OnDoubly];
            let one = |of: Measure| {
                tr!(
                    "{kl} on {law}",
                    kl = decimal(newest(run, of)),
                    law = translated(Measure::OPTIONS[of as usize].label)
                )
            };
            tr!("KL to the truth: {all}.", all = list(&laws.map(one)))
        }
        markov_charts::MAP => {
            let place = chains.place(&run.link.view);
            let looks = chains.glances(place).into_iter().map(|glance| {
                let most = (0..=place).max_by(|a, b| glance.weights[*a].total_cmp(&glance.weights[*b]));
                let at = most.unwrap_or(0);
                let share = percent(glance.weights[at] as f32);
                tr!(
                    "head {head} looks mostly at symbol {at}, with {share}",
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
        markov_charts::DISTANCES => {
            let largest = |(name, weights): (String, &Vec<f64>)| {
                let most = (0..weights.len()).max_by(|a, b| weights[*a].total_cmp(&weights[*b]));
                let at = most.unwrap_or(0);
                let who = if name.is_empty() { String::new() } else { tr!(" in head {name}", name) };
                tr!(
                    "{at}{who} with {weight}",
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
            tr!("The distance of most weight is {all}, where 1 is even.", all = list(&all))
        }
        markov_charts::ABLATION => match chains.ablation.as_deref() {
            Some([whole, without @ ..]) => {
                let one = |(kl, name): (&f32, String)| tr!("{kl} without {name}", kl = decimal(*kl), name);
                let all: Vec<String> = without.iter().zip(chains.head_names()).map(one).collect();
                tr!(
                    "KL to the truth: {whole} of the whole network, {all}.",
                    whole = decimal(*whole),
                    all = list(&all)
                )
            }
            _ => tr!("The heads have not been left out yet.").into(),
        },
        markov_charts::KERNEL => {
            let (w, _) = chains.minimal()?;
            let k = chains.task.symbols;
            let mean = |own: bool| {
                let cells = w.iter().enumerate().filter(|(at, _)| (at / k == at % k) == own);
                let values: Vec<f32> = cells.map(|(_, w)| *w).collect();
                decimal(values.iter().sum::<f32>() / values.len().max(1) as f32)
            };
            tr!(
                "W is {diagonal} on the diagonal and {off_diagonal} elsewhere, on average.",
                diagonal = mean(true),
                off_diagonal = mean(false)
            )
        }
        markov_charts::LAGS => {
            let (_, v) = chains.minimal()?;
            let most = (0..v.len()).max_by(|a, b| v[*a].total_cmp(&v[*b])).unwrap_or(0);
            tr!(
                "v is largest at distance {most}, {value}.",
                most,
                value = v.get(most).map_or(MISSING.into(), |v| decimal(*v))
            )
        }
        markov_charts::NEXT => {
            let place = chains.place(&run.link.view);
            let one = |(who, p): (Who, Vec<f64>)| {
                let most = (0..p.len()).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap_or(0);
                tr!(
                    "{who} {symbol} with {share}",
                    who = who.name(),
                    symbol = letter(most),
                    share = percent(p[most] as f32)
                )
            };
            let all: Vec<String> = chains.expected(place).into_iter().map(one).collect();
            tr!(
                "Most likely after symbol {place} of {sequence}: {all}.",
                place = place + 1,
                sequence = sequence(chains),
                all = list(&all)
            )
        }
        markov_charts::THEORY => chains.theory.as_ref().map(|(_, outcome)| outcome.texts.join(" "))?,
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
        true => tr!("{of} of {symbols} symbols", of, symbols = symbols.len()),
        false => format!("{of}, {}", word(symbols)),
    }
}

/// Two numbers with their names: KL in units of the last strategy's, and the previous-token score, or of the minimal
/// model v at distance 1 over v at 0.
pub(super) fn extra(run: &RunView, chains: &MarkovState, which: usize) -> (String, String) {
    if which == 0 {
        let line = chains.lines.last();
        let name = line.map_or(MISSING.into(), |(strategy, _)| strategy.name().to_lowercase());
        let kl = run.history.last().map_or(f32::NAN, |row| spread(&row.test_loss).0);
        let share = kl / line.map_or(f32::NAN, |(_, kl)| *kl as f32);
        return (
            tr!("KL / {strategy} line", strategy = name),
            if share.is_finite() { decimal(share) } else { MISSING.into() },
        );
    }
    let Some((_, v)) = chains.minimal() else {
        return (tr!("Previous-token score").into(), decimal(newest(run, Measure::Previous)));
    };
    // What is not watched stands still at the start.
    let is_new = chains.step > 0 || run.step == 0;
    let ratio = v[1] / v[0];
    ("v₁ / v₀".into(), if is_new && ratio.is_finite() { decimal(ratio) } else { MISSING.into() })
}

/// "nearest to the unigram strategy. KL 0.091, unigram 0.088, bigram 0.018".
pub(super) fn learning(run: &RunView) -> Option<String> {
    let chains = run.chains.as_deref()?;
    let row = run.history.last()?;
    let kl = spread(&row.test_loss).0;
    let near = nearest(row, chains.task.order)
        .map(|of| tr!("nearest to the {strategy} strategy. ", strategy = curves::name(of)));
    let lines = chains.way()?;
    let [below, best] =
        lines.map(|(strategy, kl)| format!("{} {}", strategy.name().to_lowercase(), decimal(kl as f32)));
    let median = if run.spec().run.replicas > 1 { tr!(" in the median") } else { "" };
    Some(tr!(
        "{near}KL {kl}{median}, {below}, {best}",
        near = near.unwrap_or_default(),
        kl = decimal(kl),
        median,
        below,
        best
    ))
}

/// "The induction head formed{who} {at}: KL is more than half-way from unigram to bigram."
pub(super) fn found(run: &RunView, who: &str, at: &str) -> Option<String> {
    let chains = run.chains.as_deref()?;
    let [below, best] = chains.way()?.map(|(strategy, _)| strategy.name());
    let what = match chains.heads().len() {
        0 | 1 => tr!("{best}s are learned", best),
        _ => tr!("The induction head formed").into(),
    };
    let target = run.spec().run.target;
    let way = match target == 0.5 {
        true => tr!("more than half-way").into(),
        false => tr!("at least {target} of the way", target = percent(target as f32)),
    };
    Some(tr!(
        "{what}{who} {at}: KL is {way} from {from} to {to}.",
        what,
        who,
        at,
        way,
        from = below.to_lowercase(),
        to = best.to_lowercase()
    ))
}
