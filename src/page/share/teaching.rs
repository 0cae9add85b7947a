//! The dialog for teachers: its form, and the link with hidden and locked parts that follows from it.
//!
//! # Why
//! The fields of the dialog are texts by name; their meaning is decided here, where it can be tested.

use vivarium_core::language::{escape_html, translated};
use vivarium_core::settings::entry::parse_whole_entry;
use vivarium_model::chart::Chart;
use vivarium_model::permalink::{HIDEABLE_PARTS, Link, StartMode};
use vivarium_model::run::{MODEL_KEY, OPTIMIZER_KEY};

/// The settings that the reader of a lesson's link cannot change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LockChoice {
    /// None of them.
    #[default]
    Nothing,
    /// All settings.
    Everything,
    /// All settings except those that the teacher has checked.
    Except,
}

/// Values in the form of the dialog in which a teacher makes a link for a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LessonForm {
    /// Names (keys) of the settings and parts of the page that the lesson's link hides.
    pub hidden: Vec<String>,
    /// Settings that the reader of the lesson's link cannot change.
    pub lock: LockChoice,
    /// Names (keys) of the checked settings, which can be changed if all settings except these are locked.
    pub unlocked: Vec<String>,
    /// Names that the link locks or hides and the form does not list, as settings of the view: (key of the list in the
    /// link, names). They stay as they are, unless no setting is to be locked.
    pub other_names: Vec<(&'static str, Vec<String>)>,
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
    /// Whether a frame in another page shows the moving picture (true) or the charts; None if the link does not state it and
    /// the form does not ask, as for runs without a picture.
    pub frame_picture: Option<bool>,
}

impl LessonForm {
    /// Returns the values of the dialog for teachers that `link` already contains.
    pub fn from_link(link: &Link) -> LessonForm {
        let names = lockable_names(link);
        let all = || names.iter().map(|(name, _)| name.to_string());
        let settings: Vec<String> =
            all().skip(HIDEABLE_PARTS.len()).filter(|name| !link.hides(name)).collect();
        let unlocked: Vec<String> = settings.iter().filter(|name| !link.locks(name)).cloned().collect();
        let unlisted = |key: &str| {
            let lists = link.teacher_keys.iter().filter(|(of, _)| of == key);
            let listed = |name: &&str| names.iter().any(|(other, _)| other == name);
            let others = lists.flat_map(|(_, value)| value.split(',')).filter(|name| !listed(name));
            others.map(String::from).collect::<Vec<String>>()
        };
        let other_names: Vec<_> = ["hide", "lock"]
            .map(|key| (key, unlisted(key)))
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .collect();
        let locks_others = other_names.iter().any(|(key, _)| *key == "lock");
        let lock = match unlocked.len() {
            count if count == settings.len() && !locks_others => LockChoice::Nothing,
            0 => LockChoice::Everything,
            _ => LockChoice::Except,
        };
        LessonForm {
            hidden: all().filter(|name| link.hides(name)).collect(),
            lock,
            unlocked: if lock == LockChoice::Except { unlocked } else { vec![] },
            other_names,
            paused: link.view.start == StartMode::Paused,
            wait_step: link.start_step(),
            chart: None,
            embedded: link.is_embedded(),
            opens_story: false,
            frame_picture: link.shows_picture(),
        }
    }

    /// Contents of a frame for `link` in another page.
    pub fn frame_content(&self, link: &Link) -> FrameContent {
        match self.shows_picture_in_frame() {
            true => FrameContent::Picture,
            false => FrameContent::Charts(link.view.show.len()),
        }
    }

    /// Whether a frame in another page shows the moving picture; not if the teacher has chosen a chart.
    fn shows_picture_in_frame(&self) -> bool {
        self.frame_picture == Some(true) && self.chart.is_none()
    }

    /// Sets the form field named `field` to the text or option `value`, or to "on" or an empty text if it is a checkbox.
    pub fn set_field(&mut self, field: &str, value: &str) {
        match field {
            "start" => self.paused = value == "paused",
            "at" => {
                self.wait_step = parse_whole_entry(value).filter(|step| (1..=1_000_000_000).contains(step))
            }
            "chart" => self.chart = Chart::from_slug(value),
            "embed" => self.embedded = value == "on",
            "view" => self.frame_picture = Some(value == "picture"),
            "what" => self.opens_story = value == "story",
            "lock" => {
                self.lock = match value {
                    "everything" => LockChoice::Everything,
                    "except" => LockChoice::Except,
                    _ => LockChoice::Nothing,
                }
            }
            name => {
                for (list, prefix) in
                    [(&mut self.hidden, HIDDEN_PREFIX), (&mut self.unlocked, UNLOCKED_PREFIX)]
                {
                    let Some(name) = name.strip_prefix(prefix) else { continue };
                    list.retain(|other| other != name);
                    if value == "on" {
                        list.push(name.into());
                    }
                }
            }
        }
    }

