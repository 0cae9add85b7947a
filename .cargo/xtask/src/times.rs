//! How long the parts of the tests took the last time on this machine, as an estimate for the next time.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::cache::{Project, read, write};

/// Seconds of each part when it passed last.
#[derive(Debug, Default)]
pub struct PartTimes(BTreeMap<String, f64>);

impl PartTimes {
    /// The times of earlier tests; none on a machine without any, and if their file is damaged.
    pub fn of(project: &Project) -> Self {
        let text = read(project.cache.join("times.json")).unwrap_or_default();
        let table: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let entries = table.as_object().into_iter().flatten();
        PartTimes(entries.filter_map(|(name, time)| Some((name.clone(), time.as_f64()?))).collect())
    }

    /// Text on the last time of a part, such as "about 23 min the last time".
    pub fn describe(&self, name: &str) -> Option<String> {
        let seconds = self.0.get(name)?;
        Some(format!("about {} the last time", format_time(*seconds)))
    }

    /// Text on the time of all parts together; `None` without times.
    pub fn describe_total(&self) -> Option<String> {
        let total: f64 = self.0.values().sum();
        (total > 0.0).then(|| format!("all parts took about {} the last time", format_time(total)))
    }

    /// Sets the time of a part.
    pub fn set(&mut self, name: &str, time: Duration) {
        self.0.insert(name.into(), (time.as_secs_f64() * 10.0).round() / 10.0);
    }

    /// Keeps the times for the next tests.
    pub fn save(&self, project: &Project) {
        let table: serde_json::Map<_, _> =
            self.0.iter().map(|(name, time)| (name.clone(), (*time).into())).collect();
        // Tests pass without them.
        let _ = write(project.cache.join("times.json"), serde_json::Value::Object(table).to_string());
    }
}

/// A time in seconds or minutes.
fn format_time(seconds: f64) -> String {
    if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_say_how_long_they_took() {
        let mut times = PartTimes::default();
        assert_eq!((times.describe("page"), times.describe_total()), (None, None));
        times.set("page", Duration::from_secs(508));
        times.set("format", Duration::from_millis(4_740));
        assert_eq!(times.describe("page").unwrap(), "about 8 min the last time");
        assert_eq!(times.describe("format").unwrap(), "about 5 s the last time");
        assert_eq!(times.describe_total().unwrap(), "all parts took about 9 min the last time");
    }
}
