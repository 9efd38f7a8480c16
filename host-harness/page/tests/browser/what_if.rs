//! What would let a job in.

use crate::FOUR_TEAMS;
use crate::browser::{Browser, DESK, input};

/// Opens the page with the refused job selected. `None`: the machine has no browser.
async fn refused(test: &str) -> Option<Browser> {
    let browser = Browser::open(test, Some(input("four-teams.yaml", FOUR_TEAMS, "")), DESK).await?;
    browser.reads("[data-fate=refused]", "search/ranker-xl-4lgmcjn4c").await;
    browser.press("search/ranker-xl-4lgmcjn4c").await;
    Some(browser)
}

/// Checks the smallest change: 324 cores are in use and 40 are requested, 12 more than the 352 of the quota.
#[tokio::test]
async fn the_smallest_change_is_found_and_applied() {
    let Some(browser) = refused("what-if").await else { return };
    browser.click("#ask-what-if").await;
    browser.reads("#what-if", "raise in `search` min cpu from 352 to 364").await;
    browser.click("#what-if .apply").await;
    let difference = browser.reads("#compare", "search/ranker-xl-4lgmcjn4c").await;
    assert!(difference.contains("refused bound") || difference.contains("refused nominated"), "{difference}");
    browser.click("#tab-change").await;
    let changes = browser.script("return document.getElementById('changes').value").await;
    assert!(changes.as_str().is_some_and(|text| text.contains("\"364\"")), "{changes}");
}

/// Checks that stopping a search ends its worker, and that another worker finds what the first would have found.
#[tokio::test]
async fn a_search_is_stopped() {
    let Some(browser) = refused("stop").await else { return };
    browser.find("#ask-what-if").await;
    // Both buttons are pressed at once: before the second worker could have begun to search.
    let script = "const end = Worker.prototype.terminate; window.ended = 0;
        Worker.prototype.terminate = function () { window.ended += 1; end.call(this); };
        return (async () => {
          document.querySelector('#ask-what-if').click();
          while (!document.querySelector('#stop-what-if')) await new Promise((done) => setTimeout(done));
          document.querySelector('#stop-what-if').click();
          return window.ended; })()";
    assert_eq!(browser.script(script).await, 1);
    let said = browser.reads("#what-if", "Stopped: not all changes were tried.").await;
    assert!(!said.contains("is enough") && !said.contains("Trying"), "{said}");
    browser.gone("#stop-what-if").await;
    browser.click("#ask-what-if").await;
    let said = browser.reads("#what-if", "raise in `search` min cpu from 352 to 364").await;
    assert!(!said.contains("Stopped"), "{said}");
}
