//! Descriptions of the 2N + 4 layers of a step, in words and as formulas.

/// The task of one of the 2N + 4 transformer layers within one step of gradient descent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LayerPhase {
    /// Computes the outputs p(j) of the network's layer j, from 1 to N.
    Forward(usize),
    /// Computes the derivatives r′ of all layers.
    Derivatives,
    /// Computes the gradient g of the loss with respect to the output.
    LossGradient,
    /// Computes the errors s(j) of the network's layer j, from N to 1.
    Backward(usize),
    /// Updates the network's weights in every token.
    Step,
    /// Sets the workspace to 0 and projects the weights to the interval from −B to B.
    CleanUp,
}

/// The operation of a transformer layer: attention, MLP or element-wise products (definitions 6, 7 and 8 of the
/// paper).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LayerKind {
    /// ReLU attention.
    Attention,
    /// An MLP with one hidden layer of ReLUs, applied to each token separately.
    Feedforward,
    /// Products of two linear forms of a token, which are not part of a standard transformer.
    Product,
}

impl LayerKind {
    /// Name of the operation in the language of the page.
    pub fn name(self) -> &'static str {
        match self {
            LayerKind::Attention => tr!("ReLU attention"),
            LayerKind::Feedforward => tr!("MLP"),
            LayerKind::Product => tr!("Element-wise product"),
        }
    }

    /// Formula of the output at token i of a transformer layer with this operation.
    pub fn formula(self) -> &'static str {
        match self {
            LayerKind::Attention => "hᵢ + 1/(n+1) Σₘ Σₛ σ(⟨Qₘ hᵢ, Kₘ hₛ⟩) Vₘ hₛ",
            LayerKind::Feedforward => "hᵢ + W₂ σ(W₁ hᵢ)",
            LayerKind::Product => "hᵢ + Σₘ ⟨Qₘ hᵢ, Kₘ hᵢ⟩ Vₘ hᵢ",
        }
    }
}

impl LayerPhase {
    /// The 2N + 4 layers of a step of descent on a network of N = `layers` layers, in order.
    pub fn all(layers: usize) -> Vec<LayerPhase> {
        let mut all: Vec<LayerPhase> = (1..=layers).map(LayerPhase::Forward).collect();
        all.extend([LayerPhase::Derivatives, LayerPhase::LossGradient]);
        all.extend((1..=layers).rev().map(LayerPhase::Backward));
        all.extend([LayerPhase::Step, LayerPhase::CleanUp]);
        all
    }

    /// The operation of the layer with this task: attention, MLP or element-wise products.
    pub fn kind(self) -> LayerKind {
        match self {
            LayerPhase::Forward(_) | LayerPhase::Derivatives | LayerPhase::Step => LayerKind::Attention,
            LayerPhase::LossGradient | LayerPhase::CleanUp => LayerKind::Feedforward,
            LayerPhase::Backward(_) => LayerKind::Product,
        }
    }

    /// Name of the layer's task in the language of the page, such as "Forward 2".
    pub fn name(self) -> String {
        match self {
            LayerPhase::Forward(j) => tr!("Forward {j}", j),
            LayerPhase::Derivatives => tr!("Slopes").into(),
            LayerPhase::LossGradient => tr!("Loss gradient").into(),
            LayerPhase::Backward(j) => tr!("Backward {j}", j),
            LayerPhase::Step => tr!("Step").into(),
            LayerPhase::CleanUp => tr!("Clean-up").into(),
        }
    }

