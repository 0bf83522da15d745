// Pinocchio, compiled here from the headers of its wheel: ns per call of FK, RNEA, CRBA and ABA.
//   pinocchio TREES BLOCKS BLOCK_MS MODEL...
// Joints are Pinocchio's own: free flyer, spherical, universal, revolute about a coordinate axis. ABA and CRBA
// are timed in both of its conventions; the report takes whichever is faster.
#include <pinocchio/multibody.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <cmath>
#include <exception>

#include "harness.hpp"

namespace pin = pinocchio;
using Eigen::Vector3d;
using Eigen::VectorXd;

static Vector3d eigen(const Vec3& v) { return {v[0], v[1], v[2]}; }

static pin::JointIndex add_joint(pin::Model& model, const Body& body, pin::JointIndex parent, const pin::SE3& placement) {
  if (body.joint == "free") return model.addJoint(parent, pin::JointModelFreeFlyer(), placement, body.name);
  if (body.joint == "ball") return model.addJoint(parent, pin::JointModelSpherical(), placement, body.name);
  if (body.axes.size() == 2)
    return model.addJoint(parent, pin::JointModelUniversal(eigen(body.axes[0]), eigen(body.axes[1])), placement, body.name);
  if (body.joint != "hinge" || body.axes.size() != 1) throw std::runtime_error(body.name + ": joint not supported");
  const Vector3d axis = eigen(body.axes[0]);
  if (axis == Vector3d::UnitX()) return model.addJoint(parent, pin::JointModelRX(), placement, body.name);
  if (axis == Vector3d::UnitY()) return model.addJoint(parent, pin::JointModelRY(), placement, body.name);
  if (axis == Vector3d::UnitZ()) return model.addJoint(parent, pin::JointModelRZ(), placement, body.name);
  return model.addJoint(parent, pin::JointModelRevoluteUnaligned(axis), placement, body.name);
}

static pin::Model build(const std::vector<Body>& bodies) {
  pin::Model model;
  std::vector<pin::JointIndex> joints;
  for (const Body& body : bodies) {
    pin::SE3 placement = pin::SE3::Identity();
    if (body.joint != "free") placement.translation() = eigen(body.anchor);
    const pin::JointIndex joint = add_joint(model, body, body.parent < 0 ? 0 : joints[body.parent], placement);
    const Eigen::Matrix3d inertia = eigen(body.inertia).asDiagonal();
    model.appendBodyToJoint(joint, pin::Inertia(body.mass, eigen(body.com), inertia), pin::SE3::Identity());
    joints.push_back(joint);
  }
  return model;
}

static void bench(const std::string& trees, const std::string& name, Effort effort) {
  const pin::Model model = build(read_tree(trees + "/" + name + ".tree"));
  pin::Data data(model);

  // A ring of random states, so that no branch or cache line is ever right by habit.
  constexpr int STATES = 64;
  std::vector<VectorXd> q, v, u;
  std::srand(7);
  for (int i = 0; i < STATES; ++i) {
    const VectorXd limit = VectorXd::Constant(model.nq, 1.5);
    q.push_back(pin::randomConfiguration(model, -limit, limit));
    v.push_back(VectorXd::Random(model.nv));
    u.push_back(10 * VectorXd::Random(model.nv));
  }

  // The timed functions must be right: ABA inverts RNEA, and M of both conventions agrees.
  for (int i = 0; i < STATES; ++i) {
    const VectorXd tau = pin::rnea(model, data, q[i], v[i], u[i]);
    for (auto convention : {pin::Convention::WORLD, pin::Convention::LOCAL}) {
      const VectorXd a = pin::aba(model, data, q[i], v[i], tau, convention);
      if (!((a - u[i]).norm() < 1e-4 * u[i].norm())) throw std::runtime_error(name + ": ABA does not invert RNEA");
    }
  }
  pin::crba(model, data, pin::neutral(model), pin::Convention::WORLD);
  char facts[96];
  std::snprintf(facts, sizeof facts, "\"nv\":%d,\"trace_of_mass_matrix\":%.12g,", model.nv, data.M.trace());

#ifdef __clang__
  const std::string engine = "Pinocchio";
#else
  const std::string engine = "Pinocchio (g++)";
#endif
  auto time = [&](const char* fn, auto&& f) {
    print_line("dynamics", engine, PINOCCHIO_VERSION, name, fn, "ns", time_calls(effort, f), facts);
  };
  time("FK", [&](long i) { pin::forwardKinematics(model, data, q[i % STATES]); });
  time("RNEA", [&](long i) { pin::rnea(model, data, q[i % STATES], v[i % STATES], u[i % STATES]); });
  time("CRBA", [&](long i) { pin::crba(model, data, q[i % STATES], pin::Convention::WORLD); });
  time("CRBA/local", [&](long i) { pin::crba(model, data, q[i % STATES], pin::Convention::LOCAL); });
  time("ABA", [&](long i) { pin::aba(model, data, q[i % STATES], v[i % STATES], u[i % STATES], pin::Convention::WORLD); });
  time("ABA/local", [&](long i) { pin::aba(model, data, q[i % STATES], v[i % STATES], u[i % STATES], pin::Convention::LOCAL); });
}

int main(int argc, char** argv) try {
  if (argc < 5) throw std::runtime_error("usage: pinocchio TREES BLOCKS BLOCK_MS MODEL...");
  for (int i = 4; i < argc; ++i) bench(argv[1], argv[i], {std::atoi(argv[2]), std::atof(argv[3])});
} catch (const std::exception& error) {
  std::fprintf(stderr, "pinocchio: %s\n", error.what());
  return 1;
}
