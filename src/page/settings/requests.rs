//! What panels ask of the settings, and what fields show of them.

use super::form::default_text;
use crate::state::{Draft, State};
use crate::trainer::Effect;
use vivarium_core::language::visible;
use vivarium_core::settings::{Problem, Value};
use vivarium_view::ui::field::FieldState;
use vivarium_view::ui::request::Request;

impl State {
    /// How the field of `key` stands.
    pub fn field(&self, key: &str) -> FieldState {
        let draft = self.drafts.iter().find(|draft| draft.key == key);
        let value = self.form_value(key);
        let text = match draft {
            Some(draft) => draft.text.clone(),
            None => value.as_ref().map(Value::typed).unwrap_or_default(),
        };
        let conflict = || self.conflicts.iter().find(|problem| problem.key == key);
        let problem = draft.map(|draft| &draft.problem).or_else(conflict);
        FieldState {
            expected: problem.map(|problem| problem.expected.clone()),
            is_default: default_text(self.form_spec(), key).is_none_or(|default| default == text),
            is_swept: self.is_swept(key),
            is_idle: !self.has_effect(key),
            is_locked: self.run.link.locks(key),
            is_hidden: self.run.link.hides(key),
            text,
            value,
        }
    }

    /// Does what a panel asks for.
    pub fn request(&mut self, what: Request, effects: &mut Vec<Effect>) {
        match what {
            Request::Edit(all) => {
                for (key, text) in all {
                    self.edit(key, &text, effects);
                    if self.drafts.iter().any(|draft| draft.key == key) {
                        break;
                    }
                }
            }
            Request::Refuse { key, text, expected } => {
                self.drafts.retain(|draft| draft.key != key);
                let problem = Problem::new(key, &text, expected);
                self.drafts.push(Draft { key: key.into(), text, problem });
            }
            Request::Reset(key) => self.reset(key, effects),
            Request::Say(text) => self.message = text.into(),
            Request::ToggleChart(chart) => self.toggle_chart(chart, effects),
            Request::OpenFile(name, Ok(file)) => self.open_file(&visible(&name), file, effects),
            Request::OpenFile(name, Err(why)) => self.refuse_file(&visible(&name), &why),
            Request::CancelFile => self.cancel_file(),
            Request::Relabel(label) => self.relabel(label, effects),
        }
    }
}
