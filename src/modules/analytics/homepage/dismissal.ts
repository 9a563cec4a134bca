import Type from 'typebox';
import { Id } from '../../../http/ids.ts';
import { invalidField } from '../../../problems.ts';
import { dayOf, daysAfter, readDay } from '../../../values/span.ts';

const defaultDays = 30;
const maxDays = 366;

export const dismissalFields = {
  locationIds: Type.Optional(
    Type.Array(Id, {
      minItems: 1,
      maxItems: 1000,
      description: 'Locations to dismiss it for. Defaults to all',
      examples: [[17, 18]],
    }),
  ),
  until: Type.Optional(
    Type.String({
      maxLength: 10,
      description: `Date on which it is shown again, such as 2026-12-01. Defaults to ${defaultDays} days from now, at most a year`,
      examples: ['2026-12-01'],
    }),
  ),
};

export const DismissalResponse = Type.Object({
  type: Type.String({ examples: ['LOCATION_ADD_PHOTOS'] }),
  until: Type.String({ description: 'Date on which it is shown again', examples: ['2026-12-01'] }),
  locationIds: Type.Optional(
    Type.Array(Type.Integer(), { description: 'Absent if it is dismissed for all locations' }),
  ),
});

export const UndismissResponse = Type.Object({
  success: Type.Literal(true),
  undone: Type.Integer({ description: 'Number of dismissals that were removed', examples: [1] }),
});

export function readUntil(given: string | undefined, now: Date): string {
  const today = dayOf(now);
  if (given === undefined) return daysAfter(today, defaultDays);
  readDay('until', given);
  if (given <= today) throw invalidField('until', 'future', `until must be after today (${today}).`);
  const latest = daysAfter(today, maxDays);
  if (given > latest) throw invalidField('until', 'maximum', `until must not be after ${latest}.`);
  return given;
}
