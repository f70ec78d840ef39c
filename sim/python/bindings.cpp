#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <optional>
#include <utility>

#include "sim/api/tcsim.hpp"

// The module `_tcsim`: libtcsim for the package `tcsim` (sim/python/tcsim), which defines the
// public interface. `_tcsim.pyi` lists its content.

namespace py = pybind11;

namespace tcsim::python {
namespace {

using Fields = Request::Fields;

Request request_of(const Fields& fields) {
  Request request(fields.at("workload").front(), fields.at("machine").front());
  for (const auto& [name, texts] : fields) {
    const bool is_taken = name == "workload" || name == "machine";
    for (std::size_t i = is_taken ? 1 : 0; i < texts.size(); ++i) request.set(name, texts[i]);
  }
  return request;
}

/// Lets Python receive signals and progress while a simulation runs without the interpreter's lock.
/// An exception from Python ends the simulation, and `rethrow` raises it again.
class Watch {
 public:
  explicit Watch(py::object progress) : progress_(std::move(progress)) {}

  Listener listener() {
    return {[this](const std::string& note) { notes.push_back(note); },
            [this](const Progress& now) { return goes_on(now); }};
  }

  void rethrow() {
    if (raised_) throw std::move(*raised_);
  }

  std::vector<std::string> notes;

 private:
  using Clock = std::chrono::steady_clock;

  bool goes_on(const Progress& now) {
    constexpr auto kPause = std::chrono::milliseconds(50);
    if (Clock::now() - asked_ < kPause && now.steps_done == steps_told_) return true;
    steps_told_ = now.steps_done;
    const py::gil_scoped_acquire lock;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress_.is_none()) {
        const py::object answer = progress_(now);
        asked_ = Clock::now();
        const int truth = PyObject_IsTrue(answer.ptr());
        if (truth < 0) throw py::error_already_set();
        return answer.is_none() || truth != 0;
      }
    } catch (py::error_already_set& error) {
      raised_.emplace(std::move(error));
      return false;
    }
    asked_ = Clock::now();
    return true;
  }

  py::object progress_;
  Clock::time_point asked_ = Clock::now();
  std::int64_t steps_told_ = 0;
  std::optional<py::error_already_set> raised_;
};

py::dict simulate_fields(const Fields& fields, const py::object& progress) {
  const Request request = request_of(fields);
  Watch watch(progress);
  Result result;
  {
    const py::gil_scoped_release unlocked;
    result = simulate(request, watch.listener());
  }
  watch.rethrow();
  py::list tensors;
  for (const Tensor& tensor : result.tensors)
    tensors.append(py::make_tuple(tensor.name, tensor.dtype, py::bytes(tensor.npy)));
  return py::dict(py::arg("complete") = result.complete, py::arg("stopped_by") = result.stopped_by,
                  py::arg("text") = result.text, py::arg("json") = result.json,
                  py::arg("stats_json") = result.stats_json, py::arg("tensors") = tensors,
                  py::arg("notes") = watch.notes);
}

void raise(const char* kind, const std::string& text, const py::list& mistakes) {
  const py::object type = py::module_::import("tcsim._errors").attr(kind);
  const py::object error = type(text, mistakes);
  PyErr_SetObject(type.ptr(), error.ptr());
}

/// Translates the errors of libtcsim to those of tcsim._errors.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(std::move(thrown));
  } catch (const UsageError& error) {
    py::list mistakes;
    for (const Mistake& one : mistakes_of(error))
      mistakes.append(py::make_tuple(one.place, one.line, one.column, one.key, one.reason));
    raise("UsageError", error.what(), mistakes);
  } catch (const NotCovered& error) {
    raise("NotCovered", error.what(), py::list());
  } catch (const IoError& error) {
    raise("IoError", error.what(), py::list());
  } catch (const InternalError& error) {
    raise("InternalError", error.what(), py::list());
  }
}

}  // namespace

PYBIND11_MODULE(_tcsim, module) {
  py::register_exception_translator(translate);
  py::class_<Progress>(module, "Progress")
      .def_readonly("cycle", &Progress::cycle)
      .def_readonly("ctas_done", &Progress::ctas_done)
      .def_readonly("ctas_total", &Progress::ctas_total)
      .def_readonly("steps_done", &Progress::steps_done)
      .def_readonly("steps_total", &Progress::steps_total);
  module.def("simulate", simulate_fields, py::arg("fields"), py::arg("progress"));
  module.def("machines", machines);
  module.def("request_fields", request_fields);
  module.def("peak_json", peak_json, py::arg("machine"), py::arg("overrides"));
  module.def("version", version);
}

}  // namespace tcsim::python
