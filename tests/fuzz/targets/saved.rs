//! Any JSON as an entry of a browser's storage: it is refused with a sentence, or checked a second time it is the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vivarium::record::saved::SavedRun;

fuzz_target!(|text: &str| {
    let Ok(read) = serde_json::from_str::<SavedRun>(text) else { return };
    let key = read.id.clone();
    match read.check(&key) {
        Err(why) => assert!(why.to_string().len() > 15, "{why}"),
        Ok(run) => assert_eq!(run.clone().check(&key), Ok(run), "what is checked stays as it is"),
    }
});
