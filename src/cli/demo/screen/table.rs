//! One picture: head, table of children, log. Pure drawing; without colour it says the same.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row, Table};

use crate::cli::demo::stage::Stage;
use crate::cli::demo::view;
use crate::desired::Does;

/// Draws the stage.
pub(in crate::cli::demo) fn draw(frame: &mut Frame<'_>, stage: &Stage, colour: bool) {
    let rows = view::rows(stage);
    let height = u16::try_from(rows.len())
        .unwrap_or(u16::MAX)
        .saturating_add(3)
        .clamp(6, 14);
    let areas =
        Layout::vertical([Constraint::Length(1), Constraint::Length(height), Constraint::Min(3)]).split(frame.area());
    let paint = Paint { colour };
    frame.render_widget(head(stage, paint), areas[0]);
    frame.render_widget(table(&rows, paint), areas[1]);
    let space = usize::from(areas[2].height.saturating_sub(1));
    frame.render_widget(log(stage, space, paint), areas[2]);
}

#[derive(Debug, Clone, Copy)]
struct Paint {
    colour: bool,
}

impl Paint {
    fn fg(self, colour: Color) -> Style {
        if self.colour {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }

    fn strong(self) -> Style {
        if self.colour {
            Style::new().add_modifier(Modifier::BOLD)
        } else {
            Style::new()
        }
    }

    fn does(self, does: Option<Does>) -> Style {
        match does {
            None | Some(Does::Ignore) => self.fg(Color::DarkGray),
            Some(Does::Keep) => self.fg(Color::Green),
            Some(Does::Make) => self.fg(Color::Cyan),
            Some(Does::CallBack) => self.fg(Color::Yellow),
        }
    }
}

fn head(stage: &Stage, paint: Paint) -> Paragraph<'static> {
    let head = view::head(stage);
    let hook = if head.hook == "up" {
        paint.fg(Color::Green)
    } else {
        paint.fg(Color::Red)
    };
    Paragraph::new(Line::from(vec![
        Span::styled(" CrawlJob news ", paint.strong()),
        Span::styled(format!(" {} ", head.state), paint.strong().patch(paint.fg(Color::Cyan))),
        Span::raw(format!("  {}   {}   hook ", head.pages, head.files)),
        Span::styled(head.hook, hook),
        Span::raw(format!("   {}   (q stops)", head.clock)),
    ]))
}

fn table(rows: &[view::Row], paint: Paint) -> Table<'static> {
    let cells = rows.iter().map(|row| {
        Row::new([
            Cell::from(kind(row.kind)),
            Cell::from(row.name.clone()),
            Cell::from(row.state.clone()).style(state_style(&row.state, paint)),
            Cell::from(row.doing.clone()),
            Cell::from(view::word(row.does)).style(paint.does(row.does)),
            Cell::from(row.why.clone()),
        ])
    });
    let widths = [
        Constraint::Length(6),
        Constraint::Length(22),
        Constraint::Length(18),
        Constraint::Length(44),
        Constraint::Length(9),
        Constraint::Min(20),
    ];
    Table::new(cells, widths)
        .header(Row::new(["", "child", "state", "doing", "answer", "why"]).style(paint.strong()))
        .block(Block::new().borders(Borders::TOP | Borders::BOTTOM))
}

fn kind(kind: &str) -> &'static str {
    match kind {
        "Pod" => "pod",
        "PersistentVolumeClaim" => "volume",
        _ => "map",
    }
}

fn state_style(state: &str, paint: Paint) -> Style {
    match state {
        "Running" | "Bound" | "Completed" => paint.fg(Color::Green),
        "Pending" | "ContainerCreating" | "Terminating" => paint.fg(Color::Yellow),
        "" => Style::new(),
        _ => paint.fg(Color::Red),
    }
}

fn log(stage: &Stage, space: usize, paint: Paint) -> Paragraph<'static> {
    let from = stage.log.len().saturating_sub(space);
    let lines: Vec<Line<'static>> = stage.log[from..]
        .iter()
        .map(|entry| {
            let style = match entry.who {
                "hook" => paint.fg(Color::Cyan),
                "user" => paint.fg(Color::Magenta),
                _ => Style::new(),
            };
            Line::styled(format!(" {}", view::line(entry)), style)
        })
        .collect();
    Paragraph::new(lines)
}
