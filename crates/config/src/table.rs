//! The building blocks of the settings: a [`Setting`] for each value, and a [`Key`] that describes it.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::sync::LazyLock;

use super::kind::{Form, Kind};
use super::settings::Settings;
use askbridge_peers::nearest::nearest;

/// A value, its text, and its source.
#[derive(Debug, Clone)]
pub struct Setting<T> {
    pub value: T,
    /// As the environment would have it. Empty: no value and no default.
    pub text: String,
    pub source: Source,
}

impl<T> Deref for Setting<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Setting<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T> Setting<T> {
    pub(crate) fn read(kind: &Kind<T>, text: &str, source: Source) -> Result<Self, String> {
        let text = kind.form.tidied(text)?;
        Ok(Self { value: (kind.read)(kind.form, &text)?, text, source })
    }

    /// The default of a setting.
    pub(crate) fn default_of(kind: &Kind<T>, default: &Default, machine: &Machine) -> Self {
        let (text, source) = (default.text(machine), Source::Default);
        // A default that is only described in words has no value.
        let read = if default.is_words(machine) { "" } else { &text };
        Self { value: (kind.read)(kind.form, read).expect("every default is a value of its kind"), text, source }
    }

    /// The value, unless it is only the default.
    pub fn chosen(&self) -> Option<&T> {
        (self.source != Source::Default).then_some(&self.value)
    }

    /// Was it set for this command, with a flag or a variable?
    pub fn is_for_this_command(&self) -> bool {
        matches!(self.source, Source::Flag(_) | Source::Env(_))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Default,
    File { path: PathBuf, line: usize },
    Env(&'static str),
    Flag(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Env(name) => write!(f, "${name}"),
            Self::Flag(name) => write!(f, "--{name}"),
        }
    }
}

/// Defaults that depend on the machine.
#[derive(Debug, Clone, Default)]
pub struct Machine {
    pub data: Option<String>,
    pub user: Option<String>,
    /// The working directory at start.
    pub folder: Option<String>,
    pub collector: Option<String>,
}

/// The default of a setting.
pub(crate) enum Default {
    Text(&'static str),
    /// No value; described in words.
    Nothing(&'static str),
    /// Described in words, and computed on this machine.
    Computed(&'static str, fn(&Machine) -> Option<&String>),
}

impl Default {
    fn text(&self, machine: &Machine) -> String {
        match self {
            Self::Text(text) => (*text).to_owned(),
            Self::Nothing(_) => String::new(),
            Self::Computed(words, get) => get(machine).cloned().unwrap_or_else(|| (*words).to_owned()),
        }
    }

    fn is_words(&self, machine: &Machine) -> bool {
        matches!(self, Self::Computed(_, get) if get(machine).is_none())
    }

    /// As the reference shows it.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Text("") => "none".to_owned(),
            Self::Text(text) => format!("`{text}`"),
            Self::Nothing(words) | Self::Computed(words, _) => (*words).to_owned(),
        }
    }
}

/// Which programs read a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The server, and every command that talks to it.
    Everyone,
    /// The server alone.
    Server,
    /// Commands that talk to a server, also from the file.
    Commands,
    /// Commands alone, and never from a file.
    Caller,
}

/// The description of one setting.
pub struct Key {
    /// As in the file; `log.level` is `level` in the section `[log]`.
    pub name: String,
    pub env: String,
    /// Without its dashes. `None` if there is no flag.
    pub flag: Option<String>,
    pub form: Form,
    pub whose: Whose,
    pub doc: String,
    pub(crate) default: Default,
    pub(crate) set: fn(&mut Settings, &str, Source) -> Result<(), String>,
    pub(crate) get: fn(&Settings) -> (&str, &Source),
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A setting as `config show` prints it.
#[derive(Debug)]
pub struct Shown<'a> {
    pub key: &'static Key,
    pub text: &'a str,
    pub source: &'a Source,
}

impl Key {
    pub(crate) fn section(&self) -> &str {
        self.name.split_once('.').map_or("", |(section, _)| section)
    }

