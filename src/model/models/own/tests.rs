//! Networks of many texts against their graphs in double precision, and the mistakes that a text can have.

use super::build::Data;
use super::*;
use vivarium_operators::reference::Reference;
use vivarium_science::tokens::TokenPrompts;

const PAIRS: Data = Data { tokens: Tokens::Pair, inputs: 7, outputs: 7 };
const NUMBERS: Data = Data { tokens: Tokens::Numbers, inputs: 9, outputs: 1 };
const SEQUENCES: Data = Data { tokens: Tokens::Sequence(6), inputs: 3, outputs: 3 };
const POINTS: Data =
    Data { tokens: Tokens::Prompt(PromptInput::Points { inputs: 2, points: 5 }), inputs: 3, outputs: 1 };

/// Prompts of six tokens with three numbers and the codes of two positions each.
fn lookups() -> Data {
    let prompts = TokenPrompts { length: 6, dim: 3, names: 1, code_dim: 4, ..TokenPrompts::default() };
    Data { tokens: Tokens::Prompt(PromptInput::Tokens(prompts)), inputs: 11, outputs: 1 }
}

fn network(text: &str) -> OwnNetwork {
    OwnNetwork { net: text.into() }
}

/// Weights at random, none of them 0.
fn weights(graph: &Graph) -> Vec<Vec<f32>> {
    let mut weights = graph_network::initial(graph, 5, 1);
    for (which, values) in weights.iter_mut().enumerate() {
        let shift = |i: usize| 0.2 * libm::sinf((1 + which * 31 + i * 7) as f32);
        values.iter_mut().enumerate().for_each(|(i, value)| *value += shift(i));
    }
    weights
}

/// Examples one after the other.
fn examples(data: Data) -> Vec<f32> {
    match data.tokens {
        Tokens::Pair => (0..data.inputs * data.inputs)
            .flat_map(|i| [(i / data.inputs) as f32, (i % data.inputs) as f32])
            .collect(),
        Tokens::Numbers | Tokens::Prompt(_) => {
            (0..420 * data.inputs).map(|i| libm::sinf(i as f32 * 1.7)).collect()
        }
        Tokens::Sequence(length) => (0..90 * length).map(|i| (i * i % 7 % data.inputs) as f32).collect(),
    }
}

#[test]
fn networks_answer_as_their_graphs() {
    let texts = [
        (PAIRS, OwnNetwork::default().net.as_str().to_string()),
        (NUMBERS, OwnNetwork::default().net),
        (PAIRS, "embed 12\ntoken\npositions\nattention 3\nmlp 20\nread last".into()),
        (PAIRS, "embed 12 separate\nnorm\nattention 2 size 5 relu\nnorm\nattention 4 causal pre-norm\nmlp 9 gelu pre-norm\nnorm\nread concat".into()),
        (PAIRS, "embed 6\nconcat\nsquare\nlinear 18\nrelu\nlinear 5 no-bias\ngelu\nread".into()),
        (PAIRS, "embed 17\nlinear 33\nmlp 16 square\nsum\nnorm\nread".into()),
        (NUMBERS, "linear 33\nrelu\nnorm\nlinear 16 no-bias\nsquare\nmlp 8 gelu\nread".into()),
        (NUMBERS, "mlp 8\nnorm\nread".into()),
        (PAIRS, format!("embed 4\n{}concat\nlinear 6\nread", "token\n".repeat(10))),
        (PAIRS, format!("embed 4\nsum\n{}read", "linear 4\n".repeat(21))),
        (PAIRS, format!("embed 4\n{}positions\nattention 2\n{}read sum", "token\n".repeat(10), "linear 4\n".repeat(9))),
        (SEQUENCES, format!("embed 4\npositions\n{}read", "linear 4\n".repeat(20))),
        (SEQUENCES, PROPOSED_FOR_SEQUENCES.into()),
        (SEQUENCES, "embed 10\nattention 2 pre-norm relative\nmlp 7 gelu pre-norm\nattention 3 size 2 relu relative\nread".into()),
        (SEQUENCES, "embed 5\nlinear 20\nsquare\nread".into()),
        (SEQUENCES, "embed 5\ngru 20\nread".into()),
        (lookups(), PROPOSED_FOR_PROMPTS.into()),
        (lookups(), "linear 9\nattention 2 relu size 7\nattention 3 causal relative pre-norm\ngru 5\nread".into()),
        (lookups(), "mlp 8 gelu\nread".into()),
        (lookups(), "gru 18\nread".into()),
        (POINTS, "positions\nnorm\nattention 2 size 3\nread".into()),
        (POINTS, PROPOSED_FOR_POINTS.into()),
        (POINTS, "embed 8\nattention 2 relu relative\ngru 17\nmlp 4\nread".into()),
        (SEQUENCES, "embed 9\nattention 3 pre-norm\ngru 17\nsquare\nmlp 8\ngru 4\nread".into()),
    ];
    for (data, text) in texts {
        let graph = network(&text).graph(data).unwrap();
        let (weights, x) = (weights(&graph), examples(data));
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let doubles: Vec<Vec<f64>> =
            weights.iter().map(|w| w.iter().map(|v| f64::from(*v)).collect()).collect();
        let reference = Reference::new(&graph, &doubles);
        let outputs = graph_network::evaluate(&graph, &slices, &x);
        let [symbols, numbers] = graph.example_lengths();
        let (length, each) = (symbols.max(numbers), graph.output().shape.rows * data.outputs);
        assert_eq!(outputs.len(), x.len() / length * each, "{text}");
        for (x, outputs) in x.chunks_exact(length).zip(outputs.chunks_exact(each)) {
            let exact = match data.tokens {
                Tokens::Numbers | Tokens::Prompt(_) => {
                    reference.output(vivarium_operators::Examples::of_numbers(x))
                }
                _ => reference.output(&x.iter().map(|symbol| *symbol as u32).collect::<Vec<_>>()),
            };
            for (own, exact) in outputs.iter().zip(exact) {
                let error = (f64::from(*own) - exact).abs();
                assert!(error < 5e-5 * exact.abs().max(1.0), "{text}: {own}, {exact}");
            }
        }
    }
}

