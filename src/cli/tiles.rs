//! `lab tiles`: records the runs of the moving tiles at the top of the page's gallery.
//!
//! # Why
//! The page shows what its first screen would have shown: the same player trains the run with its seed, and the lab's
//! picture gets the weights that the worker measures for it.

#![expect(clippy::print_stdout, reason = "this command prints")]

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::CommandError;
use super::headless::HeadlessRun;
use vivarium_model::chart;
use vivarium_model::run::DeviceChoice;
use vivarium_page::gallery::recording::record_scenes;
use vivarium_page::gallery::tiles::Tile;
use vivarium_page::stage::tape::Tape;
use vivarium_plot::scene::animation::encode_scenes;
use vivarium_view::display::hero::StageProgress;
use vivarium_view::presets::Preset;
use vivarium_view::presets::recorded::recorded_steps;

/// Command-line arguments of `lab tiles`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Labs whose tiles are recorded, such as "sparse-parity". Without names: all labs.
    labs: Vec<String>,
    /// Folder with the files of the tiles.
    #[arg(long, default_value = "www/tiles")]
    folder: PathBuf,
}

/// Number of steps, besides step 0, at which weights are recorded; the tile shows a few of them.
const RECORDED_STEPS: u64 = 60;
/// Recorded steps after a share of their number, as a power of that share: more steps at the start, where much changes.
const STEP_EXPONENT: f64 = 1.5;

/// The steps of a run of `end` steps at which weights are recorded, from 0 to `end`.
fn steps_to_record(end: u64) -> Vec<u64> {
    let step = |number: u64| {
        (end as f64 * libm::pow(number as f64 / RECORDED_STEPS as f64, STEP_EXPONENT)).round() as u64
    };
    let mut steps: Vec<u64> = (0..=RECORDED_STEPS).map(step).collect();
    steps.dedup();
    steps
}

/// Trains the run of a preset on the CPU and records the weights that the lab's picture shows; an empty tape if the picture
/// needs none.
///
/// # Errors
/// When a device stops working, or the worker does not measure the weights.
fn record_tape(preset: &Preset) -> Result<Tape, CommandError> {
    let (mut tape, mut link) = (Tape::default(), preset.link());
    link.spec.run.device = DeviceChoice::Cpu;
    // Charts of the preset may need expensive measurements.
    link.view.show = vec![chart::LOSS];
    let mut page = HeadlessRun::open_paused(&link);
    let Some(probe) = page.player().run.lab().hero_probe() else { return Ok(tape) };
    page.show_hero()?;
    let end = recorded_steps(preset.slug).unwrap_or(link.spec.run.steps);
    for step in steps_to_record(end) {
        page.train_to(step, |_| {})?;
        let run = &page.player().run;
        let has_ended = run.phase.has_ended();
        let progress = StageProgress {
            step: run.step,
            has_ended: has_ended || step == end,
            has_succeeded: run.solved.iter().any(|(replica, _)| *replica == 0),
        };
        let result = run.latest_results.get(&probe.id()).filter(|(at, _)| *at == run.step);
        let weights = result.and_then(|(_, result)| probe.parameters(run.spec(), result));
        let weights =
            weights.with_context(|| format!("{} has no weights at step {}", preset.slug, run.step))?;
        tape.push(progress, weights, None);
        if has_ended {
            break;
        }
    }
    Ok(tape)
}

/// Records the run of a tile and returns the text of its file.
///
/// # Errors
/// When a device stops working, or the lab has no picture of the run.
pub fn record_tile(tile: &Tile) -> Result<String, CommandError> {
    let tape = record_tape(tile.preset)?;
    let scenes = record_scenes(&tile.preset.link().spec, &tape);
    Ok(encode_scenes(&scenes.with_context(|| format!("{} has no picture", tile.preset.slug))?))
}