    /// Whether the lesson's link hides the setting or part of the page with this name.
    fn hides(&self, name: &str) -> bool {
        self.hidden.iter().any(|other| other == name)
    }

    /// Whether the lesson's link locks the setting with this name, if it does not hide it.
    fn locks(&self, name: &str) -> bool {
        match self.lock {
            LockChoice::Nothing => false,
            LockChoice::Everything => true,
            LockChoice::Except => !self.unlocks(name),
        }
    }

    /// Whether the teacher has checked the setting with this name.
    fn unlocks(&self, name: &str) -> bool {
        self.unlocked.iter().any(|other| other == name)
    }

    /// Returns `link` with what the teacher has chosen: hidden and locked names, pause, chart and embedding.
    pub fn lesson_link(&self, link: &Link) -> Link {
        let stated_view = link.shows_picture();
        let mut link = link.clone();
        link.teacher_keys.clear();
        // In the order of the page, whatever the order of the input.
        let order = lockable_names(&link);
        let all = || order.iter().map(|(name, _)| *name);
        let hidden: Vec<&str> = all().filter(|name| self.hides(name)).collect();
        let settings = all().skip(HIDEABLE_PARTS.len());
        let locked: Vec<&str> = settings.filter(|name| !self.hides(name) && self.locks(name)).collect();
        for (key, mut listed) in [("hide", hidden), ("lock", locked)] {
            if key == "hide" || self.lock != LockChoice::Nothing {
                let others = self.other_names.iter().filter(|(of, _)| *of == key);
                listed.extend(others.flat_map(|(_, names)| names).map(String::as_str));
            }
            if !listed.is_empty() {
                link.teacher_keys.push((key.into(), listed.join(",")));
            }
        }
        if self.embedded {
            link.teacher_keys.push(("embed".into(), "on".into()));
        }
        // An embedded page shows charts unless its link states the picture.
        let view = if self.embedded { self.shows_picture_in_frame().then_some(true) } else { stated_view };
        if let Some(is_picture) = view {
            let name = if is_picture { "picture" } else { "details" };
            link.teacher_keys.push(("view".into(), name.into()));
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
    if let Some(is_picture) = lesson.frame_picture {
        let both = [("picture", tr!("Moving picture")), ("", tr!("Charts"))];
        field("view", tr!("In a frame of another page"), &both, if is_picture { "picture" } else { "" });
    }
    let locks = [
        ("", tr!("No setting is locked")),
        ("everything", tr!("All settings are locked")),
        ("except", tr!("All settings except the checked ones are locked")),
    ];
    let lock = match lesson.lock {
        LockChoice::Nothing => "",
        LockChoice::Everything => "everything",
        LockChoice::Except => "except",
    };
    field("lock", tr!("Locked settings"), &locks, lock);
    let names = lockable_names(link);
    let (parts, settings) = names.split_at(HIDEABLE_PARTS.len().min(names.len()));
    let is_unlocked = |name: &str| lesson.unlocks(name);
    let is_hidden = |name: &str| lesson.hides(name);
    // The style sheet shows these checkboxes only with the third option.
    out.push_str("<div class=\"teacher__unlocked\">");
    write_checkboxes(&mut out, tr!("Settings that can be changed"), UNLOCKED_PREFIX, settings, is_unlocked);
    out.push_str("</div><details class=\"teacher__hidden\"");
    out.push_str(if lesson.hidden.is_empty() { "><summary>" } else { " open><summary>" });
    out.push_str(&escape_html(tr!("Hide parts of the page or settings")));
    out.push_str("</summary>");
    write_checkboxes(&mut out, tr!("Hidden parts of the page"), HIDDEN_PREFIX, parts, is_hidden);
    write_checkboxes(&mut out, tr!("Hidden settings"), HIDDEN_PREFIX, settings, is_hidden);
    out.push_str("</details>");
    out
}

/// Beginning of the name of a checkbox that hides a setting or a part of the page; the name of that follows.
const HIDDEN_PREFIX: &str = "hidden.";

/// Beginning of the name of a checkbox of a setting that can be changed; the name of the setting follows.
const UNLOCKED_PREFIX: &str = "unlocked.";

/// Appends a group of checkboxes as HTML, one for each of `names` (name, label); the field names begin with `prefix`.
fn write_checkboxes(
    out: &mut String,
    title: &str,
    prefix: &str,
    names: &[(&str, &str)],
    is_checked: impl Fn(&str) -> bool,
) {
    for part in ["<fieldset class=\"teacher__choices\"><legend>", &escape_html(title), "</legend>"] {
        out.push_str(part);
    }
    for &(name, label) in names {
        let checked = if is_checked(name) { "\" checked>" } else { "\">" };
        for part in [
            "<label class=\"teacher__choice\"><input type=\"checkbox\" name=\"",
            prefix,
            name,
            checked,
            "<span>",
            &escape_html(label),
            "</span></label>",
        ] {
            out.push_str(part);
        }
    }
    out.push_str("</fieldset>");
}

/// The script for a page with frames of this page: it sets the height of each frame to the height that the frame
/// requests (`www/frame.js`).
pub const RESIZE_SCRIPT: &str = "<script>addEventListener(\"message\",e=>{if(e.data?.type===\"vivarium:size\")\
    for(const f of document.querySelectorAll(\"iframe.vivarium\"))\
    if(f.contentWindow===e.source)f.style.height=Number(e.data.height)+\"px\"})</script>";

/// Contents of a frame in another page, on which its height depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameContent {
    /// The moving picture of a run.
    Picture,
    /// This number of charts, in two columns.
    Charts(usize),
}

/// Height in CSS pixels of a new frame with a moving picture.
const PICTURE_FRAME_HEIGHT: usize = 520;

/// Returns an `<iframe>` with the title `title` for the page at `address`, high enough for its content.
pub fn iframe_html(address: &str, title: &str, content: FrameContent) -> String {
    let height = match content {
        FrameContent::Picture => PICTURE_FRAME_HEIGHT,
        FrameContent::Charts(charts) => (210 + 230 * charts.div_ceil(2)).clamp(440, 1360),
    };
    let height = height.to_string();
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
        let mut form = LessonForm::from_link(&link);
        assert_eq!(form, LessonForm::default());
        for (name, _) in &lockable_names(&link)[HIDEABLE_PARTS.len()..] {
            if !["n", "width", "k"].contains(name) {
                form.set_field(&format!("unlocked.{name}"), "on");
            }
        }
        for (field, value) in [
            ("lock", "except"),
            ("hidden.presets", "on"),
            ("hidden.k", "on"),
            ("start", "paused"),
            ("at", "300"),
            ("chart", "loss"),
            ("embed", "on"),
        ] {
            form.set_field(field, value);
        }
        let lesson = form.lesson_link(&link);
        let text = "#v1/sparse-parity?n=20&width=64&start=paused&show=loss&hide=presets,k&lock=n,width&embed=on&at=300";
        assert_eq!(encode(&lesson), text);
        let (read, notices) = decode(text);
        assert!(notices.is_empty() && read == lesson, "{notices:?}");
        assert_eq!(LessonForm { chart: Some(chart::LOSS), ..LessonForm::from_link(&read) }, form);
        // Everything can be taken back.
        for (field, value) in [
            ("lock", ""),
            ("hidden.presets", ""),
            ("hidden.k", ""),
            ("start", "play"),
            ("at", ""),
            ("chart", ""),
            ("embed", ""),
        ] {
            form.set_field(field, value);
        }
        assert_eq!(encode(&form.lesson_link(&link)), encode(&link));
        form.set_field("at", "yesterday");
        assert_eq!(form.wait_step, None);
    }

