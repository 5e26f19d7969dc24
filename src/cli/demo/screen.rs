//! Where it is shown: a live table on a terminal, lines elsewhere. Restores the terminal however it ends.

use std::io::{self, Write};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyModifiers};
use tokio::time::Instant;

use super::stage::Stage;
use super::{PICTURE, view};

mod table;

#[cfg(test)]
mod tests;

/// Where it is shown.
pub(super) enum Screen<'a> {
    /// A terminal.
    Live {
        terminal: DefaultTerminal,
        colour: bool,
        drawn: Option<Instant>,
    },
    /// Anything else: how many lines of the log were written.
    Plain { out: &'a mut dyn Write, written: usize },
}

impl<'a> Screen<'a> {
    /// Takes the terminal over.
    pub(super) fn live() -> io::Result<Self> {
        let colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Ok(Self::Live {
            terminal: ratatui::try_init()?,
            colour,
            drawn: None,
        })
    }

    /// Writes lines.
    pub(super) fn plain(out: &'a mut dyn Write) -> Self {
        Self::Plain { out, written: 0 }
    }

    /// Whether it is time to show something.
    pub(super) fn wants_picture(&self, now: Instant) -> bool {
        match self {
            Self::Live { drawn, .. } => drawn.is_none_or(|drawn| now - drawn >= PICTURE),
            Self::Plain { .. } => true,
        }
    }

    /// Shows the stage as it is.
    pub(super) fn show(&mut self, stage: &Stage) -> io::Result<()> {
        match self {
            Self::Live {
                terminal,
                colour,
                drawn,
            } => {
                terminal.draw(|frame| table::draw(frame, stage, *colour))?;
                *drawn = Some(Instant::now());
                Ok(())
            }
            Self::Plain { out, written } => {
                for entry in &stage.log[(*written).min(stage.log.len())..] {
                    writeln!(out, "{}", view::line(entry))?;
                }
                *written = stage.log.len();
                Ok(())
            }
        }
    }

    /// Whether a key asks to stop. On a terminal Ctrl-C is a key.
    pub(super) fn stop_asked(&self) -> io::Result<bool> {
        let Self::Live { .. } = self else { return Ok(false) };
        while event::poll(std::time::Duration::ZERO)? {
            if let Event::Key(key) = event::read()? {
                let control = key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c');
                if control || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Gives the terminal back.
    pub(super) fn close(self) {
        drop(self);
    }
}

impl Drop for Screen<'_> {
    fn drop(&mut self) {
        if let Self::Live { .. } = self {
            ratatui::restore();
        }
    }
}
