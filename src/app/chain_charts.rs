//! What the charts of networks on sequences show of the state, and say of it; as [`super::readings`] has it for all.

use super::chains::{Chains, Origin, Who};
use super::state::State;
use super::words::{MISSING, decimal, list, percent, significant};
use crate::analysis::chains::curves::{self, measured, nearest};
use crate::analysis::chains::looks::{self, Attention};
use crate::analysis::chains::{head_names, letter, parts, word};
use crate::analysis::chart::Chart;
use crate::analysis::curves::spread;
use crate::analysis::{Lines, Reading, theory};
use crate::markov::{Measure, Strategy};
use crate::models::Model;
use crate::models::attention_only::Positions;

/// Steps of the theory that are drawn, the last ones.
const DRAWN_STEPS: usize = 3;
/// Longest sequence that is spelled out in a sentence.
const SPELLED: usize = 60;

/// Whether there is such a chart of networks on sequences.
///
/// # Errors
/// A sentence that says why not.
pub(super) fn applies(chart: Chart, state: &State) -> Result<(), String> {
    match (chart, &state.spec().model) {
        (Chart::Map | Chart::Scores | Chart::Ablation, Model::AttentionOnly(_)) => Ok(()),
        (Chart::Map | Chart::Scores | Chart::Ablation, _) => Err("This network has no heads.".into()),
        (Chart::Distances, Model::AttentionOnly(net)) if net.positions == Positions::Absolute => {
            Err("Distances have weights where positions are relative.".into())
        }
        (Chart::Kernel | Chart::Lags | Chart::Theory, Model::MinimalMarkov(_)) => Ok(()),
        (Chart::Kernel | Chart::Lags | Chart::Theory, _) => Err("This is about the minimal model.".into()),
        (Chart::Others, _) if state.chains.as_ref().is_some_and(|chains| chains.task.order > 2) => {
            Err("The other laws are of chains of order 2.".into())
        }
        _ => Ok(()),
    }
}

/// What one of these charts draws; axes without anything until something is found.
pub(super) fn reading(chart: Chart, state: &State) -> Option<Reading> {
    let chains = state.chains.as_deref()?;
    let (history, order) = (&state.history, chains.task.order);
    Some(match chart {
        Chart::Truth => {
            let name = |(strategy, kl): &(Strategy, f64)| (strategy.name().to_lowercase(), *kl);
            let lines: Vec<(String, f64)> = chains.lines.iter().map(name).collect();
            Reading::Lines(curves::truth(history, order, &lines))
        }
        Chart::Strategies => Reading::Lines(curves::followed(history, order)),
        Chart::Scores => Reading::Lines(curves::scores(history)),
        Chart::Others => Reading::Lines(curves::others(history)),
        Chart::Map => Reading::Grid(map(state, chains)),
        Chart::Distances => Reading::Lines(parts::distances(chains.distances.iter())),
        Chart::Ablation => Reading::Bars(parts::ablation(chains.heads(), chains.ablation.as_deref())),
        Chart::Kernel => Reading::Grid(
            chains.minimal().map(|(w, _)| parts::kernel(chains.task.symbols, w)).unwrap_or_default(),
        ),
        Chart::Lags => Reading::Bars(chains.minimal().map(|(_, v)| parts::lags(v)).unwrap_or_default()),
        Chart::Next => {
            let expected = chains.expected(chains.place(&state.link.view));
            let network = expected.iter().position(|(who, _)| *who == Who::Network);
            let rows: Vec<_> = expected.into_iter().map(|(who, p)| (who.name(), p)).collect();
            Reading::Grid(looks::next(chains.task.symbols, &rows, network))
        }
        Chart::Theory => Reading::Lines(by_theory(chains)),
        _ => return None,
    })
}

/// v by theory after its last steps, and that of the network.
fn by_theory(chains: &Chains) -> Lines {
    let Some((_, outcome)) = &chains.theory else { return Lines::default() };
    let after: Vec<(usize, &[f64])> =
        outcome.after.iter().enumerate().map(|(step, theory)| (step, theory.v.as_slice())).collect();
    let last = &after[after.len().saturating_sub(DRAWN_STEPS)..];
    theory::lags(last, chains.minimal().map(|(_, v)| v))
}

