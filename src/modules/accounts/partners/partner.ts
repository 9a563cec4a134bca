import Type, { type Static } from 'typebox';
import { parseVersion } from '../../../api/versions/timeline.ts';
import { type FieldError, Problem } from '../../../problems.ts';

export interface Partner {
  id: number;
  identifier: string;
  name: string;
  status: string;
  apiVersion: string;
  parentId: number | null;
  publicKey: string;
  dateCreated: Date;
  lastUpdated: Date;
}

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

export const partnerResponse = (partner: Partner): Static<typeof PartnerResponse> => ({
  id: partner.id,
  identifier: partner.identifier,
  name: partner.name,
  status: partner.status,
  apiVersion: partner.apiVersion,
  ...(partner.parentId !== null && { parent: partner.parentId }),
  publicKey: partner.publicKey,
  dateCreated: partner.dateCreated.toISOString(),
  lastUpdated: partner.lastUpdated.toISOString(),
});

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
export function partnerChange(body: Static<typeof PartnerChange>): {
  name?: string;
  identifier?: string;
  apiVersion?: string;
} {
  const { name, identifier, apiVersion, ...removed } = body;
  if (Object.keys(removed).length > 0) {
    throw new Problem('INVALID_PARAMETER', { errors: Object.keys(removed).map(removedFieldError) });
  }
  return {
    ...(name !== undefined && { name }),
    ...(identifier !== undefined && { identifier }),
    ...(apiVersion !== undefined && { apiVersion: parseVersion(apiVersion, 'apiVersion') }),
  };
}

const removedFieldError = (field: string): FieldError => ({
  field,
  rule: 'moved',
  message: `${field} is no longer supported. Create one webhook per push URL and event type with POST /api/sales-partners/webhooks.`,
});
