//! How long a text is as a JSON string inside a ConfigMap. Takes text, gives bytes.
//!
//! metacontroller keeps the last answer in an annotation of at most 256 KiB, written by an encoder that also escapes
//! `<`, `>`, `&` and two line separators; this counts as that one does.

/// Bytes of `text` as a JSON string, quotes included.
#[must_use]
pub fn json_string(text: &str) -> usize {
    text.chars().map(width).sum::<usize>() + 2
}

fn width(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => 6,
        c if c < ' ' => 6,
        c => c.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert, proptest};

    use super::json_string;

    #[test]
    fn characters_that_metacontroller_escapes_count_as_escaped() {
        assert_eq!(json_string(""), 2);
        assert_eq!(json_string("a\"b"), 6);
        assert_eq!(json_string("a&b"), 10);
        assert_eq!(json_string("\u{1}"), 8);
        assert_eq!(json_string("é"), 4);
    }

    proptest! {
        #[test]
        fn it_is_never_less_than_plain_json(text in any::<String>()) {
            prop_assert!(json_string(&text) >= serde_json::to_string(&text).unwrap().len());
        }
    }
}
