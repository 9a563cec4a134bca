import type { Schema } from '../../../json-schema.ts';
import {
  type CallChange,
  describedEntries,
  describedField,
  entries,
  isShape,
  type Shape,
  type ShapeChange,
  withField,
} from '../version-change.ts';

interface SplitFeature {
  readonly whole: string;
  readonly description: string;
  readonly parts: readonly string[];
}

export function splitInUsers(feature: SplitFeature): ShapeChange {
  const { whole, parts } = feature;
  return {
    resource: 'User',
    reshaped: {
      features: {
        before: `with ${whole}`,
        now: parts.join(' and '),
        isOld: (value) => entries(value).includes(whole),
      },
    },
    upgrade: (old) => withField(old, 'features', (features) => splitFeature(features, feature)),
    downgrade: (current) => withField(current, 'features', (features) => joinFeature(features, feature)),
    describe: (current) => describedEntries(current, 'features', (name) => withValue(name, whole)),
  };
}

/** The list of features with the original feature instead of its parts. */
export function splitInList(feature: SplitFeature): CallChange {
  const { whole, description, parts } = feature;
  const isPart = (entry: unknown) => isShape(entry) && parts.includes(String(entry.name));
  return {
    call: 'GET /api/features',
    downgradeResponse: (current) => ({
      ...current,
      features: [...entries(current.features).filter((entry) => !isPart(entry)), { name: whole, description }],
      defaultFeatures: Object.fromEntries(
        Object.entries(current.defaultFeatures as Shape).map(([role, held]) => [role, joinFeature(held, feature)]),
      ),
    }),
    describeResponse: (current) =>
      describedField(
        describedEntries(current, 'features', (entry) =>
          describedField(entry, 'name', (name) => withValue(name, whole)),
        ),
        'defaultFeatures',
        (roles) =>
          Object.keys(roles.properties ?? {}).reduce(
            (schema, role) => describedEntries(schema, role, (name) => withValue(name, whole)),
            roles,
          ),
      ),
  };
}

function splitFeature(features: unknown, { whole, parts }: SplitFeature): unknown {
  if (!Array.isArray(features)) return features;
  return [...new Set(features.flatMap((feature) => (feature === whole ? parts : [feature])))];
}

/** A user with only some of the parts keeps them: the whole would grant more when it is sent back. */
function joinFeature(features: unknown, { whole, parts }: SplitFeature): unknown {
  const held = entries(features);
  if (!parts.every((part) => held.includes(part))) return features;
  return [...held.filter((feature) => !parts.includes(String(feature))), whole];
}

const withValue = (schema: Schema, value: string) => ({ ...schema, enum: [...entries(schema.enum), value] });
