//! Mathematical functions: the host's, so that results are what a native program gets. `cbrt` is
//! not among them: Rust computes it itself, and differs from the C library in the last bit.

use super::{NativeCall, NativeFamily, NativeResult, int32};
use cairn_memory::Word;

/// Functions of one and two numbers, in double and single precision.
macro_rules! functions {
    ($($name:literal $single:literal $f:ident = |$($x:ident),+| $body:expr;)+) => {
        $(
            mod $f {
                use super::{NativeCall, NativeResult, Word};

                pub fn double(call: &mut NativeCall<'_>) -> NativeResult {
                    let mut next = (0..).map(|i| f64::from_bits(call.bits(i)));
                    $(let $x: f64 = next.next().expect("endless");)+
                    let result: f64 = $body;
                    Ok(Word::int(result.to_bits()))
                }

                pub fn single(call: &mut NativeCall<'_>) -> NativeResult {
                    let mut next = (0..).map(|i| f32::from_bits(call.bits(i) as u32));
                    $(let $x: f32 = next.next().expect("endless");)+
                    let result: f32 = $body;
                    Ok(Word::int(u64::from(result.to_bits())))
                }
            }
        )+

        pub(super) const FUNCTIONS: NativeFamily = &[
            $(($name, $f::double), ($single, $f::single),)+
            ("ldexp", ldexp),
            ("scalbn", ldexp),
            ("ldexpf", ldexpf),
            ("scalbnf", ldexpf),
            ("lround", |c| to_integer(double(c, 0).round())),
            ("llround", |c| to_integer(double(c, 0).round())),
            ("lrint", |c| to_integer(double(c, 0).round_ties_even())),
            ("llrint", |c| to_integer(double(c, 0).round_ties_even())),
            ("lroundf", |c| to_integer(f64::from(single(c, 0).round()))),
            ("llroundf", |c| to_integer(f64::from(single(c, 0).round()))),
            ("lrintf", |c| to_integer(f64::from(single(c, 0).round_ties_even()))),
            ("llrintf", |c| to_integer(f64::from(single(c, 0).round_ties_even()))),
            ("frexp", frexp),
            ("frexpf", frexpf),
            ("modf", modf),
            ("modff", modff),
            ("__powidf2", powidf2),
            ("__powisf2", powisf2),
        ];
    };
}

functions! {
    "sin" "sinf" sine = |x| x.sin();
    "cos" "cosf" cosine = |x| x.cos();
    "tan" "tanf" tangent = |x| x.tan();
    "asin" "asinf" arc_sine = |x| x.asin();
    "acos" "acosf" arc_cosine = |x| x.acos();
    "atan" "atanf" arc_tangent = |x| x.atan();
    "atan2" "atan2f" arc_tangent_of_two = |y, x| y.atan2(x);
    "sinh" "sinhf" hyperbolic_sine = |x| x.sinh();
    "cosh" "coshf" hyperbolic_cosine = |x| x.cosh();
    "tanh" "tanhf" hyperbolic_tangent = |x| x.tanh();
    "exp" "expf" exponential = |x| x.exp();
    "exp2" "exp2f" power_of_two = |x| x.exp2();
    "expm1" "expm1f" exponential_less_one = |x| x.exp_m1();
    "log" "logf" logarithm = |x| x.ln();
    "log2" "log2f" logarithm_of_two = |x| x.log2();
    "log10" "log10f" logarithm_of_ten = |x| x.log10();
    "log1p" "log1pf" logarithm_of_one_more = |x| x.ln_1p();
    "pow" "powf" power = |x, y| x.powf(y);
    "hypot" "hypotf" hypotenuse = |x, y| x.hypot(y);
    "sqrt" "sqrtf" square_root = |x| x.sqrt();
    "fabs" "fabsf" absolute = |x| x.abs();
    "floor" "floorf" floor = |x| x.floor();
    "ceil" "ceilf" ceiling = |x| x.ceil();
    "trunc" "truncf" truncation = |x| x.trunc();
    "round" "roundf" rounding = |x| x.round();
    "rint" "rintf" rounding_to_even = |x| x.round_ties_even();
    "nearbyint" "nearbyintf" rounding_quietly = |x| x.round_ties_even();
    "fmod" "fmodf" remainder = |x, y| x % y;
    "fmin" "fminf" minimum = |x, y| x.min(y);
    "fmax" "fmaxf" maximum = |x, y| x.max(y);
    "fma" "fmaf" fused = |x, y, z| x.mul_add(y, z);
    "copysign" "copysignf" sign = |x, y| x.copysign(y);
}

fn double(call: &NativeCall<'_>, i: usize) -> f64 {
    f64::from_bits(call.bits(i))
}

fn single(call: &NativeCall<'_>, i: usize) -> f32 {
    f32::from_bits(call.bits(i) as u32)
}

