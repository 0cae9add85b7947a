//! What theory says of a run on prompts: floors of few heads, and the span of its sample.

use vivarium_core::bounds::{SLICE, product};
use vivarium_core::settings::Value;
use vivarium_model::models::Family;
use vivarium_model::models::token_attention::Beginning;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, Form, Sampler, SparseTokenRegression, Task};
use vivarium_science::tokens::theory::heads::min_relative_risk;
use vivarium_science::tokens::theory::oracle::PromptSpan;
use vivarium_science::tokens::theory::retrieval::{evaluate_lookup, leak_decay_rate};
use vivarium_science::tokens::{NameLists, TeacherKind, TokenPrompts};

/// The task of a run on prompts.
pub fn task(spec: &RunSpec) -> Option<&SparseTokenRegression> {
    match &spec.task {
        Task::SparseTokenRegression(task) => Some(task),
        _ => None,
    }
}

/// The value of a whole-numbered setting of the model.
pub fn whole(spec: &RunSpec, key: &str) -> Option<usize> {
    match spec.model.value(key) {
        Some(Value::Int(value)) => Some(value as usize),
        _ => None,
    }
}

/// Whether a setting of the model has this value.
fn is(spec: &RunSpec, key: &str, slug: &str) -> bool {
    matches!(spec.model.value(key), Some(Value::Choice(chosen)) if chosen == slug)
}

/// Whether theory knows how far heads can come on a run's task.
///
/// # Errors
/// A sentence that says why not.
pub fn has_floor(spec: &RunSpec) -> Result<(), String> {
    let task = task(spec).ok_or(Form::Prompt.only())?;
    if task.function != TeacherKind::Squares {
        return Err(tr!(
            "The theoretical lower bound is known only if the labels are sums of centred squares."
        )
        .into());
    }
    match is(spec, "scores", "positions") {
        true => Ok(()),
        false => Err(tr!(
            "The theoretical lower bound is known only for heads with scores that depend on positions alone."
        )
        .into()),
    }
}

/// The relative error that networks of this run cannot get below with `heads` heads; none where
/// [theory does not know it](has_floor).
pub fn floor(spec: &RunSpec, heads: usize) -> Option<f64> {
    has_floor(spec).ok()?;
    min_relative_risk(&task(spec)?.drawn(), spec.run.seed, heads)
}

/// The floors of fewer heads than names that are above zero, with the heads; none where
/// [theory does not know them](has_floor).
pub fn floors(spec: &RunSpec) -> Vec<(usize, f64)> {
    let names = task(spec).map_or(0, |task| task.names);
    let all = (1..names).filter_map(|heads| Some((heads, floor(spec, heads)?)));
    all.filter(|(_, floor)| *floor > 0.0).collect()
}

/// The codes of positions of a run's prompts; none where there are so many that comparing all of them takes too long.
fn compared(spec: &RunSpec) -> Option<(TokenPrompts, Vec<f32>)> {
    let prompts = task(spec)?.drawn();
    let each = product([prompts.length, prompts.length, prompts.code_dim]);
    (each <= SLICE).then(|| (prompts, prompts.draw_position_codes(spec.run.seed)))
}

/// The largest inner product of two codes of a run, on which it depends whether the bound of lemma 11 holds: up to 1/2 it
/// does. None where comparing all codes takes too long.
pub fn closest_codes(spec: &RunSpec) -> Option<f64> {
    let (prompts, codes) = compared(spec)?;
    Some(1.0 - leak_decay_rate(&codes, prompts.code_dim))
}

/// The sharpness α of attention that is set by hand, and the least share of a head's attention that a named token gets, of
/// all positions that can be named. None of other networks, and where computing it takes too long.
pub fn set_by_hand(spec: &RunSpec) -> Option<(f64, f64)> {
    let Some(Family::TokenAttention(net)) = spec.model.config().family() else { return None };
    if net.begin != Beginning::Construction {
        return None;
    }
    let (prompts, codes) = compared(spec)?;
    let alpha = net.sharpness(&prompts);
    let beta = alpha * f64::from(prompts.code_scale()).powi(2);
    Some((alpha, 1.0 - evaluate_lookup(&codes, prompts.code_dim, beta).max_leak))
}

/// Whether a run is of theorem 6: a feedforward network, and labels ⟨u, x_t⟩ with one name t for all positions.
///
/// # Errors
/// A sentence that says why not.
pub fn has_span(spec: &RunSpec) -> Result<(), String> {
    let is_its_task = task(spec).is_some_and(|task| {
        task.names == 1
            && task.lists == NameLists::Shared
            && task.function == TeacherKind::Linear
            && task.noise == 0.0
    });
    match (is_its_task, spec.model.config().family()) {
        (true, Some(Family::TokenMlp(_))) => Ok(()),
        (true, _) => Err(tr!("Theorem 6 applies only to feedforward networks.").into()),
        (false, _) => Err(tr!(
            "Theorem 6 applies only if each position contains one name (q = 1), this name is the same at all positions, the target function is linear and the labels have no noise."
        )
        .into()),
    }
}

/// What the oracle of theorem 6 cannot tell from the span of the first n prompts of the run's own sample, for n = 0, 1, …:
/// it knows u and t, and sees tokens through that span alone. Empty without a sample, or where it takes too long.
pub fn outside_span(spec: &RunSpec) -> Vec<f64> {
    let Some((task, m)) = task(spec).zip(spec.task.examples().sample_size()) else { return vec![] };
    let prompts = task.drawn();
    let (teacher, size) = (prompts.teacher(spec.run.seed), prompts.length * prompts.dim);
    let Some(u) = teacher.linear_direction() else { return vec![] };
    let last = m.min(size);
    // Gram and Schmidt, twice.
    if product([2, last as u64, last as u64, size as u64]) > 2 * SLICE {
        return vec![];
    }
    let mut sample = Batch::default();
    task.finite_sample(spec.run.seed, 0, 0, last, &mut sample);
    let mut span = PromptSpan::new(prompts.length, u);
    let mut all = vec![1.0];
    for row in sample.x.chunks(prompts.row_len()) {
        let tokens: Vec<f64> = prompts.split_row(row).0.iter().map(|x| f64::from(*x)).collect();
        span.add_prompt(&tokens);
        all.push((1.0 - span.mean_captured_fraction()).max(0.0));
    }
    all
}
