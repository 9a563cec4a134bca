import {
  type CallChange,
  described,
  entries,
  isShape,
  type Shape,
  type VersionChange,
  withField,
  without,
} from '../version-change.ts';

const halves = ['INBOX_WRITE', 'INBOX_READ'];

export const inboxAndPlanStatus: VersionChange = {
  version: '20200128',
  kind: 'BREAKING',
  description:
    'The user feature INBOX became INBOX_WRITE (see, filter and reply to reviews) and INBOX_READ (no reply). A product plan has ' +
    'a status in place of the boolean active.',
  touches: ['features of a user', 'status of a product plan'],
  shapes: [
    {
      resource: 'User',
      replaced: {},
      upgrade: (old) => withField(old, 'features', (features) => splitFeature(features, 'INBOX', halves)),
      downgrade: (today) => withField(today, 'features', (features) => joinFeature(features, 'INBOX', halves)),
    },
    {
      resource: 'ProductPlan',
      replaced: { active: 'status' },
      upgrade: (old) =>
        Object.hasOwn(old, 'active') ? { ...without(old, 'active'), status: old.active ? 'ACTIVE' : 'INACTIVE' } : old,
      downgrade: ({ status, ...today }: Shape) => ({ ...today, active: status === 'ACTIVE' }),
      describe: (today) => described(today, ['status'], { active: { type: 'boolean' } }),
    },
  ],
  calls: [
    { call: 'PATCH /api/product-plans/:id', replaced: {}, granted: 'PENDING_IS_INACTIVE' },
    { call: 'PUT /api/product-plans/:id', replaced: {}, granted: 'PENDING_IS_INACTIVE' },
    featuresCall('INBOX', 'See, filter and reply to reviews', halves),
  ],
};

/** The list of features, which named the whole in place of its parts. */
export function featuresCall(whole: string, description: string, parts: readonly string[]): CallChange {
  const isPart = (entry: unknown) => isShape(entry) && parts.includes(String(entry.name));
  return {
    call: 'GET /api/features',
    replaced: {},
    downgradeAnswer: (today) => ({
      ...today,
      features: [...entries(today.features).filter((entry) => !isPart(entry)), { name: whole, description }],
      ...(isShape(today.defaultFeatures) && {
        defaultFeatures: Object.fromEntries(
          Object.entries(today.defaultFeatures).map(([role, held]) => [role, joinFeature(held, whole, parts)]),
        ),
      }),
    }),
  };
}

export function splitFeature(features: unknown, whole: string, parts: readonly string[]): unknown {
  if (!Array.isArray(features)) return features;
  return [...new Set(features.flatMap((feature) => (feature === whole ? parts : [feature])))];
}

/** Who has only one of the parts keeps its name: the whole would be more than he has when it comes back. */
export function joinFeature(features: unknown, whole: string, parts: readonly string[]): unknown {
  const held = entries(features);
  if (!parts.every((part) => held.includes(part))) return features;
  return [...held.filter((feature) => !parts.includes(String(feature))), whole];
}
