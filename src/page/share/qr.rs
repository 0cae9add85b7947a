//! A link as a QR code.

use qrcodegen::{QrCode, QrCodeEcc, QrSegment, Version};

use vivarium_core::language::escape_html;

/// Largest version (from 1 to 40, which determines the side length) of a QR code, so that a camera can read it from the
/// back of a room; a longer text gets no code.
const MAX_VERSION: u8 = 20;

/// Returns the modules of the QR code of a text as `[row][column]` from the upper left, true for dark; error correction
/// level M; None if the text is too long.
pub fn qr_modules(text: &str) -> Option<Vec<Vec<bool>>> {
    let segments = [QrSegment::make_bytes(text.as_bytes())];
    let code = QrCode::encode_segments_advanced(
        &segments,
        QrCodeEcc::Medium,
        Version::new(1),
        Version::new(MAX_VERSION),
        None,
        false,
    );
    let code = code.ok()?;
    Some((0..code.size()).map(|y| (0..code.size()).map(|x| code.get_module(x, y)).collect()).collect())
}

/// Returns the QR code of a text as SVG with its quiet zone, or a sentence if the text is too long.
pub fn qr_svg(text: &str) -> String {
    let Some(rows) = qr_modules(text) else {
        return format!("<p>{}</p>", escape_html(tr!("The link is too long for a QR code.")));
    };
    let mut path = String::new();
    for (y, row) in rows.iter().enumerate() {
        for (x, _) in row.iter().enumerate().filter(|(_, dark)| **dark) {
            path.push_str(&format!("M{x} {y}h1v1h-1z"));
        }
    }
    let size = rows.len() + 8;
    let about = escape_html(tr!("QR code of the link"));
    format!(
        "<svg class=\"qr-code\" viewBox=\"-4 -4 {size} {size}\" role=\"img\" aria-label=\"{about}\" \
         data-testid=\"qr-code\"><path d=\"{path}\"></path></svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row as text: # is dark.
    fn rows(text: &str) -> Vec<String> {
        let row = |row: &Vec<bool>| row.iter().map(|dark| if *dark { '#' } else { '.' }).collect();
        qr_modules(text).unwrap().iter().map(row).collect()
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
        assert_eq!(qr_modules(&"a".repeat(666)).map(|m| m.len()), Some(97));
        assert!(qr_modules(&"a".repeat(667)).is_none());
        assert!(qr_svg("a").contains("viewBox=\"-4 -4 29 29\"") && qr_svg("a").contains("M0 0h1v1h-1zM1 0"));
        assert!(qr_svg(&"a".repeat(667)).starts_with("<p>The link is too long"));
    }
}
