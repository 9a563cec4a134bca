import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { DB } from '../../../database/schema.ts';
import { Id } from '../../../http/ids.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { deletableFields } from '../../../http/validation.ts';
import { Problem, renameField } from '../../../problems.ts';
import { type Label, LabelResponse } from '../../catalog/index.ts';
import {
  changedContent,
  contentErrors,
  newContent,
  postDirectories,
  rejectErrors,
} from '../social-posts/post-rules.ts';
import {
  NewPost,
  PostChange,
  type PostContent,
  type PostPatch,
  SocialPostResponse,
} from '../social-posts/social-post.ts';
import type { Audience, Targets } from './asset-targets.ts';
import { kindByMimeType } from './file-kind.ts';

/** Fields of posts that templates have. */
const templateFields = [
  'type',
  'title',
  'description',
  'directories',
  'photos',
  'videos',
  'callToActions',
  'couponCode',
  'termsAndConditions',
  'isStoreLocator',
] as const;

/** The content of a post without targets and dates. */
export type TemplateContent = Pick<PostContent, (typeof templateFields)[number]>;

const { directories, ...contentInput } = Type.Pick(NewPost, templateFields).properties;

export const NewTemplateContent = Type.Object(
  { ...contentInput, directories: Type.Optional(directories) },
  {
    title: 'NewSocialTemplateContent',
    examples: [{ type: 'OFFER', title: 'Two for one', description: 'Every Tuesday', couponCode: 'TUESDAY' }],
  },
);
export const TemplateContentChange = Type.Object(Type.Pick(PostChange, templateFields).properties, {
  title: 'SocialTemplateContentChange',
});
const TemplateContentResponse = Type.Object(Type.Pick(SocialPostResponse, templateFields).properties, {
  title: 'SocialTemplateContent',
});

export const newTemplate = (input: Static<typeof NewTemplateContent>): TemplateContent =>
  checkedTemplate(newContent({ directories: [], ...input }, new Date(0)), input);

/** null deletes a field; absent fields keep their values. */
export const changedTemplate = (
  before: TemplateContent,
  patch: Static<typeof TemplateContentChange>,
): TemplateContent =>
  checkedTemplate(
    changedContent({ ...newContent({ directories: [] }, new Date(0)), ...before }, patch as PostPatch, new Date(0)),
    patch,
  );

/** Applies the content rules of posts. */
function checkedTemplate(content: PostContent, input: { callToActions?: unknown[] | null }): TemplateContent {
  if (content.directories.length === 0 && (input.callToActions ?? []).length > 0) throw missingDirectories;
  rejectErrors(contentErrors(content).map((error) => renameField(error, `content.${error.field}`)));
  return Object.fromEntries(templateFields.map((name) => [name, content[name]])) as unknown as TemplateContent;
}

const missingDirectories = new Problem('MISSING_PARAMETER', {
  errors: [
    {
      field: 'content.directories',
      rule: 'required',
      message:
        'content.directories is required if content.callToActions is given. ' +
        `Send one or more of ${postDirectories.map(({ type }) => type).join(', ')}.`,
    },
  ],
});

export const assetTypes = ['IMAGE', 'VIDEO', 'DOCUMENT', 'SOCIAL_POST_TEMPLATE'] as const;
export type AssetType = (typeof assetTypes)[number];
export const assetStatuses = ['VISIBLE', 'HIDDEN'] as const;
export type AssetStatus = (typeof assetStatuses)[number];

/** The editable fields of an asset. */
export interface AssetDetails extends Targets {
  name: string;
  description: string | null;
  status: AssetStatus;
  folderId: number | null;
  /** Inclusive days. */
  startDate: string | null;
  endDate: string | null;
}

type AssetRow = Omit<Selectable<DB['assets']>, 'search' | 'sha256' | 'type' | 'content' | keyof AssetDetails>;

export interface Asset extends AssetDetails, AssetRow {
  type: AssetType;
  content: TemplateContent | null;
}

const Day = (description: string) => Type.String({ maxLength: 10, description, examples: ['2026-12-01'] });
const ids = (description: string) => Type.Array(Id, { maxItems: 1000, description });

/** The object form accepts labels as returned by the API. */
const LabelReference = Type.Unsafe<number | string | { id?: number; name?: string }>({
  type: ['integer', 'string', 'object'],
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  maxLength: 100,
  properties: { id: Id, name: { type: 'string', maxLength: 100 }, adminOnly: { type: 'boolean' } },
  minProperties: 1,
  description: 'A label: its id, its name, or an object with either',
});

