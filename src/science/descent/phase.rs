//! What each of the 2N + 4 layers of a step does, in words and as a formula.

/// A layer of a step of descent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The outputs p(j) of layer j, from 1 to N.
    Forward(usize),
    /// The slopes r′ of all layers.
    Slopes,
    /// The gradient g of the loss by the output.
    LossGradient,
    /// The errors s(j) of layer j, from N to 1.
    Backward(usize),
    /// The step of descent.
    Step,
    /// Scratch becomes 0, and the weights are put back into their box.
    CleanUp,
}

/// What a layer is (definitions 6, 7 and 8 of the paper).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// ReLU attention.
    Attention,
    /// A perceptron with one hidden layer of ReLUs, on each token by itself.
    Feedforward,
    /// Products of two linear forms of a token, which are no part of a transformer as it is known.
    Product,
}

impl Kind {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Attention => tr!("ReLU attention"),
            Kind::Feedforward => tr!("MLP"),
            Kind::Product => tr!("Element-wise product"),
        }
    }

    /// What every layer of the kind does to token i.
    pub fn formula(self) -> &'static str {
        match self {
            Kind::Attention => "hᵢ + 1/(n+1) Σₘ Σₛ σ(⟨Qₘ hᵢ, Kₘ hₛ⟩) Vₘ hₛ",
            Kind::Feedforward => "hᵢ + W₂ σ(W₁ hᵢ)",
            Kind::Product => "hᵢ + Σₘ ⟨Qₘ hᵢ, Kₘ hᵢ⟩ Vₘ hᵢ",
        }
    }
}

impl Phase {
    /// The 2N + 4 layers of a step of descent on a network of N = `layers` layers.
    pub fn all(layers: usize) -> Vec<Phase> {
        let mut all: Vec<Phase> = (1..=layers).map(Phase::Forward).collect();
        all.extend([Phase::Slopes, Phase::LossGradient]);
        all.extend((1..=layers).rev().map(Phase::Backward));
        all.extend([Phase::Step, Phase::CleanUp]);
        all
    }

    /// What kind of layer it is.
    pub fn kind(self) -> Kind {
        match self {
            Phase::Forward(_) | Phase::Slopes | Phase::Step => Kind::Attention,
            Phase::LossGradient | Phase::CleanUp => Kind::Feedforward,
            Phase::Backward(_) => Kind::Product,
        }
    }

    /// "Forward 2".
    pub fn name(self) -> String {
        match self {
            Phase::Forward(j) => tr!("Forward {j}", j),
            Phase::Slopes => tr!("Slopes").into(),
            Phase::LossGradient => tr!("Loss gradient").into(),
            Phase::Backward(j) => tr!("Backward {j}", j),
            Phase::Step => tr!("Step").into(),
            Phase::CleanUp => tr!("Clean-up").into(),
        }
    }

    /// What it does, in a sentence.
    pub fn about(self) -> String {
        match self {
            Phase::Forward(1) => {
                tr!("From the input and the weights of the neurons, this layer of the transformer computes the output of each neuron in the network's first layer, and writes the output into the token.")
                    .into()
            }
            Phase::Forward(j) => tr!(
                "From the outputs of the network's layer {below} and the weights of the neurons, this layer of the transformer computes the output of each neuron in the network's layer {j}, and writes the output into the token.",
                j,
                below = j - 1
            ),
            Phase::Slopes => {
                tr!("For every neuron of the network, this layer of the transformer writes the slope of the activation function into the token.").into()
            }
            Phase::LossGradient => {
                tr!("This layer of the transformer writes 2 · (output − label) into the token of each example, and 0 into the query's token.").into()
            }
            Phase::Backward(j) => tr!(
                "This layer of the transformer computes the errors of the neurons in the network's layer {j}. In the network's output layer, the error of a neuron is its slope times the gradient g; in every other layer, the error is the slope times the weighted sum of the errors of the next layer. Each token uses only its own numbers.",
                j
            ),
            Phase::Step => {
                tr!("For each weight of a neuron, the neuron's error is multiplied by the weight's input. This product is averaged over the examples, multiplied by η/2 and subtracted from the weight in every token.")
                    .into()
            }
            Phase::CleanUp => {
                tr!("The blocks p, r′, g and s of each token are set to 0. Weights above B become B, and weights below −B become −B.").into()
            }
        }
    }

    /// What it adds to which numbers of a token, in a network of N = `layers` layers.
    pub fn formula(self, layers: usize) -> String {
        let below = |j: usize| if j == 1 { "x".to_string() } else { format!("p({})", j - 1) };
        match self {
            Phase::Forward(j) => {
                format!("p({j})[k] += 1/(n+1) Σₛ Σₘ cₘ σ(aₘ ⟨{}, v({j},k)ₛ⟩ + bₘ)", below(j))
            }
            Phase::Slopes => "r′(j−1)[k] += 1/(n+1) Σₛ Σₘ c′ₘ σ(a′ₘ ⟨p(j−1), v(j,k)ₛ⟩ + b′ₘ)".into(),
            Phase::LossGradient => format!(
                "g[k] += 4 σ(½p({layers})[k] − ½y[k] − R₃(1−t)) − 4 σ(½y[k] − ½p({layers})[k] − R₃(1−t))"
            ),
            Phase::Backward(j) if j == layers => format!("s({j})[k] += r′({})[k] · g[k]", j - 1),
            Phase::Backward(j) => {
                format!("s({j})[k] += r′({})[k] · Σₘ v({above},m)[k] s({above})[m]", j - 1, above = j + 1)
            }
            Phase::Step => "v(j,k) += 1/(n+1) Σₛ η(n+1)/(2n) (σ(−sₛ(j)[k]) − σ(sₛ(j)[k])) pₛ(j−1)".into(),
            Phase::CleanUp => "z += σ(−z) − σ(z) for p, r′, g, s;  w += σ(−w−B) − σ(w−B)".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_two_n_and_four_layers() {
        for (layers, count) in [(1, 6), (2, 8), (3, 10), (4, 12), (6, 16)] {
            let all = Phase::all(layers);
            assert_eq!(all.len(), count);
            let of = |kind| all.iter().filter(|phase| phase.kind() == kind).count();
            assert_eq!([Kind::Attention, Kind::Feedforward, Kind::Product].map(of), [layers + 2, 2, layers]);
            let mut names: Vec<String> = all.iter().map(|phase| phase.name()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
            assert!(all.iter().all(|phase| phase.about().ends_with('.')));
            assert!(all.iter().all(|phase| phase.formula(layers).contains("+=")));
            assert!(all.iter().all(|phase| !phase.kind().name().is_empty()));
            assert!(all.iter().all(|phase| phase.kind().formula().starts_with('h')));
        }
        assert_eq!(Phase::Backward(3).formula(3), "s(3)[k] += r′(2)[k] · g[k]");
        assert_eq!(Phase::Backward(2).formula(3), "s(2)[k] += r′(1)[k] · Σₘ v(3,m)[k] s(3)[m]");
        assert_eq!(Phase::Forward(1).name(), "Forward 1");
    }
}
