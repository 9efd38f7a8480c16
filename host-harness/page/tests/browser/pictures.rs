//! Pictures of the page, for people to look at, in the folder that `LICTOR_SCREENSHOTS` names.

use std::path::PathBuf;
use std::{env, fs};

use crate::FOUR_TEAMS;
use crate::browser::{Browser, DESK, PHONE, input};

#[tokio::test]
async fn pictures_are_taken() {
    let Some(folder) = env::var_os("LICTOR_SCREENSHOTS").map(PathBuf::from) else { return };
    fs::create_dir_all(&folder).unwrap();
    for (size, place) in [(DESK, "desk"), (PHONE, "phone")] {
        for theme in ["light", "dark"] {
            let name = format!("{place}-{theme}");
            let keep =
                |what: &str, picture: Vec<u8>| fs::write(folder.join(format!("{name}-{what}.png")), picture).unwrap();
            let Some(browser) = Browser::open(&name, None, size).await else { return };
            browser.choose("#theme", theme).await;
            keep("open", browser.picture().await);
            drop(browser);
            let given = input("four-teams.yaml", FOUR_TEAMS, "");
            let Some(browser) = Browser::open(&name, Some(given), size).await else { return };
            browser.choose("#theme", theme).await;
            browser.reads("#results", "Bound").await;
            browser.press("nlp/long-context").await;
            browser.reads("#why", "Spared because").await;
            browser.script("window.scrollTo(0, 0)").await;
            keep("decided", browser.picture().await);
            browser.script("document.getElementById('why').scrollIntoView()").await;
            keep("why", browser.picture().await);
            browser.click("#stepped").await;
            for _ in 0..3 {
                browser.click("#next-step").await;
            }
            keep("steps", browser.picture().await);
            browser.click("#tab-queues").await;
            browser.script("window.scrollTo(0, 0)").await;
            keep("queues", browser.picture().await);
            browser.click("#tab-jobs").await;
            keep("jobs", browser.picture().await);
            browser.click("#run-quiet").await;
            // The victims have left, and the third cycle changes nothing any more.
            browser.reads("#cycle-said", "Cycle 3 of 3").await;
            keep("time", browser.picture().await);
            browser.click("#tab-change").await;
            browser.click("#form-job summary").await;
            browser.click("#form-bound summary").await;
            keep("forms", browser.picture().await);
        }
    }
}
