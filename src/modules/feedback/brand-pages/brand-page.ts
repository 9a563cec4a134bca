import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { DirectoryBusinessPages } from '../../../database/schema.ts';
import { recordResponse } from '../../../http/record-response.ts';

export const BrandPageResponse = Type.Object(
  {
    id: Type.Integer(),
    businessId: Type.Integer(),
    directoryType: Type.String(),
    externalId: Type.String({ description: "The directory's id of the page" }),
    name: Type.String(),
    url: Type.Optional(Type.String()),
    followers: Type.Integer(),
    lastChecked: Type.Optional(Type.String({ description: 'When the datapoints of the page were last read' })),
    dateCreated: Type.String(),
  },
  { title: 'DirectoryBusinessPage', 'x-resource': 'DirectoryBusinessPage' },
);

/** A page of a brand on a directory. It has its own datapoints. */
export type BrandPage = Pick<Selectable<DirectoryBusinessPages>, keyof Static<typeof BrandPageResponse>>;

export const brandPageResponse = (page: BrandPage): Static<typeof BrandPageResponse> =>
  recordResponse(BrandPageResponse, page);
