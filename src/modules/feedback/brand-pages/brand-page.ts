import Type, { type Static } from 'typebox';

/** A page of a brand on a directory. It has its own datapoints. */
export interface BrandPage {
  id: number;
  businessId: number;
  directoryType: string;
  externalId: string;
  name: string;
  url: string | null;
  followers: number;
  lastChecked: Date | null;
  dateCreated: Date;
}

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

export const brandPageResponse = (page: BrandPage): Static<typeof BrandPageResponse> => ({
  id: page.id,
  businessId: page.businessId,
  directoryType: page.directoryType,
  externalId: page.externalId,
  name: page.name,
  ...(page.url !== null && { url: page.url }),
  followers: page.followers,
  ...(page.lastChecked && { lastChecked: page.lastChecked.toISOString() }),
  dateCreated: page.dateCreated.toISOString(),
});
