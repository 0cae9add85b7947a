//! One plan for networks of several shapes, so that the runs of a sweep share a launch.
//!
//! # Why
//! How many [`columns`](Plan::columns) a network has settles the order of its sums, and stays what it is when the
//! network trains alone; everything else in a plan only says which lane does what, and is chosen anew for all of
//! them together. A narrow network in the tiles of a wide one repeats its last unit where it has no other: what
//! that may cost is bounded by [`WASTE`], and networks that are further apart get plans of their own.

use super::plan::{Limits, MANY, Network, Plan};

/// How many cycles networks may take together for every one that each with a plan of its own would.
pub const WASTE: f64 = 1.25;
/// Lanes that go together on the GPUs of today.
const WARP: usize = 32;
/// Inputs of a lane's backward tile that are tried.
const ROWS: [usize; 6] = [1, 2, 3, 4, 6, 8];

impl Plan {
    /// As if only the network of `one` were trained by it: what that costs, and how often loops turn.
    pub fn alone(&self, one: &Plan) -> Plan {
        let (network, columns) = (one.network, one.columns);
        let tiles = network.inputs.div_ceil(self.rows);
        let groups = (self.lanes / columns).max(1);
        Plan {
            network,
            columns,
            lanes: (columns * groups.min(tiles)).max(self.bands() * columns).max(self.block),
            passes: network.width.div_ceil(self.units * columns),
            row_passes: tiles.div_ceil(groups),
            ..*self
        }
    }