#[test]
fn layers_have_the_parameters_that_their_sizes_say() {
    let text = "embed 8\npositions\nattention 2 size 3\nmlp 5\nconcat\nlinear 4\nnorm\nread";
    let graph = network(text).graph(PAIRS).unwrap();
    let all: Vec<_> = graph.parameters().iter().map(|own| (&own.name[..], own.rows, own.columns)).collect();
    assert_eq!(
        all,
        [
            ("embed", 7, 8),
            ("2.positions", 2, 8),
            ("3.query", 8, 6),
            ("3.key", 8, 6),
            ("3.value", 8, 6),
            ("3.out", 6, 8),
            ("4.w_in", 8, 5),
            ("4.b_in", 1, 5),
            ("4.w_out", 5, 8),
            ("4.b_out", 1, 8),
            ("6.w", 16, 4),
            ("6.b", 1, 4),
            ("7.gain", 1, 4),
            ("7.shift", 1, 4),
            ("8.w", 4, 7),
        ]
    );
    let (outputs, is_whole) = layer_outputs(text, PAIRS);
    assert!(is_whole);
    let shapes: Vec<_> = outputs.iter().map(|own| (own.line, own.tokens, own.size, own.parameters)).collect();
    assert_eq!(
        (shapes[0], shapes[2], shapes[5], shapes[7]),
        ((1, 2, 8, 56), (3, 2, 8, 192), (6, 1, 4, 68), (8, 1, 7, 28))
    );
    let numbers = graph.parameters().iter().map(|own| (own.rows * own.columns) as u64).sum::<u64>();
    assert_eq!(outputs.iter().map(|own| own.parameters).sum::<u64>(), numbers);
    // Up to the first mistake.
    assert_eq!(layer_outputs("embed 8\nnorm\ntoken 3\nread", PAIRS), (vec![], false));
    let (outputs, is_whole) = layer_outputs("embed 8\nnorm\nmlp 3\nread", PAIRS);
    assert_eq!((outputs.len(), is_whole), (3, false));
    let initial = graph_network::initial(&graph, 3, 2);
    assert_eq!((&initial[12][..], &initial[13][..]), (&[1.0f32; 8][..], &[0.0f32; 8][..]));
    let square = initial[10].iter().map(|w| w * w).sum::<f32>() / initial[10].len() as f32;
    // Four standard errors of a mean of 128 squares.
    assert!((square * 16.0 - 1.0).abs() < 0.5, "{square}");
}

