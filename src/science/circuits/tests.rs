//! Tests of circuits, networks and margins together.

use super::*;

fn network(circuit: &Circuit, rounding: Rounding) -> ReluNetwork {
    ReluNetwork::new(&circuit.to_layers().unwrap(), rounding).unwrap()
}

/// Circuits of every family, small enough for their truth tables.
fn named() -> Vec<Circuit> {
    let mut all = Vec::new();
    for n in 1..=6 {
        all.extend([ParityOrder::Chain, ParityOrder::Tree].map(|order| Circuit::parity(n, order)));
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
        let layered = circuit.to_layers().unwrap();
        for rounding in [Rounding::Off, Rounding::On] {
            let network = network(&circuit, rounding);
            for (row, value) in circuit.truth_table().unwrap().into_iter().enumerate() {
                let bits = circuit.truth_table_row(row);
                let trace = network.trace(&bits).unwrap();
                assert_eq!(trace.output(), if value { 1.0 } else { -1.0 }, "{circuit}");
                assert_eq!(network.predict(&bits), Ok(value));
                // The values agree layer by layer as well; each gate layer is two linear layers.
                for (l, values) in layered.evaluate_layers(&bits).unwrap().into_iter().enumerate().skip(1) {
                    let values: Vec<f64> = values.into_iter().map(|bit| f64::from(u8::from(bit))).collect();
                    assert_eq!(trace.layers[2 * l - 1].rounded, values);
                }
            }
        }
    }
}

/// ℓ₀₋₁(z, y) = 1((y − ½) z ≤ 0): the output 0 is an error for both labels.
#[test]
fn an_answer_is_correct_where_the_loss_of_the_paper_is_zero() {
    for (label, y) in [(false, 0.0), (true, 1.0)] {
        for z in [-2.0, -1.0, -0.25, -0.0, 0.0, 0.25, 1.0, 2.0] {
            assert_eq!(is_correct(z, label), (y - 0.5) * z > 0.0, "{z} {label}");
        }
        assert!(!is_correct(0.0, label) && !is_correct(f64::NAN, label));
    }
    // By hand: the weight ½ instead of 1 gives 1 · ½ − ½ = 0, so the toy errs, at distance ½ of its weights 1.
    let toy = ReluNetwork::toy(1, Rounding::Off).unwrap();
    let mut theta = toy.theta().to_vec();
    theta[0] = 0.5;
    assert_eq!(toy.output_at(&theta, &[true]), Ok(0.0));
    assert!((toy_margin(1).unwrap() - 0.5).abs() < 1e-15);
}

#[test]
fn parameter_norms_are_proportional_to_the_circuit_size() {
    for circuit in named() {
        let layered = circuit.to_layers().unwrap();
        let [and, or, not, id] = GateKind::ALL.map(|kind| layered.count_gates(kind) as f64);
        let network = network(&circuit, Rounding::On);
        let counts = network.count_free_parameters();
        // ℓ₁ norm of a gate's parameters: 1 + 1 + 1 in the first layer and 1 in the second, 2 for an OR; the output has 2 and
        // −1.
        assert_eq!(counts.l1, 4.0 * and + 5.0 * or + 3.0 * not + 2.0 * id + 3.0);
        assert!(counts.l1 <= 5.0 * layered.size() as f64);
        assert_eq!(network.layers().len(), 2 * (layered.depth() - 1) + 1);
        let matrices = network.matrices();
        for is_fixed in [false, true] {
            let entries =
                || matrices.iter().filter(|matrix| matrix.is_fixed == is_fixed).flat_map(|of| &of.entries);
            let counts =
                if is_fixed { network.count_fixed_parameters() } else { network.count_free_parameters() };
            assert_eq!(counts.parameters, entries().count() as u64);
            assert_eq!(counts.nonzeros, entries().filter(|entry| **entry != 0.0).count() as u64);
            assert!((counts.l1 - entries().map(|entry| entry.abs()).sum::<f64>()).abs() < 1e-9);
        }
        // Rounding has ℓ₁ norm 9 for every coordinate of a gate layer.
        assert_eq!(
            network.count_fixed_parameters().l1,
            9.0 * (layered.size() - circuit.input_count()) as f64
        );
    }
    let toy = ReluNetwork::toy(7, Rounding::On).unwrap();
    assert_eq!((toy.count_free_parameters().parameters, toy.count_free_parameters().l1), (7, 7.0));
    let entries: u64 = toy.matrices().iter().map(|matrix| matrix.entries.len() as u64).sum();
    assert_eq!(toy.count_free_parameters().parameters + toy.count_fixed_parameters().parameters, entries);
}

