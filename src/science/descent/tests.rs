//! The construction as a whole: against its matrices, against direct descent, and against the paper and its table.

use super::*;

fn network(hidden: Vec<usize>, activation: Activation) -> DescentNetwork {
    DescentNetwork { hidden, activation, ..DescentNetwork::default() }
}

fn plan(network: DescentNetwork) -> DescentPlan {
    DescentPlan { network, ..DescentPlan::default() }
}

/// The comparison on sin(2x) at 16 points, from weights drawn with seed 0.
fn race(plan: &DescentPlan) -> DescentComparison {
    DescentComparison::new(
        plan,
        DescentPrompts::default().draw_examples(0, 0),
        &plan.network.draw_weights(0, 0, 1.0),
    )
}

fn measure_after(plan: &DescentPlan, steps: usize) -> ComparisonMeasures {
    let mut race = race(plan);
    (0..steps).for_each(|_| race.step());
    race.measure()
}

/// The weights in the tokens of these examples after `steps` steps.
fn weights_after(plan: &DescentPlan, examples: &DescentExamples, w: &[f64], steps: usize) -> Vec<f64> {
    let transformer = ConstructedTransformer::new(plan, examples);
    let mut tokens = transformer.tokens::<f64>(examples, w);
    (0..steps).for_each(|_| transformer.step(&mut tokens));
    tokens.weights(transformer.layout())
}

/// Random examples with two outputs; a drawn target function has only one.
fn two_outputs(count: usize) -> DescentExamples {
    let examples = DescentPrompts { examples: count, ..DescentPrompts::default() }.draw_examples(0, 0);
    let mut y: Vec<f64> = (0..count).flat_map(|i| [examples.label(i)[0], examples.input(i)[0]]).collect();
    y.extend([0.0; 2]);
    DescentExamples { outputs: 2, y, ..examples }
}

/// The product M v, summed entry by entry from the last column to the first.
fn times<T: Precision>(matrix: &SparseMatrix, vector: &[T]) -> Vec<T> {
    let dense = matrix.to_dense();
    let row = |row: usize| {
        let mut sum = T::default();
        for column in (0..matrix.columns).rev() {
            sum += T::from_f64(dense[row * matrix.columns + column]) * vector[column];
        }
        sum
    };
    (0..matrix.rows).map(row).collect()
}

fn dot<T: Precision>(a: &[T], b: &[T]) -> T {
    let mut sum = T::default();
    a.iter().zip(b).for_each(|(a, b)| sum += *a * *b);
    sum
}

/// The output of a layer by its definition, with matrices of D² entries.
fn by_definition<T: Precision>(layer: &DescentLayer, tokens: &DescentTokens<T>) -> Vec<Vec<T>> {
    let count = tokens.token_count();
    let before: Vec<Vec<T>> = (0..count).map(|i| tokens.token(i)).collect();
    let mut after = before.clone();
    let heads: Vec<HeadMatrices> =
        (0..layer.head_count()).map(|head| layer.head_matrices(head).unwrap()).collect();
    let of = |matrix: fn(&HeadMatrices) -> &SparseMatrix| -> Vec<Vec<Vec<T>>> {
        heads.iter().map(|head| before.iter().map(|h| times(matrix(head), h)).collect()).collect()
    };
    let (q, k, v) = (of(|head| &head.q), of(|head| &head.k), of(|head| &head.v));
    for i in 0..count {
        let mut total = vec![T::default(); tokens.dimension()];
        let mut add = |row: &[T]| total.iter_mut().zip(row).for_each(|(total, x)| *total += *x);
        match layer.kind() {
            LayerKind::Attention => {
                for s in 0..count {
                    let mut sum = vec![T::default(); tokens.dimension()];
                    for m in 0..heads.len() {
                        let score = dot(&q[m][i], &k[m][s]).relu();
                        sum.iter_mut().zip(&v[m][s]).for_each(|(sum, v)| *sum += score * *v);
                    }
                    add(&sum);
                }
                let count = T::from_f64(count as f64);
                total.iter_mut().for_each(|total| *total = *total / count);
            }
            LayerKind::Feedforward => {
                let hidden: Vec<T> =
                    times(&layer.first_matrix(), &before[i]).into_iter().map(Precision::relu).collect();
                add(&times(&layer.second_matrix(), &hidden));
            }
            LayerKind::Product => {
                for m in 0..heads.len() {
                    let score = dot(&q[m][i], &k[m][i]);
                    add(&v[m][i].iter().map(|v| score * *v).collect::<Vec<T>>());
                }
            }
        }
        after[i].iter_mut().zip(&total).for_each(|(h, total)| *h += *total);
    }
    after
}

