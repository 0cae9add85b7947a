//! Enums without data, whose variants are the options of a setting.

use super::{Field, Value};

/// Enum declared by [`choices!`](crate::choices), whose variants are the options of a setting.
pub trait OptionEnum: Copy + 'static {
    /// Every option of the setting as a variant, in the order of the form.
    const VARIANTS: &'static [Self];
    /// Slug of the option, by which a permalink names it.
    fn option(self) -> &'static str;
}

impl<T: OptionEnum> Field for Vec<T> {
    fn to_value(&self) -> Value {
        Value::Set(self.iter().map(|variant| variant.option().to_string()).collect())
    }
    fn take(&mut self, value: &Value) {
        let Value::Set(slugs) = value else { return };
        let is_chosen = |variant: &&T| slugs.iter().any(|slug| slug == variant.option());
        *self = T::VARIANTS.iter().filter(is_chosen).copied().collect();
    }
}

/// Declares an enum without data, each variant with the slug and the label of a [`ChoiceOption`](crate::settings::ChoiceOption).
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$vmeta:meta])* $variant:ident = $slug:literal, $label:literal;)+
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }
        impl $name {
            /// Slug and label of every variant, in the order of the form.
            pub const OPTIONS: &'static [$crate::settings::ChoiceOption] =
                &[$($crate::settings::ChoiceOption { slug: $slug, label: $crate::language::shown($label) }),+];
            /// Every variant, in the order of `OPTIONS`.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// Slug of the variant, its name in a permalink.
            pub fn slug(self) -> &'static str {
                match self { $($name::$variant => $slug),+ }
            }
        }
        impl $crate::settings::Field for $name {
            fn to_value(&self) -> $crate::settings::Value {
                $crate::settings::Value::Choice(self.slug().to_string())
            }
            fn take(&mut self, value: &$crate::settings::Value) {
                if let Some(at) = $crate::settings::option_index(Self::OPTIONS, value) {
                    *self = Self::ALL[at];
                }
            }
        }
        impl $crate::settings::OptionEnum for $name {
            const VARIANTS: &'static [Self] = Self::ALL;
            fn option(self) -> &'static str {
                self.slug()
            }
        }
    };
}
