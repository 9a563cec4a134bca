import Type from 'typebox';
import { invalidField } from '../problems.ts';

/** From one moment to another, both included. */
export interface Period {
  since: Date;
  until: Date;
}

type MomentText = string | number;

export const Moment = Type.Unsafe<MomentText>({
  type: ['string', 'integer'],
  description: 'A moment in ISO 8601, or in milliseconds since 1970',
});

export const periodQuery = { since: Type.Optional(Moment), until: Type.Optional(Moment) };

const earliest = new Date(0);
const latest = new Date('9999-12-31T00:00:00Z');

const iso = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[ +-]\d\d:\d\d)?)?$/i;

/** Without defaults a period that is not given is all time. */
export function readPeriod(
  given: { since?: MomentText; until?: MomentText },
  defaults: { until: Date; sinceFor: (until: Date) => Date } = { until: latest, sinceFor: () => earliest },
): Period {
  const until = given.until === undefined ? defaults.until : readMoment('until', given.until);
  const since = given.since === undefined ? defaults.sinceFor(until) : readMoment('since', given.since);
  if (since > until) {
    throw invalidField(
      'since',
      'order',
      `since (${since.toISOString()}) must not be later than until (${until.toISOString()}).`,
    );
  }
  return { since, until };
}

export function readMoment(field: string, given: MomentText): Date {
  const moment = new Date(/^\d+$/.test(String(given)) ? Number(given) : fullIso(String(given)));
  if (moment >= earliest && moment <= latest) return moment;
  throw invalidField(
    field,
    'moment',
    `${field} must be a moment in ISO 8601 such as 2026-11-15T01:02:03Z, or in milliseconds since 1970.`,
  );
}

/** Without a time zone it is UTC. The plus of an offset that was not escaped in a query arrives as a space. */
function fullIso(text: string): string {
  const [, day, time = '00:00', zone = 'Z'] = iso.exec(text) ?? [];
  return `${day}T${time}${zone.replace(' ', '+')}`;
}
