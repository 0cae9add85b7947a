//! What circuits, networks and margins have in common.

use super::*;

fn network(circuit: &Circuit, rounding: Rounding) -> Network {
    Network::new(&circuit.layered().unwrap(), rounding).unwrap()
}

/// One circuit of each kind, small enough for its truth table.
fn named() -> Vec<Circuit> {
    let mut all = Vec::new();
    for n in 1..=6 {
        all.extend([Order::Chain, Order::Tree].map(|order| Circuit::parity(n, order)));
        all.push(Circuit::majority(n));
        all.push(Circuit::relay(n + 1));
    }
    for n in 1..=3 {
        all.extend((0..=n).map(|place| Circuit::adder(n, place)));
    }
    all.extend((0..12).map(|seed| Circuit::random(6, 20, seed)));
    all.push("out = x and x; y = not x".parse());
    all.push("inputs x y z; u = x or x; out = y or u".parse());
    all.into_iter().map(Result::unwrap).collect()
}

#[test]
fn a_network_has_the_truth_table_of_its_circuit() {
    for circuit in named() {
        let layered = circuit.layered().unwrap();
        for rounding in [Rounding::Off, Rounding::On] {
            let network = network(&circuit, rounding);
            for (row, value) in circuit.truth_table().unwrap().into_iter().enumerate() {
                let bits = circuit.row(row);
                let trace = network.trace(&bits).unwrap();
                assert_eq!(trace.output(), if value { 1.0 } else { -1.0 }, "{circuit}");
                assert_eq!(network.answer(&bits), Ok(value));
                // Layer by layer as well: each gate layer is two linear layers.
                for (l, values) in layered.values(&bits).unwrap().into_iter().enumerate().skip(1) {
                    let values: Vec<f64> = values.into_iter().map(|bit| f64::from(u8::from(bit))).collect();
                    assert_eq!(trace.layers[2 * l - 1].rounded, values);
                }
            }
        }
    }
}

/// ℓ₀₋₁(z, y) = 1((y − ½) z ≤ 0): the output 0 is an error for both labels.
#[test]
fn an_answer_is_right_where_the_loss_of_the_paper_is_zero() {
    for (label, y) in [(false, 0.0), (true, 1.0)] {
        for z in [-2.0, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 2.0] {
            assert_eq!(is_right(z, label), (y - 0.5) * z > 0.0, "{z} {label}");
        }
        assert!(!is_right(0.0, label) && !is_right(f64::NAN, label));
    }
    // By hand: the weight ½ instead of 1 gives 1 · ½ − ½ = 0, so the toy errs, at distance ½ of its weights 1.
    let toy = Network::toy(1, Rounding::Off).unwrap();
    let mut theta = toy.theta().to_vec();
    theta[0] = 0.5;
    assert_eq!(toy.output_at(&theta, &[true]), Ok(0.0));
    assert!((toy_margin(1).unwrap() - 0.5).abs() < 1e-15);
}

#[test]
fn parameters_are_of_the_order_of_the_size() {
    for circuit in named() {
        let layered = circuit.layered().unwrap();
        let [and, or, not, id] = Kind::ALL.map(|kind| layered.count(kind) as f64);
        let network = network(&circuit, Rounding::On);
        let counts = network.counts();
        // 1 + 1 + 1 for the first layer and 1 for the second, of an OR 1 more; 2 and −1 for the output.
        assert_eq!(counts.l1, 4.0 * and + 5.0 * or + 3.0 * not + 2.0 * id + 3.0);
        assert!(counts.l1 <= 5.0 * layered.size() as f64);
        assert_eq!(network.layers().len(), 2 * (layered.depth() - 1) + 1);
        let matrices = network.matrices();
        for is_held in [false, true] {
            let entries =
                || matrices.iter().filter(|matrix| matrix.is_held == is_held).flat_map(|of| &of.entries);
            let counts = if is_held { network.held() } else { network.counts() };
            assert_eq!(counts.parameters, entries().count() as u64);
            assert_eq!(counts.nonzeros, entries().filter(|entry| **entry != 0.0).count() as u64);
            assert!((counts.l1 - entries().map(|entry| entry.abs()).sum::<f64>()).abs() < 1e-9);
        }
        // Rounding has norm 9 for every coordinate of a gate layer.
        assert_eq!(network.held().l1, 9.0 * (layered.size() - circuit.inputs()) as f64);
    }
    let toy = Network::toy(7, Rounding::On).unwrap();
    assert_eq!((toy.counts().parameters, toy.counts().l1), (7, 7.0));
    let entries: u64 = toy.matrices().iter().map(|matrix| matrix.entries.len() as u64).sum();
    assert_eq!(toy.counts().parameters + toy.held().parameters, entries);
}

