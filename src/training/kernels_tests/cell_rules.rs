//! The judge of rules on the GPU against the processor.
//!
//! Without a GPU adapter (a simulated one is enough) this test is reported as skipped, and fails in CI.

use crate::launch::device::gpu_or_skip;
use vivarium_kernels::cell_rules::RuleJudge;
use vivarium_science::succinct::ConceptFamily;
use vivarium_science::succinct::search::{
    BitSlicedQueries, CellRule, Query, QueryDistribution, ReadoutCells,
};

#[test]
fn rules_get_the_points_that_the_processor_gives_them() {
    if gpu_or_skip().is_none() {
        return;
    }
    for (bits, examples, count, every) in [(4, 3, 66, 1), (7, 15, 400, 97), (1, 1, 31, 7), (12, 40, 70, 997)]
    {
        let task = QueryDistribution::new(ConceptFamily::Dictator, bits, examples, 0.1).unwrap();
        let searches = [task.queries(3, 0, count).unwrap(), task.queries(3, 5_000, count).unwrap()];
        let rules: Vec<CellRule> = CellRule::all().step_by(every).collect();
        for readout in [ReadoutCells::All, ReadoutCells::Bottom] {
            let mut on_gpu = RuleJudge::new(&searches, count / 3, readout).unwrap();
            let points = pollster::block_on(on_gpu.judge(&[rules.clone(), rules.clone()])).unwrap();
            for (queries, points) in searches.iter().zip(points) {
                let (validation, test) = queries.split_at(count / 3);
                let halves = |queries: &[Query]| -> Vec<u32> {
                    let mut sliced = BitSlicedQueries::new(queries).unwrap();
                    let part = |rule: &CellRule| {
                        (2.0 * queries.len() as f64 * sliced.accuracy(*rule, readout)).round() as u32
                    };
                    rules.iter().map(part).collect()
                };
                let expected: Vec<[u32; 2]> =
                    halves(validation).into_iter().zip(halves(test)).map(|(a, b)| [a, b]).collect();
                assert!(points == expected, "{bits} bits, {examples} examples, {readout:?}");
            }
        }
    }
}
