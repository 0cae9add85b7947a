//! What is measured at the start against the models in plain loops.

use super::reference::{Reference, measure, replica};
use super::{both_sets, every_model};
use crate::{finish, session, spec};

/// Losses, accuracies and margins of the first row, from outputs of [`vivarium::models::Network::evaluate`] and
/// from double precision.
#[test]
fn the_first_row_is_what_plain_loops_give() {
    for model in every_model() {
        for share in ["", "&frac=0.5", "&frac=0.5&batch=5"] {
            let link = format!(
                "#v1/groups?op=sub&n=7&{model}{share}&learner=autodiff&replicas=2&seed=3&steps=2&every=1"
            );
            let spec = spec(&link);
            let row = finish(&mut session(&link)).rows.remove(0);
            assert_eq!(row.step, 0);
            let penalty = spec.architecture().penalty(0);
            assert_eq!(row.margin.len(), if penalty.is_some() { 2 } else { 0 }, "{link}");
            for r in 0..2 {
                let weights = replica(&spec.initialize_parameters(), r, 2);
                let reference = Reference::new(&spec, &weights);
                let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
                let measured =
                    [(row.train_loss[r], row.train_accuracy[r]), (row.test_loss[r], row.test_accuracy[r])];
                for (batch, (loss, accuracy)) in both_sets(&spec).iter().zip(measured) {
                    let plain = spec.network().evaluate(&slices, 7, &batch.x, 0);
                    let plain: Vec<Vec<f64>> =
                        plain.chunks(7).map(|row| row.iter().map(|f| f64::from(*f)).collect()).collect();
                    for expected in [measure(&plain, &batch.y), reference.measure(batch)] {
                        let error = (expected.loss - f64::from(loss)).abs();
                        assert!(error < 1e-5 * (1.0 + expected.loss), "{link}: {loss}, {expected:?}");
                        assert!((expected.accuracy - f64::from(accuracy)).abs() < 1e-6, "{link}");
                    }
                }
                if let Some(penalty) = penalty {
                    // h(θ/‖θ‖): of degree 3 with squares and 2 with ReLUs.
                    let degree = if link.contains("act=relu") { 2.0 } else { 3.0 };
                    let norm = reference.norms(penalty.exponent).powf(1.0 / penalty.exponent as f64);
                    let exact = reference.measure(&both_sets(&spec)[0]).margin / norm.powf(degree);
                    let error = (exact - f64::from(row.margin[r])).abs();
                    assert!(error < 1e-5 * (1e-2 + exact.abs()), "{link}: {} against {exact}", row.margin[r]);
                    let norms = penalty.norms(&slices, weights[0].len() / 7);
                    assert!((norms / reference.norms(penalty.exponent) - 1.0).abs() < 1e-6, "{link}");
                }
            }
        }
    }
}

/// All pairs are trained on, so what is held out is the same; else it is not.
#[test]
fn what_is_held_out_is_what_is_not_trained_on() {
    let all = finish(&mut session("#v1/groups?n=7&width=8&steps=40&every=10"));
    for row in &all.rows {
        assert_eq!((&row.train_loss, &row.train_accuracy), (&row.test_loss, &row.test_accuracy));
    }
    let part = finish(&mut session("#v1/groups?n=7&width=60&frac=0.5&steps=300&every=10"));
    let last = part.rows.last().unwrap();
    assert_eq!(last.train_accuracy, [1.0]);
    assert!(last.test_accuracy[0] < 1.0 && last.test_loss[0] > 2.0 * last.train_loss[0], "{last:?}");
}