    /// Sentence on what the layer computes, in the language of the page.
    pub fn description(self) -> String {
        match self {
            LayerPhase::Forward(1) => {
                tr!("From the input and the weights of the neurons, this layer of the transformer computes the output of each neuron in the network's first layer, and writes the output into the token.")
                    .into()
            }
            LayerPhase::Forward(j) => tr!(
                "From the outputs of the network's layer {below} and the weights of the neurons, this layer of the transformer computes the output of each neuron in the network's layer {j}, and writes the output into the token.",
                j,
                below = j - 1
            ),
            LayerPhase::Derivatives => {
                tr!("For every neuron of the network, this layer of the transformer writes the slope of the activation function into the token.").into()
            }
            LayerPhase::LossGradient => {
                tr!("This layer of the transformer writes 2 · (output − label) into the token of each example, and 0 into the query's token.").into()
            }
            LayerPhase::Backward(j) => tr!(
                "This layer of the transformer computes the errors of the neurons in the network's layer {j}. In the network's output layer, the error of a neuron is its slope times the gradient g; in every other layer, the error is the slope times the weighted sum of the errors of the next layer. Each token uses only its own numbers.",
                j
            ),
            LayerPhase::Step => {
                tr!("For each weight of a neuron, the neuron's error is multiplied by the weight's input. This product is averaged over the examples, multiplied by η/2 and subtracted from the weight in every token.")
                    .into()
            }
            LayerPhase::CleanUp => {
                tr!("The blocks p, r′, g and s of each token are set to 0. Weights above B become B, and weights below −B become −B.").into()
            }
        }
    }

    /// Formula of the update of token coordinates by the layer, for a network of N = `layers` layers.
    pub fn formula(self, layers: usize) -> String {
        let below = |j: usize| if j == 1 { "x".to_string() } else { format!("p({})", j - 1) };
        match self {
            LayerPhase::Forward(j) => {
                format!("p({j})[k] += 1/(n+1) Σₛ Σₘ cₘ σ(aₘ ⟨{}, v({j},k)ₛ⟩ + bₘ)", below(j))
            }
            LayerPhase::Derivatives => {
                "r′(j−1)[k] += 1/(n+1) Σₛ Σₘ c′ₘ σ(a′ₘ ⟨p(j−1), v(j,k)ₛ⟩ + b′ₘ)".into()
            }
            LayerPhase::LossGradient => format!(
                "g[k] += 4 σ(½p({layers})[k] − ½y[k] − R₃(1−t)) − 4 σ(½y[k] − ½p({layers})[k] − R₃(1−t))"
            ),
            LayerPhase::Backward(j) if j == layers => format!("s({j})[k] += r′({})[k] · g[k]", j - 1),
            LayerPhase::Backward(j) => {
                format!("s({j})[k] += r′({})[k] · Σₘ v({above},m)[k] s({above})[m]", j - 1, above = j + 1)
            }
            LayerPhase::Step => {
                "v(j,k) += 1/(n+1) Σₛ η(n+1)/(2n) (σ(−sₛ(j)[k]) − σ(sₛ(j)[k])) pₛ(j−1)".into()
            }
            LayerPhase::CleanUp => "z += σ(−z) − σ(z) for p, r′, g, s;  w += σ(−w−B) − σ(w−B)".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_two_n_and_four_layers() {
        for (layers, count) in [(1, 6), (2, 8), (3, 10), (4, 12), (6, 16)] {
            let all = LayerPhase::all(layers);
            assert_eq!(all.len(), count);
            let of = |kind| all.iter().filter(|phase| phase.kind() == kind).count();
            assert_eq!(
                [LayerKind::Attention, LayerKind::Feedforward, LayerKind::Product].map(of),
                [layers + 2, 2, layers]
            );
            let mut names: Vec<String> = all.iter().map(|phase| phase.name()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
            assert!(all.iter().all(|phase| phase.description().ends_with('.')));
            assert!(all.iter().all(|phase| phase.formula(layers).contains("+=")));
            assert!(all.iter().all(|phase| !phase.kind().name().is_empty()));
            assert!(all.iter().all(|phase| phase.kind().formula().starts_with('h')));
        }
        assert_eq!(LayerPhase::Backward(3).formula(3), "s(3)[k] += r′(2)[k] · g[k]");
        assert_eq!(LayerPhase::Backward(2).formula(3), "s(2)[k] += r′(1)[k] · Σₘ v(3,m)[k] s(3)[m]");
        assert_eq!(LayerPhase::Forward(1).name(), "Forward 1");
    }
}
