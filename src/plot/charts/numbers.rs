//! Numbers as short text.

/// Formats a tick value with as few digits as the distance `step` to its neighbours allows: 0.25, 1.5k, 20k, 1M,
/// 2e−5.
pub(super) fn format_tick(value: f64, step: f64) -> String {
    let size = value.abs();
    if size < step * 1e-6 || size == 0.0 {
        return "0".into();
    }
    let (unit, suffix) = match size * (1.0 + 1e-9) {
        s if s >= 1e15 => (0.0, ""),
        s if s >= 1e12 => (1e12, "T"),
        s if s >= 1e9 => (1e9, "G"),
        s if s >= 1e6 => (1e6, "M"),
        s if s >= 1e3 => (1e3, "k"),
        s if s >= 1e-3 => (1.0, ""),
        _ => (0.0, ""),
    };
    let digits = |ratio: f64| (-libm::floor(libm::log10(ratio * (1.0 + 1e-9)))).clamp(0.0, 6.0) as usize;
    let text = if unit == 0.0 {
        let base = libm::pow(10.0, libm::floor(libm::log10(size * (1.0 + 1e-9))));
        let text = format!("{:.*e}", digits(step / base), value);
        match text.split_once('e') {
            Some((number, exponent)) => format!("{}e{exponent}", trim_zeros(number)),
            None => text,
        }
    } else {
        trim_zeros(&format!("{:.*}", digits(step / unit), value / unit)) + suffix
    };
    text.replace('-', "−")
}

/// Formats a value with two significant digits, for labels in a chart.
pub(super) fn format_two_digits(value: f64) -> String {
    let size = value.abs();
    if size < 1e-290 || !size.is_finite() {
        return "0".into();
    }
    let digit = libm::pow(10.0, libm::floor(libm::log10(size)) - 1.0);
    format_tick((value / digit).round() * digit, digit)
}

/// Removes the zeros at the end of the digits after a decimal point.
fn trim_zeros(number: &str) -> String {
    if number.contains('.') {
        number.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        number.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits() {
        for (v, text) in
            [(0.3142, "0.31"), (-12.7, "−13"), (1234.0, "1.2k"), (4.24e-5, "4.2e−5"), (0.999, "1")]
        {
            assert_eq!(format_two_digits(v), text);
        }
    }

    #[test]
    fn as_short_as_the_neighbours_allow() {
        let pairs = [(0.25, 0.05, "0.25"), (1500.0, 500.0, "1.5k"), (2e-5, 1e-5, "2e−5"), (0.0, 0.1, "0")];
        for (value, step, text) in pairs {
            assert_eq!(format_tick(value, step), text);
        }
    }
}
