//! A link as a QR code, for a page on a wall.

use qrcodegen::{QrCode, QrCodeEcc, QrSegment, Version};

use vivarium_core::language::escaped;

/// Largest version that a camera reads from the back of a room.
const LARGEST: u8 = 20;

/// The modules of the code for `text`, with error correction M: rows from the top; none where it is too long.
pub fn modules(text: &str) -> Option<Vec<Vec<bool>>> {
    let segments = [QrSegment::make_bytes(text.as_bytes())];
    let code = QrCode::encode_segments_advanced(
        &segments,
        QrCodeEcc::Medium,
        Version::new(1),
        Version::new(LARGEST),
        None,
        false,
    );
    let code = code.ok()?;
    Some((0..code.size()).map(|y| (0..code.size()).map(|x| code.get_module(x, y)).collect()).collect())
}

/// The code as the markup of an SVG, quiet zone included; or a sentence where the text is too long.
pub fn svg(text: &str) -> String {
    let Some(rows) = modules(text) else {
        return format!("<p>{}</p>", escaped(tr!("The link is too long for a QR code.")));
    };
    let mut path = String::new();
    for (y, row) in rows.iter().enumerate() {
        for (x, _) in row.iter().enumerate().filter(|(_, dark)| **dark) {
            path.push_str(&format!("M{x} {y}h1v1h-1z"));
        }
    }
    let size = rows.len() + 8;
    let about = escaped(tr!("QR code of the link"));
    format!(
        "<svg class=\"code\" viewBox=\"-4 -4 {size} {size}\" role=\"img\" aria-label=\"{about}\" \
         data-testid=\"code\"><path d=\"{path}\"></path></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row as text: # is dark.
    fn rows(text: &str) -> Vec<String> {
        let row = |row: &Vec<bool>| row.iter().map(|dark| if *dark { '#' } else { '.' }).collect();
        modules(text).unwrap().iter().map(row).collect()
    }

    #[test]
    fn a_code_has_its_marks_and_its_format() {
        let rows = rows("https://example.org/#v1/markov");
        // 30 bytes need version 3 at level M: 29 modules, and one corner without a large mark.
        assert_eq!(rows.len(), 29);
        for (row, expected) in
            ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######", "......."]
                .iter()
                .enumerate()
                .map(|(i, e)| (&rows[i], *e))
        {
            assert_eq!(&row[..7], expected);
            assert_eq!(row[22..].chars().rev().collect::<String>(), expected);
        }
        // The timing pattern, and the module that is always dark.
        assert_eq!(&rows[6][8..21], "#.#.#.#.#.#.#");
        assert_eq!(&rows[21][8..9], "#");
        // Both copies of the format say level M, 00 before its mask 101010000010010.
        assert!(rows[8].starts_with('#') && rows[8][1..2] == *".", "{}", rows[8]);
    }

    #[test]
    fn what_is_too_long_has_no_code() {
        assert_eq!(modules(&"a".repeat(666)).map(|m| m.len()), Some(97));
        assert!(modules(&"a".repeat(667)).is_none());
        assert!(svg("a").contains("viewBox=\"-4 -4 29 29\"") && svg("a").contains("M0 0h1v1h-1zM1 0"));
        assert!(svg(&"a".repeat(667)).starts_with("<p>The link is too long"));
    }
}