/// What distinguishes the layers: order of a and b, and causality.
#[test]
fn positions_and_causal_attention_tell_a_from_b() {
    let difference = |text: &str, x: [f32; 4]| {
        let graph = network(text).graph(PAIRS).unwrap();
        let weights = weights(&graph);
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        let outputs = graph_network::evaluate(&graph, &slices, &x);
        outputs[..7].iter().zip(&outputs[7..]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    let swapped = [1.0, 3.0, 3.0, 1.0];
    assert!(difference("embed 8\nattention 2\nread sum", swapped) < 1e-5);
    for text in [
        "embed 8\npositions\nattention 2\nread sum",
        "embed 8\nattention 2 causal\nread sum",
        "embed 8 separate\nsum\nmlp 5\nread",
        "embed 8\nread concat",
    ] {
        assert!(difference(text, swapped) > 1e-3, "{text}");
    }
    // The second token alone sees that the first is another.
    let others = [1.0, 3.0, 2.0, 3.0];
    assert!(difference("embed 8\nread last", others) == 0.0);
    assert!(difference("embed 8\nattention 2 causal\nread last", others) > 1e-3);
}

#[test]
fn layers_that_do_not_fit_have_a_sentence() {
    let mistake = |data: Data, text: &str| network(text).graph(data).unwrap_err().to_string();
    assert_eq!(
        mistake(PAIRS, "linear 3\nread"),
        "line 1: the first layer must be “embed”, because an example consists of tokens"
    );
    for data in [PAIRS, NUMBERS] {
        assert_eq!(
            mistake(data, "embed 3\nsum\nembed 3\nread"),
            "line 3: “embed” can only be the first layer"
        );
        assert_eq!(mistake(data, "embed 3\nread sum\nread last"), "line 2: “read” must be the last layer");
    }
    assert_eq!(
        mistake(PAIRS, "embed 3\nmlp 4\nread"),
        "line 3: “read” needs one vector, but there are 2 tokens: write “read last”, “read sum” or “read concat”"
    );
    assert_eq!(
        mistake(PAIRS, "embed 3\ngru 4\nembed 5\nattention 2\nread last"),
        "line 2: “gru” works only on tasks with sequences or prompts; line 3: “embed” can only be the first layer; line 4: the tokens have 3 components, which cannot be divided among 2 heads; write the size of a head, as in “attention 2 size 32”"
    );
    assert_eq!(
        mistake(PAIRS, "embed 30\nattention 4\nread sum"),
        "line 2: the tokens have 30 components, which cannot be divided among 4 heads; write the size of a head, as in “attention 4 size 32”"
    );
    assert_eq!(
        mistake(PAIRS, "embed 3\nconcat\nnorm\nread"),
        "line 3: after “concat” the next layer must be linear, read, relu, gelu or square"
    );
    assert_eq!(
        mistake(PAIRS, "embed 3\nconcat\nnorm\nmlp 4\nread"),
        mistake(PAIRS, "embed 3\nconcat\nnorm\nread"),
        "each mistake once"
    );
    assert_eq!(
        mistake(NUMBERS, "linear 3\ntoken\nread last"),
        "line 2: “token” works only on tasks with pairs"
    );
    assert_eq!(
        mistake(NUMBERS, "linear 8\nattention 2\nread"),
        "line 2: “attention” needs several tokens, but here there is one vector"
    );
    assert_eq!(
        mistake(NUMBERS, "norm\nread"),
        "line 1: the first layer must be embed, linear or mlp, because an example consists of numbers"
    );
    assert_eq!(
        mistake(PAIRS, "embed 3\nconcat\nread sum"),
        "line 3: after “concat” write “read” without another word"
    );
    assert_eq!(
        mistake(PAIRS, &format!("embed 3\n{}read sum", "token\n".repeat(11))),
        "line 12: a pair has at most 12 tokens"
    );
    for (text, line) in [("embed 3\nread last", 2), ("embed 3\nsum\nread", 2)] {
        assert_eq!(
            mistake(SEQUENCES, text),
            format!(
                "line {line}: on sequences, tokens cannot be combined, because the next symbol is predicted at every token: delete this line, or write “read” without another word"
            )
        );
    }
    assert_eq!(
        mistake(lookups(), "embed 3\nread last"),
        "line 2: on prompts, tokens cannot be combined, because predictions are made at several tokens: delete this line, or write “read” without another word"
    );
    assert_eq!(
        mistake(lookups(), "embed 4\nattention 2 relative\nread"),
        "line 2: “relative” needs causal attention: write “causal” too"
    );
    assert_eq!(
        mistake(SEQUENCES, "embed 3 separate\nread"),
        "line 1: “separate” works only on tasks with pairs"
    );
    assert_eq!(
        mistake(PAIRS, "embed 4\nattention 2 relative\nread last"),
        "line 2: “relative” works only on tasks with sequences or prompts"
    );
    assert_eq!(
        mistake(PAIRS, "embed 4\ngru 2\nread last"),
        "line 2: “gru” works only on tasks with sequences or prompts"
    );
    assert_eq!(
        mistake(PAIRS, "embed 3\ntoken\nmlp 5\nread last"),
        "the outputs are the same for every example: no attention layer connects the token that “read” uses with the tokens of the example"
    );
}

#[test]
fn a_text_with_a_mistake_is_a_problem_of_its_setting() {
    let task = crate::tasks::Task::from_slug("groups").unwrap();
    let model = network("embed 3\nconv 5\nread");
    let bound = model.bind(task.examples());
    let problems = bound.problems(7, 10, 1);
    assert_eq!((problems.len(), problems[0].key.as_str()), (1, "net"));
    assert!(problems[0].to_string().contains("there is no layer “conv”"), "{}", problems[0]);
    let several = network("embed 3\nconv 5\nread first").bind(task.examples()).problems(7, 10, 1);
    assert!(several[0].to_string().contains("The mistakes: line 2: "), "{}", several[0]);
    // Alone too large, whatever batch and replicas are.
    for text in [
        "embed 1\nattention 64 size 4096\nattention 64 size 4096\nattention 64 size 4096\nread last",
        "embed 4096\nmlp 4096\nmlp 4096\nmlp 4096\nread sum",
    ] {
        let problems = network(text).bind(task.examples()).problems(7, 1, 1);
        assert_eq!(problems[0].key, "net", "{text}");
        assert!(problems[0].to_string().contains("a smaller network"), "{}", problems[0]);
    }
    // On tensors the names of a prompt are one-hot vectors.
    let prompts = crate::tasks::Task::SparseTokenRegression(crate::tasks::SparseTokenRegression {
        length: 256,
        names: 4,
        ..Default::default()
    });
    let model = network("linear 1\nread");
    let bound = model.bind(prompts.examples());
    assert!(bound.problems(0, 16, 1).is_empty());
    assert_eq!(bound.problems(0, 4096, 1)[0].key, "batch");
    let wide = network("embed 1024\nmlp 4096\nread sum");
    assert_eq!(wide.bind(task.examples()).problems(7, 60_000, 1)[0].key, "batch");
}

/// A later point, and the label of the last one, change no earlier prediction; a name changes that of its own position alone.
#[test]
fn predictions_depend_on_the_tokens_that_a_network_may_read() {
    let answer = |model: &OwnNetwork, task: &crate::tasks::Task, row: &[f32]| {
        let bound = model.bind(task.examples());
        let weights = bound.initial(2, 0, 1);
        let slices: Vec<&[f32]> = weights.iter().map(Vec::as_slice).collect();
        bound.evaluate(&slices, 0, row, 0)
    };
    for (slug, changed) in [("in-context-learning", None), ("sparse-token-regression", Some(3))] {
        let task = crate::tasks::Task::from_slug(slug).unwrap();
        let mut model = OwnNetwork::default();
        model.propose(task.examples());
        let mut batch = crate::tasks::Batch::default();
        task.sampler().sample(1, 0, 0, 1, &mut batch);
        let before = answer(&model, &task, &batch.x);
        assert_eq!(before.len(), task.examples().prediction_count(), "{slug}");
        let mut row = batch.x.clone();
        match (changed, Tokens::of(task.examples())) {
            (Some(position), Tokens::Prompt(PromptInput::Tokens(of))) => {
                let name = &mut row[of.length * of.dim + position * of.names];
                *name = (*name + 1.0) % of.length as f32;
                model.net = "embed 8\nmlp 9\nread".into();
                let after = answer(&model, &task, &row);
                let differ: Vec<usize> =
                    (0..of.length).filter(|at| after[*at] != answer(&model, &task, &batch.x)[*at]).collect();
                assert_eq!(differ, [position]);
            }
            (_, Tokens::Prompt(PromptInput::Points { inputs, points })) => {
                // The label of point 4 enters the predictions behind it.
                row[points * inputs + 4] += 1.0;
                let after = answer(&model, &task, &row);
                assert_eq!(before[..5], after[..5]);
                assert!(before[5..].iter().zip(&after[5..]).all(|(a, b)| a != b));
            }
            _ => panic!("{slug} has other examples"),
        }
    }
}
