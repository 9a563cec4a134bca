import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { taskConditions } from '../../../jobs/tasks/task.ts';
import { countTasks, createTask } from '../../../jobs/tasks/task-store.ts';
import { Problem } from '../../../problems.ts';
import { actorOf } from '../../accounts/index.ts';
import { defaultName, type Export, excelExport, exportJob, reportExport } from './export.ts';
import type { ExportRequest } from './export-request.ts';
import { findExport, insertExport } from './export-store.ts';

/** Leaves worker capacity for other partners. */
const maxPending = 20;
const types = [excelExport, reportExport];

export async function createExport(
  transaction: Transaction,
  caller: Caller,
  request: ExportRequest,
  name = defaultName(request),
): Promise<Export> {
  await requireCapacity(transaction, caller);
  const actor = actorOf(caller);
  const type = request.type === 'REPORT' ? reportExport : excelExport;
  const task = await createTask(transaction, actor, { type, parameters: request, job: exportJob });
  await insertExport(transaction, task, { name, format: request.format });
  await recordAudit(transaction, actor, { action: 'CREATED', subject: type, subjectId: task.id, details: { name } });
  return (await findExport(transaction, taskConditions(caller), task.id)) as Export;
}

async function requireCapacity(transaction: Transaction, { user: _user, ...partner }: Caller): Promise<void> {
  const pending = taskConditions(partner, { types, statuses: ['CREATED', 'RUNNING'] });
  if ((await countTasks(transaction, pending)).count < maxPending) return;
  throw new Problem('QUOTA_LIMIT_EXCEED', {
    message: `${maxPending} exports are already pending. Wait until one has finished, or cancel one.`,
    retryAfterSeconds: 30,
  });
}
