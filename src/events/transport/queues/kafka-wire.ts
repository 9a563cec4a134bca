import { int8, int16, int32, int64, sized } from './binary.ts';

/** The encoding of Kafka's protocol: https://kafka.apache.org/protocol. Only versions without tagged fields are used. */

const clientId = 'waypost';
/** More than the partitions of a large topic need. */
const maxResponseBytes = 1024 * 1024;
const lengthBytes = 4;

export const string = sized(int16);

export const nullString = int16(-1);

export const bytes = sized(int32);

export const array = (...items: readonly Buffer[]): Buffer => Buffer.concat([int32(items.length), ...items]);

export interface Api {
  name: string;
  key: number;
  version: number;
}

/** Supported by Kafka 2.1 (2018) and later. */
export const apis = {
  produce: { name: 'Produce', key: 0, version: 7 },
  metadata: { name: 'Metadata', key: 3, version: 4 },
  saslHandshake: { name: 'SaslHandshake', key: 17, version: 1 },
  apiVersions: { name: 'ApiVersions', key: 18, version: 0 },
  saslAuthenticate: { name: 'SaslAuthenticate', key: 36, version: 0 },
} as const satisfies Record<string, Api>;

export const request = ({ key, version }: Api, correlationId: number, ...fields: readonly Buffer[]): Buffer =>
  bytes(Buffer.concat([int16(key), int16(version), int32(correlationId), string(clientId), ...fields]));

/** Splits the bytes of a broker into responses. Throws if they are invalid. */
export class ResponseParser {
  #rest: Buffer = Buffer.alloc(0);

  *parse(received: Buffer): Generator<ResponseReader> {
    let rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, received]) : received;
    while (rest.length >= lengthBytes) {
      const length = rest.readInt32BE();
      if (length < lengthBytes || length > maxResponseBytes) throw new Error(`a response of ${length} bytes`);
      if (rest.length < lengthBytes + length) break;
      yield new ResponseReader(rest.subarray(lengthBytes, lengthBytes + length));
      rest = rest.subarray(lengthBytes + length);
    }
    this.#rest = rest;
  }
}

/** Reads the fields of a response. Throws if it ends too early. */
export class ResponseReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(response: Buffer) {
    this.#bytes = response;
  }

  int16(): number {
    return this.#take(2).readInt16BE();
  }

  int32(): number {
    return this.#take(4).readInt32BE();
  }

  int64(): bigint {
    return this.#take(8).readBigInt64BE();
  }

  boolean(): boolean {
    return this.#take(1)[0] !== 0;
  }

  /** An empty text for null. */
  string(): string {
    return this.#take(Math.max(0, this.int16())).toString();
  }

  bytes(): Buffer {
    return this.#take(Math.max(0, this.int32()));
  }

  /** Every item has at least a byte, so the length of the response limits their number. */
  array<T>(read: () => T): T[] {
    const count = this.int32();
    if (count > this.#bytes.length - this.#at) throw new Error('an incomplete response');
    return Array.from({ length: Math.max(0, count) }, read);
  }

  #take(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new Error('an incomplete response');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

interface KafkaRecord {
  group: string;
  body: Buffer;
  headers: Readonly<Record<string, string>>;
}

/** Records of one partition, format version 2. The key of a record is its group. */
export function recordBatch(records: readonly KafkaRecord[], timestamp: number): Buffer {
  const checked = Buffer.concat([
    // Attributes: no compression, the time of the client, no transaction.
    int16(0),
    int32(records.length - 1),
    int64(timestamp),
    int64(timestamp),
    // No producer id, epoch and sequence: not idempotent.
    int64(-1),
    int16(-1),
    int32(-1),
    array(...records.map(encodeRecord)),
  ]);
  const leaderEpoch = int32(-1);
  const magic = int8(2);
  const afterLength = Buffer.concat([leaderEpoch, magic, int32(crc32c(checked)), checked]);
  return Buffer.concat([int64(0), bytes(afterLength)]);
}

function encodeRecord({ group, body, headers }: KafkaRecord, index: number): Buffer {
  const timestampDelta = varint(0);
  const fields = [
    int8(0),
    timestampDelta,
    varint(index),
    field(group),
    field(body),
    varint(Object.keys(headers).length),
    ...Object.entries(headers).flat().map(field),
  ];
  return field(Buffer.concat(fields));
}

const field = sized(varint);

/** Zigzag encoding of a number that is not negative. */
function varint(value: number): Buffer {
  const parts: number[] = [];
  let rest = value * 2;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) parts.push((rest % 128) | 0x80);
  return Buffer.from([...parts, rest]);
}

const castagnoli = 0x82f63b78;
const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let crc = index;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? castagnoli : 0);
  return crc;
});

/** zlib has only the CRC-32 of Ethernet. */
export function crc32c(data: Buffer): number {
  let crc = 0xffffffff;
  // Three times as fast as the iterator of the buffer.
  for (let at = 0; at < data.length; at += 1) {
    crc = (crc >>> 8) ^ (crcTable[(crc ^ (data[at] as number)) & 0xff] as number);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** The partition that the default partitioner of Kafka's own clients selects: murmur2 of the key. */
export function partitionOf(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
}

const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;

function murmur2(data: Buffer): number {
  let hash = seed ^ data.length;
  const whole = data.length - (data.length % 4);
  for (let at = 0; at < whole; at += 4) {
    let word = Math.imul(data.readInt32LE(at), multiplier);
    word ^= word >>> 24;
    hash = Math.imul(hash, multiplier) ^ Math.imul(word, multiplier);
  }
  if (whole < data.length) {
    const rest = Buffer.alloc(4);
    data.copy(rest, 0, whole);
    hash = Math.imul(hash ^ rest.readInt32LE(), multiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}
