use lictor_picture::NodeUsage;

use super::*;

fn node(name: &str, cpu: i64, held: &[(usize, i32, i64)]) -> DrawnNode {
    let held = held.iter().map(|(queue, priority, amount)| NodeUsage {
        queue: *queue,
        priority: *priority,
        pods: 1,
        amounts: vec![*amount],
    });
    DrawnNode { name: name.to_owned(), allocatable: vec![cpu], held: held.collect() }
}

fn picture() -> Picture {
    Picture {
        resources: vec!["cpu".to_owned()],
        queues: vec!["a".to_owned(), "b".to_owned()],
        nodes: vec![node("n1", 8, &[(1, 5, 2), (0, 9, 2), (1, 7, 2)]), node("n2", 4, &[(0, 5, 4)])],
        jobs: Vec::new(),
    }
}

#[test]
fn a_bar_has_a_segment_for_each_queue() {
    let picture = picture();
    let legend = Legend::of(&picture, Colour::Queue);
    let expected = [Segment { from: 0.0, to: 0.25, colour: 0 }, Segment { from: 0.25, to: 0.75, colour: 1 }];
    assert_eq!(segments(&picture.nodes[0], 0, &legend), expected);
    assert!(segments(&picture.nodes[0], 1, &legend).is_empty());
}

#[test]
fn a_bar_has_a_segment_for_each_priority() {
    let picture = picture();
    let legend = Legend::of(&picture, Colour::Priority);
    assert_eq!(legend.names, ["priority 9", "priority 7", "priority 5"]);
    let colours: Vec<usize> = segments(&picture.nodes[0], 0, &legend).iter().map(|segment| segment.colour).collect();
    assert_eq!(colours, [0, 1, 2]);
}

#[test]
fn many_priorities_share_bands() {
    let held: Vec<(usize, i32, i64)> = (0..12).map(|priority| (0, priority, 1)).collect();
    let picture = Picture { nodes: vec![node("n", 12, &held)], ..picture() };
    let names = Legend::of(&picture, Colour::Priority).names;
    assert_eq!((names.len(), names[0].as_str(), names[5].as_str()), (6, "priority 10 to 11", "priority 0 to 1"));
}

#[test]
fn nodes_are_found_and_ordered() {
    let picture = picture();
    assert_eq!(listed(&picture, "", NodeSortOrder::Name), [0, 1]);
    assert_eq!(listed(&picture, "", NodeSortOrder::Fullest), [1, 0], "n2 is full");
    assert_eq!(listed(&picture, "2", NodeSortOrder::Name), [1]);
}

#[test]
fn only_cells_on_the_screen_are_drawn() {
    let grid = Grid::of(5000, 1000.0, 240.0, 50.0);
    assert_eq!((grid.columns, grid.width, grid.tall()), (4, 250.0, 62_500.0));
    assert_eq!(grid.visible(0.0, 500.0), 0..44, "10 rows, and one of which the beginning is seen");
    assert_eq!(grid.visible(62_000.0, 500.0), 4960..5000);
    assert_eq!(grid.place(5), (250.0, 50.0));
    assert_eq!((grid.at(260.0, 60.0), grid.at(10.0, 62_500.0), grid.at(-1.0, 0.0)), (Some(5), None, None));
}