/// An ordinary chain of matrices and ReLUs, rounding among them, is the same network.
#[test]
fn the_matrices_are_the_network() {
    let circuit = Circuit::majority(5).unwrap();
    let network = network(&circuit, Rounding::On);
    let theta = network.moved(&network.direction(2, 0), 0.12);
    let bits = [true, false, true, true, false];
    let mut noisy = network.matrices();
    for matrix in noisy.iter_mut().filter(|matrix| !matrix.is_held) {
        let (name, kind) = matrix.name.rsplit_once('.').unwrap();
        let layer = network.layers().iter().find(|layer| layer.name == name).unwrap();
        let range = if kind == "weight" { layer.weights() } else { layer.biases() };
        matrix.entries = theta[range].to_vec();
    }
    let mut values: Vec<f64> = bits.iter().map(|bit| f64::from(u8::from(*bit))).collect();
    for pair in noisy.chunks(2) {
        let [weight, bias] = pair else { panic!() };
        assert_eq!((weight.columns, weight.rows, bias.columns), (values.len(), bias.rows, 1));
        let rows = weight.entries.chunks(weight.columns).zip(&bias.entries);
        values = rows.map(|(row, b)| row.iter().zip(&values).map(|(w, v)| w * v).sum::<f64>() + b).collect();
        // No ReLU after the second half of a rounding, whose values are at least 0, and none after the output.
        if weight.name != "output.weight" {
            values.iter_mut().for_each(|value| *value = value.max(0.0));
        }
    }
    let trace = network.trace_at(&theta, &bits).unwrap();
    assert!(trace.deviation(1) > 0.05);
    assert!((values[0] - trace.output()).abs() < 1e-12, "{} {}", values[0], trace.output());
    assert_eq!(network.matrix("layer2.first.bias").unwrap().entries.len(), network.layers()[2].rows);
    assert_eq!(network.matrix("layer0.first.bias"), None);
    let names: std::collections::BTreeSet<_> = noisy.iter().map(|matrix| &matrix.name).collect();
    assert_eq!(names.len(), noisy.len());
}

#[test]
fn the_search_finds_the_margins_of_the_toy() {
    for depth in [1, 2, 3, 4, 5, 25, 100, 400] {
        for (rounding, exact) in
            [(Rounding::Off, toy_margin(depth)), (Rounding::On, rounded_toy_margin(depth))]
        {
            let network = Network::toy(depth, rounding).unwrap();
            let search = Search { draws: 4, starts: 8, ..Search::default() };
            let least = network.least_norm(&[true], search).unwrap().unwrap();
            assert!((least.norm - exact.unwrap()).abs() < 1e-7, "{depth} {rounding:?} {}", least.norm);
            let theta = network.moved(&least.delta, 1.0);
            assert!(network.output_at(&theta, &[true]).unwrap() <= 0.0);
        }
    }
}

