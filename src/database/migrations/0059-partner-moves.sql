-- Root partners that are being moved from this cell to another one.
create table partner_moves (
  partner_id bigint primary key,
  -- The root partner and its child partners.
  partner_ids bigint[] not null default '{}',
  target_cell integer not null check (target_cell between 0 and 255),
  state text not null default 'FREEZING' check (state in ('FREEZING', 'FROZEN', 'MOVED')),
  started_at timestamptz not null default now(),
  moved_at timestamptz
);

-- For triggers that exist only during a move. Arguments: the root partner; for tables without partner_id also the column
-- and the table that lead to the partner.
create function refuse_moving_partner() returns trigger language plpgsql as $$
declare
  is_moving boolean := true;
begin
  if tg_nargs = 3 then
    execute format(
      'select exists (select from %I as owner join partner_moves as move on owner.partner_id = any (move.partner_ids)
         where owner.id = $1 and move.partner_id = $2)', tg_argv[2])
    into is_moving
    using (to_jsonb(case tg_op when 'DELETE' then old else new end) ->> tg_argv[1])::bigint, tg_argv[0]::bigint;
  end if;
  if not is_moving then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  -- Jobs for all partners leave these rows out. Until FROZEN, a job of the partner may be running: it must fail.
  if current_setting('application_name') = 'waypost jobs' and exists (
    select from partner_moves where partner_id = tg_argv[0]::bigint and state <> 'FREEZING'
  ) then
    return null;
  end if;
  raise exception 'The partner is being moved to another cell.' using errcode = 'WP001';
end $$;
