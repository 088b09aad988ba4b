/* What the programs here share: numbers that are the same in every run. */
#include <stdint.h>
#include <stdio.h>

static uint64_t seed = 0x9e3779b97f4a7c15u;

static uint64_t random_bits(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static unsigned below(unsigned limit) { return (unsigned)((random_bits() >> 33) % limit); }

/* A double of any size that is a number. */
static double random_double(void)
{
	union { uint64_t bits; double value; } u;
	do
		u.bits = random_bits();
	while ((u.bits >> 52 & 0x7ff) == 0x7ff);
	return u.value;
}

/* A double as people write them. */
static double plain_double(void)
{
	double value = (double)(int64_t)(random_bits() >> 40) / (1 + below(1000));
	return below(2) ? value : -value;
}
