//! Time: a clock that moves on a little with each look at it, and by as much as the program sleeps.

use super::{CallFamily, SystemCall, done, number, offset};
use crate::call_table::Varies::{Decides, Exact, Tells};
use crate::call_table::{CLOCK, MACHINE, PRIVILEGE};
use crate::kernel::TICK;
use crate::reply::{CallResult, NoResult};
use crate::{ClockForm, ClockReading, Errno, Exactness, Reply, Waited};
use cairn_memory::{Fault, Word};

pub(super) const CALLS: CallFamily = &[
    ("time", "p", Tells(CLOCK), time),
    ("gettimeofday", "pp", Tells(CLOCK), gettimeofday),
    ("settimeofday", "--", Decides(PRIVILEGE), not_permitted),
    ("clock_gettime", "ip", Decides(CLOCK), clock_gettime),
    ("clock_getres", "ip", Decides(MACHINE), clock_getres),
    ("clock_settime", "--", Decides(PRIVILEGE), not_permitted),
    ("nanosleep", "pp", Exact, nanosleep),
    ("clock_nanosleep", "iipp", Exact, clock_nanosleep),
    ("times", "p", Tells(CLOCK), times),
    ("alarm", "i", Exact, alarm),
    ("setitimer", "ipp", Exact, set_timer),
    ("getitimer", "ip", Exact, get_timer),
];

/// A timer of the process: the time between two signals and to the next one, each in seconds and
/// microseconds. It stands still, for nothing says when a signal would interrupt the program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timer([u64; 4]);

