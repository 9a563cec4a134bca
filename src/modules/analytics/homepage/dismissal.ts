import Type from 'typebox';
import { Id } from '../../../http/ids.ts';
import { invalidField } from '../../../problems.ts';
import { dayOf, daysAfter, readDay } from '../../../values/span.ts';

const usualDays = 30;
const mostDays = 366;

/** What a dismissal says beside its type. */
export const dismissalFields = {
  locationIds: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: 1000,
      description: 'Only at these; everywhere unless it is given',
      examples: [[17, 18]],
    }),
  ),
  until: Type.Optional(
    Type.String({
      maxLength: 10,
      description: `The day on which it is back, such as 2026-12-01: ${usualDays} days from now unless it is given, a year at most`,
      examples: ['2026-12-01'],
    }),
  ),
};

export const DismissalAnswer = Type.Object({
  type: Type.String({ examples: ['LOCATION_ADD_PHOTOS'] }),
  until: Type.String({ description: 'The day on which it is back', examples: ['2026-12-01'] }),
  locationIds: Type.Optional(Type.Array(Type.Integer(), { description: 'Absent when it is dismissed everywhere' })),
});

export const UndoneAnswer = Type.Object({
  success: Type.Literal(true),
  undone: Type.Integer({ description: 'How many dismissals there were; 0 when nothing was dismissed', examples: [1] }),
});

/** The day on which something that is dismissed now is back. */
export function readUntil(given: string | undefined, now: Date): string {
  const today = dayOf(now);
  if (given === undefined) return daysAfter(today, usualDays);
  readDay('until', given);
  if (given <= today) throw invalidField('until', 'future', `until must be later than today (${today}).`);
  const latest = daysAfter(today, mostDays);
  if (given > latest) throw invalidField('until', 'maximum', `until must be ${latest} or earlier.`);
  return given;
}
