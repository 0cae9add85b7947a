//! The losses of [`vivarium_model::optim::loss`] on tensors.

use burn::tensor::Tensor;
use burn::tensor::activation::relu;

use vivarium_model::optim::loss::Loss;

/// The losses of a batch.
///
/// # Shapes
/// All tensors are `[replicas, batch, 1]`, or have as many columns as an example asks for predictions.
pub fn losses(loss: Loss, labels: Tensor<3>, outputs: Tensor<3>) -> Tensor<3> {
    match loss {
        Loss::Hinge => relu(-(labels * outputs) + 1.0),
        Loss::Square => {
            let error = labels - outputs;
            error.clone() * error
        }
        // The stable form: relu(−m) + ln(1 + exp(−|m|)), where |m| = relu(m) + relu(−m).
        Loss::CrossEntropy => {
            let margin = labels * outputs;
            let below = relu(-margin.clone());
            let size = relu(margin.clone()) + below.clone();
            // A ReLU has no slope at 0, where the loss has −1/2: weights that begin at zero would stay there.
            let at_zero = margin.clone().mask_fill(margin.not_equal_elem(0.0), 0.0);
            below + ((-size).exp() + 1.0).log() - at_zero * 0.5
        }
        Loss::Correlation => -(labels * outputs),
    }
}

/// The losses that training makes small, with label smoothing ε, which only the cross-entropy has.
///
/// # Shapes
/// As [`losses`].
pub fn smoothed_losses(loss: Loss, labels: Tensor<3>, outputs: Tensor<3>, smoothing: f32) -> Tensor<3> {
    if smoothing == 0.0 {
        return losses(loss, labels, outputs);
    }
    let margin = labels.clone() * outputs.clone();
    losses(loss, labels, outputs) + margin * (0.5 * smoothing)
}

/// What each answer of a batch counts in the accuracy, as [`vivarium_model::optim::accuracy::accuracy_credit`] defines it.
///
/// # Shapes
/// All tensors are `[replicas, batch, 1]`.
pub fn credit(labels: Tensor<3>, outputs: Tensor<3>) -> Tensor<3> {
    let margins = labels * outputs;
    margins.clone().greater_elem(0.0).float() + margins.equal_elem(0.0).float() * 0.5
}

/// The cross-entropies −ln softmax(outputs)\[label\] of a batch whose labels are classes, and the margins: the
/// label's output less the largest other one. With label smoothing ε each class gets an even share of ε of the label,
/// which adds ε times the difference between the label's output and the mean output.
///
/// # Why
/// The loss is ln(1 + Σ exp(output − output of the label)), summed over the other classes; a positive largest difference
/// is taken out of the sum. The gradient of ln softmax has 1 − probability at the label. In single precision this
/// difference is exactly zero as soon as the loss of an example is below 6 · 10⁻⁸, while the gradients of the other
/// outputs are not, and a network that has memorised its examples would then be trained by the rounding error. The
/// kernels sum the other classes too.
///
/// # Shapes
/// `labels` is `[replicas, batch, classes]`, one-hot; `outputs` likewise; both results are `[replicas, batch, 1]`.
pub fn of_classes(labels: Tensor<3>, outputs: Tensor<3>, smoothing: f32) -> (Tensor<3>, Tensor<3>) {
    let own = (outputs.clone() * labels.clone()).sum_dim(2);
    // Far below any output, and far from the end of the numbers.
    let others = (outputs.clone() - labels.clone() * 1e30).max_dim(2);
    let differences = outputs.clone() - own.clone();
    // The label's own difference is zero, so that no largest one is below.
    let largest = differences.clone().detach().max_dim(2);
    let of_others = (differences - largest.clone()).exp() * (-labels + 1.0);
    let of_label = (-largest.clone()).exp() - 1.0;
    let losses = largest + (of_others.sum_dim(2) + of_label).log1p();
    let losses = match smoothing == 0.0 {
        true => losses,
        false => losses + (own.clone() - outputs.mean_dim(2)) * smoothing,
    };
    (losses, own - others)
}
