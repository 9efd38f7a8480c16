//! Recordings that are read while they are written.

use std::io::{Read, Seek, SeekFrom};

use super::*;

/// Returns the steps that are complete now, as text.
fn more(reader: &mut RecordingReader<MemoryReader>) -> Vec<String> {
    std::iter::from_fn(|| reader.next_entry().unwrap()).map(|entry| format!("{entry:?}")).collect()
}

fn whole(bytes: &[u8]) -> Vec<String> {
    more(&mut RecordingReader::open(MemoryRecording::from(bytes.to_vec()).reader(), "test.rec").unwrap())
}

#[test]
fn a_recording_that_is_cut_anywhere_goes_on_with_the_rest() {
    let bytes = recorded();
    let all = whole(&bytes);
    for cut in 12..=bytes.len() {
        let mut memory = MemoryRecording::from(bytes[..cut].to_vec());
        let mut reader = RecordingReader::open(memory.reader(), "test.rec").unwrap();
        let mut entries = more(&mut reader);
        assert!(entries.len() < all.len() || cut == bytes.len(), "{cut}");
        memory.write_all(&bytes[cut..]).unwrap();
        reader.resume().unwrap();
        entries.extend(more(&mut reader));
        assert_eq!((entries == all, reader.tail(), reader.complete_bytes()), (true, None, bytes.len() as u64), "{cut}");
    }
}

#[test]
fn a_recording_is_read_while_each_byte_is_written() {
    let bytes = recorded();
    let mut memory = MemoryRecording::from(bytes[..12].to_vec());
    let mut reader = RecordingReader::open(memory.reader(), "test.rec").unwrap();
    let mut entries = more(&mut reader);
    for byte in &bytes[12..] {
        memory.write_all(&[*byte]).unwrap();
        reader.resume().unwrap();
        entries.extend(more(&mut reader));
    }
    assert!(entries == whole(&bytes));
}

/// Checks a writer that starts anew after a crash.
#[test]
fn a_tail_is_replaced_by_what_is_written_there_instead() {
    let bytes = recorded();
    let memory = MemoryRecording::from(bytes[..bytes.len() - 3].to_vec());
    let mut reader = RecordingReader::open(memory.reader(), "test.rec").unwrap();
    let before = more(&mut reader);
    assert!(reader.tail().is_some());
    memory.overwrite_from(reader.complete_bytes(), &[]);
    play(&Recorder::append(Box::new(memory.clone())));
    reader.resume().unwrap();
    let all = whole(&bytes);
    assert_eq!((before.as_slice(), reader.tail()), (&all[..all.len() - 1], None));
    assert!(more(&mut reader) == all);
}

#[test]
fn what_is_no_continuation_is_found() {
    let bytes = recorded();
    let mut memory = MemoryRecording::from(bytes.clone());
    let mut reader = RecordingReader::open(memory.reader(), "test.rec").unwrap();
    more(&mut reader);
    memory.write_all(&bytes).unwrap();
    reader.resume().unwrap();
    let end = bytes.len() as u64;
    let found = reader.next_entry();
    assert!(matches!(found, Err(RecordingError::Damaged { at, damage: Damage::Head }) if at == end), "{found:?}");
}

#[test]
fn a_reader_of_memory_goes_where_it_is_told() {
    let mut reader = MemoryRecording::from(b"abcdef".to_vec()).reader();
    let mut read = |to| {
        let at = reader.seek(to).ok()?;
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        Some((at, rest))
    };
    let rest = |at, text: &str| Some((at, text.to_owned()));
    assert_eq!(read(SeekFrom::Start(4)), rest(4, "ef"));
    assert_eq!(read(SeekFrom::Current(-3)), rest(3, "def"));
    assert_eq!(read(SeekFrom::End(-1)), rest(5, "f"));
    assert_eq!(read(SeekFrom::Start(9)), rest(9, ""));
    assert_eq!(read(SeekFrom::End(-7)), None);
}
