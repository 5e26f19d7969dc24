//! Pictures on a terminal that is only memory.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::Color;

use super::table::draw;
use crate::cli::demo::script::Script;
use crate::cli::demo::stage::Stage;

type Fallible = Result<(), Box<dyn std::error::Error>>;

async fn created() -> Result<Stage, Box<dyn std::error::Error>> {
    let mut stage = Stage::new(1, None).await?;
    let mut script = Script::new();
    for _ in 0..60 {
        script.play(&mut stage).await?;
        stage.step().await?;
    }
    Ok(stage)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_shows_children_with_reasons_below_the_state_and_above_the_log() -> Fallible {
    let stage = created().await?;
    let mut terminal = Terminal::new(TestBackend::new(150, 30))?;
    terminal.draw(|frame| draw(frame, &stage, true))?;
    let text = terminal.backend().to_string();
    for expected in [
        "CrawlJob news",
        "crawl-news-0",
        "redis-news",
        "keep",
        "D1 wanted",
        "makes CrawlJob news",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn at_80_columns_names_and_rules_are_whole_and_what_is_cut_says_so() -> Fallible {
    let stage = created().await?;
    let mut terminal = Terminal::new(TestBackend::new(80, 24))?;
    terminal.draw(|frame| draw(frame, &stage, false))?;
    let text = terminal.backend().to_string();
    for expected in ["crawl-register-news", "D1 wanted", "D3 volumes", "…"] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_colour_nothing_is_coloured() -> Fallible {
    let stage = created().await?;
    let mut terminal = Terminal::new(TestBackend::new(150, 30))?;
    terminal.draw(|frame| draw(frame, &stage, false))?;
    assert!(
        terminal
            .backend()
            .buffer()
            .content()
            .iter()
            .all(|cell| cell.fg == Color::Reset)
    );
    Ok(())
}
