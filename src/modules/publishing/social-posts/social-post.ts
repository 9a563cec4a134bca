import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { DB } from '../../../database/schema.ts';
import { Id } from '../../../http/ids.ts';
import { fieldNames, recordResponse } from '../../../http/record-response.ts';
import { deletableFields } from '../../../http/validation.ts';
import { httpScheme } from '../../../values/urls.ts';
import { type Label, LabelResponse } from '../../catalog/index.ts';
import { type DirectoryPost, directoryName } from '../../directories/index.ts';

export const postTypes = ['POST', 'OFFER', 'EVENT', 'QUESTION_AND_ANSWER'] as const;
export type PostType = (typeof postTypes)[number];

export const postStatuses = [
  'SCHEDULED',
  'APPROVAL_NEEDED',
  'ACTIVE',
  'INACTIVE',
  'ENDED',
  'REJECTED',
  'IMPOSSIBLE',
  'DELETED',
] as const;
export type PostStatus = (typeof postStatuses)[number];

const actionTypes = ['BOOK', 'ORDER', 'BUY', 'LEARN_MORE', 'SIGN_UP', 'GET_OFFER', 'CALL'] as const;

export const Moment = Type.Unsafe<string | number>({
  type: ['string', 'integer'],
  description: 'An ISO 8601 date-time, or milliseconds since the Unix epoch',
});
const DirectoryType = Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,49}$', description: 'A directory such as GOOGLE' });
const Url = Type.String({ pattern: `^${httpScheme}\\S+$`, maxLength: 2048, description: 'An http or https URL' });

const PostPhoto = Type.Object(
  {
    photo: Url,
    description: Type.Optional(Type.String({ maxLength: 255, description: 'Description of the photo' })),
  },
  { title: 'PostPhoto' },
);
export type PostPhoto = Static<typeof PostPhoto>;

/** Without a directory it is merged into the first action and equal ones, or applies to all directories. */
const CallToActionInput = Type.Object(
  {
    directory: Type.Optional(DirectoryType),
    type: Type.Optional(Type.Enum([...actionTypes])),
    url: Type.Optional(Url),
  },
  { title: 'CallToActionInput' },
);
export type CallToActionInput = Static<typeof CallToActionInput>;

const CallToAction = Type.Object(
  { directory: DirectoryType, type: Type.Enum([...actionTypes]), url: Type.Optional(Url) },
  { title: 'CallToAction' },
);
export type CallToAction = Static<typeof CallToAction>;

/** The object form accepts labels as returned by the API. */
const LabelReference = Type.Unsafe<number | { id?: number; name?: string }>({
  type: ['integer', 'object'],
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  properties: { id: Id, name: { type: 'string', maxLength: 100 }, adminOnly: { type: 'boolean' } },
  minProperties: 1,
  description: 'A label: its id, or an object with its id or name',
});

const ids = (description: string) => Type.Array(Id, { maxItems: 10_000, description });

const contentFields = {
  title: Type.String({ maxLength: 300, description: 'Title, or the question of a QUESTION_AND_ANSWER' }),
  description: Type.String({ maxLength: 10_000, description: 'Text, or the answer of a QUESTION_AND_ANSWER' }),
  locationIds: ids('Locations to publish for'),
  businessIds: ids('Businesses for whose locations to publish'),
  labels: Type.Array(LabelReference, { maxItems: 100, description: 'Labels for whose locations to publish' }),
  publicationDate: Moment,
  dateStart: Moment,
  dateEnd: Moment,
  photos: Type.Array(PostPhoto, { maxItems: 10, description: 'Photos in display order. Required on INSTAGRAM' }),
  videos: Type.Array(Url, { maxItems: 1, description: 'At most one video' }),
  callToActions: Type.Array(CallToActionInput, { maxItems: 50, description: 'At most one per directory' }),
  couponCode: Type.String({ maxLength: 58, description: 'For OFFER only' }),
  termsAndConditions: Type.String({ maxLength: 5000, description: 'For OFFER only' }),
};

const type = Type.Enum([...postTypes], { description: 'Defaults to POST' });
const directories = Type.Array(DirectoryType, { minItems: 1, maxItems: 50, description: 'Directories to publish on' });
const isStoreLocator = Type.Boolean({
  description: 'Whether store finders show the published post in the details of its locations. Defaults to true',
});

export const NewPost = Type.Object(
  {
    directories,
    type: Type.Optional(type),
    isStoreLocator: Type.Optional(isStoreLocator),
    ...Type.Partial(Type.Object(contentFields)).properties,
  },
  { title: 'NewSocialPost', 'x-resource': 'SocialPost' },
);
export type PostInput = Static<typeof NewPost>;

/** null deletes a field; absent fields keep their values. */
export const PostChange = Type.Object(
  {
    directories: Type.Optional(directories),
    type: Type.Optional(type),
    isStoreLocator: Type.Optional(isStoreLocator),
    status: Type.Optional(
      Type.Enum([...postStatuses], {
        description:
          'INACTIVE withdraws the post, SCHEDULED publishes it (again). Other values must equal the current status',
      }),
    ),
    ...deletableFields(contentFields),
  },
  { title: 'SocialPostChange', 'x-resource': 'SocialPost' },
);
export type PostPatch = Static<typeof PostChange>;

