import { fileURLToPath } from 'node:url';
import bidiFactory, { type Bidi } from 'bidi-js';
import PDFDocument from 'pdfkit';
import type { Language, ReportTexts } from '../texts/report-texts.ts';

/** Scripts with a separate font. Others use the font of Latin, Greek and Cyrillic. */
type Script = 'latin' | keyof typeof letters;

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

const supportedScripts =
  'Latin Greek Cyrillic Arabic Hebrew Thai Hangul Han Hiragana Katakana Bopomofo Common Inherited'.split(' ');
const unsupported = new RegExp(`[^${supportedScripts.map((name) => `\\p{Script=${name}}`).join('')}]\\p{M}*`, 'gu');

/** Replaces unsupported letters by a box and removes emoji. */
export const writable = (text: string) => text.replace(/\p{Emoji_Presentation}/gu, '').replace(unsupported, '□');

const han = fileURLToPath(
  import.meta.resolve('@expo-google-fonts/chocolate-classical-sans/400Regular/ChocolateClassicalSans_400Regular.ttf'),
);

/** Fonts are loaded on first use and embedded as subsets. */
const fonts: Record<Script, { plain: string; bold: string }> = {
  latin: {
    plain: fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf')),
    bold: fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf')),
  },
  arabic: {
    plain: fileURLToPath(import.meta.resolve('@expo-google-fonts/vazirmatn/400Regular/Vazirmatn_400Regular.ttf')),
    bold: fileURLToPath(import.meta.resolve('@expo-google-fonts/vazirmatn/600SemiBold/Vazirmatn_600SemiBold.ttf')),
  },
  hebrew: {
    plain: fileURLToPath(import.meta.resolve('@expo-google-fonts/heebo/400Regular/Heebo_400Regular.ttf')),
    bold: fileURLToPath(import.meta.resolve('@expo-google-fonts/heebo/600SemiBold/Heebo_600SemiBold.ttf')),
  },
  thai: {
    plain: fileURLToPath(
      import.meta.resolve('@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf'),
    ),
    bold: fileURLToPath(
      import.meta.resolve('@expo-google-fonts/noto-sans-thai/600SemiBold/NotoSansThai_600SemiBold.ttf'),
    ),
  },
  hangul: {
    plain: fileURLToPath(import.meta.resolve('@expo-google-fonts/nanum-gothic/400Regular/NanumGothic_400Regular.ttf')),
    bold: fileURLToPath(import.meta.resolve('@expo-google-fonts/nanum-gothic/700Bold/NanumGothic_700Bold.ttf')),
  },
  // The font has one weight only.
  han: { plain: han, bold: han },
};

/** Ascent of Inter relative to the font size; all fonts use this baseline. */
const ascent = 0.96875;

export const colours = {
  ink: '#1F2937',
  quiet: '#6B7280',
  line: '#E5E7EB',
  soft: '#EFF4FF',
  accent: '#1D4ED8',
  deep: '#172554',
  good: '#047857',
  bad: '#B91C1C',
  white: '#FFFFFF',
  series: ['#1D4ED8', '#F59E0B', '#059669', '#DB2777'],
} as const;

/** A4, in points. */
export const page = { width: 595.28, height: 841.89, margin: 48 };
export const inner = { left: page.margin, right: page.width - page.margin, width: page.width - 2 * page.margin };
export const top = 84;
export const bottom = page.height - 64;

interface TextOptions {
  size?: number;
  bold?: boolean;
  colour?: string;
  align?: 'left' | 'right' | 'center';
  /** Longer text is truncated with an ellipsis. */
  width?: number;
}

interface FontStyle {
  weight: 'plain' | 'bold';
  /** Tabular figures, for right-aligned numbers. */
  tabular: boolean;
}

/** Contextual alternates of Inter (arrows for "->") take 80 % of the layout time; Arabic requires them. */
const featuresOf = (script: Script, { tabular }: FontStyle) =>
  ({ kern: true, ...(tabular && { tnum: true }), ...(script !== 'arabic' && { calt: false }) }) as unknown as never[];

interface MeasuredText {
  runs: (Run & { width: number })[];
  width: number;
}

const maxTextLength = 300;

