//! The power laws of a sweep's times, as numbers in its file.
//!
//! They follow from the times, so they are written for other programs and not read back.

use super::Record;
use vivarium_core::sorting;
use vivarium_model::sweep::{axis_positions, cells};
use vivarium_plot::analysis::bootstrap::ScalingLaw;
use vivarium_plot::analysis::scaling::{ScalingPoint, fit_power_law, slope_interval};

/// Formats, for each value of the second swept setting, the fit t_c = scale · x^exponent as a JSON object; t_c is the
/// step at which a replica reaches the target, x the first swept setting. The 95 % bootstrap interval of the exponent
/// is null with too few replicas. Empty if the swept values are words.
pub(super) fn format_power_laws(record: &Record) -> Vec<String> {
    let (sweep, series) = (&record.link.spec.run.sweep, &record.link.spec.run.series);
    if sweep.values.iter().any(|value| value.parse::<f64>().is_err()) {
        return vec![];
    }
    let (at, cells) = (axis_positions(sweep), cells(&record.link.spec));
    let line = |line: usize| {
        let own = cells.iter().zip(&record.times).filter(|(cell, _)| cell.series_index == line);
        let point = |(cell, times): (&vivarium_model::sweep::SweepCell, &Vec<Option<u64>>)| ScalingPoint {
            x: at[cell.sweep_index],
            times: times.clone(),
            horizon: cell.spec.run.steps,
        };
        let mut points: Vec<ScalingPoint> = own.map(point).collect();
        sorting::sort_by(&mut points, |a, b| a.x.total_cmp(&b.x));
        let law = fit_power_law(&points)?;
        let ends = slope_interval(&points, ScalingLaw::Power);
        let ends = ends.map_or("null".into(), |(low, high)| format!("[{low:?},{high:?}]"));
        let own =
            series.values.get(line).map(|value| (super::quote_json(&series.key), super::quote_json(value)));
        let own = own.map(|(key, value)| format!("\"series\":{{{key}:{value}}},")).unwrap_or_default();
        Some(format!(
            "{{{own}\"of\":\"t_c\",\"over\":{},\"exponent\":{:?},\"interval_95\":{ends},\"scale\":{:?}}}",
            super::quote_json(&sweep.key),
            law.exponent,
            law.scale
        ))
    };
    (0..series.values.len().max(1)).filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_model::permalink::decode;

    fn record(link: &str, time: impl Fn(f64) -> Option<u64>) -> Record {
        let (link, notices) = decode(link);
        assert!(notices.is_empty(), "{notices:?}");
        let at = axis_positions(&link.spec.run.sweep);
        let times = cells(&link.spec)
            .iter()
            .map(|cell| vec![time(at[cell.sweep_index]); cell.spec.run.replicas])
            .collect();
        Record { link, times, ..Default::default() }
    }

    #[test]
    fn a_sweeps_file_has_its_exponents_and_is_read_as_before() {
        let link = "#v1/sparse-parity?replicas=6&sweep=n:10_20_40&series=k:2_3";
        let record = record(link, |n| Some(3 * (n * n) as u64));
        let text = record.to_json();
        assert_eq!(Record::parse(text.as_bytes()).unwrap(), record);
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let fits = json["fits"].as_array().unwrap();
        assert_eq!((fits.len(), &fits[1]["series"]["k"], &fits[0]["over"]), (2, &"3".into(), &"n".into()));
        let near =
            |value: &serde_json::Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-9;
        for fit in fits {
            assert!(near(&fit["exponent"], 2.0) && near(&fit["scale"], 3.0), "{fit}");
            assert!(near(&fit["interval_95"][0], 2.0) && near(&fit["interval_95"][1], 2.0), "{fit}");
        }
    }

    #[test]
    fn few_networks_have_no_interval_and_words_no_fit() {
        let few = record("#v1/sparse-parity?replicas=2&sweep=n:10_20", |n| Some(n as u64)).to_json();
        let json: serde_json::Value = serde_json::from_str(&few).unwrap();
        let fit = &json["fits"][0];
        assert!(
            fit["interval_95"].is_null() && fit.get("series").is_none() && fit["exponent"].is_f64(),
            "{few}"
        );
        let words = record("#v1/sparse-parity?replicas=6&sweep=loss:hinge_ce", |_| Some(10)).to_json();
        assert!(!words.contains("\"fits\""), "{words}");
        let never = record("#v1/sparse-parity?replicas=6&sweep=n:10_20", |_| None).to_json();
        assert!(!never.contains("\"fits\""), "{never}");
    }
}
