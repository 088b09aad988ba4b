//! Random hierarchies of classes, with virtual bases, and walks over their objects.
//!
//! A class overrides the virtual functions of all its ancestors, so that no call is ambiguous; and
//! no direct base of a class is an ancestor of another, so that each can be reached.

use super::draft::{Draft, c};
use crate::random::Draw;

/// A class in the making: its direct bases (and whether they are virtual) and all its ancestors.
struct Class {
    bases: Vec<(usize, bool)>,
    ancestors: Vec<bool>,
}

/// Declares a hierarchy and uses its objects.
pub(super) fn hierarchy(draft: &mut Draft) {
    let tag = draft.fresh("H");
    let count = draft.random.within(2, 8) as usize;
    let mut classes: Vec<Class> = Vec::new();
    for i in 0..count {
        let class = pick_bases(draft, &classes, i, count);
        declare(draft, &tag, &classes, &class, i);
        classes.push(class);
    }
    for i in 0..count {
        walk(draft, &tag, &classes, i);
    }
    for i in 0..count {
        objects(draft, &tag, &classes, i);
    }
}

fn pick_bases(draft: &mut Draft, classes: &[Class], i: usize, count: usize) -> Class {
    let mut bases: Vec<(usize, bool)> = Vec::new();
    let wanted = if i == 0 { 0 } else { draft.random.below(4) };
    for _ in 0..wanted {
        let base = draft.random.below(i);
        let apart = bases.iter().all(|&(other, _)| {
            other != base && !classes[other].ancestors[base] && !classes[base].ancestors[other]
        });
        if apart {
            let is_virtual = draft.random.chance(40);
            bases.push((base, is_virtual));
        }
    }
    let mut ancestors = vec![false; count];
    for &(base, _) in &bases {
        ancestors[base] = true;
        for (j, is) in classes[base].ancestors.iter().enumerate() {
            ancestors[j] |= *is;
        }
    }
    Class { bases, ancestors }
}

fn declare(draft: &mut Draft, tag: &str, classes: &[Class], class: &Class, i: usize) {
    let name = format!("{tag}_{i}");
    let bases: Vec<String> = class
        .bases
        .iter()
        .map(|(b, is)| format!("{}{tag}_{b}", if *is { "virtual " } else { "" }))
        .collect();
    let bases = match bases.is_empty() {
        true => String::new(),
        false => format!(" : {}", bases.join(", ")),
    };
    let inits: String = class
        .bases
        .iter()
        .map(|(b, _)| format!("{tag}_{b}(n + {b}), "))
        .collect();
    let mut functions = String::new();
    for (j, is) in class.ancestors.iter().enumerate() {
        if !*is {
            continue;
        }
        // A direct base that has the function, to pass the call on to.
        let upward = class
            .bases
            .iter()
            .find(|(b, _)| *b == j || classes[*b].ancestors[j])
            .filter(|_| draft.random.chance(50))
            .map(|(b, _)| format!(" + {tag}_{b}::v{j}(x + 1)"));
        let value = draft.word(&["x".to_string(), format!("d{i}")], 1);
        functions.push_str(&c!(
            "u64 v$j(u64 x) override { return $value$up; }\n",
            j = j,
            value = value,
            up = upward.unwrap_or_default(),
        ));
    }
    let field = *draft.random.pick(&["u64", "u32", "u8", "i16"]);
    let silent = draft.random.chance(30);
    let say = |what: &str| match silent {
        true => String::new(),
        false => format!("show(\"{what} {name}\", (u64)d{i});"),
    };
    let value = draft.word(&["x".to_string(), format!("d{i}")], 2);
    draft.top(&c!(
        "struct $name$bases {\n$field d$i;\n\
         $name(u64 n = 7) : $inits d$i(($field)(n * 3)) { $made }\n\
         virtual ~$name() { $gone }\n$functions\n\
         virtual u64 v$i(u64 x) { return $value; }\n};",
        name = name,
        bases = bases,
        field = field,
        i = i,
        inits = inits,
        made = say("made"),
        gone = say("gone"),
        functions = functions,
        value = value,
    ));
}

/// A function that looks at an object through a pointer to a class, and through those to its bases.
fn walk(draft: &mut Draft, tag: &str, classes: &[Class], i: usize) {
    let class = &classes[i];
    let mut body = c!(
        "show(\"v$i\", p->v$i($v)); show(\"d$i\", (u64)p->d$i);\n\
         show(\"offset\", (u64)((char *)p - (char *)dynamic_cast<void *>(p)));\n\
         printf(\"%s\\n\", typeid(*p).name());\n",
        i = i,
        v = draft.value(),
    );
    for (j, is) in class.ancestors.iter().enumerate() {
        if *is || j == i {
            continue;
        }
        body.push_str(&c!(
            "if ($tag_$j *q = dynamic_cast<$tag_$j *>(p)) show(\"cast $i $j\", q->v$j(2));\n\
             show(\"type\", typeid(*p) == typeid($tag_$j));\n",
            tag = tag,
            i = i,
            j = j,
        ));
    }
    for (base, _) in &class.bases {
        body.push_str(&format!("walk(({tag}_{base} *)p);\n"));
    }
    draft.top(&c!(
        "static void walk($tag_$i *p) {\n$body}",
        tag = tag,
        i = i,
        body = body,
    ));
}

fn objects(draft: &mut Draft, tag: &str, classes: &[Class], i: usize) {
    let (name, value) = (format!("{tag}_{i}"), draft.value());
    match draft.random.below(4) {
        0 => draft.say(&format!("{{ {name} one({value}); walk(&one); }}")),
        1 => {
            // Deleted through a pointer to some ancestor.
            let mut step = i;
            let mut cast = format!("({name} *)made");
            while let Some(&(base, _)) = classes[step].bases.first() {
                if draft.random.chance(30) {
                    break;
                }
                cast = format!("({tag}_{base} *){cast}");
                step = base;
            }
            draft.say(&c!(
                "{ $name *volatile made = new $name($value); walk(made); delete $cast; }",
                name = name,
                value = value,
                cast = cast,
            ));
        }
        2 => draft.say(&c!(
            "{ $name *all = new $name[3]; walk(&all[1]); show(\"v\", all[2].v$i(4)); delete[] all; }",
            name = name,
            i = i,
        )),
        _ => {
            let object = format!("object_{name}");
            draft.top(&format!("static {name} {object}(in[3]);"));
            draft.say(&c!(
                "{ walk(&$object); $name copy = $object; copy.d$i = 1; walk(&copy); \
                 u64 ($name::*call)(u64) = &$name::v$i; show(\"member\", ($object.*call)(9)); }",
                object = object,
                name = name,
                i = i,
            ));
        }
    }
}
