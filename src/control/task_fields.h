/* Fields of the tasks of whole-body control, for options structs that have `tasks`. */
#ifndef PKI_CONTROL_TASK_FIELDS_H
#define PKI_CONTROL_TASK_FIELDS_H

#define PKI_TASK_AT(type, name, task, member) name, offsetof(type, tasks[PK_WHOLE_BODY_##task].member)
#define PKI_TASK_WEIGHT(type, name, task, preset, doc) \
  { \
    PKI_TASK_AT(type, #name "_weight", task, weight), PK_FIELD_REAL, "", preset, 0, 1e12, NULL, \
        "weight of the task: " doc \
  }
#define PKI_TASK_LEVEL(type, name, task) \
  { \
    PKI_TASK_AT(type, #name "_level", task, level), PK_FIELD_INT, "", 0, 0, 7, NULL, \
        "its level: what tasks of lower numbers reach is kept" \
  }
#define PKI_TASK_KP(type, name, task, preset) \
  { \
    PKI_TASK_AT(type, #name "_kp", task, kp), PK_FIELD_REAL, "1/s^2", preset, 0, 1e9, NULL, \
        "acceleration for each m or rad of its error" \
  }
#define PKI_TASK_KD(type, name, task, preset) \
  { \
    PKI_TASK_AT(type, #name "_kd", task, kd), PK_FIELD_REAL, "1/s", preset, 0, 1e6, NULL, \
        "acceleration for each m/s or rad/s of its error" \
  }

#endif
