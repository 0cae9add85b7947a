//! Requests of panels, and the state of the form's fields.

use super::form::{default_value_text, first_setting_keys, section_fields};
use crate::effect::Effect;
use crate::state::{InvalidInput, State};
use vivarium_core::language::escape_hidden_characters;
use vivarium_core::settings::{InvalidSetting, Value};
use vivarium_model::run::FormSection;
use vivarium_view::ui::field::{Field, FieldState};
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

    /// Returns the fields with which the first screen's drawer begins: the settings that the lab has chosen, then every
    /// other field whose text was not accepted or that conflicts with another, so that no error is out of sight.
    pub fn first_fields(&self) -> Vec<Field> {
        let spec = self.form_spec();
        let declared = self.player.run.lab().first_settings();
        let keys = first_setting_keys(spec, declared, |key| self.player.run.link.hides(key));
        let mut others: Vec<Field> =
            FormSection::ALL.into_iter().flat_map(|section| section_fields(spec, section)).collect();
        let mut first = vec![];
        for key in keys {
            if let Some(at) = others.iter().position(|field| field.key == key) {
                first.push(others.remove(at));
            }
        }
        others.retain(|field| {
            self.invalid_inputs.iter().any(|draft| draft.key == field.key)
                || self.conflicts.iter().any(|conflict| conflict.key == field.key)
        });
        first.extend(others);
        first
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
                self.open_file(&escape_hidden_characters(&name), file, effects);
                self.show_unread_files();
            }
            Request::OpenFile(name, Err(why)) => self.reject_file(&escape_hidden_characters(&name), &why),
            Request::CancelFile => {
                self.cancel_reading();
                self.show_unread_files();
            }
            Request::Relabel(label) => self.set_table_label(label, effects),
            Request::ReadTableAgain(choices) => self.read_table_again(&choices, effects),
            Request::LabelRefusedTable(label) => self.choose_refused_label(label, effects),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Action;

    #[test]
    fn the_drawer_begins_with_five_settings_and_every_field_with_an_error() {
        let mut state = State::default();
        state.apply(Action::Open("#v1/sparse-parity?n=20".into()));
        let keys =
            |state: &State| -> Vec<&'static str> { state.first_fields().iter().map(|f| f.key).collect() };
        let chosen = ["width", "n", "k", "lr", "noise"];
        assert_eq!(keys(&state), chosen);
        state.apply(Action::Edit("batch".into(), "many".into()));
        assert_eq!(keys(&state), [&chosen[..], &["batch"]].concat());
        state.apply(Action::Edit("batch".into(), "16".into()));
        state.apply(Action::Edit("k".into(), "2".into()));
        assert_eq!(keys(&state), chosen);
        // The pace of the first screen is that of the picture: the field of the speed would have no effect.
        assert!(!keys(&state).contains(&vivarium_view::ui::field::SPEED_KEY));
        state.apply(Action::Open("#v1/sparse-parity?n=20&hide=noise&lock=n".into()));
        assert_eq!(keys(&state), ["width", "n", "k", "lr", "wd"]);
        assert!(state.field_state("n").is_locked);
    }

    #[test]
    fn fields_read_numbers_of_other_countries_and_links_do_not() {
        let mut state = State::default();
        state.apply(Action::Open("#v1/sparse-parity?n=20".into()));
        for (key, entered, text) in [
            ("lr", "0,05", "0.05"),
            ("steps", "16,384", "16384"),
            ("steps", "16\u{a0}385", "16385"),
            ("steps", "16\u{2009}386", "16386"),
            ("steps", "1.000.000", "1000000"),
            ("wd", "0,25", "0.25"),
            ("smooth", "0,5", "0.5"),
        ] {
            state.apply(Action::Edit(key.into(), entered.into()));
            assert_eq!(
                (state.field_state(key).text.as_str(), state.invalid_inputs.len()),
                (text, 0),
                "{entered}"
            );
        }
        let mut refuse = |key: &str, entered: &str| {
            state.apply(Action::Edit(key.into(), entered.into()));
            let field = state.field_state(key);
            assert_eq!(field.text, entered);
            field.expected.unwrap_or_default()
        };
        assert!(refuse("steps", "100.000").ends_with(". Do you mean 100 or 100,000?"));
        assert!(refuse("lr", "1,234").ends_with(". Do you mean 1.234 or 1234?"));
        assert!(refuse("lr", "0;5").ends_with(". “;” is not possible here"));
        assert_eq!(state.player.run.link.spec.run.steps, 1_000_000);
        let rate = |link: &str| {
            let (link, notices) = vivarium_model::permalink::decode(link);
            (link.spec.value("lr"), notices.len())
        };
        assert_eq!(rate("#v1/sparse-parity?lr=0,05"), (rate("#v1/sparse-parity").0, 1));
    }
}
