//@ exit: 0
//@ paths: 1 completed, 0 errors, 0 stopped
//@ why: containers of strings and of owned objects depend on no address; what the library asks about ranges does not either
#include <algorithm>
#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

struct Base {
  virtual ~Base() {}
  virtual int value() { return 1; }
};

struct Derived : Base {
  int value() override { return 2; }
};

int main() {
  std::map<std::string, int> numbers;
  for (int i = 0; i < 20; i++)
    numbers["k" + std::to_string(i * 7 % 20)] = i;
  std::vector<std::string> names;
  int sum = 0;
  for (auto &entry : numbers) {
    names.push_back(entry.first);
    sum += entry.second;
  }
  std::sort(names.begin(), names.end());
  std::reverse(names.begin(), names.end());
  std::set<int> few{3, 1, 2};
  std::unordered_map<std::string, int> hashed;
  for (auto &name : names)
    hashed[name] = 1;
  std::vector<std::unique_ptr<Base>> owned;
  owned.push_back(std::make_unique<Derived>());
  owned.emplace_back(new Base);
  for (auto &object : owned)
    sum += object->value();
  std::shared_ptr<int> first = std::make_shared<int>(3), second = first;
  std::function<int(int)> add = [&](int x) { return x + *second; };
  sum += add(1);
  std::list<std::string> list(names.begin(), names.end());
  list.sort();
  std::string text = "hello";
  text += " world, this is a long string";
  text.insert(2, "xx");
  try {
    throw 5;
  } catch (int thrown) {
    sum += thrown;
  }
  std::printf("%d %zu %s\n", sum, hashed.size(), text.c_str());
  return few.size() == 3 ? 0 : 1;
}
