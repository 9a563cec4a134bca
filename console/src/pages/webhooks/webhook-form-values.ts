import type { InputOf } from '../../api/call.ts';
import { type CertificateValues, certificateChange, certificateOf } from './certificate-values.ts';
import { conditionsOf, isComplete } from './filter-conditions.ts';
import { type OAuthValues, oauthChange, oauthOf } from './oauth-values.ts';
import type { EventTypeName, Webhook } from './webhook-values.ts';

/** Undefined: the webhooks have different values, and keep them. */
export interface Values extends OAuthValues, CertificateValues {
  types: EventTypeName[];
  pushUrl: string;
  /** Credentials of a broker are saved. */
  hasCredentials: boolean;
  description: string | undefined;
  /** Seconds, separated by commas. */
  retrySchedule: string | undefined;
  /** JSON; empty for none. */
  filter: string | undefined;
  headers: HeaderValue[];
  /** Empty for none. */
  maxPerSecond: string | number | undefined;
  timeoutSeconds: string | number | undefined;
  asymmetricSignature: boolean | undefined;
  cloudEvents: boolean | undefined;
  ordered: boolean | undefined;
  includeChildren: boolean | undefined;
  enabled: boolean | undefined;
}

export interface HeaderValue {
  /** For React. */
  key: string;
  name: string;
  /** Empty if the saved value is kept. */
  value: string;
  isSaved: boolean;
}

type NewWebhook = InputOf<'POST /api/sales-partners/webhooks'>['body'];
export type DestinationChange = NonNullable<InputOf<'PATCH /api/sales-partners/webhooks/destinations'>['body']>;

/** Of a new webhook if there are none. */
export function valuesOf(webhooks: readonly Webhook[], types = webhooks.map(({ type }) => type)): Values {
  const shared = <T>(read: (webhook: Webhook) => T, initial: T): T | undefined => {
    const [first = initial, ...others] = webhooks.map(read);
    return others.every((other) => other === first) ? first : undefined;
  };
  return {
    types,
    pushUrl: webhooks[0]?.pushUrl ?? '',
    hasCredentials: webhooks.some(({ hasCredentials = false }) => hasCredentials),
    description: shared(({ description = '' }) => description, ''),
    retrySchedule: shared(({ retrySchedule }) => retrySchedule?.join(', ') ?? '', ''),
    filter: shared(({ filter }) => jsonOf(filter), ''),
    headers: [...new Set(webhooks.flatMap(({ headerNames = [] }) => headerNames))].map((name) => ({
      key: name,
      name,
      value: '',
      isSaved: true,
    })),
    ...oauthOf(webhooks),
    ...certificateOf(webhooks),
    maxPerSecond: shared<string | number>(({ maxPerSecond = '' }) => maxPerSecond, ''),
    timeoutSeconds: shared<string | number>(({ timeoutSeconds = '' }) => timeoutSeconds, ''),
    asymmetricSignature: shared(({ publicKeysPath }) => publicKeysPath !== undefined, false),
    cloudEvents: shared(({ cloudEvents }) => cloudEvents, false),
    ordered: shared(({ ordered }) => ordered, false),
    includeChildren: shared(({ includeChildren }) => includeChildren, true),
    enabled: shared(({ enabled }) => enabled, true),
  };
}

const jsonOf = (filter: object | undefined): string => (filter ? JSON.stringify(filter, null, 2) : '');

