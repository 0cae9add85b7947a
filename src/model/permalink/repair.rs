//! Repairs of links that other programs changed on their way: the mark before the link, capital letters, `&amp;`, marks of
//! the sentence around a link, invisible characters, hyphens, escapes, and what was appended.
//!
//! # Why
//! Chats, mail programs and the keyboards of phones rewrite addresses. A repair is only tried if a part of a link cannot
//! be read as it is written, so that no link that can be read changes its meaning: `own=(x1@x2)` ends in a parenthesis.

use super::{Link, percent_decode, read_settings};
use crate::run::RunSpec;
use vivarium_core::settings::InvalidSetting;

/// Characters that a sentence puts behind a link, and that are no part of the link; the last two are invisible.
const TRAILING_MARKS: &str = ")]}>,.;:!?\"'`“”„‘’‚«»‹›…。，、；：！？）】》」』\u{200b}\u{feff}";

/// Largest number of characters that are removed from the end of a link; after each, the link is read again.
const MAX_TRAILING_MARKS: usize = 4;

/// Ends of `&amp;` and of its numeric forms, as they begin a key of a link after it was split at `&`.
const AMPERSAND_ENDS: [&str; 3] = ["amp;", "#38;", "#x26;"];

/// Ends of escaped quotation marks and `>`, as they are left alone behind the last `&` of a link.
const MARK_ENDS: [&str; 5] = ["quot;", "gt;", "apos;", "#34;", "#39;"];

/// Largest number of times that a link is decoded again, if it was encoded more than once.
const MAX_EXTRA_DECODINGS: usize = 2;

/// Largest number of errors of a link for which other readings of the link are tried; more are not the work of a mail
/// program, and each reading takes time.
pub(super) const MAX_REPAIRED_ERRORS: usize = 100;

/// Mark before a text directive: what a browser adds to an address to highlight a text on a page.
const TEXT_DIRECTIVE: &str = ":~:";

/// Beginnings of the keys that newsletters and social networks append to addresses.
const TRACKER_KEYS: [&str; 8] = ["utm_", "fbclid", "gclid", "dclid", "msclkid", "yclid", "mc_", "igsh"];

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

/// Returns other readings of the address `text` than `written`, which has errors, without their `#`: taken out of the
/// address of a redirect, decoded again, without the characters that mail programs and text editors add, and without what
/// was appended.
pub(super) fn find_other_links(text: &str, written: &str) -> Vec<String> {
    let mut sources = vec![text.to_string()];
    // In a text that is a link or contains one, the value of a key is not read as another link.
    if !begins_link(text) && find_link_start(text).is_none() {
        sources.splice(0..0, find_redirected_address(text));
        for _ in 0..MAX_EXTRA_DECODINGS {
            let decoded = sources.last().map(|source| percent_decode(source)).unwrap_or_default();
            sources.push(decoded);
        }
    }
    let mut links: Vec<String> = vec![];
    for source in sources {
        let link = restore_characters(&find_link(&source));
        let shorter = strip_appended(&link).to_string();
        for link in [link, shorter] {
            if begins_link(&link) && link != written && !links.contains(&link) {
                links.push(link);
            }
        }
    }
    links
}

/// Returns the address of this page in the address of a redirect, such as those that mail programs put in place of links:
/// the encoded value of a key that contains a link. None if there is no such value.
fn find_redirected_address(text: &str) -> Option<String> {
    let (address, query) = text.split_once('?')?;
    if address.contains('#') || query.contains('#') {
        return None;
    }
    let values = query.split('&').filter_map(|pair| pair.split_once('='));
    // In a value that is not encoded, the next key may belong to the link.
    let encoded = values.map(|(_, value)| value).filter(|value| !value.contains('='));
    encoded.map(percent_decode).find(|address| begins_link(&find_link(address)))
}

