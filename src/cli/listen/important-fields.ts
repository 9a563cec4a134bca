import type { WaypostEvent } from '../../../receiver/receiver.ts';
import { eventTypes, isEventType } from '../../events/catalogue/catalogue.ts';

const ofEveryEvent = new Set(['id', 'time', 'type', 'salesPartnerIdentifier']);
const moves = [
  ['from', 'to'],
  ['old', 'new'],
] as const;
const longestText = 60;
const longestList = 5;

/** What tells one event from another at a glance: `location=7 ACTIVE→CLOSED`. What is false, zero or empty stays out. */
export function importantFields(event: WaypostEvent): string {
  const values = event as unknown as Record<string, unknown>;
  const told = new Map<string, string>();
  for (const name of namesInOrder(event)) {
    const { label, text } = moveOf(name, values) ?? { label: name, text: shown(values[name]) };
    if (text !== undefined) told.set(label, label === '' ? text : `${label}=${text}`);
  }
  return [...told.values()].join(' ');
}

/** As the catalogue has them, which begins with what the event is about; the event itself has them by the alphabet. */
function namesInOrder(event: WaypostEvent): string[] {
  const catalogued = isEventType(event.type) ? Object.keys(eventTypes[event.type].fields.properties) : [];
  return [...new Set([...catalogued, ...Object.keys(event)])].filter((name) => !ofEveryEvent.has(name));
}

/** Two fields that tell one thing before and after, when they differ: fromListingUrl and toListingUrl. */
function moveOf(
  name: string,
  values: Record<string, unknown>,
): { label: string; text: string | undefined } | undefined {
  for (const [before, after] of moves) {
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
  const [first, more] = [values.slice(0, longestList), values.length - longestList];
  return first.map((value) => shown(value) ?? '').join(',') + (more > 0 ? `,…${more} more` : '');
}

/** Quoted unless it is a plain word. A control character could tell the terminal to do something. */
function shownText(text: string): string {
  const short = text.length > longestText ? `${text.slice(0, longestText)}…` : text;
  return /^[\w@.:/?&=+-]+$/.test(short) ? short : JSON.stringify(short).replaceAll(/\p{Cc}/gu, '');
}
