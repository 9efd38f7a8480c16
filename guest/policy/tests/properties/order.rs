//! The order of the events, the numbers that the host gives to objects, and earlier events about the same objects do not matter.

use proptest::prelude::*;
use proptest::sample::subsequence;

use crate::answers::{self, Answers};
use crate::contract::{Event, Phase, Pod as Pending};
use crate::scene::{Cast, Pod, Scene, scene};
use crate::testing::{NameNumbering, PolicyHarness, key};

/// A way to send a scene: numbers for nodes and pods, an order of the events, and how many come at once.
#[derive(Debug, Clone)]
struct Telling {
    nodes: Vec<u32>,
    pods: Vec<u32>,
    order: Vec<usize>,
    chunk: usize,
}

fn telling() -> impl Strategy<Value = Telling> {
    let numbers = |most: u32, count: usize| subsequence((0..most).collect::<Vec<_>>(), count).prop_shuffle();
    (numbers(40, 4), numbers(90, 15), Just((0..80).collect::<Vec<_>>()).prop_shuffle(), 1..9usize)
        .prop_map(|(nodes, pods, order, chunk)| Telling { nodes, pods, order, chunk })
}

/// Gives nodes and pods their numbers; reservations get the next ones.
fn number(numbers: &mut NameNumbering, telling: &Telling) {
    for (at, id) in telling.nodes.iter().enumerate() {
        numbers.nodes.insert(format!("n{at}"), *id);
    }
    let names = (0..3).map(|at| format!("default/a{at}")).chain((0..12).map(|at| format!("default/p{at}")));
    numbers.pods.extend(names.zip(telling.pods.iter().copied()));
}

/// Sends a scene to the policy in this way.
fn tell(world: &mut PolicyHarness, scene: &Scene, telling: &Telling) {
    let events = scene.events(&mut world.numbers);
    let mut placed: Vec<(usize, Event)> = events
        .into_iter()
        .enumerate()
        .map(|(at, event)| (telling.order.iter().position(|other| *other == at).unwrap(), event))
        .collect();
    placed.sort_by_key(|(at, _)| *at);
    let events: Vec<Event> = placed.into_iter().map(|(_, event)| event).collect();
    events.chunks(telling.chunk).for_each(|chunk| world.apply(chunk.to_vec()));
}

fn told(scene: &Scene, telling: &Telling) -> PolicyHarness {
    let mut world = scene.empty_world();
    number(&mut world.numbers, telling);
    tell(&mut world, scene, telling);
    world
}

fn answers(world: &mut PolicyHarness, scene: &Scene) -> Answers {
    let mut pods: Vec<String> = scene.pods.iter().filter(|pod| !pod.is_running()).map(Pod::full_name).collect();
    pods.sort();
    let nodes: Vec<String> = (0..scene.nodes.len()).map(|at| format!("n{at}")).collect();
    answers::all(world, &pods, &nodes)
}

/// Removes from the world what is in the old scene and not in the new one.
fn forget(world: &mut PolicyHarness, old: &Scene, new: &Scene) {
    let mut events = Vec::new();
    for pod in old.pods.iter().filter(|pod| new.pods.iter().all(|other| other.name != pod.name)) {
        events.push(Event::PodRemoved(world.id(&pod.full_name())));
    }
    for at in new.nodes.len()..old.nodes.len() {
        events.push(Event::NodeRemoved(world.numbers.nodes[&format!("n{at}")]));
    }
    let kept = new.objects();
    let gone = old.objects().into_iter().filter(|object| kept.iter().all(|other| key(other) != key(object)));
    events.extend(gone.map(|object| Event::ObjectRemoved(key(&object))));
    world.apply(events);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_order_of_the_events_and_the_numbers_do_not_matter(scene in scene(Cast::Everything), telling in telling()) {
        let [plain, shuffled] = [scene.world(), told(&scene, &telling)].map(|mut world| answers(&mut world, &scene));
        prop_assert_eq!(answers::differences(&plain, &shuffled), Vec::<String>::new());
    }

    /// Checks that pods sent as pending, and then by their status alone, get the same answers as whole pods.
    #[test]
    fn a_status_says_as_much_as_the_whole_pod(scene in scene(Cast::Everything), telling in telling()) {
        let mut world = scene.empty_world();
        number(&mut world.numbers, &telling);
        let (mut events, mut changes) = (Vec::new(), Vec::new());
        for event in scene.events(&mut world.numbers) {
            if let Event::PodUpserted(pod) = &event {
                let before = Pending { node: None, nominated: None, terminating: false, started: None, ..pod.clone() };
                changes.push(Event::PodStatus(pod.status()));
                events.push(Event::PodUpserted(Pending { phase: Phase::Pending, ..before }));
            } else {
                events.push(event);
            }
        }
        world.apply(events);
        answers(&mut world, &scene);
        changes.chunks(telling.chunk).for_each(|chunk| world.apply(chunk.to_vec()));
        // A gang whose round has failed is tried again after a change only, and a status may change nothing.
        let is_known = |event: &Event| matches!(event, Event::NodeUpserted(_) | Event::ObjectUpserted(_));
        let again: Vec<Event> = scene.events(&mut world.numbers).into_iter().filter(is_known).collect();
        world.apply(again);
        let [whole, status] = [answers(&mut scene.world(), &scene), answers(&mut world, &scene)];
        prop_assert_eq!(answers::differences(&whole, &status), Vec::<String>::new());
    }

    /// Checks that a policy with a history of changes answers like one that receives the cluster anew.
    #[test]
    fn what_was_before_does_not_matter(
        mut before in scene(Cast::Everything),
        mut now in scene(Cast::Everything),
        telling in telling(),
    ) {
        now.laws = before.laws.clone();
        // A gang of coscheduling keeps the time of its first member, even of one that is gone.
        let ageless = before.laws.name == "coscheduling";
        before.pods.iter_mut().chain(&mut now.pods).filter(|_| ageless).for_each(|pod| pod.started = 0);
        let mut world = told(&before, &telling);
        answers(&mut world, &before);
        forget(&mut world, &before, &now);
        tell(&mut world, &now, &telling);
        let [anew, lived] = [answers(&mut now.world(), &now), answers(&mut world, &now)];
        prop_assert_eq!(answers::differences(&anew, &lived), Vec::<String>::new());
    }
}
