//! Recordings, moment by moment.

use lictor_page::PageInput;

use crate::browser::{Browser, DESK};
use crate::time::LEFT;
use crate::two::recorded;

#[tokio::test]
async fn a_recording_is_shown_moment_by_moment() {
    let bytes = recorded();
    let input = PageInput { name: "two.rec", bytes: &bytes, system: "", arguments: "", schedulers: &[] };
    let Some(browser) = Browser::open("recording", Some(input), DESK).await else { return };
    browser.reads("#recorded", "all of it was repeated").await;
    browser.reads("#cycle-said", "Moment 1 of 2: 1 nominated, 1 evicted").await;
    browser.press("d/low").await;
    browser.reads("#why", "is evicted from n1").await;
    browser.set("#moment", "2").await;
    browser.reads("#cycle-said", "Moment 2 of 2, 1970-01-01T00:00:05Z: 1 bound").await;
    browser.write("#moment", LEFT).await;
    browser.reads("#cycle-said", "Moment 1 of 2").await;
    browser.click("#tab-change").await;
    browser.reads("#cluster", "A recording can be looked at, not changed.").await;
}

/// Checks that a chosen file that begins as a recording is read as one.
#[tokio::test]
async fn a_recording_is_chosen() {
    let Some(browser) = Browser::open("chosen", None, DESK).await else { return };
    let file = std::env::temp_dir().join(format!("lictor-chosen-{}.rec", std::process::id()));
    std::fs::write(&file, recorded()).unwrap();
    browser.write("#file", file.to_str().unwrap()).await;
    browser.reads("header", "lictor-chosen").await;
    browser.reads("#cycle-said", "of 2").await;
    std::fs::remove_file(&file).unwrap();
}
