//! The layers of a network of one's own as a list, with the size of each output, and the line that a button for a layer writes.

use super::layer_drawing::LayerDrawing;
use crate::state::State;
use vivarium_core::settings::Value;
use vivarium_model::models::own::build::{Data, LayerOutput, Tokens};
use vivarium_model::models::own::layer_outputs;
use vivarium_model::models::own::layers::{LAYERS, Layer, parse};
use vivarium_model::run::time::estimate_run_seconds;
use vivarium_player::device::format_two_digits;
use vivarium_view::display::words::format_thousands;

/// Key of the setting that holds the layers.
pub const LAYERS_KEY: &str = "net";

/// A layer in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerRow {
    /// Line of the text.
    pub text: String,
    /// Drawing of what it computes.
    pub drawing: LayerDrawing,
    /// Number of vectors and components of each, such as "2 × 128".
    pub shape: String,
    /// Number of its parameters; empty for none.
    pub parameters: String,
}

/// The list, and a sentence with the number of all parameters and the estimated speed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerList {
    /// Layers up to the first mistake.
    pub rows: Vec<LayerRow>,
    /// Number of all parameters, and training steps per second by an estimate; empty if there is a mistake.
    pub total: String,
}

/// The layers of the network in the form; none for another model.
pub fn layer_list(state: &State) -> Option<LayerList> {
    let spec = state.form_spec();
    let Some(Value::Text(text)) = spec.model.value(LAYERS_KEY) else { return None };
    let data = Data::of(spec.task.examples());
    let (outputs, is_whole) = layer_outputs(&text, data);
    let lines: Vec<&str> = text.lines().collect();
    // Of sequences and pairs the first layer makes the vectors of the tokens; numbers are one vector.
    let mut before = match data.tokens {
        Tokens::Prompt(_) => data.tokens.rows().unwrap_or(1),
        _ => 1,
    };
    let row = |output: &LayerOutput| LayerRow {
        drawing: draw(output, std::mem::replace(&mut before, output.tokens), data.tokens),
        text: lines.get(output.line - 1).map_or(String::new(), |line| line.trim().to_string()),
        shape: format!("{} × {}", output.tokens, format_thousands(output.size as u64)),
        parameters: if output.parameters == 0 { String::new() } else { format_thousands(output.parameters) },
    };
    let total: u64 = outputs.iter().map(|output| output.parameters).sum();
    let total = match is_whole {
        true => {
            let speed = spec.run.steps as f64 / estimate_run_seconds(&spec);
            tr!(
                "{number} parameters in each network; about {speed} training steps per second on one CPU core.",
                number = format_thousands(total),
                speed = format_two_digits(speed)
            )
        }
        false => String::new(),
    };
    Some(LayerList { rows: outputs.iter().map(row).collect(), total })
}

/// Drawing of a layer that reads `before` vectors.
fn draw(output: &LayerOutput, before: usize, tokens: Tokens) -> LayerDrawing {
    let is_causal = match output.layer {
        Layer::Attention(attention) => attention.is_causal || tokens.is_causal(),
        _ => false,
    };
    LayerDrawing::new(output.layer, before, output.tokens, is_causal)
}

/// The text with a further layer: the example of kind number `kind` of [`LAYERS`], in front of the last line if that reads the
/// outputs, and behind it else.
pub fn with_layer(text: &str, kind: usize) -> String {
    let Some(info) = LAYERS.get(kind) else { return text.into() };
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let word = |line: &&str| {
        let layer = line.split(['#', ';']).next().unwrap_or_default();
        layer.split_whitespace().next().unwrap_or_default().to_lowercase()
    };
    let words: Vec<String> = lines.iter().map(word).collect();
    let is_join = |word: &String| ["sum", "concat", "last"].contains(&word.as_str());
    let read = words.iter().rposition(|word| word == "read");
    let at = read.unwrap_or(lines.len());
    match info.word {
        // There is one in the beginning and one at the end.
        "embed" if !words.iter().any(|word| word == "embed") => lines.insert(0, info.example),
        "read" if read.is_none() => lines.push(info.example),
        "embed" | "read" => {}
        // In front of the line that makes one vector of the tokens.
        "token" | "positions" | "attention" => {
            lines.insert(words.iter().position(is_join).unwrap_or(at), info.example);
        }
        _ => lines.insert(at, info.example),
    }
    lines.join("\n")
}

/// Completions of the word at the end of `before`, the text in front of the caret: layers at the start of a line, then a number or
/// options that the layer can still have. None in front of a word, and none in a comment.
pub fn completions(before: &str, behind: &str) -> Vec<&'static str> {
    let line = before.rsplit(['\n', ';']).next().unwrap_or_default();
    let rest = behind.split(['\n', ';', '#']).next().unwrap_or_default();
    let is_in_word = behind.starts_with(|next: char| !next.is_whitespace() && !";#".contains(next));
    if is_in_word || before.rsplit('\n').next().unwrap_or_default().contains('#') {
        return vec![];
    }
    let typed =
        if line.ends_with(char::is_whitespace) { "" } else { line.split_whitespace().last().unwrap_or("") };
    let completes = |word: &str| word != typed && word.to_lowercase().starts_with(&typed.to_lowercase());
    let words: Vec<&str> = line[..line.len() - typed.len()].split_whitespace().collect();
    let is_rest_empty = rest.trim().is_empty();
    let Some(kind) = words.first() else {
        // A whole line of a layer is offered, for its number to be changed. Buttons add a layer to an empty line.
        let examples = LAYERS.iter().map(|info| info.example).filter(|example| completes(example));
        return if typed.is_empty() || !is_rest_empty { vec![] } else { examples.collect() };
    };
    let Some(info) = LAYERS.iter().find(|info| info.word.eq_ignore_ascii_case(kind)) else { return vec![] };
    if let (1, Some((_, number))) = (words.len(), info.example.split_once(' '))
        && number.starts_with(|first: char| first.is_ascii_digit())
    {
        return if typed.is_empty() && is_rest_empty { vec![number] } else { vec![] };
    }
    let is_possible = |option: &&str| {
        let line = format!("{}{rest}", complete(line, option));
        let end = if info.word == "read" { "" } else { "\nread" };
        completes(option) && parse(&(line + end)).is_ok()
    };
    info.options.iter().copied().filter(is_possible).collect()
}

