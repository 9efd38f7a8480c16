//! The engine in the worker of a real browser answers as the same code does natively, about every scenario.

use serde_json::Value;

use crate::browser::{Browser, DESK};
use crate::common::{are_as_natively, questions, scenarios};

/// How many scenarios are asked about at a time.
const BATCH: usize = 20;

#[tokio::test]
async fn every_scenario_is_played_alike_in_the_worker() {
    let Some(browser) = Browser::open("scenarios", None, DESK).await else { return };
    for files in scenarios().chunks(BATCH) {
        let all: Vec<Value> = files.iter().flat_map(|file| questions(file)).collect();
        let answers = browser.ask(all).await;
        assert_eq!(answers.len(), files.len() * 3);
        files.iter().zip(answers.chunks(3)).for_each(|(file, answers)| are_as_natively(file, answers));
    }
}
