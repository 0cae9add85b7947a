//! Checks that hold for the scene of every lab's moving picture, for the tests of the labs.

use vivarium_plot::scene::{Anchor, Area, Point, Scene, Shape, TargetKind};
use vivarium_view::display::hero::{Frame, Hero};

/// Sizes of pictures in CSS pixels, (width, height): a laptop, a small laptop, a phone, and the picture beside the text of a
/// story.
pub const SIZES: [(f32, f32); 4] = [(1400.0, 540.0), (1240.0, 420.0), (390.0, 460.0), (1130.0, 400.0)];

/// Largest number of shapes in a scene.
const MAX_ITEMS: usize = 650;

/// Smallest size of a letter in CSS pixels.
const SMALLEST_TEXT: f32 = 11.0;

/// Estimated width of a letter as a share of its size.
const LETTER_WIDTH: f32 = 0.5;

/// Area of a text, estimated from its number of letters.
pub fn text_area(text: &str, at: Point, size: f32, anchor: Anchor) -> Area {
    let width = text.chars().count() as f32 * size * LETTER_WIDTH;
    let left = match anchor {
        Anchor::Start => at.x,
        Anchor::Middle => at.x - width / 2.0,
        Anchor::End => at.x - width,
    };
    Area::new(left, at.y - size / 2.0, width, size)
}

/// All texts of a scene, joined with line ends.
pub fn texts(scene: &Scene) -> String {
    let of = |item: &vivarium_plot::scene::Item| match &item.shape {
        Shape::Text { text, .. } => Some(text.clone()),
        _ => None,
    };
    scene.items.iter().filter_map(of).collect::<Vec<_>>().join("\n")
}

/// Draws the picture in every size of [`SIZES`] and checks what holds for all: the same input gives the same scene, which
/// has not too many shapes; texts are large enough, inside and apart; targets are inside, large enough, found at their centres,
/// have names, and are apart, except for handles that can be moved onto each other, whose keys begin with `movable`.
/// Returns the scenes, in the order of [`SIZES`].
pub fn check_scenes(hero: &dyn Hero, now_ms: f64, movable: Option<&str>) -> Vec<Scene> {
    let check = |(width, height): (f32, f32)| {
        let frame = Frame { width, height, now_ms, is_still: false };
        let scene = hero.scene(&frame);
        assert_eq!(scene, hero.scene(&frame));
        assert_eq!((scene.width, scene.height), (width, height));
        assert!(scene.items.len() <= MAX_ITEMS, "{} shapes", scene.items.len());
        let is_inside = |area: &Area| {
            area.left >= -0.5
                && area.top >= -0.5
                && area.right() <= width + 0.5
                && area.bottom() <= height + 0.5
        };
        for item in &scene.items {
            if let Shape::Text { text, at, size, anchor, .. } = &item.shape {
                let area = text_area(text, *at, *size, *anchor);
                assert!(is_inside(&area), "{text} {area:?} in {width} × {height}");
                assert!(*size >= SMALLEST_TEXT || text.chars().count() <= 3, "{text} has size {size}");
            }
        }
        let texts = scene.items.iter().filter_map(|item| match &item.shape {
            Shape::Text { text, at, size, anchor, .. } => Some((text, text_area(text, *at, *size, *anchor))),
            _ => None,
        });
        let texts: Vec<(&String, Area)> = texts.collect();
        for (at, (text, area)) in texts.iter().enumerate() {
            for (other, place) in &texts[..at] {
                // Highlighted parts are drawn twice.
                let is_same = (other, place) == (text, area);
                assert!(is_same || !area.overlaps(place), "{text} and {other} in {width} × {height}");
            }
        }
        let is_movable = |key: &str| movable.is_some_and(|prefix| key.starts_with(prefix));
        for (at, target) in scene.targets.iter().enumerate() {
            assert!(!target.key.is_empty() && !target.name.is_empty(), "{target:?}");
            let area = target.area;
            assert!(is_inside(&area), "{} {area:?} in {width} × {height}", target.key);
            assert!(area.width >= 17.0 && area.height >= 17.0, "{} {area:?}", target.key);
            if is_movable(&target.key) {
                assert_eq!(target.kind, TargetKind::Handle, "{}", target.key);
                continue;
            }
            let found = scene.target_at(area.centre()).map(|found| found.key.as_str());
            assert!(found == Some(&target.key) || found.is_some_and(is_movable), "{} {found:?}", target.key);
            for other in scene.targets[..at].iter().filter(|other| !is_movable(&other.key)) {
                // Neighbours touch.
                let smaller =
                    Area::around(other.area.centre(), other.area.width - 0.1, other.area.height - 0.1);
                assert!(!area.overlaps(&smaller), "{} and {}", target.key, other.key);
            }
        }
        let mut keys: Vec<&str> = scene.targets.iter().map(|target| target.key.as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), scene.targets.len(), "every key is given once");
        scene
    };
    SIZES.into_iter().map(check).collect()
}

/// Checks the sentences of a picture: the headline is one short line, and the description ends as a sentence does.
pub fn check_texts(hero: &dyn Hero) {
    let headline = hero.headline();
    assert!((10..=100).contains(&headline.chars().count()), "{headline}");
    assert!(headline.ends_with(['.', '?']), "{headline}");
    let description = hero.describe();
    assert!(description.chars().count() >= 20 && description.ends_with('.'), "{description}");
}
