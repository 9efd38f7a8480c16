//! What would let a job in.

use crate::FOUR_TEAMS;
use crate::browser::{Browser, DESK, input};

/// 324 cores are in use and 40 are asked for: 12 more than the 352 of the quota.
#[tokio::test]
async fn the_smallest_change_is_found_and_applied() {
    let Some(browser) = Browser::open("what-if", Some(input("four-teams.yaml", FOUR_TEAMS, "")), DESK).await else {
        return;
    };
    browser.reads("[data-fate=refused]", "search/ranker-xl-4lgmcjn4c").await;
    browser.press("search/ranker-xl-4lgmcjn4c").await;
    browser.click("#ask-what-if").await;
    browser.reads("#what-if", "raise in `search` min cpu from 352 to 364").await;
    browser.click("#what-if .apply").await;
    let difference = browser.reads("#compare", "search/ranker-xl-4lgmcjn4c").await;
    assert!(difference.contains("refused bound") || difference.contains("refused nominated"), "{difference}");
    browser.click("#tab-change").await;
    let changes = browser.script("return document.getElementById('changes').value").await;
    assert!(changes.as_str().is_some_and(|text| text.contains("\"364\"")), "{changes}");
}
