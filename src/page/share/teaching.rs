//! The dialog for teachers: its form, and the link with hidden and locked parts that follows from it.
//!
//! # Why
//! The fields of the dialog are texts by name; their meaning is decided here, where it can be tested.

use vivarium_core::language::{escape_html, translated};
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{HIDEABLE_PARTS, Link, StartMode};
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY};

/// Values in the form of the dialog in which a teacher makes a link for a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LessonForm {
    /// Names (keys) of the settings and parts of the page that the lesson's link hides.
    pub hidden: Vec<String>,
    /// Names (keys) of the settings that the reader of the lesson's link cannot change.
    pub locked: Vec<String>,
    /// Whether the run opens paused.
    pub paused: bool,
    /// Training step at which the run of the lesson's link pauses; None if it does not pause.
    pub wait_step: Option<u64>,
    /// The only chart that the lesson's link shows; None leaves the charts of the link as they are.
    pub chart: Option<Chart>,
    /// Whether only charts and Play button are shown, for a frame in another page.
    pub embedded: bool,
    /// Whether the link opens the current passage of a story.
    pub opens_story: bool,
}

impl LessonForm {
    /// Returns the values of the dialog for teachers that `link` already contains.
    pub fn from_link(link: &Link) -> LessonForm {
        let names = lockable_names(link);
        let all = || names.iter().map(|(name, _)| name.to_string());
        LessonForm {
            hidden: all().filter(|name| link.hides(name)).collect(),
            locked: all().filter(|name| link.locks(name) && !link.hides(name)).collect(),
            paused: link.view.start == StartMode::Paused,
            wait_step: link.start_step(),
            chart: None,
            embedded: link.is_embedded(),
            opens_story: false,
        }
    }

    /// Sets the form field named `field` to the text or option `value`.
    pub fn set_field(&mut self, field: &str, value: &str) {
        match field {
            "start" => self.paused = value == "paused",
            "at" => {
                self.wait_step = value.trim().parse().ok().filter(|step| (1..=1_000_000_000).contains(step))
            }
            "chart" => self.chart = Chart::from_slug(value),
            "embed" => self.embedded = value == "on",
            "what" => self.opens_story = value == "story",
            name => {
                for (list, word) in [(&mut self.hidden, "hide"), (&mut self.locked, "lock")] {
                    list.retain(|other| other != name);
                    if word == value {
                        list.push(name.into());
                    }
                }
            }
        }
    }

    /// Returns `link` with what the teacher has chosen: hidden and locked names, pause, chart and embedding.
    pub fn lesson_link(&self, link: &Link) -> Link {
        let mut link = link.clone();
        link.teacher_keys.clear();
        // In the order of the page, whatever the order of the input.
        let order = lockable_names(&link);
        for (key, list) in [("hide", &self.hidden), ("lock", &self.locked)] {
            let listed: Vec<&str> = order
                .iter()
                .map(|(name, _)| *name)
                .filter(|name| list.iter().any(|other| other == name))
                .collect();
            if !listed.is_empty() {
                link.teacher_keys.push((key.into(), listed.join(",")));
            }
        }
        if self.embedded {
            link.teacher_keys.push(("embed".into(), "on".into()));
        }
        if let Some(at) = self.wait_step {
            link.teacher_keys.push(("at".into(), at.to_string()));
        }
        link.view.start = if self.paused { StartMode::Paused } else { StartMode::Playing };
        if let Some(chart) = self.chart {
            link.view.show = vec![chart];
        }
        link
    }
}

/// Returns (name, label) of everything that a teacher can hide: parts of the page, then settings, which can also be
/// locked.
pub fn lockable_names(link: &Link) -> Vec<(&'static str, &'static str)> {
    let catalog_names = [(MODEL_KEY, tr!("Model")), (OPTIMIZER_KEY, tr!("Optimizer"))];
    let setting_names =
        link.spec.settings().into_iter().map(|(_, setting)| (setting.key, translated(setting.label)));
    HIDEABLE_PARTS
        .map(|(part, name)| (part, translated(name)))
        .into_iter()
        .chain(catalog_names)
        .chain(setting_names)
        .chain([("speed", tr!("Speed limit"))])
        .collect()
}

/// Returns the fields of the dialog for teachers as HTML; the field names are those of [`LessonForm::set_field`].
pub fn form_html(link: &Link, lesson: &LessonForm) -> String {
    let mut out = String::new();
    let mut field = |name: &str, label: &str, options: &[(&str, &str)], chosen: &str| {
        for part in
            ["<label class=\"form-field\"><span>", &escape_html(label), "</span><select name=\"", name, "\">"]
        {
            out.push_str(part);
        }
        for (value, word) in options {
            let selected = if *value == chosen { "\" selected>" } else { "\">" };
            for part in ["<option value=\"", value, selected, &escape_html(word), "</option>"] {
                out.push_str(part);
            }
        }
        out.push_str("</select></label>");
    };
    if lesson.opens_story {
        let both = [
            ("story", tr!("This passage of the story")),
            ("run", tr!("The run alone, with the settings below")),
        ];
        field("what", tr!("Opened by the link"), &both, "story");
    }
    let start = if lesson.paused { "paused" } else { "play" };
    field("start", tr!("On opening"), &[("play", tr!("Playing")), ("paused", tr!("Paused"))], start);
    let mut charts = vec![("", tr!("The charts shown now"))];
    charts.extend(link.view.show.iter().map(|chart| (chart.slug(), chart.info().name)));
    field("chart", tr!("Charts"), &charts, "");
    let embed = if lesson.embedded { "on" } else { "" };
    field(
        "embed",
        tr!("Part of the page"),
        &[("", tr!("Whole page")), ("on", tr!("Charts and Play button only"))],
        embed,
    );
    for (i, (name, label)) in lockable_names(link).into_iter().enumerate() {
        let all = [("", tr!("Unlocked")), ("lock", tr!("Locked")), ("hide", tr!("Hidden"))];
        let parts = [("", tr!("Shown")), ("hide", tr!("Hidden"))];
        let is = |list: &[String]| list.iter().any(|other| other == name);
        let chosen = if is(&lesson.hidden) {
            "hide"
        } else if is(&lesson.locked) {
            "lock"
        } else {
            ""
        };
        field(name, label, if i < HIDEABLE_PARTS.len() { &parts } else { &all }, chosen);
    }
    out
}

