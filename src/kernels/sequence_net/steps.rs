//! The kernels: the gradients of a batch, a workgroup to a sequence; their sum and the update; and answers to contexts
//! that are not trained on.

use cubecl::prelude::*;

use super::NO_RECORD;
use super::backward::{answer, backward, read_out};
use super::forward::forward;
use super::minimal;
use super::pieces::barrier;
use super::plan::{Attention, Kind, LANES, Plan};
use super::sampling::LINE;
use crate::pieces::{SCHEDULE_HEAD, SCHEDULE_STEP, update_where};

/// Numbers of a measurement: loss, right answers, broken losses, and the number of the launch.
pub const FIELDS: usize = 4;

/// The layers of a network that has some.
fn layers(plan: &Plan) -> Attention {
    match plan.network.kind {
        Kind::Attention(net) => net,
        Kind::Minimal => Attention { hidden: 1, layers: 1, heads: [1, 0, 0, 0], absolute: true, norm: false },
    }
}

/// The gradients of step number `step` of those in `symbols`, by group `CUBE_POS_X` of the network of line `CUBE_POS_Y`.
///
/// `state` is `[networks, state]`, `mirror` `[networks, parameters]` with rows and columns exchanged, `symbols` `[steps,
/// lines, batch, length + 1]`, `work` `[lines, groups, work]`, `gradients` `[lines, groups, parameters]`. If there is a
/// `record` to be written, `measures`, `[records, lines, groups, 4]`, takes sums of loss, right answers and broken
/// losses, and `nonce`.
#[cube(launch_unchecked)]
pub fn gradient_all(
    state: &[f32],
    mirror: &[f32],
    symbols: &[u32],
    table: &[u32],
    work: &mut [f32],
    gradients: &mut [f32],
    measures: &mut [f32],
    step: u32,
    record: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let (t, batch) = comptime!((plan.network.length, plan.network.batch));
    let net = comptime!(layers(&plan));
    let minimal = comptime!(plan.network.kind == Kind::Minimal);
    let lane = UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    let group = CUBE_POS_X as usize;
    let place = line * comptime!(plan.groups) + group;
    let network = table[line * LINE] as usize;
    let base = network * comptime!(plan.network.state());
    let other = network * comptime!(plan.network.parameters());
    let work_at = place * comptime!(plan.work());
    let to = place * comptime!(plan.network.parameters());
    let mut sequence = Shared::<[u32]>::new_slice(comptime!(t + 1));
    let mut room = Shared::<[f32]>::new_slice(comptime!(plan.room()));
    let mut loss = 0.0f32;
    let mut right = 0.0f32;
    let mut wrong = 0.0f32;
    let mut made = 0u32;
    for round in 0..comptime!(plan.rounds()) {
        let example = group + round * comptime!(plan.groups);
        // The same for the whole workgroup, so the barriers inside are met by all lanes or by none.
        if example < batch {
            let from = ((step as usize * CUBE_COUNT_Y as usize + line) * batch + example) * comptime!(t + 1);
            let mut i = lane;
            while i <= t {
                sequence[i] = symbols[from + i];
                i += LANES;
            }
            sync_cube();
            if comptime!(minimal) {
                minimal::forward(state, base, work, work_at, &sequence, plan);
                let (position_loss, ahead, broken) = minimal::read_out(work, work_at, &sequence, plan);
                loss += position_loss;
                right += ahead;
                wrong += broken;
                minimal::backward(state, base, work, work_at, &sequence, gradients, to, round == 0, plan);
            } else {
                forward(state, base, mirror, other, work, work_at, &sequence, &mut room, net, plan);
                let (position_loss, ahead, broken) =
                    read_out(state, base, work, work_at, &sequence, net, plan);
                loss += position_loss;
                right += ahead;
                wrong += broken;
                backward(
                    state,
                    base,
                    mirror,
                    other,
                    work,
                    work_at,
                    &sequence,
                    &mut room,
                    gradients,
                    to,
                    round == 0,
                    net,
                    plan,
                );
            }
        }
        made += 1u32;
    }
    if record != NO_RECORD {
        room[lane] = loss;
        room[LANES + lane] = right;
        room[2 * LANES + lane] = wrong;
        sync_cube();
        let at = (record as usize * CUBE_COUNT_Y as usize * comptime!(plan.groups) + place) * FIELDS;
        if lane < 3 {
            let mut total = 0.0f32;
            for i in 0..LANES {
                total += room[lane * LANES + i];
            }
            measures[at + lane] = total;
        }
        // Some compilers end a loop that turns too often; then there is no proof.
        if lane == 3 && made == comptime!(plan.rounds() as u32) {
            measures[at + 3] = f32::cast_from(nonce);
        }
    }
}

