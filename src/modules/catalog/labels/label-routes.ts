import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { lockName, type Transaction } from '../../../database/transaction.ts';
import { Hook } from '../../../hook.ts';
import { managesAccount } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import { idempotentTransaction } from '../../../http/idempotency.ts';
import { idParams } from '../../../http/ids.ts';
import { pageOf, pageQuery, pageSchema } from '../../../http/pagination.ts';
import { deleteRoute, route } from '../../../http/route.ts';
import type { Services } from '../../../http/services.ts';
import { requireChange } from '../../../http/validation.ts';
import { Problem, requireFound } from '../../../problems.ts';
import { normalizeText } from '../../../text.ts';
import { type Actor, actorOf, type FieldGroup } from '../../accounts/index.ts';
import {
  countLabels,
  deleteLabel,
  findLabels,
  insertLabel,
  type Label,
  LabelChange,
  LabelResponse,
  listLabels,
  NewLabel,
  rejectDeletingLabelOfWebhooks,
  updateLabel,
} from './label-store.ts';

const subject = 'LABEL';
/** The group of the location field labels. */
const fieldGroup = 'LABELS' satisfies FieldGroup;

/** A handler that throws prevents the deletion of the label. */
export const labelDeletionChecked = new Hook<(transaction: Transaction, actor: Actor, label: Label) => Promise<void>>(
  'labelDeletionChecked',
);

/** Runs in the transaction that deletes the label. */
export const labelDeleted = new Hook<(transaction: Transaction, actor: Actor, label: Label) => Promise<void>>(
  'labelDeleted',
);

export function labelRoutes(server: FastifyInstance, { database }: Services): void {
  route(server, {
    method: 'GET',
    path: '/api/labels',
    summary: 'List the labels that the caller can assign to locations',
    query: Type.Object({
      ...pageQuery,
      query: Type.Optional(Type.String({ maxLength: 100, description: 'Part of the name' })),
      adminOnly: Type.Optional(Type.Boolean()),
    }),
    response: pageSchema('labels', LabelResponse),
    handler: async ({ caller, query }) => {
      const filter = { ...query, publicOnly: !managesAccount(caller) };
      const [count, labels] = await Promise.all([
        countLabels(database.pool, caller.partnerId, filter),
        listLabels(database.pool, caller.partnerId, filter, query),
      ]);
      return pageOf('labels', query, count, labels);
    },
  });

  route(server, {
    method: 'POST',
    path: '/api/labels',
    summary: 'Create a label, public or adminOnly',
    needs: 'LOCATION_WRITE',
    fieldGroup,
    body: NewLabel,
    response: LabelResponse,
    problems: ['CONFLICT'],
    handler: (request) =>
      idempotentTransaction(request, async (transaction) => {
        const { name, adminOnly = false } = request.body;
        const actor = actorOf(request.caller, request.grants);
        if (actor.createsNoLabels) throw new Problem('FORBIDDEN', { message: administratorsOnly });
        const label = await insertLabel(transaction, actor.partner.id, { name: normalizeText(name), adminOnly });
        await recordAudit(transaction, actor, 'CREATED', subject, label.id);
        return label;
      }),
  });

  route(server, {
    method: 'PATCH',
    path: '/api/labels/:id',
    summary: 'Rename a label or change its visibility',
    needs: 'LOCATION_WRITE',
    fieldGroup,
    accountManager: 'To change a label',
    params: idParams,
    body: LabelChange,
    response: LabelResponse,
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: async ({ caller, params: { id }, body, warnings }) => {
      requireChange(body, LabelChange.properties, warnings);
      return database.transaction(async (transaction) => {
        const change = { ...body, ...(body.name && { name: normalizeText(body.name) }) };
        const label = requireFound(await updateLabel(transaction, caller.partnerId, id, change), `label ${id}`);
        await recordAudit(transaction, actorOf(caller), 'CHANGED', subject, id, change);
        return label;
      });
    },
  });

  deleteRoute(server, {
    path: '/api/labels/:id',
    summary: 'Delete a label and remove it from all locations',
    needs: 'LOCATION_WRITE',
    fieldGroup,
    accountManager: 'To delete a label',
    params: idParams,
    problems: ['NOT_FOUND', 'CONFLICT'],
    remove: async (transaction, { caller, params: { id } }) => {
      const actor = actorOf(caller);
      const [found] = await findLabels(transaction, caller.partnerId, [id]);
      const label = requireFound(found, `label ${id}`);
      await rejectDeletingLabelOfWebhooks(transaction, caller.partnerId, label);
      await labelDeletionChecked.run(transaction, actor, label);
      // Locations before the label, the lock order of a change of a location that creates labels.
      await labelDeleted.run(transaction, actor, label);
      // Otherwise two deletions could each leave the label of the other one as the only target of a record.
      await lockName(transaction, `label deletions of partner ${caller.partnerId}`);
      // Waits for transactions that have checked a new reference to the label.
      requireFound(await deleteLabel(transaction, caller.partnerId, id), `label ${id}`);
      await labelDeletionChecked.run(transaction, actor, label);
      await recordAudit(transaction, actor, 'DELETED', subject, id, { name: label.name });
    },
  });
}

const administratorsOnly =
  'Only administrators can create labels in this API version. Ask an administrator, or use a later version.';
