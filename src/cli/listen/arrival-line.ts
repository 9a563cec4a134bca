import { styleText } from 'node:util';
import { importantFields } from './important-fields.ts';
import type { Arrival } from './local-receiver.ts';

type VerifiedArrival = Extract<Arrival, { verified: true }>;

/** One line for the terminal, with colours if supported. */
export function arrivalLine(arrival: Arrival): string {
  const message = arrival.verified ? verifiedLine(arrival) : `${styleText('red', '✘ not verified')} ${arrival.reason}`;
  return `${styleText('dim', clock(arrival.at))} ${message}\n`;
}

function verifiedLine(arrival: VerifiedArrival): string {
  const { event, status, remark } = arrival;
  const parts = [
    styleText('green', '✔'),
    styleText('bold', event.type),
    styleText('cyan', String(event.id)),
    importantFields(event),
    styleText('dim', `${ageMs(arrival)} ms`),
  ];
  if (remark !== undefined) parts.push(styleText(status < 300 ? 'dim' : 'yellow', `${status} ${remark}`));
  return parts.join(' ');
}

/** One JSON line. */
export function arrivalJson(arrival: Arrival): string {
  const { at, status, remark } = arrival;
  const found = arrival.verified
    ? { verified: true, verifiedBy: arrival.by, ageMs: ageMs(arrival), event: arrival.event }
    : { verified: false, reason: arrival.reason };
  return `${JSON.stringify({ receivedAt: at.toISOString(), ...found, status, remark })}\n`;
}

const ageMs = ({ at, event }: VerifiedArrival) => at.getTime() - Date.parse(event.time);

/** The local time of day. */
function clock(at: Date): string {
  const parts = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0'));
  return `${parts.join(':')}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
