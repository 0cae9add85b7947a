//! The moving tiles of the gallery: their scenes are fetched when they come into view, and painted while they are in view.
//!
//! # Why
//! The tiles' HTML is a text, as that of the cards, so one loop finds the canvases by their ids. It paints a tile only when
//! its picture has changed, and fetches one file after another, the first tile in view first.

use std::cell::RefCell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlCanvasElement;

use crate::browser;
use crate::store::Store;
use vivarium_model::platform::now_ms;
use vivarium_page::gallery::tiles::{Tile, moment_at};
use vivarium_plot::scene::animation::{Animation, Moment};
use vivarium_ui::appearance::Appearance;
use vivarium_ui::browser::{element_by_id, matches_media};
use vivarium_ui::scene::paint_scene;
use vivarium_ui::text::element_text;

/// Media query for visitors who want no motion.
const REDUCED_MOTION: &str = "(prefers-reduced-motion: reduce)";

/// Shortest time between two rounds over all tiles, in milliseconds.
const ROUND_MS: f64 = 40.0;

/// Longest time by which the tiles move on in one round, in milliseconds: while the page is hidden they wait.
const MAX_ADVANCE_MS: f64 = 200.0;

thread_local! {
    /// The tiles with the scenes that were fetched, while the gallery is closed.
    static CLOSED_TILES: RefCell<Vec<TileView>> = const { RefCell::new(vec![]) };
}

/// The recorded scenes of a tile, or why there are none yet.
enum TileScenes {
    /// The file was not requested yet.
    Unknown,
    /// The file was requested.
    Requested,
    /// The file could not be fetched or read.
    Missing,
    /// The file was fetched and read.
    Loaded(Animation),
}

/// Properties of a painted picture of a tile.
#[derive(Clone, Copy, PartialEq)]
struct PaintedTile {
    /// The moment that is shown.
    moment: Moment,
    /// Width of the tile in CSS pixels.
    width: f64,
    /// Canvas pixels per CSS pixel.
    scale: f64,
    /// Whether the colours are those of a dark page.
    is_dark: bool,
}

/// A tile with its scenes and its last picture.
struct TileView {
    /// Lab and preset of the tile.
    tile: Tile,
    /// Recorded scenes.
    scenes: TileScenes,
    /// The canvas that was painted last, and its picture.
    painted: Option<(HtmlCanvasElement, PaintedTile)>,
}

impl TileView {
    /// All tiles, with the scenes that were fetched when the gallery was open before.
    fn all() -> Vec<TileView> {
        let before = CLOSED_TILES.take();
        if before.is_empty() {
            let new = |tile| TileView { tile, scenes: TileScenes::Unknown, painted: None };
            return Tile::all().map(new).collect();
        }
        let reopened = |view: TileView| TileView {
            scenes: match view.scenes {
                TileScenes::Loaded(animation) => TileScenes::Loaded(animation),
                _ => TileScenes::Unknown,
            },
            ..view
        };
        before.into_iter().map(reopened).collect()
    }

    /// The canvas of the tile and its width in CSS pixels, if a part of the canvas is in view; `height` is the height of the
    /// window in CSS pixels.
    fn visible_canvas(&self, height: f64) -> Option<(HtmlCanvasElement, f64)> {
        let canvas: HtmlCanvasElement = element_by_id(&self.tile.canvas_id())?.dyn_into().ok()?;
        let area = canvas.get_bounding_client_rect();
        let width = area.width();
        (area.bottom() > 0.0 && area.top() < height && width >= 1.0).then_some((canvas, width))
    }
}

/// Handle to the tiles. Copies are handles to the same tiles.
#[derive(Clone, Copy)]
struct TilesHandle {
    /// The tiles.
    views: StoredValue<Vec<TileView>, LocalStorage>,
    /// Time by which the tiles have moved on, in milliseconds.
    clock_ms: StoredValue<f64>,
    /// Time of the last round over all tiles, in milliseconds.
    round_ms: StoredValue<f64>,
    /// Whether the user has stopped the pictures.
    is_stopped: RwSignal<bool>,
    /// Colours of the page.
    appearance: Appearance,
}

