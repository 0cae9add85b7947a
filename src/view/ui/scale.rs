//! The scale of a slider: integer positions on the track, values of a setting.

use vivarium_core::settings::{Range, SettingInfo, Value, format_real};

/// Largest position on a slider's track; the smallest is 0.
pub const TRACK: u32 = 1000;

/// Mapping between integer positions of a slider and values of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SliderScale {
    /// Smallest value of the setting that the slider can select.
    low: f64,
    /// Largest value of the setting that the slider can select.
    high: f64,
    /// Whether values are integers.
    whole: bool,
    /// Shape of the mapping: linear, or logarithmic with or without a zero at one end.
    kind: ScaleKind,
}

/// Shape of the mapping from slider positions to values of a setting: linear or logarithmic.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ScaleKind {
    Linear,
    /// Logarithmic: equal ratios take equal lengths.
    Log,
    /// Zero at the left end, then logarithmic from this smallest value.
    ZeroThenLog(f64),
    /// Logarithmic from this smallest value, then zero ("no limit") at the right end.
    LogThenZero(f64),
}

/// Largest upper limit of a setting for which a slider is offered; settings with a larger one are identifiers (such as
/// seeds), not quantities.
const MAX_SLIDER_RANGE: f64 = 1e12;

impl SliderScale {
    /// The scale for a setting's slider, logarithmic if the range spans more than two decades; `None` if the setting is
    /// no number or has too large a range.
    pub fn of(setting: &SettingInfo) -> Option<SliderScale> {
        let (low, high, whole) = match setting.range {
            Range::Int(low, high) => (low as f64, high as f64, true),
            Range::Real(low, high) => (low, high, false),
            _ => return None,
        };
        if high > MAX_SLIDER_RANGE {
            return None;
        }
        // A zero is off any logarithmic scale; the floor is where the interesting values begin.
        let floor = if whole { 1.0 } else { high * 1e-6 };
        let kind = match low {
            0.0 if setting.key == "speed" => ScaleKind::LogThenZero(10.0),
            0.0 if high / floor > 100.0 && (whole || high > 1.0) => ScaleKind::ZeroThenLog(floor),
            l if l > 0.0 && high / l > 100.0 => ScaleKind::Log,
            _ => ScaleKind::Linear,
        };
        Some(SliderScale { low, high, whole, kind })
    }

    /// Value of the setting at a position from 0 to [`TRACK`]; rounded to two significant digits, on linear scales of
    /// real numbers to 200 steps.
    pub fn value(&self, position: u32) -> f64 {
        // The end is a value like any other, however many digits it has.
        if position >= TRACK && !matches!(self.kind, ScaleKind::LogThenZero(_)) {
            return self.high;
        }
        let at = f64::from(position.min(TRACK)) / f64::from(TRACK);
        let log = |floor: f64, at: f64| floor * (self.high / floor).powf(at);
        let first = 1.0 / f64::from(TRACK);
        let value = match self.kind {
            ScaleKind::Linear => self.low + (self.high - self.low) * at,
            ScaleKind::Log => log(self.low, at),
            ScaleKind::ZeroThenLog(_) if position == 0 => 0.0,
            ScaleKind::ZeroThenLog(floor) => log(floor, (at - first) / (1.0 - first)),
            ScaleKind::LogThenZero(_) if position >= TRACK => 0.0,
            ScaleKind::LogThenZero(floor) => log(floor, at / (1.0 - first)),
        };
        self.round_value(value).clamp(self.low, self.high)
    }

    /// Position on the track, from 0 to [`TRACK`], of a value of the setting.
    pub fn position(&self, value: f64) -> u32 {
        let log = |floor: f64| (value.max(floor) / floor).ln() / (self.high / floor).ln();
        let first = 1.0 / f64::from(TRACK);
        let at = match self.kind {
            ScaleKind::Linear => (value - self.low) / (self.high - self.low),
            ScaleKind::Log => log(self.low),
            ScaleKind::ZeroThenLog(_) if value <= 0.0 => 0.0,
            ScaleKind::ZeroThenLog(floor) => first + log(floor) * (1.0 - first),
            ScaleKind::LogThenZero(_) if value <= 0.0 => 1.0,
            ScaleKind::LogThenZero(floor) => log(floor) * (1.0 - first),
        };
        (at * f64::from(TRACK)).round().clamp(0.0, f64::from(TRACK)) as u32
    }

