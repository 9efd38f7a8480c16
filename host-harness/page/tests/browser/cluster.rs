//! The nodes, the queues and the jobs.

use crate::FOUR_TEAMS;
use crate::browser::{Browser, DESK, input};

async fn shown(test: &str) -> Option<Browser> {
    let browser = Browser::open(test, Some(input("four-teams.yaml", FOUR_TEAMS, "")), DESK).await?;
    browser.reads("#results", "Bound").await;
    Some(browser)
}

#[tokio::test]
async fn a_node_is_chosen_by_keyboard_and_shows_its_pods() {
    let Some(browser) = shown("node").await else { return };
    browser.write(".nodes-frame", "\u{e014}").await;
    // The first by name.
    browser.reads(".node-detail h3", "a100-01").await;
    browser.find(".node-detail tbody tr").await;
    browser.write("#find-node", "h100-05").await;
    browser.write(".nodes-frame", "\u{e014}").await;
    let pods = browser.reads(".node-detail", "vision/depth-fm-worker-0").await;
    assert!(pods.contains("h100-05") && pods.contains("9000"), "{pods}");
    // A screen reader announces the chosen node.
    let option = "const frame = document.querySelector('.nodes-frame');
        return document.getElementById(frame.getAttribute('aria-activedescendant')).textContent";
    let said = browser.script(option).await;
    assert!(said.as_str().is_some_and(|said| said.starts_with("h100-05: ") && said.contains(" cpu ")), "{said}");
    // A victim is distinguished from the pods that stay.
    browser.set("#find-node", "a100-02").await;
    browser.write(".nodes-frame", "\u{e011}").await;
    browser.reads(".node-detail", "nlp/bert-large-worker-0 evicted").await;
}

/// Checks that the first cell has another colour by priority, and is another node where the fullest nodes stand first.
#[tokio::test]
async fn nodes_are_coloured_and_ordered() {
    let Some(browser) = shown("order").await else { return };
    let drawn = "return document.getElementById('nodes').toDataURL()";
    let by_queue = browser.script(drawn).await;
    browser.choose("#colour", "priority").await;
    browser.reads(".legend", "priority 9000").await;
    let by_priority = browser.script(drawn).await;
    assert_ne!(by_queue, by_priority);
    browser.choose("#order", "fullest").await;
    assert_ne!(browser.script(drawn).await, by_priority);
    browser.write(".nodes-frame", "\u{e011}").await;
    let fullest = browser.reads(".node-detail", "gpu 8 of 8").await;
    assert!(!fullest.is_empty());
}

#[tokio::test]
async fn the_canvas_has_ink() {
    let Some(browser) = shown("canvas").await else { return };
    let script = "const c = document.getElementById('nodes'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        const seen = new Set(); for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);
        return seen.size";
    let colours = browser.script(script).await;
    assert!(colours.as_u64().is_some_and(|colours| colours > 5), "{colours} colours");
}

#[tokio::test]
async fn queues_stand_below_each_other_with_their_bounds() {
    let Some(browser) = shown("queues").await else { return };
    browser.click("#tab-queues").await;
    let queues = browser.reads(".queues", "search").await;
    assert!(queues.contains("min 352"), "{queues}");
    let label = browser.script("return document.querySelector('.quota').getAttribute('aria-label')").await;
    assert!(label.as_str().is_some_and(|label| label.contains("used")), "{label}");
}

#[tokio::test]
async fn jobs_are_found_and_say_where_their_pods_are() {
    let Some(browser) = shown("jobs").await else { return };
    browser.click("#tab-jobs").await;
    browser.write("#find-job", "vision/vit-huge").await;
    let lanes = browser.reads(".lanes", "4 nominated").await;
    assert!(!lanes.contains("long-context"), "{lanes}");
    browser.press("vision/vit-huge").await;
    browser.reads("#why", "nominated to").await;
}
