import { createHash } from 'node:crypto';

/** Pseudo-random numbers, deterministic for the same seed words. */
export class SeededRandom {
  #state: number;

  constructor(...words: readonly (string | number)[]) {
    this.#state = createHash('sha256').update(words.join('\0')).digest().readInt32LE();
  }

  /** In [0, 1), by mulberry32. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer, both ends included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.fraction() * choices.length)] as T;
  }

  shuffled<T>(choices: readonly T[]): T[] {
    const cards = [...choices];
    for (let left = cards.length - 1; left > 0; left -= 1) {
      const other = this.between(0, left);
      [cards[left], cards[other]] = [cards[other] as T, cards[left] as T];
    }
    return cards;
  }
}
