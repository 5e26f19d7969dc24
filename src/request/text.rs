//! Small borrowed shapes that every raw object is made of. Takes JSON values, gives text that borrows from the body
//! where it can. `null` counts as missing everywhere.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

/// Labels and annotations with this prefix are ours; the values of all others are skipped, the last-applied
/// annotation above all.
const OURS: &str = "rollcall.dev/";

/// A string of the body. A newtype, because a bare `Cow` inside an `Option` or `Vec` is silently copied.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// Key and value pairs in the order of the body.
pub type Pairs<'a> = Vec<(Text<'a>, Text<'a>)>;

/// The value of `key`.
#[must_use]
pub fn value_of<'p>(pairs: &'p Pairs<'_>, key: &str) -> Option<&'p str> {
    pairs.iter().find(|(name, _)| &**name == key).map(|(_, value)| &**value)
}

/// `null` counts as missing.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// Any value but `null`.
pub(crate) fn is_there<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::<IgnoredAny>::deserialize(deserializer)?.is_some())
}

/// The pairs with our prefix.
pub(crate) fn ours<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Pairs<'de>, D::Error> {
    deserializer.deserialize_option(PairsVisitor(|key| key.starts_with(OURS)))
}

/// All pairs but the copy of the object that `kubectl apply` keeps.
pub(crate) fn without_last_applied<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Pairs<'de>, D::Error> {
    deserializer.deserialize_option(PairsVisitor(|key| {
        key != "kubectl.kubernetes.io/last-applied-configuration"
    }))
}

/// All pairs.
pub(crate) fn pairs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Pairs<'de>, D::Error> {
    deserializer.deserialize_option(PairsVisitor(|_| true))
}

struct PairsVisitor(fn(&str) -> bool);

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of strings")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut kept = Vec::new();
        while let Some(key) = map.next_key::<Text<'de>>()? {
            if (self.0)(&key) {
                let value = map.next_value::<Option<Text<'de>>>()?;
                kept.push((key, value.unwrap_or(Text(Cow::Borrowed("")))));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(kept)
    }
}
