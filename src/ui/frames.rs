//! Painting on animation frames of the browser.

use leptos::prelude::*;

use crate::appearance::paint_for_print;
use crate::effect::effect;

/// Calls `paint` once on the next animation frame whenever a signal read by `watch` has changed, and when the browser is
/// about to print.
///
/// # Why
/// Charts are drawn eleven times a second; small pictures can be painted on every frame, so that they follow a slider that
/// is dragged.
pub fn paint_on_frames(watch: impl Fn() + 'static, paint: impl Fn() + Send + Sync + 'static) {
    let (paint, is_due) = (StoredValue::new(paint), StoredValue::new(false));
    paint_for_print(move || {
        paint.try_with_value(|paint| paint());
    });
    effect(move || {
        watch();
        if is_due.get_value() {
            return;
        }
        is_due.set_value(true);
        request_animation_frame(move || {
            // It may have gone since.
            if is_due.try_set_value(false).is_none() {
                paint.try_with_value(|paint| paint());
            }
        });
    });
}