/// Matrices with ReLUs between them, including those of rounding, compute the same output as the network.
#[test]
fn the_matrices_compute_the_output_of_the_network() {
    let circuit = Circuit::majority(5).unwrap();
    let network = network(&circuit, Rounding::On);
    let theta = network.perturb(&network.draw_noise(2, 0), 0.12);
    let bits = [true, false, true, true, false];
    let mut noisy = network.matrices();
    for matrix in noisy.iter_mut().filter(|matrix| !matrix.is_fixed) {
        let (name, kind) = matrix.name.rsplit_once('.').unwrap();
        let layer = network.layers().iter().find(|layer| layer.name == name).unwrap();
        let range = if kind == "weight" { layer.weight_range() } else { layer.bias_range() };
        matrix.entries = theta[range].to_vec();
    }
    let mut values: Vec<f64> = bits.iter().map(|bit| f64::from(u8::from(*bit))).collect();
    for pair in noisy.chunks(2) {
        let [weight, bias] = pair else { panic!() };
        assert_eq!((weight.columns, weight.rows, bias.columns), (values.len(), bias.rows, 1));
        let rows = weight.entries.chunks(weight.columns).zip(&bias.entries);
        values = rows.map(|(row, b)| row.iter().zip(&values).map(|(w, v)| w * v).sum::<f64>() + b).collect();
        // A ReLU after the second matrix of rounding changes nothing, because its values are at least 0; the output has none.
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
            let network = ReluNetwork::toy(depth, rounding).unwrap();
            let search = SearchSettings { draws: 4, starts: 8, ..SearchSettings::default() };
            let smallest = network.find_least_norm(&[true], search).unwrap().unwrap();
            assert!((smallest.norm - exact.unwrap()).abs() < 1e-7, "{depth} {rounding:?} {}", smallest.norm);
            let theta = network.perturb(&smallest.delta, 1.0);
            assert!(network.output_at(&theta, &[true]).unwrap() <= 0.0);
        }
    }
}

/// Asserts that no random point near the perturbation has a smaller norm and a changed answer.
fn assert_local_minimum(network: &ReluNetwork, bits: &[bool], smallest: &LeastNormPerturbation, what: &str) {
    let answer = network.predict(bits).unwrap();
    for draw in 0..200 {
        let direction = network.draw_noise(77, draw);
        let size = direction.iter().map(|d| d * d).sum::<f64>().sqrt();
        let by = [0.3, 0.03, 0.003][draw as usize % 3] * smallest.norm / size;
        let mut other: Vec<f64> =
            smallest.delta.iter().zip(&direction).map(|(delta, d)| delta + by * d).collect();
        let length = other.iter().map(|d| d * d).sum::<f64>().sqrt();
        other.iter_mut().for_each(|d| *d *= smallest.norm * (1.0 - 1e-6) / length);
        let output = network.output_at(&network.perturb(&other, 1.0), bits).unwrap();
        assert_eq!(output > 0.0, answer, "{what} {draw} {}", smallest.norm);
    }
}

