import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { spanish } from './spanish.ts';

/** Texts of a report in one language. To add a language, add a file like english.ts. */
export interface ReportTexts {
  /** BCP 47 locale of numbers and dates. */
  locale: string;
  dashboardTitle: string;
  insightsTitle: string;
  reportTitle: string;
  locations: (count: number) => string;
  madeOn: string;
  page: (number: number, total: number) => string;
  /** Sheet names and headings. */
  summary: string;
  keyFigures: string;
  development: string;
  feedback: string;
  feedbackByPeriod: string;
  ratings: string;
  insights: string;
  insightsByPeriod: string;
  listings: string;
  locationsHeading: string;
  /** Column headers. */
  figure: string;
  thisPeriod: string;
  previousPeriod: string;
  change: string;
  value: string;
  period: string;
  directory: string;
  metric: string;
  total: string;
  stars: (rating: number) => string;
  figures: {
    interactions: string;
    ratings: string;
    averageRating: string;
    replied: string;
    unread: string;
    medianResponseHours: string;
    views: string;
    actions: string;
    completeness: string;
    visibilityIndex: string;
    listingsInSync: string;
    listingsSubmitted: string;
    listingsBeingUpdated: string;
    listingsLinked: string;
    listingsActionRequired: string;
    locationsNeedReview: string;
    locationsRequireSync: string;
  };
  location: {
    id: string;
    identifier: string;
    name: string;
    street: string;
    zip: string;
    city: string;
    country: string;
    status: string;
    completeness: string;
    classification: string;
    score: string;
    visibilityIndex: string;
    listings: string;
    listingsInSync: string;
    shareInSync: string;
    averageRating: string;
    ratings: string;
    dataPoints: string;
  };
  metrics: Readonly<Record<string, string>>;
  /** Shown if the sums end before the last requested day. */
  countedUntil: (day: string) => string;
  nothing: string;
}

const languages = { en: english, de: german, fr: french, es: spanish } as const;

export type Language = keyof typeof languages;
export const reportLanguages = Object.keys(languages) as Language[];

export const textsIn = (language: Language): ReportTexts => languages[language];

/** Falls back to a readable form of the metric's identifier. */
export const metricName = ({ metrics }: ReportTexts, metric: string): string =>
  metrics[metric] ?? metric.charAt(0) + metric.slice(1).toLowerCase().replaceAll('_', ' ');
