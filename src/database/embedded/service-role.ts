import type pg from 'pg';
import { type Access, database, servicePassword, serviceRole } from './cluster.ts';

/** Creates the service role, without superuser privileges, and its database. */
export async function ensureServiceRole(admin: pg.Client, access: Access): Promise<{ ownsDatabase: boolean }> {
  const { rows } = await admin.query<{ role: boolean; owner: string | null }>(
    `select exists (select from pg_roles where rolname = $1) as role,
       (select pg_get_userbyid(datdba) from pg_database where datname = $2) as owner`,
    [serviceRole, database],
  );
  const { role, owner } = rows[0] ?? { role: false, owner: null };
  if (!role) await admin.query(`create role ${serviceRole} login password '${servicePassword(access)}'`);
  if (owner === null) await admin.query(`create database ${database} owner ${serviceRole}`);
  return { ownsDatabase: owner === null || owner === serviceRole };
}

/** Transfers a database that earlier versions created as the superuser. Must run on a connection to that database. */
export async function transferDatabase(admin: pg.Client): Promise<void> {
  // REASSIGN OWNED rejects the bootstrap superuser. A table includes its indexes, row type and owned sequences.
  await admin.query(`
    do $$
    declare
      item text;
    begin
      for item in
        select format('schema %I', nspname) from pg_namespace
        where nspowner = current_user::regrole and nspname !~ '^pg_' and nspname <> 'information_schema'
        union all
        select format('table %s', oid::regclass) from pg_class
        where relowner = current_user::regrole and relkind in ('r', 'p', 'v', 'm', 'S')
          and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
          and not exists (select from pg_depend where objid = pg_class.oid and relkind = 'S' and deptype in ('a', 'i'))
        union all
        select format('routine %s', oid::regprocedure) from pg_proc
        where proowner = current_user::regrole and pronamespace::regnamespace::text !~ '^(pg_|information_schema)'
        union all
        select format('type %s', pg_type.oid::regtype) from pg_type
        left join pg_class on pg_class.oid = typrelid
        where typowner = current_user::regrole and (typtype in ('e', 'd', 'r') or relkind = 'c')
          and typnamespace::regnamespace::text !~ '^(pg_|information_schema)'
      loop
        execute format('alter %s owner to ${serviceRole}', item);
      end loop;
      alter database ${database} owner to ${serviceRole};
    end $$`);
}
