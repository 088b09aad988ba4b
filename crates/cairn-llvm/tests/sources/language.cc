// Most of the C++ language short of exceptions that are thrown, to be lowered completely.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace shapes {

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
    virtual const char *name() const { return "shape"; }
};

struct Tagged {
    int tag = 7;
    virtual int mark() { return tag; }
    virtual ~Tagged() = default;
};

struct Square final : Shape, virtual Tagged {
    explicit Square(double side) : side(side) {}
    double area() const override { return side * side; }
    int mark() override { return static_cast<int>(side); }
    double side;
};

struct Circle : Shape {
    explicit Circle(double radius) : radius(radius) {}
    double area() const override { return 3.14159 * radius * radius; }
    const char *name() const override { return "circle"; }
    double radius;
};

} // namespace shapes

template <typename T, int N> struct Ring {
    std::array<T, N> items{};
    int next = 0;
    void push(T item) {
        items[next] = item;
        next = (next + 1) % N;
    }
    T sum() const { return std::accumulate(items.begin(), items.end(), T{}); }
};

static std::string greeting = "hello";
static thread_local std::vector<int> scratch;

static int sum_of(const std::vector<std::unique_ptr<shapes::Shape>> &all) {
    double total = 0;
    for (const auto &shape : all) {
        total += shape->area();
        if (auto *square = dynamic_cast<shapes::Square *>(shape.get())) total += square->mark();
    }
    return static_cast<int>(total);
}

static int with_members(int (shapes::Tagged::*method)(), shapes::Tagged &object) {
    return (object.*method)();
}

int main(int argc, char **argv) {
    std::vector<std::unique_ptr<shapes::Shape>> all;
    all.push_back(std::make_unique<shapes::Square>(argc));
    all.push_back(std::make_unique<shapes::Circle>(2.0));
    Ring<long, 5> ring;
    for (int i = 0; i < argc * 3; i++) ring.push(i);
    std::map<std::string, int> counts;
    std::unordered_map<int, std::string> names;
    for (int i = 0; i < argc; i++) {
        counts[argv[i]]++;
        names.emplace(i, std::to_string(i) + greeting);
    }
    std::function<int(int)> twice = [argc](int x) { return x * 2 + argc; };
    std::optional<int> maybe = argc > 2 ? std::optional<int>(3) : std::nullopt;
    std::variant<int, double, std::string> either = 2.5;
    if (argc > 3) either = std::string("text");
    scratch.assign(argv[0], argv[0] + argc);
    std::sort(scratch.begin(), scratch.end(), std::greater<>());
    shapes::Square square(3);
    int result = sum_of(all) + static_cast<int>(ring.sum()) + twice(4) + maybe.value_or(1);
    result += with_members(&shapes::Tagged::mark, square) + static_cast<int>(counts.size());
    result += static_cast<int>(either.index()) + static_cast<int>(names.size());
    return result & 127;
}
