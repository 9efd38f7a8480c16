//! How fast pods are bound, and how fast they preempt: by kube-scheduler as it comes, and with the plugin. The same binary each time.

mod bound;
mod cluster;
mod workload;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command};

use crate::host::Host;
use crate::scheduler::{Claim, Scheduler};
use crate::support::testbed::Ready;
use crate::world::World;
use cluster::Cluster;
use workload::{WORKLOADS, Workload};

/// The host: the command that the environment names in `LICTOR_BINARY`, else in this process, unoptimised.
enum Answers {
    Here { _host: Host },
    There(Child),
}

impl Answers {
    fn start(ready: &Ready) -> (Answers, PathBuf) {
        let Some(binary) = std::env::var_os("LICTOR_BINARY") else {
            let host = Host::start("kubernetes", &ready.folder);
            let socket = host.socket.clone();
            return (Answers::Here { _host: host }, socket);
        };
        let socket = ready.folder.join("lictor.sock");
        let child = Command::new(binary).args(["serve", "--system", "kubernetes", "--socket"]).arg(&socket).spawn();
        (Answers::There(child.unwrap()), socket)
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        if let Answers::There(child) = self {
            let _gone = child.kill();
            let _gone = child.wait();
        }
    }
}

/// Returns the value of an environment variable, or this one.
fn wanted<T: std::str::FromStr>(name: &str, otherwise: T) -> T {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Prints pods a second, and at the end their medians. The variants take turns, because the other load of the machine changes from minute to minute.
/// `LICTOR_WORKLOAD` selects the workloads with this text in their names, `LICTOR_ROUNDS` the number of rounds.
pub async fn side_by_side(world: &World, scheduler: &Scheduler) {
    let (only, rounds) = (wanted("LICTOR_WORKLOAD", String::new()), wanted("LICTOR_ROUNDS", 3));
    let mut rates: BTreeMap<(usize, Claim), Vec<f64>> = BTreeMap::new();
    for round in 0..rounds {
        for (place, workload) in WORKLOADS.iter().enumerate().filter(|(_, workload)| workload.name.contains(&only)) {
            for claim in workload.claims() {
                let rate = measure(world, scheduler, workload, *claim).await;
                eprintln!("round {round}, {}, {claim:?}: {rate:.1} pods a second", workload.name);
                rates.entry((place, *claim)).or_default().push(rate);
            }
        }
    }
    for ((place, claim), rates) in &mut rates {
        rates.sort_unstable_by(f64::total_cmp);
        eprintln!("median, {}, {claim:?}: {:.1} pods a second", WORKLOADS[*place].name, rates[rates.len() / 2]);
    }
}

async fn measure(world: &World, scheduler: &Scheduler, workload: &Workload, claim: Claim) -> f64 {
    let cluster = Cluster::make(world, workload).await;
    let ready = &world.testbed.ready;
    let (answers, socket) = Answers::start(ready);
    let rate = cluster.rate(workload, || scheduler.start_with(ready, &socket, claim)).await;
    drop(answers);
    cluster.clear().await;
    rate
}
