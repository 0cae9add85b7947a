//! Catalogs: an enum with one variant per entry, and a table that names them all.
//!
//! # Why
//! A new task, model or optimizer should be one file and one line. [`catalog!`](crate::catalog!) writes the enum, the
//! look-up by slug and the forwarding of settings, so that forms, permalinks, README rows and tests
//! walk the table instead of naming entries. Dispatch is by enum, not by trait object, because entries
//! are compared, cloned and put in links.

use crate::settings::SettingInfo;
use crate::sources::Source;

/// Name, description and sources of a catalog entry (a task, model or optimizer) or of a lab.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CatalogInfo {
    /// Permanent name in links and file names, such as `sparse-parity`.
    pub slug: &'static str,
    /// Usual name of the task, model, optimizer or lab in the literature, in sentence case.
    pub name: &'static str,
    /// Description of the task, model, optimizer or lab in one sentence.
    pub about: &'static str,
    /// Publications that define or study the task, model, optimizer or lab.
    pub sources: &'static [Source],
}

impl CatalogInfo {
    /// Returns the info without description and sources where this build [has no texts](crate::language::HAS_TEXTS), as
    /// in a worker; the name is always kept.
    pub const fn shown(self) -> CatalogInfo {
        let sources = if crate::language::HAS_TEXTS { self.sources } else { &[] };
        CatalogInfo { about: crate::language::shown(self.about), sources, ..self }
    }
}

/// Name, description and settings of one catalog entry, without values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CatalogEntry {
    /// Name, description and sources of the task, model or optimizer.
    pub info: CatalogInfo,
    /// Declarations of the settings of the task, model or optimizer, in the order of the form.
    pub settings: &'static [SettingInfo],
}

/// Writes a catalog's enum. Each line is `module::Variant`, for a type with an associated constant `INFO: CatalogInfo`
/// and [`crate::settings::Settings`]. The macro imports this type into the module of the catalog. The functions after
/// the enum return the entry's settings as a trait object. An entry needs no comment of its own here:
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
            /// First entry of the catalog, with its settings at their defaults.
            fn default() -> Self {
                $crate::catalog!(@first $name $($entry)+)
            }
        }
        impl $name {
            /// Name, description and settings of every entry of this catalog, in the order of the menu.
            pub const ENTRIES: &'static [$crate::catalog::CatalogEntry] = &[$($crate::catalog::CatalogEntry {
                info: $entry::INFO.shown(),
                settings: <$entry as $crate::settings::Settings>::SETTINGS,
            }),+];
            /// Returns the catalog entry with this slug, its settings at their defaults; `None` for an unknown slug.
            pub fn from_slug(slug: &str) -> Option<Self> {
                $(if slug == $entry::INFO.slug { return Some($name::$entry(Default::default())) })+
                None
            }
            /// Name, description and sources of this entry.
            pub fn info(&self) -> &'static $crate::catalog::CatalogInfo {
                match self { $($name::$entry(_) => const { &$entry::INFO.shown() }),+ }
            }
            /// Declarations of this entry's settings, in the order of the form.
            pub fn settings(&self) -> &'static [$crate::settings::SettingInfo] {
                match self { $($name::$entry(_) => <$entry as $crate::settings::Settings>::SETTINGS),+ }
            }
            /// Fields that hold this entry's settings, in the order of `settings`.
            pub fn fields(&self) -> Vec<&dyn $crate::settings::Field> {
                match self { $($name::$entry(s) => $crate::settings::Settings::fields(s)),+ }
            }
            /// Mutable fields that hold this entry's settings, in the order of `settings`.
            pub fn fields_mut(&mut self) -> Vec<&mut dyn $crate::settings::Field> {
                match self { $($name::$entry(s) => $crate::settings::Settings::fields_mut(s)),+ }
            }
            /// The value of the setting `key`, if this entry has such a setting.
            pub fn value(&self, key: &str) -> Option<$crate::settings::Value> {
                $crate::settings::value_of_key(self.settings(), &self.fields(), key)
            }
            /// Sets the value of the setting `key`; `false` if this entry has no such setting.
            ///
            /// # Errors
            /// When the value is of the wrong kind or out of range.
            pub fn set(&mut self, key: &str, value: &$crate::settings::Value) -> Result<bool, $crate::settings::InvalidSetting> {
                $crate::settings::set_by_key(self.settings(), &mut self.fields_mut(), key, value)
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
