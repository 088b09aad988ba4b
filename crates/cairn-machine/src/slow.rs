//! Instructions that are rare or have values of more than 64 bits, straight from the program form.

use crate::Domain;
use crate::code::{Code, LocalHome};
use crate::step::{Pause, Stop};
use crate::thread::{AnyValue, Extra};
use cairn_bv::BitVec;
use cairn_ir::{FloatConvertOp, Inst, Local, Operand, PointerWidth, VarClass};

/// The values of the frame that an instruction runs in.
struct FrameValues<'a, D: Domain> {
    domain: &'a mut D,
    code: &'a Code,
    registers: &'a mut [D::Value],
    wide: &'a mut [Option<D::Wide>],
}

impl<D: Domain> FrameValues<'_, D> {
    /// An operand of a width as a wide value.
    fn wide(&mut self, operand: &Operand, width: u32) -> D::Wide {
        match operand {
            Operand::Local(local) => match self.code.homes[local.index()] {
                LocalHome::Register(r) => self.domain.widen(width, &self.registers[r as usize]),
                LocalHome::Wide(w) => self.wide[w as usize]
                    .clone()
                    .expect("written before it is read"),
            },
            Operand::Int(bits) => self.domain.wide_int(&BitVec::new(width, *bits)),
            Operand::Wide(value) => self.domain.wide_int(value),
            Operand::Address(symbol, offset) => {
                let value = self.domain.symbol(*symbol, *offset);
                self.domain.widen(width, &value)
            }
        }
    }

    /// An operand of at most 64 bits.
    fn value(&self, operand: &Operand) -> D::Value {
        match operand {
            Operand::Local(local) => match self.code.homes[local.index()] {
                LocalHome::Register(r) => self.registers[r as usize].clone(),
                LocalHome::Wide(_) => unreachable!("the verifier compares widths"),
            },
            Operand::Int(bits) => self.domain.int(*bits),
            Operand::Wide(_) => unreachable!("the verifier compares widths"),
            Operand::Address(symbol, offset) => self.domain.symbol(*symbol, *offset),
        }
    }

    fn width(&self, local: Local) -> u32 {
        self.code.widths[local.index()]
    }

    fn set(&mut self, local: Local, value: D::Wide) {
        match self.code.homes[local.index()] {
            LocalHome::Register(r) => self.registers[r as usize] = self.domain.narrow(&value),
            LocalHome::Wide(w) => self.wide[w as usize] = Some(value),
        }
    }

    fn set_value(&mut self, local: Local, value: D::Value) {
        match self.code.homes[local.index()] {
            LocalHome::Register(r) => self.registers[r as usize] = value,
            LocalHome::Wide(w) => {
                let width = self.width(local);
                self.wide[w as usize] = Some(self.domain.widen(width, &value));
            }
        }
    }
}

fn fault<D: Domain>(fault: D::AccessError) -> Pause<D> {
    Pause::Stop(Stop::Access(fault))
}

