import { fileURLToPath } from 'node:url';
import PDFDocument from 'pdfkit';
import type { Language, ReportTexts } from '../texts/report-texts.ts';

/** Inter has the letters of every language that is written in Latin, Greek or Cyrillic. */
const fonts = {
  plain: fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf')),
  bold: fileURLToPath(import.meta.resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf')),
};

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

/** Digits of the same width stand below each other; in words they would stand too far apart. */
const tabular = { features: ['kern', 'tnum'] } as unknown as { features: never };
const usual = { features: ['kern'] } as unknown as { features: never };

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
    this.doc.registerFont('plain', fonts.plain).registerFont('bold', fonts.bold);
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
    this.doc
      .font(bold ? 'bold' : 'plain')
      .fontSize(size)
      .fillColor(colour);
    const digits = align === 'right' ? tabular : usual;
    const line = this.#fitted(plainLine(text), digits, width);
    const taken = this.doc.widthOfString(line, digits);
    const shift = align === 'left' ? 0 : taken * (align === 'right' ? 1 : 0.5);
    this.doc.text(line, x - shift, y, { lineBreak: false, ...digits });
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

  #fitted(text: string, digits: typeof usual, width: number | undefined): string {
    if (width === undefined || this.doc.widthOfString(text, digits) <= width) return text;
    const letters = [...text];
    let fits = 0;
    for (let tooMany = letters.length; tooMany - fits > 1; ) {
      const middle = Math.floor((fits + tooMany) / 2);
      if (this.doc.widthOfString(`${letters.slice(0, middle).join('')}…`, digits) <= width) fits = middle;
      else tooMany = middle;
    }
    return `${letters.slice(0, fits).join('').trimEnd()}…`;
  }
}

/** Line breaks and characters that cannot be seen would break the layout; thin spaces are not in every font. */
const plainLine = (text: string) =>
  text
    .toWellFormed()
    .slice(0, longestText)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\u202f\u2009]/g, '\u00a0');
