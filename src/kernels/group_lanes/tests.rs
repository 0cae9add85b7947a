use super::*;
use crate::training::optimizers::{Optimizer, Sgd};

#[test]
#[ignore = "measures speed"]
fn speed() {
    for (order, neurons) in [(23, 200), (24, 200), (71, 500), (113, 512)] {
        let rule = Rule::Sgd { momentum: false };
        let network = Network { order, neurons, sigma: Sigma::Square, nu: 3, rule };
        let d = order as u32;
        let pairs: Vec<[u32; 2]> = (0..d * d).map(|cell| [cell / d, cell % d]).collect();
        let labels: Vec<u32> = pairs.iter().map(|[a, b]| (a + b) % d).collect();
        let mut replica = Replica::new(&network);
        let stream = crate::rng::Stream::new(3, crate::rng::Purpose::Weights, 0);
        for which in 0..3 {
            let values: Vec<f32> =
                (0..(order * neurons) as u32).map(|i| 0.1 * stream.normal(which as u64, i)).collect();
            replica.write(0, which, &values);
        }
        let mut scratch = Scratch::new(&network);
        let push = Push::new(&Optimizer::Sgd(Sgd { lr: 0.01, ..Default::default() }), 0, 0.01);
        let pairs = Pairs::new(order, &pairs, &labels);
        let flops = (6 * order * order * neurons * order) as f64;
        let steps = (2e10 / flops) as usize + 1;
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let start = crate::platform::now_ms();
            for _ in 0..steps {
                replica.step(&mut scratch, &pairs, 1e-4, &push);
            }
            best = best.min((crate::platform::now_ms() - start) / 1e3 / steps as f64);
        }
        let sums = replica.measure(&mut scratch, &pairs);
        println!("p={order} m={neurons}: {:.1} GFLOP/s, {:.0} steps/s {sums:?}", flops / best / 1e9, 1.0 / best);
    }
}
