/* The registry of sensors: the rows that PKI_SENSOR_LIST names. */
#include "sense/sensors.h"

#define DECLARE(row) extern const pki_sensor_row pki_sensor_##row;
#define ROW(row) &pki_sensor_##row,

PKI_SENSOR_LIST(DECLARE)

const pki_sensor_row *const pki_sensors[] = {PKI_SENSOR_LIST(ROW) NULL};
