/* Columns of channels, and channels that have files of their own. */
#ifndef PKI_RUN_CHANNEL_COLUMNS_H
#define PKI_RUN_CHANNEL_COLUMNS_H

#include "run/channels.h"

/* One more column of a channel, and several of names and units. */
__attribute__((format(printf, 4, 5))) void pki_add_column(pki_channel_reader *t, int channel,
                                                          const char *unit, const char *format, ...);
void pki_add_columns(pki_channel_reader *t, int channel, const char *const (*rows)[2], size_t count);

#define PKI_COLUMNS(reader, channel, ...) \
  do { \
    static const char *const rows_[][2] = {__VA_ARGS__}; \
    pki_add_columns(reader, channel, rows_, sizeof rows_ / sizeof rows_[0]); \
  } while (0)

/* Whether joint coordinate `dof` is a length. */
bool pki_is_length(const pk_model *m, int dof);

/* channel_sensors.c */
void pki_describe_sensors(pki_channel_reader *t, int channel);
int pki_read_sensors(pki_channel_reader *t, int robot, double *out);

/* channel_loads.c */
void pki_describe_loads(pki_channel_reader *t, int channel);
int pki_read_loads(pki_channel_reader *t, int robot, double *out);

/* watch_stability.c */
void pki_describe_measure(pki_channel_reader *t, int channel);
void pki_describe_edges(pki_channel_reader *t, int channel);
int pki_read_measure(pki_channel_reader *t, int robot, double *out);
int pki_read_edges(pki_channel_reader *t, int robot, double *out);

/* watch_tasks.c */
void pki_describe_tasks(pki_channel_reader *t, int channel);
int pki_read_tasks(pki_channel_reader *t, int robot, double *out);

/* Channels of actuators (channel_actuators.c); a world without them has none. */
void pki_describe_actuator_state(pki_channel_reader *t, int channel);
void pki_describe_actuator_energy(pki_channel_reader *t, int channel);
void pki_describe_power(pki_channel_reader *t, int channel);
void pki_describe_flow(pki_channel_reader *t, int channel);
void pki_describe_battery(pki_channel_reader *t, int channel);
int pki_read_actuator_state(pki_channel_reader *t, int robot, double *out);
int pki_read_actuator_energy(pki_channel_reader *t, int robot, double *out);
int pki_read_power(pki_channel_reader *t, int robot, double *out);
int pki_read_flow(pki_channel_reader *t, int robot, double *out);
int pki_read_battery(pki_channel_reader *t, int robot, double *out);

#endif