/// Returns the decoded link `link` with the characters that the page writes: without line breaks, invisible characters and
/// backslashes, with ASCII hyphens in place of dashes, and ASCII in place of full-width characters.
fn restore_characters(link: &str) -> String {
    // Mail in the encoding "quoted-printable" has `=3D` for `=`, and `=` at the end of a broken line.
    let joined = match link.contains("=3D") {
        true => link.replace("=\r\n", "").replace("=\n", "").replace("=3D", "="),
        false => link.to_string(),
    };
    let is_kept = |letter: &char| {
        !letter.is_control()
            && !matches!(letter, '\\' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            && !matches!(letter, '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let restored: String = joined.chars().filter(is_kept).map(to_ascii).collect();
    restored.trim().trim_start_matches(['/', '!']).to_string()
}

/// ASCII character with the meaning of a dash, a full-width character or a space; other characters stay as they are.
fn to_ascii(letter: char) -> char {
    match letter {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' => '-',
        // Full-width forms are in the order of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        '\u{a0}' | '\u{202f}' | '\u{3000}' => ' ',
        other => other,
    }
}

/// Whether a pair of key and value is one that newsletters and social networks append to addresses.
fn is_tracker(pair: &str) -> bool {
    TRACKER_KEYS.iter().any(|key| pair.starts_with(key))
}

/// Returns `link` without what other programs append to links: a text directive, a second fragment or query, or markup.
/// The link stays as it is if further settings follow the second fragment or query or the markup.
fn strip_appended(link: &str) -> &str {
    let link = link.split_once(TEXT_DIRECTIVE).map_or(link, |(link, _)| link);
    let query_start = link.find('?').map_or(link.len(), |at| at + 1);
    let second_query = link[query_start..].find('?').map(|at| query_start + at);
    let marks = link.find(['#', '}', '"', '<', '>']);
    let Some(end) = marks.into_iter().chain(second_query).min() else { return link };
    let (start, appended) = link.split_at(end);
    let has_setting = appended.split('&').skip(1).any(|pair| !is_tracker(pair));
    match has_setting || start.ends_with(['=', '&', '?']) {
        true => link,
        false => start,
    }
}

/// Returns the address `base`, which has no fragment, without the keys in its query by which newsletters and social
/// networks recognise visitors.
pub fn strip_trackers(base: &str) -> String {
    let Some((page, query)) = base.split_once('?') else { return base.into() };
    let kept: Vec<&str> = query.split('&').filter(|pair| !is_tracker(pair)).collect();
    if kept.is_empty() { page.into() } else { format!("{page}?{}", kept.join("&")) }
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

    /// Reads `text` as [`read`] does, and requires one notice on the whole link.
    fn read_repaired(text: &str) -> String {
        let (link, keys) = read(text);
        assert_eq!(keys, ["link"], "{text}");
        link
    }

    /// A link in its canonical form.
    const LINK: &str = "#v1/sparse-parity?n=20&width=64";

    #[test]
    fn what_mail_programs_and_editors_do_to_the_characters_of_a_link_is_undone() {
        for text in [
            "#v1/sparse\u{2011}parity?n=20&width=64",
            "#v1/sparse\u{2013}parity?n=20&width=64",
            "#v1/sparse%E2%80%93parity?n=20&width=64",
            "#v1/sparse-parity?n=20&\u{200b}width=64",
            "#v1/sparse-parity?n=20&width=6\u{ad}4",
            "#v1/sparse-pari\nty?n=20&wid\r\nth=64",
            "#v1/sparse-pari=\nty?n=3D20&width=3D6=\r\n4",
            "https://a.example/\\#v1/sparse-parity?n=20\\&width=64",
            "#v1/sparse-parity?n=20&width=\u{ff16}\u{ff14}",
            "#v1/sparse-parity?n\u{ff1d}20\u{ff06}width=64",
            "#/v1/sparse-parity?n=20&width=64",
            "#!/v1/sparse-parity?n=20&width=64",
        ] {
            assert_eq!(read_repaired(text), LINK, "{text}");
        }
        assert_eq!(read_repaired("#v1/groups?lr=1e\u{2212}3"), read("#v1/groups?lr=1e-3").0);
        let notice = decode("#v1/sparse\u{2011}parity?n=20&width=64").1[0].to_string();
        assert!(notice.contains("the link was read as #v1/sparse-parity?n=20&width=64"), "{notice}");
    }

    #[test]
    fn a_link_in_a_redirect_or_encoded_again_is_read() {
        for text in [
            "https://a.example/%2523v1%252Fsparse-parity%253Fn%253D20%2526width%253D64",
            "https://a.example/#v1%252Fsparse-parity%253Fn%253D20%2526width%253D64",
            "https://mail.example/?url=https%3A%2F%2Fa.example%2F%23v1%2Fsparse-parity%3Fn%3D20%26width%3D64&data=05%7C02&sdata=x%3D",
            // The number sign was encoded before the address was.
            "https://mail.example/?url=https%3A%2F%2Fa.example%2F%2523v1%2Fsparse-parity%3Fn%3D20%26width%3D64&reserved=0",
            "https://search.example/url?q=https://a.example/%23v1/sparse-parity?n%3D20%26width%3D64&sa=D&source=docs",
            "https://b.example/l.php?u=https%3A%2F%2Fa.example%2F%23v1%2Fsparse-parity%3Fn%3D20%26width%3D64&h=AT0",
        ] {
            assert_eq!(read_repaired(text), LINK, "{text}");
        }
    }

    #[test]
    fn what_is_appended_to_a_link_is_no_part_of_it() {
        for end in [
            ":~:text=network",
            "#:~:text=network&text=bits",
            "#fnref1",
            "?utm_source=letter&utm_medium=mail",
            "?fbclid=IwAR0",
            "}{a run}",
            "\">a run</a>",
        ] {
            assert_eq!(read_repaired(&format!("{LINK}{end}")), LINK, "{end}");
        }
        for end in ["。", "）", "」。"] {
            assert_eq!(read(&format!("{LINK}{end}")), (LINK.into(), vec!["width".into()]), "{end}");
        }
    }

    #[test]
    fn a_link_to_a_table_that_is_not_open_yet_is_repaired() {
        const TABLE: &str = "#v1/tabular?data=own&csv=12345&m=70";
        let as_written = decode(TABLE).0;
        for text in [
            "#v1%252Ftabular%253Fdata%253Down%2526csv%253D12345%2526m%253D70",
            "https://mail.example/?url=https%3A%2F%2Fa.example%2F%23v1%2Ftabular%3Fdata%3Down%26csv%3D12345%26m%3D70&data=05%7C02&sdata=x%3D",
            "#v1/tabular?data=own&csv=12345&m=70?utm_source=x",
        ] {
            assert_eq!(encode(&decode(text).0), encode(&as_written), "{text}");
        }
    }

    /// If a repair leaves a part that cannot be read, the link is read as it is written.
    #[test]
    fn a_repair_that_leaves_an_error_or_drops_a_setting_is_not_applied() {
        /// Canonical link with the setting n alone.
        const N: &str = "#v1/sparse-parity?n=20";
        for (text, link, key) in [
            ("#v1/sparse-parity?n=20&x=<b>&width=64", LINK, "x"),
            ("#v1/sparse-parity?n=20&colour=6\u{2013}4", N, "colour"),
            ("#v1/sparse-parity?n=20&axes=<b>", N, "axes"),
            ("#v1/sparse-parity?k=<3>&n=20", N, "k"),
            ("#v1/sparse-parity?n=20&utm_source=x", N, "utm_source"),
            (
                "https://a.example/?v1/sparse-parity?n=20&ref=https%3A%2F%2Fb.example%2F%23v1%2Fgroups",
                N,
                "ref",
            ),
        ] {
            assert_eq!(read(text), (link.into(), vec![key.into()]), "{text}");
        }
        let text = "https://a.example/?u=%23v1/sparse-parity?n=20&width=64&x=1";
        assert_eq!(read(text), (LINK.into(), vec!["x".into()]));
    }

    #[test]
    fn addresses_are_passed_on_without_the_keys_that_recognise_visitors() {
        for (base, passed_on) in [
            ("https://a.example/b/", "https://a.example/b/"),
            ("https://a.example/b/?fbclid=IwAR0", "https://a.example/b/"),
            ("https://a.example/?utm_source=x&course=7&gclid=1", "https://a.example/?course=7"),
            ("https://a.example/?course=7", "https://a.example/?course=7"),
        ] {
            assert_eq!(strip_trackers(base), passed_on);
        }
    }
}
