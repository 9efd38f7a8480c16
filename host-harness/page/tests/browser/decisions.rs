//! What was decided, and why.

use crate::FOUR_TEAMS;
use crate::browser::{Browser, DESK, input};

const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";

async fn decided(test: &str) -> Option<Browser> {
    let browser = Browser::open(test, Some(input("four-teams.yaml", FOUR_TEAMS, "")), DESK).await?;
    browser.reads("#results", "Unschedulable").await;
    Some(browser)
}

#[tokio::test]
async fn a_gang_is_nominated_with_its_victims() {
    let Some(browser) = decided("nominated").await else { return };
    // The README next to the snapshot derives what must happen in it.
    let said = browser.text("[data-fate=nominated]").await;
    for expected in
        ["vision/vit-huge", "a100-02, a100-03, a100-04, a100-05", "nlp/bert-large-worker-0", "labelled for eviction"]
    {
        assert!(said.contains(expected), "{expected} in {said}");
    }
    let refused = browser.text("[data-fate=refused]").await;
    assert!(refused.contains("koordinator/non-preemptible-job-fits-min"), "{refused}");
}

#[tokio::test]
async fn a_job_that_waits_says_what_stands_in_its_way() {
    let Some(browser) = decided("why").await else { return };
    browser.press("nlp/long-context").await;
    let why = browser.reads("#why", "Spared because").await;
    for expected in
        ["In the way", "Nodes as they are", "34 nodes", "Would have been enough", "vision/depth-fm-worker-0 on h100-05"]
    {
        assert!(why.contains(expected), "{expected} in {why}");
    }
}

#[tokio::test]
async fn a_law_is_read_with_its_source() {
    let Some(browser) = decided("law").await else { return };
    browser.press("nlp/long-context").await;
    browser.reads("#why", "Spared because").await;
    browser.press("koordinator/victim-ranks-lower").await;
    let law = browser.reads(".law-page", "strictly lower").await;
    for expected in ["seed, Key Concept 2", "guard", "What it demands", "victim_ranks_lower.rs"] {
        assert!(law.contains(expected), "{expected} in {law}");
    }
    browser.press("Close").await;
    browser.gone("dialog[open]").await;
}

/// Checks that the dialog takes the focus, closes with Escape, and gives the focus back.
#[tokio::test]
async fn a_law_is_read_by_keyboard() {
    let Some(browser) = decided("law-keys").await else { return };
    let focus = "const it = document.querySelector('#results .law'); it.focus(); return it.textContent";
    let code = browser.script(focus).await.as_str().unwrap().to_owned();
    browser.keys(ENTER).await;
    browser.reads("dialog[open]", &code).await;
    // Its source is a link, and its formula is code.
    let link = browser.script("return document.querySelector('.law-page a').href").await;
    assert!(link.as_str().is_some_and(|link| link.starts_with("https://github.com/")), "{link}");
    browser.reads(".law-page code", "+").await;
    assert_eq!(browser.script("return document.activeElement.closest('dialog') !== null").await, true);
    browser.keys(ESCAPE).await;
    browser.gone("dialog[open]").await;
    assert_eq!(browser.script("return document.activeElement.textContent").await, code);
    browser.keys(ENTER).await;
    browser.reads("dialog[open]", &code).await;
}

#[tokio::test]
async fn a_victim_says_for_whom_it_is_evicted() {
    let Some(browser) = decided("victim").await else { return };
    browser.press("nlp/bert-large-worker-0").await;
    let why = browser.reads("#why", "Evicted because").await;
    assert!(why.contains("vision/vit-huge-worker-0") && why.contains("is evicted from a100-02"), "{why}");
}

#[tokio::test]
async fn another_system_decides_otherwise() {
    let Some(browser) = decided("system").await else { return };
    browser.choose("#system", "kubernetes").await;
    // No quota holds up this pod any more: it preempts.
    browser.reads("#compare", "search/ranker-xl-4lgmcjn4c-dx6ll refused").await;
    browser.gone("[data-fate=refused]").await;
}

#[tokio::test]
async fn a_decision_is_shown_step_by_step() {
    let Some(browser) = decided("steps").await else { return };
    browser.press("vision/vit-huge").await;
    browser.reads("#why", "nominated to").await;
    browser.click("#stepped").await;
    browser.reads("#steps h3", "Queue order: vision/vit-huge-worker-").await;
    for step in ["Pre-filter", "Filter", "Dry run"] {
        browser.click("#next-step").await;
        browser.reads("#steps h3", step).await;
    }
    // By the keyboard, too: on to the plan, and to both ends.
    browser.write("#next-step", "\u{e014}").await;
    browser.reads("#steps h3", "Reprieve").await;
    browser.write("#next-step", "\u{e014}").await;
    let plan = browser.reads("#steps", "4 pods nominated").await;
    assert!(plan.contains("nlp/bert-large-worker-0"), "{plan}");
    browser.write("#previous-step", "\u{e010}").await;
    browser.reads("#steps", "holds: it is carried out").await;
    browser.write("#previous-step", "\u{e011}").await;
    browser.reads("#steps h3", "Queue order").await;
    browser.click("#at-once").await;
    browser.reads("#why", "Victims, evicted because").await;
}