    /// The plan by which all of these can be trained, with the replicas of each, or nothing where that is wasteful
    /// or the device has no room.
    pub fn shared(members: &[(Plan, usize)], limits: Limits) -> Option<Plan> {
        let (first, _) = members.first()?;
        if !members.iter().all(|(plan, _)| plan.network.joins(&first.network)) {
            return None;
        }
        let kinds = kinds(members);
        if let [(only, _)] = kinds.as_slice()
            && members.len() == 1
        {
            return Some(*only);
        }
        let many = kinds.iter().map(|(_, replicas)| replicas).sum::<usize>() >= MANY;
        let least = |kinds: &[(Plan, usize)]| {
            let plans = divisions(kinds, limits).into_iter().map(|plan| {
                let each = kinds.iter().map(|(one, replicas)| *replicas as f64 * plan.alone(one).cost(many));
                (each.sum::<f64>(), plan)
            });
            plans.min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let (together, plan) = least(&kinds)?;
        let apart: Option<f64> = kinds.iter().map(|kind| Some(least(std::slice::from_ref(kind))?.0)).sum();
        (together <= WASTE * apart?).then_some(plan)
    }
}

/// The different shapes among them, with the replicas of each.
fn kinds(members: &[(Plan, usize)]) -> Vec<(Plan, usize)> {
    let mut kinds: Vec<(Plan, usize)> = vec![];
    for (plan, replicas) in members {
        let same = |(kind, _): &&mut (Plan, usize)| {
            let shape = |plan: &Plan| (plan.network.inputs, plan.network.width, plan.columns);
            shape(kind) == shape(plan)
        };
        match kinds.iter_mut().find(same) {
            Some((kind, all)) => {
                *all += replicas;
                kind.network.noise |= plan.network.noise;
            }
            None => kinds.push((*plan, *replicas)),
        }
    }
    kinds
}

/// The ways to divide the work of all of them.
fn divisions(kinds: &[(Plan, usize)], limits: Limits) -> Vec<Plan> {
    let most = |of: fn(&Plan) -> usize| kinds.iter().map(|(plan, _)| of(plan)).max().unwrap_or(1);
    let (first, block) = (kinds[0].0, kinds[0].0.block);
    let network = Network {
        inputs: most(|plan| plan.network.inputs),
        width: most(|plan| plan.network.width),
        noise: kinds.iter().any(|(plan, _)| plan.network.noise),
        ..first.network
    };
    let (columns, all) = (most(|plan| plan.columns), limits.lanes.min(256));
    let mut plans = vec![];
    for units in [4, 2, 1] {
        for examples in [8, 4, 2, 1].into_iter().filter(|examples| *examples <= block) {
            let bands = block / examples;
            if bands * columns > all || units > network.width {
                continue;
            }
            for rows in ROWS {
                let lanes = |plan: &Plan| {
                    let groups = (all / plan.columns).min(plan.network.inputs.div_ceil(rows)).max(bands);
                    plan.columns * groups
                };
                let lanes = kinds.iter().map(|(plan, _)| lanes(plan)).max().unwrap_or(1);
                let plan = Plan { network, units, examples, rows, columns, fixed: kinds.len() == 1, ..first };
                // Whole warps; in a vector that is not full Mesa's simulated GPU lets loops turn for lanes that are
                // none.
                let plan = Plan { lanes: lanes.max(block).next_multiple_of(WARP).min(all), ..plan };
                let whole = Plan { passes: 0, row_passes: 0, ..plan };
                let (passes, row_passes) = kinds.iter().fold((0, 0), |(passes, row_passes), (one, _)| {
                    let alone = whole.alone(one);
                    (passes.max(alone.passes), row_passes.max(alone.row_passes))
                });
                plans.extend(Plan { passes, row_passes, ..plan }.placed(limits));
            }
        }
    }
    plans
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    const LIMITS: Limits =
        Limits { lanes: 256, workgroup_bytes: 32 << 10, buffer_bytes: 1 << 27, turns: u64::MAX };

    fn alone(query: &str, replicas: usize) -> (Plan, usize) {
        let spec = decode(&format!("#v1/sparse-parity?{query}")).0.spec;
        (Plan::tiled(Network::of(&spec).unwrap(), replicas, LIMITS).unwrap(), replicas)
    }

    #[test]
    fn networks_of_every_shape_are_covered_and_keep_the_order_of_their_sums() {
        for inputs in [[30, 30, 30, 30], [2, 7, 50, 33]] {
            let widths = [10, 30, 100, 300];
            for few in [1, 20, 2000] {
                let members: Vec<_> = widths
                    .iter()
                    .zip(inputs)
                    .map(|(width, n)| alone(&format!("n={n}&k=2&width={width}"), few))
                    .collect();
                let mut batches: Vec<Vec<(Plan, usize)>> = vec![];
                for member in &members {
                    let joins = batches.last_mut().filter(|batch| {
                        let with: Vec<_> = batch.iter().chain([member]).copied().collect();
                        Plan::shared(&with, LIMITS).is_some()
                    });
                    match joins {
                        Some(batch) => batch.push(*member),
                        None => batches.push(vec![*member]),
                    }
                }
                assert!(batches.len() <= 3, "{few}: {batches:?}");
                for batch in batches {
                    let plan = Plan::shared(&batch, LIMITS).unwrap();
                    assert_eq!(plan.fixed, batch.len() == 1);
                    assert!(plan.lanes <= 256);
                    for (one, _) in &batch {
                        assert!(plan.bands() * one.columns <= plan.lanes, "{plan:?}");
                        assert!(plan.lanes / one.columns >= 1);
                        let alone = plan.alone(one);
                        assert_eq!(alone.columns, one.columns);
                        let covered = alone.row_passes * plan.rows * (plan.lanes / one.columns);
                        assert!(covered >= one.network.inputs, "{plan:?} {one:?}");
                        assert!(alone.passes * plan.units * one.columns >= one.network.width);
                    }
                }
            }
        }
    }

    #[test]
    fn only_what_a_table_can_hold_may_differ() {
        let base = alone("n=30&width=50&m=400", 20);
        for (query, is_shared) in [
            ("n=30&width=50&m=600&wd=0.1&lr=1&seed=4", true),
            ("n=30&width=60&m=100&noise=0.2&k=4", true),
            ("n=25&width=50&m=400", true),
            ("n=30&width=50", false),
            ("n=30&width=50&m=400&batch=64", false),
            ("n=30&width=50&m=400&loss=ce", false),
            ("n=30&width=50&m=400&mom=0.5", false),
            ("n=30&width=50&m=400&bias=none", false),
            ("n=500&width=1&m=400&noise=0", false),
        ] {
            assert_eq!(Plan::shared(&[base, alone(query, 20)], LIMITS).is_some(), is_shared, "{query}");
        }
        assert!(Plan::shared(&[], LIMITS).is_none());
        assert_eq!(Plan::shared(&[base], LIMITS), Some(base.0));
    }
}