    #[test]
    fn every_name_of_every_preset_can_be_hidden_and_every_setting_locked() {
        for preset in PRESETS {
            let link = preset.link();
            for (word, from) in [("hide", 0), ("lock", HIDEABLE_PARTS.len())] {
                let mut form = LessonForm::default();
                let names = lockable_names(&link);
                match word {
                    "hide" => {
                        names.iter().for_each(|(name, _)| form.set_field(&format!("hidden.{name}"), "on"))
                    }
                    _ => form.set_field("lock", "everything"),
                }
                let text = encode(&form.lesson_link(&link));
                let (read, notices) = decode(&text);
                assert!(notices.is_empty(), "{}: {notices:?}", preset.slug);
                assert_eq!(encode(&read), text);
                assert!(
                    lockable_names(&link)[from..].iter().all(|(name, _)| read.locks(name)),
                    "{}",
                    preset.slug
                );
            }
            let form = form_html(&link, &LessonForm::from_link(&link));
            let settings = lockable_names(&link).len() - HIDEABLE_PARTS.len();
            assert_eq!(form.matches("<select").count(), 4);
            assert_eq!(form.matches("type=\"checkbox\"").count(), HIDEABLE_PARTS.len() + 2 * settings);
        }
    }

    #[test]
    fn lessons_of_every_kind_are_read_back_into_the_form() {
        let read = |text: &str| {
            let link = decode(text).0;
            let form = LessonForm::from_link(&link);
            (form.lock, encode(&form.lesson_link(&link)), form_html(&link, &form))
        };
        let (lock, again, html) = read("#v1/sparse-parity?hide=noise&lock=n");
        assert_eq!((lock, again.as_str()), (LockChoice::Except, "#v1/sparse-parity?hide=noise&lock=n"));
        assert!(
            html.contains("<option value=\"except\" selected>")
                && html.contains("<details class=\"teacher__hidden\" open>")
        );
        for checkbox in [
            "name=\"unlocked.n\">",
            "name=\"unlocked.k\" checked>",
            "name=\"hidden.noise\" checked>",
            "name=\"hidden.n\">",
        ] {
            assert!(html.contains(checkbox), "{checkbox}");
        }
        // Settings that the form does not list stay locked or hidden.
        let other = "#v1/markov?hide=tt&lock=x,tdata";
        assert_eq!(read(other).1, other);
        let link = decode("#v1/sparse-parity?n=20").0;
        let mut form = LessonForm { lock: LockChoice::Everything, ..LessonForm::default() };
        let all = encode(&form.lesson_link(&link));
        assert_eq!((read(&all).0, read(&all).1.as_str()), (LockChoice::Everything, all.as_str()));
        form.set_field("lock", "except");
        assert_eq!(encode(&form.lesson_link(&link)), all, "nothing is checked");
        form.set_field("unlocked.n", "on");
        let (lock, again, _) = read(&encode(&form.lesson_link(&link)));
        assert_eq!((lock, again), (LockChoice::Except, encode(&form.lesson_link(&link))));
        assert!(!decode(&encode(&form.lesson_link(&link))).0.locks("n"));
        form.set_field("unlocked.n", "");
        form.set_field("lock", "");
        assert_eq!(encode(&form.lesson_link(&link)), "#v1/sparse-parity?n=20");
    }

