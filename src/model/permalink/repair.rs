//! Repairs of links that other programs changed on their way: the mark before the link, capital letters, `&amp;`, and
//! marks of the sentence around a link.
//!
//! # Why
//! Chats, mail programs and the keyboards of phones rewrite addresses. A repair is only tried if a part of a link cannot
//! be read as it is written, so that no link that can be read changes its meaning: `own=(x1@x2)` ends in a parenthesis.

use super::{Link, percent_decode, read_settings};
use crate::run::RunSpec;
use vivarium_core::settings::InvalidSetting;

/// Characters that a sentence puts behind a link, and that are no part of the link; the last two are invisible.
const TRAILING_MARKS: &str = ")]}>,.;:!?\"'`“”„‘’‚«»‹›…\u{200b}\u{feff}";

/// Largest number of characters that are removed from the end of a link; after each, the link is read again.
const MAX_TRAILING_MARKS: usize = 4;

/// Ends of `&amp;` and of its numeric forms, as they begin a key of a link after it was split at `&`.
const AMPERSAND_ENDS: [&str; 3] = ["amp;", "#38;", "#x26;"];

/// Ends of escaped quotation marks and `>`, as they are left alone behind the last `&` of a link.
const MARK_ENDS: [&str; 5] = ["quot;", "gt;", "apos;", "#34;", "#39;"];

/// Beginning of a link after its `#`, in lower case.
const VERSION_PREFIX: &str = "v1/";

/// Returns the decoded link in `text`, without its `#`: the fragment of an address, or without a fragment the link that
/// follows `?` or an encoded `#` (`%23`); otherwise the whole decoded text.
pub(super) fn find_link(text: &str) -> String {
    let fragment = text.split_once('#').map(|(_, fragment)| percent_decode(fragment));
    if let Some(fragment) = fragment.filter(|fragment| !fragment.is_empty()) {
        // An encoded `#` behind the real one.
        return match fragment.strip_prefix('#') {
            Some(link) if begins_link(link) => link.into(),
            _ => fragment,
        };
    }
    let decoded = percent_decode(text);
    match find_link_start(&decoded) {
        Some(start) => decoded[start..].trim_end_matches('#').into(),
        None => text.split_once('#').map_or(decoded, |_| String::new()),
    }
}

/// Returns (link with its `#`, address without the link) for an address whose fragment is empty and in which the link
/// follows `?`, or an encoded `#` (`%23`). None if there is no such link.
pub fn find_misplaced_link(address: &str) -> Option<(String, String)> {
    let address = address.trim_end_matches('#');
    if address.contains('#') {
        return None;
    }
    let mut marks = ["%23", "?"].into_iter().filter_map(|mark| Some((mark, address.find(mark)?)));
    marks.find_map(|(mark, at)| {
        let link = &address[at + mark.len()..];
        let rest = address[..at].trim_end_matches('?');
        begins_link(&percent_decode(link)).then(|| (format!("#{link}"), rest.to_string()))
    })
}

/// Returns `text` without the marks of a sentence at its end.
pub fn trim_trailing_marks(text: &str) -> &str {
    text.trim_end_matches(|letter: char| TRAILING_MARKS.contains(letter) || letter.is_whitespace())
}

/// Whether `text` begins as a link does after its `#`, in capital or small letters.
fn begins_link(text: &str) -> bool {
    text.get(..VERSION_PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(VERSION_PREFIX))
}

/// Returns the byte offset of a link in decoded text: behind the first `#` or `?` that a link follows.
fn find_link_start(text: &str) -> Option<usize> {
    text.match_indices(['#', '?']).map(|(at, _)| at + 1).find(|at| begins_link(&text[*at..]))
}

/// Returns the slug of the lab that a link means by `name`, which is not a slug: in small letters, without the marks of
/// a sentence at its end.
pub(super) fn repair_lab(name: &str) -> Option<String> {
    let slug = trim_trailing_marks(name).trim_end_matches(['/', '=']).to_ascii_lowercase();
    RunSpec::default_of_lab(&slug).is_some().then_some(slug)
}

