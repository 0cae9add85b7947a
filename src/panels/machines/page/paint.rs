//! Pictures of the panel: their colours, and when they are painted.

use leptos::prelude::*;

use crate::machines::page::news::News;
use vivarium_labs::machines::panel::bits::{Kind, shades};
use vivarium_ui::appearance::Appearance;
use vivarium_ui::frames;

/// The colours of all pictures.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Colours {
    /// Of the numbers of a token, by the kind of their group, from 0 to 1.
    kinds: [Vec<[u8; 3]>; 4],
    /// Of tokens in the rows of the search.
    pub(super) marks: [[u8; 3]; 4],
}

impl Colours {
    fn of(appearance: Appearance) -> Colours {
        let theme = appearance.theme();
        let zero = [theme.grid.0, theme.grid.1, theme.grid.2];
        let train = [theme.train.0, theme.train.1, theme.train.2];
        let test = [theme.test.0, theme.test.1, theme.test.2];
        let mark = [theme.mark.0, theme.mark.1, theme.mark.2];
        let quiet = [theme.quiet.0, theme.quiet.1, theme.quiet.2];
        let between = shades(zero, train);
        let dropped = between.get(between.len() * 2 / 5).copied().unwrap_or(train);
        Colours {
            kinds: Kind::ALL.map(|kind| match kind {
                Kind::State => shades(zero, mark),
                Kind::Symbol => shades(zero, test),
                Kind::Position => shades(zero, train),
                Kind::Flag => shades(zero, quiet),
            }),
            marks: [zero, dropped, train, mark],
        }
    }

    /// Those of a kind of group.
    pub(super) fn of_kind(&self, kind: Kind) -> &[[u8; 3]] {
        &self.kinds[kind as usize]
    }
}

/// Has `draw` paint on the next frame whenever there is news of the run, or the colours have changed.
pub(super) fn on_frames(news: News, draw: impl Fn(&Colours) + Send + Sync + 'static) {
    let appearance = Appearance::here();
    let colours = Memo::new(move |_| {
        appearance.is_dark.get();
        Colours::of(appearance)
    });
    let watch = move || {
        news.see(|_, _| ());
        colours.with(|_| ());
    };
    frames::on_frames(watch, move || {
        if let Some(colours) = colours.try_get_untracked() {
            draw(&colours);
        }
    });
}
