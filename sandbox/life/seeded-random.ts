import { createHash } from 'node:crypto';

/** Numbers from 0 to 1 that look random and are the same again for the same words. */
export type Dice = () => number;

/** mulberry32, begun at a place that follows from the words. */
export function diceOf(...words: (string | number)[]): Dice {
  let state = createHash('sha256').update(words.join('\0')).digest().readInt32LE();
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const pick = <T>(dice: Dice, choices: readonly T[]): T => choices[Math.floor(dice() * choices.length)] as T;

/** One of the names, by how heavy each is. */
export function weigh<Name extends string>(dice: Dice, weights: Readonly<Record<Name, number>>): Name {
  const entries = Object.entries(weights) as [Name, number][];
  let left = dice() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of entries) {
    left -= weight;
    if (left < 0) return name;
  }
  return (entries.at(-1) as [Name, number])[0];
}

/** How many of something happen that happens so often on average (Poisson, by Knuth below 30, by the bell above). */
export function howMany(dice: Dice, average: number): number {
  if (average > 30) return Math.max(0, Math.round(average + Math.sqrt(average) * bell(dice)));
  const limit = Math.exp(-average);
  let product = dice();
  let count = 0;
  while (product > limit) {
    product *= dice();
    count += 1;
  }
  return count;
}

/** Around 0, seldom beyond 2 or below -2. */
export const bell = (dice: Dice): number =>
  Math.sqrt(-2 * Math.log(dice() || Number.MIN_VALUE)) * Math.cos(2 * Math.PI * dice());
