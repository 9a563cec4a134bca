import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { expect, test } from 'vitest';
import { crc32c, partitionOf } from './kafka-wire.ts';

test('the checksum is CRC-32C', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
});

test('selects the partition that other clients select for the key', () => {
  const select = Partitioners.DefaultPartitioner();
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 1000 }), (key, partitions) => {
      const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
        partitionId,
        partitionErrorCode: 0,
        leader: 1,
        replicas: [1],
        isr: [1],
      }));
      const expected = select({ topic: 'any', partitionMetadata, message: { key, value: '' } });
      expect(partitionOf(key, partitions)).toBe(expected);
    }),
  );
});
