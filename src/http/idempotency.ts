import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Database, Sql } from '../database/connection.ts';
import { db, raw } from '../database/query-builder.ts';
import { defineStatement, run } from '../database/statement.ts';
import type { Transaction } from '../database/transaction.ts';
import { invalidField, Problem } from '../problems.ts';
import type { Caller } from './authenticate.ts';
import { httpCodeOf, success } from './envelope.ts';

const retentionHours = 24;
const printable = /^[\x20-\x7e]{1,255}$/;

interface StoredResponse {
  response: unknown;
  warnings: readonly string[];
}

/**
 * Runs the work of a POST in a transaction. An Idempotency-Key is inserted first: concurrent requests with the same key
 * wait for the first and return its response. A failed request stores no key.
 */
export async function idempotentTransaction<T>(
  request: FastifyRequest,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { database, sealer } = request.server.services;
  const slot = slotOf(request);
  if (!slot) return database.transaction(work);
  return database.transaction(async (transaction) => {
    const [claimed] = await run(transaction, claim, [slot.partnerId, slot.key, slot.requestHash]);
    if (!claimed) {
      const stored = await findStoredResponse(request, transaction, slot);
      if (!stored)
        throw new Problem('CONFLICT', { message: 'This Idempotency-Key has just expired. Send the request again.' });
      request.warnings = [...stored.warnings];
      return stored.response as T;
    }
    const response = await work(transaction);
    // Encrypted, because a response can contain a new key or secret.
    const sealed = sealer.seal(JSON.stringify({ response, warnings: request.warnings } satisfies StoredResponse));
    await fillSlot(transaction, slot, sealed.toString('base64'));
    return response;
  });
}

/** preHandler: a repeated POST returns the stored response. */
export async function replayResponse(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const slot = slotOf(request);
  if (!slot) return;
  const stored = await findStoredResponse(request, request.server.services.database.pool, slot);
  if (stored) return reply.code(httpCodeOf(stored.response)).send(success(stored.response, stored.warnings));
}

export async function deleteExpiredIdempotencyKeys(sql: Sql): Promise<number> {
  const { numDeletedRows } = await db(sql)
    .deleteFrom('idempotencyKeys')
    .where('dateCreated', '<', raw<Date>`now() - make_interval(hours => ${retentionHours})`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

interface Slot {
  partnerId: number;
  key: string;
  request: string;
  requestHash: Buffer;
}

function slotOf(request: FastifyRequest): Slot | undefined {
  const { caller, server } = request;
  const key = request.headers['idempotency-key'];
  if (key === undefined || !caller) return undefined;
  if (typeof key !== 'string' || !printable.test(key)) {
    throw invalidField('Idempotency-Key', 'format', 'Idempotency-Key must have 1 to 255 printable ASCII characters.');
  }
  const text = `${request.method} ${request.url}\n${JSON.stringify(request.body ?? null)}`;
  const { sealer } = server.services;
  const owner = ownerOf(caller, () => sealer.digest(request.ip).toString('base64url'));
  // Keys contain no line break, so the prefix is unambiguous.
  const ownKey = owner === undefined ? key : `${owner}\n${key}`;
  return { partnerId: caller.partnerId, key: ownKey, request: text, requestHash: sealer.digest(text) };
}

/** Keys are scoped to the user or the visitor: they must not get the response of another one. */
const ownerOf = ({ user, by }: Caller, visitor: () => string) =>
  user ? String(user.id) : by === 'PUBLIC_KEY' ? visitor() : undefined;

const claim = defineStatement<{ partnerId: number }>({
  name: 'take-idempotency-slot',
  text: `insert into idempotency_keys as kept (partner_id, key, request_hash, status_code, answer)
         values ($1, $2, $3, 200, '')
         on conflict (partner_id, key) do update
           set request_hash = excluded.request_hash, answer = '', date_created = now()
           where kept.date_created < now() - make_interval(hours => ${retentionHours})
         returning partner_id`,
  columns: { partnerId: 'int8' },
});

async function fillSlot(transaction: Transaction, slot: Slot, sealed: string): Promise<void> {
  await db(transaction)
    .updateTable('idempotencyKeys')
    .set({ answer: sealed })
    .where('partnerId', '=', slot.partnerId)
    .where('key', '=', slot.key)
    .execute();
}

const storedResponse = defineStatement<{ requestHash: Buffer; answer: string }>({
  name: 'read-idempotency-slot',
  text: `select request_hash, answer from idempotency_keys
         where partner_id = $1 and key = $2 and date_created >= now() - make_interval(hours => ${retentionHours})`,
  columns: { requestHash: 'bytea', answer: 'text' },
});

async function findStoredResponse(request: FastifyRequest, sql: Sql, slot: Slot): Promise<StoredResponse | undefined> {
  const { sealer } = request.server.services;
  const [stored] = await run(sql, storedResponse, [slot.partnerId, slot.key]);
  if (!stored) return undefined;
  if (!sealer.matchesDigest(slot.request, stored.requestHash)) {
    throw new Problem('CONFLICT', {
      message: `The Idempotency-Key "${slot.key.split('\n').at(-1)}" was used for a different request within the last ${retentionHours} hours. Use a new key for each request.`,
    });
  }
  return JSON.parse(sealer.open(Buffer.from(stored.answer, 'base64')));
}

/** Query parameter or body field of imports and bulk operations. */
export const dryRun = Type.Optional(
  Type.Boolean({ description: 'Set to true to validate the request without writing anything' }),
);

export function isDryRun({ query, body }: Pick<FastifyRequest, 'query' | 'body'>): boolean {
  return [query, body].some((part) => (part as { dryRun?: boolean } | null | undefined)?.dryRun === true);
}

/** Runs the work in a transaction, which a dry run rolls back. */
export async function writeTransaction<T>(
  request: FastifyRequest,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { database } = request.server.services;
  if (!isDryRun(request))
    return request.method === 'POST' ? idempotentTransaction(request, work) : database.transaction(work);
  const result = await runAndRollBack(database, work);
  request.warnings.push('Dry run: nothing was written.');
  return result;
}

class Rollback extends Error {}

async function runAndRollBack<T>(database: Database, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  let result: { value: T } | undefined;
  try {
    await database.transaction(async (transaction) => {
      result = { value: await work(transaction) };
      throw new Rollback();
    });
  } catch (error) {
    if (error instanceof Rollback && result) return result.value;
    throw error;
  }
  throw new Error('The dry run has no result.');
}