/// Lower bounds ≤ norm of the search ≤ norm of the noise, for several inputs of several circuits.
#[test]
fn lower_bounds_are_below_the_norm_found_and_noise_is_above_it() {
    let circuits = [
        Circuit::parity(3, ParityOrder::Chain),
        Circuit::parity(4, ParityOrder::Tree),
        Circuit::carry(2),
        Circuit::majority(5),
        Circuit::random(5, 15, 7),
    ];
    for circuit in circuits.map(Result::unwrap) {
        let with = network(&circuit, Rounding::On);
        let without = network(&circuit, Rounding::Off);
        for row in [0, 3, (1 << circuit.input_count()) - 1] {
            let bits = circuit.truth_table_row(row);
            let search = SearchSettings { starts: 16, ..SearchSettings::default() };
            for network in [&with, &without] {
                let smallest = network.find_least_norm(&bits, search).unwrap().unwrap();
                let answer = network.predict(&bits).unwrap();
                let flipped =
                    network.output_at(&network.perturb(&smallest.delta, 1.0 + 1e-9), &bits).unwrap();
                assert_ne!(answer, flipped > 0.0);
                let length = smallest.delta.iter().map(|d| d * d).sum::<f64>().sqrt();
                assert!((length - smallest.norm).abs() < 1e-9);
                assert!(smallest.ends.iter().all(|end| smallest.norm <= *end));
                assert!(smallest.noise.iter().all(|flip| smallest.norm <= flip.norm));
                assert_eq!(
                    smallest.noise,
                    network.find_noise_flips(&bits, search.seed, search.draws).unwrap()
                );
                if let Some(bound) = network.compute_margin_bounds(&bits).unwrap() {
                    assert!(0.0 < bound.theorem && bound.theorem < bound.proof);
                    assert!(bound.theorem <= bound.fixed_rounding && bound.fixed_rounding <= bound.proof);
                    assert!(bound.proof <= smallest.norm);
                }
                assert_local_minimum(network, &bits, &smallest, &format!("{circuit}\n{row}"));
            }
        }
    }
}

#[test]
fn lower_bounds_are_below_the_norm_found_for_random_circuits() {
    for number in 0..8 {
        let (inputs, gates) = (3 + number % 3, 4 + (7 * number) % 9);
        let circuit = Circuit::random(inputs, gates, 900 + number as u64).unwrap();
        for rounding in [Rounding::On, Rounding::Off] {
            let network = network(&circuit, rounding);
            for row in [0, (5 * number + 1) % (1 << inputs)] {
                let bits = circuit.truth_table_row(row);
                let search = SearchSettings { starts: 8, ..SearchSettings::default() };
                let smallest = network.find_least_norm(&bits, search).unwrap().unwrap();
                if let Some(bound) = network.compute_margin_bounds(&bits).unwrap() {
                    assert!(0.0 < bound.theorem && bound.theorem <= bound.proof, "{circuit}");
                    assert!(bound.proof <= smallest.norm, "{circuit}: {bound:?} {}", smallest.norm);
                }
            }
        }
    }
}

/// The search ends at a local minimum with other seeds and for other circuits, including circuits with kinks at the minimum.
#[test]
fn the_search_ends_at_local_minima() {
    let kinks = Circuit::random(5, 15, 7).unwrap();
    let seeds = (1..=10).map(|seed| (kinks.clone(), seed));
    let others = (100..110).map(|circuit| (Circuit::random(5, 15, circuit).unwrap(), 0));
    for (circuit, seed) in seeds.chain(others) {
        for rounding in [Rounding::Off, Rounding::On] {
            let network = network(&circuit, rounding);
            let bits = circuit.truth_table_row(31);
            let search = SearchSettings { seed, starts: 4, ..SearchSettings::default() };
            let smallest = network.find_least_norm(&bits, search).unwrap().unwrap();
            assert_local_minimum(&network, &bits, &smallest, &format!("{circuit}\n{seed} {rounding:?}"));
        }
    }
}

