//! The teacher's link: what is wished for in the dialog, and the link that comes of it.
//!
//! # Why
//! The dialog is a form, and its fields are text by name; what they come to is decided here, where it can be tested.

use vivarium_core::language::{escaped, translated};
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{Link, PARTS, Start};
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY};

/// What a teacher wishes for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LessonEdit {
    /// Names that are hidden.
    pub hidden: Vec<String>,
    /// Names that are locked.
    pub locked: Vec<String>,
    /// Whether the run starts paused.
    pub paused: bool,
    /// Step at which it waits.
    pub at: Option<u64>,
    /// The one chart that is shown, if not all of them.
    pub chart: Option<Chart>,
    /// Whether only the chart and what drives it are shown.
    pub embedded: bool,
    /// Whether the link opens the passage of the story that is read, and not the run alone.
    pub of_story: bool,
}

impl LessonEdit {
    /// What `link` has of it already.
    pub fn of(link: &Link) -> LessonEdit {
        let names = names(link);
        let all = || names.iter().map(|(name, _)| name.to_string());
        LessonEdit {
            hidden: all().filter(|name| link.hides(name)).collect(),
            locked: all().filter(|name| link.locks(name) && !link.hides(name)).collect(),
            paused: link.view.start == Start::Paused,
            at: link.at(),
            chart: None,
            embedded: link.is_embedded(),
            of_story: false,
        }
    }