/// Sums the gradients of parameter `CUBE_POS_X`·lanes + lane of the network of line `CUBE_POS_Y` over the groups, in their
/// order, and applies them as row `row` of its schedule says.
///
/// `places` holds for each parameter twice its place in `mirror`, and one more if weight decay pulls on it. With `proof`,
/// `measures` takes `nonce` at `at` and further on, one for each workgroup.
#[cube(launch_unchecked)]
pub fn update_all(
    state: &mut [f32],
    mirror: &mut [f32],
    gradients: &[f32],
    schedule: &[f32],
    places: &[u32],
    table: &[u32],
    measures: &mut [f32],
    row: u32,
    proof: u32,
    at: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let parameters = comptime!(plan.network.parameters());
    let which = CUBE_POS_X as usize * LANES + UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    let network = table[line * LINE] as usize;
    let head = table[line * LINE + 2] as usize;
    let base = network * comptime!(plan.network.state());
    let row = head + comptime!(SCHEDULE_HEAD) + row as usize * comptime!(SCHEDULE_STEP);
    if which < parameters {
        let mut from = line * comptime!(plan.groups * plan.network.parameters()) + which;
        let mut g = 0.0f32;
        for _ in 0..comptime!(plan.groups) {
            g += gradients[from];
            from += parameters;
        }
        let entry = places[which];
        let (to, at) = (network * parameters + (entry >> 1u32) as usize, base + which);
        let (decays, rule) = (entry & 1u32 == 1u32, comptime!(plan.network.rule));
        let value = update_where(state, at, parameters, g, decays, schedule, head, row, rule);
        mirror[to] = value;
    }
    if proof == 1u32 && UNIT_POS == 0u32 {
        measures[at as usize + CUBE_POS] = f32::cast_from(nonce);
    }
}

/// Answers to the run's own `contexts`, `[runs, count, length]`, from context number `begin` on, `turns` for each group.
///
/// `answers` takes, from `at` on, logits and `nonce` of each, `[lines, count, symbols + 1]`, then of the first
/// `scored` the two scores of each head, `[lines, scored, heads, 2]`.
#[cube(launch_unchecked)]
pub fn answer_all(
    state: &[f32],
    mirror: &[f32],
    contexts: &[u32],
    table: &[u32],
    work: &mut [f32],
    answers: &mut [f32],
    begin: u32,
    turns: u32,
    count: u32,
    scored: u32,
    at: u32,
    nonce: u32,
    #[comptime] plan: Plan,
) {
    let (t, k) = comptime!((plan.network.length, plan.network.symbols));
    let net = comptime!(layers(&plan));
    let minimal = comptime!(plan.network.kind == Kind::Minimal);
    let lane = UNIT_POS as usize;
    let line = CUBE_POS_Y as usize;
    let network = table[line * LINE] as usize;
    let first = table[line * LINE + 1] as usize * count as usize;
    let base = network * comptime!(plan.network.state());
    let other = network * comptime!(plan.network.parameters());
    let work_at = (line * comptime!(plan.groups) + CUBE_POS_X as usize) * comptime!(plan.work());
    let heads = comptime!(plan.network.heads().iter().sum::<usize>());
    let mut sequence = Shared::<[u32]>::new_slice(comptime!(t + 1));
    let mut room = Shared::<[f32]>::new_slice(comptime!(plan.room()));
    for turn in 0..turns {
        let context = (begin + turn * CUBE_COUNT_X + CUBE_POS_X) as usize;
        if context < count as usize {
            let mut i = lane;
            while i < t {
                sequence[i] = contexts[(first + context) * t + i];
                i += LANES;
            }
            sync_cube();
            let to = at as usize + (line * count as usize + context) * comptime!(k + 1);
            let last = comptime!(t - 1);
            if comptime!(minimal) {
                minimal::forward(state, base, work, work_at, &sequence, plan);
                if lane < k {
                    answers[to + lane] =
                        work[work_at + comptime!(plan.backward_places()[4] + (t - 1) * k) + lane];
                }
            } else {
                forward(state, base, mirror, other, work, work_at, &sequence, &mut room, net, plan);
                if lane == 0 {
                    let mut logits = Array::<f32>::new(k);
                    answer(state, base, &*work, work_at, last, &mut logits, net, plan);
                    #[unroll]
                    for s in 0..k {
                        answers[to + s] = logits[s];
                    }
                }
                if context < scored as usize {
                    let behind = at as usize + CUBE_COUNT_Y as usize * count as usize * comptime!(k + 1);
                    let to = behind + (line * scored as usize + context) * comptime!(2 * heads);
                    score(
                        mirror, other, &*work, work_at, &sequence, &mut room, answers, to, 0usize, net, plan,
                    );
                    if comptime!(net.layers > 1) {
                        score(
                            mirror, other, &*work, work_at, &sequence, &mut room, answers, to, 1usize, net,
                            plan,
                        );
                    }
                    if comptime!(net.layers > 2) {
                        score(
                            mirror, other, &*work, work_at, &sequence, &mut room, answers, to, 2usize, net,
                            plan,
                        );
                    }
                    if comptime!(net.layers > 3) {
                        score(
                            mirror, other, &*work, work_at, &sequence, &mut room, answers, to, 3usize, net,
                            plan,
                        );
                    }
                }
            }
            if lane == 0 {
                answers[to + k] = f32::cast_from(nonce);
            }
            barrier();
        }
    }
}

