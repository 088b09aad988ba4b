//! Times, sizes and numbers as users write them: `60s`, `5min`, `4G`, and which of them make sense.

use std::time::Duration;

/// The longest time, a hundred years: sums with the clock do not overflow.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 86400);

/// The most workers. Each has a solver and a stack of its own; machines with more processors are rare.
const MOST_JOBS: usize = 256;

/// Reads a time: a number with `ns`, `us`, `ms`, `s`, `min` or `h`, or of seconds.
pub fn time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("\"{text}\" is no time; write for example 60s, 5min, 2h or 500ms");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let seconds = match unit {
        "ns" => number / 1e9,
        "us" => number / 1e6,
        "ms" => number / 1e3,
        "" | "s" | "sec" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        "d" => number * 86400.0,
        _ => return Err(wrong()),
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if time <= LONGEST => Ok(time),
        Ok(_) | Err(_) => Err(format!(
            "\"{text}\" is longer than 100 years, which is the most"
        )),
    }
}

/// A time that is not zero.
pub fn some_time(text: &str) -> Result<Duration, String> {
    match time(text)? {
        Duration::ZERO => Err(format!("\"{text}\" leaves no time; write for example 10s")),
        time => Ok(time),
    }
}

/// Reads a number of threads or processes that work at the same time.
pub fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=MOST_JOBS) => Ok(jobs),
        Ok(_) | Err(_) => Err(format!("expected a number from 1 to {MOST_JOBS}")),
    }
}

/// Reads a number of bytes: with `K`, `M`, `G`, `T` (powers of 1024), or of megabytes.
pub fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("\"{text}\" is no size; write for example 500M or 4G");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let factor: u64 = match unit.trim_end_matches(['B', 'b']).trim_end_matches('i') {
        "K" | "k" => 1 << 10,
        "" | "M" | "m" => 1 << 20,
        "G" | "g" => 1 << 30,
        "T" | "t" => 1 << 40,
        _ => return Err(wrong()),
    };
    let bytes = number * factor as f64;
    if !bytes.is_finite() || bytes < 0.0 || bytes >= u64::MAX as f64 {
        return Err(wrong());
    }
    Ok(bytes as u64)
}

fn split(text: &str) -> Option<(f64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    Some((text[..end].parse().ok()?, text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes() {
        assert_eq!(time("60s"), Ok(Duration::from_secs(60)));
        assert_eq!(time("1.5"), Ok(Duration::from_millis(1500)));
        assert_eq!(time("5us"), Ok(Duration::from_micros(5)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert!(time("soon").is_err());
        assert!(time("99999999999999h").is_err());
        assert!(some_time("0").is_err());
        assert!(jobs("0").is_err() && jobs("257").is_err() && jobs("-1").is_err());
        assert_eq!(jobs("256"), Ok(256));
        assert!(time("5x").is_err());
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert_eq!(bytes("500"), Ok(500 << 20));
        assert_eq!(bytes("64KiB"), Ok(64 << 10));
        assert!(bytes("-1G").is_err());
    }
}
