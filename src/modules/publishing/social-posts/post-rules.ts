import { isInRange } from '../../../http/period.ts';
import { validationProblem } from '../../../http/validation.ts';
import { type FieldError, invalidField, Problem } from '../../../problems.ts';
import { isDay } from '../../../values/span.ts';
import { directoryList, directoryName } from '../../directories/index.ts';
import type {
  CallToAction,
  CallToActionInput,
  PostContent,
  PostInput,
  PostPatch,
  PostPhoto,
  PostStatus,
} from './social-post.ts';

const defaults = {
  type: 'POST' as const,
  title: null,
  description: null,
  dateStart: null,
  dateEnd: null,
  locationIds: [],
  businessIds: [],
  labelIds: [],
  photos: [],
  videos: [],
  callToActions: [],
  couponCode: null,
  termsAndConditions: null,
  isStoreLocator: true,
};

export const newContent = (input: PostInput, now: Date): PostContent =>
  changedContent({ ...defaults, directories: [], publicationDate: now }, input, now);

/** Applies a patch; null resets a field to its default. */
export function changedContent(
  content: PostContent,
  { status: _, labels, photos, callToActions, ...patch }: PostPatch,
  now: Date,
): PostContent {
  const given = Object.entries(patch).map(([name, value]) => {
    const isMoment = name === 'publicationDate' || name === 'dateStart' || name === 'dateEnd';
    if (value === null) return [name, name === 'publicationDate' ? now : defaults[name as keyof typeof defaults]];
    return [name, isMoment ? momentOf(name, value as string | number) : value];
  });
  const next = { ...content, ...Object.fromEntries(given) } as PostContent;
  const labelIds =
    labels === undefined
      ? content.labelIds
      : (labels ?? []).flatMap((label) => (typeof label === 'number' ? label : (label.id ?? [])));
  const directories = [...new Set(next.directories)];
  return {
    ...next,
    ...(photos !== undefined && { photos: mergePhotos(content.photos, photos ?? []) }),
    ...(callToActions !== undefined && {
      callToActions: mergeCallToActions(content.callToActions, callToActions ?? [], directories),
    }),
    labelIds: [...new Set(labelIds)],
    directories,
    locationIds: [...new Set(next.locationIds)],
    businessIds: [...new Set(next.businessIds)],
  };
}

/**
 * For versions with one date for publication and start. Offers and events whose dates differ keep their publication
 * date.
 */
export function mergeStartAndPublicationDate(post: PostContent, patch: PostPatch): PostPatch {
  const { publicationDate, dateStart: _, ...rest } = patch;
  const { type = post.type } = patch;
  if (publicationDate === undefined || publicationDate === null) return patch;
  if (type !== 'OFFER' && type !== 'EVENT') return { ...rest, publicationDate };
  const isSameDate = !post.dateStart || post.dateStart.getTime() === post.publicationDate.getTime();
  return { ...rest, dateStart: publicationDate, ...(isSameDate && { publicationDate }) };
}

/** Existing photos keep their description unless a new one is given; "" removes it. */
function mergePhotos(before: readonly PostPhoto[], given: readonly PostPhoto[]): PostPhoto[] {
  return given.map(({ photo, description = before.find((other) => other.photo === photo)?.description }) => ({
    photo,
    ...(description && { description }),
  }));
}

/**
 * An action without a directory is merged into the first action and equal ones. Without existing actions it applies to
 * all directories.
 */
function mergeCallToActions(
  before: readonly CallToAction[],
  given: readonly CallToActionInput[],
  directories: readonly string[],
): CallToAction[] {
  const named = given.filter((action): action is CallToAction => action.directory !== undefined).map(withType);
  const [single] = given.filter(({ directory }) => directory === undefined);
  if (!single) return named;
  const isNamed = (directory: string) => named.some((action) => action.directory === directory);
  const present = before.filter(({ directory }) => directories.includes(directory));
  const [first] = present;
  if (!first) {
    const remaining = directories.filter((directory) => !isNamed(directory));
    return [...named, ...remaining.map((directory) => withType({ ...single, directory }))];
  }
  const kept = present.filter(({ directory }) => !isNamed(directory));
  return [
    ...named,
    ...kept.map((action) =>
      action.type === first.type && action.url === first.url ? { ...action, ...single } : action,
    ),
  ];
}

const withType = ({ type = 'LEARN_MORE', ...action }: CallToActionInput & { directory: string }): CallToAction => ({
  ...action,
  type,
});

const iso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

export function momentOf(field: string, given: string | number): Date {
  const isText = typeof given === 'string' && !/^\d+$/.test(given);
  const moment = new Date(isText ? given : Number(given));
  // Date would read 30 February as 2 March.
  if (isInRange(moment) && (!isText || (iso.test(given) && isDay(given.slice(0, 10))))) return moment;
  const message = `${field} must be an ISO 8601 date-time such as 2026-12-24T09:00:00Z, or milliseconds since the Unix epoch, from 1970 to 9999.`;
  throw invalidField(field, 'moment', message);
}

/** `before`: the stored post. A post without a required photo can still be changed and withdrawn. */
export function checkContent(content: PostContent, before?: PostContent): void {
  rejectErrors([
    ...dateErrors(content),
    ...targetErrors(content),
    ...contentErrors(content),
    ...(before && photoErrors(before).length > 0 ? [] : photoErrors(content)),
  ]);
}

