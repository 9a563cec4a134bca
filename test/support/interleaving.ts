import { onTestFinished, vi } from 'vitest';
import type { Database, Sql } from '../../src/database/connection.ts';

type Query = (...given: [string | { text: string }, ...unknown[]]) => Promise<unknown>;

/**
 * Runs `change` between two statements of a request: after the next statement outside transactions whose text contains
 * all parts.
 */
export function afterStatement({ pool }: Database, parts: readonly string[], change: () => Promise<unknown>): void {
  const query: Query = pool.query.bind(pool);
  const changing: Query = async (...given) => {
    const [statement] = given;
    const text = typeof statement === 'string' ? statement : statement.text;
    const isAwaited = parts.every((part) => text.includes(part));
    if (isAwaited) spy.mockRestore();
    const found = await query(...given);
    if (isAwaited) await change();
    return found;
  };
  const spy = vi.spyOn(pool, 'query').mockImplementation(changing as never);
  onTestFinished(() => spy.mockRestore());
}

/** Executes statements that are sent together in the opposite order, as two connections can, and `between` after the first. */
export function reordering(pool: Sql, between: () => Promise<void>): Sql {
  const sent: (() => Promise<void>)[] = [];
  let done: Promise<void> | undefined;
  async function execute() {
    for (const statement of sent.splice(0).reverse()) {
      await done;
      await statement();
      done ??= between();
    }
  }
  const query = (...given: [string]) =>
    new Promise((resolve, reject) => {
      if (sent.length === 0) setImmediate(execute);
      sent.push(() => pool.query(...given).then(resolve, reject));
    });
  return { query: query as Sql['query'] };
}
