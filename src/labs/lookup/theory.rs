//! Theory for runs on prompts: lower bounds on the error for few heads, and for the span of a sample.

use vivarium_core::bounds::{PAGE_SLICE_OPERATIONS, saturating_product};
use vivarium_core::settings::Value;
use vivarium_model::models::Family;
use vivarium_model::models::token_attention::Beginning;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Batch, ExampleForm, Sampler, SparseTokenRegression, Task};
use vivarium_science::tokens::theory::heads::min_relative_risk;
use vivarium_science::tokens::theory::oracle::PromptSpan;
use vivarium_science::tokens::theory::retrieval::{evaluate_lookup, leak_decay_rate};
use vivarium_science::tokens::{NameLists, TeacherKind, TokenPrompts};

/// Settings of the sparse token regression task of a run; `None` if the run trains on another task.
pub fn prompt_task(spec: &RunSpec) -> Option<&SparseTokenRegression> {
    match &spec.task {
        Task::SparseTokenRegression(task) => Some(task),
        _ => None,
    }
}

/// Value of the model's whole-numbered setting with key `key`; `None` if the model has no such setting.
pub fn read_count(spec: &RunSpec, key: &str) -> Option<usize> {
    match spec.model.value(key) {
        Some(Value::Int(value)) => Some(value as usize),
        _ => None,
    }
}

/// Whether the model of the run has a setting with key `key` whose chosen value is `slug`.
fn has_choice(spec: &RunSpec, key: &str, slug: &str) -> bool {
    matches!(spec.model.value(key), Some(Value::Choice(chosen)) if chosen == slug)
}

/// Returns an error message if no lower bound on the error of this run's network is known: there is one for labels that
/// are sums of centred squares and heads whose scores depend on positions only (proposition 21 of Mousavi-Hosseini et
/// al. 2025).
///
/// # Errors
///
/// A sentence that gives the reason.
pub fn check_has_lower_bound(spec: &RunSpec) -> Result<(), String> {
    let task = prompt_task(spec).ok_or(ExampleForm::Prompt.unavailable_reason())?;
    if task.function != TeacherKind::Squares {
        return Err(tr!(
            "The theoretical lower bound is known only if the labels are sums of centred squares."
        )
        .into());
    }
    match has_choice(spec, "scores", "positions") {
        true => Ok(()),
        false => Err(tr!(
            "The theoretical lower bound is known only for heads with scores that depend on positions alone."
        )
        .into()),
    }
}

/// Theoretical lower bound on the relative error of the run's network if it had `heads` heads, which is the smallest
/// error possible with them; 0 for at least as many heads as names, `None` if [there is none](check_has_lower_bound).
pub fn lower_bound(spec: &RunSpec, heads: usize) -> Option<f64> {
    check_has_lower_bound(spec).ok()?;
    min_relative_risk(&prompt_task(spec)?.prompt_spec(), spec.run.seed, heads)
}

/// Positive lower bounds on the relative error, as (number of heads, bound), for fewer heads than names (a name is a
/// position on whose token a label depends); empty if [there are none](check_has_lower_bound).
pub fn lower_bounds(spec: &RunSpec) -> Vec<(usize, f64)> {
    let names = prompt_task(spec).map_or(0, |task| task.names);
    let all = (1..names).filter_map(|heads| Some((heads, lower_bound(spec, heads)?)));
    all.filter(|(_, floor)| *floor > 0.0).collect()
}

/// Prompt settings and the codes (positional encodings) of all positions, `[length, code_dim]`; `None` if comparing all
/// pairs of codes takes too long.
fn codes_to_compare(spec: &RunSpec) -> Option<(TokenPrompts, Vec<f32>)> {
    let prompts = prompt_task(spec)?.prompt_spec();
    let each = saturating_product([prompts.length, prompts.length, prompts.code_dim]);
    (each <= PAGE_SLICE_OPERATIONS).then(|| (prompts, prompts.draw_position_codes(spec.run.seed)))
}

/// Largest inner product of the codes (positional encodings) of two positions, which lemma 11 of Mousavi-Hosseini et
/// al. 2025 requires to be at most 1/2; `None` if comparing all pairs takes too long.
pub fn max_code_product(spec: &RunSpec) -> Option<f64> {
    let (prompts, codes) = codes_to_compare(spec)?;
    Some(1.0 - leak_decay_rate(&codes, prompts.code_dim))
}

/// For attention weights that are set by hand at the start of the run: their sharpness α, and the smallest attention
/// weight that a head then gives to its named token, over all positions that can be named; `None` for other networks,
/// and if computing it takes too long.
pub fn hand_set_attention(spec: &RunSpec) -> Option<(f64, f64)> {
    let Some(Family::TokenAttention(net)) = spec.model.config().family() else { return None };
    if net.begin != Beginning::Construction {
        return None;
    }
    let (prompts, codes) = codes_to_compare(spec)?;
    let alpha = net.sharpness(&prompts);
    let beta = alpha * f64::from(prompts.code_scale()).powi(2);
    Some((alpha, 1.0 - evaluate_lookup(&codes, prompts.code_dim, beta).max_leak))
}

/// Returns an error message unless theorem 6 of Mousavi-Hosseini et al. 2025 covers the run: a feedforward network, and
/// noise-free labels ⟨u, x_t⟩, linear in the token x_t at one position t that all positions name.
///
/// # Errors
///
/// A sentence that gives the reason.
pub fn check_has_span_bound(spec: &RunSpec) -> Result<(), String> {
    let is_its_task = prompt_task(spec).is_some_and(|task| {
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

/// Lower bound of theorem 6 of Mousavi-Hosseini et al. 2025 on the relative error after n training prompts, for n = 0,
/// 1, …: the error of an oracle that knows the linear function u and the named position t but sees tokens only through
/// the span of the n prompts.
///
/// Empty without a finite sample, or if computing it takes too long.
pub fn span_lower_bounds(spec: &RunSpec) -> Vec<f64> {
    let Some((task, m)) = prompt_task(spec).zip(spec.task.examples().training_set_size()) else {
        return vec![];
    };
    let prompts = task.prompt_spec();
    let (teacher, size) = (prompts.teacher(spec.run.seed), prompts.length * prompts.dim);
    let Some(u) = teacher.linear_direction() else { return vec![] };
    let last = m.min(size);
    // Gram-Schmidt orthogonalisation, twice.
    if saturating_product([2, last as u64, last as u64, size as u64]) > 2 * PAGE_SLICE_OPERATIONS {
        return vec![];
    }
    let mut sample = Batch::default();
    task.append_training_set(spec.run.seed, 0, 0, last, &mut sample);
    let mut span = PromptSpan::new(prompts.length, u);
    let mut all = vec![1.0];
    for row in sample.x.chunks(prompts.row_len()) {
        let tokens: Vec<f64> = prompts.split_row(row).0.iter().map(|x| f64::from(*x)).collect();
        span.add_prompt(&tokens);
        all.push((1.0 - span.mean_captured_fraction()).max(0.0));
    }
    all
}
