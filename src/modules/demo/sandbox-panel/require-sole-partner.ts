import type { Sql } from '../../../database/connection.ts';
import type { Caller } from '../../../http/authenticate.ts';
import { Problem } from '../../../problems.ts';
import { hasUnrelatedPartners } from '../../accounts/index.ts';

/** Directories and the demo receiver are shared: only a partner with all others as its descendants may change them. */
export async function requireSolePartner(sql: Sql, { partnerId }: Caller, subject: string): Promise<void> {
  if (!(await hasUnrelatedPartners(sql, partnerId))) return;
  throw new Problem('FORBIDDEN', {
    message:
      `${subject} is shared with partners that do not belong to yours. ` +
      'Ask the operator to run "waypost sandbox" on the server.',
  });
}
