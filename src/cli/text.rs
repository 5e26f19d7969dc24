//! What the commands for people share: input from a file or standard input, aligned columns, and text that a terminal
//! may show whatever it holds.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use super::CliError;

/// Reads a file; nothing and `-` stand for standard input.
pub(super) fn input(file: Option<&Path>) -> Result<Vec<u8>, CliError> {
    let Some(path) = file.filter(|path| *path != Path::new("-")) else {
        let mut bytes = Vec::new();
        io::stdin()
            .lock()
            .read_to_end(&mut bytes)
            .map_err(|error| CliError::Usage(format!("reading standard input: {error}")))?;
        return Ok(bytes);
    };
    fs::read(path).map_err(|error| CliError::Usage(format!("reading {}: {error}", path.display())))
}

/// The text without anything that moves a terminal's cursor or hides what follows.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '"' | '\'' | '\\') {
            plain.push(c);
        } else {
            plain.extend(c.escape_debug());
        }
    }
    plain
}

/// Writes rows in columns that are as wide as their widest cell; nothing ends with a space.
pub(super) fn table<const N: usize>(rows: &[[String; N]], out: &mut impl Write) -> io::Result<()> {
    let mut widths = [0; N];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    for row in rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned);
        let mut out = Vec::new();
        table(&[row(["KIND", "NAME", "WHY"]), row(["Pod", "crawl-ä-0", ""])], &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "KIND  NAME       WHY\nPod   crawl-ä-0\n"
        );
    }

    #[test]
    fn what_a_terminal_would_obey_is_escaped() {
        assert_eq!(plain("a\u{1b}[2Jb\nc\u{202e}"), "a\\u{1b}[2Jb\\nc\\u{202e}");
        assert_eq!(plain(r#"it's "ä" \"#), r#"it's "ä" \"#);
    }
}