/// Compares every number of two steps, layer by layer, bitwise with the definition.
fn is_as_defined<T: Precision>(
    plan: &DescentPlan,
    examples: &DescentExamples,
    change: impl Fn(&mut DescentTokens<T>),
) {
    let transformer = ConstructedTransformer::new(plan, examples);
    let mut tokens = transformer.tokens::<T>(examples, &plan.network.draw_weights(1, 0, 1.2));
    change(&mut tokens);
    for layer in transformer.layers().iter().chain(transformer.layers()) {
        let wanted = by_definition(layer, &tokens);
        layer.apply(&mut tokens);
        for (i, wanted) in wanted.iter().enumerate() {
            let token = tokens.token(i);
            let differs = (0..token.len()).find(|c| token[*c] != wanted[*c]);
            let name = differs.map(|c| (transformer.layout().coordinate_name(c), token[c], wanted[c]));
            assert!(name.is_none(), "{:?} token {i}: {name:?}", layer.phase);
        }
    }
}

#[test]
fn layers_match_their_matrices_bitwise() {
    let examples = DescentPrompts { examples: 4, ..DescentPrompts::default() }.draw_examples(0, 0);
    let few = ReluApproximation { knots: 5, delta: 0.03, range: 3.0 };
    for activation in Activation::ALL.iter().copied() {
        for hidden in [vec![], vec![3], vec![3, 2]] {
            let plan = DescentPlan { approximation: few, ..plan(network(hidden, activation)) };
            is_as_defined::<f64>(&plan, &examples, |_| ());
            is_as_defined::<f32>(&plan, &examples, |_| ());
        }
    }
    // Two outputs, with the activation.
    let both = DescentNetwork {
        outputs: 2,
        output_activation: OutputActivation::Activated,
        ..network(vec![3], Activation::Relu)
    };
    is_as_defined::<f64>(&plan(both.clone()), &two_outputs(4), |_| ());
    // A bound B that the step exceeds.
    is_as_defined::<f64>(&DescentPlan { weight_bound: 0.3, ..plan(both) }, &two_outputs(4), |_| ());
    // Tokens with different weights.
    let odd = plan(network(vec![3], Activation::Tanh));
    let place = TokenLayout::new(&odd.network).neuron_weights(1, 1).start;
    is_as_defined::<f64>(&odd, &examples, |tokens| tokens.row_mut(place)[2] += 0.25);
}

#[test]
fn tokens_match_direct_descent_outside_the_band() {
    for hidden in [vec![], vec![5], vec![8, 8], vec![6, 5, 4], vec![5; 4], vec![6; 5]] {
        let plan = plan(network(hidden, Activation::Relu));
        let mut race = race(&plan);
        assert_eq!(race.transformer().layers().len(), 2 * plan.network.layer_count() + 4);
        for _ in 0..20 {
            race.step();
            let ComparisonMeasures { distance, wrong_derivatives, step, .. } = race.measure();
            assert_eq!(wrong_derivatives, 0);
            assert!(distance < 1e-12, "{:?} {step}: {distance:e}", plan.network.hidden);
        }
        let ComparisonMeasures { distance_from_start: moved, token_loss, direct_loss, .. } = race.measure();
        assert!(moved > 1e-3 && (token_loss - direct_loss).abs() < 1e-12);
    }
    // Two outputs.
    let two = plan(DescentNetwork { outputs: 2, ..network(vec![5], Activation::Relu) });
    let examples = two_outputs(7);
    let mut race = DescentComparison::new(&two, examples, &two.network.draw_weights(0, 0, 1.0));
    (0..5).for_each(|_| race.step());
    let standing = race.measure();
    assert!(standing.wrong_derivatives > 0 || standing.distance < 1e-12, "{standing:?}");
}

