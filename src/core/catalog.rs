//! Catalogs: an enum with one variant per entry, and a table that names them all.
//!
//! # Why
//! A new task, model or optimizer should be one file and one line. [`catalog!`](crate::catalog!) writes the enum, the
//! look-up by slug and the forwarding of settings, so that forms, permalinks, README rows and tests
//! walk the table instead of naming entries. Dispatch is by enum, not by trait object, because entries
//! are compared, cloned and put in links.

use crate::settings::Knob;
use crate::sources::Source;

/// What is known about an entry before it is used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Info {
    /// Permanent name in links and file names.
    pub slug: &'static str,
    /// The field's term, in sentence case.
    pub name: &'static str,
    /// One sentence on what it is.
    pub about: &'static str,
    /// Where it comes from.
    pub sources: &'static [Source],
}

impl Info {
    /// The same without the texts that this program does not [show](crate::language::SHOWS); the name is always kept.
    pub const fn shown(self) -> Info {
        let sources = if crate::language::SHOWS { self.sources } else { &[] };
        Info { about: crate::language::shown(self.about), sources, ..self }
    }
}

/// An entry of a catalog with its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The entry's name and description.
    pub info: Info,
    /// Its settings, in the order of the form.
    pub knobs: &'static [Knob],
}

/// Writes a catalog's enum. Each line is `module::Variant`, for a type with an associated constant `INFO: Info` and
/// [`crate::settings::Settings`]. The macro imports this type into the module of the catalog. The functions after the
/// enum return an entry as a trait object. An entry needs no comment of its own here:
///
/// ```ignore
/// catalog! {
///     /// Every task, with its settings.
///     pub enum Task {
///         /// Parity of a few hidden bits.
///         sparse_parity::SparseParity,
///     }
///     /// The task's sampler.
///     pub fn sampler(&self) -> &dyn Sampler;
/// }
/// ```
#[macro_export]
macro_rules! catalog {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$vmeta:meta])* $module:ident::$entry:ident),+ $(,)? }
        $($forwarded:tt)*
    ) => {
        $(pub use $module::$entry;)+
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name { $($(#[$vmeta])* #[doc = concat!("[`", stringify!($entry), "`].")] $entry($entry)),+ }
        impl Default for $name {
            /// The first entry with its defaults.
            fn default() -> Self {
                $crate::catalog!(@first $name $($entry)+)
            }
        }
        impl $name {
            /// Every entry, in the order of the menu.
            pub const ENTRIES: &'static [$crate::catalog::Entry] = &[$($crate::catalog::Entry {
                info: $entry::INFO.shown(),
                knobs: <$entry as $crate::settings::Settings>::KNOBS,
            }),+];
            /// The entry of that slug, with its defaults.
            pub fn from_slug(slug: &str) -> Option<Self> {
                $(if slug == $entry::INFO.slug { return Some($name::$entry(Default::default())) })+
                None
            }
            /// The entry's name and description.
            pub fn info(&self) -> &'static $crate::catalog::Info {
                match self { $($name::$entry(_) => const { &$entry::INFO.shown() }),+ }
            }
            /// The entry's settings.
            pub fn knobs(&self) -> &'static [$crate::settings::Knob] {
                match self { $($name::$entry(_) => <$entry as $crate::settings::Settings>::KNOBS),+ }
            }
            /// The field of each setting, in the same order.
            pub fn fields(&self) -> Vec<&dyn $crate::settings::Field> {
                match self { $($name::$entry(s) => $crate::settings::Settings::fields(s)),+ }
            }
            /// The same fields, mutable.
            pub fn fields_mut(&mut self) -> Vec<&mut dyn $crate::settings::Field> {
                match self { $($name::$entry(s) => $crate::settings::Settings::fields_mut(s)),+ }
            }
            /// The value of the setting `key`, if this entry has such a setting.
            pub fn value(&self, key: &str) -> Option<$crate::settings::Value> {
                $crate::settings::value_behind(self.knobs(), &self.fields(), key)
            }
            /// Sets the value of the setting `key`; `false` if this entry has no such setting.
            ///
            /// # Errors
            /// When the value is of the wrong kind or out of range.
            pub fn set(&mut self, key: &str, value: &$crate::settings::Value) -> Result<bool, $crate::settings::Problem> {
                $crate::settings::set_behind(self.knobs(), &mut self.fields_mut(), key, value)
            }
        }
        $crate::catalog!(@forward $name { $($entry)+ } $($forwarded)*);
    };
    (@first $name:ident $entry:ident $($others:ident)*) => { $name::$entry($entry::default()) };
    (@forward $name:ident $entries:tt) => {};
    (
        @forward $name:ident { $($entry:ident)+ }
        $(#[$meta:meta])* pub const $list:ident: [$of:ty];
        $($rest:tt)*
    ) => {
        impl $name {
            $(#[$meta])*
            pub const $list: &'static [$of] = &[$($entry::$list),+];
        }
        $crate::catalog!(@forward $name { $($entry)+ } $($rest)*);
    };
    (
        @forward $name:ident { $($entry:ident)+ }
        $(#[$meta:meta])* pub fn $get:ident(&self) -> &dyn $trait:path;
        $($rest:tt)*
    ) => {
        impl $name {
            $(#[$meta])*
            pub fn $get(&self) -> &dyn $trait {
                match self { $($name::$entry(entry) => entry),+ }
            }
        }
        $crate::catalog!(@forward $name { $($entry)+ } $($rest)*);
    };
    (
        @forward $name:ident { $($entry:ident)+ }
        $(#[$meta:meta])* pub fn $get:ident(&mut self) -> &mut dyn $trait:path;
        $($rest:tt)*
    ) => {
        impl $name {
            $(#[$meta])*
            pub fn $get(&mut self) -> &mut dyn $trait {
                match self { $($name::$entry(entry) => entry),+ }
            }
        }
        $crate::catalog!(@forward $name { $($entry)+ } $($rest)*);
    };
}
