import type { Grant } from '../../../api/versions/version-change.ts';
import type { Transaction } from '../../../database/transaction.ts';
import { reachOf } from '../../../http/access.ts';
import { recordAudit } from '../../../http/audit-trail.ts';
import type { Caller } from '../../../http/authenticate.ts';
import type { Task } from '../../../jobs/tasks/task.ts';
import { createTask } from '../../../jobs/tasks/task-store.ts';
import { unknownReference } from '../../../problems.ts';
import { actorOf } from '../../accounts/index.ts';
import { findBusiness } from '../../catalog/index.ts';
import { readHeader } from './location-header.ts';
import { type ImportParameters, importJob, importType, uploaderOf } from './location-import.ts';
import type { UploadedFile } from './uploaded-file.ts';

/** Creates the import task. Throws when the header or the business is invalid. */
export async function createImport(
  transaction: Transaction,
  caller: Caller,
  file: UploadedFile,
  { businessId, dryRun = false }: { businessId?: number; dryRun?: boolean },
  grants?: ReadonlySet<Grant>,
): Promise<Task> {
  if (businessId !== undefined) await requireVisibleBusiness(transaction, caller, businessId);
  const actor = actorOf(caller, grants);
  const { delimiter, header, firstRow, rows } = file.screened;
  const { unknown } = readHeader(header, { hasBusiness: businessId !== undefined });
  const parameters: ImportParameters = {
    path: file.path,
    fileName: file.name,
    sizeBytes: file.sizeBytes,
    delimiter,
    header,
    firstRow,
    ...(businessId !== undefined && { businessId }),
    ...(dryRun && { dryRun }),
    warnings: unknown.length > 0 ? [ignoredColumns(unknown)] : [],
    partnerIdentifier: caller.partnerIdentifier,
    ...(caller.user && { user: uploaderOf(caller.user) }),
    ...(actor.createsNoLabels && { createsNoLabels: true }),
  };
  const task = await createTask(transaction, actor, { type: importType, parameters, total: rows, job: importJob });
  await recordAudit(transaction, actor, {
    action: 'CREATED',
    subject: importType,
    subjectId: task.id,
    details: { fileName: file.name, rows, ...(dryRun && { dryRun }) },
  });
  return task;
}

async function requireVisibleBusiness(transaction: Transaction, caller: Caller, id: number): Promise<void> {
  const { businessIds } = reachOf(caller);
  const isReached = businessIds === null || businessIds.includes(id);
  if (!isReached || !(await findBusiness(transaction, caller.partnerId, id))) {
    throw unknownReference('businessId', `business ${id}`);
  }
}

const ignoredColumns = (names: readonly string[]) =>
  `Unknown column${names.length > 1 ? 's' : ''} ignored: ${names.join(', ')}.`;