/// Executes one instruction.
pub(crate) fn execute<D: Domain>(
    domain: &mut D,
    code: &Code,
    inst: &Inst,
    registers: &mut [D::Value],
    wide: &mut [Option<D::Wide>],
) -> Result<(), Pause<D>> {
    let mut v = FrameValues {
        domain,
        code,
        registers,
        wide,
    };
    match inst {
        Inst::Binary {
            op,
            dst,
            left,
            right,
        } => {
            let width = v.width(*dst);
            let (a, b) = (v.wide(left, width), v.wide(right, width));
            let result = v.domain.wide_binary(*op, &a, &b);
            v.set(*dst, result);
        }
        Inst::Unary { op, dst, value } => {
            let width = v.width(*dst);
            let value = v.wide(value, width);
            let result = v.domain.wide_unary(*op, &value);
            v.set(*dst, result);
        }
        Inst::Compare {
            op,
            dst,
            width,
            left,
            right,
        } => {
            let (a, b) = (v.wide(left, *width), v.wide(right, *width));
            let result = v.domain.wide_compare(*op, &a, &b);
            v.set(*dst, result);
        }
        Inst::Cast {
            op,
            dst,
            from,
            value,
        } => {
            let value = v.wide(value, *from);
            let to = v.width(*dst);
            let result = if to == *from {
                value
            } else {
                v.domain.wide_cast(*op, to, &value)
            };
            v.set(*dst, result);
        }
        Inst::Extract {
            dst,
            from,
            value,
            low,
        } => {
            let value = v.wide(value, *from);
            let result = v
                .domain
                .wide_extract(*low, v.code.widths[dst.index()], &value);
            v.set(*dst, result);
        }
        Inst::Concat {
            dst,
            high,
            low,
            low_width,
        } => {
            let high_width = v.width(*dst) - low_width;
            let high = v.wide(high, high_width);
            let low = v.wide(low, *low_width);
            let result = v.domain.wide_concat(&high, &low);
            v.set(*dst, result);
        }
        Inst::Select {
            dst,
            condition,
            then,
            otherwise,
        } => {
            let width = v.width(*dst);
            let condition = v.value(condition);
            let (then, otherwise) = (v.wide(then, width), v.wide(otherwise, width));
            let result = v.domain.wide_select(&condition, &then, &otherwise);
            v.set(*dst, result);
        }
        Inst::FloatBinary {
            op,
            format,
            dst,
            left,
            right,
        } => {
            let (a, b) = (v.wide(left, format.width()), v.wide(right, format.width()));
            let result = v.domain.wide_float_binary(*op, *format, &a, &b);
            v.set(*dst, result);
        }
        Inst::FloatUnary {
            op,
            format,
            dst,
            value,
        } => {
            let value = v.wide(value, format.width());
            let result = v.domain.wide_float_unary(*op, *format, &value);
            v.set(*dst, result);
        }
        Inst::FloatFma {
            format,
            dst,
            a,
            b,
            c,
        } => {
            let width = format.width();
            let (a, b, c) = (v.wide(a, width), v.wide(b, width), v.wide(c, width));
            let result = v.domain.wide_float_fma(*format, &a, &b, &c);
            v.set(*dst, result);
        }
        Inst::FloatCompare {
            op,
            format,
            dst,
            left,
            right,
        } => {
            let (a, b) = (v.wide(left, format.width()), v.wide(right, format.width()));
            let result = v.domain.wide_float_compare(*op, *format, &a, &b);
            v.set(*dst, result);
        }
        Inst::FloatConvert { op, dst, value } => {
            let from = match op {
                FloatConvertOp::Format { from, .. } | FloatConvertOp::ToInt { from, .. } => {
                    from.width()
                }
                FloatConvertOp::FromInt { from, .. } => *from,
            };
            let value = v.wide(value, from);
            let result = v.domain.wide_float_convert(*op, &value);
            v.set(*dst, result);
        }
        Inst::Arbitrary { dst } => {
            let width = v.width(*dst);
            let value = v.domain.wide_arbitrary(width);
            v.set(*dst, value);
        }
        Inst::Load { dst, address } => {
            let at = v.value(address);
            let bytes = v.width(*dst) / 8;
            let value = v.domain.load_wide(&at, bytes).map_err(fault::<D>)?;
            v.set(*dst, value);
        }
        Inst::Store {
            value,
            width,
            address,
        } => {
            let (at, value) = (v.value(address), v.wide(value, *width));
            v.domain.store_wide(&at, &value).map_err(fault::<D>)?;
        }
        Inst::StackSave { dst } => {
            let mark = v.domain.stack_mark();
            v.set_value(*dst, mark);
        }
        Inst::StackRestore { mark } => {
            let mark = v.value(mark);
            v.domain.stack_restore(&mark).map_err(fault::<D>)?;
        }
        Inst::Scope { address, begins } => {
            let at = v.value(address);
            let done = match begins {
                true => v.domain.begin_scope(&at),
                false => v.domain.end_scope(&at),
            };
            done.map_err(fault::<D>)?;
        }
        Inst::Copy {
            to,
            from,
            length,
            overlapping,
        } => {
            let (to, from, length) = (v.value(to), v.value(from), v.value(length));
            v.domain
                .copy(&to, &from, &length, *overlapping)
                .map_err(fault::<D>)?;
        }
        Inst::Fill { to, byte, length } => {
            let (to, byte, length) = (v.value(to), v.value(byte), v.value(length));
            v.domain.fill(&to, &byte, &length).map_err(fault::<D>)?;
        }
        Inst::VaStart {
            list,
            general,
            float,
        } => {
            return Err(Pause::VaStart {
                list: v.value(list),
                general: *general,
                float: *float,
            });
        }
        Inst::ReadSlot { dst, slot } => {
            let value = v.domain.read_slot(*slot);
            v.set(*dst, value);
        }
        Inst::WriteSlot { slot, value } => {
            let width = match value {
                Operand::Local(local) => v.width(*local),
                Operand::Wide(w) => w.width(),
                Operand::Int(_) => 64,
                Operand::Address(..) => v.domain.pointer_width().bits(),
            };
            let value = v.wide(value, width);
            v.domain.write_slot(*slot, value);
        }
        Inst::Alloca { .. } | Inst::Call(_) | Inst::Check(_) => {
            unreachable!("always on the fast path")
        }
    }
    Ok(())
}

