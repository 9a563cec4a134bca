export const rankedBy = [
  'SCORE',
  'PROFILE_COMPLETENESS',
  'VISIBILITY_INDEX',
  'AVERAGE_RATING',
  'RATING_COUNT',
] as const;
export const rankOrders = ['BEST_FIRST', 'WORST_FIRST'] as const;

export const spans = [7, 30, 90] as const;

export interface HomeScope {
  businessIds?: number[];
}
