// MuJoCo, the library of its wheel called from C++.
//   mujoco dynamics DIR BLOCKS BLOCK_MS MODEL...    ns per call of FK, RNEA, CRBA, ABA and of a contact-free step
//   mujoco ragdoll  DIR REPEATS                     µs per step of a falling figure
//   mujoco game     DIR RUNS                        ms per 1/30 s frame of the game scene
//   mujoco batch    DIR REPEATS WORLDS...           steps per second of independent ragdolls on all cores
// DIR holds .tree files and the scenes that mjcf.py writes. The scenes are described in README.md.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <memory>
#include <thread>

#include "harness.hpp"

using Model = std::unique_ptr<mjModel, decltype(&mj_deleteModel)>;
using Data = std::unique_ptr<mjData, decltype(&mj_deleteData)>;

static Model load(const std::string& path) {
  char error[500] = "";
  Model model(mj_loadXML(path.c_str(), nullptr, error, sizeof error), mj_deleteModel);
  if (!model) throw std::runtime_error(path + ": " + error);
  model->opt.disableflags |= mjDSBL_AUTORESET;  // a blow-up shall be seen
  return model;
}

// A figure alone, without shapes. Built by calls, because MuJoCo's XML nests no deeper than 500 bodies.
static Model build(const std::string& path) {
  std::unique_ptr<mjSpec, decltype(&mj_deleteSpec)> spec(mj_makeSpec(), mj_deleteSpec);
  std::vector<mjsBody*> made;
  for (const Body& body : read_tree(path)) {
    mjsBody* parent = body.parent < 0 ? mjs_findBody(spec.get(), "world") : made[body.parent];
    mjsBody* out = mjs_addBody(parent, nullptr);
    out->mass = body.mass;
    out->explicitinertial = 1;
    std::copy(body.anchor.begin(), body.anchor.end(), out->pos);
    std::copy(body.com.begin(), body.com.end(), out->ipos);
    std::copy(body.inertia.begin(), body.inertia.end(), out->inertia);
    if (body.joint == "free") mjs_addFreeJoint(out);
    if (body.joint == "ball") mjs_addJoint(out, nullptr)->type = mjJNT_BALL;
    for (const Vec3& axis : body.axes) {
      mjsJoint* joint = mjs_addJoint(out, nullptr);
      joint->type = mjJNT_HINGE;
      std::copy(axis.begin(), axis.end(), joint->axis);
    }
    made.push_back(out);
  }
  Model model(mj_compile(spec.get(), nullptr), mj_deleteModel);
  if (!model) throw std::runtime_error(path + ": " + mjs_getError(spec.get()));
  model->opt.timestep = 0.001;
  return model;
}

static Data make_data(const Model& model) { return {mj_makeData(model.get()), mj_deleteData}; }

static const std::string VERSION = mj_versionString();

// ---------------------------------------------------------------------------------------- dynamics

static void bench_dynamics(const std::string& dir, const std::string& name, Effort effort) {
  Model model = build(dir + "/" + name + ".tree");
  mjModel* m = model.get();
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
  Data data = make_data(model);
  mjData* d = data.get();
  const int nv = m->nv;

  constexpr int STATES = 64;
  unsigned seed = 7;
  auto random = [&] {
    seed = 1664525u * seed + 1013904223u;
    return double(seed >> 8) / double(1 << 23) - 1;
  };
  using Row = std::vector<mjtNum>;
  std::vector<Row> q(STATES, Row(m->qpos0, m->qpos0 + m->nq)), v(STATES, Row(nv)), u(STATES, Row(nv));
  for (int i = 0; i < STATES; ++i) {
    Row turn(nv);
    for (int k = 0; k < nv; ++k) {
      turn[k] = 1.5 * random();
      v[i][k] = random();
      u[i][k] = 10 * random();
    }
    mj_integratePos(m, q[i].data(), turn.data(), 1);
  }
  auto place = [&](long i) { std::copy(q[i % STATES].begin(), q[i % STATES].end(), d->qpos); };
  auto move = [&](long i) {
    place(i);
    std::copy(v[i % STATES].begin(), v[i % STATES].end(), d->qvel);
  };
  Row force(nv);
  auto inverse = [&](long i) {
    move(i);
    std::copy(u[i % STATES].begin(), u[i % STATES].end(), d->qacc);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 1, force.data());
  };
  // MuJoCo has no ABA; this is its leanest forward dynamics: sparse M = LᵀDL, bias, back-substitution.
  auto forward = [&](long i) {
    move(i);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_makeM(m, d);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 0, d->qfrc_bias);
    for (int k = 0; k < nv; ++k) force[k] = u[i % STATES][k] - d->qfrc_bias[k];
    mj_solveM(m, d, d->qacc, force.data(), 1);
  };

  // The timed functions must be right: they agree with the engine's own full forward pass.
  for (int i = 0; i < STATES; ++i) {
    forward(i);
    Row lean(d->qacc, d->qacc + nv);
    std::copy(u[i].begin(), u[i].end(), d->qfrc_applied);
    mj_forward(m, d);
    for (int k = 0; k < nv; ++k)
      if (!(std::fabs(lean[k] - d->qacc[k]) <= 1e-6 * (1 + std::fabs(d->qacc[k]))))
        throw std::runtime_error(name + ": the timed forward dynamics differ from mj_forward");
  }
  mju_zero(d->qfrc_applied, nv);

  mj_resetData(m, d);
  mj_forward(m, d);
  Row mass_matrix(size_t(nv) * nv);
  mj_fullM(m, d, mass_matrix.data());
  double trace = 0;
  for (int k = 0; k < nv; ++k) trace += mass_matrix[size_t(k) * nv + k];
  char facts[96];
  std::snprintf(facts, sizeof facts, "\"nv\":%d,\"trace_of_mass_matrix\":%.12g,", nv, trace);

  auto time = [&](const char* fn, auto&& f) {
    print_line("dynamics", "MuJoCo", VERSION, name, fn, "ns", time_calls(effort, f), facts);
  };
  time("FK", [&](long i) { place(i); mj_kinematics(m, d); });
  time("RNEA", inverse);
  time("CRBA", [&](long i) { place(i); mj_kinematics(m, d); mj_comPos(m, d); mj_makeM(m, d); });
  time("ABA", forward);
  time("step", [&](long i) { move(i); mj_step(m, d); });
}

