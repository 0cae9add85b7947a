//! The text that keeps a lecture in a link, and the JSON that keeps it in a file.
//!
//! # Why
//! The links in a lecture have signs that mail and chat programs escape in an address, once or several times. Base64 with
//! letters, digits, `-` and `_` (RFC 4648, section 5) has none of them. A last line marks the end, so that a link that
//! was cut off is reported instead of losing its last entries.

use super::{
    Lecture, LectureEntry, LectureError, MAX_CODE_LENGTH, MAX_ENTRIES, address_error, normalize_address,
};
use vivarium_core::base64::{ADDRESS_DIGITS, decode_base64, encode_base64};
use vivarium_view::record::quote_json;

/// First line of the text in a link: the version of its form.
const VERSION: &str = "1";

/// Last line of the text in a link.
const END: &str = ".";

/// Value of "format" in a file with a lecture.
const FILE_FORMAT: &str = "vivarium lecture 1";

/// Beginning of "format" in a file with a lecture of any version.
const FILE_FORMAT_PREFIX: &str = "vivarium lecture ";

/// Writes a text of a lecture as one line.
fn escape_line(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

/// Reads a text of a lecture from its line; None if the line has an escape that [`escape_line`] does not write.
fn parse_line(line: &str) -> Option<String> {
    let mut out = String::with_capacity(line.len());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next()? {
                'n' => out.push('\n'),
                '\\' => out.push('\\'),
                _ => return None,
            },
            letter => out.push(letter),
        }
    }
    Some(out)
}

impl Lecture {
    /// Encodes the lecture as the text that follows `#lecture/` in its link.
    pub fn encode(&self) -> String {
        let mut text = format!("{VERSION}\n{}\n", escape_line(&self.title));
        for entry in &self.entries {
            text.push_str(entry.address.trim_start_matches('#'));
            text.push('\n');
            text.push_str(&escape_line(&entry.note));
            text.push('\n');
        }
        text.push_str(END);
        encode_base64(text.as_bytes(), ADDRESS_DIGITS)
    }

    /// Decodes the text that follows `#lecture/` in a link. A lecture without entries is valid, since it may be edited.
    ///
    /// # Errors
    /// If the text is no lecture, is cut off, or exceeds a limit; the limits are checked before anything is built.
    pub fn decode(code: &str) -> Result<Lecture, LectureError> {
        if code.len() > MAX_CODE_LENGTH {
            return Err(LectureError::TooLong);
        }
        let bytes = decode_base64(code, ADDRESS_DIGITS).ok_or(LectureError::Incomplete)?;
        let text = String::from_utf8(bytes).map_err(|_| LectureError::Incomplete)?;
        let version = text.split('\n').next().unwrap_or_default();
        if version != VERSION && version.parse::<u32>().is_ok() {
            return Err(LectureError::NewerVersion);
        }
        let lines = text
            .strip_prefix(VERSION)
            .and_then(|text| text.strip_prefix('\n'))
            .and_then(|text| text.strip_suffix(END))
            .and_then(|text| text.strip_suffix('\n'))
            .ok_or(LectureError::Incomplete)?;
        // The title, and two lines for each entry.
        let line_count = lines.split('\n').count();
        if line_count.is_multiple_of(2) {
            return Err(LectureError::Incomplete);
        }
        if line_count / 2 > MAX_ENTRIES {
            return Err(LectureError::ManyEntries);
        }
        let mut lines = lines.split('\n').map(|line| parse_line(line).ok_or(LectureError::Incomplete));
        let mut lecture = Lecture { title: lines.next().ok_or(LectureError::Incomplete)??, entries: vec![] };
        while let (Some(address), Some(note)) = (lines.next(), lines.next()) {
            lecture.entries.push(LectureEntry { address: format!("#{}", address?), note: note? });
        }
        lecture.check()?;
        Ok(lecture)
    }

    /// Returns the content of a file with the lecture, as JSON.
    pub fn to_json(&self) -> String {
        let entry = |entry: &LectureEntry| {
            let [link, note] = [&entry.address, &entry.note].map(|text| quote_json(text));
            format!("    {{\"link\": {link}, \"note\": {note}}}")
        };
        let entries: Vec<String> = self.entries.iter().map(entry).collect();
        format!(
            "{{\n  \"format\": {},\n  \"title\": {},\n  \"entries\": [\n{}\n  ]\n}}\n",
            quote_json(FILE_FORMAT),
            quote_json(&self.title),
            entries.join(",\n")
        )
    }

    /// Builds a lecture from what a file contains: "format", "title" and, for each of the "entries", (link, note); None
    /// where the file has no such text. A link may be a whole address.
    ///
    /// # Errors
    /// If the file is no lecture, or exceeds a limit.
    pub fn from_file(
        format: Option<String>,
        title: Option<String>,
        entries: &[(Option<String>, Option<String>)],
    ) -> Result<Lecture, LectureError> {
        let format = format.unwrap_or_default();
        if format != FILE_FORMAT {
            let is_newer = format.starts_with(FILE_FORMAT_PREFIX);
            return Err(if is_newer { LectureError::NewerVersion } else { LectureError::OtherFile });
        }
        if entries.len() > MAX_ENTRIES {
            return Err(LectureError::ManyEntries);
        }
        let mut lecture = Lecture { title: title.unwrap_or_default(), entries: vec![] };
        for (at, (link, note)) in entries.iter().enumerate() {
            let link = link.as_deref().unwrap_or_default();
            let address = normalize_address(link).ok_or_else(|| address_error(at + 1, link))?;
            lecture.entries.push(LectureEntry { address, note: note.clone().unwrap_or_default() });
        }
        lecture.check()?;
        if lecture.encode().len() > MAX_CODE_LENGTH {
            return Err(LectureError::TooLong);
        }
        Ok(lecture)
    }
}
