//! Times and sizes as users write them: `60s`, `5min`, `4G`.

use std::time::Duration;

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
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
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
        assert!(time("5x").is_err());
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert_eq!(bytes("500"), Ok(500 << 20));
        assert_eq!(bytes("64KiB"), Ok(64 << 10));
        assert!(bytes("-1G").is_err());
    }
}
