import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { hash, verify } from '@node-rs/argon2';
import type { Selectable } from 'kysely';
import Type, { type Static } from 'typebox';
import type { Users } from '../../../database/schema.ts';
import {
  type CallerUser,
  type Feature,
  features,
  fullReach,
  type Reach,
  type Role,
  roles,
} from '../../../http/access.ts';
import { Id } from '../../../http/ids.ts';
import { recordResponse } from '../../../http/record-response.ts';
import { deletableField } from '../../../http/validation.ts';
import { Problem } from '../../../problems.ts';

const minPasswordLength = 10;
/** Bounds the time that hashing takes. */
const maxPasswordLength = 200;

const NewPassword = Type.String({
  minLength: minPasswordLength,
  maxLength: maxPasswordLength,
  writeOnly: true,
  description: `${minPasswordLength} to ${maxPasswordLength} characters`,
});

export const ExistingPassword = Type.String({ maxLength: maxPasswordLength, writeOnly: true });

// Keyboards compose the same character differently.
const normalize = (password: string) => password.normalize('NFKC');

export const hashPassword = (password: string): Promise<string> => hash(normalize(password));

let dummyHash: Promise<string> | undefined;

/** Takes the same time without a hash: response times must not reveal whether a user exists. */
export async function verifyPassword(password: string, passwordHash: string | null | undefined): Promise<boolean> {
  dummyHash ??= hashPassword(randomBytes(16).toString('base64url'));
  const matches = await verify(passwordHash ?? (await dummyHash), normalize(password));
  return matches && typeof passwordHash === 'string';
}

export const featureDescriptions: Readonly<Record<Feature, string>> = {
  LOCATION_READ: 'View locations, their listings and suggestions',
  LOCATION_WRITE: 'Create, change and sync locations. featuresDetailed restricts the fields.',
  INBOX_READ: 'View and filter reviews, questions and other datapoints',
  INBOX_WRITE: 'View, filter and reply to reviews, questions and other datapoints',
  SOCIAL_POST_READ: 'View social posts',
  SOCIAL_POST_WRITE: 'Write, schedule and withdraw social posts',
  DASHBOARD_READ: 'View dashboards, insights and reports',
  ASSET_READ: 'View and use assets',
  ASSET_WRITE: 'Upload, change and delete assets',
};

/** Features of users without an explicit list. */
export const defaultFeatures: Readonly<Record<Role, readonly Feature[]>> = {
  ADMIN: features,
  ACCOUNT_MANAGER: features,
  BUSINESS_MANAGER: features.filter((feature) => feature !== 'ASSET_WRITE'),
  LOCATION_MANAGER: ['LOCATION_READ', 'LOCATION_WRITE', 'INBOX_READ', 'INBOX_WRITE', 'SOCIAL_POST_READ', 'ASSET_READ'],
};

/** Write access includes read access. Administrators have all features. */
export function featuresOf(role: Role, given: readonly Feature[] | null): Feature[] {
  if (role === 'ADMIN') return [...features];
  const held = new Set<string>(given ?? defaultFeatures[role]);
  return features.filter((feature) => held.has(feature) || held.has(feature.replace(/_READ$/, '_WRITE')));
}

/** LOCATION_WRITE can be restricted to some groups. The locations module assigns each field to a group. */
export const fieldGroups = [
  'NAME',
  'ADDRESS',
  'CONTACT',
  'OPENING_HOURS',
  'DESCRIPTIONS',
  'CATEGORIES',
  'ATTRIBUTES',
  'SERVICES',
  'MEDIA',
  'SOCIAL_PROFILES',
  'LABELS',
  'CUSTOM_FIELDS',
  'ADMINISTRATION',
] as const;
export type FieldGroup = (typeof fieldGroups)[number];

export const userStatuses = ['ACTIVE', 'INACTIVE'] as const;

type Narrowed = 'role' | 'status' | 'features' | 'fieldGroups';

export type User = Omit<Selectable<Users>, 'partnerId' | 'passwordHash' | Narrowed> & {
  role: Role;
  status: (typeof userStatuses)[number];
  /** Null: the default features of the role. */
  features: Feature[] | null;
  /** Location field groups that LOCATION_WRITE allows to change. Null: all. */
  fieldGroups: FieldGroup[] | null;
};

export const Email = Type.String({
  pattern: '^[^\\s@]+@[^\\s@.]+(\\.[^\\s@.]+)+$',
  maxLength: 254,
  description: 'E-mail address, unique among the users of the partner',
});
const Name = Type.String({ maxLength: 200 });
const Language = Type.String({
  pattern: '^[a-z]{2}(-[A-Z]{2})?$',
  description: 'Language tag such as "en" or "de-AT"',
});
const AlertEmails = Type.Boolean({ description: 'E-mails about webhooks. Only administrators receive them' });
const FeatureList = Type.Array(Type.Enum([...features]), {
  maxItems: features.length,
  description: 'Replaces the default features of the role',
});
const FeaturesDetailed = Type.Object(
  { LOCATION_WRITE: Type.Optional(Type.Array(Type.Enum([...fieldGroups]), { maxItems: fieldGroups.length })) },
  { description: 'Location field groups that LOCATION_WRITE allows to change' },
);
const idList = (maxItems: number) =>
  Type.Array(Id, {
    maxItems,
    description:
      'Only for business and location managers, who have access to the records in businessIds and locationIds. Other roles have access to all.',
  });

