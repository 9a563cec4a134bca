import { int8, int32, sized } from './binary.ts';

/** Frames of AMQP 0-9-1. Only strings are needed as values of tables. */

export const frameTypes = { method: 1, header: 2, body: 3, heartbeat: 8 } as const;
const frameEnd = 0xce;
const frameHead = 7;
export const frameOverhead = 8;
/** Larger frames are neither sent nor accepted. */
export const maxFrameBytes = 128 * 1024;

export const protocolHeader = Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 0, 9, 1]);

export function frame(type: number, channel: number, ...parts: readonly Buffer[]): Buffer {
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  const head = Buffer.alloc(frameHead);
  head.writeUInt8(type);
  head.writeUInt16BE(channel, 1);
  head.writeUInt32BE(size, 3);
  return Buffer.concat([head, ...parts, Buffer.from([frameEnd])]);
}

/** A method is named by its class and its number within the class. */
export const methodId = (classId: number, number: number): number => classId * 65_536 + number;

export const method = (id: number, channel: number, ...fields: readonly Buffer[]): Buffer =>
  frame(frameTypes.method, channel, int32(id), ...fields);

export const shortString = sized(int8);
export const longString = sized(int32);

export const table = (values: Readonly<Record<string, string | Buffer>>): Buffer =>
  longString(
    Buffer.concat(
      Object.entries(values).flatMap(([name, value]) => [
        shortString(name),
        typeof value === 'string' ? Buffer.concat([stringTag, longString(value)]) : value,
      ]),
    ),
  );

const stringTag = Buffer.from('S');
const tableTag = Buffer.from('F');

/** The value of a table that says which extensions the client understands. */
export const capabilities = (...names: readonly string[]): Buffer =>
  Buffer.concat([tableTag, table(Object.fromEntries(names.map((name) => [name, Buffer.from('t\x01')])))]);

/** Reads the fields of a frame in order. Throws a RangeError at the end. */
export class FieldReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  uint8(): number {
    return this.#bytes.readUInt8(this.#skip(1));
  }

  uint16(): number {
    return this.#bytes.readUInt16BE(this.#skip(2));
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#skip(4));
  }

  uint64(): number {
    return Number(this.#bytes.readBigUInt64BE(this.#skip(8)));
  }

  shortString(): string {
    const size = this.uint8();
    const from = this.#skip(size);
    return this.#bytes.toString('utf8', from, from + size);
  }

  skipTable(): void {
    this.#skip(this.uint32());
  }

  #skip(size: number): number {
    const from = this.#offset;
    if (from + size > this.#bytes.length) throw new RangeError('a field is incomplete');
    this.#offset += size;
    return from;
  }
}

/** Splits received bytes into frames. */
export class FrameParser {
  #rest: Buffer = Buffer.alloc(0);

  *parse(bytes: Buffer): Generator<{ type: number; channel: number; payload: Buffer }> {
    let rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    while (rest.length >= frameHead) {
      const size = rest.readUInt32BE(3);
      if (size > maxFrameBytes) throw new Error(`a frame of ${size} bytes`);
      if (rest.length < size + frameOverhead) break;
      if (rest[size + frameHead] !== frameEnd) throw new Error('a frame without its end');
      yield {
        type: rest.readUInt8(),
        channel: rest.readUInt16BE(1),
        payload: rest.subarray(frameHead, frameHead + size),
      };
      rest = rest.subarray(size + frameOverhead);
    }
    this.#rest = rest;
  }
}
