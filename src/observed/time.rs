//! Reading times (O10): every RFC 3339 form, equal by instant. Takes text, gives a [`Timestamp`] or nothing.
//! It never reads a clock: that is [`crate::clock`].

/// An instant.
pub type Timestamp = k8s_openapi::jiff::Timestamp;

/// Whole seconds from `from` to `to`, never below 0: a stamp in the future, or a clock that jumped back, is no age (O10).
#[must_use]
pub fn seconds_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.duration_since(from).as_secs()).unwrap_or(0)
}

/// The instant as RFC 3339 text in whole seconds, as every answer writes times.
#[must_use]
pub fn whole_seconds(at: Timestamp) -> String {
    Timestamp::from_second(at.as_second()).unwrap_or(at).to_string()
}

/// The instant that `text` names; nothing when it is unreadable.
#[must_use]
pub fn read(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn all_forms_of_one_instant_are_equal() {
        let zulu = read("2026-11-30T12:42:44Z").unwrap();
        for form in [
            "2026-11-30T12:42:44+00:00",
            "2026-11-30T12:42:44-00:00",
            "2026-11-30t12:42:44z",
            "2026-11-30 12:42:44Z",
            "2026-11-30T12:42:44.000Z",
            "2026-11-30T13:42:44+01:00",
            "2026-11-30T06:12:44.000000000-06:30",
        ] {
            assert_eq!(read(form), Some(zulu), "{form}");
        }
        assert!(read("2026-11-30T12:42:44.5Z") > Some(zulu));
        assert!(read("2016-12-31T23:59:60Z").is_some(), "a leap second is a time");
    }

    #[test]
    fn what_is_no_time_is_unset() {
        for form in [
            "",
            "soon",
            "2026-11-30",
            "2026-11-30T12:42:44",
            "2026-13-30T12:42:44Z",
            "1796042564",
            "null",
        ] {
            assert_eq!(read(form), None, "{form}");
        }
    }
}
