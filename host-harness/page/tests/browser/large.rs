//! A cluster of 5,000 nodes. How long it takes is printed, not judged.

use std::fmt::Write;

use crate::browser::{Browser, DESK, input};

const NODES: usize = 5_000;
const PODS: usize = 50_000;

/// Nodes of 10 pods of 1 cpu each, full but for every hundredth, and 100 pods that wait.
fn cluster() -> String {
    let mut text = String::from("apiVersion: v1\nkind: List\nitems:\n");
    for node in 0..NODES {
        let _written = writeln!(
            text,
            "- {{apiVersion: v1, kind: Node, metadata: {{name: n{node:04}}}, status: {{allocatable: {{cpu: '10', memory: 64Gi, pods: '110'}}}}}}"
        );
    }
    for pod in 0..PODS + 100 {
        let node = if pod < PODS { format!(", nodeName: n{:04}", pod % NODES) } else { String::new() };
        let (team, priority) = (pod % 7, if pod < PODS { pod % 5 * 100 } else { 450 });
        let phase = if pod < PODS { "Running" } else { "Pending" };
        let _written = writeln!(
            text,
            "- {{apiVersion: v1, kind: Pod, metadata: {{name: p{pod:05}, namespace: team-{team}}}, spec: {{priority: {priority}{node}, \
             containers: [{{name: c, resources: {{requests: {{cpu: '1', memory: 1Gi}}}}}}]}}, status: {{phase: {phase}}}}}"
        );
    }
    text
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
    browser.write("#find-node", "n4999").await;
    browser.write(".nodes-frame", "\u{e014}").await;
    browser.reads(".node-detail h3", "n4999").await;
}
