//! The terms, by name.

use super::Term;

/// What a reader of the page may not know.
pub const TERMS: &[Term] = &[
    Term {
        words: text!("activation|activation function"),
        means: text!(
            "The function by which a neuron turns the weighted sum of its inputs into its output, for example ReLU."
        ),
    },
    Term {
        words: text!("Adam"),
        means: text!(
            "Gradient descent with a step size of its own for each weight. The step sizes follow from moving averages of the gradient and of its square."
        ),
    },
    Term {
        words: text!("AdamW"),
        means: text!(
            "Adam with a weight decay that is separate from the gradient: in each step every weight shrinks by the same share."
        ),
    },
    Term {
        words: text!("at chance|than chance|to chance"),
        means: text!(
            "Chance is the accuracy of guessing at random. With two equally frequent labels, half of the guesses are right."
        ),
    },
    Term {
        words: text!("attention"),
        means: text!(
            "A layer in which each position of a sequence receives a weighted mean of values from other positions. Scores of pairs of positions determine the shares."
        ),
    },
    Term {
        words: text!("attention head|attention heads"),
        means: text!("One of several attentions side by side in a layer, each with weights of its own."),
    },
    Term {
        words: text!("attention weight|attention weights"),
        means: text!(
            "The share of one position in the weighted mean that attention computes for another position. The shares for a position add up to 1."
        ),
    },
    Term {
        words: text!("batch|batches"),
        means: text!(
            "The examples of one training step. The step follows the mean gradient of these examples."
        ),
    },
    Term {
        words: text!("Bayes-optimal"),
        means: text!(
            "With the smallest expected error that is possible for anybody who knows the distribution of the data, but not the answers."
        ),
    },
    Term {
        words: text!("bias|biases"),
        means: text!(
            "A constant that a neuron adds to the weighted sum of its inputs. It is trained like a weight."
        ),
    },
    Term {
        words: text!("bigram|bigrams"),
        means: text!(
            "Two neighbouring symbols. A bigram strategy predicts the next symbol from how often each symbol has followed the present one."
        ),
    },
    Term {
        words: text!("bootstrap sample|bootstrap samples"),
        means: text!(
            "As many rows as the data have, drawn from them at random with repetition: some rows occur several times, others do not occur."
        ),
    },
    Term {
        words: text!("busy beaver|busy beavers"),
        means: text!(
            "A Turing machine that makes the most steps on an empty tape among all machines of its size that halt."
        ),
    },
    Term {
        words: text!("characters of the group|character of the group"),
        means: text!(
            "A character gives for each element of a group the sum of the diagonal of its matrix in a representation."
        ),
    },
    Term {
        words: text!("conjugacy class|conjugacy classes"),
        means: text!(
            "All elements ghg⁻¹ for one element h of a group and every element g. In a commutative group each class is a single element."
        ),
    },
    Term {
        words: text!("correlation loss"),
        means: text!("A loss for labels +1 and −1: minus the product of label and output."),
    },
    Term {
        words: text!("coset|cosets"),
        means: text!(
            "All products of one fixed element of a group with the elements of a subgroup. The cosets of a subgroup divide the group into parts of equal size."
        ),
    },
    Term {
        words: text!("cross-entropy"),
        means: text!(
            "A loss: minus the logarithm of the probability that the network gives to the right answer."
        ),
    },
    Term {
        words: text!("cyclic group|cyclic groups"),
        means: text!("The numbers from 0 to n − 1 with addition modulo n, or a group of the same form."),
    },
    Term {
        words: text!("decision tree|decision trees"),
        means: text!(
            "A chain of questions about single columns. Each answer determines the next question, and the last answer gives the prediction."
        ),
    },
    Term {
        words: text!("Dirichlet|Dirichlet distribution"),
        means: text!(
            "A distribution of lists of probabilities, such as the rows of a transition matrix. With parameter 1 all lists are equally likely."
        ),
    },
    Term {
        words: text!("doubly stochastic"),
        means: text!(
            "A matrix of probabilities in which each row and each column adds up to 1. If all symbols of such a Markov chain are equally frequent, they remain so."
        ),
    },
    Term {
        words: text!("dropout"),
        means: text!(
            "In each training step a random part of the neurons is set to 0, so that the outputs do not depend on few neurons."
        ),
    },
    Term {
        words: text!("embedding|embeddings"),
        means: text!(
            "A list of trained numbers that stands for a symbol, a position or a group element inside the network."
        ),
    },
    Term {
        words: text!("epoch|epochs"),
        means: text!("As many training steps as it takes to use every training example once."),
    },
    Term {
        words: text!("feedforward network|feedforward networks"),
        means: text!(
            "A network without loops: numbers pass once from the inputs through the layers to the outputs."
        ),
    },
    Term {
        words: text!("Fourier gap"),
        means: text!(
            "The largest gradient entry, in size, on a relevant bit minus the largest on any other bit. If the gap is positive, a training step favours a relevant bit."
        ),
    },
    Term {
        words: text!("generalisation|generalise|generalises|generalised"),
        means: text!("Being right on examples that were not used in training."),
    },
    Term {
        words: text!("Gini coefficient"),
        means: text!(
            "A measure of how unevenly a sum is shared: 0 for equal shares, close to 1 if one share is nearly everything."
        ),
    },
    Term {
        words: text!("gradient|gradients"),
        means: text!(
            "For every weight, the rate at which the loss rises when this weight grows. A training step changes the weights in the opposite direction."
        ),
    },
    Term {
        words: text!("gradient descent"),
        means: text!(
            "Training in small steps: each step changes the weights against the gradient, so that the loss falls."
        ),
    },
    Term {
        words: text!("grokking"),
        means: text!(
            "A network memorises its training examples first, and is right on other examples only much later."
        ),
    },
    Term {
        words: text!("GRU"),
        means: text!(
            "Gated recurrent unit: a recurrent network in which trained gates control how much of its memory each position replaces."
        ),
    },
    Term {
        words: text!("half-space|half-spaces"),
        means: text!(
            "A rule that divides the inputs by a plane: the label is the sign of a weighted sum of the inputs."
        ),
    },
    Term {
        words: text!("Hebb's rule"),
        means: text!("Each weight is the sum of its input times the label, over all examples."),
    },
    Term {
        words: text!("held-out"),
        means: text!(
            "Not used in training. Accuracy on held-out examples shows whether the network has learned the rule or has only memorised its training examples."
        ),
    },
    Term {
        words: text!("hidden layer|hidden layers|hidden unit|hidden units|hidden neuron|hidden neurons"),
        means: text!("Neurons between the inputs and the outputs of a network."),
    },
    Term {
        words: text!("hinge loss"),
        means: text!(
            "A loss for labels +1 and −1: 1 minus the product of label and output, or 0 where this is negative."
        ),
    },
    Term {
        words: text!("in context|in-context learning|learning in context"),
        means: text!(
            "The network gets examples as a part of its input and answers a new question from them, while its weights stay as they are."
        ),
    },
    Term {
        words: text!("induction head|induction heads"),
        means: text!(
            "An attention head that attends from the last symbol to whatever followed the earlier occurrences of the same symbol."
        ),
    },
    Term {
        words: text!("initialisation|initialisations|initial weights"),
        means: text!("The weights before the first training step, which are usually drawn at random."),
    },
    Term {
        words: text!("inverse temperature"),
        means: text!(
            "A factor on all scores before softmax. The larger it is, the closer softmax comes to choosing the largest score alone."
        ),
    },
    Term {
        words: text!(
            "irrep|irreps|irreducible representation|irreducible representations|irreducible real representations"
        ),
        means: text!(
            "Irreducible representation: a representation of a group that cannot be divided into smaller ones. All other representations consist of irreps."
        ),
    },
    Term {
        words: text!("KL|KL divergence"),
        means: text!(
            "Kullback–Leibler divergence: how far one distribution of probabilities is from another one. It is 0 only if both are equal."
        ),
    },
    Term {
        words: text!("label noise"),
        means: text!("Random errors in the labels of the training examples."),
    },
    Term {
        words: text!("layer norm|layer norms|layer normalisation|LayerNorm"),
        means: text!(
            "Layer normalisation: the numbers at each position are shifted and scaled to mean 0 and variance 1."
        ),
    },
    Term {
        words: text!("learning rate|learning rates"),
        means: text!(
            "The factor by which a training step multiplies the gradient. A larger factor gives a larger step."
        ),
    },
    Term {
        words: text!("least squares"),
        means: text!("The linear function with the smallest sum of squared errors on the examples."),
    },
    Term {
        words: text!("logit|logits"),
        means: text!(
            "A number that the network computes for each possible answer; softmax turns these numbers into probabilities. The largest logit is the network's answer."
        ),
    },
    Term {
        words: text!("loss|losses"),
        means: text!(
            "A number that is large if the network's outputs are wrong. Training makes this number small."
        ),
    },
    Term {
        words: text!("margin|margins"),
        means: text!(
            "How far an answer is from being wrong: the lead of the right answer over the next one, or the smallest change that makes the answer wrong."
        ),
    },
    Term {
        words: text!("Markov chain|Markov chains"),
        means: text!(
            "A random sequence of symbols. The probabilities of the next symbol depend only on the present symbol."
        ),
    },
    Term {
        words: text!("maximum-margin"),
        means: text!("With the largest margin that weights of the same size can have."),
    },
    Term {
        words: text!("memorisation|memorise|memorises|memorised|memorising"),
        means: text!(
            "Being right on the training examples without a rule that also holds for other examples."
        ),
    },
    Term {
        words: text!("MLP|MLPs"),
        means: text!(
            "Multilayer perceptron: layers of neurons, each of which receives a weighted sum of all outputs of the layer before."
        ),
    },
    Term {
        words: text!("momentum"),
        means: text!(
            "Each training step also repeats a part of the step before, so that steps in one direction add up."
        ),
    },
    Term {
        words: text!("normalised margin"),
        means: text!(
            "The margin that the network has after its weights are scaled to norm 1, so that larger weights alone do not raise it."
        ),
    },
    Term {
        words: text!("one-hot"),
        means: text!("A list of zeros with a single 1. The place of the 1 says which symbol is meant."),
    },
    Term {
        words: text!("order of a group|orders of the cyclic groups"),
        means: text!("The number of elements of the group."),
    },
    Term {
        words: text!("overfits|overfit|overfitting"),
        means: text!("Right on the training examples, and clearly worse on other examples."),
    },
    Term {
        words: text!("parity|parities"),
        means: text!(
            "Whether an odd number of some bits are set; if bits are +1 or −1, their product. The parity changes whenever one of these bits changes."
        ),
    },
    Term {
        words: text!("perceptron|perceptrons"),
        means: text!(
            "One neuron that answers with the sign of a weighted sum of its inputs, or, with hidden layers, a network of such neurons."
        ),
    },
    Term {
        words: text!("plateau|plateaus"),
        means: text!("A part of a curve that stays almost flat for many steps."),
    },
    Term {
        words: text!("population gradient"),
        means: text!("The mean gradient over all possible inputs, instead of the inputs of a sample."),
    },
    Term {
        words: text!("positional encoding|positional embedding|positional embeddings"),
        means: text!(
            "Numbers that are added to the input of each position. From them attention can tell positions apart."
        ),
    },
    Term {
        words: text!("prompt|prompts"),
        means: text!(
            "The input of a network that learns from it: a sequence of examples or names, and what is asked about them."
        ),
    },
    Term {
        words: text!("random forest|random forests"),
        means: text!(
            "Many decision trees, each grown on another random sample of the data. The answer is the vote of all trees."
        ),
    },
    Term {
        words: text!("recurrent network|recurrent networks|recurrent memory"),
        means: text!(
            "A network that reads a sequence position by position. A list of numbers, its memory, is passed on from each position to the next."
        ),
    },
    Term {
        words: text!("relevant bit|relevant bits"),
        means: text!("A bit on which the label depends. The other bits have no influence on the label."),
    },
    Term {
        words: text!("ReLU|ReLUs"),
        means: text!("Rectified linear unit: the function max(0, z), or a neuron with this function."),
    },
    Term {
        words: text!("replica|replicas"),
        means: text!(
            "One of several trainings with the same settings, side by side, that differ only in random numbers."
        ),
    },
    Term {
        words: text!("representation|representations"),
        means: text!(
            "A matrix for every element of a group, such that the matrix of a product is the product of the matrices."
        ),
    },
    Term {
        words: text!("ridge regression|ridge"),
        means: text!(
            "Least squares with a penalty λ on the sum of the squared weights, which keeps the weights small."
        ),
    },
    Term {
        words: text!("R²"),
        means: text!(
            "The share of the variance of the labels that the predictions explain: 1 is exact, and 0 is as good as always predicting the mean."
        ),
    },
    Term {
        words: text!("seed|seeds"),
        means: text!(
            "The number from which all random numbers of a run are computed: the same settings and seed give the same run."
        ),
    },
    Term {
        words: text!("SGD|stochastic gradient descent"),
        means: text!(
            "Stochastic gradient descent: gradient descent in which each step uses a small random part of the examples, the batch."
        ),
    },
    Term {
        words: text!("softmax"),
        means: text!(
            "Turns numbers into shares that add up to 1: the exponential of each number, divided by the sum of all of them."
        ),
    },
    Term {
        words: text!("sparse parity"),
        means: text!("The parity of a few bits among many. The learner does not know which bits these are."),
    },
    Term {
        words: text!("spectrum|spectra|Walsh spectrum"),
        means: text!("The size of each part of a function that is written as a sum of waves or of parities."),
    },
    Term {
        words: text!("subgroup|subgroups"),
        means: text!("A part of a group that is itself a group: it contains all products of its elements."),
    },
    Term {
        words: text!("sweep|sweeps"),
        means: text!(
            "A set of runs that differ in one setting or two, so that their results can be compared."
        ),
    },
    Term {
        words: text!("teacher"),
        means: text!(
            "A fixed network or rule that gives the labels. The network that is trained on them is the student."
        ),
    },
    Term {
        words: text!("token|tokens"),
        means: text!("The list of numbers at one position of the sequence that a network reads."),
    },
    Term {
        words: text!("transformer|transformers"),
        means: text!(
            "A network for sequences. Its layers are attention, which combines positions, and MLPs, which compute at each position separately."
        ),
    },
    Term {
        words: text!("transition matrix|transition matrices"),
        means: text!(
            "The probabilities of a Markov chain: the row of a symbol holds the probability of each next symbol."
        ),
    },
    Term {
        words: text!("Turing machine|Turing machines"),
        means: text!(
            "A simple computer: a table of rules, a state, and a head that in each step reads and writes one cell of a tape and moves to a neighbouring cell."
        ),
    },
    Term {
        words: text!("unigram|unigrams"),
        means: text!(
            "A single symbol. A unigram strategy predicts the next symbol from how often each symbol has occurred so far."
        ),
    },
    Term {
        words: text!("validation queries|validation query|validation accuracy"),
        means: text!(
            "Validation queries are not used in training but to choose the best result, so accuracy on them is a little too high."
        ),
    },
    Term {
        words: text!("weight decay"),
        means: text!(
            "Each training step also moves every weight a little towards 0. So a weight stays large only if this makes the loss smaller."
        ),
    },
];
