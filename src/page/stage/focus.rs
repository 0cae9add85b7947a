//! Where the keyboard focus goes when the focused target of the picture disappears.

use vivarium_plot::scene::Target;

/// Destination of a focus that its target has lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LostFocus {
    /// The target with this key, the nearest one that is left.
    Target(String),
    /// The group of all targets, because none is left.
    Group,
}

/// Where the focus goes when the targets `before` are replaced by `after`, and the target with the key `focused` had it;
/// `None` if the focus stays.
pub fn find_lost_focus(before: &[Target], after: &[Target], focused: &str) -> Option<LostFocus> {
    let lost = before.iter().find(|target| target.key == focused)?;
    if after.iter().any(|target| target.key == focused) {
        return None;
    }
    let place = lost.area.centre();
    let distance = |target: &Target| target.area.centre().distance(place);
    let nearest = after.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    Some(nearest.map_or(LostFocus::Group, |target| LostFocus::Target(target.key.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_plot::scene::{Area, TargetKind};

    fn targets(keys: &[&str]) -> Vec<Target> {
        let target = |(at, key): (usize, &&str)| Target {
            key: (*key).into(),
            name: String::new(),
            value: String::new(),
            kind: TargetKind::Press,
            area: Area::new(50.0 * at as f32, 0.0, 40.0, 40.0),
        };
        keys.iter().enumerate().map(target).collect()
    }

    #[test]
    fn the_nearest_target_that_is_left_gets_the_focus() {
        let before = targets(&["a", "b", "c", "d"]);
        let lost = |after: &[Target], focused: &str| find_lost_focus(&before, after, focused);
        assert_eq!(lost(&before, "c"), None);
        assert_eq!(lost(&targets(&["a", "b", "c"]), "d"), Some(LostFocus::Target("c".into())));
        assert_eq!(lost(&targets(&["x", "y", "z"]), "a"), Some(LostFocus::Target("x".into())));
        assert_eq!(lost(&[], "a"), Some(LostFocus::Group));
        // The focus was on nothing of the picture.
        assert_eq!(lost(&[], "slider"), None);
    }
}
