-- An id must never be issued twice, also not by a database that was restored from a backup or lost its last seconds in a
-- failover. The checkpoint says which database issued ids last, how far it had come, and when.
create table id_checkpoint (
  single boolean primary key default true check (single),
  -- System identifier, database, timeline and sequence: these change with a restore into another server or database, with a
  -- point-in-time recovery and with a failover.
  database_identity text not null,
  -- Changes with every start of the server, also with the start of a copy of its data folder, which has the same identity.
  server_started_at timestamptz not null,
  event_id bigint not null,
  taken_at timestamptz not null
);

create function database_identity() returns text language sql stable
  return concat_ws('/',
    (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database()),
    current_database(),
    left(pg_walfile_name(pg_current_wal_lsn()), 8),
    'event_id'::regclass::oid);

-- Called at the start of a process and for every new connection. Moves the sequence of event ids past every id that can
-- have been issued since the checkpoint when this may be another database than the one that took it.
-- Returns RESTORED for another database, RESTARTED for a server or process that was started, null when nothing changed.
create function advance_issued_ids(at_process_start boolean) returns text language plpgsql as $$
declare
  -- More events than any server records in a second; and, where nothing but a start hints at a restored copy, ten thousand,
  -- three times the rate that the benchmark sustains, so that ids stay short over ordinary restarts.
  ids_per_second constant bigint := 100000;
  ids_per_second_stopped constant bigint := 10000;
  -- Covers ids issued while this function runs, and a clock that was set back.
  margin constant bigint := 10000;
  margin_restored constant bigint := 10000000;
  -- Other records are created far more seldom than events.
  record_ids constant bigint := 1000000;
  here text;
  started constant timestamptz := pg_postmaster_start_time();
  known id_checkpoint;
  moment timestamptz;
  seconds numeric;
  next_id bigint;
  restored boolean;
  other record;
begin
  -- A connection to a standby would outlive its promotion, after which nothing would check it.
  if pg_is_in_recovery() then
    raise exception 'The database server is a standby or in recovery: it cannot record anything'
      using errcode = 'cannot_connect_now';
  end if;
  here := database_identity();
  select * into known from id_checkpoint;
  if not at_process_start and known.database_identity = here and known.server_started_at = started then
    return null;
  end if;
  insert into id_checkpoint (database_identity, server_started_at, event_id, taken_at)
  select here, started, last_value, clock_timestamp() from event_id
  on conflict do nothing;
  if found then return null; end if;
  select * into known from id_checkpoint for update;
  restored := known.database_identity <> here;
  -- Another connection may have advanced them meanwhile.
  if not at_process_start and not restored and known.server_started_at = started then return null; end if;
  moment := clock_timestamp();
  seconds := greatest(extract(epoch from moment - known.taken_at), 0);
  -- The margin comes on top: two copies of a database that start at different moments must not jump to the same id.
  select greatest(
    last_value,
    known.event_id + ceil(seconds * case when restored then ids_per_second else ids_per_second_stopped end)::bigint
      + case when restored then margin_restored else 0 end
  ) + margin into next_id from event_id;
  perform setval('event_id', next_id);
  if restored then
    for other in
      select format('%I.%I', schemaname, sequencename) as name, coalesce(last_value, 0) as last_value from pg_sequences
      where schemaname = current_schema() and sequencename <> 'event_id' and data_type = 'bigint'::regtype and not cycle
    loop
      perform setval(other.name, other.last_value + record_ids);
    end loop;
  end if;
  update id_checkpoint
  set database_identity = here, server_started_at = started, event_id = next_id, taken_at = moment;
  return case when restored then 'RESTORED' else 'RESTARTED' end;
end $$;

-- Keeps the jump of the next start short. The time is read first: every id issued before it is at most the id read after it.
create function take_id_checkpoint() returns void language plpgsql as $$
declare
  moment constant timestamptz := clock_timestamp();
begin
  update id_checkpoint set event_id = (select last_value from event_id), taken_at = moment;
end $$;