/** Undefined if the text is not a JSON object, null if it is empty. */
export function filterOf(typed: string): Record<string, unknown> | null | undefined {
  if (!typed.trim()) return null;
  try {
    const filter: unknown = JSON.parse(typed);
    return typeof filter === 'object' && filter ? (filter as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a condition lacks its field or value. */
export function isIncomplete(typed: string): boolean {
  const filter = filterOf(typed);
  const conditions = filter === undefined ? undefined : conditionsOf(filter);
  return conditions !== undefined && !isComplete(conditions);
}

const numberOf = (typed: string | number | undefined): number | null =>
  typed === undefined || typed === '' ? null : Number(typed);

/** The headers to set, and with null those to remove. */
function headerChanges(before: readonly HeaderValue[], headers: readonly HeaderValue[]) {
  const removed = before.filter(({ name }) => !headers.some((header) => header.name === name));
  const set = headers.filter(({ value, isSaved }) => !isSaved || value !== '');
  return Object.fromEntries<string | null>([
    ...removed.map(({ name }) => [name, null] as const),
    ...set.map(({ name, value }) => [name.trim(), value.trim()] as const),
  ]);
}

/** Saved credentials are not sent to another origin: they must be entered again. */
export const changesOrigin = (before: { pushUrl: string }, { pushUrl }: { pushUrl: string }): boolean =>
  before.pushUrl !== '' && serverOf(pushUrl.trim()) !== serverOf(before.pushUrl);

/** URLs of brokers have no origin. */
function serverOf(pushUrl: string): string | undefined {
  const url = URL.parse(pushUrl);
  return url ? `${url.protocol}//${url.host}` : undefined;
}

export const keepsHeaderValues = (headers: readonly HeaderValue[]): boolean =>
  headers.some(({ value, isSaved }) => isSaved && !value.trim());

export const wrongHeaders = (headers: readonly HeaderValue[]): boolean =>
  headers.some(({ name, value, isSaved }) => !isSaved && !(name.trim() && value.trim()));

const waitsOf = (typed: string): number[] =>
  typed
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);

export function wrongRetries(typed: string): boolean {
  const waits = waitsOf(typed);
  return waits.length > 10 || waits.some((wait) => !Number.isInteger(wait) || wait < 1 || wait > 86_400);
}

export function bodyOf(values: Values): NewWebhook {
  const { types, pushUrl, includeChildren = true, enabled = true } = values;
  const others = changesOf(valuesOf([]), values) as Omit<NewWebhook, 'types'>;
  return { ...others, types, pushUrl: pushUrl.trim(), includeChildren, enabled };
}

const switchFields = ['includeChildren', 'enabled', 'asymmetricSignature', 'cloudEvents', 'ordered'] as const;

/** Changed fields only, so concurrent changes are kept. */
export function changesOf(before: Values, values: Values): DestinationChange {
  const { types } = values;
  const headers = headerChanges(before.headers, values.headers);
  const oauth = oauthChange(before, values);
  const clientCertificate = certificateChange(before, values);
  const isChanged = (field: keyof Values) => values[field] !== undefined && values[field] !== before[field];
  const numbers = (['maxPerSecond', 'timeoutSeconds'] as const).filter(isChanged);
  const switches = switchFields.filter(isChanged);
  const pushUrl = values.pushUrl.trim();
  const description = values.description?.trim();
  const waits = values.retrySchedule === undefined ? undefined : waitsOf(values.retrySchedule);
  const filter = values.filter === undefined ? undefined : filterOf(values.filter);
  const hasOtherFilter = filter !== undefined && jsonOf(filter ?? undefined) !== before.filter;
  const hasOtherTypes = types.length !== before.types.length || types.some((type) => !before.types.includes(type));
  return {
    ...(hasOtherTypes && { types }),
    ...(pushUrl !== before.pushUrl && { pushUrl }),
    ...(description !== undefined && description !== before.description && { description: description || null }),
    ...(waits && waits.join(', ') !== before.retrySchedule && { retrySchedule: waits.length > 0 ? waits : null }),
    ...(hasOtherFilter && { filter }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(oauth !== undefined && { oauth }),
    ...(clientCertificate !== undefined && { clientCertificate }),
    ...Object.fromEntries(numbers.map((field) => [field, numberOf(values[field])])),
    ...Object.fromEntries(switches.map((field) => [field, values[field]])),
  };
}
