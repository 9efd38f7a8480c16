//! Large clusters. How long it takes is printed, not judged; the page's README has figures of a release build.

use std::fmt::Write;

use serde_json::json;

use crate::browser::{Browser, DESK, input};

const NODES: usize = 5_000;
const PODS: usize = 50_000;

/// Returns nodes of 10 pods of 1 cpu each, full but for every hundredth, and 100 pods that wait.
fn cluster() -> String {
    clusters(NODES, PODS, 100)
}

/// Returns a cluster of nodes of 10 cpu, pods of 1 cpu on them, and pods that wait.
fn clusters(nodes: usize, pods: usize, waiting: usize) -> String {
    let mut text = String::from("apiVersion: v1\nkind: List\nitems:\n");
    for node in 0..nodes {
        let _written = writeln!(
            text,
            "- {{apiVersion: v1, kind: Node, metadata: {{name: n{node:04}}}, status: {{allocatable: {{cpu: '10', memory: 64Gi, pods: '110'}}}}}}"
        );
    }
    for pod in 0..pods + waiting {
        let node = if pod < pods { format!(", nodeName: n{:04}", pod % nodes) } else { String::new() };
        let (team, priority) = (pod % 7, if pod < pods { pod % 5 * 100 } else { 450 });
        let phase = if pod < pods { "Running" } else { "Pending" };
        let _written = writeln!(
            text,
            "- {{apiVersion: v1, kind: Pod, metadata: {{name: p{pod:05}, namespace: team-{team}}}, spec: {{priority: {priority}{node}, \
             containers: [{{name: c, resources: {{requests: {{cpu: '1', memory: 1Gi}}}}}}]}}, status: {{phase: {phase}}}}}"
        );
    }
    text
}

/// What is done, by a script.
const INTERACTIONS: [(&str, &str); 9] = [
    (
        "a part of a name of nodes",
        "const it = document.getElementById('find-node'); it.value = 'n49'; it.dispatchEvent(new Event('input', { bubbles: true }))",
    ),
    (
        "all nodes again",
        "const it = document.getElementById('find-node'); it.value = ''; it.dispatchEvent(new Event('input', { bubbles: true }))",
    ),
    (
        "the other colours",
        "const it = document.getElementById('colour'); it.value = 'priority'; it.dispatchEvent(new Event('change', { bubbles: true }))",
    ),
    (
        "back by a cycle",
        "const it = document.getElementById('moment'); it.value = 1; it.dispatchEvent(new Event('input', { bubbles: true }))",
    ),
    (
        "forth by a cycle",
        "const it = document.getElementById('moment'); it.value = 2; it.dispatchEvent(new Event('input', { bubbles: true }))",
    ),
    ("the queues", "document.getElementById('tab-queues').click()"),
    ("the jobs", "document.getElementById('tab-jobs').click()"),
    (
        "a part of a name of jobs",
        "const it = document.getElementById('find-job'); it.value = 'p49'; it.dispatchEvent(new Event('input', { bubbles: true }))",
    ),
    ("the nodes", "document.getElementById('tab-nodes').click()"),
];

/// Returns a script that measures how long an action takes until it is drawn, in milliseconds.
fn timed(act: &str) -> String {
    format!(
        "return new Promise((done) => {{ const start = performance.now(); {act}; \
         requestAnimationFrame(() => setTimeout(() => done(Math.round(performance.now() - start)))); }})"
    )
}

/// Measures how long the page takes to load, to be shown, and to have its engine ready.
#[tokio::test]
async fn the_page_loads() {
    let Some(browser) = Browser::open("load", None, DESK).await else { return };
    browser.find(".open").await;
    let script = "return lictor.call('systems', []).then(() => performance.getEntriesByType('mark').map((it) => it.name + ' after ' + Math.round(it.startTime) + ' ms').join(', '))";
    eprintln!("{}", browser.script(script).await);
}

/// Measures the decisions about a cluster of 5,000 pods, and 100 more that wait.
#[tokio::test]
async fn a_cluster_of_five_thousand_pods_is_decided_about() {
    let Some(browser) = Browser::open("first", None, DESK).await else { return };
    let told = json!({ "name": "first.yaml", "text": clusters(500, 5_000, 100), "system": "kubernetes" });
    let script = "return (async (told) => { const start = performance.now(); await lictor.call('open', [told]);
        const opened = performance.now(); const { record } = await lictor.call('cycle', [{}]);
        return [opened - start, performance.now() - opened, record.cycles[0].attempts.length]; })(arguments[0])";
    let took = browser.script_of(script, told).await;
    assert_eq!(took[2], 100);
    eprintln!("5,000 pods, and 100 that wait: read after {} ms, decided {} ms later", took[0], took[1]);
}

#[tokio::test]
async fn five_thousand_nodes_are_shown_and_decided() {
    let text = cluster();
    let start = std::time::Instant::now();
    let Some(browser) = Browser::open("large", Some(input("large.yaml", &text, "kubernetes")), DESK).await else {
        return;
    };
    eprintln!("started after {:.1} s", start.elapsed().as_secs_f64());
    browser.reads("header", "5000 nodes, 50000 pods on nodes, 100 pending").await;
    browser.find(".fate").await;
    eprintln!(
        "{} MB of YAML read, decided and shown after {:.1} s",
        text.len() / 1_000_000,
        start.elapsed().as_secs_f64()
    );
    let script = "const f = document.querySelector('.nodes-frame'), times = []; let at = 0;
        return new Promise((done) => { const step = () => { const t = performance.now(); f.scrollTop = at += 4000;
          requestAnimationFrame(() => requestAnimationFrame(() => { times.push(performance.now() - t); times.length < 20 ? step() : done(Math.max(...times)); })); }; step(); })";
    eprintln!("the slowest of 20 scrolls: {} ms", browser.script(script).await);
    browser.click("#run-cycle").await;
    browser.reads("#cycle-said", "Cycle 2 of 2").await;
    for (what, act) in INTERACTIONS {
        eprintln!("{what}: {} ms", browser.script(&timed(act)).await);
    }
    browser.write("#find-node", "n4999").await;
    browser.write(".nodes-frame", "\u{e014}").await;
    browser.reads(".node-detail h3", "n4999").await;
}
