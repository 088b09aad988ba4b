//! Programs in C++, without exceptions and without the out-of-line parts of its library.

use super::cxx_classes::hierarchy;
use super::draft::{Draft, INTEGERS, c};
use crate::random::Draw;

/// Parts of programs, by turns.
const PARTS: &[fn(&mut Draft)] = &[
    hierarchy,
    hierarchy,
    hierarchy,
    templates,
    variadic_templates,
    statics,
    members,
    lambdas,
    operators,
    ownership,
    placement,
    tables,
    algorithms,
    covariant,
    references,
];

const PRELUDE: &str = "\
#include <initializer_list>
#include <new>
#include <typeinfo>
#include <utility>
";

/// The program of a seed.
pub(super) fn program(seed: u64) -> String {
    let mut draft = Draft::new(seed);
    for _ in 0..draft.random.within(2, 6) {
        let part = *draft.random.pick(PARTS);
        part(&mut draft);
    }
    draft.finish(PRELUDE)
}

/// A ring of a template's type and length, with a specialisation.
fn templates(draft: &mut Draft) {
    let t = draft.fresh("Ring");
    draft.top(&c!(
        "template <class T, int N> struct $t { T items[N]; int used = 0; \
         void push(T x) { items[used++ % N] = x; } \
         template <class F> u64 fold(F f) const { u64 r = 1; \
         for (int i = 0; i < (used < N ? used : N); i++) r = f(r, items[i]); return r; } };\n\
         template <int N> struct $t<bool, N> { u64 bits = 0; int used = 0; \
         void push(bool x) { bits = bits << 1 | x; used++; } \
         template <class F> u64 fold(F f) const { return f(bits, (u64)used); } };\n\
         template <unsigned N> struct Fact$t { static constexpr u64 value = N * Fact$t<N - 1>::value; };\n\
         template <> struct Fact$t<0> { static constexpr u64 value = 1; };",
        t = t,
    ));
    for _ in 0..draft.random.within(1, 4) {
        let (e, _, _) = *draft.random.pick(&INTEGERS);
        let e = if draft.random.chance(25) { "bool" } else { e };
        let (n, k) = (draft.random.within(1, 9), draft.value());
        draft.say(&c!(
            "{ $t<$e, $n> ring; for (u64 i = 0; i < 12; i++) ring.push(($e)($k >> i)); \
             show(\"$t\", ring.fold([](u64 a, auto b) { return a * 31 + (u64)b; })); \
             show(\"factorial\", Fact$t<$n>::value); }",
            t = t,
            e = e,
            n = n,
            k = k,
        ));
    }
}

fn variadic_templates(draft: &mut Draft) {
    draft.top("#include <tuple>");
    let f = draft.fresh("fold");
    draft.top(&c!(
        "template <class... Ts> static u64 $f(Ts... all) { return ((u64)all + ... + 3); }\n\
         template <class T> static void each_$f(T x) { show(\"last\", (u64)x); }\n\
         template <class T, class... Ts> static void each_$f(T x, Ts... rest) { \
         show(\"size\", sizeof x); mix((u64)x); each_$f(rest...); }\n\
         template <class T> static constexpr T power_$f(T x, unsigned n) { \
         if constexpr (sizeof(T) == 1) return (T)(x + n); else return n ? (T)(x * power_$f(x, n - 1)) : (T)1; }",
        f = f,
    ));
    let mut arguments = Vec::new();
    for _ in 0..draft.random.within(1, 9) {
        let (t, _, _) = *draft.random.pick(&INTEGERS);
        arguments.push(format!("({t})({})", draft.value()));
    }
    let arguments = arguments.join(", ");
    let (k, n) = (draft.value(), draft.random.below(6));
    draft.say(&c!(
        "show(\"$f\", $f($a)); each_$f($a); show(\"power\", power_$f<u32>((u32)($k), $n)); \
         show(\"power\", power_$f<u8>((u8)($k), $n)); \
         { auto t = std::make_tuple($k, (u16)3, (char)'c'); show(\"tuple\", std::get<0>(t) + std::get<1>(t)); \
         auto [a, b, c] = t; show(\"bound\", a ^ b ^ (u64)c); }",
        f = f,
        a = arguments,
        k = k,
        n = n,
    ));
}