impl TilesHandle {
    /// The tiles of the gallery that has been opened.
    fn new() -> Self {
        let views = StoredValue::new_local(TileView::all());
        on_cleanup(move || {
            if let Some(mut views) = views.try_update_value(std::mem::take) {
                // A canvas that has left the page would be kept.
                views.iter_mut().for_each(|view| view.painted = None);
                CLOSED_TILES.set(views);
            }
        });
        TilesHandle {
            views,
            clock_ms: StoredValue::new(0.0),
            round_ms: StoredValue::new(now_ms()),
            is_stopped: RwSignal::new(false),
            appearance: Appearance::here(),
        }
    }

    /// Paints at every animation frame, as long as the gallery is open.
    fn tick(self) {
        request_animation_frame(move || {
            // The gallery may have been closed.
            if self.views.try_with_value(|_| ()).is_some() {
                self.advance();
                self.tick();
            }
        });
    }

    /// Lets time pass, paints the tiles in view that have changed, and requests the scenes of the first that has none.
    fn advance(self) {
        let now = now_ms();
        let passed = now - self.round_ms.get_value();
        if passed < ROUND_MS {
            return;
        }
        self.round_ms.set_value(now);
        if !self.is_stopped.get_untracked() {
            self.clock_ms.update_value(|clock| *clock += passed.min(MAX_ADVANCE_MS));
        }
        let mut wanted = None;
        self.views.update_value(|views| {
            wanted = self.paint(views);
        });
        if let Some((index, file)) = wanted {
            browser::fetch_text(&file, move |text| {
                let scenes = text.ok().and_then(|text| Animation::decode(&text));
                let scenes = scenes.map_or(TileScenes::Missing, TileScenes::Loaded);
                // The gallery may have been closed meanwhile.
                let _ = self.views.try_update_value(|views| {
                    if let Some(view) = views.get_mut(index) {
                        view.scenes = scenes;
                    }
                });
            });
        }
    }

    /// Paints the tiles in view that have changed. Returns index and file of a tile whose scenes are requested now.
    fn paint(self, views: &mut [TileView]) -> Option<(usize, String)> {
        let window = window();
        let height = window.inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
        let (is_dark, scale) = (self.appearance.is_dark.get_untracked(), window.device_pixel_ratio());
        let (theme, is_still) = (self.appearance.theme(), matches_media(REDUCED_MOTION));
        let clock = self.clock_ms.get_value();
        let is_waiting = views.iter().any(|view| matches!(view.scenes, TileScenes::Requested));
        let mut wanted = None;
        for (index, view) in views.iter_mut().enumerate() {
            let Some((canvas, width)) = view.visible_canvas(height) else { continue };
            if matches!(view.scenes, TileScenes::Unknown) && !is_waiting && wanted.is_none() {
                view.scenes = TileScenes::Requested;
                wanted = Some((index, format!("./{}", view.tile.file())));
            }
            let TileScenes::Loaded(animation) = &view.scenes else { continue };
            let moment = moment_at(clock, index, animation.scene_count(), is_still);
            let picture = PaintedTile { moment, width, scale, is_dark };
            let is_painted =
                |(last, painted): &(HtmlCanvasElement, PaintedTile)| *last == canvas && *painted == picture;
            if view.painted.as_ref().is_some_and(is_painted) {
                continue;
            }
            let scene = animation.scene_at(moment, width as f32 / animation.width());
            paint_scene(&canvas, &scene, &theme, scale);
            view.painted = Some((canvas, picture));
        }
        wanted
    }
}

/// The moving tiles of the labs that match the filter.
#[component]
pub fn Tiles() -> impl IntoView {
    let (store, tiles) = (Store::here(), TilesHandle::new());
    // The tiles stay while the version changes for another reason, such as curves that have arrived.
    let version = store.memo(|state| state.gallery.version);
    let html = Memo::new(move |_| {
        version.get();
        store.peek(|state| state.gallery.tiles_html())
    });
    tiles.tick();
    let is_stopped = tiles.is_stopped;
    let label = move || if is_stopped.get() { tr!("Move the pictures") } else { tr!("Stop the pictures") };
    view! {
        <section class="tiles" aria-label=tr!("A recorded run of each lab") data-testid="tiles"
            hidden=move || html.get().is_empty()>
            // Markup: `Gallery::tiles_html`, written with `Html`, which escapes.
            <ul class="tiles__list" inner_html=move || html.get()></ul>
            <button class="button tiles__stop" type="button" data-testid="tiles-stop"
                on:click=move |_| is_stopped.update(|stopped| *stopped = !*stopped)
                prop:textContent=element_text(label)></button>
        </section>
    }
    .into_any()
}
