//! The grammar by example, and against a second formulation over plain fractions.

use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::{Quantity, bytes, canonical_bytes};

fn parse(text: &str) -> Quantity {
    Quantity::parse(text).unwrap()
}

#[test]
fn fractions_of_binary_suffixes_are_exact() {
    assert_eq!(bytes("1.5Gi"), Some(1_610_612_736));
    assert_eq!(bytes("0.1Ki"), Some(103), "102.4 rounds up");
    assert_eq!(bytes(".5Mi"), Some(524_288));
    assert_eq!(bytes("5.Ki"), Some(5120));
}

#[test]
fn e_is_exa_unless_digits_follow() {
    assert_eq!(bytes("1E"), Some(1_000_000_000_000_000_000));
    assert_eq!(bytes("1E3"), Some(1000));
    assert_eq!(bytes("1e3"), Some(1000));
    assert_eq!(bytes("+1.5e+3"), Some(1500));
    assert_eq!(bytes("1500e-3"), Some(2));
    assert_eq!(bytes("1Ei"), Some(1 << 60));
}

#[test]
fn the_largest_value_is_exact_and_more_is_capped() {
    assert_eq!(bytes("9223372036854775807"), Some(9_223_372_036_854_775_807));
    for text in ["9223372036854775808", "12E", "8Ei", "1e100", "1e99999999999999999999"] {
        assert_eq!(parse(text), parse("9223372036854775807"), "{text}");
    }
}

#[test]
fn what_is_finer_than_a_billionth_rounds_away_from_zero() {
    for text in [
        "1n",
        "0.1n",
        "1e-9",
        "0.0000000000000000000000001",
        "1e-4000000000",
        "0.000000001",
    ] {
        assert_eq!(parse(text), parse("1n"), "{text}");
    }
    assert_eq!(parse("-0.1n"), parse("-1n"));
    for zero in ["0", "-0", "0e100", "0.000Ei", "00"] {
        assert_eq!(parse(zero), parse("0"), "{zero}");
    }
}

#[test]
fn what_is_outside_the_grammar_is_refused() {
    for text in [
        "", "Ki", ".", "-", "+", "1.5e3Mi", "1e", "1e+", "1ki", "1K", "1mi", "1 Gi", " 1", "1_000", "--1", "1.2.3",
        "0x1", "1e1.5", "NaN", "inf", "１", "1Gi\n", "1٣",
    ] {
        assert!(Quantity::parse(text).is_err(), "{text}");
    }
    let fault = Quantity::parse(&"x".repeat(1000)).unwrap_err();
    assert_eq!(fault.text.len(), 64);
}

#[test]
fn negative_amounts_have_no_bytes() {
    assert_eq!(bytes("-1"), None);
    assert_eq!(parse("-1").millis(), None);
    assert_eq!(bytes("-0"), Some(0));
    assert!(parse("-1") < parse("0"));
}

#[test]
fn o11_equal_amounts_in_other_notations_are_equal() {
    assert_eq!(parse("1000m"), parse("1"));
    assert_eq!(parse("1228800Ki"), parse("1258291200"));
    assert_eq!(parse("0.5"), parse("500m"));
    assert_eq!(parse("500m").millis(), Some(500));
    assert_eq!(parse("0.1m").millis(), Some(1));
}

#[test]
fn the_canonical_form_is_short_and_exact() {
    for (text, canonical) in [
        ("0", "0"),
        ("1000m", "1"),
        ("1500m", "1500m"),
        ("2048", "2Ki"),
        ("1536Mi", "1536Mi"),
        ("1000", "1k"),
        ("26843545600", "25Gi"),
        ("-2000", "-2k"),
        ("0.1n", "1n"),
        ("1e9", "1G"),
        ("8Ei", "9223372036854775807"),
    ] {
        assert_eq!(parse(text).to_string(), canonical, "{text}");
    }
    assert_eq!(canonical_bytes(26_843_545_600), "25Gi");
    assert_eq!(canonical_bytes(0), "0");
}

#[test]
fn a_text_of_a_million_digits_is_read_in_time() {
    assert_eq!(bytes(&format!("1.{}1", "0".repeat(1_000_000))), Some(2));
    assert_eq!(bytes(&"0".repeat(1_000_000)), Some(0));
    assert_eq!(parse(&"9".repeat(1_000_000)), parse("8Ei"));
}

/// Suffix, and its factor as powers of two and ten.
fn suffixes() -> impl Strategy<Value = (String, u32, i32)> {
    let fixed = |name: &str, two, ten| Just((name.to_owned(), two, ten));
    prop_oneof![
        fixed("n", 0, -9),
        fixed("u", 0, -6),
        fixed("m", 0, -3),
        fixed("", 0, 0),
        fixed("k", 0, 3),
        fixed("M", 0, 6),
        fixed("G", 0, 9),
        fixed("Ki", 10, 0),
        fixed("Mi", 20, 0),
        fixed("Gi", 30, 0),
        fixed("Ti", 40, 0),
        (-9..9).prop_map(|ten| (format!("e{ten}"), 0, ten)),
        (0..9).prop_map(|ten| (format!("E+{ten}"), 0, ten)),
    ]
}

proptest! {
    #[test]
    fn reading_agrees_with_plain_fractions(
        negative in any::<bool>(), whole in 0_u32..100_000, fraction in "[0-9]{0,5}", (suffix, two, ten) in suffixes(),
    ) {
        let text = format!("{}{whole}.{fraction}{suffix}", if negative { "-" } else { "" });
        let numerator: u128 = format!("{whole}{fraction}").parse().unwrap();
        let places = i32::try_from(fraction.len()).unwrap();
        let (up, down) = (ten + 9 - places, places - ten - 9);
        let raised = numerator * 2_u128.pow(two) * 10_u128.pow(u32::try_from(up.max(0)).unwrap());
        let nanos = raised.div_ceil(10_u128.pow(u32::try_from(down.max(0)).unwrap()));
        let capped = i128::try_from(nanos).unwrap().min(i128::from(i64::MAX) * 1_000_000_000);
        prop_assert_eq!(parse(&text).nanos, if negative { -capped } else { capped });
    }

    #[test]
    fn the_canonical_form_reads_back_as_the_same_value(nanos in -9_000_000_000_000_000_000_000_000_000_i128..9_000_000_000_000_000_000_000_000_000) {
        let quantity = Quantity { nanos };
        prop_assert_eq!(parse(&quantity.to_string()), quantity);
    }

    #[test]
    fn bytes_read_back(number in 0..u64::MAX / 2) {
        prop_assert_eq!(bytes(&canonical_bytes(number)), Some(number));
    }

    #[test]
    fn no_text_panics(text in "[-+.0-9eEinumkKMGTP]{0,40}|.{0,40}") {
        if let Ok(quantity) = Quantity::parse(&text) {
            prop_assert!(quantity.bytes().is_some() || text.starts_with('-'));
        }
    }
}
