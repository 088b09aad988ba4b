//! Constants of more than 64 bits, and operands of any width, in the flat form.

use super::Flattener;
use crate::code::LocalHome;
use cairn_ir::{Inst, Local, Operand};

impl Flattener<'_> {
    /// Where an operand of any width lives when an edge or call reads it. A wide constant gets a
    /// wide value of its own, written by the slow path just before.
    pub fn operand_home(&mut self, operand: &Operand, width: u32) -> LocalHome {
        match operand {
            Operand::Local(local) => self.home(*local),
            Operand::Wide(_) => self.wide_constant(operand, width),
            Operand::Int(bits) if width > 64 => {
                let value = cairn_bv::BitVec::new(width, *bits);
                self.wide_constant(&Operand::Wide(Box::new(value)), width)
            }
            Operand::Int(_) | Operand::Address(..) => {
                LocalHome::Register(self.reg(operand).expect("fits a register"))
            }
        }
    }

    pub(super) fn wide_constant(&mut self, operand: &Operand, width: u32) -> LocalHome {
        if let Some((index, _)) = self.wide_constants.iter().find(|(_, o)| o == operand) {
            let home = LocalHome::Wide(*index);
            // Not dominated by the first use in general: written again.
            self.write_wide_constant(*index, operand, width);
            return home;
        }
        let index = self.code.wide;
        self.code.wide += 1;
        self.wide_constants.push((index, operand.clone()));
        self.write_wide_constant(index, operand, width);
        LocalHome::Wide(index)
    }

    pub(super) fn write_wide_constant(&mut self, index: u32, operand: &Operand, width: u32) {
        // A local of its own gives the slow path a name for the value.
        let local = Local::new(self.code.homes.len());
        self.code.homes.push(LocalHome::Wide(index));
        self.code.widths.push(width);
        self.slow(&Inst::Cast {
            op: cairn_ir::CastOp::Zext,
            dst: local,
            from: width,
            value: operand.clone(),
        });
    }
}
