import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { deletable } from '../../../http/validation.ts';
import { type Label, LabelResponse, labelResponse } from '../../catalog/index.ts';
import type { Audience, Targets } from './asset-targets.ts';
import { kindByMimeType } from './file-kind.ts';
import { type TemplateContent, TemplateContentAnswer, templateContentAnswer } from './template-content.ts';

export const assetTypes = ['IMAGE', 'VIDEO', 'DOCUMENT', 'SOCIAL_POST_TEMPLATE'] as const;
export type AssetType = (typeof assetTypes)[number];
export const assetStatuses = ['VISIBLE', 'HIDDEN'] as const;
export type AssetStatus = (typeof assetStatuses)[number];

/** What of an asset people decide, beside the file itself. */
export interface AssetDetails extends Targets {
  name: string;
  description: string | null;
  status: AssetStatus;
  folderId: number | null;
  /** Days, both included. */
  startDate: string | null;
  endDate: string | null;
}

export interface Asset extends AssetDetails {
  id: number;
  partnerId: number;
  type: AssetType;
  mimeType: string | null;
  sizeBytes: number | null;
  width: number | null;
  height: number | null;
  accessToken: string | null;
  fileName: string | null;
  thumbnailName: string | null;
  content: TemplateContent | null;
  createdBy: string;
  dateCreated: Date;
  lastUpdated: Date;
}

const Day = (description: string) => Type.String({ maxLength: 10, description, examples: ['2026-12-01'] });
const ids = (description: string) => Type.Array(Id, { maxItems: 1000, description });

/** By its id, by its name, or as it is answered. */
const LabelReference = Type.Unsafe<number | string | { id?: number; name?: string }>({
  type: ['integer', 'string', 'object'],
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  maxLength: 100,
  properties: { id: Id, name: { type: 'string', maxLength: 100 }, adminOnly: { type: 'boolean' } },
  minProperties: 1,
  description: 'A label: its id, its name, or an object with either',
});

const name = Type.String({ maxLength: 255, description: 'What people call it', examples: ['Summer terrace'] });
const description = Type.String({ maxLength: 2000 });
const status = Type.Enum([...assetStatuses], { description: 'HIDDEN is for those who write assets only' });
const folderId = Type.Integer({ ...Id, description: 'The folder that it lies in; the top level if absent' });
const startDate = Day('The first day on which readers see it');
const endDate = Day('The last day on which readers see it');
const targets = {
  allManagedResources: Type.Boolean({
    description: 'Whether it is for everybody at the partner; true unless it is given to somebody by the three below',
  }),
  locationIds: ids('Locations that it is for'),
  businessIds: ids('Businesses that it is for, with all of their locations'),
  labels: Type.Array(LabelReference, { maxItems: 100, description: 'Labels for whose locations it is' }),
};

/** Everything beside the file. */
export const detailFields = {
  description: Type.Optional(description),
  status: Type.Optional(status),
  folderId: Type.Optional(folderId),
  startDate: Type.Optional(startDate),
  endDate: Type.Optional(endDate),
  ...Type.Partial(Type.Object(targets)).properties,
};

export const changeFields = {
  name: Type.Optional(name),
  description: Type.Optional(deletable(description)),
  status: Type.Optional(status),
  folderId: Type.Optional(deletable(folderId)),
  startDate: Type.Optional(deletable(startDate)),
  endDate: Type.Optional(deletable(endDate)),
  allManagedResources: Type.Optional(targets.allManagedResources),
  locationIds: Type.Optional(deletable(targets.locationIds)),
  businessIds: Type.Optional(deletable(targets.businessIds)),
  labels: Type.Optional(deletable(targets.labels)),
};

export const AssetName = name;
export const AssetChange = Type.Object(changeFields, { title: 'AssetChange' });
export type AssetPatch = Static<typeof AssetChange>;

const moment = Type.String({ description: 'ISO 8601' });

export const AssetAnswer = Type.Object(
  {
    id: Type.Integer({ examples: [4711] }),
    name: Type.String({ examples: ['Summer terrace.jpg'] }),
    description: Type.Optional(Type.String()),
    type: Type.Enum([...assetTypes]),
    status: Type.Enum([...assetStatuses]),
    folderId: Type.Optional(Type.Integer()),
    mimeType: Type.Optional(Type.String({ examples: ['image/jpeg'] })),
    sizeBytes: Type.Optional(Type.Integer({ examples: [482_113] })),
    width: Type.Optional(Type.Integer({ description: 'Of an image or a video, in pixels', examples: [2400] })),
    height: Type.Optional(Type.Integer({ examples: [1600] })),
    url: Type.Optional(
      Type.String({ description: 'The file itself. Whoever has the address can read it without a key.' }),
    ),
    thumbnailUrl: Type.Optional(Type.String({ description: 'Of an image: a small WebP picture of it' })),
    startDate: Type.Optional(Type.String({ examples: ['2026-12-01'] })),
    endDate: Type.Optional(Type.String({ examples: ['2026-12-31'] })),
    allManagedResources: Type.Boolean(),
    locationIds: Type.Array(Type.Integer()),
    businessIds: Type.Array(Type.Integer()),
    labels: Type.Array(LabelResponse),
    content: Type.Optional(TemplateContentAnswer),
    createdBy: Type.String(),
    dateCreated: moment,
    lastUpdated: moment,
  },
  { title: 'Asset' },
);

interface Shown {
  /** Where the API is. */
  address: string;
  /** The labels that the caller may see. */
  labels: readonly Label[];
  /** What the caller may see of the places that it is for; null stands for all of them. */
  audience: Pick<Audience, 'locationIds' | 'businessIds'> | null;
}

const within = (ids: readonly number[], visible: readonly number[] | undefined) =>
  visible ? ids.filter((id) => visible.includes(id)) : [...ids];

export const assetAnswer = (asset: Asset, { address, labels, audience }: Shown): Static<typeof AssetAnswer> => ({
  id: asset.id,
  name: asset.name,
  ...(asset.description !== null && { description: asset.description }),
  type: asset.type,
  status: asset.status,
  ...(asset.folderId !== null && { folderId: asset.folderId }),
  ...(asset.mimeType !== null && { mimeType: asset.mimeType }),
  ...(asset.sizeBytes !== null && { sizeBytes: asset.sizeBytes }),
  ...(asset.width !== null && { width: asset.width }),
  ...(asset.height !== null && { height: asset.height }),
  ...(asset.accessToken !== null && {
    url: `${address}/api/dam/files/${asset.accessToken}${endingOf(asset)}`,
    ...(asset.thumbnailName !== null && { thumbnailUrl: `${address}/api/dam/thumbnails/${asset.accessToken}.webp` }),
  }),
  ...(asset.startDate !== null && { startDate: asset.startDate }),
  ...(asset.endDate !== null && { endDate: asset.endDate }),
  allManagedResources: asset.allManagedResources,
  locationIds: within(asset.locationIds, audience?.locationIds),
  businessIds: within(asset.businessIds, audience?.businessIds),
  labels: labels.filter(({ id }) => asset.labelIds.includes(id)).map(labelResponse),
  ...(asset.content !== null && { content: templateContentAnswer(asset.content) }),
  createdBy: asset.createdBy,
  dateCreated: asset.dateCreated.toISOString(),
  lastUpdated: asset.lastUpdated.toISOString(),
});

/** Some directories judge an address by its ending. */
function endingOf({ mimeType }: Asset): string {
  const kind = kindByMimeType(mimeType ?? '');
  return kind ? `.${kind.extensions[0]}` : '';
}
