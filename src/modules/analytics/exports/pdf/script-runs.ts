import bidiFactory, { type Bidi } from 'bidi-js';

/** The writings that have a font of their own; all others are written with that of Latin, Greek and Cyrillic. */
export type Script = 'latin' | keyof typeof letters;

/** A stretch of a line in one font and one direction. */
export interface Run {
  script: Script;
  text: string;
}

interface Levelled extends Run {
  /** Of the Unicode Bidirectional Algorithm: odd ones go from right to left. */
  level: number;
}

/** The package is the function itself; its types speak of a module that has it. */
const bidi = (bidiFactory as unknown as () => Bidi)();

/** What each of the other fonts is for. */
const letters = {
  arabic: /[\u0600-\u06ff\u0750-\u077f\u0870-\u08ff\ufb50-\ufdff\ufe70-\ufefe]/u,
  hebrew: /[\u0590-\u05ff\ufb1d-\ufb4f]/u,
  thai: /[\u0e00-\u0e7f]/u,
  hangul: /[\u3130-\u318f\uac00-\ud7a3]/u,
  // Chinese and Japanese, with their punctuation and forms of full width.
  han: /[\u2e80-\u312f\u3190-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff9f\u{20000}-\u{3ffff}]/u,
} as const;
const scripts = Object.entries(letters) as [keyof typeof letters, RegExp][];
const special = new RegExp(scripts.map(([, pattern]) => pattern.source).join('|'), 'u');
const fromRight = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** A line as it is put on paper, from left to right. Nearly every line is one run. */
export function runsOf(line: string): Run[] {
  if (!special.test(line)) return [{ script: 'latin', text: line }];
  const { levels } = bidi.getEmbeddingLevels(line);
  const runs: Levelled[] = [];
  let at = 0;
  for (const letter of line) {
    const [script, level] = [scriptOf(letter), levels[at] ?? 0];
    at += letter.length;
    const last = runs.at(-1);
    if (last?.script === script && last.level === level) last.text += letter;
    else runs.push({ script, level, text: letter });
  }
  return inVisualOrder(runs).map(({ script, level, text }) => ({
    script,
    text: turned(text, level % 2 === 1),
  }));
}

const scriptOf = (letter: string): Script => scripts.find(([, pattern]) => pattern.test(letter))?.[0] ?? 'latin';

/** Rule L2 of the algorithm: from the highest level down, what has at least that level is turned round. */
function inVisualOrder(runs: readonly Levelled[]): Levelled[] {
  let ordered = [...runs];
  for (let level = Math.max(...runs.map((run) => run.level)); level > 0; level -= 1) {
    const next: Levelled[] = [];
    for (let at = 0; at < ordered.length; ) {
      let end = at;
      while ((ordered[end]?.level ?? -1) >= level) end += 1;
      next.push(...(end > at ? ordered.slice(at, end).reverse() : ordered.slice(at, at + 1)));
      at = Math.max(end, at + 1);
    }
    ordered = next;
  }
  return ordered;
}

/**
 * What has letters from right to left, or digits of theirs, is turned round by whoever shapes it. That is right for the
 * letters alone: digits go the other way, and so do spaces and signs between letters, whose brackets have two sides.
 */
function turned(text: string, goesLeft: boolean): string {
  if (fromRight.test(text) === goesLeft) return text;
  const signs = [...text].reverse();
  return (goesLeft ? signs.map((sign) => bidi.getMirroredCharacter(sign) ?? sign) : signs).join('');
}

const written = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Arabic',
  'Hebrew',
  'Thai',
  'Hangul',
  'Han',
  'Hiragana',
  'Katakana',
  'Bopomofo',
  'Common',
  'Inherited',
];
const unwritten = new RegExp(`[^${written.map((name) => `\\p{Script=${name}}`).join('')}]\\p{M}*`, 'gu');

/** With a box for each letter that no font here has, and without emoji. */
export const writable = (text: string) => text.replace(/\p{Emoji_Presentation}/gu, '').replace(unwritten, '□');