/// The script for a page with frames of this page: it sets the height of each frame to the height that the frame
/// requests (`www/frame.js`).
pub const RESIZE_SCRIPT: &str = "<script>addEventListener(\"message\",e=>{if(e.data?.type===\"vivarium:size\")\
    for(const f of document.querySelectorAll(\"iframe.vivarium\"))\
    if(f.contentWindow===e.source)f.style.height=Number(e.data.height)+\"px\"})</script>";

/// Returns an `<iframe>` with the title `title` for the page at `address`, high enough for `charts` charts in two
/// columns.
pub fn iframe_html(address: &str, title: &str, charts: usize) -> String {
    let height = (210 + 230 * charts.div_ceil(2)).clamp(440, 1360).to_string();
    let mut out = String::new();
    for part in [
        "<iframe src=\"",
        &escape_html(address),
        "\" class=\"vivarium\" title=\"",
        &escape_html(title),
        "\" width=\"720\" height=\"",
        &height,
        "\" loading=\"lazy\" style=\"border:0;max-width:100%;resize:both;overflow:auto\"></iframe>",
    ] {
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use vivarium_labs::PRESETS;
    use vivarium_model::chart;
    use vivarium_model::permalink::{decode, encode};

    #[test]
    fn a_request_becomes_a_link_that_is_read_back() {
        let link = decode("#v1/sparse-parity?n=20&width=64").0;
        let mut wish = LessonForm::from_link(&link);
        assert_eq!(wish, LessonForm::default());
        for (field, value) in [
            ("n", "lock"),
            ("width", "lock"),
            ("presets", "hide"),
            ("k", "hide"),
            ("start", "paused"),
            ("at", "300"),
            ("chart", "loss"),
            ("embed", "on"),
        ] {
            wish.set_field(field, value);
        }
        let made = wish.lesson_link(&link);
        let text = "#v1/sparse-parity?n=20&width=64&start=paused&show=loss&hide=presets,k&lock=n,width&embed=on&at=300";
        assert_eq!(encode(&made), text);
        let (read, notices) = decode(text);
        assert!(notices.is_empty() && read == made, "{notices:?}");
        assert_eq!(LessonForm { chart: Some(chart::LOSS), ..LessonForm::from_link(&read) }, wish);
        // Everything can be taken back.
        for (field, value) in [
            ("width", ""),
            ("n", ""),
            ("presets", ""),
            ("k", ""),
            ("start", "play"),
            ("at", ""),
            ("chart", ""),
            ("embed", ""),
        ] {
            wish.set_field(field, value);
        }
        assert_eq!(encode(&wish.lesson_link(&link)), encode(&link));
        wish.set_field("at", "yesterday");
        assert_eq!(wish.wait_step, None);
    }

    #[test]
    fn every_name_of_every_preset_can_be_hidden_and_every_setting_locked() {
        for preset in PRESETS {
            let link = preset.link();
            for (word, from) in [("hide", 0), ("lock", HIDEABLE_PARTS.len())] {
                let mut wish = LessonForm::default();
                lockable_names(&link)[from..].iter().for_each(|(name, _)| wish.set_field(name, word));
                let text = encode(&wish.lesson_link(&link));
                let (read, notices) = decode(&text);
                assert!(notices.is_empty(), "{}: {notices:?}", preset.slug);
                assert_eq!(encode(&read), text);
                assert!(
                    lockable_names(&link)[from..].iter().all(|(name, _)| read.locks(name)),
                    "{}",
                    preset.slug
                );
            }
            assert_eq!(
                form_html(&link, &LessonForm::from_link(&link)).matches("<select").count(),
                lockable_names(&link).len() + 3
            );
        }
        let locked = decode("#v1/sparse-parity?lock=n").0;
        assert!(
            form_html(&locked, &LessonForm::from_link(&locked))
                .contains("name=\"n\"><option value=\"\">Unlocked</option><option value=\"lock\" selected>")
        );
    }

    #[test]
    fn a_frame_holds_its_address_and_its_title_as_text() {
        let made =
            iframe_html("https://example.org/?a=\"b\"#v1/groups?seed=1&embed=on", "\"A\" < B · Vivarium", 1);
        assert!(made.starts_with(
            "<iframe src=\"https://example.org/?a=&quot;b&quot;#v1/groups?seed=1&amp;embed=on\" \
             class=\"vivarium\" title=\"&quot;A&quot; &lt; B · Vivarium\" width=\"720\" height=\"440\" "
        ));
        // The dialog keeps several texts apart by lines.
        assert!(!made.contains('\n') && !RESIZE_SCRIPT.contains('\n'));
    }

    #[test]
    fn a_frame_is_high_enough_for_its_charts() {
        let height = |charts| {
            let made = iframe_html("", "", charts);
            made.split_once("height=\"").unwrap().1.split_once('"').unwrap().0.parse::<usize>().unwrap()
        };
        assert_eq!([0, 1, 2, 3, 4, 5, 99].map(height), [440, 440, 440, 670, 670, 900, 1360]);
    }
}
