import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Caller, FairQueue } from './fair-queue.ts';

const partner = fc.integer({ min: 1, max: 5 });
const caller = fc.record({ partnerId: partner, requested: fc.boolean() });

/** Any mix of added, granted and dropped calls. */
const history = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: caller.map((added) => ({ kind: 'add' as const, added })) },
    { weight: 2, arbitrary: fc.constant({ kind: 'next' as const }) },
    { weight: 1, arbitrary: fc.nat({ max: 10 }).map((capacity) => ({ kind: 'drop' as const, capacity })) },
  ),
  { maxLength: 200 },
);

type Call = Caller & { number: number };

type History = typeof history extends fc.Arbitrary<infer Steps> ? Steps : never;

function replay(steps: History) {
  const queue = new FairQueue<Call>();
  const waiting = new Map<number, Call>();
  const removed: Call[] = [];
  for (const [number, step] of steps.entries()) {
    if (step.kind === 'add') {
      const call = { ...step.added, number };
      queue.add(call, call);
      waiting.set(number, call);
      continue;
    }
    const call = step.kind === 'next' ? queue.next() : queue.dropOverflow(step.capacity);
    if (!call) continue;
    removed.push(call);
    waiting.delete(call.number);
  }
  return { queue, waiting: [...waiting.values()], removed };
}

function drain(queue: FairQueue<Call>): Call[] {
  const granted: Call[] = [];
  for (let call = queue.next(); call; call = queue.next()) granted.push(call);
  return granted;
}

describe('a fair queue', () => {
  test('returns every call once', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const { queue, waiting, removed } = replay(steps);
        expect(queue.size).toBe(waiting.length);
        expect(
          drain(queue)
            .map(({ number }) => number)
            .sort(),
        ).toEqual(waiting.map(({ number }) => number).sort());
        expect(new Set(removed).size).toBe(removed.length);
      }),
    );
  });

  test('grants the calls of a partner in order', () => {
    fc.assert(
      fc.property(history, caller, (steps, { partnerId, requested }) => {
        const granted = drain(replay(steps).queue).filter(
          (call) => call.partnerId === partnerId && call.requested === requested,
        );
        expect(granted).toEqual(granted.toSorted((one, other) => one.number - other.number));
      }),
    );
  });

  test('grants a partner its first call after at most one call of each other partner', () => {
    fc.assert(
      fc.property(history, fc.boolean(), (steps, requested) => {
        const { queue, waiting } = replay(steps);
        const newcomer: Call = { partnerId: 99, requested, number: -1 };
        queue.add(newcomer, newcomer);
        const others = new Set(waiting.filter((call) => call.requested === requested).map((call) => call.partnerId));
        const sameKind = drain(queue).filter((call) => call.requested === requested);
        expect(sameKind.indexOf(newcomer)).toBeLessThanOrEqual(others.size);
      }),
    );
  });

  test('grants two waiting partners the same number of calls', () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 30 }), (steps, calls) => {
        const { queue } = replay(steps);
        for (const partnerId of [98, 99])
          for (let number = 0; number < calls; number += 1) {
            const call = { partnerId, requested: true, number };
            queue.add(call, call);
          }
        let balance = 0;
        for (const { partnerId } of drain(queue).filter((call) => call.partnerId >= 98)) {
          balance += partnerId === 98 ? 1 : -1;
          expect(Math.abs(balance)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('grants three requested calls for one scheduled call while both wait', () => {
    const queue = new FairQueue<string>();
    for (let number = 0; number < 8; number += 1) {
      queue.add({ partnerId: 1, requested: false }, 'scheduled');
      queue.add({ partnerId: 2, requested: true }, 'requested');
    }
    const granted = Array.from({ length: 16 }, () => queue.next());
    const [r, s] = ['requested', 'scheduled'];
    expect(granted).toEqual([r, r, r, s, r, r, r, s, r, r, s, s, s, s, s, s]);
  });

  test('drops the last calls of a partner, and keeps one call of each kind', () => {
    fc.assert(
      fc.property(history, fc.nat({ max: 20 }), (steps, capacity) => {
        const { queue, waiting } = replay(steps);
        const dropped: Call[] = [];
        for (let call = queue.dropOverflow(capacity); call; call = queue.dropOverflow(capacity)) dropped.push(call);
        const kept = drain(queue);
        expect(kept.length + dropped.length).toBe(waiting.length);
        for (const one of dropped) {
          const own = kept.filter((call) => call.partnerId === one.partnerId && call.requested === one.requested);
          for (const { number } of own) expect(number).toBeLessThan(one.number);
          expect(kept.some(({ requested }) => requested === one.requested)).toBe(true);
        }
      }),
    );
  });
});