/// A whole number as 64 bits; out of range what the processor's conversion gives.
fn to_integer(x: f64) -> NativeResult {
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&x);
    Ok(Word::int(if fits { x as i64 as u64 } else { 1 << 63 }))
}

/// `x * 2^n`, rounded once: by steps that are exact until the last.
fn scaled(mut x: f64, mut n: i32) -> f64 {
    const LARGEST: f64 = f64::from_bits(0x7FE0_0000_0000_0000);
    const SMALLEST: f64 = f64::MIN_POSITIVE;
    while n > 1023 {
        x *= LARGEST;
        n -= 1023;
        if x.is_infinite() || x == 0.0 {
            return x;
        }
    }
    // The last step is by less than 2^-53 then: only it can round a subnormal number.
    while n < -1022 {
        x *= SMALLEST * f64::from_bits((1023 + 53) << 52);
        n += 969;
        if x == 0.0 {
            return x;
        }
    }
    x * f64::from_bits(((1023 + i64::from(n)) as u64) << 52)
}

fn ldexp(call: &mut NativeCall<'_>) -> NativeResult {
    let n = call.bits(1) as u32 as i32;
    Ok(Word::int(scaled(double(call, 0), n).to_bits()))
}

/// By way of double precision, where the product is exact or far below the smallest single.
fn ldexpf(call: &mut NativeCall<'_>) -> NativeResult {
    let x = f64::from(single(call, 0));
    let n = call.bits(1) as u32 as i32;
    Ok(Word::int(u64::from((scaled(x, n) as f32).to_bits())))
}

/// A fraction between a half and one, and an exponent.
fn split(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (normal, bias) = if x.abs() < f64::MIN_POSITIVE {
        (x * f64::from_bits((1023 + 64) << 52), 64)
    } else {
        (x, 0)
    };
    let bits = normal.to_bits();
    let exponent = (bits >> 52 & 0x7FF) as i32 - 1022;
    let fraction = f64::from_bits(bits & !(0x7FF << 52) | 1022 << 52);
    (fraction, exponent - bias)
}

fn frexp(call: &mut NativeCall<'_>) -> NativeResult {
    let (fraction, exponent) = split(double(call, 0));
    let place = call.word(1);
    let memory = &mut *call.memory;
    memory.store_word(place, 4, int32(exponent))?;
    Ok(Word::int(fraction.to_bits()))
}

fn frexpf(call: &mut NativeCall<'_>) -> NativeResult {
    let (fraction, exponent) = split(f64::from(single(call, 0)));
    let place = call.word(1);
    let memory = &mut *call.memory;
    memory.store_word(place, 4, int32(exponent))?;
    Ok(Word::int(u64::from((fraction as f32).to_bits())))
}

/// What is left of a number without its whole part; it has the number's sign.
fn fraction(x: f64) -> f64 {
    let rest = if x.is_infinite() { 0.0 } else { x - x.trunc() };
    rest.copysign(x)
}

fn modf(call: &mut NativeCall<'_>) -> NativeResult {
    let (x, place) = (double(call, 0), call.word(1));
    let memory = &mut *call.memory;
    memory.store_word(place, 8, Word::int(x.trunc().to_bits()))?;
    Ok(Word::int(fraction(x).to_bits()))
}

fn modff(call: &mut NativeCall<'_>) -> NativeResult {
    let (x, place) = (single(call, 0), call.word(1));
    let whole = Word::int(u64::from(x.trunc().to_bits()));
    call.memory.store_word(place, 4, whole)?;
    let rest = fraction(f64::from(x)) as f32;
    Ok(Word::int(u64::from(rest.to_bits())))
}

/// As the compiler's run-time library computes it: by repeated squaring.
fn powidf2(call: &mut NativeCall<'_>) -> NativeResult {
    let (mut x, exponent) = (double(call, 0), call.bits(1) as u32 as i32);
    let mut n = exponent.unsigned_abs();
    let mut result = if n & 1 == 1 { x } else { 1.0 };
    while n > 1 {
        n >>= 1;
        x *= x;
        if n & 1 == 1 {
            result *= x;
        }
    }
    let result = if exponent < 0 { 1.0 / result } else { result };
    Ok(Word::int(result.to_bits()))
}

fn powisf2(call: &mut NativeCall<'_>) -> NativeResult {
    let (mut x, exponent) = (
        f32::from_bits(call.bits(0) as u32),
        call.bits(1) as u32 as i32,
    );
    let mut n = exponent.unsigned_abs();
    let mut result = if n & 1 == 1 { x } else { 1.0 };
    while n > 1 {
        n >>= 1;
        x *= x;
        if n & 1 == 1 {
            result *= x;
        }
    }
    let result = if exponent < 0 { 1.0 / result } else { result };
    Ok(Word::int(u64::from(result.to_bits())))
}
