import Type from 'typebox';
import { invalidField } from '../problems.ts';
import { isDay } from '../values/span.ts';

/** Both ends are inclusive. */
export interface Period {
  since: Date;
  until: Date;
}

type MomentText = string | number;

export const Moment = Type.Unsafe<MomentText>({
  type: ['string', 'integer'],
  description: 'A timestamp in ISO 8601, or in milliseconds since 1970',
});

export const periodQuery = { since: Type.Optional(Moment), until: Type.Optional(Moment) };

const earliest = new Date(0);
const latest = new Date('9999-12-31T00:00:00Z');

const iso = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[ +-]\d\d:\d\d)?)?$/i;

/** Without defaults, an absent period means all time. */
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

/** PostgreSQL and ISO 8601 have narrower ranges than Date. False for an invalid date. */
export const isInRange = (moment: Date): boolean => moment >= earliest && moment <= latest;

export function readMoment(field: string, given: MomentText): Date {
  const moment = new Date(/^\d+$/.test(String(given)) ? Number(given) : fullIso(String(given)));
  if (isInRange(moment)) return moment;
  throw invalidField(
    field,
    'moment',
    `${field} must be a timestamp in ISO 8601 such as 2026-11-15T01:02:03Z, or in milliseconds since 1970.`,
  );
}

/** The default time zone is UTC. An unescaped plus sign of an offset arrives as a space. */
function fullIso(text: string): string {
  const [, day = '', time = '00:00', zone = 'Z'] = iso.exec(text) ?? [];
  // Date would read 30 February as 2 March.
  return isDay(day) ? `${day}T${time}${zone.replace(' ', '+')}` : '';
}
