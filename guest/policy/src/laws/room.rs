//! Room: what a node has for a pod. The same in every system, and no law of any: it is what kube-scheduler's filters for
//! resources and for nominated pods do.

use super::breach::amount;
use crate::contract::{Obstacle, Reason};
use crate::model::{Amounts, Cluster, Request, ResourceIx};

/// Whether a node takes a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Fits,
    /// The pod may not run there, whoever else is there.
    Ineligible,
    /// The node is too small for the pod even when it is empty.
    TooSmall(ResourceIx),
    /// Others hold what the pod asks for.
    Full(ResourceIx),
    /// What the pod asks for is promised to pods that are no less important.
    Promised(ResourceIx),
    /// The node is kept for a DaemonSet's pod that may run nowhere else.
    Kept,
    /// Room was reserved for the pod on another node that takes it.
    Elsewhere,
}

/// Resources of which there is too little: how much is asked for, and how much there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack(Vec<(ResourceIx, i64, i64)>);

impl Lack {
    /// What is lacking for a request; none where nothing is.
    pub fn of(room: &Amounts, request: &Request) -> Option<Lack> {
        Lack::among(request.iter().map(|(resource, asked)| (resource, asked, room.get(resource))))
    }

    /// What is lacking where so much of each resource is asked for, and so much is there; none where nothing is.
    pub fn among(resources: impl Iterator<Item = (ResourceIx, i64, i64)>) -> Option<Lack> {
        let lacking: Vec<_> = resources.filter(|(_, asked, free)| free < asked).collect();
        (!lacking.is_empty()).then_some(Lack(lacking))
    }

    /// All of it in words, with both sides' numbers.
    pub fn sentence(&self, cluster: &Cluster) -> String {
        let (mut taken, mut short) = (Vec::new(), Vec::new());
        for (resource, asked, free) in &self.0 {
            let name = cluster.resource_name(*resource);
            match name.strip_prefix("hostport/") {
                Some(port) => taken.push(format!("host port {port} is taken")),
                None => {
                    short.push(format!("{name} (asked {}, free {})", readable(name, *asked), readable(name, *free)));
                }
            }
        }
        if !short.is_empty() {
            taken.push(format!("not enough {}", short.join(", ")));
        }
        taken.join("; ")
    }
}

/// An amount for people: cores with their fraction; bytes in the largest unit there is one of, rounded down to a tenth where they
/// are not whole.
fn readable(resource: &str, n: i64) -> String {
    const MANY: usize = 8;
    let exact = amount(resource, n);
    if resource == "cpu" {
        let (cores, rest) = (n.div_euclid(1000), n.rem_euclid(1000));
        let decimal = format!("{cores}.{rest:03}");
        return if n < 0 || rest == 0 { exact } else { decimal.trim_end_matches('0').to_owned() };
    }
    let bytes = exact.ends_with('i') || resource == "memory";
    let unit = [("Ti", 40u32), ("Gi", 30), ("Mi", 20)].into_iter().find(|(_, bits)| n >> bits > 0);
    match unit {
        Some((suffix, bits)) if bytes && exact.len() > MANY => {
            let tenths = i128::from(n).saturating_mul(10) >> bits;
            format!("{}.{}{suffix}", tenths.div_euclid(10), tenths.rem_euclid(10))
        }
        _ => exact,
    }
}

impl Verdict {
    /// What stands in the way, in words that kube-scheduler's users know.
    pub fn obstacle(&self, cluster: &Cluster) -> Obstacle {
        let name = |resource: &ResourceIx| cluster.resource_name(*resource).to_owned();
        let (law, message, resolvable) = match self {
            Verdict::Fits => ("node/fits", "it fits".to_owned(), true),
            Verdict::Ineligible => ("node/eligible", "the pod may not run there".to_owned(), false),
            Verdict::TooSmall(resource) => {
                ("node/large-enough", format!("node(s) too small: {}", name(resource)), false)
            }
            Verdict::Full(resource) if name(resource).starts_with("hostport/") => {
                ("node/has-room", "node(s) didn't have free ports for the requested pod ports".to_owned(), true)
            }
            Verdict::Full(resource) => ("node/has-room", format!("Insufficient {}", name(resource)), true),
            Verdict::Promised(resource) => {
                ("node/keeps-promises", format!("{} promised to nominated pods", name(resource)), true)
            }
            Verdict::Elsewhere => ("node/reserved", "room is reserved for the pod on another node".to_owned(), true),
            Verdict::Kept => ("node/keeps-promises", "kept for a pod of a DaemonSet".to_owned(), true),
        };
        Obstacle { reason: Reason { law: law.to_owned(), message }, resolvable }
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn amounts_are_written_for_people() {
        for (resource, n, text) in [
            ("cpu", 31_200, "31.2"),
            ("cpu", 4000, "4"),
            ("cpu", 5, "0.005"),
            ("cpu", -1500, "-1500m"),
            ("memory", 640 << 30, "640Gi"),
            // 214977312Ki are 205.018 Gi.
            ("memory", 214_977_312 << 10, "205.0Gi"),
            ("memory", (3 << 40) + 1, "3.0Ti"),
            ("memory", 1536 << 20, "1536Mi"),
            ("nvidia.com/gpu", 1 << 40, "1099511627776"),
        ] {
            assert_eq!(readable(resource, n), text);
        }
    }
}
