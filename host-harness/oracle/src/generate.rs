//! Random clusters from named parameters.

mod between_pods;
mod coscheduling;
mod koordinator;
mod kubernetes;
mod late;
mod selectors;
mod shares;
mod volcano;
mod yunikorn;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::build::{PodPlan, Size, node, put, tags};
use crate::case::{FuzzCase, RoundKind, SystemKind};
use crate::demands::add_demands;
use crate::random::RandomSource;
use crate::world::{OTHER_SCHEDULER, at, text};

/// Generates a case. It depends only on the system, the seed and the index.
pub fn generate(system: SystemKind, seed: u64, index: u64) -> FuzzCase {
    let mut sketch = CaseGenerator { random: RandomSource::of(seed, index), parameters: BTreeMap::new() };
    let (mut args, mut objects, drive) = match system {
        SystemKind::Coscheduling => coscheduling::cluster(&mut sketch),
        SystemKind::Koordinator => koordinator::cluster(&mut sketch),
        SystemKind::Yunikorn => yunikorn::cluster(&mut sketch),
        SystemKind::Volcano => volcano::cluster(&mut sketch),
        SystemKind::Kubernetes => kubernetes::cluster(&mut sketch),
    };
    exclude_some(&mut sketch, &mut objects);
    between_pods::constrain(&mut sketch, system, drive.recreate, &mut objects);
    let (later, mut drive) = match system {
        SystemKind::Yunikorn => yunikorn::lowered(&mut sketch, &mut objects, drive),
        _ => (Vec::new(), drive),
    };
    if sketch.flag("demands", 10) {
        add_demands(&mut sketch.random, system, &mut objects);
    }
    // What is drawn here was added last, so that seeds mean the same clusters as before.
    drive.retries_early = drive.by == RoundKind::Attempts && sketch.flag("again", 15);
    match system {
        SystemKind::Yunikorn => {
            yunikorn::odd(&mut sketch, &mut objects);
            yunikorn::rare(&mut sketch, &mut objects);
        }
        SystemKind::Koordinator => koordinator::odd::vary(&mut sketch, &mut args, &mut objects),
        SystemKind::Kubernetes => kubernetes::odd(&mut sketch, &mut objects),
        SystemKind::Coscheduling => coscheduling::odd(&mut sketch, &mut objects),
        SystemKind::Volcano => {}
    }
    let late = late::pods(&mut sketch, system, &objects);
    if system == SystemKind::Coscheduling {
        coscheduling::vary_priorities(&mut sketch, &mut objects);
    }
    selectors::vary(&mut sketch, &mut objects);
    if system == SystemKind::Coscheduling {
        coscheduling::add_devices(&mut sketch, &mut objects);
    }
    FuzzCase { system, seed, index, parameters: sketch.parameters, args, objects, later, late, drive }
}

/// Gives some of the pending pods a scheduling gate, or another scheduler.
fn exclude_some(sketch: &mut CaseGenerator, objects: &mut [Value]) {
    if !sketch.flag("held-back", 20) {
        return;
    }
    let pending = |object: &&mut Value| text(object, "/kind") == "Pod" && at(object, "/spec/nodeName").is_none();
    for pod in objects.iter_mut().filter(pending) {
        if sketch.random.chance(30) {
            put(pod, "/spec", "schedulingGates", json!([{"name": "example.com/held"}]));
        } else if sketch.random.chance(10) {
            put(pod, "/spec", "schedulerName", json!(OTHER_SCHEDULER));
        }
    }
}

/// The random numbers and parameters of a case.
struct CaseGenerator {
    random: RandomSource,
    parameters: BTreeMap<&'static str, i64>,
}

impl CaseGenerator {
    /// Draws a parameter from `low` to `high`.
    fn draw(&mut self, name: &'static str, low: i64, high: i64) -> i64 {
        let drawn = self.random.between(low, high);
        self.parameters.insert(name, drawn);
        drawn
    }

    /// Draws a parameter that is 1 with this probability, in percent, and 0 otherwise.
    fn flag(&mut self, name: &'static str, percent: i64) -> bool {
        let drawn = self.random.chance(percent);
        self.parameters.insert(name, i64::from(drawn));
        drawn
    }

    /// Draws a pod size of at most `most` cpu, sometimes with a GPU if `devices` is set.
    fn size(&mut self, most: i64, devices: bool) -> Size {
        let cpu = self.random.between(1, most);
        Size { cpu, gpu: if devices && self.random.chance(40) { self.random.between(1, 2) } else { 0 } }
    }
}

/// The nodes and their free resources. Running pods are placed so that the nodes are nearly full.
struct NodePool {
    names: Vec<String>,
    sizes: Vec<Size>,
    free: Vec<Size>,
}

impl NodePool {
    /// Draws `count` nodes `n1`, `n2`, ... with at most `most` cpu each.
    fn of(sketch: &mut CaseGenerator, count: i64, most: i64, devices: bool) -> NodePool {
        let names = (1..=count).map(|number| format!("n{number}")).collect();
        let mut size = || {
            let gpu = if devices { sketch.random.between(0, 4) } else { 0 };
            Size { cpu: sketch.random.between(1, most), gpu }
        };
        let sizes: Vec<Size> = (0..count).map(|_| size()).collect();
        NodePool { names, free: sizes.clone(), sizes }
    }

    /// Returns the nodes as objects, without labels and with capacity for more pods than exist.
    fn nodes(&self) -> Vec<Value> {
        self.names.iter().zip(&self.sizes).map(|(name, size)| node(name, *size, 110, &tags([]))).collect()
    }

    /// Draws a node and takes this room on it; none where the drawn node has too little room.
    fn place(&mut self, dice: &mut RandomSource, size: Size) -> Option<String> {
        let last = i64::try_from(self.names.len()).unwrap_or(0) - 1;
        let index = usize::try_from(dice.between(0, last)).ok()?;
        let free = self.free.get_mut(index).filter(|free| size.cpu <= free.cpu && size.gpu <= free.gpu)?;
        free.cpu -= size.cpu;
        free.gpu -= size.gpu;
        self.names.get(index).cloned()
    }
}

/// Draws the pods of one more gang, of an odd number, and how many of them the gang needs. `None` in most cases. `model` is what the pods have in
/// common. This gang is drawn last, so that everything else stays the same.
fn odd_gang(sketch: &mut CaseGenerator, model: &PodPlan) -> Option<(Vec<PodPlan>, i64)> {
    if !sketch.flag("oddGang", 15) {
        return None;
    }
    let count = sketch.random.choose_number(&[3, 3, 5, 7]);
    let minimum = (count - sketch.random.choose_number(&[0, 0, 1, 2])).max(1);
    let alike = sketch.random.chance(70);
    let size = sketch.size(3, false);
    let pods = (1..=count).map(|number| {
        let size = if alike { size } else { sketch.size(3, false) };
        PodPlan { name: format!("w{number}"), size, created: sketch.random.between(0, 9), ..model.clone() }
    });
    Some((pods.collect(), minimum))
}