#[test]
fn after_a_step_the_workspace_is_0_and_all_tokens_have_equal_weights() {
    for activation in Activation::ALL.iter().copied() {
        let plan = plan(network(vec![4, 3], activation));
        let examples = DescentPrompts::default().draw_examples(0, 0);
        let transformer = ConstructedTransformer::new(&plan, &examples);
        let layout = transformer.layout();
        let mut tokens = transformer.tokens::<f64>(&examples, &plan.network.draw_weights(2, 0, 1.0));
        let before = tokens.clone();
        for _ in 0..5 {
            let states = transformer.trace(tokens.clone());
            assert_eq!(states.len(), 2 * 3 + 5);
            transformer.step(&mut tokens);
            assert_eq!(states.last(), Some(&tokens));
            // The query's errors are 0 in every layer.
            let query = examples.len();
            assert!(
                states
                    .iter()
                    .all(|state| layout.block_range(TokenBlock::Errors).all(|c| state.row(c)[query] == 0.0))
            );
            assert!(layout.workspace().all(|c| tokens.row(c).iter().all(|x| *x == 0.0)));
            assert!(tokens.are_equal_in_all_tokens(layout.block_range(TokenBlock::Weights)));
        }
        for c in [
            layout.block_range(TokenBlock::Input),
            layout.block_range(TokenBlock::Label),
            layout.one_index()..layout.len(),
        ]
        .into_iter()
        .flatten()
        {
            assert_eq!(tokens.row(c), before.row(c), "{}", layout.coordinate_name(c));
        }
        assert_ne!(tokens.weights(layout), before.weights(layout));
    }
}

#[test]
fn the_order_of_examples_and_the_label_of_the_query_change_nothing() {
    let (plan, examples) = (DescentPlan::default(), DescentPrompts::default().draw_examples(0, 0));
    let w = plan.network.draw_weights(0, 0, 1.0);
    let wanted = weights_after(&plan, &examples, &w, 30);
    let order: Vec<usize> = (0..16).map(|i| (i * 7 + 3) % 16).collect();
    let turned = weights_after(&plan, &examples.permuted(&order), &w, 30);
    assert!(euclidean_distance(&wanted, &turned) < 1e-13);
    assert_eq!(weights_after(&plan, &examples.clone().with_query_label(&[7.0]), &w, 30), wanted);
    // The query's input changes nothing either.
    let moved = DescentPrompts { query: -1.1, ..DescentPrompts::default() }.draw_examples(0, 0);
    assert_eq!(weights_after(&plan, &moved, &w, 30), wanted);
}

/// A table for our own random weights of a 2-8-8-1 network: its rows and the sizes of its numbers. The numbers come from an
/// independent program in Python.
#[test]
fn the_table_of_an_independent_program_holds() {
    let steps = [1, 5, 10, 25, 50, 100];
    let row = |plan: &DescentPlan| {
        let mut race = race(plan);
        let mut row = vec![];
        for step in 1..=100 {
            race.step();
            if steps.contains(&step) {
                row.push(race.measure().distance);
            }
        }
        (row, race.measure())
    };
    let near = |row: &[f64], wanted: &[f64]| {
        let close = |(a, b): (&f64, &f64)| (a / b - 1.0).abs() < 0.02;
        assert!(row.iter().zip(wanted).all(close), "{row:?} {wanted:?}");
    };
    let with = |delta: f64| {
        let approximation = ReluApproximation { delta, ..ReluApproximation::default() };
        DescentPlan { approximation, ..DescentPlan::default() }
    };
    // The first ReLU enters the band of 10⁻⁴ at step 61.
    let (exact, end) = row(&with(1e-4));
    assert!(exact[..5].iter().all(|distance| *distance < 1e-14), "{exact:?}");
    assert!((1e-5..1e-3).contains(&exact[5]), "{exact:?}");
    assert!((end.direct_loss - 0.04845).abs() < 1e-4 && (end.token_loss - end.direct_loss).abs() < 1e-5);
    assert!((end.distance_from_start - 0.7564).abs() < 1e-3);
    near(&row(&with(0.1)).0, &[0.007137, 0.01593, 0.03468, 0.09852, 0.1270, 0.1368]);
    near(&row(&with(0.01)).0, &[0.0001123, 0.002248, 0.005069, 0.00667, 0.01131, 0.009594]);
    let wanted: [(usize, &[f64]); 4] = [
        (8, &[0.005328, 0.02871, 0.05046, 0.08413, 0.1276, 0.2140]),
        (16, &[0.001153, 0.006134, 0.01173, 0.02216, 0.03692, 0.06280]),
        (32, &[0.0004188, 0.001855, 0.002987, 0.004799, 0.007668, 0.01460]),
        (64, &[9.532e-5, 0.0003782, 0.0006245, 0.001059, 0.001491, 0.002352]),
    ];
    for (knots, wanted) in wanted {
        let approximation = ReluApproximation { knots, ..ReluApproximation::default() };
        let plan = DescentPlan { approximation, ..plan(network(vec![8, 8], Activation::Tanh)) };
        near(&row(&plan).0, wanted);
    }
}