/// Static objects that speak when they come and go.
fn statics(draft: &mut Draft) {
    let t = draft.fresh("Static");
    let (k, y) = (draft.value(), draft.random.below(99));
    draft.top(&c!(
        "struct $t { u64 n; const char *name; \
         $t(u64 x, const char *s) : n(x * 5 + 1), name(s) { printf(\"comes %s %lx\\n\", name, (unsigned long)n); } \
         ~$t() { printf(\"goes %s %lx\\n\", name, (unsigned long)n); } };\n\
         static $t one_$t($k, \"one\"); $t two_$t(one_$t.n + $y, \"two\");\n\
         static $t &local_$t(u64 x) { static $t it(x, \"local\"); it.n += 2; return it; }\n\
         template <int N> struct Held$t { static inline $t held{N, \"held\"}; };\n\
         static int number_$t() { static int n = (int)(in[2] % 50); return ++n; }\n\
         static thread_local u64 mine_$t = in[4] + 1;",
        t = t,
        k = k,
        y = y,
    ));
    draft.say(&c!(
        "for (u64 i = 0; i < 3; i++) show(\"local\", local_$t(i + in[5]).n); \
         show(\"held\", Held$t<4>::held.n); show(\"number\", (u64)number_$t()); \
         show(\"number\", (u64)number_$t()); two_$t.n ^= 3; show(\"mine\", mine_$t++); show(\"mine\", mine_$t);",
        t = t,
    ));
}

/// Pointers to members: data, functions, virtual functions.
fn members(draft: &mut Draft) {
    let t = draft.fresh("Member");
    let a = draft.word(&["x".to_string(), "a".to_string()], 1);
    let b = draft.word(&["x".to_string(), "b".to_string()], 1);
    draft.top(&c!(
        "struct Left$t { u64 left = 4; virtual u64 f(u64 x) { return x + left; } };\n\
         struct $t : Left$t { u64 a, b; $t(u64 n) : a(n), b(~n) {} u64 g(u64 x) { return $a; } \
         u64 h(u64 x) const { return $b; } u64 f(u64 x) override { return x * a; } static u64 s(u64 x) { return x ^ 1; } };\n\
         struct Other$t { u64 o = 9; virtual ~Other$t() {} };\n\
         struct Both$t : Other$t, $t { Both$t() : $t(5) {} };\n\
         static u64 ($t::*choose_$t(u64 n))(u64) { return n % 2 ? &$t::g : &$t::f; }",
        t = t,
        a = a,
        b = b,
    ));
    let (k, n) = (draft.value(), draft.value());
    draft.say(&c!(
        "{ $t one($k); $t *p = &one; u64 $t::*field = $n % 2 ? &$t::a : &$t::b; show(\"field\", one.*field); \
         u64 $t::*none = nullptr; show(\"none\", none == nullptr); show(\"equal\", field == &$t::a); \
         for (u64 i = 0; i < 3; i++) show(\"call\", (p->*choose_$t(i))($n)); \
         u64 ($t::*constant)(u64) const = &$t::h; show(\"constant\", (one.*constant)(2)); \
         Both$t both; u64 (Both$t::*wide)(u64) = choose_$t($n); show(\"wide\", (both.*wide)(6)); \
         u64 Both$t::*at = field; both.*at += 1; show(\"at\", both.a ^ both.b); \
         u64 (*plain)(u64) = &$t::s; show(\"plain\", plain(8)); }",
        t = t,
        k = k,
        n = n,
    ));
}

fn lambdas(draft: &mut Draft) {
    let f = draft.fresh("apply");
    draft.top(&c!(
        "template <class F> __attribute__((noinline)) static u64 $f(F &&f, u64 n) { u64 r = 0; \
         for (u64 i = 0; i < n; i++) r = r * 3 + f(i); return r; }\n\
         static u64 plain_$f(u64 (*f)(u64), u64 x) { return f(x) + f(x + 1); }",
        f = f,
    ));
    let (k, n) = (draft.value(), draft.below(12));
    let body = draft.word(&["x".to_string(), "k".to_string()], 2);
    draft.say(&c!(
        "{ u64 k = $k, calls = 0; show(\"$f\", $f([k, &calls](u64 x) { calls++; return $body; }, $n)); \
         show(\"calls\", calls); show(\"plain\", plain_$f([](u64 x) { return x * x; }, k)); \
         auto counter = [n = k]() mutable { return n += 2; }; counter(); show(\"counter\", counter()); \
         auto generic = [&](auto a, auto b) { return (u64)a + sizeof b + k; }; \
         show(\"generic\", generic((u8)k, 1.5) + generic(k, 'c')); \
         auto nested = [&](u64 a) { return [=, &calls](u64 b) { calls += a; return a * b + k; }; }; \
         show(\"nested\", nested(3)(4)); show(\"calls\", calls); }",
        f = f,
        k = k,
        n = n,
        body = body,
    ));
}