/// No random direction near a perturbation that was found is nearer.
fn is_nearest_around(network: &Network, bits: &[bool], least: &Least, what: &str) {
    let answer = network.answer(bits).unwrap();
    for draw in 0..200 {
        let direction = network.direction(77, draw);
        let size = direction.iter().map(|d| d * d).sum::<f64>().sqrt();
        let by = [0.3, 0.03, 0.003][draw as usize % 3] * least.norm / size;
        let mut other: Vec<f64> =
            least.delta.iter().zip(&direction).map(|(delta, d)| delta + by * d).collect();
        let length = other.iter().map(|d| d * d).sum::<f64>().sqrt();
        other.iter_mut().for_each(|d| *d *= least.norm * (1.0 - 1e-6) / length);
        let output = network.output_at(&network.moved(&other, 1.0), bits).unwrap();
        assert_eq!(output > 0.0, answer, "{what} {draw} {}", least.norm);
    }
}

/// The lower bounds, the search and the noise stand in their order, for several inputs of several circuits.
#[test]
fn bounds_stand_in_their_order() {
    let circuits = [
        Circuit::parity(3, Order::Chain),
        Circuit::parity(4, Order::Tree),
        Circuit::carry(2),
        Circuit::majority(5),
        Circuit::random(5, 15, 7),
    ];
    for circuit in circuits.map(Result::unwrap) {
        let with = network(&circuit, Rounding::On);
        let without = network(&circuit, Rounding::Off);
        for row in [0, 3, (1 << circuit.inputs()) - 1] {
            let bits = circuit.row(row);
            let search = Search { starts: 16, ..Search::default() };
            for network in [&with, &without] {
                let least = network.least_norm(&bits, search).unwrap().unwrap();
                let answer = network.answer(&bits).unwrap();
                let flipped = network.output_at(&network.moved(&least.delta, 1.0 + 1e-9), &bits).unwrap();
                assert_ne!(answer, flipped > 0.0);
                let length = least.delta.iter().map(|d| d * d).sum::<f64>().sqrt();
                assert!((length - least.norm).abs() < 1e-9);
                assert!(least.ends.iter().all(|end| least.norm <= *end));
                assert!(least.noise.iter().all(|flip| least.norm <= flip.norm));
                assert_eq!(least.noise, network.noise_flips(&bits, search.seed, search.draws).unwrap());
                if let Some(bound) = network.theorem(&bits).unwrap() {
                    assert!(0.0 < bound.bound && bound.bound < bound.held);
                    assert!(bound.bound <= bound.formula && bound.formula <= bound.held);
                    assert!(bound.held <= least.norm);
                }
                is_nearest_around(network, &bits, &least, &format!("{circuit}\n{row}"));
            }
        }
    }
}

/// The search ends at a local minimum from other seeds and for other circuits too, at kinks as well.
#[test]
fn the_search_ends_at_local_minima() {
    let kinks = Circuit::random(5, 15, 7).unwrap();
    let seeds = (1..=10).map(|seed| (kinks.clone(), seed));
    let others = (100..110).map(|circuit| (Circuit::random(5, 15, circuit).unwrap(), 0));
    for (circuit, seed) in seeds.chain(others) {
        for rounding in [Rounding::Off, Rounding::On] {
            let network = network(&circuit, rounding);
            let bits = circuit.row(31);
            let search = Search { seed, starts: 4, ..Search::default() };
            let least = network.least_norm(&bits, search).unwrap().unwrap();
            is_nearest_around(&network, &bits, &least, &format!("{circuit}\n{seed} {rounding:?}"));
        }
    }
}

#[test]
fn rounding_makes_the_margin_independent_of_depth() {
    let circuit = Circuit::parity(2, Order::Chain).unwrap().layered().unwrap();
    let search = Search { draws: 2, starts: 12, ..Search::default() };
    for bits in [[true, true], [true, false]] {
        let measure = |depth: usize, rounding: Rounding| {
            let network = Network::new(&circuit.clone().deepened(depth).unwrap(), rounding).unwrap();
            (network.least_norm(&bits, search).unwrap().unwrap().norm, network.theorem(&bits).unwrap())
        };
        let [(first, bound), (second, same), (third, _)] =
            [8, 16, 64].map(|depth| measure(depth, Rounding::On));
        assert!((first / third - 1.0).abs() < 1e-3 && (first / second - 1.0).abs() < 1e-3);
        assert_eq!(bound, same);
        assert_eq!(bound, measure(400, Rounding::On).1, "the theorem does not depend on depth");
        let [(first, _), (second, _), (third, _)] = [8, 16, 64].map(|depth| measure(depth, Rounding::Off));
        assert!(second < 0.85 * first && third < 0.6 * second, "{first} {second} {third}");
    }
}

