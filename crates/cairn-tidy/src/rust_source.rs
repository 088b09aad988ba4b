//! What rules need to know of a Rust file: its functions with their lengths, the methods of each
//! type, and its text with comments apart from code.

use syn::spanned::Spanned;
use syn::visit::Visit;

/// A function of a file.
pub(crate) struct Function {
    /// Its name, after the name of its type if it is a method.
    pub(crate) name: String,
    /// Its lines from the signature to the closing brace; a short arm of a table counts as one.
    pub(crate) lines: usize,
}

/// A type that a file defines.
pub(crate) struct TypeDefinition {
    pub(crate) name: String,
    /// Whether other modules than its own and those below can see it.
    pub(crate) visible: bool,
}

/// The functions of a file, its types and their inherent methods.
#[derive(Default)]
pub(crate) struct Outline {
    pub(crate) functions: Vec<Function>,
    /// For each inherent method the name of its type.
    pub(crate) methods_of: Vec<String>,
    /// The types that it defines, but for those of its tests.
    pub(crate) types: Vec<TypeDefinition>,
    /// The type whose `impl` is being visited.
    inside: Option<String>,
}

/// Reads the outline of a file. A file that is not Rust has none: the compiler says so.
pub(crate) fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    if let Ok(file) = syn::parse_file(text) {
        outline.visit_file(&file);
    }
    outline
}

impl Outline {
    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let name = &signature.ident;
        let name = match &self.inside {
            Some(type_name) => format!("{type_name}::{name}"),
            None => name.to_string(),
        };
        let first = signature.fn_token.span.start().line;
        let mut tables = Tables::default();
        tables.visit_block(block);
        let lines = block.brace_token.span.close().end().line + 1 - first - tables.saved;
        self.functions.push(Function { name, lines });
    }

    fn type_named(&mut self, name: &syn::Ident, visibility: &syn::Visibility) {
        self.types.push(TypeDefinition {
            name: name.to_string(),
            visible: !matches!(visibility, syn::Visibility::Inherited),
        });
    }
}

/// The fewest arms of a `match` that is a table.
pub(crate) const TABLE_ARMS: usize = 12;
/// The most lines of an arm that is an entry of a table.
pub(crate) const ARM_LINES: usize = 20;

/// Finds the tables of a function: a `match` with many arms and no `_` is read one arm at a time, and
/// cannot be divided into functions without a `_` in each of them, which would hide a variant that is added.
#[derive(Default)]
struct Tables {
    /// Lines of the short arms of tables, but for the first of each.
    saved: usize,
}

impl<'ast> Visit<'ast> for Tables {
    fn visit_expr_match(&mut self, table: &'ast syn::ExprMatch) {
        let is_exhaustive = table
            .arms
            .iter()
            .all(|arm| !matches!(arm.pat, syn::Pat::Wild(_)));
        if table.arms.len() < TABLE_ARMS || !is_exhaustive {
            syn::visit::visit_expr_match(self, table);
            return;
        }
        for arm in &table.arms {
            let span = arm.span();
            let lines = span.end().line + 1 - span.start().line;
            if lines <= ARM_LINES {
                self.saved += lines - 1;
            } else {
                self.visit_expr(&arm.body);
            }
        }
    }
}

/// Is this compiled for tests only?
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|condition| condition.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for Outline {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let before = self.types.len();
        syn::visit::visit_item_mod(self, item);
        if is_for_tests(&item.attrs) {
            self.types.truncate(before);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.type_named(&item.ident, &item.vis);
        syn::visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.type_named(&item.ident, &item.vis);
        syn::visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.type_named(&item.ident, &item.vis);
        syn::visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.type_named(&item.ident, &item.vis);
        syn::visit::visit_item_type(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let name = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|part| part.ident.to_string()),
            _ => None,
        };
        if item.trait_.is_none()
            && let Some(name) = &name
        {
            let methods = item
                .items
                .iter()
                .filter(|part| matches!(part, syn::ImplItem::Fn(_)));
            self.methods_of.extend(methods.map(|_| name.clone()));
        }
        let outer = std::mem::replace(&mut self.inside, name);
        syn::visit::visit_item_impl(self, item);
        self.inside = outer;
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
        syn::visit::visit_trait_item_fn(self, item);
    }
}

/// The prose of a Rust file, line by line: comments and doc comments without their marks.
///
/// A line counts as a comment from the first `//` that is not inside of a string literal; block
/// comments are not used in this repository.
pub(crate) fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(number, line)| {
        let at = comment_start(line)?;
        Some((number + 1, line[at..].trim_start_matches(['/', '!'])))
    })
}

/// The code of a line, without its comment.
pub(crate) fn code(line: &str) -> &str {
    comment_start(line).map_or(line, |at| &line[..at])
}

fn comment_start(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut quoted = false;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quoted => at += 1,
            // A quotation mark as a character literal opens no string.
            b'"' if !quoted && at > 0 && bytes[at - 1] == b'\'' => {}
            b'"' => quoted = !quoted,
            b'/' if !quoted && bytes.get(at + 1) == Some(&b'/') => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}
