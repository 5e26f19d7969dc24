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
    frame.render_widget(head(stage, areas[0].width, paint), areas[0]);
    frame.render_widget(table(&rows, areas[1].width, paint), areas[1]);
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

fn head(stage: &Stage, width: u16, paint: Paint) -> Paragraph<'static> {
    let head = view::head(stage);
    let hook = if head.hook == "up" {
        paint.fg(Color::Green)
    } else {
        paint.fg(Color::Red)
    };
    let mut line = Line::from(vec![
        Span::styled(" CrawlJob news ", paint.strong()),
        Span::styled(format!(" {} ", head.state), paint.strong().patch(paint.fg(Color::Cyan))),
        Span::raw(format!(" {}  {}  hook ", head.pages, head.files)),
        Span::styled(head.hook, hook),
        Span::raw(format!("  {}", head.clock)),
    ]);
    let stops = "  (q stops)";
    if line.width() + stops.len() <= usize::from(width) {
        line.push_span(stops);
    }
    Paragraph::new(line)
}

fn table(rows: &[view::Row], width: u16, paint: Paint) -> Table<'static> {
    let widths = widths(rows, width);
    let cells = rows.iter().map(|row| {
        let texts = [
            kind(row.kind),
            &row.name,
            &row.state,
            &row.doing,
            view::word(row.does),
            &row.why,
        ];
        let styles = [
            Style::new(),
            Style::new(),
            state_style(&row.state, paint),
            Style::new(),
            paint.does(row.does),
            Style::new(),
        ];
        let cells = texts.into_iter().zip(widths).zip(styles);
        Row::new(cells.map(|((text, width), style)| Cell::from(cut(text, width)).style(style)))
    });
    Table::new(
        cells,
        widths.map(|width| Constraint::Length(u16::try_from(width).unwrap_or(u16::MAX))),
    )
    .header(Row::new(["", "child", "state", "doing", "answer", "why"]).style(paint.strong()))
    .block(Block::new().borders(Borders::TOP | Borders::BOTTOM))
}

/// Columns between which one stays free. Names and states get what they need; what is left is shared by what a pod does and
/// why it stays or goes, and the second gets the larger half.
fn widths(rows: &[view::Row], width: u16) -> [usize; 6] {
    const KIND: usize = 6;
    const ANSWER: usize = 9;
    let longest = |text: fn(&view::Row) -> &String| rows.iter().map(|row| text(row).chars().count()).max().unwrap_or(0);
    let name = longest(|row| &row.name).clamp(5, 28);
    let state = longest(|row| &row.state).clamp(5, 18);
    let left = usize::from(width).saturating_sub(KIND + name + state + ANSWER + 5);
    let doing = longest(|row| &row.doing).clamp(5, 44).min(left / 2);
    [KIND, name, state, doing, ANSWER, left - doing]
}

/// The text, or as much of it as fits with a sign that it was cut.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept + "…"
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
