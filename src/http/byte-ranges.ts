import type { ByteRange } from '../storage/file-store.ts';

/** Parses a Range header. Several ranges return undefined: the whole file is sent (RFC 9110, 14.2). */
export function rangeOf(header: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { from: sizeBytes - length, to: sizeBytes - 1 };
  }
  const from = Number(first);
  const to = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== '' && Number(last) < from) return undefined;
  return from >= sizeBytes ? 'unsatisfiable' : { from, to };
}
