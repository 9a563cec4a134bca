import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Businesses } from '../../../database/schema.ts';
import { Id } from '../../../http/ids.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { deletableField } from '../../../http/validation.ts';
import { type FieldError, fieldError, invalidField, missingField, Problem } from '../../../problems.ts';
import { changedText } from '../../../text.ts';
import { checkPostalCode, countryCode, notACountry } from '../../../values/countries.ts';
import { checkPhone } from '../../../values/phones.ts';
import { isDay } from '../../../values/span.ts';
import { httpScheme } from '../../../values/urls.ts';
import type { ProductPlan } from '../product-plans/product-plan.ts';

const businessTypes = ['SMB', 'ENTERPRISE'] as const;

/** CREATED → ACTIVE with the first synced location or by request → DELETED. */
export const businessStatuses = ['CREATED', 'ACTIVE', 'DELETED'] as const;
export type BusinessStatus = (typeof businessStatuses)[number];

const addressFields = ['street', 'streetNo', 'zip', 'city', 'province', 'country'] as const;
const optionalFields = [...addressFields, 'identifier', 'phone', 'email', 'website'] as const;
export const factFields = ['name', 'type', ...optionalFields] as const;

type Address = Pick<Selectable<Businesses>, (typeof addressFields)[number]>;

export interface BusinessFacts extends Pick<Selectable<Businesses>, (typeof factFields)[number]> {
  type: (typeof businessTypes)[number];
}

type Unchanged = 'id' | 'nextProductPlanId' | 'dateCreated' | 'lastUpdated';

export interface Business extends BusinessFacts, Pick<Selectable<Businesses>, Unchanged> {
  productPlan: Pick<ProductPlan, keyof Static<typeof PlanResponse>> | null;
  /** The day (UTC, YYYY-MM-DD) on which `nextProductPlanId` starts. Both or neither are set. */
  effectiveDate: string | null;
  status: BusinessStatus;
}

/** A business must match every filter; values of one filter are alternatives. */
export const businessFilter = {
  status: Type.Optional(Type.Array(Type.Enum([...businessStatuses]), { description: 'Default: all except DELETED' })),
  type: Type.Optional(Type.Array(Type.Enum([...businessTypes]))),
  productPlanId: Type.Optional(Type.Array(Id, { maxItems: 1000 })),
  identifier: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 1000 })),
  query: Type.Optional(Type.String({ maxLength: 200, description: 'Word prefixes in name, identifier and city' })),
};

const text = (maxLength: number) => deletableField(Type.String({ maxLength }));

const facts = {
  identifier: deletableField(
    Type.String({ pattern: '\\S', maxLength: 100, description: "The partner's own id of the business, unique" }),
  ),
  type: Type.Optional(Type.Enum([...businessTypes])),
  address: deletableField(
    Type.Object({
      street: text(200),
      streetNo: text(50),
      zip: text(20),
      city: text(200),
      province: text(200),
      country: deletableField(Type.String({ maxLength: 2, description: 'Country code such as DE' })),
    }),
  ),
  phone: text(50),
  email: deletableField(
    Type.String({ pattern: '^[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+$', maxLength: 320, description: 'E-mail address' }),
  ),
  website: deletableField(
    Type.String({
      pattern: `^${httpScheme}[^\\s/?#@.]+\\.[^\\s/?#@]+([/?#]\\S*)?$`,
      maxLength: 2000,
      description: 'A URL that begins with https:// or http://, without user name and password',
    }),
  ),
};

const planFields = {
  productPlanId: Type.Optional(Id),
  nextProductPlanId: deletableField(Id),
  effectiveDate: deletableField(
    Type.String({
      pattern: '^\\d{4}-\\d\\d-\\d\\d$',
      description: 'First day of the next product plan (UTC), such as 2026-12-31',
    }),
  ),
};

const name = Type.String({ pattern: '\\S', maxLength: 200, description: 'Display name, not blank' });

export const NewBusiness = Type.Object({ name, ...facts, ...planFields });
export type BusinessInput = Static<typeof NewBusiness>;

export const BusinessChange = Type.Object({
  name: Type.Optional(name),
  ...facts,
  ...planFields,
  status: Type.Optional(Type.Enum(['CREATED', 'ACTIVE'] satisfies BusinessStatus[])),
});
export type BusinessChangeInput = Static<typeof BusinessChange>;

const optionalText = Type.Optional(Type.String());

const AddressResponse = Type.Object(
  Object.fromEntries(addressFields.map((name) => [name, optionalText])) as Record<keyof Address, typeof optionalText>,
);

const PlanResponse = Type.Object({
  id: Type.Integer(),
  identifier: optionalText,
  name: Type.String(),
  price: Type.Integer({ description: 'Per month, in minor units of the currency' }),
  currency: Type.String(),
});

export const BusinessResponse = Type.Object({
  id: Type.Integer(),
  identifier: optionalText,
  name: Type.String(),
  type: Type.Enum([...businessTypes]),
  address: AddressResponse,
  phone: optionalText,
  email: optionalText,
  website: optionalText,
  productPlan: Type.Optional(PlanResponse),
  productPlanId: Type.Optional(Type.Integer()),
  nextProductPlanId: Type.Optional(Type.Integer({ description: 'Product plan from effectiveDate on' })),
  effectiveDate: optionalText,
  status: Type.Enum([...businessStatuses]),
  dateCreated: Type.String(),
  lastUpdated: Type.String(),
});

