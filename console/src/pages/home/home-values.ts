import { keysOf } from '../../texts/t.ts';
import { home } from './home-texts.ts';

export const rankedBy = keysOf(home.ranks.rankedBy);
export const rankOrders = ['BEST_FIRST', 'WORST_FIRST'] as const;

export const spans = [7, 30, 90] as const;

export interface HomeScope {
  businessIds?: number[];
}