/// A deep circuit that computes something at every depth: the bits of a parity, one after the other.
#[test]
fn a_deep_parity_survives_more_with_rounding() {
    let search = Search { draws: 2, starts: 12, ..Search::default() };
    let margin = |bits: usize, rounding: Rounding| {
        let network = network(&Circuit::parity(bits, Order::Chain).unwrap(), rounding);
        network.least_norm(&vec![true; bits], search).unwrap().unwrap().norm
    };
    let [off2, off8] = [2, 8].map(|bits| margin(bits, Rounding::Off));
    let [on2, on8] = [2, 8].map(|bits| margin(bits, Rounding::On));
    assert!(off2 / off8 > 5.0 && on2 / on8 < 2.0, "{off2} {off8} {on2} {on8}");
}

#[test]
fn a_measurement_can_be_repeated() {
    let network = network(&Circuit::random(5, 15, 1).unwrap(), Rounding::On);
    let bits = [true, false, false, true, true];
    let of = |seed| network.least_norm(&bits, Search { seed, starts: 6, ..Search::default() });
    assert_eq!(of(1), of(1));
    assert_ne!(of(1).unwrap().unwrap().noise, of(2).unwrap().unwrap().noise);
}

#[test]
fn what_is_too_large_or_makes_no_sense_is_refused() {
    let wide = Circuit::parity(32, Order::Chain).unwrap().layered().unwrap();
    assert!(Network::new(&wide, Rounding::On).is_ok());
    let text: String = (0..64).map(|i| format!("a{i} = x{i};")).collect();
    let text: String = text
        + &(1..64)
            .map(|i| format!("b{i} = {} and a{i};", if i == 1 { "a0".into() } else { format!("b{}", i - 1) }))
            .collect::<String>();
    let deep: String = text
        + &(0..100)
            .map(|i| format!("c{i} = not {};", if i == 0 { "b63".into() } else { format!("c{}", i - 1) }))
            .collect::<String>();
    let large = deep.parse::<Circuit>().unwrap().layered().unwrap();
    let network = Network::new(&large, Rounding::Off);
    assert!(network.is_ok(), "{network:?}");
    // 64 inputs, carried past 150 gates.
    let (nots, ands): (String, String) = (
        (0..150).map(|i| format!("n{} = not n{i};", i + 1)).collect(),
        (1..64).map(|i| format!("h{i} = h{} and x{i};", i - 1)).collect(),
    );
    let circuit: Circuit = format!("{nots} h0 = n150; {ands}").parse().unwrap();
    let found = Network::new(&circuit.layered().unwrap(), Rounding::Off);
    assert!(matches!(found, Err(CircuitError::Parameters(found)) if found > 500_000), "{found:?}");
    for depth in [0, 1001, usize::MAX] {
        assert!(matches!(Network::toy(depth, Rounding::On), Err(CircuitError::Number { .. })));
    }
    let toy = Network::toy(3, Rounding::On).unwrap();
    let refused = |search: Search| assert!(toy.least_norm(&[true], search).is_err());
    refused(Search { draws: 0, ..Search::default() });
    refused(Search { starts: 65, ..Search::default() });
    refused(Search { steps: 1001, ..Search::default() });
    assert!(toy.least_norm(&[], Search::default()).is_err());
    // No weight but 0 makes an output of −½ positive: there is nothing to find.
    assert_eq!(toy.least_norm(&[false], Search::default()), Ok(None));
}
