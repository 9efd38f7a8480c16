//! Changing a cluster, and handing it on.

use crate::browser::{Browser, DESK, input};
use crate::time::RIGHT;

/// A node of 2 cpu, and a pod of 1 that waits.
const CLUSTER: &str = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '2', pods: '9'}}\n---\n\
                       apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: d}\n\
                       spec: {containers: [{name: c, resources: {requests: {cpu: '1'}}}]}\n";

async fn opened(test: &str) -> Option<Browser> {
    let browser = Browser::open(test, Some(input("small.yaml", CLUSTER, "kubernetes")), DESK).await?;
    browser.reads("[data-fate=bound]", "d/p").await;
    Some(browser)
}

#[tokio::test]
async fn a_cordoned_node_takes_no_pod_and_the_difference_is_shown() {
    let Some(browser) = opened("cordon").await else { return };
    browser.write(".nodes-frame", RIGHT).await;
    browser.click("#cordon").await;
    browser.reads("#compare", "d/p bound unschedulable").await;
    browser.click("#tab-change").await;
    browser.click("#undo").await;
    browser.reads("#compare", "d/p unschedulable bound").await;
    browser.says("return document.getElementById('changes').value", "").await;
}

/// Checks that a change by a button keeps what is written and not decided yet.
#[tokio::test]
async fn a_node_is_edited_among_the_changes() {
    let Some(browser) = opened("edited").await else { return };
    browser.click("#tab-change").await;
    browser.write("#changes", "{apiVersion: v1, kind: Namespace, metadata: {name: mine}}").await;
    browser.click("#tab-nodes").await;
    browser.write(".nodes-frame", RIGHT).await;
    browser.click("#edit-node").await;
    // It leads to where it is written.
    browser.find("#tab-change[aria-selected=true]").await;
    let edit = "const it = document.getElementById('changes'); const edited = it.value.replace('\"2\"', '\"0\"');
        return edited !== it.value && it.value.includes('mine') && edited";
    let edited = browser.script(edit).await;
    browser.set("#changes", edited.as_str().unwrap()).await;
    browser.click("#decide").await;
    browser.reads("#compare", "d/p bound unschedulable").await;
}

/// Checks the change of a node that is one of the objects of the scenario, which is one document.
#[tokio::test]
async fn a_scenario_is_changed_and_decided_by_another_system() {
    let Some(browser) = Browser::open("scenario", None, DESK).await else { return };
    browser.press("An elastic job shrinks").await;
    browser.reads("#results", "evicted").await;
    browser.write(".nodes-frame", RIGHT).await;
    browser.click("#edit-node").await;
    browser.find("#changes").await;
    let changes = browser.script("return document.getElementById('changes').value").await;
    assert!(changes.as_str().is_some_and(|text| text.contains("\"kind\": \"Node\"")), "{changes}");
    // Its arguments are those of volcano, and say nothing to kubernetes.
    browser.choose("#system", "kubernetes").await;
    browser.find("#compare").await;
    assert_eq!(browser.script("return document.getElementById('system').value").await, "kubernetes");
    browser.click("#undo").await;
    // The cycle of before is shown until the scenario is decided again.
    browser.says("return document.getElementById('system').value", "volcano").await;
    browser.reads("#cycle-said", "Cycle 1 of 1").await;
}

/// Checks that a refused argument is reported, the decisions stay, and the arguments of before hold.
#[tokio::test]
async fn an_argument_that_there_is_not_is_said() {
    let Some(browser) = opened("argument").await else { return };
    browser.click("#tab-change").await;
    browser.set("#arguments", "noSuchArgument: 1").await;
    browser.click("#decide").await;
    browser.reads("[role=alert]", "noSuchArgument").await;
    browser.reads("[data-fate=bound]", "d/p").await;
    browser.click("#dismiss").await;
    browser.gone("[role=alert]").await;
}

#[tokio::test]
async fn a_pod_is_added_as_yaml() {
    let Some(browser) = opened("added").await else { return };
    browser.click("#tab-change").await;
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: q, namespace: d}, \
               spec: {containers: [{name: c, resources: {requests: {cpu: '3'}}}]}}";
    browser.write("#changes", pod).await;
    browser.click("#decide").await;
    browser.reads("#compare", "d/q not pending unschedulable").await;
}

#[tokio::test]
async fn what_is_open_travels_in_the_address() {
    let Some(browser) = opened("shared").await else { return };
    browser.click("#share").await;
    browser.reads(".shared", "the address has all of it").await;
    let hash = browser.script("return location.hash").await.as_str().unwrap().to_owned();
    let Some(other) = Browser::open("receiver", None, DESK).await else { return };
    // Pasted into the line of a page that is open: it is not loaded anew.
    other.script_of("location.hash = arguments[0]", hash.clone().into()).await;
    other.reads("header", "small.yaml").await;
    other.reads("[data-fate=bound]", "d/p").await;
    // And as an address that is opened.
    other.click("#close").await;
    other.script("location.reload()").await;
    other.reads("[data-fate=bound]", "d/p").await;
    // A part of it was cut on the way.
    let cut = hash.get(..hash.len() / 2).unwrap();
    other.script_of("location.hash = arguments[0]; location.reload()", cut.into()).await;
    let said = other.reads("[role=alert]", "the address of this page is damaged").await;
    assert!(said.contains("ask for the whole address"), "{said}");
}