    /// The name without its section.
    pub(crate) fn short(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or(&self.name)
    }
}

/// A row of the structure states what differs from these: by default, the variable and the flag are derived from the
/// name in the file.
pub(crate) struct Names {
    pub(crate) env: Option<&'static str>,
    pub(crate) flag: Flag,
    pub(crate) whose: Whose,
}

pub(crate) enum Flag {
    LikeTheName,
    Called(&'static str),
    Without,
}

pub(crate) const USUAL: Names = Names { env: None, flag: Flag::LikeTheName, whose: Whose::Server };

impl Names {
    /// The name in the file, the variable and the flag.
    pub(crate) fn of(&self, section: &str, field: &str) -> (String, String, Option<String>) {
        let name = if section == "top" { field.to_owned() } else { format!("{section}.{field}") };
        let env = format!("ASKBRIDGE_{}", name.replace('.', "_").to_uppercase());
        let flag = match self.flag {
            Flag::LikeTheName => Some(name.replace(['.', '_'], "-")),
            Flag::Called(flag) => Some(flag.to_owned()),
            Flag::Without => None,
        };
        (name, self.env.map_or(env, str::to_owned), flag)
    }
}

/// Generates the structure, its defaults and the [`Key`] of each field.
macro_rules! settings {
    ($(
        $(#[$about:meta])*
        $section:ident: $Section:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty = $kind:expr, $default:expr $(, $name:ident: $called:expr)*;
            )*
        }
    )*) => {
        /// Every setting.
        #[derive(Debug, Clone)]
        pub struct Settings {
            $(pub $section: $Section,)*
        }

        $(
            $(#[$about])*
            #[derive(Debug, Clone)]
            pub struct $Section {
                $($(#[doc = $doc])+ pub $field: Setting<$type>,)*
            }
        )*

        impl Settings {
            /// The defaults of this machine.
            pub fn of(machine: &Machine) -> Self {
                Self { $($section: $Section { $($field: Setting::default_of(&$kind, &$default, machine),)* },)* }
            }
        }

        fn keys() -> Vec<Key> {
            vec![$($({
                let names = Names { $($name: $called,)* ..USUAL };
                let (name, env, flag) = names.of(stringify!($section), stringify!($field));
                Key {
                    name,
                    env,
                    flag,
                    form: { const KIND: Kind<$type> = $kind; KIND.form },
                    whose: names.whose,
                    doc: concat!($($doc),+).trim().to_owned(),
                    default: $default,
                    set: |all, text, source| {
                        all.$section.$field = Setting::read(&$kind, text, source)?;
                        Ok(())
                    },
                    get: |all| (&all.$section.$field.text, &all.$section.$field.source),
                }
            },)*)*]
        }
    };
}
pub(crate) use settings;

/// Every key, in the order of the structure.
pub(crate) static KEYS: LazyLock<Vec<Key>> = LazyLock::new(super::settings::all_keys);

/// Returns the key with this name.
pub(crate) fn key(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Returns the term of a rule with this name.
pub(crate) fn term(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.section() == "terms" && key.short() == name)
}

/// Is this the name of a section?
pub(crate) fn is_section(name: &str) -> bool {
    KEYS.iter().any(|key| key.section() == name)
}

/// Returns the variable that was probably meant; `None` if this is one, or if none is similar.
pub fn misspelt(variable: &str) -> Option<String> {
    let names = || KEYS.iter().map(|key| &*key.env).chain(["ASKBRIDGE_CONFIG"]);
    if names().any(|name| name == variable) {
        return None;
    }
    let short = |name: &str| name.trim_start_matches("ASKBRIDGE_").to_lowercase();
    let known: Vec<_> = names().map(short).collect();
    let meant = nearest(&short(variable), known.iter().map(String::as_str))?;
    Some(format!("ASKBRIDGE_{}", meant.to_uppercase()))
}
