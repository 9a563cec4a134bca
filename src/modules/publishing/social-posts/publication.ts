import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { DB } from '../../../database/schema.ts';
import type { DirectoryPost } from '../../directories/index.ts';
import type { SocialPost } from './social-post.ts';

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

export const publicationResponse = (publication: Publication): Static<typeof PublicationResponse> => ({
  locationId: publication.locationId,
  directory: publication.directoryType,
  ...(publication.listingId !== null && { listingId: publication.listingId }),
  status: publication.status,
  ...(publication.url !== null && { url: publication.url }),
  ...(publication.errorCode !== null && { errorCode: publication.errorCode }),
  ...(publication.message !== null && { message: publication.message }),
  ...(publication.notBefore && { nextTry: publication.notBefore.toISOString() }),
  lastUpdated: publication.lastUpdated.toISOString(),
});

/** A location and a directory to publish to, with the listing if there is one. */
export interface PublicationTarget {
  locationId: number;
  businessId: number;
  directoryType: string;
  listingId: number | null;
  /** External id of the listing. */
  pageId: string | null;
  isConnected: boolean;
}

export function obstacleOf({
  pageId,
  isConnected,
  directoryType,
}: PublicationTarget): { errorCode: string; message: string } | undefined {
  if (pageId === null) {
    return { errorCode: 'NO_PAGE_SELECTED', message: `The location has no listing on ${directoryType} yet.` };
  }
  if (isConnected) return undefined;
  return { errorCode: 'NO_ACCOUNT_CONNECTED', message: `No ${directoryType} account is connected.` };
}

/** The post in the format of one directory. */
export function directoryPost(post: SocialPost, directoryType: string): DirectoryPost {
  const action = post.callToActions.find(({ directory }) => directory === directoryType);
  return {
    type: post.type,
    ...(post.title !== null && { title: post.title }),
    ...(post.description !== null && { description: post.description }),
    photos: post.photos,
    ...(action && { callToAction: { type: action.type, ...(action.url !== undefined && { url: action.url }) } }),
    ...(post.dateStart && { dateStart: post.dateStart.toISOString() }),
    ...(post.dateEnd && { dateEnd: post.dateEnd.toISOString() }),
    ...(post.couponCode !== null && { couponCode: post.couponCode }),
  };
}

const retryDelays = [60, 300, 1800, 7200, 6 * 3600];

/** Undefined after the last attempt to publish. Withdrawals are always repeated: a deleted post must not stay visible. */
export const retryDelaySeconds = ({ status, attempts }: Pick<Publication, 'status' | 'attempts'>): number | undefined =>
  retryDelays[attempts] ?? (status === 'PENDING' ? undefined : retryDelays.at(-1));