type InternalColumn = 'plannedRevision' | 'reach' | 'search' | 'targetBusinessIds';

/** `revision` is incremented with every change. A publication names the revision that the directory shows. */
export interface SocialPost
  extends Omit<Selectable<DB['socialPosts']>, InternalColumn | 'type' | 'status' | 'photos' | 'callToActions'> {
  type: PostType;
  status: PostStatus;
  photos: PostPhoto[];
  callToActions: CallToAction[];
}

/** The columns of the editable fields. */
export const contentColumns = [...fieldNames(Type.Omit(NewPost, ['labels'])), 'labelIds'] as const;

export type PostContent = Pick<SocialPost, (typeof contentColumns)[number]>;
export type PostTargets = Pick<SocialPost, 'locationIds' | 'businessIds' | 'labelIds'>;

const moment = Type.String();

export const SocialPostResponse = Type.Object(
  {
    id: Type.Integer(),
    type: Type.Enum([...postTypes]),
    status: Type.Enum([...postStatuses]),
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    directories: Type.Array(Type.String()),
    locationIds: Type.Array(Type.Integer()),
    businessIds: Type.Array(Type.Integer()),
    labels: Type.Array(LabelResponse),
    publicationDate: moment,
    dateStart: Type.Optional(moment),
    dateEnd: Type.Optional(moment),
    photos: Type.Array(PostPhoto),
    videos: Type.Array(Type.String()),
    callToActions: Type.Array(CallToAction),
    couponCode: Type.Optional(Type.String()),
    termsAndConditions: Type.Optional(Type.String()),
    isStoreLocator: Type.Boolean(),
    rejectionReason: Type.Optional(Type.String()),
    createdBy: Type.String(),
    dateCreated: moment,
    lastUpdated: moment,
  },
  { title: 'SocialPost', 'x-resource': 'SocialPost' },
);

export const socialPostResponse = (post: SocialPost, labels: readonly Label[]): Static<typeof SocialPostResponse> =>
  recordResponse(SocialPostResponse, { ...post, labels: labels.filter(({ id }) => post.labelIds.includes(id)) });

/** PENDING: to be published (again). WITHDRAWING: to be removed. */
const publicationStatuses = ['PENDING', 'PUBLISHED', 'FAILED', 'WITHDRAWING', 'WITHDRAWN'] as const;
type PublicationStatus = (typeof publicationStatuses)[number];

type PublicationRow = Selectable<DB['socialPostPublications']>;

/** A post on one directory for one location. `staleExternalId` is the post of an earlier revision, to be removed. */
export interface Publication extends Omit<PublicationRow, 'status' | 'businessId' | 'publishedAt' | `lease${string}`> {
  status: PublicationStatus;
}

export const PublicationResponse = Type.Object({
  locationId: Type.Integer(),
  directory: Type.String(),
  listingId: Type.Optional(Type.Integer()),
  status: Type.Enum([...publicationStatuses]),
  url: Type.Optional(Type.String({ description: 'URL of the post on the directory' })),
  errorCode: Type.Optional(Type.String()),
  message: Type.Optional(Type.String({ description: 'Why the post is not published' })),
  nextTry: Type.Optional(Type.String()),
  lastUpdated: Type.String(),
});

export const publicationResponse = (publication: Publication): Static<typeof PublicationResponse> =>
  recordResponse(PublicationResponse, {
    ...publication,
    directory: publication.directoryType,
    nextTry: publication.notBefore,
  });

interface Obstacle {
  errorCode: 'NO_PAGE_SELECTED' | 'NO_ACCOUNT_CONNECTED';
  message: string;
}

/** `pageId` is the external id of the listing. */
export function obstacleOf(target: {
  directoryType: string;
  pageId: string | null;
  isConnected: boolean;
}): Obstacle | undefined {
  const name = directoryName(target.directoryType);
  if (target.pageId === null) {
    const message = `The location has no listing on ${name} yet. Sync the location first.`;
    return { errorCode: 'NO_PAGE_SELECTED', message };
  }
  if (target.isConnected) return undefined;
  return { errorCode: 'NO_ACCOUNT_CONNECTED', message: `No ${name} account is connected. Connect one to the listing.` };
}

/** The post in the format of one directory. */
export function directoryPost(post: SocialPost, directoryType: string): DirectoryPost {
  const action = post.callToActions.find(({ directory }) => directory === directoryType);
  return {
    ...recordResponse(SentFields, post),
    ...(post.videos.length > 0 && { videos: post.videos }),
    ...(action && { callToAction: { type: action.type, ...(action.url !== undefined && { url: action.url }) } }),
  };
}

const SentFields = Type.Pick(SocialPostResponse, [
  'type',
  'title',
  'description',
  'photos',
  'dateStart',
  'dateEnd',
  'couponCode',
  'termsAndConditions',
]);

const retryDelays = [60, 300, 1800, 7200, 6 * 3600];

/** Undefined after the last attempt to publish. Withdrawals are always repeated: a deleted post must not stay visible. */
export const retryDelaySeconds = ({
  status,
  staleExternalId,
  attempts,
}: Pick<Publication, 'status' | 'staleExternalId' | 'attempts'>): number | undefined =>
  retryDelays[attempts] ?? (status === 'PENDING' && staleExternalId === null ? undefined : retryDelays.at(-1));
