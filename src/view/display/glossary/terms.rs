//! The terms, by name.

use super::Term;

/// What a reader of the page may not know.
pub const TERMS: &[Term] = &[
    Term {
        words: text!("accuracy"),
        means: text!(
            "The share of examples with the right answer. For labels −1 and +1, the sign of the output is the answer; an output of 0 counts as half right. With more classes, equal largest outputs count as wrong."
        ),
    },
    Term {
        words: text!("activation|activation function"),
        means: text!(
            "The function by which a neuron turns the weighted sum of its inputs into its output, for example ReLU."
        ),
    },
    Term {
        words: text!("Adam"),
        means: text!(
            "Gradient descent with a separate step size for each weight. The step sizes are computed from moving averages of the gradient and of its square."
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
            "A layer in which each position of a sequence receives a weighted mean of the values of several positions. Scores of pairs of positions determine the weights of this mean."
        ),
    },
    Term {
        words: text!("attention head|attention heads"),
        means: text!(
            "One of several separate computations of attention in the same layer. Each head has its own trained weights."
        ),
    },
    Term {
        words: text!("attention weight|attention weights"),
        means: text!(
            "The share of one position in the weighted mean that attention computes for another position. The attention weights of one such mean add up to 1."
        ),
    },
    Term {
        words: text!("batch|batches"),
        means: text!("The examples of one training step. The step uses the mean gradient of these examples."),
    },
    Term {
        words: text!("Bayes-optimal"),
        means: text!(
            "A prediction is Bayes-optimal if no other prediction from the inputs has a smaller expected loss, even if the distribution of inputs and labels is known."
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
            "Two neighbouring symbols. A bigram strategy predicts the next symbol from the number of times that each symbol has followed the current symbol."
        ),
    },
    Term {
        words: text!("bootstrap sample|bootstrap samples"),
        means: text!(
            "A random sample of as many rows as the data have. Each row may be chosen more than once, so some rows occur several times and other rows do not occur."
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
            "A character gives, for each element of a group, the sum of the diagonal entries of the element's matrix in a representation."
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
            "All products gh, or all products hg, where g is a fixed element of a group and h is every element of a subgroup in turn. The cosets of a subgroup divide the group into parts of equal size."
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
        means: text!(
            "The numbers from 0 to n − 1 with addition modulo n, or a group with the same structure."
        ),
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
            "A distribution from which a list of probabilities is drawn, such as a row of a transition matrix. With parameter 1 all lists are equally likely."
        ),
    },
    Term {
        words: text!("doubly stochastic"),
        means: text!(
            "A matrix of probabilities in which each row and each column adds up to 1. In a Markov chain with such a matrix, if all symbols are equally frequent, they remain equally frequent."
        ),
    },
    Term {
        words: text!("dropout"),
        means: text!(
            "In each training step, random numbers inside the network are set to 0, and the others are made larger, so that the mean stays the same. When the network is measured, no number is set to 0."
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
        means: text!("The training steps in which every training example is used once."),
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
            "For each input bit, take the mean of label times bit times the neuron's slope σ′ over all inputs. The gap is the largest mean, in absolute value, on a relevant bit minus the largest on any other bit."
        ),
    },
    Term {
        words: text!("generalisation|generalise|generalises|generalised"),
        means: text!("Right answers on examples that were not used in training."),
    },
    Term {
        words: text!("Gini coefficient"),
        means: text!(
            "A measure of how unevenly a sum is shared: 0 for equal shares, close to 1 if one share is nearly the whole sum."
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
            "Training in small steps: each step moves the weights in the direction opposite to the gradient of the loss. If the step is small enough, the loss falls."
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
            "Gated recurrent unit: a recurrent network with trained gates. At each position the gates control how much of the memory is replaced."
        ),
    },
    Term {
        words: text!("half-space|half-spaces"),
        means: text!(
            "A rule that separates the inputs with a plane: the label is the sign of a weighted sum of the inputs."
        ),
    },
    Term {
        words: text!("Hebb's rule"),
        means: text!(
            "Each weight is a sum over all examples: the sum of the products of the weight's input and the label."
        ),
    },
    Term {
        words: text!("held-out"),
        means: text!(
            "Held-out examples are not used in training. Accuracy on these examples shows whether the network has learned the rule or has only memorised its training examples."
        ),
    },
    Term {
        words: text!("hidden layer|hidden layers|hidden unit|hidden units|hidden neuron|hidden neurons"),
        means: text!("Neurons between the inputs and the outputs of a network."),
    },
    Term {
        words: text!("hinge loss"),
        means: text!(
            "A loss for labels +1 and −1: 1 minus the product of label and output, or 0 if this difference is negative."
        ),
    },
    Term {
        words: text!("in context|in-context learning|learning in context"),
        means: text!(
            "The input of the network contains examples and a new question. The network answers the question from these examples, and its weights do not change."
        ),
    },
    Term {
        words: text!("induction head|induction heads"),
        means: text!(
            "An attention head that attends from the last symbol to the symbols that came directly after the earlier occurrences of this last symbol."
        ),
    },
    Term {
        words: text!("initialisation|initialisations|initial weights"),
        means: text!("The weights before the first training step. They are usually random."),
    },
    Term {
        words: text!("inverse temperature"),
        means: text!(
            "A factor by which all scores are multiplied before softmax. With a large factor, the largest score receives a share close to 1."
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
            "Kullback–Leibler divergence: a measure of the difference between two probability distributions. It is 0 only if both distributions are equal."
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
        words: text!("leap|leaps"),
        means: text!(
            "A function of bits is a weighted sum of products of bits. The leap is the smallest L for which, in some order of the products, each product contains at most L bits that no earlier product contains."
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
        means: text!(
            "A method that finds the linear function with the smallest possible sum of squared errors on the examples."
        ),
    },
    Term {
        words: text!("logit|logits"),
        means: text!(
            "A number that the network computes for each possible answer; softmax turns these numbers into probabilities. The answer with the largest logit is the network's answer."
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
            "How far an answer is from becoming wrong: the output for the right answer minus the largest output for a wrong answer, or the size of the smallest change of the weights that makes the answer wrong."
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
        means: text!(
            "A maximum-margin network has the largest margin that is possible for weights of the same norm."
        ),
    },
    Term {
        words: text!("memorisation|memorise|memorises|memorised|memorising"),
        means: text!(
            "Right answers on the training examples without a rule that also holds for other examples."
        ),
    },
    Term {
        words: text!("MLP|MLPs"),
        means: text!(
            "Multilayer perceptron: layers of neurons. Each neuron receives a weighted sum of all outputs of the previous layer."
        ),
    },
    Term {
        words: text!("momentum"),
        means: text!(
            "Each training step also repeats a part of the previous step, so that steps in the same direction add up."
        ),
    },
    Term {
        words: text!("normalised margin"),
        means: text!(
            "The margin after all weights are divided by the norm of the penalty, (Σ‖ω‖^ν)^(1/ν), where ω are the weights of one neuron. Scaling all weights does not change the normalised margin."
        ),
    },
    Term {
        words: text!("one-hot"),
        means: text!("A list of zeros with a single 1. The position of the 1 identifies the symbol."),
    },
    Term {
        words: text!("order of a group|orders of the cyclic groups"),
        means: text!("The number of elements of the group."),
    },
    Term {
        words: text!("overfits|overfit|overfitting"),
        means: text!(
            "A network overfits if its answers are right on the training examples, and clearly worse on other examples."
        ),
    },
    Term {
        words: text!("parity|parities"),
        means: text!(
            "The product of some bits that are +1 or −1: −1 if an odd number of these bits is −1, and +1 otherwise. The parity changes whenever a single one of these bits changes."
        ),
    },
    Term {
        words: text!("perceptron|perceptrons"),
        means: text!(
            "One neuron: its answer is the sign of a weighted sum of its inputs. A perceptron with hidden layers is a network of several layers of neurons."
        ),
    },
    Term {
        words: text!("plateau|plateaus"),
        means: text!("A part of a curve that stays almost flat for many steps."),
    },
    Term {
        words: text!("population gradient"),
        means: text!("The mean gradient over all possible inputs, instead of over the inputs of a sample."),
    },
    Term {
        words: text!("positional encoding|positional embedding|positional embeddings"),
        means: text!(
            "Numbers that are added to the input of each position. With these numbers attention can distinguish the positions."
        ),
    },
    Term {
        words: text!("prompt|prompts"),
        means: text!(
            "The input sequence of a network: data, such as examples of a function, together with a question about these data."
        ),
    },
    Term {
        words: text!("random forest|random forests"),
        means: text!(
            "Many decision trees. Each tree is trained on a different random sample of the data. The answer is the majority vote of all trees."
        ),
    },
    Term {
        words: text!("recurrent network|recurrent networks|recurrent memory"),
        means: text!(
            "A network that reads a sequence position by position. The memory of the network, a list of numbers, is passed on from each position to the next."
        ),
    },
    Term {
        words: text!("relevant bit|relevant bits"),
        means: text!("A bit on which the label depends. The other bits have no influence on the label."),
    },
    Term {
        words: text!("ReLU|ReLUs"),
        means: text!(
            "Rectified linear unit: the function max(0, z), where z is a neuron's weighted sum of inputs plus its bias; also a neuron with this function."
        ),
    },
    Term {
        words: text!("replica|replicas"),
        means: text!(
            "One of several networks that are trained side by side with the same settings. They differ only in their random numbers."
        ),
    },
    Term {
        words: text!("representation|representations"),
        means: text!(
            "One matrix for each element of a group, such that the matrix of the product of two elements is the product of the matrices of these elements."
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
            "The share of the variance of the labels that the predictions explain. If R² is 1, the predictions are exact; if it is 0, they are as good as always predicting the mean."
        ),
    },
    Term {
        words: text!("seed|seeds"),
        means: text!(
            "The number from which all random numbers of a run are computed: the same settings and the same seed give the same run."
        ),
    },
    Term {
        words: text!("SGD|stochastic gradient descent"),
        means: text!(
            "Stochastic gradient descent: each step computes the gradient on a small random subset of the training examples, the batch."
        ),
    },
    Term {
        words: text!("softmax"),
        means: text!(
            "A function that turns numbers into positive numbers that add up to 1: the exponential of each number, divided by the sum of all exponentials."
        ),
    },
    Term {
        words: text!("sparse parity"),
        means: text!(
            "The parity of a few of many input bits. These few bits are the same in every example, and the network has to learn which bits they are."
        ),
    },
    Term {
        words: text!("spectrum|spectra|Walsh spectrum"),
        means: text!("The size of each term when a function is written as a sum of waves or of parities."),
    },
    Term {
        words: text!("subgroup|subgroups"),
        means: text!("A part of a group that is itself a group: it contains all products of its elements."),
    },
    Term {
        words: text!("sweep|sweeps"),
        means: text!(
            "A set of runs in which one or two settings take several values and all other settings stay the same, so that the results can be compared."
        ),
    },
    Term {
        words: text!("teacher"),
        means: text!(
            "A fixed network or rule that gives the labels. The network that is trained on these labels is the student."
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
            "Validation queries are not used in training. The rule with the highest accuracy on these queries is chosen from many rules, so this accuracy is a little higher than the accuracy on new queries."
        ),
    },
    Term {
        words: text!("weight decay"),
        means: text!(
            "Each training step also moves every weight a little towards 0. So a weight stays large only if a large weight makes the loss smaller."
        ),
    },
];
