import Type from 'typebox';
import type { NumberedPage } from '../../../http/numbered-page.ts';

/** The last id of a page leads to the next one however deep. */
export const afterField = {
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only locations behind this id, instead of page: deep pages at the price of the first',
    }),
  ),
};

export interface Paging extends NumberedPage {
  after?: number;
}

/** Where in the list a page lies. */
export const placeOf = ({ page, size, after }: Paging) =>
  after === undefined ? { offset: page * size, limit: size } : { offset: 0, limit: size, after };

export const upToDateField = {
  upToDate: Type.Boolean({
    description: 'False while so many locations have changed that they are still being counted',
  }),
};
