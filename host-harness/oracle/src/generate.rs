//! Random clusters from named parameters.

mod coscheduling;
mod koordinator;
mod kubernetes;
mod volcano;
mod yunikorn;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::build::{Size, node, tags};
use crate::case::{Case, System};
use crate::random::Dice;

/// Makes a case: the same from the same seed and index, whatever else was made before.
pub fn generate(system: System, seed: u64, index: u64) -> Case {
    let mut sketch = Sketch { dice: Dice::of(seed, index), parameters: BTreeMap::new() };
    let (args, objects, drive) = match system {
        System::Coscheduling => coscheduling::cluster(&mut sketch),
        System::Koordinator => koordinator::cluster(&mut sketch),
        System::Yunikorn => yunikorn::cluster(&mut sketch),
        System::Volcano => volcano::cluster(&mut sketch),
        System::Kubernetes => kubernetes::cluster(&mut sketch),
    };
    Case { system, seed, index, parameters: sketch.parameters, args, objects, drive }
}

/// A case in the making.
struct Sketch {
    dice: Dice,
    parameters: BTreeMap<&'static str, i64>,
}

impl Sketch {
    /// Draws a parameter.
    fn draw(&mut self, name: &'static str, low: i64, high: i64) -> i64 {
        let drawn = self.dice.between(low, high);
        self.parameters.insert(name, drawn);
        drawn
    }

    /// Draws a parameter that is 1 in so many of a hundred cases.
    fn flag(&mut self, name: &'static str, percent: i64) -> bool {
        let drawn = self.dice.chance(percent);
        self.parameters.insert(name, i64::from(drawn));
        drawn
    }

    /// A size of a pod of at most so much, with a device now and then where there are some.
    fn size(&mut self, most: i64, devices: bool) -> Size {
        let cpu = self.dice.between(1, most);
        Size { cpu, gpu: if devices && self.dice.chance(40) { self.dice.between(1, 2) } else { 0 } }
    }
}

/// Nodes with what is left free on them: running pods are dealt onto them so that they are nearly full.
struct Floor {
    names: Vec<String>,
    sizes: Vec<Size>,
    free: Vec<Size>,
}

impl Floor {
    /// So many nodes `n1`, `n2`, ... of at most so much.
    fn of(sketch: &mut Sketch, count: i64, most: i64, devices: bool) -> Floor {
        let names = (1..=count).map(|number| format!("n{number}")).collect();
        let mut size = || {
            let gpu = if devices { sketch.dice.between(0, 4) } else { 0 };
            Size { cpu: sketch.dice.between(1, most), gpu }
        };
        let sizes: Vec<Size> = (0..count).map(|_| size()).collect();
        Floor { names, free: sizes.clone(), sizes }
    }

    /// The nodes as objects, with no labels and room for more pods than there are.
    fn nodes(&self) -> Vec<Value> {
        self.names.iter().zip(&self.sizes).map(|(name, size)| node(name, *size, 110, &tags([]))).collect()
    }

    /// A node with room for this, which is taken; none where the one that was drawn has too little.
    fn deal(&mut self, dice: &mut Dice, size: Size) -> Option<String> {
        let last = i64::try_from(self.names.len()).unwrap_or(0) - 1;
        let place = usize::try_from(dice.between(0, last)).ok()?;
        let free = self.free.get_mut(place).filter(|free| size.cpu <= free.cpu && size.gpu <= free.gpu)?;
        free.cpu -= size.cpu;
        free.gpu -= size.gpu;
        self.names.get(place).cloned()
    }
}
