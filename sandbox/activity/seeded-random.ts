import { hash } from 'node:crypto';

/** Pseudo-random numbers in [0, 1). */
export type Random = () => number;

/** mulberry32, seeded with a hash of the words. */
export function seededRandom(...words: (string | number)[]): Random {
  let state = hash('sha256', words.join('\0'), 'buffer').readInt32LE();
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <T>(random: Random, choices: readonly T[]): T =>
  choices[Math.floor(random() * choices.length)] as T;

/** Picks a name with a probability proportional to its weight. */
export function weightedPick<Name extends string>(random: Random, weights: Readonly<Record<Name, number>>): Name {
  const entries = Object.entries(weights) as [Name, number][];
  let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of entries) {
    left -= weight;
    if (left < 0) return name;
  }
  return (entries.at(-1) as [Name, number])[0];
}

/** Poisson distribution: Knuth's algorithm up to 30, normal approximation above. */
export function poisson(random: Random, average: number): number {
  if (average > 30) return Math.max(0, Math.round(average + Math.sqrt(average) * gaussian(random)));
  const limit = Math.exp(-average);
  let product = random();
  let count = 0;
  while (product > limit) {
    product *= random();
    count += 1;
  }
  return count;
}

/** Standard normal distribution (Box–Muller). */
export const gaussian = (random: Random): number =>
  Math.sqrt(-2 * Math.log(random() || Number.MIN_VALUE)) * Math.cos(2 * Math.PI * random());
