//! Starts the testbed (`host-harness/testbed`), speaks its protocol, and ends it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kube::Client;
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use serde::Deserialize;
use serde_json::Value;

/// The folder of the testbed.
pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../testbed");

/// How long a testbed may take until it has ended by itself.
const END: Duration = Duration::from_secs(10);

/// A user of the cluster, each with two ways to the API server: straight, and through the proxy that fails requests.
#[derive(Debug, Clone, Deserialize)]
pub struct User {
    pub name: String,
    pub token: String,
    pub kubeconfig: PathBuf,
    #[serde(rename = "proxyKubeconfig")]
    pub proxy_kubeconfig: PathBuf,
}

/// The message of the testbed when it is ready.
#[derive(Debug, Clone, Deserialize)]
pub struct Ready {
    pub server: String,
    pub proxy: String,
    /// Where kube-scheduler serves its metrics.
    pub scheduler: String,
    pub ca: PathBuf,
    /// May do all.
    pub admin: User,
    /// May do what RBAC binds it to: nothing at first. It is the service account of the deployment.
    pub user: User,
    /// The logs of the parts.
    pub folder: PathBuf,
    /// Evictions, bindings and deletions of pods, as the API server saw them.
    pub audit: PathBuf,
    /// How long it took.
    pub seconds: f64,
}

/// The pipes of the process.
struct Pipes {
    /// Closing it ends the testbed.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// A cluster of the test's own, which ends with this value or with the process.
pub struct Testbed {
    pub ready: Ready,
    process: Child,
    pipes: Arc<Mutex<Pipes>>,
}

/// Returns the path of the binary: what the environment names, else what `just testbed` has built from these sources. `None`: it is not built.
fn binary() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("LICTOR_TESTBED") {
        return Some(path.into());
    }
    let script = Path::new(FOLDER).join("build.sh");
    let output = Command::new("bash").arg(script).arg("--path").stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().into())
}

impl Testbed {
    /// Starts a cluster with these arguments of `testbed up`. None where there is no testbed: the test is not run then.
    ///
    /// # Panics
    ///
    /// Where there is none though `LICTOR_REQUIRE_TESTBED=1` demands it, and where it does not come up.
    pub fn up(args: &[&str]) -> Option<Self> {
        let Some(binary) = binary() else {
            let is_required = std::env::var("LICTOR_REQUIRE_TESTBED").is_ok_and(|value| value == "1");
            assert!(!is_required, "no testbed, but LICTOR_REQUIRE_TESTBED=1 (just testbed builds it)");
            let test = std::thread::current().name().unwrap_or("a test").to_owned();
            // Not by a macro: what these print is not shown of a test that passes.
            let _ = writeln!(std::io::stderr(), "{test}: not run: no testbed (just testbed builds it)");
            return None;
        };
        let mut command = Command::new(&binary);
        command.arg("up").args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap_or_else(|error| panic!("start {}: {error}", binary.display()));
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut line = String::new();
        output.read_line(&mut line).expect("the first line of the testbed");
        let ready = serde_json::from_str(&line).unwrap_or_else(|error| panic!("the testbed said `{line}`: {error}"));
        let pipes = Pipes { input: process.stdin.take(), output };
        Some(Self { ready, process, pipes: Arc::new(Mutex::new(pipes)) })
    }

    /// Sends a command, such as `restart kube-apiserver`, and returns the answer.
    ///
    /// # Panics
    ///
    /// Where the testbed refuses it.
    pub async fn command(&self, line: &str) -> Value {
        let (pipes, line) = (Arc::clone(&self.pipes), line.to_owned());
        let answer = tokio::task::spawn_blocking(move || {
            let mut pipes = pipes.lock().unwrap();
            let input = pipes.input.as_mut().expect("the testbed runs");
            writeln!(input, "{line}").expect("a command for the testbed");
            let mut answer = String::new();
            pipes.output.read_line(&mut answer).expect("an answer of the testbed");
            (line, answer)
        });
        let (line, answer) = answer.await.unwrap();
        let answer: Value =
            serde_json::from_str(&answer).unwrap_or_else(|error| panic!("`{line}`: `{answer}`: {error}"));
        assert_eq!(answer["ok"], true, "`{line}` is refused: {answer}");
        answer
    }

    /// Applies a file or a folder of YAML.
    pub async fn apply_path(&self, path: &Path) {
        self.command(&format!("apply {}", path.display())).await;
    }

    /// Applies a text of YAML: one object or more. Kinds whose CRDs stand in it are waited for.
    pub async fn apply(&self, yaml: &str) {
        static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = self.ready.folder.join(format!("applied-{number}.yaml"));
        std::fs::write(&path, yaml).unwrap();
        self.apply_path(&path).await;
    }

    /// Connects as the administrator, straight to the API server.
    pub async fn admin(&self) -> Client {
        client(&self.ready.admin.kubeconfig).await
    }

    /// Ends the testbed. Its input closes, and it has some time to end its parts.
    fn end(&mut self) {
        if let Ok(mut pipes) = self.pipes.lock() {
            pipes.input = None;
        }
        let began = Instant::now();
        while began.elapsed() < END {
            if matches!(self.process.try_wait(), Ok(Some(_)) | Err(_)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Testbed {
    fn drop(&mut self) {
        self.end();
    }
}

/// Connects as a kubeconfig says. The client belongs to the runtime of the test: no two tests share one.
pub async fn client(kubeconfig: &Path) -> Client {
    let kubeconfig = Kubeconfig::read_from(kubeconfig).unwrap();
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    Client::try_from(config).unwrap()
}
