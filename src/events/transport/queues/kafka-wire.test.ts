import { expect, test } from 'vitest';
import { crc32c, partitionOf } from './kafka-wire.ts';

test('the checksum is CRC-32C', () => {
  expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
});

// Hashes from the tests of Kafka's own client.
test.each([
  ['21', -973932308],
  ['abc', 479470107],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
])('selects the partition of %s as other clients do', (key, hash) => {
  for (const partitions of [1, 3, 12, 1000]) {
    expect(partitionOf(key, partitions)).toBe((hash & 0x7fffffff) % partitions);
  }
});
