//! Parsing of square tables: rows of numbers or names, with any separators.

/// Largest number that is accepted as an entry of a square table in a link. Whether each entry is below the number of
/// rows is checked by the task.
pub const MAX_ENTRY: u64 = 999;

/// Parses a square table of at most `max_rows` rows into its entries, row by row, as numbers from 0; None if it is not
/// square, empty or too large.
///
/// Entries are separated by spaces, dots, commas, semicolons, bars or line ends. Numbers whose smallest is 1 are
/// counted from 0 instead; names are numbered as they first occur, which in a table with the identity first is the
/// order of its rows.
pub fn parse(text: &str, max_rows: usize) -> Option<Vec<u64>> {
    let apart = |c: char| c.is_whitespace() || ".,;|/".contains(c);
    let entries: Vec<&str> = text.split(apart).filter(|entry| !entry.is_empty()).collect();
    // Each name is searched among all before it.
    if entries.len() > max_rows * max_rows {
        return None;
    }
    let numbers: Option<Vec<u64>> = entries.iter().map(|entry| entry.parse().ok()).collect();
    let entries = match numbers {
        // Of no others, or what is written down would be read as another table.
        Some(numbers) if numbers.iter().min() == Some(&1) => numbers.iter().map(|v| v - 1).collect(),
        Some(numbers) => numbers,
        None => {
            let mut names: Vec<&str> = vec![];
            let mut number = |entry| match names.iter().position(|name| *name == entry) {
                Some(at) => at as u64,
                None => {
                    names.push(entry);
                    names.len() as u64 - 1
                }
            };
            entries.into_iter().map(&mut number).collect()
        }
    };
    is_valid(&entries, max_rows).then_some(entries)
}

/// Whether the entries form a square table of at most `max_rows` rows, with no entry above [`MAX_ENTRY`].
pub fn is_valid(entries: &[u64], max_rows: usize) -> bool {
    let rows = entries.len().isqrt();
    (1..=max_rows).contains(&rows) && rows * rows == entries.len() && entries.iter().all(|v| *v <= MAX_ENTRY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_from_zero_or_one_and_names_are_the_same_table() {
        let expected = Some(vec![0, 1, 2, 1, 2, 0, 2, 0, 1]);
        for text in [
            "0.1.2.1.2.0.2.0.1",
            "1 2 3\n2 3 1\n3 1 2",
            "e, r, s; r, s, e; s, e, r",
            "| e r r² |\n| r r² e |\n| r² e r |",
        ] {
            assert_eq!(parse(text, 8), expected, "{text}");
        }
    }

    #[test]
    fn a_table_that_was_read_is_written_as_the_same_table() {
        for text in ["127", "1", "2 3 3 2", "1 2 2 1", "0 0 0 0", "a b b a", "999 1 1 1"] {
            let read = parse(text, 8).unwrap();
            let written = read.iter().map(u64::to_string).collect::<Vec<_>>().join(".");
            assert_eq!(parse(&written, 8), Some(read), "{text}");
        }
    }

    #[test]
    fn what_is_no_square_is_refused() {
        for text in ["", " . ", "0 1 1", "0 1 1 0", "0 1000 1 0"] {
            assert!(parse(text, 1).is_none(), "{text}");
        }
        assert_eq!(parse("0 1 1 0", 2), Some(vec![0, 1, 1, 0]));
        assert_eq!(parse("0 1000 1 0", 2), None);
    }
}
