import bidiFactory, { type Bidi } from 'bidi-js';

/** Scripts with a separate font. Others use the font of Latin, Greek and Cyrillic. */
export type Script = 'latin' | keyof typeof letters;

/** Part of a line with one font and direction. */
export interface Run {
  script: Script;
  text: string;
}

interface BidiRun extends Run {
  /** Embedding level of the Unicode Bidirectional Algorithm: odd levels are right-to-left. */
  level: number;
}

/** The package exports the function itself, unlike its types. */
const bidi = (bidiFactory as unknown as () => Bidi)();

const letters = {
  arabic: /[\u0600-\u06ff\u0750-\u077f\u0870-\u08ff\ufb50-\ufdff\ufe70-\ufefe]/u,
  hebrew: /[\u0590-\u05ff\ufb1d-\ufb4f]/u,
  thai: /[\u0e00-\u0e7f]/u,
  hangul: /[\u3130-\u318f\uac00-\ud7a3]/u,
  // Chinese and Japanese, including punctuation and full-width forms.
  han: /[\u2e80-\u312f\u3190-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff9f\u{20000}-\u{3ffff}]/u,
} as const;
const scripts = Object.entries(letters) as [keyof typeof letters, RegExp][];
const special = new RegExp(scripts.map(([, pattern]) => pattern.source).join('|'), 'u');
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** Runs in visual order. Most lines are one run. */
export function runsOf(line: string): Run[] {
  if (!special.test(line)) return [{ script: 'latin', text: line }];
  const { levels } = bidi.getEmbeddingLevels(line);
  const runs: BidiRun[] = [];
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
    text: visualText(text, level % 2 === 1),
  }));
}

const scriptOf = (letter: string): Script => scripts.find(([, pattern]) => pattern.test(letter))?.[0] ?? 'latin';

/** Rule L2: from the highest level down, reverse runs of at least that level. */
function inVisualOrder(runs: readonly BidiRun[]): BidiRun[] {
  let ordered = [...runs];
  for (let level = Math.max(...runs.map((run) => run.level)); level > 0; level -= 1) {
    const next: BidiRun[] = [];
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
 * The shaper reverses runs with right-to-left letters or digits. This is wrong for digits, and for spaces and brackets
 * between letters.
 */
function visualText(text: string, isRightToLeft: boolean): string {
  if (rightToLeft.test(text) === isRightToLeft) return text;
  const signs = [...text].reverse();
  return (isRightToLeft ? signs.map((sign) => bidi.getMirroredCharacter(sign) ?? sign) : signs).join('');
}

const supportedScripts = [
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
const unsupported = new RegExp(`[^${supportedScripts.map((name) => `\\p{Script=${name}}`).join('')}]\\p{M}*`, 'gu');

/** Replaces unsupported letters by a box and removes emoji. */
export const writable = (text: string) => text.replace(/\p{Emoji_Presentation}/gu, '').replace(unsupported, '□');
