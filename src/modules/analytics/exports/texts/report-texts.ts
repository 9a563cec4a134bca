import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { spanish } from './spanish.ts';

/** Texts of a report in one language. To add a language, add a file like german.ts. */
export type ReportTexts = typeof english;

const languages = { en: english, de: german, fr: french, es: spanish } as const;

export type Language = keyof typeof languages;
export const reportLanguages = Object.keys(languages) as Language[];

export const textsIn = (language: Language): ReportTexts => languages[language];

/** Falls back to a readable form of the metric's identifier. */
export const metricName = ({ metrics }: ReportTexts, metric: string): string =>
  metrics[metric] ?? metric.charAt(0) + metric.slice(1).toLowerCase().replaceAll('_', ' ');
