//! Any text as a link: nothing panics, the result can run, and its own link is clean and means the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vivarium::permalink::{decode, encode};

fuzz_target!(|text: &str| {
    let (link, notices) = decode(text);
    assert!(link.spec.invalid_settings().is_empty());
    assert!(notices.len() <= 21);
    let canonical = encode(&link);
    let (again, left) = decode(&canonical);
    assert_eq!(again, link, "{canonical}");
    assert!(left.iter().all(|n| link.teacher_keys.iter().any(|(key, _)| *key == n.key)), "{canonical}: {left:?}");
});