fn map(state: &State, chains: &Chains) -> crate::analysis::Grid {
    let view = &state.link.view;
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
pub(super) fn map_title(state: &State) -> Option<String> {
    let names = state.chains.as_ref()?.head_names();
    let name = names.get(state.link.view.head.checked_sub(1)?)?;
    Some(format!("Attention map, head {name}"))
}

/// The median over replicas of a measure in the newest row; not a number where there is none.
fn newest(state: &State, of: Measure) -> f32 {
    state.history.last().map_or(f32::NAN, |row| spread(measured(row, of)).0)
}

/// What is seen, for those who do not see it.
pub(super) fn summary(chart: Chart, state: &State) -> Option<String> {
    let chains = state.chains.as_deref()?;
    let order = chains.task.order;
    Some(match chart {
        Chart::Truth => {
            let line = |(strategy, kl): &(Strategy, f64)| {
                format!("{} for the {} strategy", significant(*kl), strategy.name().to_lowercase())
            };
            let lines: Vec<String> = chains.lines.iter().map(line).collect();
            let near = state.history.last().and_then(|row| nearest(row, order));
            let near = near.map(|of| format!("; the network is nearest to the {} one", curves::name(of)));
            let kl = state.history.last().map_or(f32::NAN, |row| spread(&row.test_loss).0);
            format!(
                "KL of the truth is {} to the network, {}{}.",
                decimal(kl),
                list(&lines),
                near.unwrap_or_default()
            )
        }
        Chart::Strategies => {
            let one = |of: &Measure| {
                format!("{} from the {} strategy", decimal(newest(state, *of)), curves::name(*of))
            };
            let all: Vec<String> = curves::strategies(order).iter().map(one).collect();
            format!("KL to the network: {}.", list(&all))
        }
        Chart::Scores => format!(
            "Attention on the symbol before: {}; of the last symbol on those after its earlier copies: {}.",
            decimal(newest(state, Measure::Previous)),
            decimal(newest(state, Measure::Induction))
        ),
        Chart::Others => {
            let laws = [Measure::OnDirichlet, Measure::OnIndependent, Measure::OnDoubly];
            let one = |of: Measure| {
                format!("{} on {}", decimal(newest(state, of)), Measure::OPTIONS[of as usize].label)
            };
            format!("KL to the truth: {}.", list(&laws.map(one)))
        }
        Chart::Map => {
            let place = chains.place(&state.link.view);
            let looks = chains.glances(place).into_iter().map(|glance| {
                let most = (0..=place).max_by(|a, b| glance.weights[*a].total_cmp(&glance.weights[*b]));
                let at = most.unwrap_or(0);
                let share = percent(glance.weights[at] as f32);
                format!("head {} looks mostly at symbol {}, with {share}", glance.name, at + 1)
            });
            let looks: Vec<String> = looks.collect();
            format!("Attention on {}. At symbol {}, {}.", sequence(chains), place + 1, list(&looks))
        }
        Chart::Distances => {
            let largest = |(name, weights): (String, &Vec<f64>)| {
                let most = (0..weights.len()).max_by(|a, b| weights[*a].total_cmp(&weights[*b]));
                let at = most.unwrap_or(0);
                let who = if name.is_empty() { String::new() } else { format!(" in head {name}") };
                format!("{at}{who} with {}", significant(weights.get(at).copied().unwrap_or(f64::NAN)))
            };
            let newest = chains.distances.newest().map(|(_, heads)| heads.as_slice()).unwrap_or_default();
            let names = match newest.len() {
                1 => vec![String::new()],
                count => head_names(&[count]),
            };
            let all: Vec<String> = names.into_iter().zip(newest).map(largest).collect();
            format!("The distance of most weight is {}, where 1 is even.", list(&all))
        }
        Chart::Ablation => match chains.ablation.as_deref() {
            Some([whole, without @ ..]) => {
                let one = |(kl, name): (&f32, String)| format!("{} without {name}", decimal(*kl));
                let all: Vec<String> = without.iter().zip(chains.head_names()).map(one).collect();
                format!("KL to the truth: {} of the whole network, {}.", decimal(*whole), list(&all))
            }
            _ => "The heads have not been left out yet.".into(),
        },
        Chart::Kernel => {
            let (w, _) = chains.minimal()?;
            let k = chains.task.symbols;
            let mean = |own: bool| {
                let cells = w.iter().enumerate().filter(|(at, _)| (at / k == at % k) == own);
                let values: Vec<f32> = cells.map(|(_, w)| *w).collect();
                decimal(values.iter().sum::<f32>() / values.len().max(1) as f32)
            };
            format!("W is {} on the diagonal and {} elsewhere, on average.", mean(true), mean(false))
        }
        Chart::Lags => {
            let (_, v) = chains.minimal()?;
            let most = (0..v.len()).max_by(|a, b| v[*a].total_cmp(&v[*b])).unwrap_or(0);
            format!(
                "v is largest at distance {most}, {}.",
                v.get(most).map_or(MISSING.into(), |v| decimal(*v))
            )
        }
        Chart::Next => {
            let place = chains.place(&state.link.view);
            let one = |(who, p): (Who, Vec<f64>)| {
                let most = (0..p.len()).max_by(|a, b| p[*a].total_cmp(&p[*b])).unwrap_or(0);
                format!("{} {} with {}", who.name(), letter(most), percent(p[most] as f32))
            };
            let all: Vec<String> = chains.expected(place).into_iter().map(one).collect();
            format!("Most likely after symbol {} of {}: {}.", place + 1, sequence(chains), list(&all))
        }
        Chart::Theory => chains.theory.as_ref().map(|(_, outcome)| outcome.texts.join(" "))?,
        _ => return None,
    })
}

/// "held-out sequence 1, abba".
fn sequence(chains: &Chains) -> String {
    let symbols = &chains.inspected.symbols;
    let of = match chains.inspected.origin {
        Origin::Own => "your own sequence".into(),
        Origin::Drawn(number) => format!("sequence {number} of your chain"),
        Origin::HeldOut(number) => format!("held-out sequence {number}"),
    };
    match symbols.len() > SPELLED {
        true => format!("{of} of {} symbols", symbols.len()),
        false => format!("{of}, {}", word(symbols)),
    }
}

/// Two numbers with their names: KL in units of the last strategy's, and the previous-token score, or of the minimal
/// model v at distance 1 over v at 0.
pub(super) fn extra(state: &State, chains: &Chains, which: usize) -> (String, String) {
    if which == 0 {
        let line = chains.lines.last();
        let name = line.map_or(MISSING.into(), |(strategy, _)| strategy.name().to_lowercase());
        let kl = state.history.last().map_or(f32::NAN, |row| spread(&row.test_loss).0);
        let share = kl / line.map_or(f32::NAN, |(_, kl)| *kl as f32);
        return (
            format!("KL / {name} line"),
            if share.is_finite() { decimal(share) } else { MISSING.into() },
        );
    }
    let Some((_, v)) = chains.minimal() else {
        return ("Previous-token score".into(), decimal(newest(state, Measure::Previous)));
    };
    // What is not watched stands still at the start.
    let is_new = chains.step > 0 || state.step == 0;
    let ratio = v[1] / v[0];
    ("v₁ / v₀".into(), if is_new && ratio.is_finite() { decimal(ratio) } else { MISSING.into() })
}

/// "nearest to the unigram strategy. KL 0.091, unigram 0.088, bigram 0.018".
pub(super) fn learning(state: &State) -> Option<String> {
    let chains = state.chains.as_deref()?;
    let row = state.history.last()?;
    let kl = spread(&row.test_loss).0;
    let near =
        nearest(row, chains.task.order).map(|of| format!("nearest to the {} strategy. ", curves::name(of)));
    let lines = chains.way()?;
    let [below, best] =
        lines.map(|(strategy, kl)| format!("{} {}", strategy.name().to_lowercase(), decimal(kl as f32)));
    let median = if state.spec().run.replicas > 1 { " in the median" } else { "" };
    Some(format!("{}KL {}{median}, {below}, {best}", near.unwrap_or_default(), decimal(kl)))
}

/// "The induction head formed{who} {at}: KL is more than half-way from unigram to bigram."
pub(super) fn found(state: &State, who: &str, at: &str) -> Option<String> {
    let chains = state.chains.as_deref()?;
    let [below, best] = chains.way()?.map(|(strategy, _)| strategy.name());
    let what = match chains.heads().len() {
        0 | 1 => format!("{best}s are learned"),
        _ => "The induction head formed".into(),
    };
    let target = state.spec().run.target;
    let way = match target == 0.5 {
        true => "more than half-way".into(),
        false => format!("at least {} of the way", percent(target as f32)),
    };
    Some(format!("{what}{who} {at}: KL is {way} from {} to {}.", below.to_lowercase(), best.to_lowercase()))
}
