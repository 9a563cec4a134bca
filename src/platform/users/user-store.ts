import type { Sql } from '../../database/connection.ts';
import { violates } from '../../database/faults.ts';

interface Admin {
  partnerId: number;
  email: string;
  passwordHash: string;
}

/** False when there is a user with this address already. */
export async function insertAdmin(sql: Sql, { partnerId, email, passwordHash }: Admin): Promise<boolean> {
  try {
    await sql.query("insert into users (partner_id, email, password_hash, role) values ($1, $2, $3, 'ADMIN')", [
      partnerId,
      email,
      passwordHash,
    ]);
    return true;
  } catch (error) {
    if (!violates(error, 'users_email')) throw error;
    return false;
  }
}

export async function replacePassword(sql: Sql, { partnerId, email, passwordHash }: Admin): Promise<boolean> {
  const { rowCount } = await sql.query(
    'update users set password_hash = $3 where partner_id = $1 and lower(email) = lower($2)',
    [partnerId, email, passwordHash],
  );
  return rowCount === 1;
}
