import type { Sql } from '../../database/connection.ts';
import { violates } from '../../database/faults.ts';
import { CommandFailed } from '../command.ts';

interface ListedPartner {
  id: number;
  identifier: string;
  name: string;
  status: string;
  parentId: number | null;
}

/** For the operator, who is above all partners. */
export async function listAllPartners(sql: Sql): Promise<ListedPartner[]> {
  const { rows } = await sql.query<ListedPartner>(
    'select id, identifier, name, status, parent_id as "parentId" from sales_partners order by lineage',
  );
  return rows;
}

export async function insertAdmin(
  sql: Sql,
  admin: { partnerId: number; email: string; passwordHash: string },
): Promise<void> {
  try {
    await sql.query("insert into users (partner_id, email, password_hash, role) values ($1, $2, $3, 'ADMIN')", [
      admin.partnerId,
      admin.email,
      admin.passwordHash,
    ]);
  } catch (error) {
    if (!violates(error, 'users_email')) throw error;
    throw new CommandFailed(`There is already a user ${admin.email}. Choose another --admin-email.`);
  }
}
