//! Light and dark, wide and narrow, and what a person needs who sees nothing of it.

use crate::FOUR_TEAMS;
use crate::browser::{Browser, DESK, PHONE, input};

#[tokio::test]
async fn the_switch_makes_it_dark() {
    let Some(browser) = Browser::open("theme", None, DESK).await else { return };
    let back = "return getComputedStyle(document.body).backgroundColor";
    browser.choose("#theme", "light").await;
    assert_eq!(browser.script(back).await, "rgb(246, 247, 248)");
    browser.choose("#theme", "dark").await;
    assert_eq!(browser.script(back).await, "rgb(20, 24, 28)");
}

#[tokio::test]
async fn a_phone_shows_all_of_its_width() {
    let Some(browser) = Browser::open("phone", Some(input("four-teams.yaml", FOUR_TEAMS, "")), PHONE).await else {
        return;
    };
    browser.reads("#results", "Bound").await;
    let beyond = browser.script("return document.documentElement.scrollWidth - window.innerWidth").await;
    assert!(beyond.as_i64().is_some_and(|beyond| beyond <= 0), "{beyond} pixels are beyond the window");
}

#[tokio::test]
async fn every_control_has_a_name() {
    let Some(browser) = Browser::open("names", Some(input("four-teams.yaml", FOUR_TEAMS, "")), DESK).await else {
        return;
    };
    browser.reads("#results", "Bound").await;
    let script = "return [...document.querySelectorAll('button, select, input, textarea')]
        .filter((it) => !(it.textContent.trim() || it.getAttribute('aria-label') || it.labels?.length))
        .map((it) => it.outerHTML)";
    let nameless = browser.script(script).await;
    assert_eq!(nameless.as_array().map(Vec::len), Some(0), "{nameless}");
}

#[tokio::test]
async fn nothing_leaves_the_browser() {
    let Some(browser) = Browser::open("offline", Some(input("four-teams.yaml", FOUR_TEAMS, "")), DESK).await else {
        return;
    };
    browser.reads("#results", "Bound").await;
    let loaded = browser.script("return performance.getEntriesByType('resource').filter((it) => !/^(data|blob):/.test(it.name)).map((it) => it.name)").await;
    assert_eq!(loaded.as_array().map(Vec::len), Some(0), "{loaded}");
    let refused = "return fetch('https://example.com').then(() => 'sent', () => 'refused')";
    assert_eq!(browser.script(refused).await, "refused");
}
