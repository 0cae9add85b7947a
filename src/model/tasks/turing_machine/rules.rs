//! Rules of the user's own machine as a setting.

use vivarium_core::settings::{Field, Value, line};
use vivarium_science::machines::Machine;

/// Largest number of characters of the rules in a link. Two hundred rules, more than most machines have, take about
/// 4,000.
pub const MAX_RULES_CHARACTERS: usize = 5_000;

/// Default rules of the user's own Turing machine, which add 1 to a binary number.
const DEFAULT_RULES: &str = "right 0 → 0 R right\nright 1 → 1 R right\nright _ → _ L carry\n\
                     carry 0 → 1 S halt\ncarry 1 → 0 L carry\ncarry _ → 1 S halt";

/// Text of the rules of a Turing machine, one rule per line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineRules(pub String);

impl Default for MachineRules {
    fn default() -> Self {
        let mut rules = MachineRules(String::new());
        rules.take(&Value::Text(DEFAULT_RULES.into()));
        rules
    }
}

/// A machine has one text: rules that can be read are written as [`Machine`] is displayed, others stay as they are.
impl Field for MachineRules {
    fn to_value(&self) -> Value {
        Value::Text(self.0.clone())
    }

    fn take(&mut self, value: &Value) {
        let Value::Text(text) = value else { return };
        let written = || {
            let machine = Machine::parse(text).ok().filter(|_| text.len() <= MAX_RULES_CHARACTERS)?;
            // Rules for every symbol become one for each, which may be too long.
            Some(machine.to_string().trim_end().to_owned())
                .filter(|text| line::encode(text).len() <= MAX_RULES_CHARACTERS)
        };
        self.0 = written().unwrap_or_else(|| text.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_machines_have_equal_rules() {
        let take = |text: &str| {
            let mut rules = MachineRules::default();
            rules.take(&Value::Text(text.into()));
            rules.0
        };
        assert_eq!(take("a 0 1 r a\na _ _ s halt"), "a _ → _ S halt\na 0 → 1 R a");
        assert_eq!(take("no rule"), "no rule");
        assert_eq!(take(&MachineRules::default().0), MachineRules::default().0);
        // Eight rules for each of 23 states with long names do not fit.
        let name = |state: usize| format!("{}{state}", "q".repeat(30));
        let wild: String = (0..23).map(|state| format!("{} * → * R {};", name(state), name(0))).collect();
        let wild = wild + "a 1 → 2 R a;a 3 → 4 R a;a 5 → 6 R a;a 7 → 7 R a";
        assert!(Machine::parse(&wild).unwrap().to_string().len() > MAX_RULES_CHARACTERS);
        assert_eq!(take(&wild), wild);
    }
}
