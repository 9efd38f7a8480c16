//! The page together with a controller in a real cluster: the page shows what happens there.
//!
//! It needs the testbed (`just testbed`); where that is not there, it says that it was not run. With `LICTOR_REQUIRE_TESTBED=1`, that is a
//! failure.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::browser::{Browser, DESK};
use crate::{Recording, Running, picture, view};

const CONTROLLER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../controller");

/// A cluster of three full nodes, which ends with this value.
struct Testbed {
    process: Child,
    kubeconfig: String,
}

impl Drop for Testbed {
    fn drop(&mut self) {
        // It ends, with all its parts, when its input is closed.
        drop(self.process.stdin.take());
        let _ended = self.process.wait();
    }
}

impl Testbed {
    fn up() -> Option<Testbed> {
        let Some(binary) = binary() else {
            let is_required = env::var_os("LICTOR_REQUIRE_TESTBED").is_some_and(|required| required == "1");
            assert!(!is_required, "there is no testbed: `just testbed` builds it");
            eprintln!("not run: there is no testbed (just testbed)");
            return None;
        };
        let manifests =
            ["deploy/admission-policy.yaml", "quickstart/cluster.yaml"].map(|file| format!("{CONTROLLER}/{file}"));
        let mut command = Command::new(binary);
        command.args(["up", "--nodes", "3", "--node-cpu", "4"]);
        for file in &manifests {
            command.args(["--manifests", file]);
        }
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut ready).unwrap();
        let ready: Value = serde_json::from_str(&ready).unwrap();
        let kubeconfig = ready["admin"]["kubeconfig"].as_str().unwrap().to_owned();
        Some(Testbed { process, kubeconfig })
    }

    fn apply(&mut self, file: &Path) {
        writeln!(self.process.stdin.as_mut().unwrap(), "apply {}", file.display()).unwrap();
    }
}

/// Returns the path of the binary: what the environment names, else what was built of these sources. `None`: it is not built.
fn binary() -> Option<String> {
    if let Ok(path) = env::var("LICTOR_TESTBED") {
        return Some(path);
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../testbed/build.sh");
    let output = Command::new("bash").args([script, "--path"]).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Starts `lictor run`, which records into this file.
fn run(cluster: &Testbed, recording: &Path) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lictor"));
    command.args(["run", "--system", "kubernetes", "--kubeconfig", &cluster.kubeconfig, "--record"]).arg(recording);
    Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// Checks a gang of three that arrives where three batch pods fill three nodes and are evicted. The page is open before the gang arrives.
#[tokio::test(flavor = "multi_thread")]
async fn a_gang_is_followed_from_its_plan_to_its_nodes() {
    let Some(browser) = Browser::start("cluster", DESK).await else { return };
    let Some(mut cluster) = Testbed::up() else { return };
    let recording = Recording::of("cluster");
    let _controller = run(&cluster, &recording.0);
    let mut command = view(&recording.0);
    browser.visit(&command.url()).await;
    browser.reads("#live", "Live").await;
    browser.click("#tab-jobs").await;
    browser.reads(".lanes", "batch/batch-0").await;
    cluster.apply(Path::new(&format!("{CONTROLLER}/quickstart/gang.yaml")));
    // One moment has the plan, and in a later one the gang has its nodes. The page is updated meanwhile: both are on its line.
    browser.reads("#cycle-said", "3 bound").await;
    let marks = "return [...document.querySelectorAll('.mark')].map((mark) => mark.title)";
    let marks = browser.script(marks).await;
    let planned = |mark: &Value| mark.as_str().is_some_and(|mark| mark.contains("3 nominated, 3 evicted"));
    let place = marks.as_array().unwrap().iter().position(planned);
    let place = place.unwrap_or_else(|| panic!("no moment has the plan: {marks}"));
    browser.click(&format!(".mark:nth-child({})", place + 1)).await;
    browser.reads("[data-fate=nominated]", "train/train").await;
    browser.press("batch/batch-0").await;
    browser.reads("#why", "is evicted from").await;
    picture("desk-live-cluster.png", &browser.picture().await);
}