/// A number class with operators, copied and moved.
fn operators(draft: &mut Draft) {
    let t = draft.fresh("Number");
    draft.top(&c!(
        "class $t { u32 parts[4] = {0, 0, 0, 0}; public: $t() = default; \
         $t(u64 n) { parts[0] = (u32)n; parts[1] = (u32)(n >> 32); } \
         $t operator+(const $t &o) const { $t r; u64 carry = 0; for (int i = 0; i < 4; i++) { \
         carry += (u64)parts[i] + o.parts[i]; r.parts[i] = (u32)carry; carry >>= 32; } return r; } \
         $t operator*(u32 n) const { $t r; u64 carry = 0; for (int i = 0; i < 4; i++) { \
         carry += (u64)parts[i] * n; r.parts[i] = (u32)carry; carry >>= 32; } return r; } \
         $t &operator+=(const $t &o) { return *this = *this + o; } \
         $t operator<<(unsigned n) const { $t r = *this; while (n--) r += r; return r; } \
         bool operator==(const $t &o) const { return !memcmp(parts, o.parts, sizeof parts); } \
         bool operator<(const $t &o) const { for (int i = 3; i >= 0; i--) \
         if (parts[i] != o.parts[i]) return parts[i] < o.parts[i]; return false; } \
         u32 operator[](int i) const { return parts[i]; } u32 &operator[](int i) { return parts[i]; } \
         explicit operator bool() const { return parts[0] | parts[1] | parts[2] | parts[3]; } \
         u64 operator()() const { return parts[0] ^ (u64)parts[3] << 32; } \
         $t &operator++() { return *this += $t(1); } $t operator++(int) { $t r = *this; ++*this; return r; } \
         friend $t operator-(const $t &a) { $t r; for (int i = 0; i < 4; i++) r[i] = ~a[i]; return ++r; } };\n\
         static u64 operator\"\" _twice(unsigned long long n) { return 2 * n; }",
        t = t,
    ).replace("_twice", &format!("_twice{t}")));
    let (k, l, n) = (draft.value(), draft.value(), draft.below(70));
    draft.say(&c!(
        "{ $t a($k), b = $l; a += b; b = (a << (unsigned)$n) + b * (u32)$k; bytes(\"a\", &a, 16); bytes(\"b\", &b, 16); \
         show(\"order\", (a < b) | (a == b) << 1 | !a << 2); $t c = b++; $t d = -c + $t(in[1]); d[2] ^= 5; \
         bytes(\"d\", &d, 16); show(\"call\", d()); show(\"twice\", 21_twice$t); }",
        t = t,
        k = k,
        l = l,
        n = n,
    ));
}

/// Owners of memory: copies, moves, guards that act at the end of a scope.
fn ownership(draft: &mut Draft) {
    draft.top("#include <memory>");
    let t = draft.fresh("Owner");
    draft.top(&c!(
        "class $t { u8 *data; size_t n; public: static int alive; \
         explicit $t(size_t m) : data(new u8[m]), n(m) { memset(data, (int)m, m); alive++; } \
         $t(const $t &o) : data(new u8[o.n]), n(o.n) { memcpy(data, o.data, n); alive++; puts(\"copy\"); } \
         $t($t &&o) noexcept : data(o.data), n(o.n) { o.data = nullptr; o.n = 0; alive++; puts(\"move\"); } \
         $t &operator=($t o) { std::swap(data, o.data); std::swap(n, o.n); return *this; } \
         ~$t() { alive--; delete[] data; } u64 total() const { u64 r = n; for (size_t i = 0; i < n; i++) r = r * 3 + data[i]; return r; } };\n\
         int $t::alive = 0;\n\
         struct Guard$t { u64 &n; ~Guard$t() { n = n * 2 + 1; printf(\"guard %lx\\n\", (unsigned long)n); } };\n\
         static $t make_$t(size_t n) { $t r(n); return r; }\n\
         __attribute__((noinline)) static u64 early_$t(u64 x) { u64 n = x; { Guard$t g{n}; if (x & 1) return n; \
         for (int i = 0; i < 5; i++) { Guard$t h{n}; if (n % 5 == 2) break; if (n & 4) continue; n++; } } return n; }",
        t = t,
    ));
    let (k, n) = (draft.value(), draft.random.within(1, 40));
    draft.say(&c!(
        "{ $t a($n), b = a, c = std::move(a), d = make_$t(3); b = c; c = make_$t($n + 1); a = std::move(d); \
         show(\"totals\", a.total() ^ b.total() * c.total()); show(\"alive\", (u64)$t::alive); \
         std::unique_ptr<$t> p(new $t(5)), q = std::move(p); show(\"moved\", !p); show(\"held\", q->total()); \
         auto many = std::make_unique<u64[]>(4); many[2] = $k; show(\"many\", many[2] + many[3]); } \
         show(\"alive\", (u64)$t::alive); show(\"early\", early_$t($k)); show(\"early\", early_$t(4));",
        t = t,
        k = k,
        n = n,
    ));
}

