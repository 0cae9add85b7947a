//! Pictures that are painted on the browser's frames.

use leptos::prelude::*;

use crate::effect::effect;

/// Has `paint` run once on the next frame whenever what `watch` reads has changed.
///
/// # Why
/// Charts are drawn eleven times a second; small pictures can be painted on every frame, so that they follow a slider that
/// is dragged.
pub fn on_frames(watch: impl Fn() + 'static, paint: impl Fn() + Send + Sync + 'static) {
    let (paint, is_due) = (StoredValue::new(paint), StoredValue::new(false));
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
