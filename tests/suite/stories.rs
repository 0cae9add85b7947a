//! What stories say of single runs, with the seed that they open.

use vivarium::labs::find_preset;

use crate::{finish, session};

#[test]
fn runs_end_at_the_steps_that_stories_tell() {
    for (slug, step) in [("parity-20", 770), ("hidden-progress", 500)] {
        let mut session = session(find_preset(slug).unwrap().link);
        let outcome = finish(&mut session);
        assert_eq!(outcome.solved, [Some(step)], "{slug}");
    }
}
