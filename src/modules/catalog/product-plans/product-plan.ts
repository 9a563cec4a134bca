import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { ProductPlans } from '../../../database/schema.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { deletable } from '../../../http/validation.ts';
import { conflict, invalidField } from '../../../problems.ts';
import { changedText } from '../../../text.ts';
import { currencyCode, notACurrency } from '../../../values/countries.ts';
import { directoryList } from '../../directories/index.ts';

const productPlanStatuses = ['PENDING_APPROVAL', 'ACTIVE', 'INACTIVE'] as const;
export type ProductPlanStatus = (typeof productPlanStatuses)[number];

export type ProductPlan = Omit<Selectable<ProductPlans>, 'partnerId' | 'status'> & { status: ProductPlanStatus };

/** The settable fields of a plan. */
export type ProductPlanTerms = Omit<ProductPlan, 'id' | 'dateCreated' | 'lastUpdated'>;

export const productPlanFilter = {
  status: Type.Optional(Type.Array(Type.Enum([...productPlanStatuses]))),
  query: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name or the identifier' })),
};

const fields = {
  identifier: deletable(
    Type.String({ pattern: '\\S', maxLength: 100, description: "The partner's own id of the plan, unique" }),
  ),
  name: Type.String({ pattern: '\\S', maxLength: 200, description: 'Display name, not blank' }),
  description: deletable(Type.String({ maxLength: 2000 })),
  price: Type.Integer({
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: 'Per month, in minor units of the currency: 4900 is 49.00 EUR',
  }),
  currency: Type.String({ description: 'Currency code (ISO 4217) such as EUR' }),
  directoryTypes: deletable(
    Type.Array(Type.Enum(directoryList.map(({ type }) => type)), {
      maxItems: 200,
      description: 'Directories for locations of this plan. Empty: all.',
    }),
  ),
  features: deletable(
    Type.Array(Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,59}$', description: 'Feature name such as COLLECTIONS' }), {
      maxItems: 100,
      description: 'Additional features for locations of this plan',
    }),
  ),
};

const { name, price, currency, ...optionalFields } = fields;

export const NewProductPlan = Type.Object(
  {
    name,
    price,
    currency,
    ...Type.Partial(Type.Object(optionalFields)).properties,
    status: Type.Optional(
      Type.Enum(['PENDING_APPROVAL', 'ACTIVE'] satisfies ProductPlanStatus[], {
        description: 'Default: PENDING_APPROVAL. ACTIVE approves the plan immediately.',
      }),
    ),
  },
  { title: 'NewProductPlan', 'x-resource': 'ProductPlan' },
);

export const ProductPlanChange = Type.Object(
  Type.Partial(Type.Object({ ...fields, status: Type.Enum([...productPlanStatuses]) })).properties,
  { title: 'ProductPlanChange', 'x-resource': 'ProductPlan' },
);

export const ProductPlanResponse = Type.Object(
  {
    id: Type.Integer(),
    identifier: Type.Optional(Type.String()),
    name: Type.String(),
    description: Type.String(),
    price,
    currency: Type.String(),
    status: Type.Enum([...productPlanStatuses]),
    directoryTypes: Type.Array(Type.String()),
    features: Type.Array(Type.String()),
    dateCreated: Type.String(),
    lastUpdated: Type.String(),
  },
  { title: 'ProductPlan', 'x-resource': 'ProductPlan' },
);

export const productPlanResponse = (plan: ProductPlan): Static<typeof ProductPlanResponse> =>
  recordResponse(ProductPlanResponse, plan);

const emptyTerms: ProductPlanTerms = {
  identifier: null,
  name: '',
  description: '',
  price: 0,
  currency: '',
  status: 'PENDING_APPROVAL',
  directoryTypes: [],
  features: [],
};

export const newTerms = (given: Static<typeof ProductPlanChange>): ProductPlanTerms => changedTerms(emptyTerms, given);

export function changedTerms(terms: ProductPlanTerms, change: Static<typeof ProductPlanChange>): ProductPlanTerms {
  const { identifier, name, description, price, currency, status, directoryTypes, features } = change;
  if (status !== undefined) checkTransition(terms.status, status);
  return {
    identifier: changedText(terms.identifier, identifier),
    name: changedText(terms.name, name) ?? terms.name,
    description: changedText(terms.description, description) ?? '',
    price: price ?? terms.price,
    currency: currency === undefined ? terms.currency : knownCurrency(currency),
    status: status ?? terms.status,
    directoryTypes: directoryTypes === undefined ? terms.directoryTypes : [...new Set(directoryTypes)],
    features: features === undefined ? terms.features : [...new Set(features)],
  };
}

/** Old API versions see PENDING_APPROVAL as INACTIVE: an INACTIVE that they send back does not change the status. */
export function keepPending(
  { status }: ProductPlanTerms,
  { status: requested, ...change }: Static<typeof ProductPlanChange>,
): Static<typeof ProductPlanChange> {
  const isUnchanged = requested === undefined || (requested === 'INACTIVE' && status === 'PENDING_APPROVAL');
  return isUnchanged ? change : { ...change, status: requested };
}

const transitions: Record<ProductPlanStatus, readonly ProductPlanStatus[]> = {
  PENDING_APPROVAL: ['ACTIVE'],
  ACTIVE: ['INACTIVE'],
  INACTIVE: ['ACTIVE'],
};

function checkTransition(from: ProductPlanStatus, to: ProductPlanStatus): void {
  if (from === to || transitions[from].includes(to)) return;
  const message = `A product plan with the status ${from} cannot become ${to}, only ${transitions[from].join(' or ')}.`;
  throw conflict('status', 'transition', message);
}

function knownCurrency(text: string): string {
  const currency = currencyCode(text);
  if (currency === undefined) throw invalidField('currency', 'currency', `currency ${notACurrency}.`);
  return currency;
}
