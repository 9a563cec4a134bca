import Type, { type Static } from 'typebox';
import { type FieldError, invalidField, missingField, Problem } from '../../problems.ts';
import type { CustomHeaders } from '../signing/webhook-credentials.ts';

const maxHeaders = 20;
const maxBytes = 8192;
const maxNameLength = 100;
const maxValueLength = 2000;

/** Values are stored encrypted and never returned. */
export const HeadersField = Type.Record(Type.String(), Type.String({ maxLength: maxValueLength }), {
  maxProperties: maxHeaders,
  description: 'Additional headers of every delivery, at most 20. Values are not returned',
});

/** In a change, the given headers are set, and headers with null are removed. */
export const HeadersChange = Type.Record(
  Type.String(),
  Type.Union([Type.String({ maxLength: maxValueLength }), Type.Null()]),
  {
    maxProperties: 2 * maxHeaders,
    description:
      'Headers to set, or to remove with null. Others are unchanged; with a push URL of another origin, all are required',
  },
);

// RFC 9110, section 5.6.2.
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const visibleText = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Set by the delivery itself, or change the meaning of the message. */
const reservedNames = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'host',
  'keep-alive',
  'te',
  'traceparent',
  'tracestate',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
  'waypost-test',
]);
const reservedPrefixes = ['webhook-', 'proxy-', 'ce-'];

const isReserved = (name: string) =>
  reservedNames.has(name) || reservedPrefixes.some((prefix) => name.startsWith(prefix));

/** The headers after a change, with names in lower case. Throws if the result is not valid. */
export function changedHeaders(headers: CustomHeaders, change: Static<typeof HeadersChange>): CustomHeaders {
  const changed = new Map(Object.entries(headers));
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(change)) {
    const key = name.toLowerCase();
    const error = headerError(name, value);
    if (error) errors.push(error);
    else if (value === null) changed.delete(key);
    else changed.set(key, value);
  }
  if (errors.length > 0) throw new Problem('INVALID_PARAMETER', { errors });
  const bytes = [...changed].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  if (changed.size > maxHeaders || bytes > maxBytes) {
    const message = `A webhook can have ${maxHeaders} headers with ${maxBytes} characters in all.`;
    throw invalidField('headers', 'maxProperties', message);
  }
  return Object.fromEntries(changed);
}

/** For a push URL of another origin: saved values are not sent to it. */
export function requireHeaderValues(saved: readonly string[], change: Static<typeof HeadersChange> = {}): void {
  const given = new Set(Object.keys(change).map((name) => name.toLowerCase()));
  const kept = saved.filter((name) => !given.has(name));
  if (kept.length === 0) return;
  const message = `headers must contain ${kept.join(', ')}: saved values are not sent to another origin without entering them again. Send the values, or remove these headers with null.`;
  throw missingField('headers', message);
}

function headerError(name: string, value: string | null): FieldError | undefined {
  const shown = name.slice(0, maxNameLength);
  const field = `headers.${shown}`;
  if (name.length > maxNameLength || !token.test(name)) {
    const message = `${JSON.stringify(shown)} is not a header name: use letters, digits and hyphens, at most ${maxNameLength}.`;
    return { field, rule: 'name', message };
  }
  if (isReserved(name.toLowerCase()))
    return { field, rule: 'reserved', message: `The header ${shown} is set by Waypost and cannot be changed.` };
  if (value !== null && !visibleText.test(value)) {
    const message = `The value of the header ${shown} must be visible ASCII text without line breaks, and not empty.`;
    return { field, rule: 'value', message };
  }
  return undefined;
}