/// Objects made in memory that is there already.
fn placement(draft: &mut Draft) {
    let t = draft.fresh("Placed");
    draft.top(&c!(
        "struct alignas(16) $t { u64 n; char c; $t(u64 x) : n(x), c('a') {} virtual ~$t() { show(\"gone\", n); } \
         virtual u64 get() const { return n; } void *operator new(size_t s, int) { puts(\"own new\"); return aligned_alloc(16, s); } \
         void *operator new(size_t, void *p) { return p; } void operator delete(void *p) { puts(\"own delete\"); free(p); } };\n\
         struct More$t final : $t { u32 extra[3]; More$t(u64 x) : $t(x + 1), extra{1, 2, (u32)x} {} \
         u64 get() const override { return n * extra[2]; } };",
        t = t,
    ));
    let k = draft.value();
    draft.say(&c!(
        "{ alignas(16) u8 room[2 * sizeof(More$t)]; $t *p = new (room) $t($k); $t *q = new (room + sizeof(More$t)) More$t($k); \
         show(\"p\", p->get()); show(\"q\", q->get()); q->~$t(); p->~$t(); p = new (room) More$t(3); show(\"p\", p->get()); p->~$t(); \
         $t *r = new (1) More$t(in[6]); show(\"r\", r->get()); delete r; show(\"size\", sizeof(More$t) + alignof($t)); }",
        t = t,
        k = k,
    ));
}

/// Tables computed by the compiler.
fn tables(draft: &mut Draft) {
    draft.top("#include <array>");
    let t = draft.fresh("table");
    let (k, p) = (draft.value(), draft.random.next() as u32 | 1);
    draft.top(&c!(
        "struct Made$t { u32 all[256]; constexpr Made$t() : all() { for (u32 i = 0; i < 256; i++) { u32 c = i; \
         for (int j = 0; j < 8; j++) c = c & 1 ? $p ^ (c >> 1) : c >> 1; all[i] = c; } } };\n\
         static constexpr Made$t $t; enum class Color$t : u8 { red = 3, green, blue = 250 };\n\
         static constexpr std::array<std::pair<Color$t, const char *>, 3> names_$t{{{Color$t::red, \"red\"}, \
         {Color$t::green, \"green\"}, {Color$t::blue, \"blue\"}}};\n\
         static_assert($t.all[0] == 0, \"\");",
        t = t,
        p = format!("{p:#x}u"),
    ));
    draft.say(&c!(
        "{ u32 c = ~0u; for (u64 i = 0, x = $k; i < 8; i++, x >>= 8) c = $t.all[(c ^ x) & 255] ^ (c >> 8); \
         show(\"$t\", c); for (const auto &[color, name] : names_$t) { puts(name); show(\"color\", (u64)color); } }",
        t = t,
        k = k,
    ));
}

