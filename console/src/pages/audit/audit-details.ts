import type { ResponseOf } from '../../api/call.ts';
import { t, textOrWords } from '../../texts/t.ts';

export type Entry = ResponseOf<'GET /api/audit-trail'>['entries'][number];

/** Texts of values by the name of the detail. Names that are not listed have free values. */
const stems: Record<string, string> = {
  field: 'locations.fields',
  fields: 'locations.fields',
  syncStatus: 'listings.sync',
  flowStatus: 'listings.flow',
  claimStatus: 'listings.claim',
  connectStatus: 'listings.connect',
  role: 'users.roles',
  features: 'users.features',
  by: 'audit.methods',
  reason: 'audit.reasons',
  source: 'audit.sources',
  type: 'assets.types',
};

const statusStems: Record<string, string> = {
  LOCATION: 'locations.statuses',
  SOCIAL_POST: 'posts.statuses',
  USER: 'users.statuses',
};

/** One line: "Fields: Phone, Website", "Status: Active → Cancelled". */
export function detailsText({ subject, details }: Pick<Entry, 'subject' | 'details'>): string {
  const { changed, ...others } = details;
  const all = 'from' in others && 'to' in others ? { status: others } : others;
  return Object.entries({ ...all, ...(isRecord(changed) ? changed : changed !== undefined && { changed }) })
    .map(([name, value]) => `${textOrWords('audit.detailNames', name)}: ${changeText(subject, name, value)}`)
    .join(' · ');
}

function changeText(subject: string, name: string, value: unknown): string {
  if (!isRecord(value) || !('from' in value && 'to' in value)) return valueText(subject, name, value);
  return `${valueText(subject, name, value.from)} → ${valueText(subject, name, value.to)}`;
}

function valueText(subject: string, name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (Array.isArray(value)) return value.map((one) => valueText(subject, name, one)).join(', ') || '–';
  if (typeof value === 'boolean') return t(value ? 'locations.yes' : 'locations.no');
  if (typeof value !== 'string') return JSON.stringify(value);
  const stem = name === 'status' ? (statusStems[subject] ?? 'audit.statuses') : stems[name];
  return stem ? textOrWords(stem, value) : value;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Pages of single objects. */
const pages: Record<string, (id: number) => { to: string; search?: never }> = {
  LOCATION: (id) => ({ to: `/locations/${id}` }),
  LISTING: (id) => ({ to: '/listings', search: { listing: id } as never }),
  WEBHOOK: (id) => ({ to: `/settings/webhooks/${id}` }),
  SOCIAL_POST: (id) => ({ to: `/posts/${id}` }),
  ASSET: (id) => ({ to: '/assets', search: { asset: id } as never }),
};

/** Undefined for objects without a page and for deleted ones. */
export function pageOf({ action, subject, subjectId }: Pick<Entry, 'action' | 'subject' | 'subjectId'>) {
  return subjectId === undefined || action === 'DELETED' ? undefined : pages[subject]?.(subjectId);
}
