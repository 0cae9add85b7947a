//! The terms of the glossary, by name.

use super::GlossaryTerm;

/// Terms that a reader of the page may not know, with definitions.
pub const TERMS: &[GlossaryTerm] = &[
    GlossaryTerm {
        spellings: text!("accuracy"),
        definition: text!(
            "The share of examples with the right answer. For labels −1 and +1, the sign of the output is the answer; an output of 0 counts as half right. With more classes, equal largest outputs count as wrong."
        ),
    },
    GlossaryTerm {
        spellings: text!("activation|activation function"),
        definition: text!(
            "The function by which a neuron turns the weighted sum of its inputs into its output, for example ReLU."
        ),
    },
    GlossaryTerm {
        spellings: text!("Adam"),
        definition: text!(
            "Gradient descent with a separate step size for each weight. The step sizes are computed from moving averages of the gradient and of its square."
        ),
    },
    GlossaryTerm {
        spellings: text!("AdamW"),
        definition: text!(
            "Adam with a weight decay that is separate from the gradient: in each step every weight shrinks by the same share."
        ),
    },
    GlossaryTerm {
        spellings: text!("at chance|than chance|to chance"),
        definition: text!(
            "Chance is the accuracy of guessing at random. With two equally frequent labels, half of the guesses are right."
        ),
    },
    GlossaryTerm {
        spellings: text!("attention"),
        definition: text!(
            "A layer in which each position of a sequence receives a weighted mean of the values of several positions. Scores of pairs of positions determine the weights of this mean."
        ),
    },
    GlossaryTerm {
        spellings: text!("attention head|attention heads"),
        definition: text!(
            "One of several separate computations of attention in the same layer. Each head has its own trained weights."
        ),
    },
    GlossaryTerm {
        spellings: text!("attention weight|attention weights"),
        definition: text!(
            "The share of one position in the weighted mean that attention computes for another position. The attention weights of one such mean add up to 1."
        ),
    },
    GlossaryTerm {
        spellings: text!("batch|batches"),
        definition: text!(
            "The examples of one training step. The step uses the mean gradient of these examples."
        ),
    },
    GlossaryTerm {
        spellings: text!("Bayes-optimal"),
        definition: text!(
            "A prediction is Bayes-optimal if no other prediction from the inputs has a smaller expected loss, even if the distribution of inputs and labels is known."
        ),
    },
    GlossaryTerm {
        spellings: text!("bias|biases"),
        definition: text!(
            "A constant that a neuron adds to the weighted sum of its inputs. It is trained like a weight."
        ),
    },
    GlossaryTerm {
        spellings: text!("bigram|bigrams"),
        definition: text!(
            "Two neighbouring symbols. A bigram strategy predicts the next symbol from the number of times that each symbol has followed the current symbol."
        ),
    },
    GlossaryTerm {
        spellings: text!("bootstrap sample|bootstrap samples"),
        definition: text!(
            "A random sample of as many rows as the data have. Each row may be chosen more than once, so some rows occur several times and other rows do not occur."
        ),
    },
    GlossaryTerm {
        spellings: text!("busy beaver|busy beavers"),
        definition: text!(
            "A Turing machine that makes the most steps on an empty tape among all machines of its size that halt."
        ),
    },
    GlossaryTerm {
        spellings: text!("characters of the group|character of the group"),
        definition: text!(
            "A character gives, for each element of a group, the sum of the diagonal entries of the element's matrix in a representation."
        ),
    },
    GlossaryTerm {
        spellings: text!("conjugacy class|conjugacy classes"),
        definition: text!(
            "All elements ghg⁻¹ for one element h of a group and every element g. In a commutative group each class is a single element."
        ),
    },
    GlossaryTerm {
        spellings: text!("correlation loss"),
        definition: text!("A loss for labels +1 and −1: minus the product of label and output."),
    },
    GlossaryTerm {
        spellings: text!("coset|cosets"),
        definition: text!(
            "All products gh, or all products hg, where g is a fixed element of a group and h is every element of a subgroup in turn. The cosets of a subgroup divide the group into parts of equal size."
        ),
    },
    GlossaryTerm {
        spellings: text!("cross-entropy"),
        definition: text!(
            "A loss: minus the logarithm of the probability that the network gives to the right answer."
        ),
    },
    GlossaryTerm {
        spellings: text!("cyclic group|cyclic groups"),
        definition: text!(
            "The numbers from 0 to n − 1 with addition modulo n, or a group with the same structure."
        ),
    },
    GlossaryTerm {
        spellings: text!("decision tree|decision trees"),
        definition: text!(
            "A chain of questions about single columns. Each answer determines the next question, and the last answer gives the prediction."
        ),
    },
    GlossaryTerm {
        spellings: text!("Dirichlet|Dirichlet distribution"),
        definition: text!(
            "A distribution from which a list of probabilities is drawn, such as a row of a transition matrix. With parameter 1 all lists are equally likely."
        ),
    },
    GlossaryTerm {
        spellings: text!("doubly stochastic"),
        definition: text!(
            "A matrix of probabilities in which each row and each column adds up to 1. In a Markov chain with such a matrix, if all symbols are equally frequent, they remain equally frequent."
        ),
    },
    GlossaryTerm {
        spellings: text!("dropout"),
        definition: text!(
            "In each training step, random numbers inside the network are set to 0, and the others are made larger, so that the mean stays the same. When the network is measured, no number is set to 0."
        ),
    },
    GlossaryTerm {
        spellings: text!("embedding|embeddings"),
        definition: text!(
            "A list of trained numbers that stands for a symbol, a position or a group element inside the network."
        ),
    },
    GlossaryTerm {
        spellings: text!("epoch|epochs"),
        definition: text!("The training steps in which every training example is used once."),
    },
    GlossaryTerm {
        spellings: text!("feedforward network|feedforward networks"),
        definition: text!(
            "A network without loops: numbers pass once from the inputs through the layers to the outputs."
        ),
    },
    GlossaryTerm {
        spellings: text!("Fourier gap"),
        definition: text!(
            "For each input bit, take the mean of label times bit times the neuron's slope σ′ over all inputs. The gap is the largest mean, in absolute value, on a relevant bit minus the largest on any other bit."
        ),
    },
    GlossaryTerm {
        spellings: text!("generalisation|generalise|generalises|generalised"),
        definition: text!("Right answers on examples that were not used in training."),
    },
    GlossaryTerm {
        spellings: text!("Gini coefficient"),
        definition: text!(
            "A measure of how unevenly a sum is shared: 0 for equal shares, close to 1 if one share is nearly the whole sum."
        ),
    },
    GlossaryTerm {
        spellings: text!("gradient|gradients"),
        definition: text!(
            "For every weight, the rate at which the loss rises when this weight grows. A training step changes the weights in the opposite direction."
        ),
    },
    GlossaryTerm {
        spellings: text!("gradient descent"),
        definition: text!(
            "Training in small steps: each step moves the weights in the direction opposite to the gradient of the loss. If the step is small enough, the loss falls."
        ),
    },
    GlossaryTerm {
        spellings: text!("grokking"),
        definition: text!(
            "A network memorises its training examples first, and is right on other examples only much later."
        ),
    },
    GlossaryTerm {
        spellings: text!("GRU"),
        definition: text!(
            "Gated recurrent unit: a recurrent network with trained gates. At each position the gates control how much of the memory is replaced."
        ),
    },
    GlossaryTerm {
        spellings: text!("half-space|half-spaces"),
        definition: text!(
            "A rule that separates the inputs with a plane: the label is the sign of a weighted sum of the inputs."
        ),
    },
    GlossaryTerm {
        spellings: text!("Hebb's rule"),
        definition: text!(
            "Each weight is a sum over all examples: the sum of the products of the weight's input and the label."
        ),
    },
    GlossaryTerm {
        spellings: text!("held-out"),
        definition: text!(
            "Held-out examples are not used in training. Accuracy on these examples shows whether the network has learned the rule or has only memorised its training examples."
        ),
    },
    GlossaryTerm {
        spellings: text!("hidden layer|hidden layers|hidden unit|hidden units|hidden neuron|hidden neurons"),
        definition: text!("Neurons between the inputs and the outputs of a network."),
    },
    GlossaryTerm {
        spellings: text!("hinge loss"),
        definition: text!(
            "A loss for labels +1 and −1: 1 minus the product of label and output, or 0 if this difference is negative."
        ),
    },
    GlossaryTerm {
        spellings: text!("in context|in-context learning|learning in context"),
        definition: text!(
            "The input of the network contains examples and a new question. The network answers the question from these examples, and its weights do not change."
        ),
    },
    GlossaryTerm {
        spellings: text!("induction head|induction heads"),
        definition: text!(
            "An attention head that attends from the last symbol to the symbols that came directly after the earlier occurrences of this last symbol."
        ),
    },
    GlossaryTerm {
        spellings: text!("initialisation|initialisations|initial weights"),
        definition: text!("The weights before the first training step. They are usually random."),
    },
    GlossaryTerm {
        spellings: text!("inverse temperature"),
        definition: text!(
            "A factor by which all scores are multiplied before softmax. With a large factor, the largest score receives a share close to 1."
        ),
    },
    GlossaryTerm {
        spellings: text!(
            "irrep|irreps|irreducible representation|irreducible representations|irreducible real representations"
        ),
        definition: text!(
            "Irreducible representation: a representation of a group that cannot be divided into smaller ones. All other representations consist of irreps."
        ),
    },
    GlossaryTerm {
        spellings: text!("KL|KL divergence"),
        definition: text!(
            "Kullback–Leibler divergence: a measure of the difference between two probability distributions. It is 0 only if both distributions are equal."
        ),
    },
    GlossaryTerm {
        spellings: text!("label noise"),
        definition: text!("Random errors in the labels of the training examples."),
    },
    GlossaryTerm {
        spellings: text!("layer norm|layer norms|layer normalisation|LayerNorm"),
        definition: text!(
            "Layer normalisation: the numbers at each position are shifted and scaled to mean 0 and variance 1."
        ),
    },
    GlossaryTerm {
        spellings: text!("leap|leaps"),
        definition: text!(
            "A function of bits is a weighted sum of products of bits. The leap is the smallest L for which, in some order of the products, each product contains at most L bits that no earlier product contains."
        ),
    },
    GlossaryTerm {
        spellings: text!("learning rate|learning rates"),
        definition: text!(
            "The factor by which a training step multiplies the gradient. A larger factor gives a larger step."
        ),
    },
    GlossaryTerm {
        spellings: text!("least squares"),
        definition: text!(
            "A method that finds the linear function with the smallest possible sum of squared errors on the examples."
        ),
    },
    GlossaryTerm {
        spellings: text!("logit|logits"),
        definition: text!(
            "A number that the network computes for each possible answer; softmax turns these numbers into probabilities. The answer with the largest logit is the network's answer."
        ),
    },
    GlossaryTerm {
        spellings: text!("loss|losses"),
        definition: text!(
            "A number that is large if the network's outputs are wrong. Training makes this number small."
        ),
    },
    GlossaryTerm {
        spellings: text!("margin|margins"),
        definition: text!(
            "How far an answer is from becoming wrong: the output for the right answer minus the largest output for a wrong answer, or the size of the smallest change of the weights that makes the answer wrong."
        ),
    },
    GlossaryTerm {
        spellings: text!("Markov chain|Markov chains"),
        definition: text!(
            "A random sequence of symbols. The probabilities of the next symbol depend only on the present symbol."
        ),
    },
    GlossaryTerm {
        spellings: text!("maximum-margin"),
        definition: text!(
            "A maximum-margin network has the largest margin that is possible for weights of the same norm."
        ),
    },
    GlossaryTerm {
        spellings: text!("memorisation|memorise|memorises|memorised|memorising"),
        definition: text!(
            "Right answers on the training examples without a rule that also holds for other examples."
        ),
    },
    GlossaryTerm {
        spellings: text!("MLP|MLPs"),
        definition: text!(
            "Multilayer perceptron: layers of neurons. Each neuron receives a weighted sum of all outputs of the previous layer."
        ),
    },
    GlossaryTerm {
        spellings: text!("momentum"),
        definition: text!(
            "Each training step also repeats a part of the previous step, so that steps in the same direction add up."
        ),
    },
    GlossaryTerm {
        spellings: text!("normalised margin"),
        definition: text!(
            "The margin after all weights are divided by the norm of the penalty, (Σ‖ω‖^ν)^(1/ν), where ω are the weights of one neuron. Scaling all weights does not change the normalised margin."
        ),
    },
    GlossaryTerm {
        spellings: text!("one-hot"),
        definition: text!("A list of zeros with a single 1. The position of the 1 identifies the symbol."),
    },
    GlossaryTerm {
        spellings: text!("order of a group|orders of the cyclic groups"),
        definition: text!("The number of elements of the group."),
    },
    GlossaryTerm {
        spellings: text!("overfits|overfit|overfitting"),
        definition: text!(
            "A network overfits if its answers are right on the training examples, and clearly worse on other examples."
        ),
    },
    GlossaryTerm {
        spellings: text!("parity|parities"),
        definition: text!(
            "The product of some bits that are +1 or −1: −1 if an odd number of these bits is −1, and +1 otherwise. The parity changes whenever a single one of these bits changes."
        ),
    },
    GlossaryTerm {
        spellings: text!("perceptron|perceptrons"),
        definition: text!(
            "One neuron: its answer is the sign of a weighted sum of its inputs. A perceptron with hidden layers is a network of several layers of neurons."
        ),
    },
    GlossaryTerm {
        spellings: text!("plateau|plateaus"),
        definition: text!("A part of a curve that stays almost flat for many steps."),
    },
    GlossaryTerm {
        spellings: text!("population gradient"),
        definition: text!(
            "The mean gradient over all possible inputs, instead of over the inputs of a sample."
        ),
    },
    GlossaryTerm {
        spellings: text!("positional encoding|positional embedding|positional embeddings"),
        definition: text!(
            "Numbers that are added to the input of each position. With these numbers attention can distinguish the positions."
        ),
    },
    GlossaryTerm {
        spellings: text!("prompt|prompts"),
        definition: text!(
            "The input sequence of a network: data, such as examples of a function, together with a question about these data."
        ),
    },
    GlossaryTerm {
        spellings: text!("random forest|random forests"),
        definition: text!(
            "Many decision trees. Each tree is trained on a different random sample of the data. The answer is the majority vote of all trees."
        ),
    },
    GlossaryTerm {
        spellings: text!("recurrent network|recurrent networks|recurrent memory"),
        definition: text!(
            "A network that reads a sequence position by position. The memory of the network, a list of numbers, is passed on from each position to the next."
        ),
    },
    GlossaryTerm {
        spellings: text!("relevant bit|relevant bits"),
        definition: text!("A bit on which the label depends. The other bits have no influence on the label."),
    },
    GlossaryTerm {
        spellings: text!("ReLU|ReLUs"),
        definition: text!(
            "Rectified linear unit: the function max(0, z), where z is a neuron's weighted sum of inputs plus its bias; also a neuron with this function."
        ),
    },
    GlossaryTerm {
        spellings: text!("replica|replicas"),
        definition: text!(
            "One of several networks that are trained side by side with the same settings. They differ only in their random numbers."
        ),
    },
    GlossaryTerm {
        spellings: text!("representation|representations"),
        definition: text!(
            "One matrix for each element of a group, such that the matrix of the product of two elements is the product of the matrices of these elements."
        ),
    },
    GlossaryTerm {
        spellings: text!("ridge regression|ridge"),
        definition: text!(
            "Least squares with a penalty λ on the sum of the squared weights, which keeps the weights small."
        ),
    },
    GlossaryTerm {
        spellings: text!("R²"),
        definition: text!(
            "The share of the variance of the labels that the predictions explain. If R² is 1, the predictions are exact; if it is 0, they are as good as always predicting the mean."
        ),
    },
    GlossaryTerm {
        spellings: text!("seed|seeds"),
        definition: text!(
            "The number from which all random numbers of a run are computed: the same settings and the same seed give the same run."
        ),
    },
    GlossaryTerm {
        spellings: text!("SGD|stochastic gradient descent"),
        definition: text!(
            "Stochastic gradient descent: each step computes the gradient on a small random subset of the training examples, the batch."
        ),
    },
    GlossaryTerm {
        spellings: text!("softmax"),
        definition: text!(
            "A function that turns numbers into positive numbers that add up to 1: the exponential of each number, divided by the sum of all exponentials."
        ),
    },
    GlossaryTerm {
        spellings: text!("sparse parity"),
        definition: text!(
            "The parity of a few of many input bits. These few bits are the same in every example, and the network has to learn which bits they are."
        ),
    },
    GlossaryTerm {
        spellings: text!("spectrum|spectra|Walsh spectrum"),
        definition: text!(
            "The size of each term when a function is written as a sum of waves or of parities."
        ),
    },
    GlossaryTerm {
        spellings: text!("subgroup|subgroups"),
        definition: text!(
            "A part of a group that is itself a group: it contains all products of its elements."
        ),
    },
    GlossaryTerm {
        spellings: text!("sweep|sweeps"),
        definition: text!(
            "A set of runs in which one or two settings take several values and all other settings stay the same, so that the results can be compared."
        ),
    },
    GlossaryTerm {
        spellings: text!("teacher"),
        definition: text!(
            "A fixed network or rule that gives the labels. The network that is trained on these labels is the student."
        ),
    },
    GlossaryTerm {
        spellings: text!("token|tokens"),
        definition: text!("The list of numbers at one position of the sequence that a network reads."),
    },
    GlossaryTerm {
        spellings: text!("transformer|transformers"),
        definition: text!(
            "A network for sequences. Its layers are attention, which combines positions, and MLPs, which compute at each position separately."
        ),
    },
    GlossaryTerm {
        spellings: text!("transition matrix|transition matrices"),
        definition: text!(
            "The probabilities of a Markov chain: the row of a symbol holds the probability of each next symbol."
        ),
    },
    GlossaryTerm {
        spellings: text!("Turing machine|Turing machines"),
        definition: text!(
            "A simple computer: a table of rules, a state, and a head that in each step reads and writes one cell of a tape and moves to a neighbouring cell."
        ),
    },
    GlossaryTerm {
        spellings: text!("unigram|unigrams"),
        definition: text!(
            "A single symbol. A unigram strategy predicts the next symbol from how often each symbol has occurred so far."
        ),
    },
    GlossaryTerm {
        spellings: text!("validation queries|validation query|validation accuracy"),
        definition: text!(
            "Validation queries are not used in training. The rule with the highest accuracy on these queries is chosen from many rules, so this accuracy is a little higher than the accuracy on new queries."
        ),
    },
    GlossaryTerm {
        spellings: text!("weight decay"),
        definition: text!(
            "Each training step also moves every weight a little towards 0. So a weight stays large only if a large weight makes the loss smaller."
        ),
    },
];
