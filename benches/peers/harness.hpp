// What the C++ peers share: the .tree reader, the clock and the JSON lines.
//
// A .tree file has one body per line, parents first, z up, SI:
//   body ID NAME PARENT  px py pz  mass  cx cy cz  Ixx Iyy Izz  kp kd damping
//        joint free | ball | hinge K ax ay az ...   geom SHAPE ...
// p is the joint anchor (= body origin) in the parent's frame, c the centre of mass, I the principal
// inertia about it in body axes.
#pragma once
#include <ctime>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Vec3 = std::array<double, 3>;

struct Body {
  std::string name, joint;
  int parent = -1;
  Vec3 anchor{}, com{}, inertia{};
  double mass = 0;
  std::vector<Vec3> axes;  // of a hinge joint
};

inline std::istream& operator>>(std::istream& in, Vec3& v) { return in >> v[0] >> v[1] >> v[2]; }

inline std::vector<Body> read_tree(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<Body> bodies;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string word, joint;
    int id = 0, n_axes = 0;
    double servo = 0;
    if (!(in >> word) || word != "body") continue;
    Body body;
    in >> id >> body.name >> body.parent >> body.anchor >> body.mass >> body.com >> body.inertia;
    in >> servo >> servo >> servo >> word >> body.joint;
    if (body.joint == "hinge") {
      in >> n_axes;
      body.axes.resize(n_axes);
      for (Vec3& axis : body.axes) in >> axis;
    }
    if (!in || word != "joint" || body.parent >= int(bodies.size()))
      throw std::runtime_error(path + ": body " + std::to_string(bodies.size()) + " is malformed");
    bodies.push_back(body);
  }
  if (bodies.empty()) throw std::runtime_error(path + ": no bodies");
  return bodies;
}

inline double clock_ns(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
}

// CPU time of the calling thread: time that other processes take does not count.
inline double cpu_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

// How long to measure: `blocks` samples, each of at least `block_ms`.
struct Effort {
  int blocks;
  double block_ms;
};

// ns per call of f(i), one figure per block. The growing warm-up finds how many calls make a block.
template <class F>
std::vector<double> time_calls(Effort effort, F&& f) {
  const double wanted = 1e6 * effort.block_ms;
  auto run = [&](long calls) {
    const double start = cpu_ns();
    for (long i = 0; i < calls; ++i) f(i);
    return cpu_ns() - start;
  };
  long calls = 4;
  for (double took = run(calls); took < wanted; took = run(calls)) {
    const double growth = took > 0.1 * wanted ? 1.1 * wanted / took : 8;
    calls = long(double(calls) * growth) + 1;
  }
  std::vector<double> samples;
  for (int b = 0; b < effort.blocks; ++b) samples.push_back(run(calls) / double(calls));
  return samples;
}

// One line for measure.py. `facts` are further JSON members, each ending in a comma.
inline void print_line(const char* bench, const std::string& engine, const std::string& version,
                       const std::string& model, const std::string& fn, const char* unit,
                       const std::vector<double>& samples, const std::string& facts = "") {
  std::printf("{\"bench\":\"%s\",\"engine\":\"%s\",\"version\":\"%s\",\"model\":\"%s\",\"fn\":\"%s\",\"unit\":\"%s\",%s\"samples\":[",
              bench, engine.c_str(), version.c_str(), model.c_str(), fn.c_str(), unit, facts.c_str());
  for (size_t i = 0; i < samples.size(); ++i) std::printf("%s%.7g", i ? "," : "", samples[i]);
  std::puts("]}");
  std::fflush(stdout);
}
