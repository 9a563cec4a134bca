import Type, { type Static } from 'typebox';
import type { DirectoryPost } from '../../directories/index.ts';
import type { SocialPost } from './social-post.ts';

/** PENDING is to be published (again), WITHDRAWING to be taken away. */
const publicationStatuses = ['PENDING', 'PUBLISHED', 'FAILED', 'WITHDRAWING', 'WITHDRAWN'] as const;
type PublicationStatus = (typeof publicationStatuses)[number];

/** A post on one directory for one location. */
export interface Publication {
  postId: number;
  locationId: number;
  directoryType: string;
  listingId: number | null;
  status: PublicationStatus;
  /** The directory's own id of the post, and its address. */
  externalId: string | null;
  url: string | null;
  /** The post of an earlier revision, to be taken away once the new one is there. */
  staleExternalId: string | null;
  publishedRevision: number | null;
  errorCode: string | null;
  message: string | null;
  attempts: number;
  notBefore: Date | null;
  lastUpdated: Date;
}

export const PublicationAnswer = Type.Object({
  locationId: Type.Integer(),
  directory: Type.String(),
  listingId: Type.Optional(Type.Integer()),
  status: Type.Enum([...publicationStatuses]),
  url: Type.Optional(Type.String({ description: 'Where the directory shows it' })),
  errorCode: Type.Optional(Type.String()),
  message: Type.Optional(Type.String({ description: 'Why it is not published, or not yet' })),
  nextTry: Type.Optional(Type.String()),
  lastUpdated: Type.String(),
});

export const publicationAnswer = (publication: Publication): Static<typeof PublicationAnswer> => ({
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

/** Where a post is to be: a location, a directory, and the page there if there is one. */
export interface PostPlace {
  locationId: number;
  businessId: number;
  directoryType: string;
  listingId: number | null;
  /** The directory's own id of the page. */
  pageId: string | null;
  isConnected: boolean;
}

/** What keeps a place from being published to. */
export function obstacleOf({
  pageId,
  isConnected,
  directoryType,
}: PostPlace): { errorCode: string; message: string } | undefined {
  if (pageId === null) {
    return { errorCode: 'NO_PAGE_SELECTED', message: `The location has no page on ${directoryType} yet.` };
  }
  if (isConnected) return undefined;
  return { errorCode: 'NO_ACCOUNT_CONNECTED', message: `No account is connected on ${directoryType}.` };
}

/** The post as one directory is to show it. */
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

const waits = [60, 300, 1800, 7200, 6 * 3600];

/** How long to wait after so many tries that did not reach the directory; nothing when it has been enough. */
export const waitAfter = (attempts: number): number | undefined => waits[attempts - 1];