// ------------------------------------------------------------------------------------------- steps

struct Setting {
  const char* name;
  int integrator, solver, iterations;
};
static const Setting SETTINGS[] = {
    {"MuJoCo (Newton, implicitfast)", mjINT_IMPLICITFAST, mjSOL_NEWTON, 100},
    {"MuJoCo (Newton, implicit)", mjINT_IMPLICIT, mjSOL_NEWTON, 100},
    {"MuJoCo (PGS 20, implicitfast)", mjINT_IMPLICITFAST, mjSOL_PGS, 20},
};

static void apply(const Setting& setting, mjModel* m, int hz) {
  m->opt.timestep = 1.0 / hz;
  m->opt.integrator = setting.integrator;
  m->opt.solver = setting.solver;
  m->opt.iterations = setting.iterations;
}

// Bad numbers, or more kinetic energy than any of the scenes could have.
static bool is_broken(const mjModel* m, mjData* d) {
  if (d->warning[mjWARN_BADQACC].number || d->warning[mjWARN_BADQVEL].number || d->warning[mjWARN_BADQPOS].number) return true;
  mj_energyVel(m, d);
  return !(d->energy[1] < 1e5);
}

static double deepest_contact(const mjData* d) {
  double depth = 0;
  for (int i = 0; i < d->ncon; ++i) depth = std::max(depth, -double(d->contact[i].dist));
  return depth;
}

static void start_ragdoll(const mjModel* m, mjData* d, double spin_x, double spin_y) {
  mj_resetData(m, d);
  d->qvel[3] = spin_x;
  d->qvel[4] = spin_y;
}

static void bench_ragdoll(const std::string& dir, int repeats) {
  Model model = load(dir + "/ragdoll.xml");
  mjModel* m = model.get();
  Data data = make_data(model);
  mjData* d = data.get();
  for (int hz : {1000, 120})
    for (bool self : {false, true})
      for (const Setting& setting : SETTINGS) {
        apply(setting, m, hz);
        for (int g = 1; g < m->ngeom; ++g) m->geom_conaffinity[g] = self ? 3 : 2;
        for (int b = 1; b < m->nbody; ++b) m->body_conaffinity[b] = self ? 3 : 2;
        const int steps = 2 * hz;
        std::vector<double> samples;
        bool broken = false;
        for (int r = 0; r < repeats && !broken; ++r) {
          start_ragdoll(m, d, 0.2, 0.5);
          const double start = cpu_ns();
          for (int i = 0; i < steps; ++i) mj_step(m, d);
          samples.push_back((cpu_ns() - start) / steps / 1e3);
          broken = is_broken(m, d);
        }
        char facts[96];
        std::snprintf(facts, sizeof facts, "\"broken\":%d,\"penetration_mm\":%.3g,", broken, 1e3 * deepest_contact(d));
        print_line("ragdoll", setting.name, VERSION, "humanoid37",
                   std::to_string(hz) + " Hz, self-collision " + (self ? "on" : "off"), "us", samples, facts);
      }
}

// Mean angle of the ball joints from the pose their servos hold, rad.
static double pose_error(const mjModel* m, const mjData* d) {
  double sum = 0;
  int count = 0;
  for (int j = 0; j < m->njnt; ++j)
    if (m->jnt_type[j] == mjJNT_BALL) {
      sum += 2 * std::acos(std::min(1.0, std::fabs(double(d->qpos[m->jnt_qposadr[j]]))));
      ++count;
    }
  return count ? sum / count : 0;
}