    /// Number of positions on the track by which an arrow key moves the slider: a hundredth of the track on logarithmic
    /// scales, a 200th or one integer, whichever is longer, on linear scales.
    pub fn step(&self) -> f64 {
        let grains = if self.kind != ScaleKind::Linear {
            100.0
        } else if self.whole {
            (self.high - self.low).clamp(1.0, 200.0)
        } else {
            200.0
        };
        f64::from(TRACK) / grains
    }

    /// Value of the setting at a position from 0 to [`TRACK`], as text that the setting's parser reads.
    pub fn text(&self, position: u32) -> String {
        let value = self.value(position);
        if self.whole { (value as u64).to_string() } else { format_real(value) }
    }

    /// Position on the track, from 0 to [`TRACK`], of a setting's value; 0 for values that are no number.
    pub fn position_of(&self, value: &Value) -> u32 {
        match value {
            Value::Int(v) => self.position(*v as f64),
            Value::Real(v) => self.position(*v),
            _ => 0,
        }
    }

    /// Rounds a value of the setting to the resolution of the slider: on linear scales to an integer or to a multiple
    /// of a 200th of the range, on logarithmic scales to two significant digits.
    fn round_value(&self, value: f64) -> f64 {
        if self.kind == ScaleKind::Linear {
            // A linear slider of a real number has 200 steps.
            let grain = if self.whole { 1.0 } else { (self.high - self.low).max(1e-9) / 200.0 };
            let steps = (value / grain).round();
            return if self.whole { steps } else { round_significant(steps * grain, 4) };
        }
        let rounded = round_significant(value, 2);
        if self.whole { rounded.round() } else { rounded }
    }
}

/// Rounds `value` to `digits` significant decimal digits.
fn round_significant(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let shift = digits - 1 - value.abs().log10().floor() as i32;
    // Dividing by a power of ten keeps 0.3 at 0.3, where multiplying by 0.1 would not.
    if shift >= 0 {
        let factor = 10f64.powi(shift);
        (value * factor).round() / factor
    } else {
        let factor = 10f64.powi(-shift);
        (value / factor).round() * factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_core::settings::Settings;
    use vivarium_model::permalink::ViewSettings;
    use vivarium_model::run::RunSpec;

    fn all_settings() -> Vec<&'static SettingInfo> {
        let mut spec = RunSpec::default();
        let mut settings: Vec<_> = spec.settings().into_iter().map(|(_, setting)| setting).collect();
        spec.parse("opt", "adam").unwrap();
        settings.extend(spec.settings().into_iter().map(|(_, setting)| setting));
        settings.extend(ViewSettings::SETTINGS);
        settings
    }

    #[test]
    fn every_position_of_every_slider_is_a_valid_value_and_comes_back() {
        for setting in all_settings() {
            let Some(scale) = SliderScale::of(setting) else { continue };
            let mut before = None;
            for position in 0..=TRACK {
                let text = scale.text(position);
                let value = setting.parse(&text).unwrap_or_else(|p| panic!("{p}"));
                let back = scale.position_of(&value);
                let (there, again) = (scale.value(position), scale.value(back));
                assert!(
                    (there - again).abs() <= 0.02 * there,
                    "{} at {position}: {there}, {again}",
                    setting.key
                );
                assert!(
                    setting.key == "speed" || before.is_none_or(|b| scale.value(position) >= b),
                    "{}",
                    setting.key
                );
                before = Some(scale.value(position));
            }
        }
    }

    #[test]
    fn ends_are_reached_and_wide_ranges_are_logarithmic() {
        let spec = RunSpec::default();
        let scale = |key: &str| SliderScale::of(spec.setting(key).unwrap()).unwrap();
        assert_eq!((scale("width").value(0), scale("width").value(TRACK)), (1.0, 16_384.0));
        assert_eq!(scale("width").value(TRACK / 2), 130.0);
        assert_eq!((scale("lr").value(0), scale("lr").value(TRACK)), (0.0, 100.0));
        assert_eq!(scale("noise").value(TRACK / 2), 0.25);
        assert_eq!(scale("m").value(0), 0.0);
        assert!(SliderScale::of(spec.setting("seed").unwrap()).is_none());
    }

    #[test]
    fn no_speed_limit_is_at_the_fast_end() {
        let scale =
            SliderScale::of(ViewSettings::SETTINGS.iter().find(|k| k.key == "speed").unwrap()).unwrap();
        assert_eq!(scale.value(TRACK), 0.0);
        assert_eq!(scale.position(0.0), TRACK);
        assert!(scale.value(TRACK - 1) >= 900_000.0);
    }
}
