//! Copying of bytes and cells between the contents of objects.

use super::{CopyBytes, CopySource, ObjectContent};
use crate::cells::Span;
use crate::mixed::CellContent;
use crate::pages::split;
use crate::shadow::{ShadowSource, transfer};

impl ObjectContent {
    /// A range in one run as the source of a copy.
    pub fn piece(&self, offset: u64, length: usize) -> CopySource {
        let (view, at) = self.view(offset);
        let cells = view.spans(at as u32, (at + length) as u32);
        let bytes = match self {
            ObjectContent::Small { bytes, shadow } => {
                CopyBytes::Buffer(bytes.clone(), shadow.clone())
            }
            ObjectContent::Other { pages, symbolic } => {
                let (number, _) = split(offset);
                match (pages.get(number), symbolic.as_deref()) {
                    (Some(page), _) => CopyBytes::Page(page.clone()),
                    (None, Some(CellContent::Buffer { bytes, shadow, .. })) => {
                        CopyBytes::Buffer(bytes.clone(), shadow.clone())
                    }
                    (None, Some(symbolic @ CellContent::Pages { .. })) => {
                        match symbolic.page(number).0 {
                            Some(page) => CopyBytes::Page(page.clone()),
                            None => CopyBytes::Absent,
                        }
                    }
                    (None, None) => CopyBytes::Absent,
                }
            }
        };
        CopySource { bytes, cells }
    }

    /// Copies from a piece, the one of the offset `from` of its object, into one run, which has
    /// bytes.
    pub fn copy_from(
        &mut self,
        offset: u64,
        piece: &CopySource,
        from: u64,
        length: usize,
        size: u64,
    ) {
        let (bytes, shadow, from) = match &piece.bytes {
            CopyBytes::Buffer(bytes, shadow) => (&**bytes, shadow.as_ref(), from as usize),
            CopyBytes::Page(page) => (&page.bytes[..], page.shadow.as_ref(), split(from).1),
            CopyBytes::Absent => unreachable!("a piece without bytes is zeros or cells"),
        };
        self.overwrite(offset, length, size, |run, pointers, at| {
            run[at..][..length].copy_from_slice(&bytes[from..][..length]);
            if pointers.is_some() || shadow.is_some() {
                let source = ShadowSource::Other(shadow);
                transfer(pointers, run.len(), at, source, from, length);
            }
        });
        self.put_cells(offset, &piece.cells, from as u32, size);
    }

    /// Puts cells, whose places are relative to a start, after an offset into its run.
    pub fn put_cells(&mut self, offset: u64, cells: &[Span], start: u32, size: u64) {
        for span in cells {
            let to = offset + u64::from(span.start - start);
            let length = u64::from(span.end - span.start);
            self.put_cell(to, length, span.cell.clone(), size);
        }
    }

    /// Copies inside of one run, which has bytes.
    pub fn copy_within(&mut self, offset: u64, from: u64, length: usize, size: u64) {
        let (view, start) = self.view(from);
        let cells = view.spans(start as u32, (start + length) as u32);
        self.overwrite(offset, length, size, |bytes, shadow, at| {
            bytes.copy_within(start..start + length, at);
            transfer(shadow, bytes.len(), at, ShadowSource::Same, start, length);
        });
        self.put_cells(offset, &cells, start as u32, size);
    }
}
