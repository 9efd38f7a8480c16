//! The kube-scheduler with the plugin, as a process next to the testbed.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use lictor_host::cluster::load::read;
use serde_json::{Value, json};

use crate::support::testbed::Ready;

/// Its folder.
pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../kube-scheduler");

/// Returns the path of the binary: what the environment names, else what `build.sh` has built from these sources. `None`: it is not built.
pub fn binary() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("LICTOR_KUBE_SCHEDULER") {
        return Some(path.into());
    }
    let script = Path::new(FOLDER).join("build.sh");
    let output = Command::new("bash").arg(script).arg("--path").stderr(Stdio::null()).output().ok()?;
    let found: Option<PathBuf> = output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().into());
    if found.is_none() {
        let is_required = std::env::var("LICTOR_REQUIRE_TESTBED").is_ok_and(|value| value == "1");
        assert!(
            !is_required,
            "no kube-scheduler with the plugin, but LICTOR_REQUIRE_TESTBED=1 (its build.sh builds it)"
        );
        let _ = writeln!(std::io::stderr(), "not run: no kube-scheduler with the plugin (its build.sh builds it)");
    }
    found
}

/// The configuration that is shipped, for users to start from.
const SHIPPED: &str = include_str!("../../../kube-scheduler/configuration.yaml");

fn shipped() -> Value {
    let documents = read("configuration.yaml", SHIPPED).unwrap();
    assert_eq!(documents.len(), 1);
    documents.into_iter().next().unwrap().value
}

/// Replaces a field that the shipped file has.
fn replace(object: &mut Value, field: &str, value: Value) {
    let known = object.get_mut(field);
    *known.unwrap_or_else(|| panic!("the shipped configuration has no `{field}`")) = value;
}

/// Adds a field that the shipped file leaves to the user.
fn add(object: &mut Value, field: &str, value: Value) {
    let known = object.as_object_mut().unwrap().insert(field.to_owned(), value);
    assert_eq!(known, None, "the shipped configuration has `{field}`");
}

#[test]
fn the_testbed_starts_from_the_shipped_configuration() {
    let scheduler = Scheduler { binary: PathBuf::new(), backoff: 7 };
    let config = scheduler.configuration(Path::new("/f"), Path::new("/s"), Claim::Labelled);
    let only = json!({"disabled": [{"name": "*"}], "enabled": [{"name": "Lictor"}]});
    let args = json!({"socket": "/s", "claim": "labelled", "sort": true, "deadline": "5s", "start": "1m"});
    let profile = json!({
        "schedulerName": "default-scheduler",
        "plugins": {"multiPoint": {"enabled": [{"name": "Lictor"}]}, "filter": {"enabled": [{"name": "Lictor"}]},
                    "postFilter": only, "podGroupPostFilter": only, "queueSort": only},
        "pluginConfig": [{"name": "Lictor", "args": args}],
    });
    assert_eq!(config["profiles"], json!([profile]));
    assert_eq!(config["podMaxBackoffSeconds"], 7);
    let without = scheduler.configuration(Path::new("/f"), Path::new("/s"), Claim::Nothing);
    assert_eq!(without["profiles"], json!([{"schedulerName": "default-scheduler"}]));
}

/// A kube-scheduler that a test can start: its binary and its settings.
pub struct Scheduler {
    pub binary: PathBuf,
    /// How many seconds a pod that was refused again and again waits at most; kube-scheduler's default is 10.
    pub backoff: u32,
}

/// The pods that the policy is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// None: there is no plugin.
    Nothing,
    Labelled,
    All,
}

/// One that runs, until this is dropped.
pub struct Running(Child);

impl Scheduler {
    /// Starts one that asks at this socket.
    pub fn start(&self, ready: &Ready, socket: &Path) -> Running {
        self.start_with(ready, socket, Claim::All)
    }

    /// Starts one that asks about these pods.
    pub fn start_with(&self, ready: &Ready, socket: &Path, claim: Claim) -> Running {
        self.launch(ready, socket, claim, &["--feature-gates=GenericWorkload=true"])
    }

    /// Starts one with the feature gates that kube-scheduler has by default: a new pod without a node moves no other pod.
    pub fn start_by_default(&self, ready: &Ready, socket: &Path) -> Running {
        self.launch(ready, socket, Claim::All, &[])
    }

    /// Returns the configuration that is shipped, with what is another on the testbed.
    fn configuration(&self, folder: &Path, socket: &Path, claim: Claim) -> Value {
        let mut config = shipped();
        if claim == Claim::Nothing {
            config["profiles"] = json!([{"schedulerName": "default-scheduler"}]);
        } else {
            let args = &mut config["profiles"][0]["pluginConfig"][0]["args"];
            replace(args, "socket", json!(socket));
            replace(args, "claim", json!(if claim == Claim::Labelled { "labelled" } else { "all" }));
        }
        let client = json!({"kubeconfig": folder.join("scheduler.kubeconfig"), "qps": 1000, "burst": 1000});
        add(&mut config, "clientConnection", client);
        add(&mut config, "leaderElection", json!({"leaderElect": false}));
        add(&mut config, "podInitialBackoffSeconds", json!(1));
        add(&mut config, "podMaxBackoffSeconds", json!(self.backoff));
        config
    }

    fn launch(&self, ready: &Ready, socket: &Path, claim: Claim, gates: &[&str]) -> Running {
        let config = self.configuration(&ready.folder, socket, claim);
        let file = ready.folder.join("plugin.json");
        std::fs::write(&file, config.to_string()).unwrap();
        let log = File::options().create(true).append(true).open(ready.folder.join("plugin.log")).unwrap();
        let mut command = Command::new(&self.binary);
        command.arg(format!("--config={}", file.display())).args(["--secure-port=0", "--v=2"]);
        command.args(gates);
        let command = command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log);
        Running(command.spawn().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _gone = self.0.wait();
    }
}
