import { accessSync, constants } from 'node:fs';
import { isIP } from 'node:net';

export interface Setting<T = unknown> {
  variable: string;
  meaning: string;
  /** Without a default, an unset setting is undefined. */
  default?: string;
  /** Replaces the default in demo mode. */
  demoDefault?: string;
  /** The value is never shown. */
  secret?: true;
  parse: (text: string) => T;
}

/** Thrown by a parser. The message names the accepted values and follows "set it to". */
export class InvalidSetting extends Error {}

type Parse<T> = (text: string) => T;

const milliseconds: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function anyText(text: string): string {
  return text;
}

export function onOrOff(text: string): boolean {
  return oneOf('on', 'off')(text) === 'on';
}

export function oneOf<const Choice extends string>(...choices: Choice[]): Parse<Choice> {
  return (text) => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined) throw new InvalidSetting(`one of ${choices.join(', ')}`);
    return found;
  };
}

export function wholeNumber(min: number, max: number): Parse<number> {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new InvalidSetting(`a whole number from ${min} to ${max}`);
    return value;
  };
}

export function fraction(text: string): number {
  const value = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 0 && value <= 1)) throw new InvalidSetting('a number from 0 to 1, such as 0.2');
  return value;
}

/** A duration such as 500ms, 5s, 1m, 2h or 1d, counted in the given unit. */
export function duration(unit: 'ms' | 's', min: string, max: string): Parse<number> {
  const [from, to] = [inMilliseconds(min) as number, inMilliseconds(max) as number];
  return (text) => {
    const value = inMilliseconds(text);
    if (value === undefined || value < from || value > to) {
      throw new InvalidSetting(`a duration from ${min} to ${max}, such as 500ms, 5s, 1m, 2h or 1d`);
    }
    return value / (milliseconds[unit] as number);
  };
}

/** A duration, or null for off. */
export function durationOrOff(unit: 'ms' | 's', min: string, max: string): Parse<number | null> {
  const parse = duration(unit, min, max);
  return (text) => {
    if (text === 'off') return null;
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof InvalidSetting) throw new InvalidSetting(`${error.message}, or off`);
      throw error;
    }
  };
}

/** Delays in seconds before each retry. */
export function retrySchedule(text: string): number[] {
  if (text === 'none') return [];
  const step = duration('s', '1ms', '7d');
  const steps = text.split(',').map((part) => step(part.trim()));
  const inOrder = steps.every((seconds, index) => index === 0 || seconds >= (steps[index - 1] as number));
  if (!inOrder || steps.length > 50) {
    throw new InvalidSetting('at most 50 durations in ascending order, such as 5s,1m,5m, or none for no retries');
  }
  return steps;
}

/** Address ranges in CIDR notation; a single address is a range of one. */
export function addressRanges(text: string): string[] {
  if (text === 'none') return [];
  return text.split(',').map((part) => {
    const [address = '', length, ...rest] = part.trim().split('/');
    const bits = isIP(address) === 6 ? 128 : 32;
    const fits = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
    if (isIP(address) === 0 || address.includes('%') || !fits || rest.length > 0) {
      throw new InvalidSetting('address ranges such as 10.0.0.0/8,fd00::/8, or none');
    }
    return `${address}/${length ?? bits}`;
  });
}

export function readableFile(path: string): string {
  try {
    accessSync(path, constants.R_OK);
    return path;
  } catch {
    throw new InvalidSetting('the path of a file that this user can read');
  }
}

const keyBytes = 32;
export const maxKeys = 10;
const keyRule =
  '32 bytes in base64, such as the output of "openssl rand -base64 32"; during a rotation, further keys after a comma or ' +
  'line break';

/** The current master key, then keys that only open values. */
export function masterKeys(text: string): readonly Buffer[] {
  const words = text.trim().split(/[\s,]+/);
  const keys = words.map((word) => Buffer.from(word, 'base64'));
  if (!keys.every((key, index) => key.length === keyBytes && /^[\w+/-]+=*$/.test(words[index] ?? '')))
    throw new InvalidSetting(keyRule);
  if (new Set(keys.map((key) => key.toString('hex'))).size < keys.length)
    throw new InvalidSetting(`${keyRule}. Name each key once`);
  if (keys.length > maxKeys) throw new InvalidSetting(`${keyRule}, up to ${maxKeys} in all`);
  return keys;
}

const commandRule =
  'a program with its arguments, separated by spaces, or a JSON list such as ["vault", "kv", "get", "secret/waypost"]';

/** A program and its arguments. No shell: quotes, variables and redirections have no meaning. */
export function command(text: string): readonly [string, ...string[]] {
  const words: unknown = text.trimStart().startsWith('[') ? jsonOf(text) : text.trim().split(/\s+/);
  const isList = Array.isArray(words) && words.every((word) => typeof word === 'string' && !word.includes('\0'));
  if (!isList || !words[0]) throw new InvalidSetting(commandRule);
  return words as [string, ...string[]];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidSetting(commandRule);
  }
}

/** A URL with one of the schemes, such as "http". */
export function urlWithScheme(...schemes: string[]): Parse<string> {
  return (text) => {
    const scheme = URL.parse(text)?.protocol.slice(0, -1);
    if (scheme === undefined || !schemes.includes(scheme))
      throw new InvalidSetting(`a URL that starts with ${schemes.map((one) => `${one}://`).join(' or ')}`);
    return text;
  };
}

/** A mail server. `from` is the sender of its e-mails. */
export function smtpUrl(text: string): URL {
  const url = URL.parse(text);
  const from = url?.searchParams.get('from') ?? '';
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '' || !/^[^\s@<>]+@[^\s@<>]+$/.test(from))
    throw new InvalidSetting(
      'a URL such as smtp://user:password@mail.example.com:587?from=waypost@example.com; in from, write + as %2B',
    );
  requireEncoded(url);
  return url;
}

export function proxyUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/' || url.search || url.hash)
    throw new InvalidSetting('a URL without a path, such as http://user:password@proxy.example.com:3128');
  requireEncoded(url);
  return url;
}

function requireEncoded({ username, password }: URL): void {
  try {
    for (const text of [username, password]) decodeURIComponent(text);
  } catch {
    throw new InvalidSetting('a URL whose user and password are percent-encoded: write % as %25');
  }
}

/** Also accepts a Unix socket: postgres://user:password@/database?host=/folder. */
export function postgresUrl(text: string): string {
  const complete = text.replace(/^(postgres(?:ql)?:\/\/[^@/?#]*@)\//, '$1localhost/');
  const url = URL.parse(complete);
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new InvalidSetting('a URL that starts with postgres://, such as postgres://user:password@host:5432/database');
  }
  // pg also accepts a % without two hexadecimal digits.
  if (!/ |%(?![a-f0-9]{2})/i.test(complete)) requireEncoded(url);
  return complete;
}

function inMilliseconds(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (milliseconds[unit] as number);
}
