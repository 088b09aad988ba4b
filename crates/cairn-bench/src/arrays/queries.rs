//! Single queries: the paper's example, and reads of arrays of growing size.

use crate::clock;
use cairn_expr::{BitVec, Sort, Table, Term, TermStore};
use cairn_solver::cores::native::{ArrayEncoding, NativeCore};
use cairn_solver::layers::Linear;
use cairn_solver::{Answer, Chain, ChainConfig, Facts, Query};

/// `a[i] + a[j] > 10` under `i + j > 4`, indices from 0 to 3, the array as 16 bytes of which the last
/// integer is given.
fn example(s: &TermStore, last: u64) -> Query {
    let word = |v| s.bv(32, v);
    let integers = [0, 0, 0, last];
    let byte = |i: usize| BitVec::new(8, integers[i / 4] >> (8 * (i % 4)) & 255);
    let table = s.table(Table::new(64, (0..16).map(byte).collect(), BitVec::zero(8)));
    let read = |i: &Term| {
        let at = s.bv_mul(&s.sign_extend(i, 32), &s.bv(64, 4));
        let byte = |k| s.select(&table, &s.bv_add(&at, &s.bv(64, k)));
        let low = s.concat(&byte(1), &byte(0));
        s.concat(&s.concat(&byte(3), &byte(2)), &low)
    };
    let inputs = ["i", "j"].map(|n| s.symbol(n, Sort::BitVec(32)));
    let mut facts = Facts::new();
    for x in &inputs {
        facts = facts.with(s.not(&s.bv_slt(x, &word(0))));
        facts = facts.with(s.not(&s.bv_slt(&word(3), x)));
    }
    facts = facts.with(s.bv_slt(&word(4), &s.bv_add(&inputs[0], &inputs[1])));
    let sum = s.bv_add(&read(&inputs[0]), &read(&inputs[1]));
    Query::new(facts, s.bv_slt(&word(10), &sum))
}

/// §2: how many axioms there are and how many are left; what the pre-check says.
pub fn print_example() -> Result<(), String> {
    let s = TermStore::new();
    let said = |last: u64| {
        let mut alone = Chain::new(vec![Box::<Linear>::default()], ChainConfig::default());
        match alone.solve(&s, &example(&s, last)) {
            Answer::Unsat(_) => "UNSAT",
            Answer::Sat(_) | Answer::Unknown(_) => "goes on to the core solver",
        }
    };
    // A last byte that is not zero, so that all 16 are listed.
    let query = example(&s, 0x0100_0009);
    let counted = |arrays: ArrayEncoding| {
        let core = NativeCore::with_arrays(arrays).with_circuits_up_to(0);
        let mut alone = Chain::new(vec![Box::new(core.gates_only())], ChainConfig::default());
        alone.solve(&s, &query);
        let counters = alone.counters();
        let mut all = counters.iter().flat_map(|(_, list)| list);
        let found = all.find(|(name, _)| *name == "candidates");
        found.map_or(0, |(_, count)| *count)
    };
    println!("the example of §2                       paper   Cairn");
    println!(
        "  axioms of all bytes and pairs           156 {:>7}",
        counted(ArrayEncoding::Axioms)
    );
    println!(
        "  with bounds and congruences known        20 {:>7}",
        counted(ArrayEncoding::IndexForms)
    );
    println!(
        "  last element 5, the pre-check alone   UNSAT   {}",
        said(5)
    );
    println!(
        "  last element 9, the pre-check alone           {}",
        said(9)
    );
    Ok(())
}

/// Reads of an array of this many bytes at unknown places, with some writes before them.
fn growing(s: &TermStore, bytes: u64, reads: u64, writes: u64) -> Query {
    let bits = 63 - bytes.leading_zeros();
    let elements = (0..bytes).map(|i| BitVec::new(8, i / 64 % 7)).collect();
    let mut array = s.table(Table::new(bits, elements, BitVec::zero(8)));
    let index = |name: &str, i: u64| s.symbol(&format!("{name}{i}"), Sort::BitVec(bits));
    for i in 0..writes {
        array = s.store(&array, &index("w", i), &s.bv(8, 9 + i));
    }
    let mut facts = Facts::new();
    for i in 0..reads {
        let read = s.select(&array, &index("r", i));
        facts = facts.with(s.eq(&read, &s.bv(8, i % 7)));
    }
    Query::new(facts, s.true_())
}

/// CPU seconds and memory of reads of arrays from 1 KB to 1 MB.
pub fn print_growth() -> Result<(), String> {
    println!(
        "\nreads at unknown places, the default chain, CPU seconds without the making of terms"
    );
    println!(
        "{:<10} {:>12} {:>12} {:>24}",
        "bytes", "10 reads", "100 reads", "100 reads, 20 writes"
    );
    for bytes in [1u64 << 10, 1 << 14, 1 << 17, 1 << 20] {
        let mut text = format!("{bytes:<10}");
        for (reads, writes, width) in [(10, 0, 12), (100, 0, 12), (100, 20, 24)] {
            let s = TermStore::new();
            let query = growing(&s, bytes, reads, writes);
            let mut chain = Chain::default();
            let start = clock::thread();
            let answer = chain.solve(&s, &query);
            let used = (clock::thread() - start).as_secs_f64();
            let verdict = if answer.is_sat() { "" } else { "?" };
            text += &format!(" {:>width$}", format!("{used:.3}{verdict}"));
        }
        println!("{text}");
    }
    Ok(())
}
