/* How many times the library has allocated. */
#ifndef PK_TESTS_ALLOCATIONS_H
#define PK_TESTS_ALLOCATIONS_H

extern _Atomic int allocations;

#endif