#[test]
fn rounding_makes_the_margin_independent_of_depth() {
    let circuit = Circuit::parity(2, ParityOrder::Chain).unwrap().to_layers().unwrap();
    let search = SearchSettings { draws: 2, starts: 12, ..SearchSettings::default() };
    for bits in [[true, true], [true, false]] {
        let measure = |depth: usize, rounding: Rounding| {
            let network = ReluNetwork::new(&circuit.clone().pad_to_depth(depth).unwrap(), rounding).unwrap();
            (
                network.find_least_norm(&bits, search).unwrap().unwrap().norm,
                network.compute_margin_bounds(&bits).unwrap(),
            )
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

/// A deep circuit that computes at every depth: a parity takes one bit after the other.
#[test]
fn a_deep_parity_has_a_larger_margin_with_rounding() {
    let search = SearchSettings { draws: 2, starts: 12, ..SearchSettings::default() };
    let margin = |bits: usize, rounding: Rounding| {
        let network = network(&Circuit::parity(bits, ParityOrder::Chain).unwrap(), rounding);
        network.find_least_norm(&vec![true; bits], search).unwrap().unwrap().norm
    };
    let [off2, off8] = [2, 8].map(|bits| margin(bits, Rounding::Off));
    let [on2, on8] = [2, 8].map(|bits| margin(bits, Rounding::On));
    assert!(off2 / off8 > 5.0 && on2 / on8 < 2.0, "{off2} {off8} {on2} {on8}");
}

#[test]
fn the_same_seed_gives_the_same_result() {
    let network = network(&Circuit::random(5, 15, 1).unwrap(), Rounding::On);
    let bits = [true, false, false, true, true];
    let of = |seed| {
        network.find_least_norm(&bits, SearchSettings { seed, starts: 6, ..SearchSettings::default() })
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1).unwrap().unwrap().noise, of(2).unwrap().unwrap().noise);
}

#[test]
fn too_large_networks_and_invalid_settings_are_rejected() {
    let wide = Circuit::parity(32, ParityOrder::Chain).unwrap().to_layers().unwrap();
    assert!(ReluNetwork::new(&wide, Rounding::On).is_ok());
    let text: String = (0..64).map(|i| format!("a{i} = x{i};")).collect();
    let text: String = text
        + &(1..64)
            .map(|i| format!("b{i} = {} and a{i};", if i == 1 { "a0".into() } else { format!("b{}", i - 1) }))
            .collect::<String>();
    let deep: String = text
        + &(0..100)
            .map(|i| format!("c{i} = not {};", if i == 0 { "b63".into() } else { format!("c{}", i - 1) }))
            .collect::<String>();
    let large = deep.parse::<Circuit>().unwrap().to_layers().unwrap();
    let network = ReluNetwork::new(&large, Rounding::Off);
    assert!(network.is_ok(), "{network:?}");
    // ID gates copy 64 inputs through 150 layers.
    let (nots, ands): (String, String) = (
        (0..150).map(|i| format!("n{} = not n{i};", i + 1)).collect(),
        (1..64).map(|i| format!("h{i} = h{} and x{i};", i - 1)).collect(),
    );
    let circuit: Circuit = format!("{nots} h0 = n150; {ands}").parse().unwrap();
    let found = ReluNetwork::new(&circuit.to_layers().unwrap(), Rounding::Off);
    assert!(matches!(found, Err(CircuitError::TooManyParameters(found)) if found > 500_000), "{found:?}");
    for depth in [0, 1001, usize::MAX] {
        assert!(matches!(ReluNetwork::toy(depth, Rounding::On), Err(CircuitError::NumberOutOfRange { .. })));
    }
    let toy = ReluNetwork::toy(3, Rounding::On).unwrap();
    let refused = |search: SearchSettings| assert!(toy.find_least_norm(&[true], search).is_err());
    refused(SearchSettings { draws: 0, ..SearchSettings::default() });
    refused(SearchSettings { starts: 65, ..SearchSettings::default() });
    refused(SearchSettings { steps: 1001, ..SearchSettings::default() });
    assert!(toy.find_least_norm(&[], SearchSettings::default()).is_err());
    // For the input 0 the toy's output is −½ for all weights, so that no perturbation changes the answer.
    assert_eq!(toy.find_least_norm(&[false], SearchSettings::default()), Ok(None));
}
