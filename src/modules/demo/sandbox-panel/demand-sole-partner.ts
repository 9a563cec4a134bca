import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { Problem } from '../../../problems.ts';
import { hasUnrelatedPartners } from '../../accounts/index.ts';

/** The directories and the demo receiver serve all partners: only a user above all of them may change how they respond. */
export async function demandSolePartner(sql: Sql, { partnerId }: Caller, subject: string): Promise<void> {
  if (!(await hasUnrelatedPartners(sql, partnerId))) return;
  throw new Problem('FORBIDDEN', {
    message:
      `${subject} serves all partners of this installation, also those that do not belong to yours. ` +
      'Ask the operator to run "waypost sandbox" on the server.',
  });
}
