/* The torque-speed line of a motor, drawn with characters. */
#ifndef PKI_CLI_MOTOR_PLOT_H
#define PKI_CLI_MOTOR_PLOT_H

#include "base/text.h"
#include "scenario/motor_file.h"

/* Columns and rows inside of the axes. */
enum { PKI_MOTOR_PLOT_WIDTH = 60, PKI_MOTOR_PLOT_HEIGHT = 16 };

/* Torque over speed in the driving quadrant: what the motor can do, the lines of voltage and current where the other
 * is the stricter one, and the torque that it can do for long. A motor without a speed at no load has no picture: a
 * sentence says why. */
void pki_motor_plot(const pki_motor_entry *motor, pki_text *out);

#endif
