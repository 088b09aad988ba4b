//! Natives called on a memory alone, without a machine around it.

use cairn_bv::BitVec;
use cairn_ir::{FuncId, Program};
use cairn_machine::natives::{self, Ending, Library, NativeContext, StandardStreams, Stream};
use cairn_machine::{AnyValue, Process, entry_arguments};
use cairn_memory::{Fault, Memory, MemoryConfig, ObjectKind, Word};

#[derive(Default)]
struct Kept(Vec<(Stream, Vec<u8>)>);

impl StandardStreams for Kept {
    fn write(&mut self, stream: Stream, bytes: &[u8]) {
        self.0.push((stream, bytes.to_vec()));
    }
}

/// A program that is laid out.
struct World {
    memory: Memory,
    globals: Vec<Word>,
    library: Library,
    output: Kept,
}

impl World {
    fn new(text: &str) -> World {
        let program: Program = cairn_ir::text::parse(text).expect("the test's program parses");
        let process = Process::new(&program, &MemoryConfig::default(), None).expect("it fits");
        World {
            memory: process.memory,
            globals: process.globals,
            library: process.library,
            output: Kept::default(),
        }
    }

    fn call(&mut self, name: &str, args: &[Word], result: Option<u32>) -> Result<u64, Ending> {
        let native = natives::find(name).expect("it is a native");
        assert_eq!(native.name(), name);
        let mut around = NativeContext {
            memory: &mut self.memory,
            library: &mut self.library,
            output: &mut self.output,
            functions: &|address| (address == 16).then_some(FuncId(7)),
        };
        let args = args.iter().map(|w| (AnyValue::Value(*w), 64)).collect();
        let widths: Vec<u32> = result.into_iter().collect();
        let results: Vec<AnyValue<Word, BitVec>> =
            natives::call(native, &mut around, args, Vec::new(), &widths)?;
        Ok(match results.first() {
            Some(AnyValue::Value(word)) => word.bits,
            Some(AnyValue::Wide(_)) | None => 0,
        })
    }

    fn text(&mut self, bytes: &[u8]) -> Word {
        let size = bytes.len() as u64 + 1;
        let at = self.memory.allocate(ObjectKind::Heap, size, 1).unwrap();
        self.memory.store_bytes(at, bytes).unwrap();
        at
    }
}

#[test]
fn a_failed_assertion_is_no_abort() {
    let mut world = World::new("");
    let (what, file) = (world.text(b"a < b"), world.text(b"order.c"));
    let function = world.text(b"sorted");
    let args = [what, file, Word::int(12), function];
    let expected = Ending::Assertion {
        condition: "a < b".to_string(),
        file: "order.c".to_string(),
        line: 12,
        function: "sorted".to_string(),
    };
    assert_eq!(world.call("__assert_fail", &args, None), Err(expected));
    let (stream, message) = &world.output.0[0];
    assert_eq!(*stream, Stream::Errors);
    assert_eq!(message, b"order.c:12: sorted: Assertion `a < b' failed.\n");
    assert_eq!(world.call("abort", &[], None), Err(Ending::Abort));
}

#[test]
fn endings_are_told_apart() {
    let mut world = World::new("");
    let exit = |world: &mut World, name| world.call(name, &[Word::int(3)], None);
    assert_eq!(exit(&mut world, "exit"), Err(Ending::Exit(3)));
    assert!(!world.library.left_at_once());
    assert_eq!(exit(&mut world, "_exit"), Err(Ending::ExitNow(3)));
    assert!(world.library.left_at_once());
    let nothing = world.call("strlen", &[Word::int(0)], Some(64));
    assert!(
        matches!(nothing, Err(Ending::Fault(Fault::Null { .. }))),
        "{nothing:?}"
    );
    let nowhere = world.call("atexit", &[Word::int(17)], Some(32));
    assert!(matches!(nowhere, Err(Ending::Wrong(_))), "{nowhere:?}");
}

/// A clone of memory and library is a state of its own.
#[test]
fn a_clone_has_its_own_library() {
    let mut world = World::new("");
    let function = Word::int(16);
    assert_eq!(world.call("atexit", &[function], Some(32)), Ok(0));
    let mut other = World {
        memory: world.memory.clone(),
        globals: Vec::new(),
        library: world.library.clone(),
        output: Kept::default(),
    };
    let argument = Word::int(5);
    let args = [function, argument, Word::int(0)];
    assert_eq!(other.call("__cxa_atexit", &args, Some(32)), Ok(0));
    let huge = other.text(b"99999999999999999999");
    let args = [huge, Word::int(0), Word::int(10)];
    assert_eq!(other.call("strtol", &args, Some(64)), Ok(i64::MAX as u64));

    let registered = Some((FuncId(7), None));
    assert_eq!(world.library.next_at_exit(), registered);
    assert_eq!(world.library.next_at_exit(), None);
    let newest = other.library.next_at_exit();
    assert_eq!(newest, Some((FuncId(7), Some(argument))));
    assert_eq!(other.library.next_at_exit(), registered);
    let error = |world: &World| {
        let at = world.library.error_number();
        world.memory.load_word(at, 4).unwrap().bits
    };
    assert_eq!((error(&world), error(&other)), (0, 34));
}

#[test]
fn globals_hold_what_the_program_says() {
    let text = "extern global @stdout align 8 size 8
extern global @nothing align 8 size 8
global @first const align 8 size 16 { bytes \"ab\" at 8 address @second + 4 }
global @second align 4 size 8 { at 0 difference 4 @second - @first + 1 }
func @f() {
entry:
  return
}";
    let mut world = World::new(text);
    let [stdout, nothing, first, second] = world.globals[..] else {
        panic!("four globals");
    };
    let load = |world: &World, at: Word, by: u64, size| {
        let bits = at.bits + by;
        world.memory.load_word(Word { bits, ..at }, size)
    };
    assert_eq!(load(&world, first, 0, 4).unwrap().bits, 0x6261);
    let inside = load(&world, first, 8, 8).unwrap();
    let expected = (second.bits + 4, second.object);
    assert_eq!((inside.bits, inside.object), expected);
    let distance = second.bits.wrapping_sub(first.bits) as u32;
    let difference = load(&world, second, 0, 4).unwrap().bits as u32;
    assert_eq!(difference, distance.wrapping_add(1));
    assert!(world.memory.store_word(first, 1, Word::int(1)).is_err());
    assert!(load(&world, nothing, 0, 1).is_err());

    let stream = load(&world, stdout, 0, 8).unwrap();
    let what = world.text(b"hello");
    assert_eq!(world.call("fputs", &[what, stream], Some(32)), Ok(1));
    assert_eq!(world.output.0, [(Stream::Output, b"hello".to_vec())]);
}

#[test]
fn arguments_end_in_null() {
    let mut memory = Memory::new(MemoryConfig::default());
    let args = [b"name".to_vec(), Vec::new()];
    let [count, vector, environment] = entry_arguments(&mut memory, None, &args, &[]).unwrap();
    assert_eq!(count.bits, 2);
    let entry = |i: u64| {
        let bits = vector.bits + 8 * i;
        memory.load_word(Word { bits, ..vector }, 8).unwrap()
    };
    let mut name = [1; 5];
    memory.load_bytes(entry(0), &mut name).unwrap();
    assert_eq!(&name, b"name\0");
    assert_eq!(memory.load_word(entry(1), 1).unwrap().bits, 0);
    assert_eq!(entry(2).bits, 0);
    assert_eq!(memory.load_word(environment, 8).unwrap().bits, 0);
}