/// Runs `lab tiles`.
///
/// # Errors
/// An unknown lab, a device that stops working, or a file that cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), CommandError> {
    let wanted = &arguments.labs;
    if let Some(unknown) = wanted.iter().find(|lab| Tile::all().all(|tile| tile.lab != **lab)) {
        return Err(CommandError::bad_link(format!("there is no lab {unknown}")));
    }
    std::fs::create_dir_all(&arguments.folder)
        .with_context(|| format!("cannot make {}", arguments.folder.display()))?;
    for tile in Tile::all().filter(|tile| wanted.is_empty() || wanted.iter().any(|lab| lab == tile.lab)) {
        let text = record_tile(&tile)?;
        let path = arguments.folder.join(format!("{}.txt", tile.lab));
        std::fs::write(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}: {}, {} KiB", tile.lab, tile.preset.slug, text.len().div_ceil(1024));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_page::gallery::recording::{SCENE_SIZE, SCENES};
    use vivarium_plot::scene::animation::{Animation, Moment};
    use vivarium_plot::scene::{Scene, Shape};

    const WWW: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www");

    /// Largest size of the file of a tile, in bytes.
    const MAX_TILE_BYTES: usize = 48 << 10;
    /// Largest size of the files of all tiles together, in bytes.
    const MAX_BYTES: usize = 320 << 10;

    /// The file of a tile in the repository.
    fn committed(tile: &Tile) -> String {
        let path = format!("{WWW}/{}", tile.file());
        std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}; `lab tiles` writes it"))
    }

    /// The scenes of a file, each as it is seen after its changes.
    fn scenes(text: &str) -> Vec<Scene> {
        let animation = Animation::decode(text).unwrap();
        (0..animation.scene_count())
            .map(|scene| animation.scene_at(Moment { scene, share: 1.0 }, 1.0))
            .collect()
    }

    #[test]
    fn steps_are_denser_at_the_start_and_include_both_ends() {
        let steps = steps_to_record(770);
        assert_eq!((steps.first(), steps.last()), (Some(&0), Some(&770)));
        assert!(steps.len() > 55 && steps.is_sorted() && steps[30] < 300, "{steps:?}");
        assert_eq!(steps_to_record(3), [0, 1, 2, 3]);
    }

    #[test]
    fn every_lab_has_a_small_file_whose_scenes_change() {
        let (mut sum, mut files) = (0, 0);
        for tile in Tile::all() {
            let text = committed(&tile);
            assert!(text.len() <= MAX_TILE_BYTES, "{}: {}", tile.lab, text.len());
            (sum, files) = (sum + text.len(), files + 1);
            let animation = Animation::decode(&text).unwrap();
            assert_eq!((animation.width(), animation.height()), SCENE_SIZE, "{}", tile.lab);
            let scenes = scenes(&text);
            assert_eq!(scenes.len(), SCENES, "{}", tile.lab);
            for (at, scene) in scenes.iter().enumerate() {
                assert!((5..=650).contains(&scene.items.len()), "{} {at}: {}", tile.lab, scene.items.len());
                assert!(scene.items.iter().all(|item| !matches!(item.shape, Shape::Text { .. })));
            }
            let changes = scenes.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(changes >= SCENES - 3, "{}: {changes} changes", tile.lab);
        }
        assert_eq!((files, std::fs::read_dir(format!("{WWW}/tiles")).unwrap().count()), (13, 13));
        assert!(sum <= MAX_BYTES, "{sum}");
    }

    /// A lab whose picture or run has changed cannot keep the old tile unseen. Constructed weights give the same file
    /// everywhere; trained ones differ in the last digits where another processor adds in another order.
    #[test]
    fn the_tiles_of_cheap_runs_are_as_recorded() {
        let tile = |lab: &str| Tile::all().find(|tile| tile.lab == lab).unwrap();
        for lab in ["turing-machine", "succinct-learning"] {
            let tile = tile(lab);
            assert!(
                record_tile(&tile).unwrap() == committed(&tile),
                "{lab}: `lab tiles {lab}` records it anew"
            );
        }
        for lab in ["sparse-parity", "in-context-regression", "boolean-circuit"] {
            let tile = tile(lab);
            let (old, new) = (scenes(&committed(&tile)), scenes(&record_tile(&tile).unwrap()));
            assert_eq!(old.len(), new.len());
            let items = old.iter().map(|scene| scene.items.len()).sum::<usize>();
            let same = |(old, new): (&Scene, &Scene)| {
                old.items.iter().filter(|item| new.items.contains(item)).count()
            };
            let kept: usize = old.iter().zip(&new).map(same).sum();
            assert!(
                10 * kept >= 9 * items,
                "{lab}: {kept} of {items} shapes; `lab tiles {lab}` records it anew"
            );
        }
    }
}
