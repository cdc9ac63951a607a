/* A pk_model as MJCF text in memory, every number with 17 digits, compiled by MuJoCo. */
#ifndef BENCH_MUJOCO_MODEL_H
#define BENCH_MUJOCO_MODEL_H

#include <mujoco/mujoco.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "rigid.h"

namespace mjcf {

/* What a user of the model adds to its tree. */
struct Additions {
  std::string option;               /* inside <option> */
  std::string size;                 /* after it: <size>, "" where MuJoCo's own will do */
  std::string world;                /* inside <worldbody>, before the tree */
  std::vector<std::string> of_body; /* [nbody] or empty: inside each body */
  std::string contact;              /* inside <contact> */
};

__attribute__((format(printf, 2, 3))) inline void append(std::string &text, const char *format, ...)
{
  char line[1024];
  va_list list;
  va_start(list, format);
  vsnprintf(line, sizeof line, format, list);
  va_end(list);
  text += line;
}

/* Why MuJoCo cannot take this model, "" when it can. */
inline std::string refusal(const pk_model *model)
{
  if (model->has_mimic) {
    return "mimic joints are not translated";
  }
  for (int i = 0; i < model->nbody; i++) {
    if (!(model->body_inertia[10 * i] > 0.0)) {
      return "massless bodies are not translated";
    }
    if (model->body_motion[i] != PK_MOTION_FLOATING) {
      continue;
    }
    if (model->body_parent[i] >= 0) {
      return "free joints are possible at the world only";
    }
    const double *pos = model->body_pos + 3 * i;
    if (model->body_turned[i] || pos[0] != 0.0 || pos[1] != 0.0 || pos[2] != 0.0) {
      return "the frame of a free joint must be the world's";
    }
  }
  return "";
}

inline void append_body_open(std::string &text, const pk_model *model, int i)
{
  const double *pos = model->body_pos + 3 * i;
  double quat[4];
  rigid::quaternion_of(model->body_rot + 9 * i, quat);
  append(text, "<body name=\"b%d\" pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\">\n", i, pos[0],
         pos[1], pos[2], quat[0], quat[1], quat[2], quat[3]);

  const rigid::Principal p = rigid::principal_of(model->body_inertia + 10 * i);
  append(text, "<inertial mass=\"%.17g\" pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\"", p.mass,
         p.com[0], p.com[1], p.com[2], p.quat[0], p.quat[1], p.quat[2], p.quat[3]);
  append(text, " diaginertia=\"%.17g %.17g %.17g\"/>\n", p.moment[0], p.moment[1], p.moment[2]);

  const int axis = model->body_axis[i];
  switch (model->body_motion[i]) {
  case PK_MOTION_REVOLUTE:
  case PK_MOTION_PRISMATIC:
    append(text, "<joint name=\"b%d\" type=\"%s\" axis=\"%d %d %d\"/>\n", i,
           model->body_motion[i] == PK_MOTION_REVOLUTE ? "hinge" : "slide", axis == 0, axis == 1, axis == 2);
    break;
  case PK_MOTION_SPHERICAL: append(text, "<joint name=\"b%d\" type=\"ball\"/>\n", i); break;
  default: append(text, "<joint name=\"b%d\" type=\"free\"/>\n", i);
  }
}

/* The tree as nested elements. The XML reader stops at a depth of 100 elements,
 * so a deep tree goes on in included files, which MuJoCo joins after reading. */
struct Writer {
  static constexpr int depth_per_file = 90;
  const pk_model *model;
  const Additions &more;
  std::vector<std::vector<int>> children;
  std::vector<std::string> files;

  Writer(const pk_model *of, const Additions &added)
      : model(of), more(added), children(static_cast<size_t>(of->nbody) + 1)
  {
    for (int i = 0; i < of->nbody; i++) {
      children[static_cast<size_t>(of->body_parent[i]) + 1].push_back(i);
    }
    files.emplace_back();
    std::string head =
        "<mujoco><compiler angle=\"radian\" coordinate=\"local\" balanceinertia=\"false\" boundmass=\"0\" "
        "boundinertia=\"0\" inertiafromgeom=\"false\"/>\n";
    append(head, "<option gravity=\"%.17g %.17g %.17g\">", of->gravity[0], of->gravity[1], of->gravity[2]);
    head += more.option + "</option>\n" + more.size + "<worldbody>\n" + more.world;
    files[0] = head + write(-1, 0) + "</worldbody>\n";
    files[0] += "<contact>" + more.contact + "</contact></mujoco>\n";
  }

  std::string write(int body, int depth)
  {
    std::string text;
    for (int child : children[static_cast<size_t>(body) + 1]) {
      if (depth == depth_per_file) {
        const size_t file = files.size();
        files.emplace_back();
        files[file] = "<mujocoinclude>\n" + write_one(child, 0) + "</mujocoinclude>\n";
        append(text, "<include file=\"part%zu.xml\"/>\n", file);
      } else {
        text += write_one(child, depth);
      }
    }
    return text;
  }

  std::string write_one(int body, int depth)
  {
    std::string text;
    append_body_open(text, model, body);
    if (!more.of_body.empty()) {
      text += more.of_body[static_cast<size_t>(body)];
    }
    text += write(body, depth + 1);
    text += "</body>\n";
    return text;
  }
};

inline mjModel *compile(const pk_model *model, const Additions &more, char *message, size_t size)
{
  const Writer writer(model, more);
  auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  for (size_t i = 0; i < writer.files.size(); i++) {
    const std::string name = "part" + std::to_string(i) + ".xml", &text = writer.files[i];
    if (mj_makeEmptyFileVFS(vfs.get(), name.c_str(), static_cast<int>(text.size())) != 0) {
      snprintf(message, size, "the tree is too deep");
      mj_deleteVFS(vfs.get());
      return nullptr;
    }
    memcpy(vfs->filedata[mj_findFileVFS(vfs.get(), name.c_str())], text.data(), text.size());
  }
  mjModel *m = mj_loadXML("part0.xml", vfs.get(), message, static_cast<int>(size));
  mj_deleteVFS(vfs.get());
  return m;
}

} /* namespace mjcf */

#endif
