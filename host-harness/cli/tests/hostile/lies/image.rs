//! Answers as they lie in the memory of a guest, by the canonical ABI: what they are is said in Rust, and a guest of a few lines hands
//! out their addresses.

use crate::assemble::policy;

/// Where a lie is, and where the truth. Below them the memory is zero: that answer is "pass", "no plan", an empty list.
pub const LIE: usize = 512;
pub const TRUTH: usize = 1024;

const DESCRIPTION: usize = 2048;
const END: usize = 8192;

/// The first bytes of a guest's memory.
pub struct Image {
    bytes: Vec<u8>,
    /// Where the next list is put.
    free: usize,
}

/// A plan: nominations (pod, node) and victims, by number, and the code of the reason and how many facts it has.
#[derive(Clone, Copy)]
pub struct Planned {
    pub preemptor: u32,
    pub nominations: &'static [(u32, u32)],
    pub victims: &'static [u32],
    pub code: &'static str,
    pub facts: u32,
}

impl Image {
    /// Returns the description of one system without a name that decides at these points.
    pub fn deciding_at(points: &[&str]) -> Image {
        let mut image = Image { bytes: vec![0; END], free: 3072 };
        let system = DESCRIPTION + 32;
        image.list_at(DESCRIPTION + 16, system, 1);
        let texts: Vec<(usize, usize)> =
            points.iter().map(|point| (image.put(point.as_bytes()), point.len())).collect();
        let list: Vec<u8> = texts.iter().flat_map(|(at, length)| pair(*at, *length)).collect();
        let at = image.put(&list);
        image.list_at(system + 16, at, points.len());
        image
    }

    /// Makes the system declare that its victims may have a higher priority than the preemptor: a byte behind `judges-room`.
    pub fn declare_higher_priority(&mut self) {
        self.set(DESCRIPTION + 32 + 25, &[1]);
    }

    /// Puts bytes where there is room; where they are.
    pub fn put(&mut self, bytes: &[u8]) -> usize {
        let at = self.free;
        self.set(at, bytes);
        self.free = (at + bytes.len()).next_multiple_of(8);
        at
    }

    pub fn set(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Writes at a place the address and length of a list or a text that is at another place.
    pub fn list_at(&mut self, place: usize, at: usize, length: usize) {
        self.set(place, &pair(at, length));
    }

    /// Adds a list or a text, and writes its address and length at a place.
    pub fn list(&mut self, place: usize, bytes: &[u8], length: usize) {
        let at = self.put(bytes);
        self.list_at(place, at, length);
    }

    /// Writes a reason: code, case, facts; each fact is an empty amount without a name.
    pub fn reason(&mut self, place: usize, code: &str, facts: u32) {
        self.list(place, code.as_bytes(), code.len());
        self.list(place + 16, &vec![0; 24 * facts as usize], facts as usize);
    }

    /// Writes the answer of `post-filter` with a plan. Its number, 8 bytes at `answer + 16`, is left to the guest.
    pub fn plan(&mut self, answer: usize, planned: Planned) {
        self.set(answer + 8, &[1]);
        self.set(answer + 24, &planned.preemptor.to_le_bytes());
        let nominations: Vec<u8> =
            planned.nominations.iter().flat_map(|(pod, node)| pair(*pod as usize, *node as usize)).collect();
        self.list(answer + 28, &nominations, planned.nominations.len());
        let victims: Vec<u8> = planned.victims.iter().flat_map(|pod| pair(*pod as usize, 1)).collect();
        self.list(answer + 36, &victims, planned.victims.len());
        self.reason(answer + 52, planned.code, planned.facts);
    }

    /// Builds the component with this memory and these functions. The arguments of calls are put behind the memory.
    pub fn component(&self, functions: &str) -> Vec<u8> {
        let data: String = self.bytes.iter().map(|byte| format!("\\{byte:02x}")).collect();
        policy(&format!(
            r#"(module
            (memory (export "memory") 32)
            (data (i32.const 0) "{data}")
            (global $free (mut i32) (i32.const {END}))
            (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
              (global.get $free)
              (global.set $free (i32.add (global.get $free) (i32.and (i32.add (local.get 3) (i32.const 7)) (i32.const -8)))))
            (func (export "lictor:policy/core@0.1.0#describe") (result i32) (i32.const {DESCRIPTION}))
            {functions})"#
        ))
    }
}

fn pair(first: usize, second: usize) -> [u8; 8] {
    let [first, second] = [first, second].map(|number| u32::try_from(number).unwrap().to_le_bytes());
    [first, second].concat().try_into().unwrap()
}
