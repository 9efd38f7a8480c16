//! Tests of the look of the page, light and dark, wide and narrow, and of its use without sight of it.

use crate::FOUR_TEAMS;
use crate::browser::{Browser, DESK, PHONE, input};
use crate::time::{LEFT, RIGHT};

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
    browser.press("nlp/long-context").await;
    browser.find("#ask-what-if").await;
    let script = "return [...document.querySelectorAll('button, select, input, textarea')]
        .filter((it) => !(it.textContent.trim() || it.getAttribute('aria-label') || it.labels?.length))
        .map((it) => it.outerHTML)";
    for tab in ["#tab-nodes", "#tab-queues", "#tab-jobs", "#tab-change"] {
        browser.click(tab).await;
        browser.find(&format!("#cluster[aria-labelledby={}]", tab.trim_start_matches('#'))).await;
        let nameless = browser.script(script).await;
        assert_eq!(nameless.as_array().map(Vec::len), Some(0), "{tab}: {nameless}");
    }
}

/// Checks that the arrows lead from tab to tab, and that the Tab key reaches only the chosen tab.
#[tokio::test]
async fn tabs_are_chosen_by_keyboard() {
    let Some(browser) = Browser::open("tabs", Some(input("four-teams.yaml", FOUR_TEAMS, "")), DESK).await else {
        return;
    };
    browser.reads("#results", "Bound").await;
    browser.script("document.getElementById('tab-nodes').focus()").await;
    for (key, tab) in
        [(RIGHT, "tab-queues"), (RIGHT, "tab-jobs"), (LEFT, "tab-queues"), (LEFT, "tab-nodes"), (LEFT, "tab-change")]
    {
        browser.keys(key).await;
        browser.find(&format!("#{tab}[aria-selected=true][tabindex='0']")).await;
        assert_eq!(browser.script("return document.activeElement.id").await, tab);
        assert_eq!(browser.script("return document.querySelectorAll('[role=tab][tabindex=\"0\"]').length").await, 1);
    }
}

#[tokio::test]
async fn nothing_leaves_the_browser() {
    let Some(browser) = Browser::open("offline", Some(input("four-teams.yaml", FOUR_TEAMS, "")), DESK).await else {
        return;
    };
    browser.reads("#results", "Bound").await;
    let loaded = browser.script("return performance.getEntriesByType('resource').filter((it) => !/^(data|blob):/.test(it.name)).map((it) => it.name)").await;
    assert_eq!(loaded.as_array().map(Vec::len), Some(0), "{loaded}");
    // It is the page that forbids it, not a network that is not there.
    let forbidden = "return new Promise((done) => { addEventListener('securitypolicyviolation', (it) => done(it.effectiveDirective)); \
        fetch('http://127.0.0.1:9/').catch(() => {}); })";
    assert_eq!(browser.script(forbidden).await, "connect-src");
}