/** A PDF document with absolute positioning. */
export class Paper {
  readonly doc: PDFKit.PDFDocument;
  readonly texts: ReportTexts;
  readonly #title: string;
  readonly #total: number;
  #pages = 0;

  constructor(about: { title: string; texts: ReportTexts; language: Language; pages: number; created: Date }) {
    this.texts = about.texts;
    this.#title = about.title;
    this.#total = about.pages;
    this.doc = new PDFDocument({
      size: 'A4',
      margin: 0,
      autoFirstPage: false,
      lang: about.language,
      displayTitle: true,
      pdfVersion: '1.7',
      info: { Title: about.title, Author: 'Waypost', Creator: 'Waypost', CreationDate: about.created },
    });
  }

  /** Adds a page with a footer and, except for the first, a header. */
  addPage(): void {
    this.#pages += 1;
    this.doc.addPage();
    if (this.#pages > 1) {
      this.write(this.#title, inner.left, 40, { size: 9, colour: colours.quiet, width: inner.width });
      this.rule(56);
    }
    const number = this.texts.page(this.#pages, this.#total);
    this.write(number, inner.right, page.height - 40, { size: 9, colour: colours.quiet, align: 'right' });
    this.write('Waypost', inner.left, page.height - 40, { size: 9, colour: colours.quiet });
  }

  /** Writes one line. `x` is the left, right or center position, depending on `align`. Returns the width. */
  write(
    text: string,
    x: number,
    y: number,
    { size = 10, bold = false, colour = colours.ink, align = 'left', width }: TextOptions = {},
  ): number {
    this.doc.fontSize(size).fillColor(colour);
    const style: FontStyle = { weight: bold ? 'bold' : 'plain', tabular: align === 'right' };
    const { runs, width: textWidth } = this.#fitted(writable(plainLine(text)), style, width);
    let left = x - (align === 'left' ? 0 : textWidth * (align === 'right' ? 1 : 0.5));
    for (const run of runs) {
      const features = featuresOf(run.script, style);
      // Avoids measuring again.
      const options = { lineBreak: false, baseline: 'alphabetic', textWidth: run.width, features } as const;
      this.doc.font(fonts[run.script][style.weight]).text(run.text, left, y + ascent * size, options);
      left += run.width;
    }
    return textWidth;
  }

  rule(y: number, colour: string = colours.line): void {
    this.doc.moveTo(inner.left, y).lineTo(inner.right, y).lineWidth(0.75).strokeColor(colour).stroke();
  }

  /** Output since the last call. */
  *flush(): Generator<Buffer> {
    for (let chunk = this.doc.read(); chunk !== null; chunk = this.doc.read()) yield chunk;
  }

  /** Ends the document and returns the remaining output. */
  async *finish(): AsyncGenerator<Buffer> {
    this.doc.end();
    for await (const chunk of this.doc) yield chunk;
  }

  #measured(line: string, style: FontStyle): MeasuredText {
    const runs = runsOf(line).map((run) => {
      const font = this.doc.font(fonts[run.script][style.weight]);
      return { ...run, width: font.widthOfString(run.text, { features: featuresOf(run.script, style) }) };
    });
    return { runs, width: runs.reduce((sum, run) => sum + run.width, 0) };
  }

  #fitted(text: string, style: FontStyle, maxWidth = Number.POSITIVE_INFINITY): MeasuredText {
    const whole = this.#measured(text, style);
    if (whole.width <= maxWidth) return whole;
    const letters = [...text];
    const beginning = (count: number) => this.#measured(`${letters.slice(0, count).join('').trimEnd()}…`, style);
    let fits = 0;
    for (let tooMany = letters.length; tooMany - fits > 1; ) {
      const middle = Math.floor((fits + tooMany) / 2);
      if (beginning(middle).width <= maxWidth) fits = middle;
      else tooMany = middle;
    }
    return beginning(fits);
  }
}

/** Invisible characters would break the layout, and thin spaces are missing in some fonts. */
const plainLine = (text: string) =>
  text
    .toWellFormed()
    // Fonts contain composed characters.
    .normalize('NFC')
    .slice(0, maxTextLength)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\u202f\u2009]/g, '\u00a0');
