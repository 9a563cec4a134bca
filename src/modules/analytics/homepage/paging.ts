import Type from 'typebox';
import type { NumberedPage } from '../../../http/pagination.ts';

/** Keyset pagination by location id. */
export const afterField = {
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only locations with a greater id. Use instead of page for fast deep pagination',
    }),
  ),
};

export interface Paging extends NumberedPage {
  after?: number;
}

export const pageOf = ({ page, size, after }: Paging) =>
  after === undefined ? { offset: page * size, limit: size } : { offset: 0, limit: size, after };

export const upToDateField = {
  upToDate: Type.Boolean({
    description: 'false while many changed locations are still being processed',
  }),
};
