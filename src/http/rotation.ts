import Type from 'typebox';
import { maxOverlapHours } from '../config/settings.ts';
import { Problem } from '../problems.ts';

/** The body of every call that replaces a key or a secret. */
export const Rotation = Type.Object({
  overlapHours: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: maxOverlapHours,
      description: 'How long the old one stays valid besides the new one; 0 switches at once',
    }),
  ),
});

export const rotationUnderWay = (until: Date): Problem =>
  new Problem('CONFLICT', {
    message:
      `A rotation is under way until ${until.toISOString()}. Wait for its end, ` +
      'or end it now with overlapHours 0, which leaves only the new one valid.',
  });
