//! Networks on sequences of symbols: which strategy they follow, where they look, and what they expect next.

pub mod curves;
pub mod looks;
pub mod parts;

/// Maximum number of distances between two positions of a sequence, counted from 0, that a chart shows.
pub const MAX_DISTANCES: usize = 25;

/// Length of the longest sequence whose symbols are written along the axes; positions in longer sequences are numbered.
pub const MAX_LETTERED_LENGTH: usize = 40;

/// Letter of the symbol with this index: "a" for 0.
pub fn symbol_letter(symbol: usize) -> String {
    char::from(b'a' + (symbol % 26) as u8).to_string()
}

/// Letters of the symbols joined into a text such as "abba".
pub fn join_symbols(symbols: &[u8]) -> String {
    symbols.iter().map(|symbol| symbol_letter(usize::from(*symbol))).collect()
}

/// Names of all attention heads, such as "1.1": layer and head, both counted from 1. `layers` has the number of heads
/// of each layer.
pub fn head_names(layers: &[usize]) -> Vec<String> {
    let of = |(layer, heads): (usize, &usize)| {
        (1..=*heads).map(move |head| format!("{}.{head}", layer + 1)).collect::<Vec<_>>()
    };
    layers.iter().enumerate().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_letters_and_heads_numbers() {
        assert_eq!(
            (symbol_letter(0).as_str(), symbol_letter(7).as_str(), join_symbols(&[0, 1, 1, 7]).as_str()),
            ("a", "h", "abbh")
        );
        assert_eq!(head_names(&[2, 1]), ["1.1", "1.2", "2.1"]);
    }
}