    /// Takes the value of a field of the form.
    pub fn take(&mut self, field: &str, value: &str) {
        match field {
            "start" => self.paused = value == "paused",
            "at" => self.at = value.trim().parse().ok().filter(|step| (1..=1_000_000_000).contains(step)),
            "chart" => self.chart = Chart::find(value),
            "embed" => self.embedded = value == "on",
            "what" => self.of_story = value == "story",
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

    /// The link that comes of it.
    pub fn link(&self, link: &Link) -> Link {
        let mut link = link.clone();
        link.reserved.clear();
        // In the order of the page, whatever the order of the wishes.
        let order = names(&link);
        for (key, list) in [("hide", &self.hidden), ("lock", &self.locked)] {
            let listed: Vec<&str> = order
                .iter()
                .map(|(name, _)| *name)
                .filter(|name| list.iter().any(|other| other == name))
                .collect();
            if !listed.is_empty() {
                link.reserved.push((key.into(), listed.join(",")));
            }
        }
        if self.embedded {
            link.reserved.push(("embed".into(), "on".into()));
        }
        if let Some(at) = self.at {
            link.reserved.push(("at".into(), at.to_string()));
        }
        link.view.start = if self.paused { Start::Paused } else { Start::Playing };
        if let Some(chart) = self.chart {
            link.view.show = vec![chart];
        }
        link
    }
}

/// What can be hidden, each with its words: parts of the page, then settings, which can be locked too.
pub fn names(link: &Link) -> Vec<(&'static str, &'static str)> {
    let settings = [(MODEL_KEY, tr!("Model")), (OPTIMIZER_KEY, tr!("Optimizer"))];
    let knobs = link.spec.knobs().into_iter().map(|(_, knob)| (knob.key, translated(knob.label)));
    PARTS
        .map(|(part, name)| (part, translated(name)))
        .into_iter()
        .chain(settings)
        .chain(knobs)
        .chain([("speed", tr!("Speed limit"))])
        .collect()
}

/// The form's fields as markup, for what is wished for at first. Every field's name is what [`LessonEdit::take`] takes.
pub fn form(link: &Link, wish: &LessonEdit) -> String {
    let mut out = String::new();
    let mut field = |name: &str, label: &str, options: &[(&str, &str)], chosen: &str| {
        for part in ["<label class=\"wish\"><span>", &escaped(label), "</span><select name=\"", name, "\">"] {
            out.push_str(part);
        }
        for (value, word) in options {
            let selected = if *value == chosen { "\" selected>" } else { "\">" };
            for part in ["<option value=\"", value, selected, &escaped(word), "</option>"] {
                out.push_str(part);
            }
        }
        out.push_str("</select></label>");
    };
    if wish.of_story {
        let both = [
            ("story", tr!("This passage of the story")),
            ("run", tr!("The run alone, with the settings below")),
        ];
        field("what", tr!("Opened by the link"), &both, "story");
    }
    let start = if wish.paused { "paused" } else { "play" };
    field("start", tr!("On opening"), &[("play", tr!("Playing")), ("paused", tr!("Paused"))], start);
    let mut charts = vec![("", tr!("The charts shown now"))];
    charts.extend(link.view.show.iter().map(|chart| (chart.slug(), chart.info().name)));
    field("chart", tr!("Charts"), &charts, "");
    let embed = if wish.embedded { "on" } else { "" };
    field(
        "embed",
        tr!("Part of the page"),
        &[("", tr!("Whole page")), ("on", tr!("Charts and Play button only"))],
        embed,
    );
    for (i, (name, label)) in names(link).into_iter().enumerate() {
        let all = [("", tr!("Unlocked")), ("lock", tr!("Locked")), ("hide", tr!("Hidden"))];
        let parts = [("", tr!("Shown")), ("hide", tr!("Hidden"))];
        let is = |list: &[String]| list.iter().any(|other| other == name);
        let chosen = if is(&wish.hidden) {
            "hide"
        } else if is(&wish.locked) {
            "lock"
        } else {
            ""
        };
        field(name, label, if i < PARTS.len() { &parts } else { &all }, chosen);
    }
    out
}

/// The script that gives every frame of this page the height that it asks for (`www/frame.js`): no other window is
/// listened to, and no frame changes the height of another one.
pub const FOLLOW: &str = "<script>addEventListener(\"message\",e=>{if(e.data?.type===\"vivarium:size\")\
    for(const f of document.querySelectorAll(\"iframe.vivarium\"))\
    if(f.contentWindow===e.source)f.style.height=Number(e.data.height)+\"px\"})</script>";

/// The markup that puts the page at `address` into another one, with a title for those who hear the page around: what
/// is in the frame. It is high enough for this number of charts, in two columns.
pub fn frame(address: &str, about: &str, charts: usize) -> String {
    let height = (210 + 230 * charts.div_ceil(2)).clamp(440, 1360).to_string();
    let mut out = String::new();
    for part in [
        "<iframe src=\"",
        &escaped(address),
        "\" class=\"vivarium\" title=\"",
        &escaped(about),
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
    fn a_wish_becomes_a_link_that_is_read_back() {
        let link = decode("#v1/sparse-parity?n=20&width=64").0;
        let mut wish = LessonEdit::of(&link);
        assert_eq!(wish, LessonEdit::default());
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
            wish.take(field, value);
        }
        let made = wish.link(&link);
        let text = "#v1/sparse-parity?n=20&width=64&start=paused&show=loss&hide=presets,k&lock=n,width&embed=on&at=300";
        assert_eq!(encode(&made), text);
        let (read, notices) = decode(text);
        assert!(notices.is_empty() && read == made, "{notices:?}");
        assert_eq!(LessonEdit { chart: Some(chart::LOSS), ..LessonEdit::of(&read) }, wish);
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
            wish.take(field, value);
        }
        assert_eq!(encode(&wish.link(&link)), encode(&link));
        wish.take("at", "yesterday");
        assert_eq!(wish.at, None);
    }

    #[test]
    fn every_name_of_every_preset_can_be_hidden_and_every_setting_locked() {
        for preset in PRESETS {
            let link = preset.link();
            for (word, from) in [("hide", 0), ("lock", PARTS.len())] {
                let mut wish = LessonEdit::default();
                names(&link)[from..].iter().for_each(|(name, _)| wish.take(name, word));
                let text = encode(&wish.link(&link));
                let (read, notices) = decode(&text);
                assert!(notices.is_empty(), "{}: {notices:?}", preset.slug);
                assert_eq!(encode(&read), text);
                assert!(names(&link)[from..].iter().all(|(name, _)| read.locks(name)), "{}", preset.slug);
            }
            assert_eq!(
                form(&link, &LessonEdit::of(&link)).matches("<select").count(),
                names(&link).len() + 3
            );
        }
        let locked = decode("#v1/sparse-parity?lock=n").0;
        assert!(
            form(&locked, &LessonEdit::of(&locked))
                .contains("name=\"n\"><option value=\"\">Unlocked</option><option value=\"lock\" selected>")
        );
    }

    #[test]
    fn a_frame_holds_its_address_and_its_title_as_text() {
        let made = frame("https://example.org/?a=\"b\"#v1/groups?seed=1&embed=on", "\"A\" < B · Vivarium", 1);
        assert!(made.starts_with(
            "<iframe src=\"https://example.org/?a=&quot;b&quot;#v1/groups?seed=1&amp;embed=on\" \
             class=\"vivarium\" title=\"&quot;A&quot; &lt; B · Vivarium\" width=\"720\" height=\"440\" "
        ));
        // The dialog keeps several texts apart by lines.
        assert!(!made.contains('\n') && !FOLLOW.contains('\n'));
    }

    #[test]
    fn a_frame_is_high_enough_for_its_charts() {
        let height = |charts| {
            let made = frame("", "", charts);
            made.split_once("height=\"").unwrap().1.split_once('"').unwrap().0.parse::<usize>().unwrap()
        };
        assert_eq!([0, 1, 2, 3, 4, 5, 99].map(height), [440, 440, 440, 670, 670, 900, 1360]);
    }
}
