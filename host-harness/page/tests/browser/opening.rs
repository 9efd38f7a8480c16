//! Opening a cluster.

use crate::FOUR_TEAMS;
use crate::browser::{Browser, DESK, input};

/// What the snapshot of four teams has, as its README counts it.
const COUNTS: &str = "44 nodes, 177 pods on nodes, 29 pending";

#[tokio::test]
async fn an_example_is_one_click_away() {
    let Some(browser) = Browser::open("example", None, DESK).await else { return };
    browser.press("Four teams share 44 nodes").await;
    browser.reads("header", COUNTS).await;
    browser.reads("#results", "Nominated, to be bound when the victims have left").await;
    // And back.
    browser.press("Open another").await;
    browser.find(".open").await;
}

#[tokio::test]
async fn every_example_is_decided() {
    let Some(browser) = Browser::open("examples", None, DESK).await else { return };
    for (title, system) in [
        ("Three zones", "kubernetes"),
        ("Queues take back", "yunikorn"),
        ("An elastic job shrinks", "volcano"),
        ("A gang takes back", "coscheduling"),
    ] {
        browser.press(title).await;
        browser.find(".fate").await;
        let chosen = browser.script("return document.getElementById('system').value").await;
        assert_eq!(chosen, system);
        browser.press("Open another").await;
    }
}

#[tokio::test]
async fn the_page_opens_what_it_was_written_with() {
    let given = input("four-teams.yaml", FOUR_TEAMS, "koordinator");
    let Some(browser) = Browser::open("given", Some(given), DESK).await else { return };
    browser.reads("header", COUNTS).await;
    browser.reads("header", "four-teams.yaml").await;
}

#[tokio::test]
async fn a_text_is_pasted() {
    let Some(browser) = Browser::open("pasted", None, DESK).await else { return };
    let cluster = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '2', pods: '9'}}\n---\n\
                   apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: d}\n\
                   spec: {containers: [{name: c, resources: {requests: {cpu: '1'}}}]}\n";
    browser.write("#pasted", cluster).await;
    browser.click("#open-pasted").await;
    browser.reads("header", "1 node, 0 pods on nodes, 1 pending").await;
    browser.reads("#results", "d/p").await;
    browser.reads("#results", "n1").await;
}

#[tokio::test]
async fn a_mistake_is_shown_with_its_line_and_what_to_do() {
    let Some(browser) = Browser::open("mistake", None, DESK).await else { return };
    let cluster = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: many}}\n";
    browser.write("#pasted", cluster).await;
    browser.click("#open-pasted").await;
    let said = browser.reads("[role=alert]", "pasted text:4").await;
    assert!(said.contains("many"), "{said}");
    let remedy = browser.text("[role=alert] .remedy").await;
    assert!(!remedy.is_empty(), "{said}");
}

/// Checks that a dropped file is opened. A file with mistakes is reported, and the open file stays.
#[tokio::test]
async fn a_file_is_dropped_anywhere() {
    let Some(browser) = Browser::open("dropped", None, DESK).await else { return };
    browser.drop_file("two.yaml", crate::two::TWO).await;
    browser.reads("#cycle-said", "Cycle 1 of 1: 1 nominated, 1 evicted").await;
    browser.drop_file("broken.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: [}\n").await;
    browser.reads("[role=alert]", "broken.yaml:3").await;
    browser.reads("header", "two.yaml").await;
    browser.click("#run-cycle").await;
    browser.reads("#cycle-said", "Cycle 2 of 2: 1 left, 1 bound").await;
    browser.gone("[role=alert]").await;
    // Both at once: the last one is shown.
    browser.drop_file("two.yaml", crate::two::TWO).await;
    browser.drop_file("four-teams.yaml", crate::FOUR_TEAMS).await;
    browser.reads("header", COUNTS).await;
    browser.reads("#cycle-said", "Cycle 1 of 1").await;
}

/// Checks that the page reports an engine that has stopped, and that another engine opens the next file.
#[tokio::test]
async fn an_engine_that_stops_is_replaced() {
    let Some(browser) = Browser::open("fault", None, DESK).await else { return };
    browser.press("Four teams share 44 nodes").await;
    browser.reads("header", COUNTS).await;
    // The module forgets its memory: what is asked next is a fault in it.
    browser.ask(vec![serde_json::json!(["free"])]).await;
    browser.click("#run-cycle").await;
    let said = browser.reads("[role=alert]", "the engine stopped").await;
    assert!(said.contains("open the file again"), "{said}");
    browser.click("#close").await;
    browser.press("Three zones").await;
    browser.reads("#results", "Bound").await;
}
