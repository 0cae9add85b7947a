//! Requests of panels, and the state of the form's fields.

use super::form::default_value_text;
use crate::effect::Effect;
use crate::state::{InvalidInput, State};
use vivarium_core::language::escape_hidden_characters;
use vivarium_core::settings::{InvalidSetting, Value};
use vivarium_view::ui::field::FieldState;
use vivarium_view::ui::request::Request;

impl State {
    /// Returns text, value, error and flags (such as locked or hidden) of the form field `key`.
    pub fn field_state(&self, key: &str) -> FieldState {
        let draft = self.invalid_inputs.iter().find(|draft| draft.key == key);
        let value = self.form_value(key);
        let text = match draft {
            Some(draft) => draft.text.clone(),
            None => value.as_ref().map(Value::form_text).unwrap_or_default(),
        };
        let conflict = || self.conflicts.iter().find(|problem| problem.key == key);
        let problem = draft.map(|draft| &draft.error).or_else(conflict);
        FieldState {
            expected: problem.map(|problem| problem.expected.clone()),
            is_default: default_value_text(self.form_spec(), key).is_none_or(|default| default == text),
            is_swept: self.is_swept(key),
            is_idle: !self.has_effect(key),
            is_locked: self.player.run.link.locks(key),
            is_hidden: self.player.run.link.hides(key),
            text,
            value,
        }
    }

    /// Carries out a request of a panel, a form or a dialog.
    pub fn handle_request(&mut self, request: Request, effects: &mut Vec<Effect>) {
        match request {
            Request::Edit(all) => {
                for (key, text) in all {
                    self.edit(key, &text, effects);
                    if self.invalid_inputs.iter().any(|draft| draft.key == key) {
                        break;
                    }
                }
            }
            Request::Refuse { key, text, expected } => {
                self.invalid_inputs.retain(|draft| draft.key != key);
                let problem = InvalidSetting::new(key, &text, expected);
                self.invalid_inputs.push(InvalidInput { key: key.into(), text, error: problem });
            }
            Request::Reset(key) => self.reset_field(key, effects),
            Request::ShowMessage(text) => self.player.message = text.into(),
            Request::ToggleChart(chart) => self.toggle_chart(chart, effects),
            Request::OpenFile(name, Ok(file)) => {
                self.open_file(&escape_hidden_characters(&name), file, effects)
            }
            Request::OpenFile(name, Err(why)) => self.reject_file(&escape_hidden_characters(&name), &why),
            Request::CancelFile => self.cancel_reading(),
            Request::Relabel(label) => self.set_table_label(label, effects),
        }
    }
}
