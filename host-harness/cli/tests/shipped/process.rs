//! A process of the Deployment.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use lictor_host::cluster::load::read;
use serde_json::Value;

use crate::get::{free_address, get};
use crate::support::testbed::Testbed;
use crate::{arguments_of, shipped_arguments, within};

/// Reads the only document of a file.
pub fn document(file: &Path) -> Value {
    let text = std::fs::read_to_string(file).unwrap();
    read(&file.display().to_string(), &text).unwrap().remove(0).value
}

/// A process that is started as the container of the Deployment is. It is killed when this value goes.
pub struct Replica {
    process: Child,
    address: SocketAddr,
    log: PathBuf,
}

impl Replica {
    /// Starts a process with the arguments that are shipped for its system.
    pub fn start(testbed: &Testbed, system: &str, name: &str) -> Replica {
        Replica::with(testbed, system, name, &arguments_of(testbed, system))
    }

    /// Starts a process with this file of arguments of its system. What names a place on the machine, and the system, is changed; the other arguments of the
    /// command are as shipped.
    pub fn with(testbed: &Testbed, system: &str, name: &str, arguments: &Path) -> Replica {
        let address = free_address();
        let log = within(testbed, &format!("{system}-{name}.log"));
        let changed = [
            ("--system=", system.to_owned()),
            ("--args=", arguments.display().to_string()),
            ("--listen=", address.to_string()),
            ("--explain-socket=", within(testbed, &format!("{system}-{name}.sock")).display().to_string()),
        ];
        let as_here = |shipped: String| {
            let change = changed.iter().find(|(option, _)| shipped.starts_with(option));
            change.map_or(shipped, |(option, value)| format!("{option}{value}"))
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_lictor"));
        command.args(shipped_arguments().into_iter().map(as_here));
        command.arg("--kubeconfig").arg(&testbed.ready.user.kubeconfig);
        command.env("LICTOR_CACHE_DIR", within(testbed, "cache")).env("POD_NAME", format!("lictor-{name}"));
        let process = command.stdout(Stdio::null()).stderr(File::create(&log).unwrap()).spawn().unwrap();
        Replica { process, address, log }
    }

    /// Returns whether this process says that it leads.
    pub fn leads(&self) -> bool {
        get(self.address, "/readyz").ends_with("ok: leads\n")
    }

    /// Returns what the process has written so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Kills the process: it cannot do anything any more.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Ends the process by SIGTERM, and checks its log: each line has a level and a message, none has a path of a module or a structure of Rust, and
    /// the last line says that the process ends.
    pub fn ends_for_operators(&mut self) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &id]).status().unwrap().success());
        let ended = self.process.wait().unwrap();
        let log = self.log();
        assert!(ended.success(), "{ended}: {log}");
        let lines: Vec<Value> = log
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect();
        for (line, read) in log.lines().zip(&lines) {
            assert!(read["level"].is_string() && read["fields"]["message"].is_string(), "{line}");
            assert!(
                !line.contains("decides about this cluster at the same time"),
                "the process before it is dead: {line}"
            );
            for structure in ["lictor_", " { ", "Some(", "Err("] {
                assert!(!line.contains(structure), "for operators: {line}");
            }
        }
        let last = &lines.last().unwrap()["fields"]["message"];
        assert_eq!(last, "the process ends; a Lease that it held is given back", "{log}");
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _reaped = self.process.wait();
    }
}
