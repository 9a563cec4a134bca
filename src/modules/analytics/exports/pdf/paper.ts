import { fileURLToPath } from 'node:url';
import PDFDocument from 'pdfkit';
import type { Language, ReportTexts } from '../texts/report-texts.ts';
import { type Run, runsOf, type Script, writable } from './script-runs.ts';

const han = fileURLToPath(
  import.meta.resolve('@expo-google-fonts/chocolate-classical-sans/400Regular/ChocolateClassicalSans_400Regular.ttf'),
);

/** Files are read when the first text needs them, and only the letters that are used become part of the document. */
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
  // There is one weight only.
  han: { plain: han, bold: han },
};

/** How far below the top of a line Inter's letters stand, as a share of their size: all others stand there too. */
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

interface Writing {
  size?: number;
  bold?: boolean;
  colour?: string;
  align?: 'left' | 'right' | 'center';
  /** What does not fit is cut off with an ellipsis. */
  width?: number;
}

/** How a line is written. */
interface Hand {
  weight: 'plain' | 'bold';
  /** Digits of the same width stand below each other; in words they would stand too far apart. */
  tabular: boolean;
}

/** Inter makes arrows of "->" and the like by rules that take four fifths of all the time; Arabic letters need theirs. */
const featuresOf = (script: Script, { tabular }: Hand) =>
  ({ kern: true, ...(tabular && { tnum: true }), ...(script !== 'arabic' && { calt: false }) }) as unknown as never[];

interface Measured {
  runs: (Run & { width: number })[];
  width: number;
}

const longestText = 300;

/** A document in the making: where things stand on it is decided by whoever writes. */
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

  /** A new page with its number; all but the first have the title on them too. */
  turn(): void {
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

  /** One line. `x` is its left or right end or its middle, as it is aligned. Answers how wide it is. */
  write(
    text: string,
    x: number,
    y: number,
    { size = 10, bold = false, colour = colours.ink, align = 'left', width }: Writing = {},
  ): number {
    this.doc.fontSize(size).fillColor(colour);
    const hand: Hand = { weight: bold ? 'bold' : 'plain', tabular: align === 'right' };
    const { runs, width: taken } = this.#fitted(writable(plainLine(text)), hand, width);
    let left = x - (align === 'left' ? 0 : taken * (align === 'right' ? 1 : 0.5));
    for (const run of runs) {
      const features = featuresOf(run.script, hand);
      // What is known already is not measured again.
      const options = { lineBreak: false, baseline: 'alphabetic', textWidth: run.width, features } as const;
      this.doc.font(fonts[run.script][hand.weight]).text(run.text, left, y + ascent * size, options);
      left += run.width;
    }
    return taken;
  }

  rule(y: number, colour: string = colours.line): void {
    this.doc.moveTo(inner.left, y).lineTo(inner.right, y).lineWidth(0.75).strokeColor(colour).stroke();
  }

  /** What has been written since the last time. */
  *written(): Generator<Buffer> {
    for (let chunk = this.doc.read(); chunk !== null; chunk = this.doc.read()) yield chunk;
  }

  async *rest(): AsyncGenerator<Buffer> {
    this.doc.end();
    for await (const chunk of this.doc) yield chunk;
  }

  #measured(line: string, hand: Hand): Measured {
    const runs = runsOf(line).map((run) => {
      const font = this.doc.font(fonts[run.script][hand.weight]);
      return { ...run, width: font.widthOfString(run.text, { features: featuresOf(run.script, hand) }) };
    });
    return { runs, width: runs.reduce((sum, run) => sum + run.width, 0) };
  }

  #fitted(text: string, hand: Hand, room = Number.POSITIVE_INFINITY): Measured {
    const whole = this.#measured(text, hand);
    if (whole.width <= room) return whole;
    const letters = [...text];
    const beginning = (count: number) => this.#measured(`${letters.slice(0, count).join('').trimEnd()}…`, hand);
    let fits = 0;
    for (let tooMany = letters.length; tooMany - fits > 1; ) {
      const middle = Math.floor((fits + tooMany) / 2);
      if (beginning(middle).width <= room) fits = middle;
      else tooMany = middle;
    }
    return beginning(fits);
  }
}

/** Line breaks and characters that cannot be seen would break the layout; thin spaces are not in every font. */
const plainLine = (text: string) =>
  text
    .toWellFormed()
    // Letters that were typed in parts are one: fonts have those.
    .normalize('NFC')
    .slice(0, longestText)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\u202f\u2009]/g, '\u00a0');
