//! How a play goes, and how it comes to rest.

use std::collections::BTreeSet;

use super::play::{SchedulerSimulation, SchedulerSimulationTotals};
use super::system::SystemFixture;
use super::trouble::FaultCategory;
use super::world::{SECOND, is_being_deleted, name_of, node_of, nominated, refusal, uid_of};

/// The steps of a play.
pub(super) const STEPS: usize = 200;
/// The seconds of a round while a cluster comes to rest.
const ROUND: i64 = 20;
/// The seconds without a change after which a cluster is at rest: longer than the longest wait at Permit that a policy asks for (600 s).
const QUIET: i64 = 700;
/// The most seconds until a cluster is at rest: two hours.
const MOST: i64 = 7200;
/// The rounds in which a scheduler that knows nothing of the past may find something to do.
const FRESH: usize = 8;

/// Plays once from this seed. Returns what was wrong, and the story where that is wanted.
pub(super) fn play(
    system: &SystemFixture,
    seed: u64,
    with_story: bool,
    figures: &mut SchedulerSimulationTotals,
) -> (Vec<String>, Vec<String>) {
    let mut play = SchedulerSimulation::begin(system, seed);
    play.observer.story = with_story.then(Vec::new);
    play.arguments = system.arguments[play.random.below(system.arguments.len())];
    // Of each kind of trouble, every other play has none, and every fourth play has none at all.
    let share = if play.random.percent(25) { 0 } else { 50 };
    let kinds: Vec<FaultCategory> = FaultCategory::ALL.into_iter().filter(|_| play.random.percent(share)).collect();
    play.observer.calm(true);
    let nodes = 2 + play.random.below(3);
    play.create_cluster(nodes);
    play.start();
    for _ in 0..STEPS {
        play.step(&kinds);
    }
    play.rest();
    figures.steps += STEPS;
    figures.plays += 1;
    figures.hosts += play.host.number;
    for (call, count) in &play.observer.calls {
        *figures.calls.entry(call).or_default() += count;
    }
    (std::mem::take(&mut play.observer.violations), play.observer.story.take().unwrap_or_default())
}

impl SchedulerSimulation<'_> {
    /// Plays a step, and lets time pass.
    fn step(&mut self, kinds: &[FaultCategory]) {
        for _ in 0..=self.random.below(2) {
            self.act();
        }
        if self.random.percent(8) {
            self.change_faults(kinds);
        }
        let most = match self.random.below(100) {
            0..=69 => 200,
            70..=94 => 3_000,
            95..=98 => 40_000,
            _ => 400_000,
        };
        let mut length = i64::try_from(self.random.below(most)).unwrap() * SECOND / 1000;
        // Kubelets do not wait for the next step: a pod that has had its grace is gone.
        while length > ROUND * SECOND {
            self.pass(ROUND * SECOND);
            self.kubelets();
            length -= ROUND * SECOND;
        }
        self.pass(length);
        self.observer.observe(&self.api_server);
    }

    /// Plays a round in which nothing goes wrong.
    pub(super) fn round(&mut self, seconds: i64) {
        self.kubelets();
        self.recreate();
        self.pass(seconds * SECOND);
        self.observer.observe(&self.api_server);
    }

    /// Ends all that goes wrong, waits until the cluster is at rest, and judges.
    pub(super) fn rest(&mut self) {
        self.clear_faults();
        self.end_budgets();
        let settled = self.come_to_rest();
        self.describe();
        if let Some(promised) = settled {
            self.observer.judge(&self.api_server, &promised);
            self.restart_without_history();
        }
    }

    /// Waits until the cluster is at rest. Returns the pods that were nominated all the time, by uid. `None`: the cluster does not come to rest,
    /// which is wrong.
    fn come_to_rest(&mut self) -> Option<BTreeSet<String>> {
        let (mut before, mut quiet, mut all, mut promised) = (self.moved(), 0, 0, self.nominated_pods());
        while quiet < QUIET && all < MOST {
            self.round(ROUND);
            let (now, still) = (self.moved(), self.nominated_pods());
            // A gang that waits for a node is tried again now and then, and kube-scheduler writes where its pods are expected while they wait
            // at Permit (`bindingCycle` in `schedule_one.go`). What is stuck is nominated all the time.
            if now == before {
                promised.retain(|uid| still.contains(uid));
                quiet += ROUND;
            } else {
                (promised, quiet) = (still, 0);
            }
            (before, all) = (now, all + ROUND);
        }
        if quiet < QUIET {
            self.observer.violate("the cluster does not come to rest".to_owned());
            return None;
        }
        Some(promised)
    }

    /// Returns what moves while a cluster is not at rest: which pods there are, on which nodes, and how many were bound or deleted.
    fn moved(&self) -> (Vec<(String, String, bool)>, [u64; 2]) {
        let pods = self
            .api_server
            .all("Pod")
            .map(|pod| (uid_of(pod).to_owned(), node_of(pod).to_owned(), is_being_deleted(pod)));
        let calls = ["bind", "delete"].map(|call| self.observer.calls.get(call).copied().unwrap_or_default());
        (pods.collect(), calls)
    }

    /// Returns the pods that are nominated, by uid.
    fn nominated_pods(&self) -> BTreeSet<String> {
        let pods = self.api_server.all("Pod").filter(|pod| !nominated(pod).is_empty());
        pods.map(|pod| uid_of(pod).to_owned()).collect()
    }

    /// Starts a scheduler and a host that know nothing of the past. Where those before have left nothing undone, they find nothing to do.
    ///
    /// Where the pods of an application do not show its queue, the new host may find something to do: the host before knew the queue by a pod
    /// that is gone, and the new host takes the application to be in another queue, which is owed other amounts. The cluster must come to rest
    /// again then, and is judged once more.
    fn restart_without_history(&mut self) {
        let hides = self.observer.has_hidden_queues();
        (self.faults.has_checkpoint, self.faults.skew) = (false, 0);
        let before = self.moved();
        self.start();
        for _ in 0..FRESH {
            self.round(ROUND);
            let now = self.moved();
            if now != before && hides {
                if let Some(promised) = self.come_to_rest() {
                    self.observer.judge(&self.api_server, &promised);
                }
                return;
            }
            if now != before {
                let news: Vec<_> = now.0.iter().filter(|pod| !before.0.contains(pod)).collect();
                return self.observer.violate(format!("a scheduler that begins anew finds something to do: {news:?}"));
            }
        }
    }

    /// Adds to the story what is there in the end.
    fn describe(&mut self) {
        let pods = self.api_server.all("Pod").map(|pod| {
            let (name, node, at) = (name_of(pod), node_of(pod), nominated(pod));
            let uid = super::world::uid_of(pod);
            let cpu = super::requeue::cores(pod);
            format!(
                "{name} {uid} {cpu} priority {} node `{node}` nominated `{at}` {}",
                pod["spec"]["priority"],
                refusal(pod)
            )
        });
        let nodes: Vec<String> = self.api_server.all("Node").map(|node| name_of(node)).collect();
        let lines: Vec<String> = pods.chain([format!("{nodes:?}")]).collect();
        lines.into_iter().for_each(|line| self.add_line(|| line));
    }
}