/// General registers that carry arguments, and the bytes of each in the save area.
const GENERAL: (u32, u64) = (6, 8);
/// The same of floating-point registers, which follow.
const FLOAT: (u32, u64) = (8, 16);

/// Pointers of the ABI below; the verifier lets no others come here.
const POINTER_BITS: u32 = PointerWidth::Eight.bits();

/// Lays out variadic arguments as the x86-64 ABI has it and fills a `va_list`:
///
/// ```text
/// va_list   0 gp_offset: u32   4 fp_offset: u32   8 overflow area   16 register save area
/// save area 0 .. 48 general registers, 8 bytes each   48 .. 176 floating point, 16 bytes each
/// ```
pub(crate) fn va_start<D: Domain>(
    domain: &mut D,
    list: &D::Value,
    general: u32,
    float: u32,
    extra: &[Extra<D::Value, D::Wide>],
) -> Result<(), D::AccessError> {
    let general = general.min(GENERAL.0);
    let float = float.min(FLOAT.0);
    let float_start = u64::from(GENERAL.0) * GENERAL.1;
    let (mut gp, mut fp, mut memory) = (general, float, 0u64);
    // First where each goes, so that the sizes of both areas are known.
    let mut places = Vec::with_capacity(extra.len());
    for e in extra {
        let bytes = u64::from(e.width.div_ceil(8));
        let (size, align) = match e.class {
            VarClass::General if gp < GENERAL.0 => {
                places.push((true, u64::from(gp) * GENERAL.1));
                gp += 1;
                continue;
            }
            VarClass::Float if fp < FLOAT.0 => {
                places.push((true, float_start + u64::from(fp) * FLOAT.1));
                fp += 1;
                continue;
            }
            VarClass::General => (8, 8),
            VarClass::Float => (bytes.next_multiple_of(8), bytes.next_power_of_two().max(8)),
            VarClass::Memory(align) => (bytes, u64::from(align).max(8)),
            VarClass::Bytes { size, align } => (size, u64::from(align).max(8)),
        };
        memory = memory.next_multiple_of(align);
        places.push((false, memory));
        memory += size.next_multiple_of(8);
    }
    // Both areas end where the arguments do: asking for more than were passed leaves them. Where
    // floating-point arguments follow, the general ones are moved up to the end of their part: the
    // next one is then looked for in the overflow area, which is empty. If it is not, because
    // arguments in memory were passed too, the places of the other registers are marked as missing.
    let left = u64::from(GENERAL.0 - gp);
    let moved = if fp > float && memory == 0 {
        left * GENERAL.1
    } else {
        0
    };
    let saved = if fp > float {
        float_start + u64::from(fp) * FLOAT.1
    } else {
        u64::from(gp) * GENERAL.1
    };
    let save = domain.alloca(&domain.int(saved), 16, true)?;
    let overflow = domain.alloca(&domain.int(memory), 16, true)?;
    if fp > float && memory > 0 && left > 0 {
        let first = domain.int(u64::from(gp) * GENERAL.1);
        let at = domain.binary(cairn_ir::BinaryOp::Add, POINTER_BITS, &save, &first);
        domain.leave_missing(&at, left * GENERAL.1)?;
    }
    for (e, (saved, offset)) in extra.iter().zip(places) {
        let base = if saved { &save } else { &overflow };
        let general = saved && offset < float_start;
        let offset = domain.int(if general { offset + moved } else { offset });
        let at = domain.binary(cairn_ir::BinaryOp::Add, POINTER_BITS, base, &offset);
        match (&e.value, e.class) {
            (AnyValue::Value(from), VarClass::Bytes { size, .. }) => {
                let size = domain.int(size);
                domain.copy(&at, from, &size, true)?;
            }
            (AnyValue::Value(value), _) => domain.store(&at, e.width.div_ceil(8), value)?,
            (AnyValue::Wide(value), _) => domain.store_wide(&at, value)?,
        }
    }
    let gp_offset = u64::from(general) * GENERAL.1 + moved;
    let fp_offset = float_start + u64::from(float) * FLOAT.1;
    let fields = [
        (0, 4, domain.int(gp_offset)),
        (4, 4, domain.int(fp_offset)),
        (8, 8, overflow),
        (16, 8, save),
    ];
    for (offset, bytes, value) in fields {
        let offset = domain.int(offset);
        let at = domain.binary(cairn_ir::BinaryOp::Add, POINTER_BITS, list, &offset);
        domain.store(&at, bytes, &value)?;
    }
    Ok(())
}