impl Timer {
    /// Whether it was started.
    pub fn runs(&self) -> bool {
        self.0[2..] != [0, 0]
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// The clock that says what time it is; others count from the start of the program.
const REALTIME: u32 = 0;
const PROCESS_TIME: u32 = 2;
const REALTIME_COARSE: u32 = 5;
const MONOTONIC_COARSE: u32 = 6;
const TAI: u32 = 11;
const LAST_CLOCK: u32 = 11;

/// The most nanoseconds between two ticks.
const COARSE_TICK: u64 = 10_000_000;

const MICROS_OF_SECOND: i64 = 1_000_000;

/// Seconds that the machine has been up when the program starts.
const UPTIME: u64 = 1000;

/// The time of a clock, which exists.
fn read_clock(call: &mut SystemCall<'_>, clock: u32) -> Result<(i64, u32), Errno> {
    // Clock 10 was removed from Linux.
    if clock > LAST_CLOCK || clock == 10 {
        return Err(Errno::EINVAL);
    }
    let now = call.kernel.tick();
    let elapsed = call.kernel.process.elapsed;
    Ok(match clock {
        REALTIME | REALTIME_COARSE | 8 | TAI => now,
        // What the process and its thread used.
        2 | 3 => split(elapsed),
        _ => split(elapsed + UPTIME * 1_000_000_000),
    })
}

fn load_time(call: &SystemCall<'_>, at: Word) -> Result<(i64, u32), NoResult> {
    let seconds = call.load_u64(at)?.bits as i64;
    match call.load_u64(offset(at, 8))?.bits {
        nanos @ 0..1_000_000_000 if seconds >= 0 => Ok((seconds, nanos as u32)),
        _ => Err(Errno::EINVAL.into()),
    }
}

/// For how long a call is to wait at most, and where the program says so: Linux leaves there what is left of it.
#[derive(Clone, Copy)]
pub(super) struct GivenTime {
    at: Word,
    form: ClockForm,
    seconds: u64,
    nanos: u32,
}

impl GivenTime {
    /// What stands at an address, if there is one.
    pub fn load(
        call: &SystemCall<'_>,
        at: Word,
        form: ClockForm,
    ) -> Result<Option<Self>, NoResult> {
        if at.bits == 0 {
            return Ok(None);
        }
        let (seconds, nanos) = match form {
            ClockForm::Microseconds => {
                let seconds = call.load_u64(at)?.bits as i64;
                let micros = call.load_u64(offset(at, 8))?.bits as i64;
                // Divided with its sign, before it is looked at.
                let seconds = seconds.wrapping_add(micros / MICROS_OF_SECOND);
                match micros % MICROS_OF_SECOND {
                    micros @ 0.. if seconds >= 0 => (seconds, micros as u32 * 1000),
                    _ => return Err(Errno::EINVAL.into()),
                }
            }
            ClockForm::Nanoseconds | ClockForm::Seconds => load_time(call, at)?,
        };
        Ok(Some(GivenTime {
            at,
            form,
            seconds: seconds as u64,
            nanos,
        }))
    }

    /// Seconds and nanoseconds.
    pub fn parts(self) -> (u64, u32) {
        (self.seconds, self.nanos)
    }

    /// In nanoseconds.
    pub fn nanos(self) -> u64 {
        nanoseconds(self.seconds as i64, self.nanos)
    }

    /// What is left of it after the least time that passes.
    fn after_a_tick(self) -> (u64, u32) {
        let tick = TICK as u32;
        match (self.seconds, self.nanos) {
            (seconds, nanos) if nanos >= tick => (seconds, nanos - tick),
            (0, _) => (0, 0),
            (seconds, nanos) => (seconds - 1, 1_000_000_000 + nanos - tick),
        }
    }
}

/// A call has waited, or ended before: what is left of its time goes where the time stood. It is 0 if the time
/// is over, and otherwise one of all times up to what was given.
pub(super) fn leave_rest(
    call: &mut SystemCall<'_>,
    given: Option<GivenTime>,
    result: CallResult,
) -> CallResult {
    // Linux leaves a time of zero alone.
    let Some(given) = given.filter(|given| given.parts() != (0, 0)) else {
        return result;
    };
    let is_over = match &result {
        Ok(answer) => answer.bits == 0,
        Err(NoResult::Errno(_) | NoResult::Reply(Reply::Handle { .. })) => false,
        Err(NoResult::Fault(fault)) if call.kernel.refuses(fault) => false,
        Err(NoResult::Need(_) | NoResult::Reply(_) | NoResult::Fault(_)) => return result,
    };
    match call.check_write(given.at, 16) {
        Ok(()) => {}
        // Then Linux does without.
        Err(NoResult::Fault(Fault::ReadOnly { .. })) => return result,
        Err(why) => return Err(why),
    }
    let (seconds, nanos) = if is_over {
        (0, 0)
    } else if call.kernel.process.symbolic_clock {
        let left = Waited::Partly {
            most: given.parts(),
            to: given.at,
            form: given.form,
        };
        let then = match result {
            Ok(answer) => Reply::Return(answer),
            Err(NoResult::Errno(errno)) => Reply::error(errno),
            Err(NoResult::Reply(reply)) => reply,
            Err(NoResult::Fault(_) | NoResult::Need(_)) => Reply::error(Errno::EFAULT),
        };
        return Err(NoResult::Reply(Reply::Waited(left, Box::new(then))));
    } else {
        // What the call itself has said stands for this, too.
        if !matches!(call.kernel.exactness, Some(Exactness::OneOf(_))) {
            call.is_one_of(CLOCK);
        }
        call.kernel.tick();
        call.kernel.process_mut().output_incomparable = true;
        given.after_a_tick()
    };
    let fraction = match given.form {
        ClockForm::Microseconds => nanos / 1000,
        ClockForm::Nanoseconds | ClockForm::Seconds => nanos,
    };
    store_time(call, given.at, (seconds as i64, fraction))?;
    result
}

/// What a clock shows, in nanoseconds.
fn time_of(call: &mut SystemCall<'_>, clock: u32) -> Result<u64, NoResult> {
    let (seconds, nanos) = read_clock(call, clock)?;
    Ok(nanoseconds(seconds, nanos))
}

/// Lets time pass.
pub(super) fn pass(call: &mut SystemCall<'_>, nanos: u64) {
    let process = call.kernel.process_mut();
    // Far from where sums of times overflow.
    process.elapsed = process.elapsed.saturating_add(nanos).min(1 << 62);
}

/// Nanoseconds that a clock has moved on at least since the program's last look at it, which is now.
fn passed_at_last_look(call: &mut SystemCall<'_>, clock: u32) -> u64 {
    let process = call.kernel.process_mut();
    let last = &mut process.slept_at[clock as usize];
    let slept = process.elapsed - *last;
    *last = process.elapsed;
    match clock {
        // What the process computed: nothing while it sleeps.
        2 | 3 => 0,
        // They move by ticks.
        REALTIME_COARSE | MONOTONIC_COARSE => slept.saturating_sub(COARSE_TICK),
        _ => slept,
    }
}

/// The time is the caller's: what it is to be, and where to.
fn ask_clock(
    call: &mut SystemCall<'_>,
    clock: u32,
    to: Option<(Word, ClockForm)>,
    returns_seconds: bool,
) -> NoResult {
    let passed = passed_at_last_look(call, clock);
    call.is_exact();
    NoResult::Reply(Reply::Clock(ClockReading {
        clock,
        passed,
        to,
        returns_seconds,
    }))
}

/// Notes a time that the program is told.
fn tell_time(call: &mut SystemCall<'_>, clock: u32, (seconds, nanos): (i64, u32)) {
    let words = [seconds as u64, u64::from(nanos)];
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    call.kernel.tell(ClockReading::name(clock), bytes);
}

fn store_time(
    call: &mut SystemCall<'_>,
    at: Word,
    (seconds, fraction): (i64, u32),
) -> Result<(), NoResult> {
    call.check_write(at, 16)?;
    call.store(at, &seconds.to_le_bytes())?;
    call.store(offset(at, 8), &u64::from(fraction).to_le_bytes())
}

fn split(nanos: u64) -> (i64, u32) {
    (
        (nanos / 1_000_000_000) as i64,
        (nanos % 1_000_000_000) as u32,
    )
}

fn nanoseconds(seconds: i64, nanos: u32) -> u64 {
    (seconds as u64)
        .saturating_mul(1_000_000_000)
        .saturating_add(u64::from(nanos))
}

/// A timer's number.
fn timer(call: &SystemCall<'_>) -> Result<usize, Errno> {
    let which = call.int(0);
    usize::try_from(which)
        .ok()
        .filter(|w| *w < 3)
        .ok_or(Errno::EINVAL)
}

fn alarm(call: &mut SystemCall<'_>) -> CallResult {
    let seconds = u64::from(call.bits(0) as u32);
    let timer = &mut call.kernel.process_mut().timers[0];
    let before = std::mem::replace(timer, Timer([0, 0, seconds, 0]));
    number(before.0[2] + u64::from(before.0[3] > 0))
}

fn set_timer(call: &mut SystemCall<'_>) -> CallResult {
    let (which, new, old) = (timer(call), call.args[1], call.args[2]);
    let mut timer = Timer::default();
    if new.bits != 0 {
        for (i, word) in timer.0.iter_mut().enumerate() {
            *word = call.load_u64(offset(new, 8 * i as u64))?.bits;
        }
    }
    let [between, between_micros, next, next_micros] = timer.0;
    let valid = |seconds: u64, micros: u64| seconds as i64 >= 0 && micros < 1_000_000;
    if !valid(between, between_micros) || !valid(next, next_micros) {
        return Err(Errno::EINVAL.into());
    }
    let which = which?;
    if old.bits != 0 {
        call.check_write(old, 32)?;
    }
    let before = std::mem::replace(&mut call.kernel.process_mut().timers[which], timer);
    call.store_if(old, &before.bytes())?;
    done()
}

fn get_timer(call: &mut SystemCall<'_>) -> CallResult {
    let timer = call.kernel.process.timers[timer(call)?];
    call.check_write(call.args[1], 32)?;
    call.store(call.args[1], &timer.bytes())?;
    done()
}

fn time(call: &mut SystemCall<'_>) -> CallResult {
    let at = call.args[0];
    if at.bits != 0 {
        call.check_write(at, 8)?;
    }
    if call.kernel.process.symbolic_clock {
        let to = (at.bits != 0).then_some((at, ClockForm::Seconds));
        return Err(ask_clock(call, REALTIME, to, true));
    }
    let now = call.kernel.tick();
    tell_time(call, REALTIME, now);
    let (seconds, _) = now;
    call.store_if(at, &seconds.to_le_bytes())?;
    number(seconds as u64)
}

fn gettimeofday(call: &mut SystemCall<'_>) -> CallResult {
    let (at, zone) = (call.args[0], call.args[1]);
    if zone.bits != 0 {
        call.check_write(zone, 8)?;
    }
    if at.bits != 0 {
        call.check_write(at, 16)?;
    }
    call.store_if(zone, &[0; 8])?;
    if at.bits != 0 {
        if call.kernel.process.symbolic_clock {
            let to = Some((at, ClockForm::Microseconds));
            return Err(ask_clock(call, REALTIME, to, false));
        }
        let now = call.kernel.tick();
        tell_time(call, REALTIME, now);
        store_time(call, at, (now.0, now.1 / 1000))?;
    }
    done()
}

fn not_permitted(_: &mut SystemCall<'_>) -> CallResult {
    Err(Errno::EPERM.into())
}

fn clock_gettime(call: &mut SystemCall<'_>) -> CallResult {
    let at = call.args[1];
    if call.u32(0) <= LAST_CLOCK {
        call.check_write(at, 16)?;
    }
    if call.kernel.process.symbolic_clock && call.u32(0) <= LAST_CLOCK && call.u32(0) != 10 {
        let to = Some((at, ClockForm::Nanoseconds));
        return Err(ask_clock(call, call.u32(0), to, false));
    }
    let now = read_clock(call, call.u32(0))?;
    tell_time(call, call.u32(0), now);
    store_time(call, at, now)?;
    done()
}

fn clock_getres(call: &mut SystemCall<'_>) -> CallResult {
    let at = call.args[1];
    if call.u32(0) > LAST_CLOCK || call.u32(0) == 10 {
        return Err(Errno::EINVAL.into());
    }
    if at.bits != 0 {
        store_time(call, at, (0, 1))?;
    }
    done()
}

fn nanosleep(call: &mut SystemCall<'_>) -> CallResult {
    let (seconds, nanos) = load_time(call, call.args[0])?;
    pass(call, nanoseconds(seconds, nanos));
    done()
}

fn clock_nanosleep(call: &mut SystemCall<'_>) -> CallResult {
    const ABSOLUTE: u64 = 1;
    let (clock, flags) = (call.u32(0), call.bits(1));
    // Clocks that cannot be slept on: a thread's processor time (3), the raw and coarse ones (4 to 6), 10.
    if clock > LAST_CLOCK || matches!(clock, 3 | 4 | 5 | 6 | 10) {
        return Err(Errno::EINVAL.into());
    }
    let (seconds, nanos) = load_time(call, call.args[2])?;
    let wanted = nanoseconds(seconds, nanos);
    if clock == PROCESS_TIME && wanted > 0 {
        // It stands still while the only thread sleeps.
        return Err(NoResult::unsupported(
            "sleeping on the process's own processor time",
        ));
    }
    if flags & ABSOLUTE == 0 {
        pass(call, wanted);
        return done();
    }
    wait_until(call, clock, (seconds as u64, nanos), Word::int(0))
}

/// Waits until a clock shows a time, and answers.
pub(super) fn wait_until(
    call: &mut SystemCall<'_>,
    clock: u32,
    time: (u64, u32),
    answer: Word,
) -> CallResult {
    if call.kernel.process.symbolic_clock {
        let passed = passed_at_last_look(call, clock);
        let until = Waited::Until {
            clock,
            passed,
            time,
        };
        let then = Box::new(Reply::Return(answer));
        return Err(NoResult::Reply(Reply::Waited(until, then)));
    }
    let now = time_of(call, clock)?;
    pass(call, nanoseconds(time.0 as i64, time.1).saturating_sub(now));
    Ok(answer)
}

fn times(call: &mut SystemCall<'_>) -> CallResult {
    let at = call.args[0];
    if at.bits != 0 {
        call.check_write(at, 32)?;
    }
    call.kernel.tick();
    // Hundredths of a second, all of them the program's own.
    let ticks = call.kernel.process.elapsed / 10_000_000;
    let mut bytes = ticks.to_le_bytes().to_vec();
    bytes.resize(32, 0);
    call.store_if(at, &bytes)?;
    number(ticks + UPTIME * 100)
}
