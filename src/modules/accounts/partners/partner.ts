import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import { parseVersion } from '../../../api/versions/timeline.ts';
import type { PartnerKeys, SalesPartners } from '../../../database/schema.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { type FieldError, Problem } from '../../../problems.ts';

export type Partner = Omit<Selectable<SalesPartners>, 'lineage'>;

export const Identifier = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
  description: 'Unique across all partners: up to 100 letters, digits, dots, hyphens and underscores',
});

export const Name = Type.String({
  pattern: '\\S',
  maxLength: 200,
  description: 'Display name, not blank',
});

export const PartnerResponse = Type.Object({
  id: Type.Integer(),
  identifier: Type.String(),
  name: Type.String(),
  status: Type.String(),
  apiVersion: Type.String({ description: 'Default API version for requests without a version' }),
  parent: Type.Optional(Type.Integer({ description: 'Id of the parent partner' })),
  publicKey: Type.String(),
  dateCreated: Type.String(),
  lastUpdated: Type.String(),
});

export const partnerResponse = (partner: Partner): Static<typeof PartnerResponse> =>
  recordResponse(PartnerResponse, { ...partner, parent: partner.parentId });

const removedField = Type.Optional(
  Type.Unknown({ deprecated: true, description: 'Rejected. Use POST /api/sales-partners/webhooks.' }),
);

export const PartnerChange = Type.Object({
  name: Type.Optional(Name),
  identifier: Type.Optional(Identifier),
  apiVersion: Type.Optional(Type.String({ description: 'Default API version for requests, such as 20260713' })),
  pushUrl: removedField,
  subscribedWebhookEventTypes: removedField,
});

/** Rejects the two fields that configured webhooks until 2024. */
export function partnerChange(body: Static<typeof PartnerChange>) {
  const { name, identifier, apiVersion, ...removed } = body;
  if (Object.keys(removed).length > 0) {
    throw new Problem('INVALID_PARAMETER', { errors: Object.keys(removed).map(removedFieldError) });
  }
  return {
    name,
    identifier,
    apiVersion: apiVersion === undefined ? undefined : parseVersion(apiVersion, 'apiVersion'),
  };
}

export const isUnchanged = (partner: Partner, change: ReturnType<typeof partnerChange>): boolean =>
  Object.entries(change).every(([field, value]) => value === undefined || value === partner[field as keyof Partner]);

const removedFieldError = (field: string): FieldError => ({
  field,
  rule: 'moved',
  message: `${field} is no longer supported. Create one webhook per push URL and event type with POST /api/sales-partners/webhooks.`,
});

/** Metadata of a private key, without the key itself. `expiresAt` is null for the current key. */
export type ValidKey = Pick<Selectable<PartnerKeys>, 'id' | 'dateCreated' | 'expiresAt'>;

export const KeyResponse = Type.Object({
  id: Type.Integer(),
  dateCreated: Type.String({ examples: ['2026-11-15T08:30:00.000Z'] }),
  expires: Type.Optional(Type.String({ description: 'When a replaced key expires' })),
  signs: Type.Boolean({ description: 'Whether deliveries are currently signed with this key' }),
  signsFrom: Type.Optional(Type.String({ description: 'When deliveries start to be signed with a new key' })),
  signsUntil: Type.Optional(Type.String({ description: 'When deliveries stop being signed with a replaced key' })),
});

/** `keys` are sorted newest first. During an overlap the old key signs, so that receivers have time to switch. */
export function keyResponses(keys: readonly ValidKey[]): Static<typeof KeyResponse>[] {
  const signing = keys.findLast(({ expiresAt }) => expiresAt !== null) ?? keys[0];
  return keys.map((key) => {
    const signs = key === signing;
    const signsFrom = !signs && key.expiresAt === null && signing ? signing.expiresAt : null;
    const signsUntil = signs ? key.expiresAt : null;
    return recordResponse(KeyResponse, { ...key, expires: key.expiresAt, signs, signsFrom, signsUntil });
  });
}
