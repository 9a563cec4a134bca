import { averageOf, type ReportFigures } from './report-figures.ts';
import type { ReportTexts } from './texts/report-texts.ts';

export type FigureFormat = 'integer' | 'decimal' | 'percent';

export interface KeyFigure {
  label: string;
  format: FigureFormat;
  now: number | null;
  /** Absent for figures without a previous period. */
  before?: number | null;
  lessIsBetter?: true;
}

/** Figures of the span, compared with the preceding days. */
export function periodFigures({ figures: names }: ReportTexts, figures: ReportFigures): KeyFigure[] {
  const { feedback, previousFeedback, responses, previousResponses } = figures;
  const { views, actions } = figures.insights;
  return [
    {
      label: names.interactions,
      format: 'integer',
      now: feedback.interactionCount,
      before: previousFeedback.interactionCount,
    },
    { label: names.ratings, format: 'integer', now: feedback.ratingCount, before: previousFeedback.ratingCount },
    {
      label: names.averageRating,
      format: 'decimal',
      now: averageOf(feedback.ratingSum, feedback.ratingCount),
      before: averageOf(previousFeedback.ratingSum, previousFeedback.ratingCount),
    },
    {
      label: names.replied,
      format: 'percent',
      now: responses.responseRate,
      before: previousResponses.responseRate,
    },
    {
      label: names.medianResponseHours,
      format: 'decimal',
      now: responses.medianHours,
      before: previousResponses.medianHours,
      lessIsBetter: true,
    },
    { label: names.views, format: 'integer', now: views.total, before: views.previousTotal },
    { label: names.actions, format: 'integer', now: actions.total, before: actions.previousTotal },
  ];
}

/** Current state of listings and profiles. */
export function currentFigures({ figures: names }: ReportTexts, figures: ReportFigures): KeyFigure[] {
  const { feedback, health, completeness, visibility } = figures;
  const average = completeness.averageProfileCompleteness;
  const counts: [string, number][] = [
    [names.listingsInSync, health.countListingsInSync],
    [names.listingsSubmitted, health.countListingsSubmitted],
    [names.listingsBeingUpdated, health.countListingsBeingUpdated],
    [names.listingsLinked, health.countListingsLinked],
    [names.listingsActionRequired, health.countListingsActionRequired],
    [names.locationsRequireSync, health.countLocationsRequireSync],
    [names.locationsNeedReview, health.countLocationsNeedsReview],
    [names.unread, feedback.unreadInteractionCount],
  ];
  return [
    { label: names.completeness, format: 'percent', now: average === undefined ? null : average / 100 },
    { label: names.visibilityIndex, format: 'integer', now: visibility.score ?? null },
    ...counts.map(([label, now]): KeyFigure => ({ label, format: 'integer', now })),
  ];
}
