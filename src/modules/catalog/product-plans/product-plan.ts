import Type, { type Static } from 'typebox';
import { deletable } from '../../../http/validation.ts';
import { invalidField, Problem } from '../../../problems.ts';
import { currencyCode, notACurrency } from '../../../values/countries.ts';
import { directoryList } from '../../directories/index.ts';

export const productPlanStatuses = ['PENDING_APPROVAL', 'ACTIVE', 'INACTIVE'] as const;
export type ProductPlanStatus = (typeof productPlanStatuses)[number];

/** What its owner decides about a plan. */
export interface ProductPlanTerms {
  identifier: string | null;
  name: string;
  description: string;
  /** Minor units of the currency, per month. */
  price: number;
  currency: string;
  status: ProductPlanStatus;
  /** Empty: all directories. */
  directoryTypes: string[];
  features: string[];
}

export interface ProductPlan extends ProductPlanTerms {
  id: number;
  dateCreated: Date;
  lastUpdated: Date;
}

const fields = {
  identifier: deletable(
    Type.String({ pattern: '\\S', maxLength: 100, description: "The partner's own name for it, used once only" }),
  ),
  name: Type.String({ pattern: '\\S', maxLength: 200, description: 'What people call the plan, not only spaces' }),
  description: deletable(Type.String({ maxLength: 2000 })),
  price: Type.Integer({
    minimum: 0,
    maximum: 2 ** 31 - 1,
    description: 'Per month, in minor units of the currency: 4900 are 49.00 EUR',
  }),
  currency: Type.String({ description: 'A currency code of three letters (ISO 4217) such as EUR' }),
  directoryTypes: deletable(
    Type.Array(Type.Enum(directoryList.map(({ type }) => type)), {
      maxItems: 200,
      description: 'The directories that locations of this plan are listed on; empty for all',
    }),
  ),
  features: deletable(
    Type.Array(Type.String({ pattern: '^[A-Z][A-Z0-9_]{0,59}$', description: 'A name such as COLLECTIONS' }), {
      maxItems: 100,
      description: 'What locations of this plan can do beyond the rest',
    }),
  ),
};

export const NewProductPlan = Type.Object(
  {
    name: fields.name,
    price: fields.price,
    currency: fields.currency,
    identifier: Type.Optional(fields.identifier),
    description: Type.Optional(fields.description),
    directoryTypes: Type.Optional(fields.directoryTypes),
    features: Type.Optional(fields.features),
    status: Type.Optional(
      Type.Enum([...productPlanStatuses], {
        description: 'PENDING_APPROVAL unless it is given; ACTIVE approves it at once',
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
    price: fields.price,
    currency: Type.String(),
    status: Type.Enum([...productPlanStatuses]),
    directoryTypes: Type.Array(Type.String()),
    features: Type.Array(Type.String()),
    dateCreated: Type.String(),
    lastUpdated: Type.String(),
  },
  { title: 'ProductPlan', 'x-resource': 'ProductPlan' },
);

export const productPlanResponse = (plan: ProductPlan): Static<typeof ProductPlanResponse> => ({
  id: plan.id,
  ...(plan.identifier !== null && { identifier: plan.identifier }),
  name: plan.name,
  description: plan.description,
  price: plan.price,
  currency: plan.currency,
  status: plan.status,
  directoryTypes: plan.directoryTypes,
  features: plan.features,
  dateCreated: plan.dateCreated.toISOString(),
  lastUpdated: plan.lastUpdated.toISOString(),
});

export const unwritten: ProductPlanTerms = {
  identifier: null,
  name: '',
  description: '',
  price: 0,
  currency: '',
  status: 'PENDING_APPROVAL',
  directoryTypes: [],
  features: [],
};

/** A new plan waits for approval; whoever may approve it may do so while creating it. */
export const newTerms = (given: Static<typeof ProductPlanChange>): ProductPlanTerms => changedTerms(unwritten, given);

export function changedTerms(terms: ProductPlanTerms, change: Static<typeof ProductPlanChange>): ProductPlanTerms {
  const { identifier, name, description, price, currency, status, directoryTypes, features } = change;
  if (status !== undefined) checkMove(terms.status, status);
  return {
    identifier: identifier === undefined ? terms.identifier : (identifier?.trim() ?? null),
    name: name?.trim() ?? terms.name,
    description: description === undefined ? terms.description : (description?.trim() ?? ''),
    price: price ?? terms.price,
    currency: currency === undefined ? terms.currency : knownCurrency(currency),
    status: status ?? terms.status,
    directoryTypes: directoryTypes === undefined ? terms.directoryTypes : [...new Set(directoryTypes)],
    features: features === undefined ? terms.features : [...new Set(features)],
  };
}

/** Who knows only plans that are active and others says nothing new about one that waits for approval. */
export function stillPending(
  { status }: ProductPlanTerms,
  { status: wanted, ...change }: Static<typeof ProductPlanChange>,
): Static<typeof ProductPlanChange> {
  const saysNothing = wanted === undefined || (wanted === 'INACTIVE' && status === 'PENDING_APPROVAL');
  return saysNothing ? change : { ...change, status: wanted };
}

const moves: Record<ProductPlanStatus, readonly ProductPlanStatus[]> = {
  PENDING_APPROVAL: ['ACTIVE'],
  ACTIVE: ['INACTIVE'],
  INACTIVE: ['ACTIVE'],
};

function checkMove(from: ProductPlanStatus, to: ProductPlanStatus): void {
  if (from === to || moves[from].includes(to)) return;
  throw new Problem('CONFLICT', {
    message: `A product plan that is ${from} cannot become ${to}, only ${moves[from].join(' or ')}.`,
  });
}

function knownCurrency(text: string): string {
  const currency = currencyCode(text);
  if (currency === undefined) throw invalidField('currency', 'currency', `currency ${notACurrency}.`);
  return currency;
}