/// The table's row in single precision, δ = 10⁻³: rounding contributes 10⁻⁷, and the band the rest.
#[test]
fn tokens_in_single_precision_follow_direct_descent() {
    let approximation = ReluApproximation { delta: 1e-3, ..ReluApproximation::default() };
    let plan = DescentPlan { approximation, ..DescentPlan::default() };
    let examples = DescentPrompts::default().draw_examples(0, 0);
    let transformer = ConstructedTransformer::new(&plan, &examples);
    let mut direct = plan.network.draw_weights(0, 0, 1.0);
    let mut tokens = transformer.tokens::<f32>(&examples, &direct);
    for step in 1..=25 {
        transformer.step(&mut tokens);
        let (gradient, _) = direct::loss_and_gradient(&plan.network, &examples, &direct);
        direct = direct::descent_step(&plan, &direct, &gradient);
        let apart = euclidean_distance(&tokens.weights(transformer.layout()), &direct);
        let tolerance = if step < 4 { 1e-6 } else { 2e-3 };
        assert!(apart < tolerance, "{step}: {apart:e}");
        assert!(step < 25 || apart > 1e-4);
    }
}

#[test]
fn the_gradient_error_falls_with_the_square_of_the_number_of_knots() {
    for activation in [Activation::Tanh, Activation::Sigmoid, Activation::Gelu] {
        let error = |knots: usize| {
            let approximation = ReluApproximation { knots, ..ReluApproximation::default() };
            measure_after(&DescentPlan { approximation, ..plan(network(vec![8, 8], activation)) }, 10)
                .distance
        };
        // M doubles three times.
        let slope = libm::log2(error(128) / error(16)) / 3.0;
        assert!((-2.3..-1.7).contains(&slope), "{activation:?} {slope}");
    }
}

#[test]
fn the_error_of_relu_networks_comes_from_the_band() {
    let of = |delta: f64| {
        let approximation = ReluApproximation { delta, ..ReluApproximation::default() };
        let mut race = race(&DescentPlan { approximation, ..DescentPlan::default() });
        let mut hits = 0;
        for _ in 0..25 {
            race.step();
            hits += race.measure().wrong_derivatives;
        }
        (race.measure().distance, hits)
    };
    for delta in [1e-4, 1e-6, 1e-8] {
        let (distance, hits) = of(delta);
        assert!(hits == 0 && distance < 1e-12, "{delta}: {distance:e}");
    }
    let wide = [0.003, 0.03, 0.3].map(of);
    assert!(wide.windows(2).all(|pair| pair[1].0 > 3.0 * pair[0].0 && pair[1].1 > pair[0].1), "{wide:?}");
    assert!(wide[0].0 > 1e-3 && wide[0].1 > 0);
}

#[test]
fn weights_of_0_never_change() {
    let examples = DescentPrompts::default().draw_examples(0, 0);
    for activation in [Activation::Relu, Activation::Tanh, Activation::Gelu] {
        let plan = plan(network(vec![8, 8], activation));
        let mut race = DescentComparison::new(&plan, examples.clone(), &plan.network.draw_weights(0, 0, 0.0));
        (0..50).for_each(|_| race.step());
        let ComparisonMeasures { distance_from_start: moved, distance, .. } = race.measure();
        assert_eq!((moved, distance), (0.0, 0.0), "{activation:?}");
    }
    // The sigmoid is not 0 at 0, so its output layer changes unless the mean of the labels is 0.
    let points = vec![[-1.0, 2.0], [0.5, 1.0], [1.0, 3.0]];
    let own = DescentPrompts { function: TargetKind::Points, points, ..DescentPrompts::default() };
    let plan = plan(network(vec![8, 8], Activation::Sigmoid));
    let mut race =
        DescentComparison::new(&plan, own.draw_examples(0, 0), &plan.network.draw_weights(0, 0, 0.0));
    race.step();
    assert!(race.measure().distance_from_start > 0.1);
}

