//! Jobs as lanes, with the states of their pods.

use std::collections::BTreeMap;

use lictor_picture::{DrawnJob, Picture};

use super::results::{Jobs, PendingPodResult, pending_results};
use crate::data::CycleView;

/// A job with the states of its pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// The job.
    pub name: String,
    /// Its queue.
    pub queue: String,
    /// The highest priority of its pods.
    pub priority: i32,
    /// The number of pods in each state, in the order of `State`.
    pub states: BTreeMap<LanePodState, usize>,
}

/// The state of a pod of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LanePodState {
    /// It has a node, and keeps it.
    Running,
    /// It is evicted.
    Evicted,
    /// It waited, and has this result.
    Waited(PendingPodResult),
}

impl LanePodState {
    /// Returns the name of the state in one word, for badges and for style.
    pub fn word(self) -> &'static str {
        match self {
            LanePodState::Running => "running",
            LanePodState::Evicted => "evicted",
            LanePodState::Waited(fate) => fate.word(),
        }
    }
}

impl Lane {
    /// Returns whether a pod of the job waits, or something is decided about the job.
    pub fn is_moving(&self) -> bool {
        self.states.keys().any(|state| *state != LanePodState::Running)
    }

    /// Returns the number of its pods.
    pub fn pods(&self) -> usize {
        self.states.values().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Returns the states of its pods, in words.
    pub fn label(&self) -> String {
        let parts: Vec<String> = self.states.iter().map(|(state, count)| format!("{count} {}", state.word())).collect();
        parts.join(", ")
    }
}

/// The most pods for which each pod has a block of its own; in larger jobs, a block stands for a state.
const BLOCKS: usize = 48;

/// A part of a lane: pods that are in the same state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneBlock {
    /// The state of its pods.
    pub state: LanePodState,
    /// The number of pods that it stands for.
    pub pods: usize,
}

impl Lane {
    /// Returns a block for each pod; in a large job, a block for each state.
    pub fn blocks(&self) -> Vec<LaneBlock> {
        let is_small = self.pods() <= BLOCKS;
        let of = |(state, count): (&LanePodState, &usize)| match is_small {
            true => vec![LaneBlock { state: *state, pods: 1 }; *count],
            false => vec![LaneBlock { state: *state, pods: *count }],
        };
        self.states.iter().flat_map(of).collect()
    }
}

/// Returns the lanes. Jobs about which something is decided, or that wait, come first; otherwise the order is that of the picture.
pub fn lanes(picture: &Picture, cycle: Option<&CycleView>) -> Vec<Lane> {
    let fates = cycle.map(pending_results).unwrap_or_default();
    let lane = |job: &DrawnJob| {
        let mut states: BTreeMap<LanePodState, usize> = BTreeMap::new();
        for pod in &job.pods {
            let is_victim = cycle.is_some_and(|cycle| cycle.victims.contains_key(&pod.name));
            let state = match fates.get(pod.name.as_str()) {
                _ if is_victim => LanePodState::Evicted,
                Some(fate) => LanePodState::Waited(*fate),
                None if pod.placed => LanePodState::Running,
                None => LanePodState::Waited(PendingPodResult::Pending),
            };
            let count = states.entry(state).or_default();
            *count = count.saturating_add(1);
        }
        let queue = picture.queues.get(job.queue).cloned().unwrap_or_default();
        Lane { name: job.name.clone(), queue, priority: job.priority, states }
    };
    let mut lanes: Vec<Lane> = picture.jobs.iter().map(lane).collect();
    lanes.sort_by_key(|lane| !lane.is_moving());
    lanes
}

/// Returns the job of each pod that has one.
pub fn jobs(picture: &Picture) -> Jobs {
    let of = |job: &DrawnJob| {
        let name = job.name.clone();
        job.pods.iter().map(move |pod| (pod.name.clone(), name.clone())).collect::<Vec<_>>()
    };
    picture.jobs.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use lictor_picture::DrawnPod;

    use super::*;
    use crate::data::VictimView;

    #[test]
    fn a_lane_has_a_block_for_each_pod_until_there_are_too_many() {
        let lane = |states| Lane { name: String::new(), queue: String::new(), priority: 0, states };
        let block = |state, pods| LaneBlock { state, pods };
        let small = lane(BTreeMap::from([(LanePodState::Running, 2), (LanePodState::Evicted, 1)]));
        assert_eq!(
            small.blocks(),
            [(LanePodState::Running, 1), (LanePodState::Running, 1), (LanePodState::Evicted, 1)]
                .map(|it| block(it.0, it.1))
        );
        let large = lane(BTreeMap::from([(LanePodState::Running, 48), (LanePodState::Evicted, 1)]));
        assert_eq!(large.blocks(), [block(LanePodState::Running, 48), block(LanePodState::Evicted, 1)]);
    }

    #[test]
    fn a_lane_says_what_became_of_each_pod() {
        let pod = |name: &str, placed| DrawnPod { name: name.to_owned(), placed };
        let job = |name: &str, pods: Vec<DrawnPod>| DrawnJob { name: name.to_owned(), queue: 0, priority: 3, pods };
        let picture = Picture {
            queues: vec!["q".to_owned()],
            jobs: vec![
                job("a/calm", vec![pod("a/c", true)]),
                job("a/job", vec![pod("a/0", true), pod("a/1", true), pod("a/2", false), pod("a/3", false)]),
            ],
            ..Picture::default()
        };
        let name = |name: &str| (name.to_owned(), "n1".to_owned());
        let cycle = CycleView {
            bound: BTreeMap::from([name("a/2")]),
            victims: BTreeMap::from([("a/1".to_owned(), VictimView::default())]),
            ..CycleView::default()
        };
        let lanes = lanes(&picture, Some(&cycle));
        assert_eq!((lanes[0].name.as_str(), lanes[0].pods()), ("a/job", 4));
        assert_eq!(lanes[0].label(), "1 running, 1 evicted, 1 bound, 1 pending");
        assert_eq!((lanes[1].name.as_str(), lanes[1].is_moving()), ("a/calm", false));
        assert_eq!(jobs(&picture).get("a/2").map(String::as_str), Some("a/job"));
    }
}