export const AssetName = Type.String({ maxLength: 255, description: 'Display name', examples: ['Summer terrace'] });

const details = {
  description: Type.String({ maxLength: 2000 }),
  status: Type.Enum([...assetStatuses], {
    description: 'HIDDEN assets are visible only to users who can write assets',
  }),
  folderId: Type.Integer({ ...Id, description: 'Id of the folder; the top level if absent' }),
  startDate: Day('First day on which the asset is visible'),
  endDate: Day('Last day on which the asset is visible'),
  allManagedResources: Type.Boolean({
    description:
      'Whether the asset is for all locations. Defaults to true if locationIds, businessIds and labels are absent',
  }),
  locationIds: ids('Locations that the asset is for'),
  businessIds: ids('Businesses that the asset is for, with all of their locations'),
  labels: Type.Array(LabelReference, { maxItems: 100, description: 'Labels of the locations that the asset is for' }),
};

export const detailFields = Type.Partial(Type.Object(details)).properties;

/** The status and allManagedResources cannot be deleted. */
export const changeFields = {
  name: Type.Optional(AssetName),
  ...deletableFields(details),
  status: detailFields.status,
  allManagedResources: detailFields.allManagedResources,
};

export const AssetChange = Type.Object(changeFields, { title: 'AssetChange' });
export type AssetPatch = Static<typeof AssetChange>;

const moment = Type.String({ description: 'ISO 8601' });

export const AssetResponse = Type.Object(
  {
    id: Type.Integer({ examples: [4711] }),
    name: Type.String({ examples: ['Summer terrace.jpg'] }),
    description: Type.Optional(Type.String()),
    type: Type.Enum([...assetTypes]),
    status: Type.Enum([...assetStatuses]),
    folderId: Type.Optional(Type.Integer()),
    mimeType: Type.Optional(Type.String({ examples: ['image/jpeg'] })),
    sizeBytes: Type.Optional(Type.Integer({ examples: [482_113] })),
    width: Type.Optional(Type.Integer({ description: 'Width of an image or video in pixels', examples: [2400] })),
    height: Type.Optional(Type.Integer({ examples: [1600] })),
    url: Type.Optional(Type.String({ description: 'URL of the file. It can be read without a key' })),
    thumbnailUrl: Type.Optional(Type.String({ description: 'URL of a WebP thumbnail, for images' })),
    startDate: Type.Optional(Type.String({ examples: ['2026-12-01'] })),
    endDate: Type.Optional(Type.String({ examples: ['2026-12-31'] })),
    allManagedResources: Type.Boolean(),
    locationIds: Type.Array(Type.Integer()),
    businessIds: Type.Array(Type.Integer()),
    labels: Type.Array(LabelResponse),
    content: Type.Optional(TemplateContentResponse),
    createdBy: Type.String(),
    dateCreated: moment,
    lastUpdated: moment,
  },
  { title: 'Asset' },
);

interface ResponseContext {
  /** Public URL of the API. */
  publicUrl: string;
  /** Labels that the caller can access. */
  labels: readonly Label[];
  /** Locations and businesses that the caller can access; null: all. */
  audience: Pick<Audience, 'locationIds' | 'businessIds'> | null;
}

function within(ids: readonly number[], visible: readonly number[] | undefined): number[] {
  if (!visible || ids.length === 0) return [...ids];
  const known = new Set(visible);
  return ids.filter((id) => known.has(id));
}

export const assetResponse = (
  asset: Asset,
  { publicUrl, labels, audience }: ResponseContext,
): Static<typeof AssetResponse> => {
  const { accessToken, thumbnailName, content } = asset;
  const hasThumbnail = accessToken !== null && thumbnailName !== null;
  return recordResponse(AssetResponse, {
    ...asset,
    url: accessToken && `${publicUrl}/api/dam/files/${accessToken}${extensionSuffix(asset)}`,
    thumbnailUrl: hasThumbnail ? `${publicUrl}/api/dam/thumbnails/${accessToken}.webp` : null,
    locationIds: within(asset.locationIds, audience?.locationIds),
    businessIds: within(asset.businessIds, audience?.businessIds),
    labels: labels.filter(({ id }) => asset.labelIds.includes(id)),
    content: content && recordResponse(TemplateContentResponse, content),
  });
};

/** Some directories detect the type of a file by the extension in its URL. */
function extensionSuffix({ mimeType }: Asset): string {
  const kind = kindByMimeType(mimeType ?? '');
  return kind ? `.${kind.extensions[0]}` : '';
}
