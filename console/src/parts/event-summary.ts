import { t, textOrWords } from '../texts/t.ts';

type Event = Readonly<Record<string, unknown>>;

/** Names for the ids and types in an event. Locations: undefined while they load, '' if unknown. */
export interface Names {
  location: (id: number) => string | undefined;
  directory: (type: string) => string;
}

const moves = [
  { from: 'from', to: 'to', label: 'locations.status', values: 'locations.statuses' },
  { from: 'fromListingSyncStatus', to: 'toListingSyncStatus', label: 'listings.syncStatus', values: 'listings.sync' },
  { from: 'fromListingFlowStatus', to: 'toListingFlowStatus', label: 'listings.flowStatus', values: 'listings.flow' },
  {
    from: 'fromListingClaimStatus',
    to: 'toListingClaimStatus',
    label: 'listings.claimStatus',
    values: 'listings.claim',
  },
  { from: 'oldProductPlanName', to: 'newProductPlanName', label: 'events.summary.plan', values: undefined },
  { from: 'fromListingUrl', to: 'toListingUrl', label: 'events.summary.listingUrl', values: undefined },
] as const;

const findings = [
  'newReviewsFound',
  'newPhotosFound',
  'newQuestionsFound',
  'newConversationsFound',
  'newCommentsFound',
  'newCheckinsFound',
  'updatedDataPointIds',
  'invalidDataPointIds',
  'deletedDataPointIds',
] as const;

export const locationOf = ({ location }: Event): number | undefined =>
  typeof location === 'number' ? location : undefined;

/** One-line summary: location, change and comment. */
export function summaryOf(event: Event, names: Names): string {
  return [...subjectOf(event, names), ...movesOf(event), ...findingsOf(event), ...commentsOf(event)].join(' · ');
}

function subjectOf({ location, business, directoryType }: Event, names: Names): string[] {
  const subject =
    typeof location === 'number'
      ? (names.location(location) ?? t('parts.choice.loading')) || t('events.summary.location', { id: location })
      : typeof business === 'number'
        ? t('events.summary.business', { id: business })
        : [];
  return [subject, typeof directoryType === 'string' ? names.directory(directoryType) : []].flat();
}

function movesOf(event: Event): string[] {
  return moves.flatMap(({ from, to, label, values }) => {
    const [before, after] = [event[from], event[to]];
    if (typeof before !== 'string' || typeof after !== 'string' || before === after) return [];
    const [was, is] = [before, after].map((value) => (values ? textOrWords(values, value) : value));
    return `${t(label)}: ${was} → ${is}`;
  });
}

function findingsOf(event: Event): string[] {
  return findings.flatMap((name) => {
    const found = event[name];
    const count = Array.isArray(found) ? found.length : found;
    return typeof count === 'number' && count > 0 ? t(`events.summary.${name}`, { count }) : [];
  });
}

function commentsOf({ comment, messages, fields, updateResult, updateStatus }: Event): string[] {
  const suggested = textsOf(fields).map((field) => textOrWords('locations.fields', field));
  return [
    ...[updateResult, updateStatus].flatMap((value) =>
      typeof value === 'string' ? textOrWords('events.summary.updates', value) : [],
    ),
    ...(suggested.length > 0 ? [suggested.join(', ')] : []),
    ...textsOf(comment).map(withFieldLabels),
    ...textsOf(messages),
  ];
}

/** The comment of LOCATION_PROFILE_CHANGED lists fields of the API: "Changed: phone, openingHours". */
const withFieldLabels = (comment: string): string =>
  comment.replace(
    /^(Changed: )(\w+(?:, \w+)*)$/,
    (_, start: string, fields: string) =>
      start +
      fields
        .split(', ')
        .map((field) => textOrWords('locations.fields', field))
        .join(', '),
  );

const textsOf = (value: unknown): string[] =>
  [value].flat().filter((text): text is string => typeof text === 'string' && text !== '');