static void bench_game(const std::string& dir, int runs) {
  constexpr int FRAMES = 120, LOOSE = 50, SETTLED = 90;
  Model model = load(dir + "/game_scene.xml");
  mjModel* m = model.get();
  Data data = make_data(model);
  mjData* d = data.get();
  for (const Setting& setting : SETTINGS) {
    apply(setting, m, 120);
    std::vector<double> samples;
    int broken_runs = 0;
    double depth = 0, error = 0, speed = 0;
    for (int run = 0; run < runs; ++run) {
      mj_resetData(m, d);
      mjtNum* loose = d->qvel + (m->nv - 6 * LOOSE);
      for (int k = 0; k < LOOSE && run > 0; ++k) {
        loose[6 * k] = 0.2 * std::sin(k + 7.0 * run);
        loose[6 * k + 1] = 0.2 * std::cos(3.0 * k + 5.0 * run);
      }
      std::vector<double> frames;
      double run_depth = 0, run_speed = 0;
      while (int(frames.size()) < FRAMES) {
        const double start = cpu_ns();
        for (int i = 0; i < 4; ++i) mj_step(m, d);
        frames.push_back((cpu_ns() - start) / 1e6);
        if (is_broken(m, d)) break;
        if (int(frames.size()) > SETTLED) {
          run_depth = std::max(run_depth, deepest_contact(d));
          for (int k = 0; k < LOOSE; ++k) run_speed += mju_norm3(loose + 6 * k) / LOOSE / (FRAMES - SETTLED);
        }
      }
      if (is_broken(m, d)) {
        ++broken_runs;
        continue;
      }
      samples.insert(samples.end(), frames.begin(), frames.end());
      depth = std::max(depth, run_depth);
      error += pose_error(m, d);
      speed += run_speed;
    }
    const int whole = runs - broken_runs;
    char facts[200];
    int end = std::snprintf(facts, sizeof facts, "\"runs\":%d,\"broken\":%d,", runs, broken_runs);
    if (whole > 0)
      std::snprintf(facts + end, sizeof facts - end, "\"penetration_mm\":%.3g,\"loose_speed\":%.3g,\"pose_error\":%.3g,",
                    1e3 * depth, speed / whole, error / whole);
    print_line("game", setting.name, VERSION, "game_scene", "frame", "ms", samples, facts);
  }
}

static void bench_batch(const std::string& dir, int repeats, int n_worlds) {
  constexpr int FALL = 120, STEPS = 60;
  Model model = load(dir + "/ragdoll.xml");
  mjModel* m = model.get();
  const int n_threads = std::min<int>(n_worlds, std::max(1u, std::thread::hardware_concurrency()));
  for (const Setting& setting : {SETTINGS[0], SETTINGS[1]}) {
    apply(setting, m, 120);
    std::vector<Data> worlds;
    for (int i = 0; i < n_worlds; ++i) worlds.push_back(make_data(model));
    auto advance = [&](int steps) {
      std::vector<std::thread> threads;
      for (int t = 0; t < n_threads; ++t)
        threads.emplace_back([&, t] {
          for (int i = t; i < n_worlds; i += n_threads)
            for (int s = 0; s < steps; ++s) mj_step(m, worlds[i].get());
        });
      for (std::thread& thread : threads) thread.join();
    };
    std::vector<double> samples;
    long broken = 0;
    for (int r = 0; r < repeats; ++r) {
      for (int i = 0; i < n_worlds; ++i) start_ragdoll(m, worlds[i].get(), 0.2 + 0.3 * std::sin(i), 0.5 * std::cos(0.7 * i));
      advance(FALL);  // not timed: the contact phase is what matters
      const double start = clock_ns(CLOCK_MONOTONIC);
      advance(STEPS);
      samples.push_back(double(n_worlds) * STEPS / (1e-9 * (clock_ns(CLOCK_MONOTONIC) - start)));
      broken = std::count_if(worlds.begin(), worlds.end(), [&](const Data& d) { return is_broken(m, d.get()); });
    }
    const std::string facts = "\"threads\":" + std::to_string(n_threads) + ",\"broken\":" + std::to_string(broken) + ",";
    print_line("batch", setting.name, VERSION, "humanoid37", std::to_string(n_worlds) + " worlds", "steps/s", samples, facts);
  }
}

int main(int argc, char** argv) try {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 3) throw std::runtime_error("usage: mujoco dynamics|ragdoll|game|batch DIR ...");
  const std::string &what = args[0], &dir = args[1];
  const int count = std::atoi(args[2].c_str());
  if (what == "dynamics" && args.size() > 4)
    for (size_t i = 4; i < args.size(); ++i) bench_dynamics(dir, args[i], {count, std::atof(args[3].c_str())});
  else if (what == "ragdoll")
    bench_ragdoll(dir, count);
  else if (what == "game")
    bench_game(dir, count);
  else if (what == "batch")
    for (size_t i = 3; i < args.size(); ++i) bench_batch(dir, count, std::atoi(args[i].c_str()));
  else
    throw std::runtime_error("unknown bench " + what);
} catch (const std::exception& error) {
  std::fprintf(stderr, "mujoco: %s\n", error.what());
  return 1;
}