/// Checks that a saved file has the change, and that the saved scenario expects what is on the screen.
#[tokio::test]
async fn what_is_open_is_saved_as_a_file() {
    let Some(browser) = opened("saved").await else { return };
    // Where the browser keeps files is its own matter: what it is given is looked at.
    let keep = "window.saved = []; const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blob.text().then((text) => window.saved.push(text)); return make(blob); }";
    browser.script(keep).await;
    browser.click("#save").await;
    browser.click("#save-snapshot").await;
    browser.reads(".shared", "saved as small.yaml").await;
    let snapshot = saved(&browser, 1).await;
    assert!(snapshot.contains("\"kind\":\"Node\"") && !snapshot.contains("kind: Scenario"), "{snapshot}");
    browser.click("#save-scenario").await;
    let scenario = saved(&browser, 2).await;
    assert!(scenario.contains("kind: Scenario") && scenario.contains(r#""bound":{"d/p":"n1"}"#), "{scenario}");
    browser.click("#mask").await;
    browser.click("#save-snapshot").await;
    let masked = saved(&browser, 3).await;
    assert!(masked.contains("\"kind\":\"Node\"") && !masked.contains("\"n1\""), "{masked}");
}

/// Checks that the shared address shows the decisions, but no name.
#[tokio::test]
async fn what_is_shared_has_invented_names_where_that_is_wanted() {
    let Some(browser) = opened("masked").await else { return };
    browser.click("#mask").await;
    browser.click("#share").await;
    browser.reads(".shared", "the address has all of it").await;
    browser.script("location.reload()").await;
    let header = browser.reads("header", "masked.yaml").await;
    assert!(!header.contains("small.yaml"), "{header}");
    let bound = browser.reads("[data-fate=bound]", "/").await;
    assert!(!bound.contains("d/p") && !bound.contains("n1"), "{bound}");
}

/// Waits for the saved file of this number, and returns its text.
async fn saved(browser: &Browser, number: usize) -> String {
    for _ in 0..200 {
        let files = browser.script("return window.saved").await;
        if let Some(file) = files.as_array().unwrap().get(number - 1) {
            return file.as_str().unwrap().to_owned();
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("no file of number {number} was saved")
}

/// Checks a form that adds two pods to a node that fits only one; a second form lets the other pod in first.
#[tokio::test]
async fn a_job_is_added_by_a_form_and_a_priority_is_changed() {
    let Some(browser) = opened("form").await else { return };
    browser.click("#tab-change").await;
    browser.click("#form-job summary").await;
    browser.write("#job-name", "train").await;
    browser.write("#job-priority", "5").await;
    browser.set("#job-pods", "2").await;
    browser.click("#add-job").await;
    // Both are more important than d/p, and the node is full with them.
    let difference = browser.reads("#compare", "d/p bound unschedulable").await;
    assert!(difference.contains("default/train-0 not pending bound"), "{difference}");
    browser.click("#form-priority summary").await;
    browser.write("#priority-of", "d/p").await;
    browser.write("#priority", "9").await;
    browser.click("#set-priority").await;
    browser.reads("#compare", "d/p unschedulable bound").await;
    browser.write("#priority", "x").await;
    browser.click("#set-priority").await;
    browser.reads("[role=alert]", "the priority is no whole number: `9x`").await;
}

#[tokio::test]
async fn a_bound_of_a_quota_is_changed_by_a_form() {
    let Some(browser) = Browser::open("bound", Some(input("four-teams.yaml", crate::FOUR_TEAMS, "")), DESK).await
    else {
        return;
    };
    browser.reads("[data-fate=refused]", "search/ranker-xl-4lgmcjn4c").await;
    browser.click("#tab-change").await;
    browser.click("#form-bound summary").await;
    let choose = "const it = document.getElementById('bound'); \
        it.value = [...it.options].find((option) => option.text.startsWith('search: min cpu')).value; \
        it.dispatchEvent(new Event('change', { bubbles: true })); return it.selectedOptions[0].text";
    browser.find("#bound option").await;
    assert_eq!(browser.script(choose).await, "search: min cpu, now 352");
    browser.set("#bound-amount", "364").await;
    browser.click("#set-bound").await;
    let difference = browser.reads("#compare", "search/ranker-xl-4lgmcjn4c").await;
    assert!(difference.contains("refused bound") || difference.contains("refused nominated"), "{difference}");
}

/// Checks that the pod of a drained node leaves and has no other node. A pod of a DaemonSet would stay, which the tests of the engine show.
#[tokio::test]
async fn a_node_is_drained() {
    let cluster =
        CLUSTER.replace("namespace: d}\nspec: {", "namespace: d}\nstatus: {phase: Running}\nspec: {nodeName: n1, ");
    let Some(browser) = Browser::open("drain", Some(input("full.yaml", &cluster, "kubernetes")), DESK).await else {
        return;
    };
    browser.reads("header", "1 node, 1 pod on nodes, 0 pending").await;
    browser.write(".nodes-frame", RIGHT).await;
    browser.click("#drain").await;
    browser.reads("header", "1 node, 0 pods on nodes, 1 pending").await;
    browser.reads("[data-fate=unschedulable]", "d/p").await;
}
