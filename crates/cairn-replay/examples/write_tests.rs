//! Measures writing many small tests: `write_tests FOLDER COUNT`.

use cairn_replay::{KTest, KTestObject, KTestWriter};
use std::path::PathBuf;
use std::time::Instant;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "tests-out".to_string()));
    let count = arguments
        .next()
        .and_then(|n| n.parse().ok())
        .unwrap_or(30_000u32);
    std::fs::create_dir_all(&folder)?;
    let mut test = KTest {
        args: vec![b"program.bc".to_vec()],
        objects: vec![KTestObject {
            name: b"input".to_vec(),
            bytes: vec![0; 64],
        }],
        ..KTest::default()
    };
    let mut writer = KTestWriter::default();
    let start = Instant::now();
    for number in 1..=count {
        test.objects[0].bytes[..4].copy_from_slice(&number.to_le_bytes());
        writer.write(&test, &folder.join(format!("test{number:06}.ktest")))?;
    }
    println!("{count} tests in {:.3} s", start.elapsed().as_secs_f64());
    Ok(())
}
