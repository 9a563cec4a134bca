/** Values in network byte order, as AMQP and Kafka write them. Negative integers are in two's complement. */

const integer =
  (size: number) =>
  (value: number): Buffer => {
    const bytes = Buffer.alloc(size);
    bytes.writeUIntBE(value < 0 ? value + 2 ** (8 * size) : value, 0, size);
    return bytes;
  };

export const int8 = integer(1);
export const int16 = integer(2);
export const int32 = integer(4);

export function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}

/** A value after its length in bytes. */
export const sized =
  (length: (value: number) => Buffer) =>
  (value: string | Buffer): Buffer => {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    return Buffer.concat([length(bytes.length), bytes]);
  };
