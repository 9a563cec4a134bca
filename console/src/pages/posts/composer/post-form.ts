import type { UseFormReturnType } from '@mantine/form';
import type { NewSocialPost, SocialPost, SocialTemplateContent } from '../../../api/api-types.ts';
import { localText, momentOrText } from '../../../parts/periods.ts';

type Action = SocialPost['callToActions'][number];

/** Times are local, in the format of date inputs. */
export interface PostValues {
  type: SocialPost['type'];
  title: string;
  description: string;
  directories: string[];
  locationIds: number[];
  businessIds: number[];
  labels: number[];
  publicationDate: string;
  dateStart: string;
  dateEnd: string;
  photos: { photo: string; description: string }[];
  videos: string[];
  callToActions: { directory: string; type: Action['type']; url: string }[];
  couponCode: string;
  termsAndConditions: string;
  isStoreLocator: boolean;
}

export type PostForm = UseFormReturnType<PostValues>;

export const blankPost: PostValues = {
  type: 'POST',
  title: '',
  description: '',
  directories: [],
  locationIds: [],
  businessIds: [],
  labels: [],
  publicationDate: '',
  dateStart: '',
  dateEnd: '',
  photos: [],
  videos: [],
  callToActions: [],
  couponCode: '',
  termsAndConditions: '',
  isStoreLocator: true,
};

export function valuesOf(post: SocialPost): PostValues {
  return {
    ...contentOf(post),
    locationIds: post.locationIds,
    businessIds: post.businessIds,
    labels: post.labels.map(({ id }) => id),
    publicationDate: inputTextOf(post.publicationDate),
    dateStart: inputTextOf(post.dateStart),
    dateEnd: inputTextOf(post.dateEnd),
  };
}

export function contentOf(content: SocialTemplateContent) {
  return {
    type: content.type,
    title: content.title ?? '',
    description: content.description ?? '',
    directories: content.directories,
    photos: content.photos.map(({ photo, description = '' }) => ({ photo, description })),
    videos: content.videos,
    callToActions: content.callToActions.map(({ directory, type, url = '' }) => ({ directory, type, url })),
    couponCode: content.couponCode ?? '',
    termsAndConditions: content.termsAndConditions ?? '',
    isStoreLocator: content.isStoreLocator,
  };
}

const inputTextOf = (moment: string | undefined): string => (moment ? localText(new Date(moment)) : '');

/** Other types of posts have an end, but no start. */
export const hasStart = (type: PostValues['type']): boolean => type === 'OFFER' || type === 'EVENT';

/** Omits empty fields and fields of other post types. */
export function newPostOf(values: PostValues): NewSocialPost {
  const { locationIds, businessIds, labels, publicationDate, dateStart, dateEnd } = values;
  return {
    ...templateOf(values),
    locationIds,
    businessIds,
    labels: labels.map((id) => ({ id })),
    ...(publicationDate && { publicationDate: momentOrText(publicationDate) }),
    ...(hasStart(values.type) && dateStart && { dateStart: momentOrText(dateStart) }),
    ...(dateEnd && { dateEnd: momentOrText(dateEnd) }),
  };
}

export function templateOf(values: PostValues) {
  const { type, title, description, directories, photos, videos, callToActions, isStoreLocator } = values;
  const { couponCode, termsAndConditions } = values;
  return {
    type,
    directories,
    isStoreLocator,
    // An absent description is not changed by the API, "" deletes it.
    photos: photos.map(({ photo, description: text }) => ({ photo: photo.trim(), description: text.trim() })),
    videos,
    callToActions: callToActions
      .filter(({ directory }) => directories.includes(directory))
      .map(({ directory, type: action, url }) => ({ directory, type: action, ...(url.trim() && { url: url.trim() }) })),
    ...(title.trim() && { title: title.trim() }),
    ...(description.trim() && { description: description.trim() }),
    ...(type === 'OFFER' && couponCode.trim() && { couponCode: couponCode.trim() }),
    ...(type === 'OFFER' && termsAndConditions.trim() && { termsAndConditions: termsAndConditions.trim() }),
  };
}

/** Changed fields only; cleared fields are null. */
export function changesOf(before: PostValues, values: PostValues): Record<string, unknown> {
  const saved: Record<string, unknown> = { ...newPostOf(before) };
  const entered: Record<string, unknown> = { ...newPostOf(values) };
  const changed = Object.keys({ ...saved, ...entered }).filter(
    (name) => JSON.stringify(saved[name]) !== JSON.stringify(entered[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, entered[name] ?? null]));
}
