//! Reading and writing: round trips, known values, and refusal of everything
//! that is not a number of the asked width.

mod common;

use cairn_bv::BitVec;
use cairn_random::Random;
use common::{Values, sound};

const WIDTHS: [u32; 14] = [1, 2, 3, 4, 7, 8, 63, 64, 65, 127, 128, 129, 200, 4096];

#[test]
fn round_trips() {
    let mut rng = Random::new(20);
    for w in WIDTHS {
        for _ in 0..60 {
            let x = sound(rng.value(w));
            let bin = x.to_bin_string();
            assert_eq!(bin.len(), w as usize);
            assert_eq!(BitVec::parse_bin(&bin).map(sound), Some(x.clone()));
            let by_bit: String = (0..w)
                .rev()
                .map(|i| if x.bit(i) { '1' } else { '0' })
                .collect();
            assert_eq!(bin, by_bit);

            let dec = x.to_dec_string();
            assert_eq!(BitVec::parse_dec(w, &dec).map(sound), Some(x.clone()));
            let padded = format!("{}{dec}", "0".repeat(rng.below(60)));
            assert_eq!(BitVec::parse_dec(w, &padded).map(sound), Some(x.clone()));

            match x.to_hex_string() {
                Some(hex) => {
                    assert_eq!(hex.len(), w as usize / 4);
                    assert_eq!(BitVec::parse_hex(&hex).map(sound), Some(x.clone()));
                    let upper = hex.to_uppercase();
                    assert_eq!(BitVec::parse_hex(&upper).map(sound), Some(x.clone()));
                    assert_eq!(x.to_string(), format!("#x{hex}"));
                    if let Some(value) = x.to_u128() {
                        assert_eq!(hex, format!("{value:0n$x}", n = w as usize / 4));
                    }
                }
                None => {
                    assert_ne!(w % 4, 0);
                    assert_eq!(x.to_string(), format!("#b{bin}"));
                }
            }
            assert_eq!(format!("{x:?}"), x.to_string());
        }
    }
}

#[test]
fn decimal_is_digit_by_digit_division() {
    // An independent conversion: take digits off by dividing by ten.
    let mut rng = Random::new(21);
    for w in [4, 64, 65, 128, 129, 200, 700] {
        let ten = BitVec::new(w, 10);
        for _ in 0..40 {
            let x = rng.value(w);
            let mut rest = x.clone();
            let mut digits = Vec::new();
            while !rest.is_zero() || digits.is_empty() {
                digits.push(char::from(b'0' + rest.urem(&ten).low_u64() as u8));
                rest = rest.udiv(&ten);
            }
            assert_eq!(x.to_dec_string(), digits.iter().rev().collect::<String>());
        }
    }
}

#[test]
fn known_values() {
    let two_to_200 = "1606938044258990275541962092341162602522202993782792835301376";
    let x = BitVec::parse_dec(201, two_to_200).unwrap();
    assert_eq!(x, BitVec::min_signed(201));
    assert_eq!(x.to_dec_string(), two_to_200);
    // A zero chunk in the middle must keep its zeros.
    let text = format!("1{}7{}", "0".repeat(40), "0".repeat(38));
    assert_eq!(BitVec::parse_dec(300, &text).unwrap().to_dec_string(), text);
    assert_eq!(BitVec::new(8, 0xa5).to_string(), "#xa5");
    assert_eq!(BitVec::new(5, 5).to_string(), "#b00101");
    assert_eq!(BitVec::new(5, 5).to_hex_string(), None);
    assert_eq!(
        format!("{:?}", BitVec::from_i64(68, -1)),
        format!("#x{}", "f".repeat(17))
    );
    assert_eq!(BitVec::zero(300).to_dec_string(), "0");
}

#[test]
fn decimals_that_just_fit_and_just_do_not() {
    for w in WIDTHS {
        let top = BitVec::ones(w);
        assert_eq!(
            BitVec::parse_dec(w, &top.to_dec_string()),
            Some(top.clone())
        );
        let above = top.zext(1).add(&BitVec::one(w + 1));
        assert_eq!(BitVec::parse_dec(w, &above.to_dec_string()), None);
        assert_eq!(
            BitVec::parse_dec(w + 1, &above.to_dec_string()),
            Some(above.clone())
        );
        let far = above.to_dec_string().repeat(3);
        assert_eq!(BitVec::parse_dec(w, &far), None);
    }
}

#[test]
fn refuses_what_is_not_a_number() {
    for bad in [
        "", " 1", "1 ", "+1", "-1", "1_0", "0x1", "\u{663}", "1.0", "\u{e9}",
    ] {
        assert_eq!(BitVec::parse_dec(8, bad), None, "{bad:?}");
        assert_eq!(BitVec::parse_bin(bad), None, "{bad:?}");
        assert_eq!(BitVec::parse_hex(bad), None, "{bad:?}");
    }
    assert_eq!(BitVec::parse_bin("012"), None);
    assert_eq!(BitVec::parse_hex("fg"), None);
    assert_eq!(BitVec::parse_dec(8, "1a"), None);
    assert_eq!(BitVec::parse_dec(0, "0"), None);
    let max = BitVec::MAX_WIDTH;
    assert_eq!(BitVec::parse_dec(max + 1, "0"), None);
    assert_eq!(BitVec::parse_dec(max, "7"), Some(BitVec::new(max, 7)));
    let long = "0".repeat(max as usize + 1);
    assert_eq!(BitVec::parse_bin(&long), None);
    assert_eq!(BitVec::parse_bin(&long[1..]), Some(BitVec::zero(max)));
    assert_eq!(BitVec::parse_hex(&long[..max as usize / 4 + 1]), None);
    assert_eq!(
        BitVec::parse_hex(&long[..max as usize / 4]),
        Some(BitVec::zero(max))
    );
}