export function rejectErrors(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw validationProblem(errors);
}

/** Rules that do not depend on targets and dates. */
export const contentErrors = (content: PostContent): FieldError[] => [
  ...textErrors(content),
  ...directoryErrors(content),
  ...actionErrors(content),
];

const required = (field: string, reason: string): FieldError => ({
  field,
  rule: 'required',
  message: `${field} is required: ${reason}.`,
});

function textErrors({ type, title, description, couponCode, termsAndConditions }: PostContent): FieldError[] {
  const errors: FieldError[] = [];
  if (type !== 'POST' && !title?.trim()) errors.push(required('title', `every ${type} must have a title`));
  if ((type === 'POST' || type === 'QUESTION_AND_ANSWER') && !description?.trim()) {
    errors.push(required('description', `every ${type} must have a description`));
  }
  if (type === 'OFFER') return errors;
  const offerFields = { couponCode, termsAndConditions };
  for (const [field, value] of Object.entries(offerFields)) {
    if (value === null) continue;
    const message = `${field} is allowed for OFFER only. The type of this post is ${type}.`;
    errors.push({ field, rule: 'type-of-post', message });
  }
  return errors;
}

function dateErrors({ type, publicationDate, dateStart, dateEnd }: PostContent): FieldError[] {
  const errors: FieldError[] = [];
  if ((type === 'OFFER' || type === 'EVENT') && !dateStart) {
    errors.push(required('dateStart', `every ${type} must have a start date`));
  }
  const after = (earlier: string, moment: Date) => {
    const message = `dateEnd must be after ${earlier} (${moment.toISOString()}).`;
    errors.push({ field: 'dateEnd', rule: 'order', message });
  };
  if (dateEnd && dateStart && dateEnd <= dateStart) after('dateStart', dateStart);
  else if (dateEnd && dateEnd <= publicationDate) after('publicationDate', publicationDate);
  return errors;
}

const targetErrors = ({ locationIds, businessIds, labelIds }: PostContent): FieldError[] =>
  locationIds.length + businessIds.length + labelIds.length > 0
    ? []
    : [required('locationIds', 'send locationIds, businessIds or labels')];

/** Directories count title, line break and description. */
const postText = ({ title, description }: Pick<PostContent, 'title' | 'description'>): string =>
  [title, description].filter((part) => part?.trim()).join('\n');

export const postDirectories = directoryList.filter(({ supports }) => supports.socialPosts);

export const unsupportedDirectory = (type: string, index: number): FieldError => ({
  field: `directories[${index}]`,
  rule: 'enum',
  message: `directories[${index}] must be one of ${postDirectories.map((directory) => directory.type).join(', ')}. "${type}" does not support posts.`,
});

function directoryErrors(content: PostContent): FieldError[] {
  const { length } = postText(content);
  return content.directories.flatMap((type, index): FieldError[] => {
    const directory = postDirectories.find((candidate) => candidate.type === type);
    if (!directory) return [unsupportedDirectory(type, index)];
    if (length <= directory.postMaxLength) return [];
    const message = `${directory.name} accepts at most ${directory.postMaxLength} characters for title and description together. They have ${length}.`;
    return [{ field: 'description', rule: 'maxLength', message }];
  });
}

const directoriesWithPhotosOnly = ['INSTAGRAM'];

function photoErrors({ directories, photos }: PostContent): FieldError[] {
  if (photos.length > 0) return [];
  const refusing = directoriesWithPhotosOnly.filter((type) => directories.includes(type));
  return refusing.map((type) => ({
    field: 'photos',
    rule: 'minItems',
    message: `${directoryName(type)} accepts only posts with a photo. Add a photo, or publish on other directories only.`,
  }));
}

function actionErrors({ callToActions, directories }: PostContent): FieldError[] {
  return callToActions.flatMap(({ directory, type, url }, index): FieldError[] => {
    const field = `callToActions[${index}]`;
    if (!directories.includes(directory)) {
      const message = `${field}.directory must be one of the post's directories: ${directories.join(', ')}.`;
      return [{ field: `${field}.directory`, rule: 'enum', message }];
    }
    if (callToActions.findIndex((other) => other.directory === directory) < index) {
      const message = `${directory} already has a call to action. Only one per directory is allowed.`;
      return [{ field, rule: 'unique', message }];
    }
    return type !== 'CALL' && url === undefined
      ? [required(`${field}.url`, 'only actions of type CALL can omit it')]
      : [];
  });
}

/** Statuses that users can set. The others follow from dates and directories. */
export const settableStatuses = ['SCHEDULED', 'INACTIVE'] as const;
type SettableStatus = (typeof settableStatuses)[number];

export const isSettable = (status: PostStatus): status is SettableStatus =>
  (settableStatuses as readonly PostStatus[]).includes(status);

const transitions: Readonly<Record<SettableStatus, readonly PostStatus[]>> = {
  SCHEDULED: ['INACTIVE', 'IMPOSSIBLE', 'REJECTED'],
  INACTIVE: ['SCHEDULED', 'ACTIVE', 'APPROVAL_NEEDED'],
};

export function checkTransition(id: number, from: PostStatus, to: SettableStatus): void {
  if (transitions[to].includes(from)) return;
  throw new Problem('CONFLICT', {
    message: `Social post ${id} is ${from} and cannot become ${to}. Allowed current statuses: ${transitions[to].join(', ')}.`,
  });
}
