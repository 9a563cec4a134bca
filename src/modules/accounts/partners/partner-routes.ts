import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Sql } from '../../../database/connection.ts';
import { Rotation } from '../../../events/signing/keys.ts';
import { managesAccount } from '../../../http/access.ts';
import { recordAudit, recordOwnerAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { notFound, Problem, requireFound } from '../../../problems.ts';
import { actorOf } from '../actor.ts';
import {
  Identifier,
  isUnchanged,
  KeyResponse,
  keyResponses,
  Name,
  PartnerChange,
  PartnerResponse,
  partnerChange,
  partnerResponse,
} from './partner.ts';
import { endOverlap, partnersChannel, rotateKey, validKeys } from './partner-keys.ts';
import { countPartners, createPartner, findPartner, listPartners, updatePartner } from './partner-store.ts';

const privateKey = Type.String({ description: 'Returned only in this response' });

export function partnerRoutes(server: FastifyInstance, { config, database, sealer }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/sales-partners',
    summary: 'List the calling partner and its child partners',
    query: Type.Object(pageQuery),
    response: pageSchema('salesPartners', PartnerResponse),
    handler: async ({ caller, query }) => {
      if (!seesChildren(caller)) {
        const own = await findPartner(database.pool, caller.partnerId, caller.partnerId);
        return pageOf('salesPartners', query, 1, own && query.offset === 0 ? [partnerResponse(own)] : []);
      }
      const [count, partners] = await Promise.all([
        countPartners(database.pool, caller.partnerId),
        listPartners(database.pool, caller.partnerId, query),
      ]);
      return pageOf('salesPartners', query, count, partners.map(partnerResponse));
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners',
    summary: 'Create a child partner of the calling partner',
    needs: 'ADMIN',
    body: Type.Object({ identifier: Identifier, name: Name }),
    response: Type.Object({ ...PartnerResponse.properties, privateKey }),
    problems: ['IDENTIFIER_NOT_UNIQUE'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const created = await createPartner(transaction, sealer, {
          ...request.body,
          parentId: request.caller.partnerId,
        });
        const { id, identifier } = created.partner;
        await recordAudit(transaction, actorOf(request.caller), 'CREATED', subject, id, { identifier });
        transaction.notifyAfterCommit(partnersChannel);
        return { ...partnerResponse(created.partner), privateKey: created.privateKey };
      }),
  });

  route(server, {
    method: 'GET',
    path: '/api/sales-partners/:id',
    summary: 'Get a partner',
    params: idParams,
    response: PartnerResponse,
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      if (id !== caller.partnerId && !seesChildren(caller)) throw notFound(nameOf(id));
      return partnerResponse(await requirePartner(database.pool, caller, id));
    },
  });

  route(server, {
    method: 'PUT',
    path: '/api/sales-partners/:id',
    summary: 'Change a partner',
    needs: 'ADMIN',
    params: idParams,
    body: PartnerChange,
    response: PartnerResponse,
    problems: ['NOT_FOUND', 'IDENTIFIER_NOT_UNIQUE'],
    handler: async ({ caller, params: { id }, body }) => {
      const change = partnerChange(body);
      return database.transaction(async (transaction) => {
        const before = await requirePartner(transaction, caller, id);
        if (isUnchanged(before, change)) return partnerResponse(before);
        const partner = requireFound(await updatePartner(transaction, caller.partnerId, id, change), nameOf(id));
        await recordOwnerAudit(transaction, caller, id, { action: 'UPDATED', subject, subjectId: id, details: change });
        transaction.notifyAfterCommit(partnersChannel);
        return partnerResponse(partner);
      });
    },
  });

  route(server, {
    method: 'GET',
    path: '/api/sales-partners/:id/private-keys',
    summary: 'List the valid private keys with their creation and expiry times, without the keys themselves',
    needs: 'ADMIN',
    params: idParams,
    response: Type.Object({ privateKeys: Type.Array(KeyResponse) }),
    problems: ['NOT_FOUND'],
    handler: async ({ caller, params: { id } }) => {
      await requirePartner(database.pool, caller, id);
      return { privateKeys: keyResponses(await validKeys(database.pool, id)) };
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/:id/rotate-private-key',
    summary: 'Rotate the private key. Both keys are valid until the overlap ends.',
    needs: 'ADMIN',
    params: idParams,
    body: Rotation,
    response: Type.Object({
      privateKey,
      signsFrom: Type.String({ description: 'When deliveries start to be signed with the new key' }),
      signsUntil: Type.String({ description: 'When deliveries stop being signed with the previous key' }),
      previousKeyValidUntil: Type.String(),
    }),
    problems: ['NOT_FOUND'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { id } = request.params;
        await requirePartner(transaction, request.caller, id);
        const overlapHours = request.body.overlapHours ?? config.keyOverlapHours;
        const rotated = await rotateKey(transaction, sealer, id, overlapHours);
        const entry = { action: 'KEY_ROTATED', subject, subjectId: id, details: { overlapHours } };
        await recordOwnerAudit(transaction, request.caller, id, entry);
        const overlapEnds = rotated.overlapEnds.toISOString();
        return {
          privateKey: rotated.privateKey,
          signsFrom: overlapEnds,
          signsUntil: overlapEnds,
          previousKeyValidUntil: overlapEnds,
        };
      }),
  });

  route(server, {
    method: 'POST',
    path: '/api/sales-partners/:id/switch-private-key',
    summary: 'End the overlap of a rotation. The new private key signs immediately and the previous key expires.',
    needs: 'ADMIN',
    params: idParams,
    response: Type.Object({ privateKeys: Type.Array(KeyResponse) }),
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { id } = request.params;
        await requirePartner(transaction, request.caller, id);
        if (!(await endOverlap(transaction, id))) throw noRotation;
        await recordOwnerAudit(transaction, request.caller, id, { action: 'KEY_SWITCHED', subject, subjectId: id });
        return { privateKeys: keyResponses(await validKeys(transaction, id)) };
      }),
  });
}

const noRotation = new Problem('CONFLICT', {
  message: 'No rotation is in progress. Start one with POST /api/sales-partners/{id}/rotate-private-key.',
});

const subject = 'SALES_PARTNER';

const nameOf = (id: number) => `sales partner ${id}`;

const requirePartner = async (sql: Sql, { partnerId }: Caller, id: number) =>
  requireFound(await findPartner(sql, partnerId, id), nameOf(id));

/** Child partners are visible to a key, an administrator, or an account manager with at least one feature. */
const seesChildren = (caller: Caller) =>
  managesAccount(caller) && (!caller.user || caller.user.role === 'ADMIN' || caller.user.features.size > 0);
