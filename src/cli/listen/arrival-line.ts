import { styleText } from 'node:util';
import type { WaypostEvent } from '../../../receiver/receiver.ts';
import { eventTypes, isEventType } from '../../events/catalogue/catalogue.ts';
import type { Arrival, VerifiedDelivery } from './local-receiver.ts';

/** One line for the terminal, with colours if supported. */
export function arrivalLine(arrival: Arrival): string {
  if (!arrival.verified) return `${clock(arrival.at)} ${styleText('red', '✘ not verified')} ${arrival.reason}\n`;
  const { status, remark } = arrival;
  const result = remark === undefined ? [] : [styleText(status < 300 ? 'dim' : 'yellow', `${status} ${remark}`)];
  return `${[deliveryLine(arrival), ...result].join(' ')}\n`;
}

/** When it arrived, what it is about, and the age of the event. */
export function deliveryLine(delivery: VerifiedDelivery): string {
  const { at, event } = delivery;
  return [
    clock(at),
    styleText('green', '✔'),
    styleText('bold', event.type),
    styleText('cyan', String(event.id)),
    importantFields(event),
    styleText('dim', `${ageMs(delivery)} ms`),
  ].join(' ');
}

/** One JSON line. */
export function arrivalJson(arrival: Arrival): string {
  const { at, status, remark, attempts } = arrival;
  const found = arrival.verified
    ? { verified: true, verifiedBy: arrival.by, ageMs: ageMs(arrival), event: arrival.event }
    : { verified: false, reason: arrival.reason };
  const forwarded = attempts?.map(({ status, tookMs, failure }) => ({ status, tookMs, failure }));
  return `${JSON.stringify({ receivedAt: at.toISOString(), ...found, status, remark, attempts: forwarded })}\n`;
}

const ageMs = ({ at, event }: VerifiedDelivery) => at.getTime() - Date.parse(event.time);

/** The local time of day. */
export function clock(at: Date): string {
  const parts = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0'));
  return styleText('dim', `${parts.join(':')}.${String(at.getMilliseconds()).padStart(3, '0')}`);
}

const commonFields = new Set(['id', 'time', 'type', 'salesPartnerIdentifier']);
const changePrefixes = [
  ['from', 'to'],
  ['old', 'new'],
] as const;
const maxTextLength = 60;
const maxListLength = 5;

/** The most relevant fields: `location=7 ACTIVE→CLOSED`. False, zero and empty values are omitted. */
export function importantFields(event: WaypostEvent): string {
  const values = event as unknown as Record<string, unknown>;
  const fields = new Map<string, string>();
  for (const name of namesInOrder(event)) {
    const { label, text } = changeOf(name, values) ?? { label: name, text: shown(values[name]) };
    if (text !== undefined) fields.set(label, label === '' ? text : `${label}=${text}`);
  }
  return [...fields.values()].join(' ');
}

/** In the order of the catalogue, which starts with the subject of the event. */
function namesInOrder(event: WaypostEvent): string[] {
  const catalogued = isEventType(event.type) ? Object.keys(eventTypes[event.type].fields.properties) : [];
  return [...new Set([...catalogued, ...Object.keys(event)])].filter((name) => !commonFields.has(name));
}

/** A pair of fields for the old and new value, such as fromListingUrl and toListingUrl. */
function changeOf(
  name: string,
  values: Record<string, unknown>,
): { label: string; text: string | undefined } | undefined {
  for (const [before, after] of changePrefixes) {
    const word = [before, after].find((beginning) => name.startsWith(beginning));
    const what = name.slice(word?.length);
    if (word === undefined || !(before + what in values && after + what in values)) continue;
    const [earlier, later] = [values[before + what], values[after + what]];
    const label = what.charAt(0).toLowerCase() + what.slice(1);
    return { label, text: earlier === later ? undefined : `${shown(earlier)}→${shown(later)}` };
  }
  return undefined;
}

function shown(value: unknown): string | undefined {
  if (typeof value === 'boolean' || value === null || value === undefined || value === 0) return undefined;
  if (Array.isArray(value)) return shownList(value);
  return typeof value === 'string' ? shownText(value) : String(value);
}

function shownList(values: readonly unknown[]): string | undefined {
  if (values.length === 0) return undefined;
  const [first, more] = [values.slice(0, maxListLength), values.length - maxListLength];
  return first.map((value) => shown(value) ?? '').join(',') + (more > 0 ? `,…${more} more` : '');
}

/** Quoted unless it is a plain word. Control characters are removed, because the terminal would interpret them. */
function shownText(text: string): string {
  const short = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text;
  return /^[\w@.:/?&=+-]+$/.test(short) ? short : JSON.stringify(short).replaceAll(/\p{Cc}/gu, '');
}
