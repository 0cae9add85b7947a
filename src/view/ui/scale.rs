//! The scale of a slider: whole positions on the track, values of a knob.

use vivarium_core::settings::{Knob, Range, Value, real};

/// Positions on a slider's track go from 0 to this.
pub const TRACK: u32 = 1000;

/// How positions on the track become values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    whole: bool,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Linear,
    /// Equal ratios take equal lengths.
    Log,
    /// Zero at the left end, then logarithmic from the floor.
    ZeroThenLog(f64),
    /// Logarithmic from the floor, then zero, meaning "no limit", at the right end.
    LogThenZero(f64),
}

/// Above this, a range is an identity rather than a quantity, and a slider would mislead.
const TOO_WIDE: f64 = 1e12;

impl Scale {
    /// The scale for a knob, if a slider suits it: logarithmic where the range spans more than two decades.
    pub fn of(knob: &Knob) -> Option<Scale> {
        let (low, high, whole) = match knob.range {
            Range::Int(low, high) => (low as f64, high as f64, true),
            Range::Real(low, high) => (low, high, false),
            _ => return None,
        };
        if high > TOO_WIDE {
            return None;
        }
        // A zero is off any logarithmic scale; the floor is where the interesting values begin.
        let floor = if whole { 1.0 } else { high * 1e-6 };
        let kind = match low {
            0.0 if knob.key == "speed" => Kind::LogThenZero(10.0),
            0.0 if high / floor > 100.0 && (whole || high > 1.0) => Kind::ZeroThenLog(floor),
            l if l > 0.0 && high / l > 100.0 => Kind::Log,
            _ => Kind::Linear,
        };
        Some(Scale { low, high, whole, kind })
    }

    /// The value at a position, rounded to what a person would have typed.
    pub fn value(&self, position: u32) -> f64 {
        // The end is a value like any other, however many digits it has.
        if position >= TRACK && !matches!(self.kind, Kind::LogThenZero(_)) {
            return self.high;
        }
        let at = f64::from(position.min(TRACK)) / f64::from(TRACK);
        let log = |floor: f64, at: f64| floor * (self.high / floor).powf(at);
        let first = 1.0 / f64::from(TRACK);
        let value = match self.kind {
            Kind::Linear => self.low + (self.high - self.low) * at,
            Kind::Log => log(self.low, at),
            Kind::ZeroThenLog(_) if position == 0 => 0.0,
            Kind::ZeroThenLog(floor) => log(floor, (at - first) / (1.0 - first)),
            Kind::LogThenZero(_) if position >= TRACK => 0.0,
            Kind::LogThenZero(floor) => log(floor, at / (1.0 - first)),
        };
        self.tidy(value).clamp(self.low, self.high)
    }

    /// The position of a value.
    pub fn position(&self, value: f64) -> u32 {
        let log = |floor: f64| (value.max(floor) / floor).ln() / (self.high / floor).ln();
        let first = 1.0 / f64::from(TRACK);
        let at = match self.kind {
            Kind::Linear => (value - self.low) / (self.high - self.low),
            Kind::Log => log(self.low),
            Kind::ZeroThenLog(_) if value <= 0.0 => 0.0,
            Kind::ZeroThenLog(floor) => first + log(floor) * (1.0 - first),
            Kind::LogThenZero(_) if value <= 0.0 => 1.0,
            Kind::LogThenZero(floor) => log(floor) * (1.0 - first),
        };
        (at * f64::from(TRACK)).round().clamp(0.0, f64::from(TRACK)) as u32
    }

    /// Positions that one press of an arrow key moves.
    pub fn step(&self) -> f64 {
        let grains = if self.kind != Kind::Linear {
            100.0
        } else if self.whole {
            (self.high - self.low).clamp(1.0, 200.0)
        } else {
            200.0
        };
        f64::from(TRACK) / grains
    }

    /// The text of a value at a position, as [`Knob::parse`] reads it.
    pub fn text(&self, position: u32) -> String {
        let value = self.value(position);
        if self.whole { (value as u64).to_string() } else { real(value) }
    }

    /// The position that belongs to a knob's value.
    pub fn position_of(&self, value: &Value) -> u32 {
        match value {
            Value::Int(v) => self.position(*v as f64),
            Value::Real(v) => self.position(*v),
            _ => 0,
        }
    }

    fn tidy(&self, value: f64) -> f64 {
        if self.kind == Kind::Linear {
            // A linear track of a real knob shows hundredths of its range.
            let grain = if self.whole { 1.0 } else { (self.high - self.low).max(1e-9) / 200.0 };
            let steps = (value / grain).round();
            return if self.whole { steps } else { significant(steps * grain, 4) };
        }
        let rounded = significant(value, 2);
        if self.whole { rounded.round() } else { rounded }
    }
}

/// `value` with so many significant digits.
fn significant(value: f64, digits: i32) -> f64 {
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
    use vivarium_model::permalink::View;
    use vivarium_model::run::RunSpec;

    fn all_knobs() -> Vec<&'static Knob> {
        let mut spec = RunSpec::default();
        let mut knobs: Vec<_> = spec.knobs().into_iter().map(|(_, knob)| knob).collect();
        spec.parse("opt", "adam").unwrap();
        knobs.extend(spec.knobs().into_iter().map(|(_, knob)| knob));
        knobs.extend(View::KNOBS);
        knobs
    }

    #[test]
    fn every_position_of_every_slider_is_a_valid_value_and_comes_back() {
        for knob in all_knobs() {
            let Some(scale) = Scale::of(knob) else { continue };
            let mut before = None;
            for position in 0..=TRACK {
                let text = scale.text(position);
                let value = knob.parse(&text).unwrap_or_else(|p| panic!("{p}"));
                let back = scale.position_of(&value);
                let (there, again) = (scale.value(position), scale.value(back));
                assert!(
                    (there - again).abs() <= 0.02 * there,
                    "{} at {position}: {there}, {again}",
                    knob.key
                );
                assert!(
                    knob.key == "speed" || before.is_none_or(|b| scale.value(position) >= b),
                    "{}",
                    knob.key
                );
                before = Some(scale.value(position));
            }
        }
    }

    #[test]
    fn ends_are_reached_and_wide_ranges_are_logarithmic() {
        let spec = RunSpec::default();
        let scale = |key: &str| Scale::of(spec.knob(key).unwrap()).unwrap();
        assert_eq!((scale("width").value(0), scale("width").value(TRACK)), (1.0, 16_384.0));
        assert_eq!(scale("width").value(TRACK / 2), 130.0);
        assert_eq!((scale("lr").value(0), scale("lr").value(TRACK)), (0.0, 100.0));
        assert_eq!(scale("noise").value(TRACK / 2), 0.25);
        assert_eq!(scale("m").value(0), 0.0);
        assert!(Scale::of(spec.knob("seed").unwrap()).is_none());
    }

    #[test]
    fn no_speed_limit_is_at_the_fast_end() {
        let scale = Scale::of(View::KNOBS.iter().find(|k| k.key == "speed").unwrap()).unwrap();
        assert_eq!(scale.value(TRACK), 0.0);
        assert_eq!(scale.position(0.0), TRACK);
        assert!(scale.value(TRACK - 1) >= 900_000.0);
    }
}