/// The text `before` the caret with the word at its end replaced by a completion.
pub fn complete(before: &str, completion: &str) -> String {
    let end = before.trim_end_matches(|c: char| !c.is_whitespace() && c != ';').len();
    format!("{}{completion}", &before[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tests::Page;

    #[test]
    fn words_are_completed_by_layers_numbers_and_options() {
        let at_end = |before: &str| completions(before, "");
        assert_eq!(at_end("embed 64\natt"), ["attention 4"]);
        assert_eq!(at_end("embed 64\n"), [""; 0], "buttons add a layer");
        assert_eq!(at_end("embed 64; mlp "), ["512"]);
        assert_eq!(at_end("mlp 25"), [""; 0]);
        assert_eq!(at_end("mlp 256 "), ["relu", "gelu", "square", "pre-norm"]);
        assert_eq!(at_end("MLP 256 gelu "), ["pre-norm"], "one function");
        assert_eq!(at_end("attention 4 relu re"), ["relative"]);
        assert_eq!(at_end("attention 4 size "), [""; 0], "a number follows");
        assert_eq!(at_end("read "), ["sum", "concat", "last"]);
        for before in ["read sum ", "conv ", "norm # att", "relu", "", "\r\n"] {
            assert_eq!(at_end(before), [""; 0], "{before}");
        }
        // In front of a word, and in front of the rest of a line.
        for (before, behind) in
            [("att", "ention 2"), ("mlp ", "512"), ("att", " 4 causal"), ("mlp 9 gelu ", "gelu")]
        {
            assert_eq!(completions(before, behind), [""; 0], "{before}|{behind}");
        }
        assert_eq!(completions("attention 2", " causal"), [""; 0]);
        assert_eq!(completions("attention 2 re", " causal\nread"), ["relu", "relative"]);
        for (before, completion, text) in [
            ("embed 64\natt", "attention 4", "embed 64\nattention 4"),
            ("mlp 256 ", "gelu", "mlp 256 gelu"),
            ("embed 8;mlp", "mlp 512", "embed 8;mlp 512"),
            ("# né\u{2003}n", "norm", "# né\u{2003}norm"),
            ("", "embed 128", "embed 128"),
        ] {
            assert_eq!(complete(before, completion), text);
        }
    }

    #[test]
    fn layers_are_listed_with_their_sizes() {
        let page =
            Page::open("#v1/groups?n=59&model=own&net=embed~64;token;attention~4;mlp~256~gelu;read~last");
        let list = layer_list(&page.state).unwrap();
        let rows: Vec<_> =
            list.rows.iter().map(|row| (&row.text[..], &row.shape[..], &row.parameters[..])).collect();
        assert_eq!(
            rows,
            [
                ("embed 64", "2 × 64", "3,776"),
                ("token", "3 × 64", "64"),
                ("attention 4", "3 × 64", "16,384"),
                ("mlp 256 gelu", "3 × 64", "33,088"),
                ("read last", "1 × 59", "3,776"),
            ]
        );
        let (parameters, speed) = list.total.split_once("; about ").unwrap();
        assert_eq!(parameters, "57,088 parameters in each network");
        assert!(speed.ends_with(" training steps per second on one CPU core."), "{speed}");
        // Three tokens, each of which attends to both others.
        assert_eq!(list.rows[2].drawing.reads.matches('M').count(), 6);
        let long = layer_list(&Page::open("#v1/markov?model=own").state).unwrap();
        assert_eq!(long.rows[0].shape, "50 × 32");
        assert_eq!(layer_list(&Page::open("#v1/groups?n=59").state), None);
        // The tokens of a prompt exist before the first layer.
        let prompt =
            layer_list(&Page::open("#v1/sparse-token-regression?n=4&model=own&net=linear~9;read").state)
                .unwrap();
        assert_eq!(prompt.rows[0].shape, "4 × 9");
        let layer = Layer::Linear { size: 9, has_bias: true };
        assert_eq!(prompt.rows[0].drawing, LayerDrawing::new(layer, 4, 4, false));
    }

    #[test]
    fn buttons_write_layers_where_they_can_be() {
        let kind = |word: &str| LAYERS.iter().position(|info| info.word == word).unwrap();
        assert_eq!(with_layer("embed 8\nread sum", kind("norm")), "embed 8\nnorm\nread sum");
        assert_eq!(with_layer("embed 8\n\n", kind("read")), "embed 8\nread last");
        assert_eq!(with_layer("linear 8\nread", kind("embed")), "embed 128\nlinear 8\nread");
        assert_eq!(with_layer("embed 8\nread", kind("embed")), "embed 8\nread");
        assert_eq!(with_layer("embed 8\nsum\nread", kind("attention")), "embed 8\nattention 4\nsum\nread");
        assert_eq!(with_layer("Embed 8\nread sum\n# note", kind("norm")), "Embed 8\nnorm\nread sum\n# note");
        assert_eq!(with_layer("# note\nEmbed 8\nread", kind("embed")), "# note\nEmbed 8\nread");
        assert_eq!(with_layer("", kind("mlp")), "mlp 512");
        assert_eq!(with_layer("read", LAYERS.len()), "read");
    }
}
