//! The tiles at the top of the gallery: for each lab one moving picture, recorded from a run of the lab.
//!
//! `lab tiles` trains the runs and writes a file of scenes for each ([`super::recording`]); the page fetches the file of a
//! tile when the tile comes into view.

use super::{Gallery, first_sentence, labs_with_groups};
use crate::html::Html;
use vivarium_core::language::translated;
use vivarium_labs::{TILE_PRESETS, find_preset};
use vivarium_model::tasks::Task;
use vivarium_plot::scene::animation::Moment;
use vivarium_plot::scene::smooth;
use vivarium_view::presets::Preset;

/// Time for which a scene is shown, in milliseconds.
const SCENE_MS: f64 = 800.0;
/// Duration of the change from one scene to the next, in milliseconds.
const CHANGE_MS: f64 = 400.0;
/// Number of pictures that are painted during a change.
const CHANGE_PICTURES: f32 = 8.0;
/// Further time for which the last scene is shown, in milliseconds.
const REST_MS: f64 = 1_600.0;
/// Time by which a tile is ahead of the tile before it, in milliseconds, so that they do not change together.
const AHEAD_MS: f64 = 130.0;

/// A tile: a lab, and the preset of the lab whose recorded run is shown.
#[derive(Debug, Clone, Copy)]
pub struct Tile {
    /// Permanent name of the lab.
    pub lab: &'static str,
    /// The preset of the lab.
    pub preset: &'static Preset,
}

impl Tile {
    /// Every tile, in the order of the labs.
    pub fn all() -> impl Iterator<Item = Tile> {
        let tile = |preset: &'static Preset| Tile { lab: super::lab_slug(preset), preset };
        TILE_PRESETS.iter().filter_map(|slug| find_preset(slug)).map(tile)
    }

    /// Path of the file with the recorded scenes, from the address of the page.
    pub fn file(&self) -> String {
        format!("tiles/{}.txt", self.lab)
    }

    /// DOM id of the link of the tile.
    pub fn link_id(&self) -> String {
        format!("{LINK_PREFIX}{}", self.lab)
    }

    /// DOM id of the canvas of the tile.
    pub fn canvas_id(&self) -> String {
        format!("picture-of-{}", self.lab)
    }
}

/// Beginning of the DOM ids of the links of tiles.
pub const LINK_PREFIX: &str = "tile-";

/// The moment of an animation of `scenes` scenes that the tile with this index shows at a time in milliseconds; the last
/// scene if nothing may move.
pub fn moment_at(time_ms: f64, index: usize, scenes: usize, is_still: bool) -> Moment {
    let last = scenes.saturating_sub(1);
    if is_still {
        return Moment { scene: last, share: 1.0 };
    }
    let time = (time_ms + AHEAD_MS * index as f64) % (SCENE_MS * scenes as f64 + REST_MS);
    let scene = ((time / SCENE_MS) as usize).min(last);
    let share = smooth(((time - SCENE_MS * scene as f64) / CHANGE_MS) as f32);
    Moment { scene, share: (share * CHANGE_PICTURES).round() / CHANGE_PICTURES }
}