export const businessResponse = (business: Business): Static<typeof BusinessResponse> =>
  recordResponse(BusinessResponse, {
    ...business,
    address: recordResponse(AddressResponse, business),
    productPlan: business.productPlan && recordResponse(PlanResponse, business.productPlan),
    productPlanId: business.productPlan?.id ?? null,
  });

const emptyFacts: BusinessFacts = {
  name: '',
  type: 'SMB',
  ...(Object.fromEntries(optionalFields.map((field) => [field, null])) as Record<
    (typeof optionalFields)[number],
    null
  >),
};

export const newFacts = (input: BusinessInput): BusinessFacts => changedFacts(emptyFacts, input);

/** Null deletes a value. All errors are reported together. */
export function changedFacts(facts: BusinessFacts, change: Omit<BusinessChangeInput, 'status'>): BusinessFacts {
  const errors: FieldError[] = [];
  const address = changedAddress(facts, change.address);
  if (address.country !== null) {
    const country = countryCode(address.country);
    if (country === undefined) errors.push(fieldError('address.country', 'country', notACountry));
    address.country = country ?? null;
  }
  const countryChanged = address.country !== facts.country;
  if (address.zip !== null && address.country !== null && (countryChanged || address.zip !== facts.zip)) {
    const checked = checkPostalCode(address.zip, address.country);
    if ('problem' in checked) errors.push(fieldError('address.zip', 'postalCode', checked.problem));
    else address.zip = checked.zip;
  }
  let phone = changedText(facts.phone, change.phone);
  if (phone !== null && errors.length === 0 && (countryChanged || phone !== facts.phone)) {
    const checked = checkPhone(phone, address.country ?? undefined);
    if ('problem' in checked) errors.push(fieldError('phone', 'phone', checked.problem));
    else phone = checked.phone;
  }
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  return {
    ...address,
    identifier: changedText(facts.identifier, change.identifier),
    name: changedText(facts.name, change.name) ?? facts.name,
    type: change.type ?? facts.type,
    phone,
    email: changedText(facts.email, change.email),
    website: changedText(facts.website, change.website),
  };
}

/** Null deletes the whole address. */
function changedAddress(facts: Address, change: BusinessChangeInput['address']): Address {
  const part = (name: keyof Address) => (change === null ? null : changedText(facts[name], change?.[name]));
  return Object.fromEntries(addressFields.map((name) => [name, part(name)])) as Address;
}

/** The current product plan of a business and the scheduled change. */
export interface PlanState {
  productPlanId: number | null;
  next: { productPlanId: number; effectiveDate: string } | null;
}

/** The product plan fields of a request. Null cancels the scheduled change. */
export type PlanChange = Pick<BusinessChangeInput, 'productPlanId' | 'nextProductPlanId' | 'effectiveDate'>;

/**
 * `productPlanId` applies immediately. With `effectiveDate`, `nextProductPlanId` (or a sole `productPlanId`) applies from
 * that day on; today's date applies immediately.
 */
export function changedPlans(state: PlanState, change: PlanChange, today: string): PlanState {
  const { productPlanId, nextProductPlanId, effectiveDate } = change;
  if (productPlanId === undefined && nextProductPlanId === undefined && effectiveDate === undefined) return state;
  const isScheduled =
    productPlanId !== undefined &&
    productPlanId !== state.productPlanId &&
    nextProductPlanId === undefined &&
    typeof effectiveDate === 'string';
  const plan = isScheduled ? state.productPlanId : (productPlanId ?? state.productPlanId);
  const next = scheduledChange(state, isScheduled ? { ...change, nextProductPlanId: productPlanId } : change, today);
  if (next && next.effectiveDate <= today) return { productPlanId: next.productPlanId, next: null };
  if (next?.productPlanId !== plan) return { productPlanId: plan, next };
  if (nextProductPlanId === undefined) return { productPlanId: plan, next: null };
  throw invalidField(
    'nextProductPlanId',
    'different',
    'nextProductPlanId must differ from the current plan. Send null to cancel a scheduled change.',
  );
}

function scheduledChange({ next }: PlanState, change: PlanChange, today: string): PlanState['next'] {
  const { nextProductPlanId: plan = next?.productPlanId, effectiveDate: date = next?.effectiveDate } = change;
  if (change.nextProductPlanId === null) return null;
  if (change.effectiveDate === null && change.nextProductPlanId === undefined) return null;
  if (plan === undefined && date === undefined) return null;
  if (plan === undefined || plan === null) throw missing('nextProductPlanId', 'the plan that starts on effectiveDate');
  if (date === undefined || date === null) throw missing('effectiveDate', 'the day on which nextProductPlanId starts');
  if (date !== next?.effectiveDate) checkDay(date, today);
  return { productPlanId: plan, effectiveDate: date };
}

function checkDay(date: string, today: string): void {
  if (!isDay(date)) {
    throw invalidField('effectiveDate', 'date', `effectiveDate must be a valid date such as 2026-12-31, not ${date}.`);
  }
  if (date < today) throw invalidField('effectiveDate', 'future', `effectiveDate must be ${today} (UTC) or later.`);
}

const missing = (field: string, reason: string) => missingField(field, `${field} is required: ${reason}.`);
