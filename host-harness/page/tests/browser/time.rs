//! Cycle after cycle, and back.

use crate::browser::{Browser, DESK, input};
use crate::two::TWO;

pub(crate) const LEFT: &str = "\u{e012}";
pub(crate) const RIGHT: &str = "\u{e014}";

#[tokio::test]
async fn victims_leave_and_every_cycle_is_shown_as_it_was() {
    let Some(browser) = Browser::open("time", Some(input("two.yaml", TWO, "kubernetes")), DESK).await else { return };
    browser.reads("#cycle-said", "Cycle 1 of 1: 1 nominated, 1 evicted").await;
    browser.click("#run-cycle").await;
    browser.reads("#cycle-said", "Cycle 2 of 2: 1 left, 1 bound").await;
    browser.reads("#time", "1 left the cluster before it").await;
    browser.press("d/high").await;
    browser.reads("#why", "bound to n1").await;
    browser.write(".nodes-frame", RIGHT).await;
    browser.reads(".node-detail", "d/high").await;
    // Back by the keyboard: decisions, explanation and cluster are those of the first cycle.
    browser.write("#moment", LEFT).await;
    browser.reads("#cycle-said", "Cycle 1 of 2").await;
    browser.reads("[data-fate=nominated]", "d/high").await;
    browser.reads("#why", "nominated to n1").await;
    browser.reads(".node-detail", "d/low").await;
    browser.write("#moment", RIGHT).await;
    browser.reads("[data-fate=bound]", "d/high").await;
    // And by a click on a mark.
    browser.click(".mark:first-child").await;
    browser.reads("#cycle-said", "Cycle 1 of 2").await;
}

#[tokio::test]
async fn cycles_run_until_nothing_changes() {
    let Some(browser) = Browser::open("quiet", Some(input("two.yaml", TWO, "kubernetes")), DESK).await else { return };
    browser.reads("#cycle-said", "Cycle 1 of 1").await;
    browser.click("#run-quiet").await;
    browser.reads("#cycle-said", "Cycle 3 of 3: nothing changed").await;
    // Where the victims stay, the pod stays nominated.
    browser.script("document.getElementById('victims-leave').click()").await;
    browser.script("document.querySelector('#tab-change').click()").await;
    browser.click("#decide").await;
    browser.reads("#cycle-said", "Cycle 1 of 1").await;
    browser.click("#run-cycle").await;
    browser.reads("#cycle-said", "Cycle 2 of 2: nothing changed").await;
}