/// Splits the query of a link into keys and values. Removes what `&amp;` leaves of itself at the beginning of a key, and
/// escaped marks at the end, with a notice.
pub(super) fn split_query<'a>(query: &'a str, notices: &mut Vec<InvalidSetting>) -> Vec<(&'a str, &'a str)> {
    let mut is_escaped = false;
    let mut pairs: Vec<(&str, &str)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let mut pair = pair.trim_start();
            while let Some(rest) = AMPERSAND_ENDS.iter().find_map(|end| pair.strip_prefix(*end)) {
                (pair, is_escaped) = (rest, true);
            }
            pair
        })
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        // Blanks and line breaks around a key or a value come from copying.
        .map(|(key, value)| (key.trim(), value.trim()))
        .collect();
    while pairs.last().is_some_and(|(key, value)| value.is_empty() && MARK_ENDS.contains(key)) {
        (_, is_escaped) = (pairs.pop(), true);
    }
    // `&amp;` at the end, or twice.
    if is_escaped {
        pairs.retain(|pair| *pair != ("", ""));
        notices.push(InvalidSetting::new(
            "link",
            "&amp;",
            tr!("& between two settings (the link was read as if & was written there)"),
        ));
    }
    pairs
}

/// Reads `pairs` again without the marks of a sentence at the end of the last one, if `notices` has an error for it.
/// Returns (link, notices); None if the marks are not the reason of the error.
pub(super) fn read_without_marks(
    usual: &Link,
    pairs: &[(&str, &str)],
    notices: &[InvalidSetting],
    max_runs: usize,
) -> Option<(Link, Vec<InvalidSetting>)> {
    let ((key, value), others) = pairs.split_last()?;
    let error = notices.iter().find(|notice| notice.key == *key)?;
    let mut rest = if value.is_empty() { *key } else { *value };
    for _ in 0..MAX_TRAILING_MARKS {
        rest = rest.strip_suffix(|letter: char| TRAILING_MARKS.contains(letter))?.trim_end();
        if rest.is_empty() && !value.is_empty() {
            return None;
        }
        let last = if value.is_empty() { (rest, "") } else { (*key, rest) };
        let pairs = if rest.is_empty() { others.to_vec() } else { [others, &[last]].concat() };
        let (link, mut notices) = read_settings(usual, &pairs, max_runs);
        if notices.iter().any(|notice| notice.key == last.0) {
            continue;
        }
        let expected: String = match value.is_empty() {
            true => tr!("no marks at the end of a link (the page ignored the marks)").into(),
            false => tr!(
                "{expected} (the page used {read}, without the marks at the end of the link)",
                expected = error.expected,
                read = rest
            ),
        };
        notices.push(InvalidSetting { expected, ..error.clone() });
        return Some((link, notices));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::{decode, encode};
    use super::*;

    /// Canonical link and keys of the notices of a text.
    fn read(text: &str) -> (String, Vec<String>) {
        let (link, notices) = decode(text);
        (encode(&link), notices.into_iter().map(|notice| notice.key).collect())
    }

    #[test]
    fn another_mark_before_the_link_is_read_as_the_number_sign() {
        let link = "#v1/groups?n=7&width=32";
        for text in [
            "https://a.example/b/?v1/groups?n=7&width=32",
            "https://a.example/b/?v1%2Fgroups%3Fn%3D7%26width%3D32",
            "https://a.example/b/index.html?v1/groups?n=7&width=32#",
            "https://a.example/b/%23v1/groups?n=7&width=32",
            "https://a.example/b/%23v1%2Fgroups%3Fn=7%26width=32",
            "?v1/groups?n=7&width=32",
            "%23v1/groups?n=7&width=32",
            "#%23v1/groups?n=7&width=32",
        ] {
            assert_eq!(read(text), (link.into(), vec![]), "{text}");
        }
        // A real fragment counts, whatever stands before it.
        assert_eq!(read("https://a.example/?v1/markov#v1/groups?n=7&width=32"), (link.into(), vec![]));
        assert_eq!(read("https://a.example/?ref=v1/markov#v1/groups").0, "#v1/groups");
    }

    #[test]
    fn a_misplaced_link_is_taken_out_of_its_address() {
        let found = |address: &str| find_misplaced_link(address);
        let of = |link: &str, rest: &str| Some((link.to_string(), rest.to_string()));
        assert_eq!(found("https://a.example/b/?v1/groups?n=7"), of("#v1/groups?n=7", "https://a.example/b/"));
        assert_eq!(found("https://a.example/b/?V1/groups#"), of("#V1/groups", "https://a.example/b/"));
        assert_eq!(found("https://a.example/b/?%23v1/groups"), of("#v1/groups", "https://a.example/b/"));
        assert_eq!(found("https://a.example/?v1%2Fgroups"), of("#v1%2Fgroups", "https://a.example/"));
        assert_eq!(
            found("https://a.example/b/%23v1/groups?n=7"),
            of("#v1/groups?n=7", "https://a.example/b/")
        );
        for none in [
            "https://a.example/b/",
            "https://a.example/b/#v1/groups",
            "https://a.example/b/?lang=de",
            "https://a.example/b/?v1/groups#v1/markov",
            "https://a.example/v1/groups",
        ] {
            assert_eq!(found(none), None, "{none}");
        }
    }

    #[test]
    fn capital_letters_before_the_settings_are_read_with_a_notice() {
        assert_eq!(read("#V1/Groups?n=7"), ("#v1/groups?n=7".into(), vec!["version".into(), "task".into()]));
        assert_eq!(read("#v1/SPARSE-PARITY"), ("#v1/sparse-parity".into(), vec!["task".into()]));
        let notice = decode("#v1/Groups").1[0].to_string();
        assert!(notice.contains("Groups") && notice.contains("groups ("), "{notice}");
    }

    #[test]
    fn an_escaped_ampersand_is_read_once_and_with_one_notice() {
        for text in [
            "#v1/groups?n=7&amp;width=32&amp;speed=0",
            "#v1/groups?n=7&amp;amp;width=32&amp;speed=0",
            "#v1/groups?n=7&#38;width=32&#x26;speed=0",
            "#v1/groups?n=7&amp;width=32&amp;speed=0&amp;",
            "#v1/groups?n=7&width=32&speed=0&quot;&gt;",
        ] {
            assert_eq!(read(text), ("#v1/groups?n=7&width=32&speed=0".into(), vec!["link".into()]), "{text}");
        }
    }

    #[test]
    fn marks_of_a_sentence_are_no_part_of_the_last_value() {
        for marks in [")", ">", ",", "\"", "'", ").", ">,", "”", "»", "…", "\u{200b}", ")))", " )", "]"]
        {
            for (text, key) in [("n=20&width=64", "width"), ("width=64&n=20", "n")] {
                let link = format!("#v1/sparse-parity?{text}{marks}");
                let canonical = "#v1/sparse-parity?n=20&width=64".to_string();
                assert_eq!(read(&link), (canonical, vec![key.to_string()]), "{link}");
            }
            let link = format!("#v1/groups{marks}");
            assert_eq!(read(&link), ("#v1/groups".into(), vec!["task".into()]), "{link}");
        }
        let (link, notices) = decode("#v1/sparse-parity?width=64)");
        assert_eq!(link.spec.value("width").map(|width| width.to_string()).as_deref(), Some("64"));
        let notice = notices[0].to_string();
        assert!(notice.starts_with("width = 64): ") && notice.contains("(the page used 64, "), "{notice}");
        // A choice, a list of charts, a teacher's keys, a key without a value, and a setting that decides which others exist.
        for (text, canonical) in [
            ("#v1/sparse-parity?loss=square>", "#v1/sparse-parity?loss=square"),
            ("#v1/sparse-parity?show=loss.times)", "#v1/sparse-parity?show=loss.times"),
            ("#v1/sparse-parity?embed)", "#v1/sparse-parity?embed="),
            ("#v1/sparse-parity?n=20&lock=n)", "#v1/sparse-parity?n=20&lock=n"),
            ("#v1/sparse-parity?model=deep-mlp,", "#v1/sparse-parity?model=deep-mlp"),
            ("#v1/sparse-parity?n=20&)", "#v1/sparse-parity?n=20"),
        ] {
            let (link, keys) = read(text);
            assert_eq!((link.as_str(), keys.len()), (read(canonical).0.as_str(), 1), "{text}: {keys:?}");
        }
        // Only the end of a link, and only marks.
        assert_eq!(
            read("#v1/sparse-parity?width=64)&n=20"),
            ("#v1/sparse-parity?n=20".into(), vec!["width".into()])
        );
        assert_eq!(read("#v1/sparse-parity?width=64x"), ("#v1/sparse-parity".into(), vec!["width".into()]));
        assert_eq!(
            read("#v1/sparse-parity?colour=blue)"),
            ("#v1/sparse-parity".into(), vec!["colour".into()])
        );
    }

    /// A value that can be read as it is written stays as it is.
    #[test]
    fn a_value_that_ends_in_a_mark_of_its_own_keeps_it() {
        let own = "#v1/sparse-boolean?fn=own&own=~x3*(x1@x2)";
        assert_eq!(read(own), (own.into(), vec![]));
        assert_eq!(read(&format!("{own})")), (own.into(), vec!["own".into()]));
        assert_eq!(read(&format!("{own}).")), (own.into(), vec!["own".into()]));
        let axes = "#v1/sparse-parity?axes=0_1,";
        assert_eq!(decode(axes).0.teacher_keys, [("axes".to_string(), "0_1,".to_string())]);
    }
}
