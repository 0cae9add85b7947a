//! Pictures of the panel: their colours, and when they are painted.

use leptos::prelude::*;

use crate::machines::page::context::PanelContext;
use vivarium_labs::machines::panel::bits::{GroupKind, interpolate_shades};
use vivarium_ui::appearance::Appearance;
use vivarium_ui::frames;

/// Colour scales of the panel's canvases, in the page's theme.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PanelColours {
    /// Shades (red, green, blue) from value 0 to 1 for each kind of coordinate group, in the order of `GroupKind::ALL`.
    kinds: [Vec<[u8; 3]>; 4],
    /// Colours (red, green, blue) of the token marks in the search rows, in the order of `TokenMark::ALL`.
    pub(super) marks: [[u8; 3]; 4],
}

impl PanelColours {
    /// Returns the colours of the page's current theme, light or dark.
    fn from_appearance(appearance: Appearance) -> PanelColours {
        let theme = appearance.theme();
        let zero = [theme.grid.0, theme.grid.1, theme.grid.2];
        let train = [theme.train.0, theme.train.1, theme.train.2];
        let test = [theme.test.0, theme.test.1, theme.test.2];
        let mark = [theme.mark.0, theme.mark.1, theme.mark.2];
        let quiet = [theme.quiet.0, theme.quiet.1, theme.quiet.2];
        let between = interpolate_shades(zero, train);
        let dropped = between.get(between.len() * 2 / 5).copied().unwrap_or(train);
        PanelColours {
            kinds: GroupKind::ALL.map(|kind| match kind {
                GroupKind::State => interpolate_shades(zero, mark),
                GroupKind::Symbol => interpolate_shades(zero, test),
                GroupKind::Position => interpolate_shades(zero, train),
                GroupKind::Flag => interpolate_shades(zero, quiet),
            }),
            marks: [zero, dropped, train, mark],
        }
    }

    /// Shades (red, green, blue) of a kind of coordinate group, from value 0 to value 1.
    pub(super) fn shades(&self, kind: GroupKind) -> &[[u8; 3]] {
        &self.kinds[kind as usize]
    }
}

/// Calls `draw` on the next animation frame whenever the displayed run or the colours of the page have changed.
pub(super) fn paint_on_frames(panel: PanelContext, draw: impl Fn(&PanelColours) + Send + Sync + 'static) {
    let appearance = Appearance::here();
    let colours = Memo::new(move |_| {
        appearance.is_dark.get();
        PanelColours::from_appearance(appearance)
    });
    let watch = move || {
        panel.see(|_, _| ());
        colours.with(|_| ());
    };
    frames::paint_on_frames(watch, move || {
        if let Some(colours) = colours.try_get_untracked() {
            draw(&colours);
        }
    });
}
