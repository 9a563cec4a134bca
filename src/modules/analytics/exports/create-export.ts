import type { Transaction } from '../../../database/transaction.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { taskConditions } from '../../../jobs/tasks/task.ts';
import { countTasks, createTask } from '../../../jobs/tasks/task-store.ts';
import { Problem } from '../../../problems.ts';
import { actorOf } from '../../accounts/index.ts';
import { type Export, excelExport, exportJob, reportExport, usualName } from './export.ts';
import type { ExportRequest } from './export-request.ts';
import { findExport, insertExport } from './export-store.ts';

/** One partner's exports leave the workers some room for everybody else's. */
const mostUnderWay = 20;
const types = [excelExport, reportExport];

/** Has an export made in the background. */
export async function createExport(
  transaction: Transaction,
  caller: Caller,
  request: ExportRequest,
  name = usualName(request),
): Promise<Export> {
  await demandRoom(transaction, caller);
  const actor = actorOf(caller);
  const type = request.type === 'REPORT' ? reportExport : excelExport;
  const task = await createTask(transaction, actor, { type, parameters: request, job: exportJob });
  await insertExport(transaction, task, { name, format: request.format });
  await recordAudit(transaction, actor, { action: 'CREATED', subject: type, subjectId: task.id, details: { name } });
  return (await findExport(transaction, taskConditions(caller), task.id)) as Export;
}

async function demandRoom(transaction: Transaction, { user: _whoever, ...partner }: Caller): Promise<void> {
  const underWay = taskConditions(partner, { types, statuses: ['CREATED', 'RUNNING'] });
  if ((await countTasks(transaction, underWay)).count < mostUnderWay) return;
  throw new Problem('QUOTA_LIMIT_EXCEED', {
    message: `${mostUnderWay} exports are under way already. Wait until one has ended, or cancel one.`,
    retryAfterSeconds: 30,
  });
}