const fields = {
  name: Type.Optional(Name),
  status: Type.Optional(Type.Enum([...userStatuses])),
  language: Type.Optional(Language),
  alertEmails: Type.Optional(AlertEmails),
  features: deletableField(FeatureList),
  featuresDetailed: deletableField(FeaturesDetailed),
  businessIds: deletableField(idList(500)),
  locationIds: deletableField(idList(5000)),
  password: Type.Optional(NewPassword),
};

export const NewUser = Type.Object(
  { email: Email, role: Type.Enum([...roles]), ...fields },
  { title: 'NewUser', 'x-resource': 'User' },
);

export const UserChange = Type.Object(
  {
    ...fields,
    name: deletableField(Name),
    email: Type.Optional(Email),
    role: Type.Optional(Type.Enum([...roles])),
    currentPassword: Type.Optional(ExistingPassword),
  },
  { title: 'UserChange', 'x-resource': 'User' },
);

export const UserResponse = Type.Object(
  {
    id: Type.Integer(),
    email: Type.String(),
    name: Type.String(),
    role: Type.Enum([...roles]),
    status: Type.Enum([...userStatuses]),
    language: Type.String(),
    alertEmails: AlertEmails,
    features: Type.Array(Type.Enum([...features])),
    featuresDetailed: Type.Object({ LOCATION_WRITE: Type.Optional(Type.Array(Type.Enum([...fieldGroups]))) }),
    businessIds: Type.Array(Type.Integer()),
    locationIds: Type.Array(Type.Integer()),
    dateCreated: Type.String(),
    lastUpdated: Type.String(),
    lastLogin: Type.Optional(Type.String({ description: 'Absent until the first sign-in' })),
  },
  { title: 'User', 'x-resource': 'User' },
);

export function userResponse(user: User): Static<typeof UserResponse> {
  const held = featuresOf(user.role, user.features);
  return recordResponse(UserResponse, {
    ...user,
    features: held,
    featuresDetailed: held.includes('LOCATION_WRITE') ? { LOCATION_WRITE: groupsOf(user) } : {},
  });
}

const groupsOf = ({ role, fieldGroups: given }: User): FieldGroup[] =>
  role === 'ADMIN' || given === null ? [...fieldGroups] : fieldGroups.filter((group) => given.includes(group));

const reachOfUser = ({ role, businessIds, locationIds }: User): Reach =>
  role === 'ADMIN' || role === 'ACCOUNT_MANAGER' ? fullReach : { businessIds, locationIds };

export const callerUser = (user: User): CallerUser => ({
  id: user.id,
  email: user.email,
  role: user.role,
  features: new Set(featuresOf(user.role, user.features)),
  fieldGroups: user.fieldGroups === null ? null : new Set(groupsOf(user)),
  reach: reachOfUser(user),
});

/** The settable fields of a user, except the password. */
export type UserValues = Omit<User, 'id' | 'dateCreated' | 'lastUpdated' | 'lastLogin'>;
export type NewUserValues = Partial<UserValues> & Pick<UserValues, 'email' | 'role'>;

/** Null for features or featuresDetailed restores the defaults of the role. */
export function valuesOf(body: Static<typeof UserChange>): Partial<UserValues> {
  const { email, name, role, status, language, alertEmails, featuresDetailed } = body;
  // The response of a user without LOCATION_WRITE has no groups. Clients may send it back unchanged.
  const groups = featuresDetailed === null ? null : featuresDetailed?.LOCATION_WRITE;
  return {
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name: name ?? '' }),
    ...(role !== undefined && { role }),
    ...(status !== undefined && { status }),
    ...(language !== undefined && { language }),
    ...(alertEmails !== undefined && { alertEmails }),
    ...(body.features !== undefined && { features: body.features && distinct(body.features) }),
    ...(groups !== undefined && { fieldGroups: groups && distinct(groups) }),
    ...(body.businessIds !== undefined && { businessIds: distinct(body.businessIds ?? []) }),
    ...(body.locationIds !== undefined && { locationIds: distinct(body.locationIds ?? []) }),
  };
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

const ownFields = new Set(['name', 'language', 'password', 'currentPassword']);

/**
 * Users who are not administrators may change only some of their own fields. Returns those fields; the others may be
 * sent back as they were read.
 */
export function ownChange(body: Static<typeof UserChange>, user: User): Static<typeof UserChange> {
  const current: Record<string, unknown> = userResponse(user);
  const isOwn = ([field]: [string, unknown]) => ownFields.has(field);
  const entries = Object.entries(body);
  const adminFields = entries.filter(
    (entry) => !isOwn(entry) && !isDeepStrictEqual(inOrder(entry[1]), inOrder(current[entry[0]])),
  );
  if (adminFields.length === 0) return Object.fromEntries(entries.filter(isOwn));
  throw new Problem('FORBIDDEN', {
    message: `Only an administrator may change ${adminFields.map(([field]) => field).join(', ')}. You may change your name, language and password.`,
  });
}

const inOrder = (value: unknown) => (Array.isArray(value) ? distinct(value).sort() : value);