/// With these weights an output layer of ReLUs is 0 for every example.
#[test]
fn an_activated_output_layer_can_be_inactive() {
    let of = |output| {
        let plan = plan(DescentNetwork { output_activation: output, ..DescentNetwork::default() });
        let examples = DescentPrompts::default().draw_examples(0, 0);
        let w = plan.network.draw_weights(0, 0, 1.0);
        let dead = (0..16).all(|i| plan.network.compute_output(&w, examples.input(i)) == [0.0]);
        (dead, measure_after(&plan, 20))
    };
    let (dead, standing) = of(OutputActivation::Activated);
    assert!(dead && standing.distance_from_start == 0.0 && standing.distance == 0.0, "{standing:?}");
    let (dead, standing) = of(OutputActivation::Linear);
    assert!(!dead && standing.distance_from_start > 0.1);
}

#[test]
fn bounds_hold_at_every_step() {
    let smooth = |activation, knots| {
        let approximation = ReluApproximation { knots, ..ReluApproximation::default() };
        DescentPlan { approximation, ..plan(network(vec![8, 8], activation)) }
    };
    let wide = ReluApproximation { delta: 0.1, ..ReluApproximation::default() };
    for plan in [
        DescentPlan::default(),
        DescentPlan { approximation: wide, ..DescentPlan::default() },
        smooth(Activation::Tanh, 8),
        smooth(Activation::Gelu, 32),
        DescentPlan { weight_bound: 0.5, ..smooth(Activation::Sigmoid, 16) },
    ] {
        let mut race = race(&plan);
        for _ in 0..40 {
            race.step();
            let ComparisonMeasures { distance, recursion, corollary, .. } = race.measure();
            assert!(distance <= recursion * (1.0 + 1e-9), "{:?}", race.measure());
            assert!(recursion <= corollary * (1.0 + 1e-9), "{:?}", race.measure());
        }
    }
    assert_eq!(corollary_bound(0.1, 5, 2.0, 0.0), 1.0);
    assert!((corollary_bound(0.5, 2, 3.0, 2.0) - 4.0 * 3.0 / 2.0).abs() < 1e-12);
}

#[test]
fn a_comparison_resumes_from_its_stored_state() {
    let plan = plan(network(vec![4, 3], Activation::Tanh));
    let mut whole = race(&plan);
    (0..6).for_each(|_| whole.step());
    let kept = whole.state().clone();
    let mut other = race(&plan);
    other.resume(ComparisonState::from_tensors(kept.to_tensors().each_ref().map(Vec::as_slice)));
    assert_eq!(other.measure(), whole.measure());
    (0..6).for_each(|_| [&mut whole, &mut other].into_iter().for_each(DescentComparison::step));
    assert_eq!(other.measure(), whole.measure());
    assert_eq!(other.tokens(), whole.tokens());
}

/// The 2-8-8-1 network needs 102 heads with ReLUs and 1,110 with tanh and M = 32, including product heads.
#[test]
fn counts_match_the_table() {
    let of = |plan: &DescentPlan| {
        ConstructedTransformer::new(plan, &DescentPrompts::default().draw_examples(0, 0)).counts()
    };
    let relu = of(&DescentPlan::default());
    assert_eq!((relu.layers, relu.attention_heads, relu.product_heads), (10, 85, 17));
    // Two units for the loss gradient, for each weight and for each workspace coordinate.
    assert_eq!(relu.mlp_units, 2 + 2 * 88 + 2 * 52);
    assert_eq!(relu.parameters, 3 * 145 * 145 * 102 + 2 * 145 * 282);
    let tanh = plan(network(vec![8, 8], Activation::Tanh));
    let counts = of(&tanh);
    assert_eq!(counts.attention_heads + counts.product_heads, 1110);
    for (plan, counts) in [(DescentPlan::default(), relu), (tanh, counts)] {
        let sizes = plan.compute_sizes(16);
        assert_eq!(
            (sizes.layers, sizes.heads),
            (counts.layers, counts.attention_heads + counts.product_heads)
        );
        assert_eq!(sizes.token_dim, TokenLayout::new(&plan.network).len() as u64);
        assert!(
            counts.nonzero_entries > counts.attention_heads
                && counts.nonzero_entries < counts.parameters / 100
        );
    }
}

