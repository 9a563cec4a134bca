import Type, { type Static } from 'typebox';
import { parseVersion } from '../../../api/versions/api-version.ts';
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
  description: 'Unique over all partners: up to 100 letters, digits, dots, hyphens and underscores',
});

export const Name = Type.String({
  pattern: '\\S',
  maxLength: 200,
  description: 'What people call the partner, not only spaces',
});

export const PartnerResponse = Type.Object({
  id: Type.Integer(),
  identifier: Type.String(),
  name: Type.String(),
  status: Type.String(),
  apiVersion: Type.String({ description: 'The API version of requests that ask for none' }),
  parent: Type.Optional(Type.Integer({ description: 'The partner that this one is a child of' })),
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

const moved = Type.Optional(
  Type.Unknown({ deprecated: true, description: 'Refused: see POST /api/sales-partners/webhooks' }),
);

export const PartnerChange = Type.Object({
  name: Type.Optional(Name),
  identifier: Type.Optional(Identifier),
  apiVersion: Type.Optional(Type.String({ description: 'A version such as 20260713 to pin requests to' })),
  pushUrl: moved,
  subscribedWebhookEventTypes: moved,
});

/** What a change asks for. The two fields that configured webhooks until 2024 are refused, whatever they hold. */
export function partnerChange(body: Static<typeof PartnerChange>): {
  name?: string;
  identifier?: string;
  apiVersion?: string;
} {
  const { name, identifier, apiVersion, ...refused } = body;
  if (Object.keys(refused).length > 0) {
    throw new Problem('INVALID_PARAMETER', { errors: Object.keys(refused).map(hasMoved) });
  }
  return {
    ...(name !== undefined && { name }),
    ...(identifier !== undefined && { identifier }),
    ...(apiVersion !== undefined && { apiVersion: parseVersion(apiVersion, 'apiVersion') }),
  };
}

const hasMoved = (field: string): FieldError => ({
  field,
  rule: 'moved',
  message: `${field} is no longer set here. Create one webhook per push URL and type with POST /api/sales-partners/webhooks.`,
});
