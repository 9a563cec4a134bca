import { diff, styleText } from 'node:util';
import type { WaypostEvent } from '../../../receiver/receiver.ts';
import { eventTypes, isEventType } from '../../events/catalogue/catalogue.ts';
import { type Arrival, type ForwardAttempt, isSuccess, type VerifiedDelivery } from './local-receiver.ts';

/** One line for the terminal, with colours if supported. */
export function arrivalLine(arrival: Arrival): string {
  if (!arrival.verified) return `${clock(arrival.at)} ${styleText('red', '✘ not verified')} ${arrival.reason}\n`;
  const { status, remark } = arrival;
  const result = remark === undefined ? [] : [styleText(status < 300 ? 'dim' : 'yellow', `${status} ${remark}`)];
  return `${[deliveryLine(arrival), ...result].join(' ')}\n`;
}

/** The time of arrival, the event and its age. */
function deliveryLine(delivery: VerifiedDelivery): string {
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
function clock(at: Date): string {
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
    const suffix = name.slice(word?.length);
    if (word === undefined || !(before + suffix in values && after + suffix in values)) continue;
    const [earlier, later] = [values[before + suffix], values[after + suffix]];
    const label = suffix.charAt(0).toLowerCase() + suffix.slice(1);
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

const maxLines = 8;
const maxLineLength = 160;
const maxComparedLines = 20;

interface Progress {
  /** Maximum number of attempts. */
  maxAttempts: number;
  /** Undefined after the last attempt. */
  retryInMs: number | undefined;
}

/** The last attempt for the terminal: a line, and details if it failed or differs from the previous attempt. */
export function attemptText(
  delivery: VerifiedDelivery,
  attempts: readonly ForwardAttempt[],
  progress: Progress,
): string {
  const [last, previous] = [attempts.at(-1), attempts.at(-2)];
  if (!last) return '';
  const lines = previous ? retryLines(delivery, previous, last, attempts.length) : firstLines(delivery, last);
  const next = previous || !isSuccess(last) ? [`    ${nextStep(last, attempts.length, progress)}`] : [];
  return [...lines, ...next].map((line) => `${line}\n`).join('');
}

function firstLines(delivery: VerifiedDelivery, attempt: ForwardAttempt): string[] {
  const line = `${deliveryLine(delivery)} → ${result(attempt)}`;
  return isSuccess(attempt) ? [line] : [line, ...responseLines(attempt)];
}

function retryLines(
  { event }: VerifiedDelivery,
  previous: ForwardAttempt,
  last: ForwardAttempt,
  number: number,
): string[] {
  const line = `${clock(new Date())} ↻ ${event.type} ${event.id} attempt ${number}: was ${previous.status}, now ${result(last)}`;
  const [before, after] = [shortText(previous), shortText(last)];
  if (before === undefined || after === undefined) return [line, ...(isSuccess(last) ? [] : responseLines(last))];
  const changes = lineDiff(before, after);
  return [line, ...(changes.length > 0 ? indented(changes) : ['    same response'])];
}

function result(attempt: ForwardAttempt): string {
  const { status, tookMs, failure } = attempt;
  const text = `${failure === undefined ? statusLine(attempt) : `${status} ${failure}`} in ${tookMs} ms`;
  return styleText(isSuccess(attempt) ? 'green' : 'yellow', text);
}

const statusLine = ({ status, statusText }: ForwardAttempt) => `${status} ${printable(statusText)}`.trim();

/** The status line, the content type and the first lines of the response. */
function responseLines(attempt: ForwardAttempt): string[] {
  if (attempt.failure !== undefined) return [];
  const head = `HTTP ${statusLine(attempt)}, ${printable(attempt.headers['content-type'] ?? 'no content type')}`;
  return indented([head, ...bodyLines(attempt)]);
}

function bodyLines(attempt: ForwardAttempt): string[] {
  const { body, isComplete } = attempt;
  if (body.length === 0) return ['(empty response)'];
  const text = textOf(attempt);
  if (text === undefined) return [`(${body.length}${isComplete ? '' : ' or more'} bytes, not text)`];
  const lines = text.split('\n');
  const more = lines.length - maxLines;
  return [...lines.slice(0, maxLines).map(printable), ...(more > 0 ? [`… ${more} more lines`] : [])];
}

function nextStep(last: ForwardAttempt, number: number, { maxAttempts, retryInMs }: Progress): string {
  if (retryInMs !== undefined) return `Next: attempt ${number + 1} of ${maxAttempts} in ${retryInMs / 1000} s.`;
  if (isSuccess(last)) return `Waypost gets ${last.status}: delivered.`;
  if (last.status === 410) return 'Waypost gets 410 and disables the webhook.';
  return `Waypost gets ${last.status} and retries the delivery later, by the schedule of the webhook.`;
}

/** The lines of a response that is short enough to compare. */
function shortText(attempt: ForwardAttempt): string[] | undefined {
  const text = attempt.isComplete && attempt.failure === undefined ? textOf(attempt) : undefined;
  const lines = text === '' ? [] : text?.split('\n');
  return lines && lines.length <= maxComparedLines ? lines : undefined;
}

/** Undefined if the response is not text. */
function textOf({ body }: ForwardAttempt): string | undefined {
  const text = body.toString().trimEnd();
  // A multi-byte character can be cut at the end.
  return ['\0', '\uFFFD'].some((sign) => text.slice(0, -1).includes(sign)) ? undefined : text;
}

const indented = (lines: readonly string[]) => lines.map((line) => styleText('dim', `    ${line}`));

/** Control characters are removed, because the terminal would interpret them. */
function printable(line: string): string {
  const text = line.replaceAll('\t', '  ').replaceAll(/\p{Cc}/gu, '');
  return text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text;
}

/** The removed and added lines. */
export function lineDiff(before: readonly string[], after: readonly string[]): string[] {
  // `diff` throws a TypeError if both are empty.
  const lines = before.length + after.length > 0 ? diff(before, after) : [];
  return lines.flatMap(([kind, line]) => (kind === 0 ? [] : `${kind > 0 ? '-' : '+'} ${printable(line)}`));
}
