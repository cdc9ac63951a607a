/* Real parts. Noise and bias are by the numbers of their makers; rates, ranges and bandwidths of inertial units are settings that
 * they are commonly used with. Of a bias instability B the walk is K = B sqrt(3 / tau) with tau = 100 s, and its
 * correlation time tau. */
#include <string.h>

#include "sense/sensing.h"

/* Degrees, standard gravity, sqrt(3 / 100 s). */
#define DEG 0.017453292519943295
#define G 9.80665
#define WALK 0.17320508075688773
#define TURN 6.283185307179586

/* An inertial unit: Hz of samples and of bandwidth; density, turn-on bias, bias instability and range of accelerometer
 * (m/s^2) and gyroscope (rad/s). */
#define IMU(rate_, bandwidth_, acc, acc_bias, acc_walk, acc_range, gyro, gyro_bias, gyro_walk, gyro_range) \
  { \
    .rate = rate_, .bandwidth = bandwidth_, \
    .linear = {.density = acc, \
               .bias = acc_bias, \
               .bias_walk = (acc_walk)*WALK, \
               .correlation = 100, \
               .range = acc_range}, \
    .angular = { \
      .density = gyro, \
      .bias = gyro_bias, \
      .bias_walk = (gyro_walk)*WALK, \
      .correlation = 100, \
      .range = gyro_range \
    } \
  }

static const pki_part_row adis16448 = {
    "adis16448",
    "Analog Devices: 0.23 mg/sqrt(Hz), 0.0135 deg/s/sqrt(Hz), 819.2 Hz, 330 Hz, 18 g, "
    "1000 deg/s (noise by the data sheet); biases as RotorS has them",
    "imu",
    {.rate = 819.2,
     .bandwidth = 330,
     .linear = {.density = 2.26e-3, .bias = 0.196, .bias_walk = 6e-3, .correlation = 300, .range = 18 * G},
     .angular = {.density = 2.36e-4,
                 .bias = 8.7e-3,
                 .bias_walk = 3.88e-5,
                 .correlation = 1000,
                 .range = 1000 * DEG}}};

static const pki_part_row adis16470 = {
    "adis16470",
    "Analog Devices: 100 ug/sqrt(Hz), 0.008 deg/s/sqrt(Hz), in-run bias 13 ug, 8 deg/h, 2000 "
    "Hz, "
    "550 Hz, 40 g, 2000 deg/s (noise by the data sheet)",
    "imu", IMU(2000, 550, 9.8e-4, 0, 1.3e-4, 40 * G, 1.40e-4, 0, 3.9e-5, 2000 * DEG)};

static const pki_part_row bmi088 = {
    "bmi088",
    "Bosch: 175 ug/sqrt(Hz), 0.014 deg/s/sqrt(Hz), zero offsets 20 mg, 1 deg/s, bias below 2 "
    "deg/h, "
    "1600 Hz, 280 Hz, 24 g, 2000 deg/s (noise by the data sheet)",
    "imu", IMU(1600, 280, 1.72e-3, 0.2, 0, 24 * G, 2.44e-4, 1 * DEG, 9.7e-6, 2000 * DEG)};

static const pki_part_row vn_100 = {"vn-100",
                                    "VectorNav: 0.14 mg/sqrt(Hz), 0.0035 deg/s/sqrt(Hz), "
                                    "in-run bias 40 ug, 5-10 deg/h, 800 Hz, 260 Hz, "
                                    "16 g, 2000 deg/s (noise by the data sheet)",
                                    "imu",
                                    IMU(800, 260, 1.37e-3, 0, 3.9e-4, 16 * G, 6.1e-5, 0, 3.6e-5, 2000 * DEG)};

static const pki_part_row mti_300 = {"mti-300",
                                     "Xsens: 60 ug/sqrt(Hz), 0.01 deg/s/sqrt(Hz), in-run bias "
                                     "15 ug, 10 deg/h, 375 Hz, 200 m/s^2, "
                                     "450 deg/s (noise by the data sheet); 400 Hz",
                                     "imu",
                                     IMU(400, 375, 5.9e-4, 0, 1.5e-4, 200, 1.75e-4, 0, 4.8e-5, 450 * DEG)};

static const pki_part_row mti_3 = {"mti-3",
                                   "Xsens: 120 ug/sqrt(Hz), 0.007 deg/s/sqrt(Hz), in-run bias "
                                   "15 ug, about 2 deg/h, 16 g, 2000 deg/s "
                                   "(noise by the data sheet); 100 Hz",
                                   "imu",
                                   IMU(100, 0, 1.2e-3, 0, 1.5e-4, 16 * G, 1.2e-4, 0, 1e-5, 2000 * DEG)};

#define ENCODER(bits) \
  { \
    .linear = {.resolution = TURN / (double)(1L << (bits)) } \
  }

static const pki_part_row encoder_12bit = {"encoder-12bit", "4096 counts a turn: 1.53e-3 rad", "encoder",
                                           ENCODER(12)};
static const pki_part_row encoder_14bit = {"encoder-14bit", "16384 counts a turn: 3.8e-4 rad", "encoder",
                                           ENCODER(14)};
static const pki_part_row encoder_19bit = {"encoder-19bit", "524288 counts a turn: 1.2e-5 rad", "encoder",
                                           ENCODER(19)};

static const pki_part_row ati_mini45 = {"ati-mini45",
                                        "ATI, calibration SI-580-20: 580 N, 20 N m, 0.25 N, "
                                        "0.005 N m, 7 kHz (data sheet; along z its "
                                        "range is 1160 N)",
                                        "force-torque",
                                        {.rate = 7000,
                                         .linear = {.resolution = 0.25, .range = 580},
                                         .angular = {.resolution = 0.005, .range = 20}}};

static const pki_part_row robotiq_ft300 = {
    "robotiq-ft300",
    "Robotiq: 300 N, 30 N m, noise 0.1 N, 0.005 N m, 100 Hz (data sheet)",
    "force-torque",
    {.rate = 100, .linear = {.noise = 0.1, .range = 300}, .angular = {.noise = 0.005, .range = 30}}};

const pki_part_row *const pki_sensor_parts[] = {&adis16448,     &adis16470,  &bmi088,        &vn_100,
                                                &mti_300,       &mti_3,      &encoder_12bit, &encoder_14bit,
                                                &encoder_19bit, &ati_mini45, &robotiq_ft300, NULL};

bool pk_sensor_part_find(const char *name, pk_sensor_part *out)
{
  const int row = name != NULL ? pki_row_find(pki_sensor_parts, name) : -1;
  if (row >= 0) {
    *out = pki_sensor_parts[row]->part;
  }
  return row >= 0;
}

const char *pk_sensor_part_name(int index)
{
  return index >= 0 && index < pki_row_count(pki_sensor_parts) ? pki_sensor_parts[index]->name : NULL;
}