/// Appendix D: ‖Q‖₁ ≤ 1 and ‖K‖₁ ≤ 1 in all layers, and ‖V‖₁ ≤ 1 in those of products.
#[test]
fn matrix_norms_satisfy_the_papers_bounds() {
    for activation in Activation::ALL.iter().copied() {
        let plan = plan(network(vec![4, 3], activation));
        let transformer = ConstructedTransformer::new(&plan, &DescentPrompts::default().draw_examples(0, 0));
        for layer in transformer.layers() {
            for m in 0..layer.head_count() {
                let HeadMatrices { q, k, v } = layer.head_matrices(m).unwrap();
                assert!(q.max_column_sum() <= 1.0 && k.max_column_sum() <= 1.0, "{:?} {m}", layer.phase);
                assert!(layer.kind() != LayerKind::Product || v.max_column_sum() == 1.0);
                let writes = layer.written_coordinates(m).unwrap();
                assert!(v.entries.iter().all(|(row, ..)| writes.contains(row)));
            }
            assert!(
                layer.head_matrices(layer.head_count()).is_none()
                    && layer.written_coordinates(layer.head_count()).is_none()
            );
        }
        // R₃ exceeds every |p(N)| + |y|.
        assert!(transformer.mask() >= 2.0 && transformer.mask().log2().fract() == 0.0);
    }
}

/// In every layer, coordinates outside the written ones do not change, and coordinates outside the read ones have no
/// effect.
#[test]
fn layers_read_and_write_the_stated_coordinates() {
    let plan = plan(network(vec![4, 3], Activation::Tanh));
    let examples = DescentPrompts { examples: 5, ..DescentPrompts::default() }.draw_examples(0, 0);
    let transformer = ConstructedTransformer::new(&plan, &examples);
    let layout = transformer.layout();
    let states =
        transformer.trace(transformer.tokens::<f64>(&examples, &plan.network.draw_weights(0, 0, 1.0)));
    for (layer, states) in transformer.layers().iter().zip(states.windows(2)) {
        let (writes, reads) = (layout.written_by(layer.phase), layout.read_by(layer.phase));
        let is_read = |c: usize| c == layout.one_index() || reads.iter().any(|range| range.contains(&c));
        let mut strange = states[0].clone();
        for c in (0..layout.len()).filter(|c| !is_read(*c) && !writes.contains(c)) {
            strange.row_mut(c).fill(0.7);
        }
        layer.apply(&mut strange);
        for c in 0..layout.len() {
            let same = states[0].row(c) == states[1].row(c);
            assert!(same || writes.contains(&c), "{:?} writes {}", layer.phase, layout.coordinate_name(c));
            let as_before = strange.row(c) == states[1].row(c);
            assert!(
                as_before || !writes.contains(&c),
                "{:?} reads more for {}",
                layer.phase,
                layout.coordinate_name(c)
            );
        }
    }
}

#[test]
fn nonzero_counts_match_the_matrices() {
    for activation in Activation::ALL.iter().copied() {
        let plan = plan(network(vec![4, 3], activation));
        let transformer = ConstructedTransformer::new(&plan, &DescentPrompts::default().draw_examples(0, 0));
        for layer in transformer.layers() {
            let heads = (0..layer.head_count()).filter_map(|m| layer.head_matrices(m));
            let of_heads: usize =
                heads.flat_map(|head| [head.q, head.k, head.v]).map(|m| m.entries.len()).sum();
            let of_units = layer.first_matrix().entries.len() + layer.second_matrix().entries.len();
            assert_eq!(
                layer.nonzero_count(),
                (of_heads + of_units) as u64,
                "{activation:?} {:?}",
                layer.phase
            );
        }
    }
}

#[test]
fn attention_weights_explain_the_output_of_a_head() {
    let (plan, examples) = (DescentPlan::default(), DescentPrompts::default().draw_examples(0, 0));
    let transformer = ConstructedTransformer::new(&plan, &examples);
    let layout = transformer.layout();
    let states =
        transformer.trace(transformer.tokens::<f64>(&examples, &plan.network.draw_weights(0, 0, 1.0)));
    // A ReLU is one head, with c = 1.
    let weights = transformer.layers()[0].attention_weights(3, &states[0]).unwrap();
    let written = states[1].row(layout.outputs(1).start + 3);
    for (row, written) in weights.chunks(17).zip(written) {
        assert!((row.iter().sum::<f64>() - written).abs() < 1e-14);
    }
    // In a product layer every token attends to itself only.
    let at = transformer.layers().iter().position(|layer| layer.phase == LayerPhase::Backward(3)).unwrap();
    let weights = transformer.layers()[at].attention_weights(0, &states[at]).unwrap();
    let g = states[at].row(layout.block_range(TokenBlock::LossGradient).start);
    for (i, row) in weights.chunks(17).enumerate() {
        assert!(row.iter().enumerate().all(|(s, look)| *look == if s == i { g[i] } else { 0.0 }));
    }
    assert!(transformer.layers()[9].attention_weights(0, &states[9]).is_none());
}
