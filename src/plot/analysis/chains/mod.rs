//! Networks on sequences of symbols: which strategy they follow, where they look, and what they expect next.

pub mod curves;
pub mod looks;
pub mod parts;

/// Distances that are shown at most, from 0.
pub const DISTANCES: usize = 25;

/// Longest context whose symbols are written along the axes; a longer one has numbers.
pub const LETTERED: usize = 40;

/// The name of a symbol: "a" for 0.
pub fn letter(symbol: usize) -> String {
    char::from(b'a' + (symbol % 26) as u8).to_string()
}

/// Symbols one after the other: "abba".
pub fn word(symbols: &[u8]) -> String {
    symbols.iter().map(|symbol| letter(usize::from(*symbol))).collect()
}

/// Names of the heads of layers of these sizes, both counted from 1: "1.1".
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
            (letter(0).as_str(), letter(7).as_str(), word(&[0, 1, 1, 7]).as_str()),
            ("a", "h", "abbh")
        );
        assert_eq!(head_names(&[2, 1]), ["1.1", "1.2", "2.1"]);
    }
}
