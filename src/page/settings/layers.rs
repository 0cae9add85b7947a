//! The layers of a network of one's own as a list, with the size of each output, and the line that a button for a layer writes.

use crate::state::State;
use vivarium_core::settings::Value;
use vivarium_model::models::own::build::{Data, LayerOutput};
use vivarium_model::models::own::layer_outputs;
use vivarium_model::models::own::layers::LAYERS;
use vivarium_view::display::words::format_thousands;

/// Key of the setting that holds the layers.
pub const LAYERS_KEY: &str = "net";

/// Largest number of bars of a layer.
const MAX_BARS: usize = 4;

/// A layer in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerRow {
    /// Line of the text.
    pub text: String,
    /// Number of bars, one for the vector of each token, but at most four.
    pub bars: usize,
    /// Number of vectors and components of each, such as "2 × 128".
    pub shape: String,
    /// Number of its parameters; empty for none.
    pub parameters: String,
    /// Length of the bar that shows the size of a vector, in percent: logarithmic, 100 for 4,096 components.
    pub bar_percent: u32,
}

/// The list, and a sentence with the number of all parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerList {
    /// Layers up to the first mistake.
    pub rows: Vec<LayerRow>,
    /// Number of all parameters; empty if there is a mistake.
    pub total: String,
}

/// The layers of the network in the form; none for another model.
pub fn layer_list(state: &State) -> Option<LayerList> {
    let spec = state.form_spec();
    let Some(Value::Text(text)) = spec.model.value(LAYERS_KEY) else { return None };
    let (outputs, is_whole) = layer_outputs(&text, Data::of(spec.task.examples()));
    let lines: Vec<&str> = text.lines().collect();
    let row = |output: &LayerOutput| LayerRow {
        text: lines.get(output.line - 1).map_or(String::new(), |line| line.trim().to_string()),
        shape: format!("{} × {}", output.tokens, format_thousands(output.size as u64)),
        parameters: if output.parameters == 0 { String::new() } else { format_thousands(output.parameters) },
        bar_percent: (4 + (output.size as f64).log2().max(0.0) as u32 * 8).min(100),
        bars: output.tokens.min(MAX_BARS),
    };
    let total: u64 = outputs.iter().map(|output| output.parameters).sum();
    let total = match is_whole {
        true => tr!("{number} parameters in each network.", number = format_thousands(total)),
        false => String::new(),
    };
    Some(LayerList { rows: outputs.iter().map(row).collect(), total })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tests::Page;

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
        assert_eq!(list.total, "57,088 parameters in each network.");
        assert!(list.rows.iter().all(|row| row.bar_percent <= 100 && row.bars <= 4));
        let long = layer_list(&Page::open("#v1/markov?model=own").state).unwrap();
        assert_eq!((long.rows[0].bars, long.rows[0].shape.as_str()), (4, "50 × 32"));
        assert_eq!(layer_list(&Page::open("#v1/groups?n=59").state), None);
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
