import { accessSync, constants } from 'node:fs';
import { isIP } from 'node:net';

/** Thrown by a parser; says what would have been accepted, so that it can follow "set it to". */
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

export function wholeNumber(least: number, most: number): Parse<number> {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) throw new InvalidSetting(`a whole number from ${least} to ${most}`);
    return value;
  };
}

export function fraction(text: string): number {
  const value = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 0 && value <= 1)) throw new InvalidSetting('a number from 0 to 1, such as 0.2');
  return value;
}

/** A duration such as 500ms, 5s, 1m, 2h or 1d, counted in the given unit. */
export function duration(unit: 'ms' | 's', least: string, most: string): Parse<number> {
  const [from, to] = [inMilliseconds(least) as number, inMilliseconds(most) as number];
  return (text) => {
    const value = inMilliseconds(text);
    if (value === undefined || value < from || value > to) {
      throw new InvalidSetting(`a duration from ${least} to ${most}, such as 500ms, 5s, 1m, 2h or 1d`);
    }
    return value / (milliseconds[unit] as number);
  };
}

/** Seconds to wait before each further try. */
export function retrySchedule(text: string): number[] {
  if (text === 'none') return [];
  const step = duration('s', '1ms', '7d');
  const steps = text.split(',').map((part) => step(part.trim()));
  const inOrder = steps.every((seconds, index) => index === 0 || seconds >= (steps[index - 1] as number));
  if (!inOrder || steps.length > 50) {
    throw new InvalidSetting('at most 50 durations in ascending order, such as 5s,1m,5m, or to none for no second try');
  }
  return steps;
}

/** Address ranges; a single address stands for the range that holds only itself. */
export function addressRanges(text: string): string[] {
  if (text === 'none') return [];
  return text.split(',').map((part) => {
    const [address = '', length, ...rest] = part.trim().split('/');
    const bits = isIP(address) === 6 ? 128 : 32;
    const fits = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
    if (isIP(address) === 0 || address.includes('%') || !fits || rest.length > 0) {
      throw new InvalidSetting('address ranges such as 10.0.0.0/8,fd00::/8, or to none');
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

export function key32(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32 || !/^[\w+/-]+=*$/.test(text)) {
    throw new InvalidSetting('32 bytes in base64, such as the output of "openssl rand -base64 32"');
  }
  return key;
}

/** An address whose scheme is among those given, such as "http". */
export function urlWithScheme(...schemes: string[]): Parse<string> {
  return (text) => {
    const scheme = URL.parse(text)?.protocol.slice(0, -1);
    if (scheme === undefined || !schemes.includes(scheme))
      throw new InvalidSetting(`an address that begins with ${schemes[0]}://`);
    return text;
  };
}

/** Of PostgreSQL. A Unix socket is named by its folder, without a host: postgres://user:password@/database?host=/folder. */
export function postgresUrl(text: string): string {
  const complete = text.replace(/^(postgres(?:ql)?:\/\/[^@/?#]*@)\//, '$1localhost/');
  const scheme = URL.parse(complete)?.protocol;
  if (scheme !== 'postgres:' && scheme !== 'postgresql:') {
    throw new InvalidSetting(
      'an address that begins with postgres://, such as postgres://user:password@host:5432/database',
    );
  }
  return complete;
}

function inMilliseconds(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (milliseconds[unit] as number);
}