impl Gallery {
    /// The tiles of the labs that have cards which match the filter, as HTML; empty if there are none.
    pub fn tiles_html(&self) -> String {
        let mut out = Html::default();
        for (slug, name, _) in labs_with_groups() {
            let tile = Tile::all().find(|tile| tile.lab == slug);
            let Some(tile) = tile.filter(|_| !self.matching_presets(slug, name).is_empty()) else { continue };
            let about = Task::ENTRIES.iter().find(|entry| entry.info.slug == slug);
            let about = about.map_or("", |entry| first_sentence(translated(entry.info.about)));
            let picture = tr!("Recorded run: {name}", name = translated(tile.preset.name));
            let (link_id, canvas_id) = (tile.link_id(), tile.canvas_id());
            out.alternate(&[
                "<li class=\"tile\"><canvas class=\"tile__picture\" role=\"img\" id=\"",
                &canvas_id,
                "\" aria-label=\"",
                &picture,
                "\"></canvas><a class=\"tile__name\" id=\"",
                &link_id,
                "\" data-testid=\"",
                &link_id,
                "\" href=\"",
                tile.preset.link,
                "\">",
                name,
                "</a><p class=\"tile__about\">",
                about,
                "</p></li>",
            ]);
        }
        out.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gallery::{CardFilter, lab_slug};
    use vivarium_labs::{LABS, lazy_lab};
    use vivarium_view::presets::recorded::recorded_steps;

    #[test]
    fn every_lab_has_one_tile_of_a_single_run_with_a_picture() {
        let tiles: Vec<Tile> = Tile::all().collect();
        let labs: Vec<&str> = Task::ENTRIES.iter().map(|entry| entry.info.slug).collect();
        assert_eq!(tiles.iter().map(|tile| tile.lab).collect::<Vec<_>>(), labs);
        assert_eq!(tiles.len(), LABS.all.len());
        for tile in tiles {
            let link = tile.preset.link();
            assert!(link.spec.run.sweep.is_empty(), "{}", tile.lab);
            assert!((lazy_lab(&link.spec).hero)(&link.spec).is_some(), "{}", tile.lab);
            assert!(recorded_steps(tile.preset.slug).is_some(), "{}", tile.lab);
        }
    }

    #[test]
    fn tiles_are_links_to_presets_and_only_of_labs_that_match() {
        let html = Gallery::default().tiles_html();
        assert_eq!(html.matches("<li").count(), 13);
        assert_eq!(html.matches("<li").count(), html.matches("</li>").count());
        for tile in Tile::all() {
            assert!(html.contains(&format!("href=\"{}\"", tile.preset.link.replace('&', "&amp;"))));
        }
        assert!(
            html.contains("aria-label=\"Recorded run: ")
                && html.contains("<p class=\"tile__about\">A transformer runs a Turing machine.</p>"),
            "{html}"
        );
        let of = |filter: CardFilter| Gallery { filter, ..Gallery::default() }.tiles_html();
        let markov = of(CardFilter { topic: "lab.markov".into(), ..Default::default() });
        assert!(markov.contains("tile-markov") && markov.matches("<li").count() == 1);
        let group = of(CardFilter { topic: "groups".into(), ..Default::default() });
        assert!(group.contains("tile-groups") && group.matches("<li").count() == 1);
        for filter in [
            CardFilter { topic: "stories".into(), ..Default::default() },
            CardFilter { words: "astrology".into(), ..Default::default() },
        ] {
            assert_eq!(of(filter), "");
        }
        let words = of(CardFilter { words: "Xor".into(), ..Default::default() });
        assert!(words.contains("tile-sparse-parity") && !words.contains("tile-turing-machine"));
    }

    #[test]
    fn scenes_follow_each_other_and_the_last_one_rests() {
        let at = |time: f64| moment_at(time, 0, 16, false);
        assert_eq!([at(0.0).scene, at(799.0).scene, at(800.0).scene, at(12_000.0).scene], [0, 0, 1, 15]);
        assert_eq!([at(14_300.0).scene, at(14_400.0).scene], [15, 0]);
        assert_eq!(
            [at(800.0).share, at(1000.0).share, at(1200.0).share, at(1500.0).share],
            [0.0, 0.5, 1.0, 1.0]
        );
        assert_eq!(moment_at(800.0, 0, 16, true), Moment { scene: 15, share: 1.0 });
        assert_eq!(moment_at(0.0, 0, 1, false).scene, 0);
        // Few pictures are painted while one scene follows another.
        let mut shares: Vec<f32> = (800..1600).map(|ms| at(f64::from(ms)).share).collect();
        shares.dedup();
        assert_eq!(shares.len(), CHANGE_PICTURES as usize + 1);
        assert_ne!(moment_at(700.0, 1, 16, false).scene, at(700.0).scene);
        assert!(Tile::all().all(|tile| lab_slug(tile.preset) == tile.lab && tile.file().ends_with(".txt")));
    }
}