    #[test]
    fn a_frame_holds_its_address_and_its_title_as_text() {
        let html = iframe_html(
            "https://example.org/?a=\"b\"#v1/groups?seed=1&embed=on",
            "\"A\" < B · Vivarium",
            FrameContent::Charts(1),
        );
        assert!(html.starts_with(
            "<iframe src=\"https://example.org/?a=&quot;b&quot;#v1/groups?seed=1&amp;embed=on\" \
             class=\"vivarium\" title=\"&quot;A&quot; &lt; B · Vivarium\" width=\"720\" height=\"440\" "
        ));
        // The dialog keeps several texts apart by lines.
        assert!(!html.contains('\n') && !RESIZE_SCRIPT.contains('\n'));
    }

    #[test]
    fn a_frame_is_high_enough_for_its_charts() {
        let height = |charts| {
            let html = iframe_html("", "", FrameContent::Charts(charts));
            html.split_once("height=\"").unwrap().1.split_once('"').unwrap().0.parse::<usize>().unwrap()
        };
        assert_eq!([0, 1, 2, 3, 4, 5, 99].map(height), [440, 440, 440, 670, 670, 900, 1360]);
        assert!(iframe_html("", "", FrameContent::Picture).contains("height=\"520\""));
    }

    #[test]
    fn a_frame_of_a_run_with_a_picture_shows_the_picture_unless_the_teacher_chooses_the_charts() {
        let link = decode("#v1/sparse-parity?n=20&at=300").0;
        let mut form = LessonForm { embedded: true, ..LessonForm::from_link(&link) };
        let framed = |form: &LessonForm| encode(&form.lesson_link(&link));
        assert_eq!(
            framed(&form),
            "#v1/sparse-parity?n=20&embed=on&at=300",
            "nobody has asked for the picture"
        );
        assert!(!form_html(&link, &form).contains("name=\"view\""));
        // The dialog asks, for runs that have a picture.
        form.frame_picture = Some(true);
        assert_eq!(framed(&form), "#v1/sparse-parity?n=20&embed=on&view=picture&at=300");
        assert_eq!(form.frame_content(&link), FrameContent::Picture);
        form.set_field("chart", "loss");
        assert_eq!(framed(&form), "#v1/sparse-parity?n=20&show=loss&embed=on&at=300", "the chart is chosen");
        form.set_field("chart", "");
        let picture = "name=\"view\"><option value=\"picture\" selected>Moving picture</option>";
        assert!(form_html(&link, &form).contains(picture));
        let embedded = decode(&framed(&form)).0;
        assert_eq!(encode(&LessonForm::from_link(&embedded).lesson_link(&embedded)), framed(&form));
        // The whole page opens what it opened before.
        form.embedded = false;
        assert_eq!(framed(&form), "#v1/sparse-parity?n=20&at=300");
        (form.embedded, form.frame_picture) = (true, None);
        form.set_field("view", "");
        assert_eq!(framed(&form), "#v1/sparse-parity?n=20&embed=on&at=300");
        assert_eq!(form.frame_content(&link), FrameContent::Charts(link.view.show.len()));
        // A lesson keeps the view that its link states.
        let picture = decode("#v1/sparse-parity?n=20&view=picture").0;
        assert_eq!(encode(&LessonForm::from_link(&picture).lesson_link(&picture)), encode(&picture));
    }
}