/// The attention of row `i` on place `j`.
#[cube]
fn share(
    mirror: &[f32],
    other: usize,
    work: &[f32],
    work_at: usize,
    head: usize,
    i: usize,
    j: usize,
    #[comptime] layer: usize,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) -> f32 {
    let (t, d, heads, width) =
        comptime!((plan.network.length, net.hidden, net.heads[layer], net.width(layer)));
    let from = comptime!(plan.places(layer));
    let queries = work_at + comptime!(from.query) + head * width;
    let distances =
        other + comptime!(net.layer(&plan.network, layer).distances) + head * comptime!(width * t);
    let mut score = 0.0f32;
    for c in 0..width {
        let mut key = work[queries + comptime!(t * d) + j * d + c];
        if comptime!(!net.absolute) {
            key += mirror[distances + c * t + i - j];
        }
        score += work[queries + i * d + c] * key;
    }
    let top = work[work_at + comptime!(from.top) + head * t + i];
    let inverse = work[work_at + comptime!(from.top) + (heads + head) * t + i];
    f32::exp(score * comptime!(1.0 / (net.width(layer) as f32).sqrt()) - top) * inverse
}

/// Previous-token and induction scores of the heads of `layer`, to `answers` from `to` on; heads of the layers before
/// come first.
#[cube]
fn score(
    mirror: &[f32],
    other: usize,
    work: &[f32],
    work_at: usize,
    symbols: &Shared<[u32]>,
    room: &mut Shared<[f32]>,
    answers: &mut [f32],
    to: usize,
    #[comptime] layer: usize,
    #[comptime] net: Attention,
    #[comptime] plan: Plan,
) {
    let t = comptime!(plan.network.length);
    let before = comptime!(net.heads[..layer].iter().sum::<usize>());
    let lane = UNIT_POS as usize;
    for head in 0..comptime!(net.heads[layer]) {
        if lane >= 1 && lane < t {
            room[lane] = share(mirror, other, work, work_at, head, lane, lane - 1, layer, net, plan);
            let after = symbols[lane - 1] == symbols[comptime!(t - 1)];
            let attention =
                share(mirror, other, work, work_at, head, comptime!(t - 1), lane, layer, net, plan);
            room[t + lane] = select(after, attention, 0.0f32);
        }
        sync_cube();
        if lane < 2 {
            let mut sum = 0.0f32;
            for i in 1..t {
                sum += room[lane * t + i];
            }
            let mean = select(lane == 0, comptime!(1.0 / (plan.network.length.max(2) - 1) as f32), 1.0f32);
            answers[to + (before + head) * 2 + lane] = sum * mean;
        }
        sync_cube();
    }
}
