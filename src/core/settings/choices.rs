//! Enums without data, one option of a form each.

use super::{Field, Value};

/// An enum that [`choices!`](crate::choices) declares.
pub trait Options: Copy + 'static {
    /// Every variant, in the order of the form.
    const VARIANTS: &'static [Self];
    /// The slug that stands in a permalink.
    fn option(self) -> &'static str;
}

impl<T: Options> Field for Vec<T> {
    fn to_value(&self) -> Value {
        Value::Set(self.iter().map(|variant| variant.option().to_string()).collect())
    }
    fn take(&mut self, value: &Value) {
        let Value::Set(slugs) = value else { return };
        let is_chosen = |variant: &&T| slugs.iter().any(|slug| slug == variant.option());
        *self = T::VARIANTS.iter().filter(is_chosen).copied().collect();
    }
}

/// An enum without data, each variant with the slug and the label of a [`Choice`].
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$vmeta:meta])* $variant:ident = $slug:literal, $label:literal;)+
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }
        impl $name {
            /// Every option, in the order of the form.
            pub const OPTIONS: &'static [$crate::settings::Choice] =
                &[$($crate::settings::Choice { slug: $slug, label: $crate::language::shown($label) }),+];
            /// Every variant, in the same order.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// The slug that stands in a permalink.
            pub fn slug(self) -> &'static str {
                match self { $($name::$variant => $slug),+ }
            }
        }
        impl $crate::settings::Field for $name {
            fn to_value(&self) -> $crate::settings::Value {
                $crate::settings::Value::Choice(self.slug().to_string())
            }
            fn take(&mut self, value: &$crate::settings::Value) {
                if let Some(at) = $crate::settings::chosen(Self::OPTIONS, value) {
                    *self = Self::ALL[at];
                }
            }
        }
        impl $crate::settings::Options for $name {
            const VARIANTS: &'static [Self] = Self::ALL;
            fn option(self) -> &'static str {
                self.slug()
            }
        }
    };
}