fn algorithms(draft: &mut Draft) {
    draft.top("#include <algorithm>\n#include <array>\n#include <vector>");
    let (n, k) = (draft.random.within(2, 60), draft.value());
    let (t, _, _) = *draft.random.pick(&INTEGERS);
    let order = *draft.random.pick(&["<", ">"]);
    draft.say(&c!(
        "{ std::array<$t, $n> a; u64 x = $k; for (auto &e : a) { x = x * 6364136223846793005ull + 7; e = ($t)(x >> 29); } \
         std::sort(a.begin(), a.end(), [](auto p, auto q) { return p $order q; }); bytes(\"sorted\", a.data(), sizeof a); \
         std::reverse(a.begin(), a.end()); std::rotate(a.begin(), a.begin() + $n / 2, a.end()); \
         show(\"max\", (u64)*std::max_element(a.begin(), a.end())); \
         show(\"count\", (u64)std::count_if(a.begin(), a.end(), [](auto p) { return p & 1; })); \
         std::vector<$t> v(a.begin(), a.end()); v.push_back(3); v.insert(v.begin() + 1, ($t)9); v.erase(v.begin()); \
         std::stable_sort(v.begin(), v.end()); v.erase(std::unique(v.begin(), v.end()), v.end()); \
         for (auto e : v) mix((u64)e); show(\"vector\", v.size() ^ sum); \
         std::pair<u64, $t> p{x, a[0]}; std::swap(a[0], a[$n - 1]); show(\"pair\", p.first + (u64)p.second + (u64)a[0]); }",
        n = n,
        k = k,
        t = t,
        order = order,
    ));
}

/// Results of virtual functions that are narrower in derived classes, which needs thunks.
fn covariant(draft: &mut Draft) {
    let t = draft.fresh("Shape");
    draft.top(&c!(
        "struct Root$t { u64 id; Root$t(u64 n) : id(n) {} virtual Root$t *clone() const = 0; virtual u64 area() const = 0; virtual ~Root$t() {} };\n\
         struct Named$t { const char *name; Named$t(const char *s) : name(s) {} virtual void speak() const { puts(name); } virtual ~Named$t() {} };\n\
         struct Box$t : Named$t, virtual Root$t { u64 side; Box$t(u64 n) : Named$t(\"box\"), Root$t(n), side(n % 100) {} \
         Box$t *clone() const override { return new Box$t(*this); } u64 area() const override { return side * side; } };\n\
         struct Cube$t : Box$t { Cube$t(u64 n) : Root$t(n + 1), Box$t(n) { name = \"cube\"; } \
         Cube$t *clone() const override { auto *r = new Cube$t(*this); r->side++; return r; } \
         u64 area() const override { return 6 * Box$t::area(); } void speak() const override { printf(\"<%s>\\n\", name); } };",
        t = t,
    ));
    let k = draft.value();
    draft.say(&c!(
        "{ Root$t *all[3] = {new Box$t($k), new Cube$t($k), nullptr}; all[2] = all[$k % 2]->clone(); \
         for (Root$t *r : all) { show(\"area\", r->area()); show(\"id\", r->id); \
         if (auto *n = dynamic_cast<Named$t *>(r)) n->speak(); Root$t *c = r->clone(); show(\"clone\", c->area()); delete c; } \
         for (Root$t *r : all) delete r; }",
        t = t,
        k = k,
    ));
}

fn references(draft: &mut Draft) {
    let f = draft.fresh("ref");
    draft.top(&c!(
        "static u64 $f(const u64 &) { return 1; } static u64 $f(u64 &&x) { x += 4; return x; }\n\
         template <class T> static u64 forward_$f(T &&x) { return $f(std::forward<T>(x)); }\n\
         static u64 &pick_$f(u64 &a, u64 &b) { return in[7] & 1 ? a : b; }\n\
         static u64 total_$f(std::initializer_list<u32> all) { u64 r = 0; for (u32 x : all) r = r * 7 + x; return r; }\n\
         namespace space_$f { inline namespace deep { enum { hidden = 5 }; } static u64 value(int = 3, u64 k = in[8]) { return k + hidden; } }",
        f = f,
    ));
    let (k, l) = (draft.value(), draft.value());
    draft.say(&c!(
        "{ u64 a = $k, b = $l; show(\"forward\", forward_$f(a) * 100 + forward_$f(a + 1)); pick_$f(a, b) ^= 0xff; \
         u64 (&all)[2] = *(u64 (*)[2])new u64[2]{a, b}; for (u64 &x : all) x *= 3; show(\"all\", all[0] ^ all[1]); delete[] &all[0]; \
         show(\"total\", total_$f({1, (u32)a, 3})); show(\"space\", space_$f::value()); \
         const u64 &longer = a + b; show(\"longer\", longer); if (u64 c = a & 7; c > 3) show(\"c\", c); else show(\"else\", c + 1); }",
        f = f,
        k = k,
        l = l,
    ));
}
