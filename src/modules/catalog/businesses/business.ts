import Type, { type Static } from 'typebox';
import { Id } from '../../../http/ids.ts';
import { deletable } from '../../../http/validation.ts';
import type { ProductPlan } from '../product-plans/product-plan.ts';

export const businessTypes = ['SMB', 'ENTERPRISE'] as const;
export type BusinessType = (typeof businessTypes)[number];

/** CREATED → ACTIVE when its first location is synced, or by hand → DELETED. */
export const businessStatuses = ['CREATED', 'ACTIVE', 'DELETED'] as const;
export type BusinessStatus = (typeof businessStatuses)[number];

export interface Address {
  street: string | null;
  streetNo: string | null;
  zip: string | null;
  city: string | null;
  province: string | null;
  country: string | null;
}

/** What is known about a business itself. */
export interface BusinessFacts extends Address {
  identifier: string | null;
  name: string;
  type: BusinessType;
  phone: string | null;
  email: string | null;
  website: string | null;
}

export interface Business extends BusinessFacts {
  id: number;
  productPlan: Pick<ProductPlan, 'id' | 'identifier' | 'name' | 'price' | 'currency'> | null;
  /** What it moves to at the beginning of `effectiveDate` (UTC), YYYY-MM-DD. Both or neither are there. */
  nextProductPlanId: number | null;
  effectiveDate: string | null;
  status: BusinessStatus;
  dateCreated: Date;
  lastUpdated: Date;
}

const text = (maxLength: number) => Type.Optional(deletable(Type.String({ maxLength })));

const facts = {
  identifier: Type.Optional(
    deletable(
      Type.String({ pattern: '\\S', maxLength: 100, description: "The partner's own name for it, used once only" }),
    ),
  ),
  type: Type.Optional(Type.Enum([...businessTypes])),
  address: Type.Optional(
    deletable(
      Type.Object({
        street: text(200),
        streetNo: text(50),
        zip: text(20),
        city: text(200),
        province: text(200),
        country: Type.Optional(deletable(Type.String({ maxLength: 2, description: 'A country code such as DE' }))),
      }),
    ),
  ),
  phone: text(50),
  email: Type.Optional(
    deletable(
      Type.String({ pattern: '^[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+$', maxLength: 320, description: 'An e-mail address' }),
    ),
  ),
  website: Type.Optional(
    deletable(
      Type.String({
        pattern: '^https?://[^\\s/?#.]+\\.[^\\s]+$',
        maxLength: 2000,
        description: 'An address that begins with https:// or http://',
      }),
    ),
  ),
};

const planFields = {
  productPlanId: Type.Optional(Id),
  nextProductPlanId: Type.Optional(deletable(Id)),
  effectiveDate: Type.Optional(
    deletable(
      Type.String({
        pattern: '^\\d{4}-\\d\\d-\\d\\d$',
        description: 'A day such as 2026-12-31; the next product plan begins with it (UTC)',
      }),
    ),
  ),
};

const name = Type.String({ pattern: '\\S', maxLength: 200, description: 'What people call it, not only spaces' });

export const NewBusiness = Type.Object({ name, ...facts, ...planFields });
export type BusinessInput = Static<typeof NewBusiness>;

export const BusinessChange = Type.Object({
  name: Type.Optional(name),
  ...facts,
  ...planFields,
  status: Type.Optional(Type.Enum(['CREATED', 'ACTIVE'] satisfies BusinessStatus[])),
});
export type BusinessChangeInput = Static<typeof BusinessChange>;

const answerText = Type.Optional(Type.String());

export const BusinessResponse = Type.Object({
  id: Type.Integer(),
  identifier: answerText,
  name: Type.String(),
  type: Type.Enum([...businessTypes]),
  address: Type.Object({
    street: answerText,
    streetNo: answerText,
    zip: answerText,
    city: answerText,
    province: answerText,
    country: answerText,
  }),
  phone: answerText,
  email: answerText,
  website: answerText,
  productPlan: Type.Optional(
    Type.Object({
      id: Type.Integer(),
      identifier: answerText,
      name: Type.String(),
      price: Type.Integer({ description: 'Per month, in minor units of the currency' }),
      currency: Type.String(),
    }),
  ),
  productPlanId: Type.Optional(Type.Integer()),
  nextProductPlanId: Type.Optional(Type.Integer({ description: 'What it moves to on the effective date' })),
  effectiveDate: answerText,
  status: Type.Enum([...businessStatuses]),
  dateCreated: Type.String(),
  lastUpdated: Type.String(),
});

export function businessResponse(business: Business): Static<typeof BusinessResponse> {
  const { street, streetNo, zip, city, province, country, productPlan } = business;
  const { identifier, phone, email, website, nextProductPlanId, effectiveDate } = business;
  return {
    id: business.id,
    name: business.name,
    type: business.type,
    ...present({ identifier, phone, email, website, nextProductPlanId, effectiveDate }),
    address: present({ street, streetNo, zip, city, province, country }),
    ...(productPlan && {
      productPlanId: productPlan.id,
      productPlan: {
        id: productPlan.id,
        ...present({ identifier: productPlan.identifier }),
        name: productPlan.name,
        price: productPlan.price,
        currency: productPlan.currency,
      },
    }),
    status: business.status,
    dateCreated: business.dateCreated.toISOString(),
    lastUpdated: business.lastUpdated.toISOString(),
  };
}

/** Fields without a value are absent from an answer. */
function present<T extends Record<string, string | number | null>>(fields: T) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [Name in keyof T]?: NonNullable<T[Name]>;
  };
}
