//! The jobs of a trace: when they come, how long they run, what they need.

use lictor_oracle::RandomSource;

/// A job: pods that start together, or none.
#[derive(Debug, Clone)]
pub struct Job {
    pub name: String,
    /// The quota, queue or namespace of the job.
    pub team: &'static str,
    pub priority: i64,
    pub pods: usize,
    /// The GPUs of each pod.
    pub gpus: u32,
    /// When the job comes, seconds.
    pub submitted: i64,
    /// How long the job runs without an eviction, seconds.
    pub duration: i64,
}

impl Job {
    /// Returns the names of the pods.
    pub fn pod_names(&self) -> impl Iterator<Item = String> {
        (0..self.pods).map(|number| format!("{}/{}-{number}", self.team, self.name))
    }
}

/// The teams, and the share of the cluster that each is guaranteed, in percent.
pub const TEAMS: [(&str, u32); 4] = [("a", 40), ("b", 30), ("c", 20), ("d", 10)];

/// A job that is evicted loses what it did since its last checkpoint, seconds.
pub const CHECKPOINT: i64 = 1800;

/// Returns a time with this mean, exponentially distributed, seconds.
fn around(dice: &mut RandomSource, mean: f64) -> i64 {
    let part = (dice.between(0, 999_999) as f64 + 1.0) / 1_000_001.0;
    (-part.ln() * mean) as i64 + 1
}

/// Returns the jobs of a trace, by the time at which they come. A cluster of fewer nodes gets smaller gangs, and at the same load.
pub fn jobs(seed: u64, count: usize, nodes: usize) -> Vec<Job> {
    let mut dice = RandomSource::after(seed);
    let most = nodes.min(8);
    let mut now = 0;
    (0..count)
        .map(|number| {
            now += around(&mut dice, 300.0 * 32.0 / nodes as f64);
            let pods = *dice.pick(&[1, 1, 1, 1, 1, 2, 2, 3, 4, 8]).unwrap().min(&most);
            let gpus = *dice.pick(if pods > 2 { &[2, 4, 8, 8] } else { &[1, 2, 4, 8] }).unwrap();
            let (team, priority) = (
                *dice.pick(&["a", "a", "b", "b", "c", "d"]).unwrap(),
                dice.choose_number(&[1000, 1000, 3000, 5000, 9000]),
            );
            let duration = around(&mut dice, 3.0 * 3600.0).clamp(300, 12 * 3600);
            Job { name: format!("j{number:04}"), team, priority, pods, gpus, submitted: now, duration }
        })
        .collect()
}

/// Returns the number of a node.
pub fn number(node: &str) -> usize {
    node.trim_start_matches('n').parse().unwrap()
}
