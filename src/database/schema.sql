-- The schema after all migrations. Written and checked by describe-schema.test.ts.

create sequence datapoint_id;

create sequence event_id;

create sequence lease_token;

create sequence worker_id;

CREATE OR REPLACE FUNCTION public.add_bins(a integer[], b integer[])
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (SELECT array_agg((COALESCE(t.x, 0) + COALESCE(t.y, 0)) ORDER BY t.n) AS array_agg FROM UNNEST(add_bins.a, add_bins.b) WITH ORDINALITY t(x, y, n));

CREATE OR REPLACE FUNCTION public.advance_issued_ids(at_process_start boolean)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.awaits_sync(status text, auto_sync boolean, revision integer, synced_revision integer)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select status in ('CREATED', 'ACTIVE', 'NEEDS_REVIEW', 'CANCELLED')
    and (synced_revision is null or (not auto_sync and revision <> synced_revision))
$function$;

CREATE OR REPLACE FUNCTION public.begin_feedback_business(business bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock(hashtext('fold_feedback'));
  insert into feedback_businesses values (business) on conflict do nothing;
  if not found then return; end if;
  insert into feedback_deltas
  select partner_id, business_id, false, day_of(action_date), directory_type, type, coalesce(rating, -1), 1,
    (owner_replied_at is not null)::integer, (not read)::integer,
    response_seconds(type, action_date, owner_replied_at), case when words is null then 0 else 1 end, words
  from datapoints left join datapoint_words on datapoint_id = id
  where business_id = business and status = 'VALID' and location_id is not null and not location_deleted
  union all
  select partner_id, business_id, false, day, directory_type, type, rating, -count, -replied, -unread,
    response_seconds, -analysed, words
  from feedback_deltas where business_id = business;
end $function$;

CREATE OR REPLACE FUNCTION public.counts_for_visibility(duplicate_of bigint, flow_status text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select duplicate_of is null and flow_status not in ('INACTIVE', 'REMOVED')
$function$;

CREATE OR REPLACE FUNCTION public.database_identity()
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN concat_ws('/'::text, (SELECT pg_control_system.system_identifier FROM pg_control_system() pg_control_system(pg_control_version, catalog_version_no, system_identifier, pg_control_last_modified)), (SELECT pg_database.oid FROM pg_database WHERE (pg_database.datname = current_database())), current_database(), "left"(pg_walfile_name(pg_current_wal_lsn()), 8), ('event_id'::regclass)::oid);

CREATE OR REPLACE FUNCTION public.day_of(moment timestamp with time zone)
 RETURNS date
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$ select (moment at time zone 'UTC')::date $function$;

CREATE OR REPLACE FUNCTION public.ensure_day_partitions(parent text, first_day date, last_day date)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  day date;
  partition_name text;
  long_text name;
begin
  for day in select generate_series(first_day, last_day, interval '1 day')::date loop
    partition_name := parent || '_' || to_char(day, 'YYYYMMDD');
    continue when to_regclass(partition_name) is not null;
    execute format(
      'create table %I partition of %I for values from (%L) to (%L)', partition_name, parent,
      day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
    -- Rows are found by their keys alone: figures about long texts would be gathered over and over for nothing.
    execute format('alter table %I set (autovacuum_analyze_scale_factor = 0.5)', partition_name);
    for long_text in
      select attname from pg_attribute
      where attrelid = partition_name::regclass and attnum > 0 and atttypid in ('text'::regtype, 'bytea'::regtype)
        and attname not in ('type', 'outcome', 'verdict')
    loop
      execute format('alter table %I alter column %I set statistics 0', partition_name, long_text);
    end loop;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.filter_fields(event jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
RETURN ((COALESCE((SELECT jsonb_build_object('business', locations.business_id, 'labels', locations.label_ids) AS jsonb_build_object FROM locations WHERE (locations.id = ((filter_fields.event ->> 'location'::text))::bigint)), '{}'::jsonb) || COALESCE((SELECT jsonb_build_object('directoryType', listings.directory_type) AS jsonb_build_object FROM listings WHERE (listings.id = ((filter_fields.event ->> 'listing'::text))::bigint)), '{}'::jsonb)) || event);

CREATE OR REPLACE FUNCTION public.filter_matches(path jsonpath, body text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return coalesce(jsonb_path_match(filter_fields(body::jsonb), path, silent => true), false);
exception when data_exception then
  -- jsonb cannot store some texts, such as \u0000. The event is sent rather than lost.
  return true;
end $function$;

CREATE OR REPLACE FUNCTION public.fold_feedback(most integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  folded integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('fold_feedback')) then return null; end if;
  with taken as materialized (
    delete from feedback_deltas where ctid = any (array(
      select ctid from feedback_deltas
      where partner_id + 0 <> all (array(select unnest(partner_ids) from partner_moves)) limit most
    )) returning *
  ), owned as (
    select 0::bigint as owner, * from taken where for_partner
    union all
    select business_id, * from taken where business_id in (select business_id from feedback_businesses)
  ), counted as (
    insert into feedback_figures
    select partner_id, owner, grain, start, directory_type, type, rating, sum(count), sum(replied), sum(unread),
      sum(analysed), coalesce(sum(count) filter (where response_seconds is not null), 0),
      coalesce(sum(count * response_seconds::bigint), 0)
    from owned cross join lateral (values ('D', day), ('M', date_trunc('month', day)::date)) as period (grain, start)
    group by 1, 2, 3, 4, 5, 6, 7
    on conflict (partner_id, business_id, grain, start, directory_type, type, rating) do update
    set count = feedback_figures.count + excluded.count, replied = feedback_figures.replied + excluded.replied,
      unread = feedback_figures.unread + excluded.unread, analysed = feedback_figures.analysed + excluded.analysed,
      responded = feedback_figures.responded + excluded.responded,
      response_seconds = feedback_figures.response_seconds + excluded.response_seconds
  ), responses as (
    insert into feedback_response_figures
    select partner_id, owner, directory, grain, start, response_bin(response_seconds), sum(count)
    from owned
    cross join lateral (values ('D', day), ('M', date_trunc('month', day)::date)) as period (grain, start)
    cross join lateral (values (directory_type), ('')) as place (directory)
    where response_seconds is not null
    group by 1, 2, 3, 4, 5, 6 having sum(count) <> 0
    on conflict (partner_id, business_id, directory_type, grain, start, bin) do update
    set count = feedback_response_figures.count + excluded.count
  ), spoken as (
    select partner_id, owner, directory_type, day, keyword_id, word.id as word_id, sum(analysed) as count,
      coalesce(sum(analysed) filter (where rating >= 0), 0) as rated,
      coalesce(sum(analysed * rating::double precision) filter (where rating >= 0), 0) as rating_sum
    from owned cross join unnest(words) as spoken (id) join feedback_words word on word.id = spoken.id
    group by 1, 2, 3, 4, 5, 6
  ), words as (
    insert into feedback_word_figures
    select partner_id, owner, directory, grain, start, keyword_id, word_id, sum(count), sum(rated), sum(rating_sum)
    from spoken
    cross join lateral (values ('D', day), ('M', date_trunc('month', day)::date)) as period (grain, start)
    cross join lateral (values (directory_type), ('')) as place (directory)
    group by 1, 2, 3, 4, 5, 6, 7 having sum(count) <> 0 or sum(rated) <> 0 or sum(rating_sum) <> 0
    on conflict (partner_id, business_id, directory_type, grain, start, keyword_id, word_id) do update
    set count = feedback_word_figures.count + excluded.count, rated = feedback_word_figures.rated + excluded.rated,
      rating_sum = feedback_word_figures.rating_sum + excluded.rating_sum
  )
  select count(*) into folded from taken;
  return folded;
end $function$;

CREATE OR REPLACE FUNCTION public.home_datapoint_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into home_waiting (partner_id, location_id)
  select distinct changed.partner_id, changed.location_id
  from after_change changed join before_change was on was.id = changed.id
  where changed.location_id is not null
    and (was.type, was.status, was.read, was.replied) is distinct from
      (changed.type, changed.status, changed.read, changed.replied);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.home_listing_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into home_waiting (partner_id, location_id)
  select distinct changed.partner_id, changed.location_id
  from after_change changed join before_change was on was.id = changed.id
  where (was.sync_status, was.status, was.connect_status, was.duplicate_of, was.external_id is null)
    is distinct from
    (changed.sync_status, changed.status, changed.connect_status, changed.duplicate_of, changed.external_id is null);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.home_location_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into home_waiting (partner_id, location_id) select partner_id, id from after_change;
  else
    insert into home_waiting (partner_id, location_id)
    select changed.partner_id, changed.id from after_change changed join before_change was on was.id = changed.id
    where (was.status, was.business_id, was.revision, was.profile_completeness, was.services_count,
        was.last_sync_started is null, was.visibility_index, was.ratings_count, was.ratings_sum)
      is distinct from (changed.status, changed.business_id, changed.revision, changed.profile_completeness,
        changed.services_count, changed.last_sync_started is null, changed.visibility_index, changed.ratings_count,
        changed.ratings_sum);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.home_post_published()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into home_waiting (partner_id, location_id)
    select distinct locations.partner_id, locations.id
    from after_change changed join locations on locations.id = changed.location_id
    where changed.published_at is not null;
  else
    insert into home_waiting (partner_id, location_id)
    select distinct locations.partner_id, locations.id
    from after_change changed
    join before_change was on was.id = changed.id
    join locations on locations.id = changed.location_id
    where was.published_at is distinct from changed.published_at;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.home_row_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into home_waiting (partner_id, location_id)
  select distinct partner_id, location_id from after_change where location_id is not null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.home_row_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into home_waiting (partner_id, location_id)
  select distinct partner_id, location_id from before_change where location_id is not null;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.home_suggestion_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into home_waiting (partner_id, location_id)
  select distinct changed.partner_id, changed.location_id
  from after_change changed join before_change was on was.id = changed.id
  where was.status <> changed.status;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.keep_webhook_history()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT'
     or (old.type, old.enabled, old.include_children, old.deleted_at is null, old.filter)
        is distinct from (new.type, new.enabled, new.include_children, new.deleted_at is null, new.filter) then
    insert into webhook_history (webhook_id, changed_at, type, enabled, include_children, deleted, filter, filter_path)
    values (
      new.id, now(), new.type, new.enabled, new.include_children, new.deleted_at is not null, new.filter, new.filter_path
    );
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.listing_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  business bigint;
  matching integer := case when counts_for_visibility(new.duplicate_of, new.flow_status) then new.matching_fields else 0 end
    - case when counts_for_visibility(old.duplicate_of, old.flow_status) then old.matching_fields else 0 end;
  comparable integer :=
    case when counts_for_visibility(new.duplicate_of, new.flow_status) then new.comparable_fields else 0 end
    - case when counts_for_visibility(old.duplicate_of, old.flow_status) then old.comparable_fields else 0 end;
  today date := (now() at time zone 'UTC')::date;
begin
  select case when status <> 'DELETED' then business_id end into business from locations
    where id = new.location_id for no key update;
  if business is not null then
    insert into listing_deltas
      (partner_id, business_id, directory_type, kind, claim_status, flow_status, sync_status, connect_status, linked,
       listings, matching_fields, comparable_fields)
    values
      (old.partner_id, business, old.directory_type, listing_kind(old.duplicate_of, old.suppressed_at), old.claim_status,
       old.flow_status, old.sync_status, old.connect_status, old.external_id is not null,
       -1, -old.matching_fields, -old.comparable_fields),
      (new.partner_id, business, new.directory_type, listing_kind(new.duplicate_of, new.suppressed_at), new.claim_status,
       new.flow_status, new.sync_status, new.connect_status, new.external_id is not null,
       1, new.matching_fields, new.comparable_fields);
  end if;
  if matching <> 0 or comparable <> 0 then
    insert into visibility_changes as known
      (location_id, directory_type, day, partner_id, matching_fields, comparable_fields)
    values (new.location_id, new.directory_type, today, new.partner_id, matching, comparable)
    on conflict (location_id, directory_type, day) do update
      set matching_fields = known.matching_fields + excluded.matching_fields,
        comparable_fields = known.comparable_fields + excluded.comparable_fields;
    if business is not null then
      insert into visibility_deltas (partner_id, business_id, directory_type, day, matching_fields, comparable_fields)
      values (new.partner_id, business, new.directory_type, today, matching, comparable);
    end if;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.listing_kind(duplicate_of bigint, suppressed_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when duplicate_of is null then 'ORIGINAL' when suppressed_at is null then 'DUPLICATE' else 'SUPPRESSED' end
$function$;

CREATE OR REPLACE FUNCTION public.listings_came_or_went()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
  today date := (now() at time zone 'UTC')::date;
begin
  if not exists (select from changed) then return null; end if;
  -- Held until the end: a location that moves meanwhile takes along what is counted here.
  perform 1 from locations where id in (select location_id from changed) order by id for no key update;
  insert into listing_deltas
    (partner_id, business_id, directory_type, kind, claim_status, flow_status, sync_status, connect_status, linked,
     listings, matching_fields, comparable_fields)
  select changed.partner_id, location.business_id, directory_type, listing_kind(duplicate_of, suppressed_at), claim_status,
    flow_status, sync_status, connect_status, external_id is not null,
    sign * count(*), sign * sum(matching_fields), sign * sum(comparable_fields)
  from changed join locations location on location.id = changed.location_id
  where location.status <> 'DELETED'
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9;
  insert into visibility_changes as known
    (location_id, directory_type, day, partner_id, matching_fields, comparable_fields)
  select location_id, directory_type, today, partner_id, sign * matching_fields, sign * comparable_fields
  from changed
  where counts_for_visibility(duplicate_of, flow_status) and comparable_fields > 0
  on conflict (location_id, directory_type, day) do update
    set matching_fields = known.matching_fields + excluded.matching_fields,
      comparable_fields = known.comparable_fields + excluded.comparable_fields;
  insert into visibility_deltas (partner_id, business_id, directory_type, day, matching_fields, comparable_fields)
  select changed.partner_id, location.business_id, directory_type, today, sign * sum(matching_fields),
    sign * sum(comparable_fields)
  from changed join locations location on location.id = changed.location_id
  where location.status <> 'DELETED' and counts_for_visibility(duplicate_of, flow_status) and comparable_fields > 0
  group by 1, 2, 3;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.location_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into location_deltas (partner_id, business_id, status, classification, awaits_sync, locations, completeness)
  select * from (values
    (old.partner_id, old.business_id, old.status, old.classification,
      awaits_sync(old.status, old.auto_sync, old.revision, old.synced_revision), -1, -old.profile_completeness),
    (new.partner_id, new.business_id, new.status, new.classification,
      awaits_sync(new.status, new.auto_sync, new.revision, new.synced_revision), 1, new.profile_completeness)
  ) as side (partner_id, business_id, status) where side.status <> 'DELETED';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.location_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  side record;
begin
  for side in
    select * from (values (-1, old.business_id, old.status), (1, new.business_id, new.status))
      as sides (sign, business_id, status)
    where sides.status <> 'DELETED'
  loop
    insert into insight_deltas (partner_id, business_id, directory_type, month, metric, sign, counts, total)
    select partner_id, side.business_id, directory_type, month, metric, side.sign, counts, total
    from insights where location_id = new.id;
    insert into keyword_deltas (partner_id, business_id, month, keyword, impressions, locations)
    select partner_id, side.business_id, month, keyword, side.sign * impressions, side.sign
    from search_keywords where location_id = new.id;
    insert into listing_deltas
      (partner_id, business_id, directory_type, kind, claim_status, flow_status, sync_status, connect_status, linked,
       listings, matching_fields, comparable_fields)
    select partner_id, side.business_id, directory_type, listing_kind(duplicate_of, suppressed_at), claim_status,
      flow_status, sync_status, connect_status, external_id is not null,
      side.sign, side.sign * matching_fields, side.sign * comparable_fields
    from listings where location_id = new.id;
    insert into visibility_deltas (partner_id, business_id, directory_type, day, matching_fields, comparable_fields)
    select partner_id, side.business_id, directory_type, day, side.sign * matching_fields, side.sign * comparable_fields
    from visibility_changes where location_id = new.id;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.locations_came_or_went()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  insert into location_deltas
    (partner_id, business_id, status, classification, awaits_sync, locations, completeness)
  select partner_id, business_id, status, classification, awaits_sync(status, auto_sync, revision, synced_revision),
    sign * count(*), sign * sum(profile_completeness)
  from changed where status <> 'DELETED'
  group by 1, 2, 3, 4, 5;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.month_of(moment timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (floor((EXTRACT(epoch FROM moment) / (2592000)::numeric)))::integer;

CREATE OR REPLACE FUNCTION public.note_feedback()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into feedback_deltas (partner_id, business_id, day, directory_type, type, rating, count, replied, unread,
      response_seconds, analysed)
    select partner_id, business_id, day_of(action_date), directory_type, type, coalesce(rating, -1), 1,
      (owner_replied_at is not null)::integer, (not read)::integer,
      response_seconds(type, action_date, owner_replied_at), 0
    from added where status = 'VALID' and location_id is not null and not location_deleted;
    insert into feedback_to_read
    select id from added where type = 'REVIEW' and text is not null and location_id is not null;

  elsif tg_op = 'UPDATE' then
    insert into feedback_deltas (partner_id, business_id, day, directory_type, type, rating, count, replied, unread,
      response_seconds, analysed, words)
    select side.partner_id, side.business_id, side.day, side.directory_type, side.type, side.rating, sign,
      sign * side.replied, sign * side.unread, side.response_seconds,
      case when words is null then 0 else sign end, words
    from taken as was
    join added as became on became.id = was.id
    -- Words that stay where they are need not be counted again.
    left join datapoint_words on datapoint_id = was.id
      and (was.partner_id, was.business_id, was.location_id, was.action_date, was.directory_type, was.rating, was.status,
           was.location_deleted)
        is distinct from (became.partner_id, became.business_id, became.location_id, became.action_date,
           became.directory_type, became.rating, became.status, became.location_deleted)
    cross join lateral (values
      (-1, was.status = 'VALID' and was.location_id is not null and not was.location_deleted, was.partner_id,
       was.business_id, day_of(was.action_date), was.directory_type, was.type, coalesce(was.rating, -1),
       (was.owner_replied_at is not null)::integer, (not was.read)::integer,
       response_seconds(was.type, was.action_date, was.owner_replied_at)),
      (1, became.status = 'VALID' and became.location_id is not null and not became.location_deleted, became.partner_id,
       became.business_id, day_of(became.action_date), became.directory_type, became.type, coalesce(became.rating, -1),
       (became.owner_replied_at is not null)::integer, (not became.read)::integer,
       response_seconds(became.type, became.action_date, became.owner_replied_at))
    ) as side (sign, counts, partner_id, business_id, day, directory_type, type, rating, replied, unread, response_seconds)
    where side.counts
      and (was.partner_id, was.business_id, was.location_id, was.action_date, was.directory_type, was.type, was.rating,
           was.status, was.location_deleted, was.read, was.owner_replied_at)
        is distinct from (became.partner_id, became.business_id, became.location_id, became.action_date,
           became.directory_type, became.type, became.rating, became.status, became.location_deleted, became.read,
           became.owner_replied_at);
    insert into feedback_to_read
    select became.id from taken as was join added as became on became.id = was.id
    where (was.text, was.language, was.type) is distinct from (became.text, became.language, became.type)
      and became.location_id is not null;

  else
    insert into feedback_deltas (partner_id, business_id, day, directory_type, type, rating, count, replied, unread,
      response_seconds, analysed, words)
    select partner_id, business_id, day_of(action_date), directory_type, type, coalesce(rating, -1), -1,
      -(owner_replied_at is not null)::integer, -(not read)::integer,
      response_seconds(type, action_date, owner_replied_at), case when words is null then 0 else -1 end, words
    from taken left join datapoint_words on datapoint_id = taken.id
    where status = 'VALID' and location_id is not null and not location_deleted;
    delete from datapoint_words where datapoint_id in (select id from taken);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.note_feedback_words(ids bigint[], lists text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  insert into feedback_deltas (partner_id, business_id, day, directory_type, type, rating, count, replied, unread,
    analysed, words)
  select partner_id, business_id, day_of(action_date), directory_type, type, coalesce(rating, -1), 0, 0, 0, sign, side.words
  from unnest(ids, lists) as given (id, list)
  join datapoints on datapoints.id = given.id
  left join datapoint_words known on known.datapoint_id = given.id
  cross join lateral (values (-1, known.words), (1, given.list::integer[])) as side (sign, words)
  where status = 'VALID' and location_id is not null and not location_deleted
    and side.words is not null and known.words is distinct from given.list::integer[];
  delete from datapoint_words where datapoint_id in (
    select id from unnest(ids, lists) as given (id, list) where list is null);
  insert into datapoint_words
  select id, list::integer[] from unnest(ids, lists) as given (id, list) where list is not null
  on conflict (datapoint_id) do update set words = excluded.words;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_moving_partner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION public.response_bin(seconds integer)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select (case when seconds > 0 then 1 + floor(ln(seconds::double precision) / ln(1.015::double precision)) else 0 end)::smallint
$function$;

CREATE OR REPLACE FUNCTION public.response_seconds(type text, left_at timestamp with time zone, replied_at timestamp with time zone)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when type = 'REVIEW' and replied_at is not null
    then least(greatest(extract(epoch from replied_at - left_at), 0), 2147483647)::integer end
$function$;

CREATE OR REPLACE FUNCTION public.sum_of_days(c integer[])
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select 0::bigint
    + coalesce(c[1], 0) + coalesce(c[2], 0) + coalesce(c[3], 0) + coalesce(c[4], 0) + coalesce(c[5], 0)
    + coalesce(c[6], 0) + coalesce(c[7], 0) + coalesce(c[8], 0) + coalesce(c[9], 0) + coalesce(c[10], 0)
    + coalesce(c[11], 0) + coalesce(c[12], 0) + coalesce(c[13], 0) + coalesce(c[14], 0) + coalesce(c[15], 0)
    + coalesce(c[16], 0) + coalesce(c[17], 0) + coalesce(c[18], 0) + coalesce(c[19], 0) + coalesce(c[20], 0)
    + coalesce(c[21], 0) + coalesce(c[22], 0) + coalesce(c[23], 0) + coalesce(c[24], 0) + coalesce(c[25], 0)
    + coalesce(c[26], 0) + coalesce(c[27], 0) + coalesce(c[28], 0) + coalesce(c[29], 0) + coalesce(c[30], 0)
    + coalesce(c[31], 0)
$function$;

CREATE OR REPLACE FUNCTION public.take_datapoints_along()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update datapoints set business_id = new.business_id, location_deleted = (new.status = 'DELETED')
  where location_id = new.id
    and (business_id, location_deleted) is distinct from (new.business_id, new.status = 'DELETED');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.take_id_checkpoint()
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  moment constant timestamptz := clock_timestamp();
begin
  update id_checkpoint set event_id = (select last_value from event_id), taken_at = moment;
end $function$;

CREATE OR REPLACE FUNCTION public.words_of(partner bigint, month integer, words tsquery)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (regexp_replace((words)::text, '''((?:[^'']|'''')*)'''::text, ((((''''::text || (partner)::text) || '/'::text) || (month)::text) || '@\1'''::text), 'g'::text))::tsquery;

CREATE OR REPLACE FUNCTION public.words_of(partner bigint, month integer, words tsvector)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (replace((' '::text || (words)::text), ' '''::text, ((((' '''::text || (partner)::text) || '/'::text) || (month)::text) || '@'::text)))::tsvector;

create table asset_folders (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  parent_id bigint,
  name text not null,
  created_by text not null,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  constraint asset_folders_pkey PRIMARY KEY (id),
  constraint asset_folders_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES asset_folders(id),
  constraint asset_folders_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE UNIQUE INDEX asset_folders_name ON public.asset_folders USING btree (partner_id, COALESCE(parent_id, (0)::bigint), lower(name));
CREATE INDEX asset_folders_parent ON public.asset_folders USING btree (parent_id);

create table assets (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  folder_id bigint,
  type text not null,
  status text not null default 'VISIBLE'::text,
  name text not null,
  description text,
  mime_type text,
  size_bytes bigint,
  width integer,
  height integer,
  sha256 text,
  file_name text,
  thumbnail_name text,
  access_token text,
  content jsonb,
  start_date date,
  end_date date,
  all_managed_resources boolean not null,
  location_ids bigint[] not null default '{}'::bigint[],
  business_ids bigint[] not null default '{}'::bigint[],
  label_ids bigint[] not null default '{}'::bigint[],
  created_by text not null,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  search tsvector generated always as (to_tsvector('simple'::regconfig, translate(((name || ' '::text) || COALESCE(description, ''::text)), '@./-_+&'''::text, '        '::text))),
  constraint assets_pkey PRIMARY KEY (id),
  constraint assets_access_token_key UNIQUE (access_token),
  constraint assets_file_name_key UNIQUE (file_name),
  constraint assets_thumbnail_name_key UNIQUE (thumbnail_name),
  constraint assets_folder_id_fkey FOREIGN KEY (folder_id) REFERENCES asset_folders(id),
  constraint assets_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id),
  constraint assets_check CHECK (((type = 'SOCIAL_POST_TEMPLATE'::text) = (content IS NOT NULL))),
  constraint assets_check1 CHECK (((type = 'SOCIAL_POST_TEMPLATE'::text) = (file_name IS NULL))),
  constraint assets_status_check CHECK ((status = ANY (ARRAY['VISIBLE'::text, 'HIDDEN'::text]))),
  constraint assets_type_check CHECK ((type = ANY (ARRAY['IMAGE'::text, 'VIDEO'::text, 'DOCUMENT'::text, 'SOCIAL_POST_TEMPLATE'::text])))
);
CREATE INDEX assets_folder ON public.assets USING btree (folder_id, id);
CREATE INDEX assets_name ON public.assets USING btree (partner_id, lower(name), id);
CREATE INDEX assets_partner ON public.assets USING btree (partner_id, id DESC);
CREATE INDEX assets_search ON public.assets USING gin (search);

create table attempts (
  event_id bigint not null,
  webhook_id bigint not null,
  number smallint not null,
  recorded_at timestamp with time zone not null,
  started_at timestamp with time zone not null,
  url text not null,
  outcome text not null,
  status_code smallint,
  dns_ms real,
  connect_ms real,
  tls_ms real,
  first_byte_ms real,
  total_ms real not null,
  response_headers text,
  response_body bytea,
  response_truncated boolean not null default false,
  reason text,
  detail text,
  verdict text not null,
  replay_id bigint,
  request_settings_id bigint,
  waited_ms integer,
  token_ms real,
  traceparent text,
  constraint attempts_verdict_check CHECK ((verdict = ANY (ARRAY['DELIVERED'::text, 'RETRY'::text, 'DISCARDED'::text, 'SUPERSEDED'::text])))
) partition by RANGE (started_at);
CREATE INDEX attempts_delivery ON ONLY public.attempts USING btree (webhook_id, event_id);
CREATE INDEX attempts_discarded ON ONLY public.attempts USING btree (webhook_id, event_id) WHERE (verdict = 'DISCARDED'::text);
CREATE INDEX attempts_replayed ON ONLY public.attempts USING btree (replay_id, verdict) WHERE (replay_id IS NOT NULL);

create table audit_trail (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  happened_at timestamp with time zone not null default now(),
  actor text not null,
  action text not null,
  subject text not null,
  subject_id bigint,
  details jsonb not null default '{}'::jsonb,
  constraint audit_trail_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_trail_actor ON public.audit_trail USING btree (partner_id, actor, happened_at DESC, id DESC);
CREATE INDEX audit_trail_partner ON public.audit_trail USING btree (partner_id, happened_at DESC, id DESC);
CREATE INDEX audit_trail_subject ON public.audit_trail USING btree (partner_id, subject, subject_id, happened_at DESC, id DESC);

create table brand_page_discoveries (
  business_id bigint not null,
  discovered_at timestamp with time zone not null default now(),
  constraint brand_page_discoveries_pkey PRIMARY KEY (business_id),
  constraint brand_page_discoveries_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
);

create table businesses (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  identifier text,
  name text not null,
  type text not null default 'SMB'::text,
  street text,
  street_no text,
  zip text,
  city text,
  province text,
  country text,
  phone text,
  email text,
  website text,
  product_plan_id bigint,
  next_product_plan_id bigint,
  effective_date date,
  status text not null default 'CREATED'::text,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  search tsvector generated always as (to_tsvector('simple'::regconfig, translate(((((name || ' '::text) || COALESCE(identifier, ''::text)) || ' '::text) || COALESCE(city, ''::text)), '-_./@#&+:,'::text, '          '::text))),
  constraint businesses_pkey PRIMARY KEY (id),
  constraint businesses_next_product_plan_id_fkey FOREIGN KEY (next_product_plan_id) REFERENCES product_plans(id),
  constraint businesses_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id),
  constraint businesses_product_plan_id_fkey FOREIGN KEY (product_plan_id) REFERENCES product_plans(id),
  constraint businesses_check CHECK (((next_product_plan_id IS NULL) = (effective_date IS NULL)))
);
CREATE INDEX businesses_effective ON public.businesses USING btree (effective_date) WHERE (effective_date IS NOT NULL);
CREATE UNIQUE INDEX businesses_identifier ON public.businesses USING btree (partner_id, identifier) WHERE (status <> 'DELETED'::text);
CREATE INDEX businesses_name ON public.businesses USING btree (partner_id, lower(name), id);
CREATE INDEX businesses_next_plan ON public.businesses USING btree (next_product_plan_id) WHERE (next_product_plan_id IS NOT NULL);
CREATE INDEX businesses_partner ON public.businesses USING btree (partner_id, id);
CREATE INDEX businesses_plan ON public.businesses USING btree (product_plan_id);
CREATE INDEX businesses_search ON public.businesses USING gin (search);

create table content_collections (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  business_id bigint not null,
  type text not null,
  name text not null,
  identifier text,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  constraint content_collections_pkey PRIMARY KEY (id),
  constraint content_collections_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint content_collections_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE INDEX content_collections_business ON public.content_collections USING btree (business_id, id);
CREATE UNIQUE INDEX content_collections_identifier ON public.content_collections USING btree (partner_id, identifier);

create table content_items (
  id bigint not null generated by default as identity,
  collection_id bigint not null,
  identifier text,
  name text not null,
  description text,
  image text,
  url text,
  price integer,
  currency text,
  attributes jsonb not null default '{}'::jsonb,
  position integer not null default 0,
  constraint content_items_pkey PRIMARY KEY (id),
  constraint content_items_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES content_collections(id) ON DELETE CASCADE
);
CREATE INDEX content_items_collection ON public.content_items USING btree (collection_id, "position", id);
CREATE UNIQUE INDEX content_items_identifier ON public.content_items USING btree (collection_id, identifier);

create table content_lists (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  location_id bigint not null,
  collection_id bigint not null,
  name text not null,
  position integer not null default 0,
  constraint content_lists_pkey PRIMARY KEY (id),
  constraint content_lists_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES content_collections(id),
  constraint content_lists_location_id_fkey FOREIGN KEY (location_id) REFERENCES locations(id),
  constraint content_lists_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE INDEX content_lists_collection ON public.content_lists USING btree (collection_id);
CREATE INDEX content_lists_location ON public.content_lists USING btree (location_id, "position", id);
CREATE UNIQUE INDEX content_lists_once ON public.content_lists USING btree (location_id, collection_id);

create table datapoint_filters (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  user_id bigint,
  name text not null,
  filter jsonb not null,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  constraint datapoint_filters_pkey PRIMARY KEY (id),
  constraint datapoint_filters_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id),
  constraint datapoint_filters_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX datapoint_filters_name ON public.datapoint_filters USING btree (partner_id, user_id, lower(name)) NULLS NOT DISTINCT;
CREATE INDEX datapoint_filters_partner ON public.datapoint_filters USING btree (partner_id, id);

create table datapoint_replies (
  id bigint not null default nextval('datapoint_id'::regclass),
  datapoint_id bigint not null,
  external_id text,
  author text not null,
  text text not null,
  owner_reply boolean not null,
  status text not null default 'PUBLISHED'::text,
  message text,
  created_by text,
  approved_by text,
  tries smallint not null default 0,
  sending_until timestamp with time zone,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  sending_process integer,
  constraint datapoint_replies_pkey PRIMARY KEY (id),
  constraint datapoint_replies_datapoint_id_fkey FOREIGN KEY (datapoint_id) REFERENCES datapoints(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX datapoint_replies_external ON public.datapoint_replies USING btree (datapoint_id, external_id);
CREATE INDEX datapoint_replies_thread ON public.datapoint_replies USING btree (datapoint_id, date_created, id);

create table datapoint_words (
  datapoint_id bigint not null,
  words integer[] not null,
  constraint datapoint_words_pkey PRIMARY KEY (datapoint_id)
);

create table datapoints (
  id bigint not null default nextval('datapoint_id'::regclass),
  partner_id bigint not null,
  business_id bigint not null,
  location_id bigint,
  listing_id bigint,
  page_id bigint,
  directory_type text not null,
  external_id text not null,
  type text not null,
  status text not null default 'VALID'::text,
  text text,
  language text,
  rating real,
  author text,
  author_image text,
  photo_url text,
  direct_link text,
  action_date timestamp with time zone not null,
  thread_action_date timestamp with time zone not null,
  read boolean not null default false,
  liked boolean not null default false,
  flagged boolean not null default false,
  owner_replied_at timestamp with time zone,
  replied boolean generated always as ((owner_replied_at IS NOT NULL)),
  replies_count integer not null default 0,
  fingerprint text not null,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  search tsvector generated always as (words_of(partner_id, month_of(thread_action_date), to_tsvector('simple'::regconfig, (("left"(COALESCE(text, ''::text), 20000) || ' '::text) || COALESCE(author, ''::text))))),
  location_deleted boolean not null default false,
  constraint datapoints_pkey PRIMARY KEY (id),
  constraint datapoints_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint datapoints_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id),
  constraint datapoints_location_id_fkey FOREIGN KEY (location_id) REFERENCES locations(id),
  constraint datapoints_page_id_fkey FOREIGN KEY (page_id) REFERENCES directory_business_pages(id),
  constraint datapoints_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id),
  constraint datapoints_check CHECK (((listing_id IS NULL) <> (page_id IS NULL))),
  constraint datapoints_check1 CHECK ((thread_action_date >= action_date))
) with (fillfactor=90);
CREATE INDEX datapoints_action ON public.datapoints USING btree (partner_id, action_date DESC, id DESC) WHERE (status = 'VALID'::text);
CREATE INDEX datapoints_business ON public.datapoints USING btree (business_id, thread_action_date DESC, id DESC) INCLUDE (partner_id, status, type, rating, read, replied);
CREATE INDEX datapoints_directory ON public.datapoints USING btree (partner_id, directory_type, thread_action_date DESC, id DESC) WHERE (status = 'VALID'::text);
CREATE INDEX datapoints_figures ON public.datapoints USING btree (location_id, action_date, id) INCLUDE (directory_type, type, rating, read, owner_replied_at) WHERE ((status = 'VALID'::text) AND (location_id IS NOT NULL) AND (NOT location_deleted));
CREATE INDEX datapoints_flagged ON public.datapoints USING btree (partner_id, thread_action_date DESC, id DESC) WHERE ((status = 'VALID'::text) AND flagged);
CREATE INDEX datapoints_inbox ON public.datapoints USING btree (partner_id, thread_action_date DESC, id DESC) INCLUDE (type, directory_type, rating, read, replied) WHERE (status = 'VALID'::text);
CREATE INDEX datapoints_invalid ON public.datapoints USING btree (partner_id, thread_action_date DESC, id DESC) WHERE (status = 'INVALID'::text);
CREATE INDEX datapoints_language ON public.datapoints USING btree (partner_id, language, thread_action_date DESC, id DESC) WHERE ((status = 'VALID'::text) AND (language IS NOT NULL));
CREATE INDEX datapoints_location ON public.datapoints USING btree (location_id, thread_action_date DESC, id DESC) INCLUDE (partner_id, status, type, rating, read, replied);
CREATE UNIQUE INDEX datapoints_of_listing ON public.datapoints USING btree (listing_id, external_id) WHERE (listing_id IS NOT NULL);
CREATE UNIQUE INDEX datapoints_of_page ON public.datapoints USING btree (page_id, external_id) WHERE (page_id IS NOT NULL);
CREATE INDEX datapoints_page ON public.datapoints USING btree (page_id, thread_action_date DESC, id DESC) WHERE (page_id IS NOT NULL);
CREATE INDEX datapoints_rating ON public.datapoints USING btree (partner_id, rating, thread_action_date, id) INCLUDE (type, read, replied) WHERE ((status = 'VALID'::text) AND (rating IS NOT NULL));
CREATE INDEX datapoints_read ON public.datapoints USING btree (partner_id, read, thread_action_date DESC, id DESC) INCLUDE (type, rating, replied) WHERE (status = 'VALID'::text);
CREATE INDEX datapoints_replied ON public.datapoints USING btree (partner_id, replied, thread_action_date DESC, id DESC) INCLUDE (type, rating, read) WHERE (status = 'VALID'::text);
CREATE INDEX datapoints_search ON public.datapoints USING gin (search) WITH (gin_pending_list_limit='64');
CREATE INDEX datapoints_textless ON public.datapoints USING btree (partner_id, thread_action_date DESC, id DESC) WHERE ((status = 'VALID'::text) AND (text IS NULL));
CREATE INDEX datapoints_type ON public.datapoints USING btree (partner_id, type, thread_action_date DESC, id DESC) INCLUDE (rating, read, replied) WHERE (status = 'VALID'::text);
CREATE INDEX datapoints_unread ON public.datapoints USING btree (partner_id, action_date DESC, id DESC) INCLUDE (business_id, location_id, directory_type) WHERE ((status = 'VALID'::text) AND (NOT read) AND (location_id IS NOT NULL) AND (NOT location_deleted));
CREATE TRIGGER datapoints_added AFTER INSERT ON public.datapoints REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_feedback();
CREATE TRIGGER datapoints_changed AFTER UPDATE ON public.datapoints REFERENCING OLD TABLE AS taken NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_feedback();
CREATE TRIGGER datapoints_removed AFTER DELETE ON public.datapoints REFERENCING OLD TABLE AS taken FOR EACH STATEMENT EXECUTE FUNCTION note_feedback();
CREATE TRIGGER home_datapoint_added AFTER INSERT ON public.datapoints REFERENCING NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION home_row_added();
CREATE TRIGGER home_datapoint_changed AFTER UPDATE ON public.datapoints REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION home_datapoint_changed();
CREATE TRIGGER home_datapoint_removed AFTER DELETE ON public.datapoints REFERENCING OLD TABLE AS before_change FOR EACH STATEMENT EXECUTE FUNCTION home_row_removed();

create table delivery_queue (
  event_id bigint not null,
  webhook_id bigint not null,
  recorded_at timestamp with time zone not null,
  lane smallint not null,
  due_at timestamp with time zone not null,
  attempts smallint not null,
  tries smallint not null,
  replay_id bigint,
  order_key bigint,
  constraint delivery_queue_pkey PRIMARY KEY (event_id, webhook_id)
) with (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_insert_scale_factor=0.2, autovacuum_vacuum_cost_delay=0);
CREATE INDEX delivery_queue_key ON public.delivery_queue USING btree (webhook_id, order_key, event_id) WHERE (order_key IS NOT NULL);
CREATE INDEX delivery_queue_replay ON public.delivery_queue USING btree (replay_id) WHERE (replay_id IS NOT NULL);
CREATE INDEX delivery_queue_turn ON public.delivery_queue USING btree (lane, webhook_id, due_at, event_id);

create table deprecated_use (
  partner_id bigint not null,
  day date not null,
  version text not null,
  name text not null,
  replaced_by text not null,
  count bigint not null,
  last_used timestamp with time zone not null,
  constraint deprecated_use_pkey PRIMARY KEY (partner_id, day, version, name, replaced_by),
  constraint deprecated_use_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);

create table directory_business_pages (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  external_id text not null,
  name text not null,
  url text,
  followers integer not null default 0,
  datapoint_cursor text,
  last_checked timestamp with time zone,
  datapoints_due timestamp with time zone not null default now(),
  datapoints_doubted timestamp with time zone,
  date_created timestamp with time zone not null default now(),
  missing_since timestamp with time zone,
  detached_at timestamp with time zone,
  constraint directory_business_pages_pkey PRIMARY KEY (id),
  constraint directory_business_pages_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint directory_business_pages_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE INDEX directory_business_pages_due ON public.directory_business_pages USING btree (datapoints_due);
CREATE UNIQUE INDEX directory_business_pages_external ON public.directory_business_pages USING btree (business_id, directory_type, external_id);
CREATE INDEX directory_business_pages_owner ON public.directory_business_pages USING btree (directory_type, external_id) WHERE (detached_at IS NULL);
CREATE INDEX directory_business_pages_partner ON public.directory_business_pages USING btree (partner_id, id);

create table events (
  id bigint not null,
  recorded_at timestamp with time zone not null,
  partner_id bigint not null,
  type text not null,
  body text not null,
  traceparent text,
  constraint events_pkey PRIMARY KEY (id, recorded_at)
) partition by RANGE (recorded_at);
CREATE INDEX events_partner_type ON ONLY public.events USING btree (partner_id, type, id);

create table exports (
  id bigint not null,
  partner_id bigint not null,
  name text not null,
  format text not null,
  file_name text,
  size_bytes bigint,
  expires_at timestamp with time zone,
  constraint exports_pkey PRIMARY KEY (id),
  constraint exports_id_fkey FOREIGN KEY (id) REFERENCES tasks(id) ON DELETE CASCADE,
  constraint exports_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE INDEX exports_expiring ON public.exports USING btree (expires_at) WHERE (file_name IS NOT NULL);

create table feedback_businesses (
  business_id bigint not null,
  date_created timestamp with time zone not null default now(),
  constraint feedback_businesses_pkey PRIMARY KEY (business_id),
  constraint feedback_businesses_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
);

create table feedback_deltas (
  partner_id bigint not null,
  business_id bigint not null,
  for_partner boolean not null default true,
  day date not null,
  directory_type text not null,
  type text not null,
  rating real not null,
  count smallint not null,
  replied smallint not null,
  unread smallint not null,
  response_seconds integer,
  analysed smallint not null,
  words integer[]
);
CREATE INDEX feedback_deltas_partner ON public.feedback_deltas USING btree (partner_id);

create table feedback_figures (
  partner_id bigint not null,
  business_id bigint not null,
  grain text not null,
  start date not null,
  directory_type text not null,
  type text not null,
  rating real not null,
  count integer not null,
  replied integer not null,
  unread integer not null,
  analysed integer not null,
  responded integer not null,
  response_seconds bigint not null,
  constraint feedback_figures_pkey PRIMARY KEY (partner_id, business_id, grain, start, directory_type, type, rating)
) with (fillfactor=80);

create table feedback_keywords (
  id integer not null generated always as identity,
  language text not null,
  stem text not null,
  constraint feedback_keywords_pkey PRIMARY KEY (id),
  constraint feedback_keywords_language_stem_key UNIQUE (language, stem)
);

create table feedback_response_figures (
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  grain text not null,
  start date not null,
  bin smallint not null,
  count integer not null,
  constraint feedback_response_figures_pkey PRIMARY KEY (partner_id, business_id, directory_type, grain, start, bin) INCLUDE (count)
) with (fillfactor=80);

create table feedback_to_read (
  datapoint_id bigint not null
);

create table feedback_word_figures (
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  grain text not null,
  start date not null,
  keyword_id integer not null,
  word_id integer not null,
  count integer not null,
  rated integer not null,
  rating_sum double precision not null,
  constraint feedback_word_figures_pkey PRIMARY KEY (partner_id, business_id, directory_type, grain, start, keyword_id, word_id) INCLUDE (count, rated, rating_sum)
) with (fillfactor=80);
CREATE INDEX feedback_word_figures_frequent ON public.feedback_word_figures USING btree (partner_id, business_id, directory_type, grain, start, count) INCLUDE (keyword_id) WHERE (count > 1);

create table feedback_words (
  id integer not null generated always as identity,
  keyword_id integer not null,
  form text not null,
  constraint feedback_words_pkey PRIMARY KEY (id),
  constraint feedback_words_keyword_id_form_key UNIQUE (keyword_id, form),
  constraint feedback_words_keyword_id_fkey FOREIGN KEY (keyword_id) REFERENCES feedback_keywords(id)
);

create table home_dismissals (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  user_id bigint,
  type text not null,
  location_id bigint,
  until date not null,
  date_created timestamp with time zone not null default now(),
  constraint home_dismissals_pkey PRIMARY KEY (id),
  constraint home_dismissals_location_id_fkey FOREIGN KEY (location_id) REFERENCES locations(id),
  constraint home_dismissals_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id),
  constraint home_dismissals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX home_dismissals_once ON public.home_dismissals USING btree (partner_id, user_id, type, location_id) NULLS NOT DISTINCT;
CREATE INDEX home_dismissals_until ON public.home_dismissals USING btree (until);

create table home_finding_counts (
  partner_id bigint not null,
  business_id bigint not null,
  type text not null,
  locations integer not null,
  constraint home_finding_counts_pkey PRIMARY KEY (partner_id, business_id, type)
);

create table home_findings (
  location_id bigint not null,
  type text not null,
  partner_id bigint not null,
  business_id bigint not null,
  constraint home_findings_pkey PRIMARY KEY (location_id, type)
);
CREATE INDEX home_findings_business ON public.home_findings USING btree (business_id, type, location_id);
CREATE INDEX home_findings_partner ON public.home_findings USING btree (partner_id, type, location_id);

create table home_key_metrics (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  user_id bigint,
  metrics text[] not null,
  last_updated timestamp with time zone not null default now(),
  constraint home_key_metrics_pkey PRIMARY KEY (id),
  constraint home_key_metrics_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id),
  constraint home_key_metrics_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX home_key_metrics_owner ON public.home_key_metrics USING btree (partner_id, user_id) NULLS NOT DISTINCT;

create table home_location_days (
  location_id bigint not null,
  day date not null,
  score smallint not null,
  completeness smallint not null,
  listings integer not null,
  listings_in_sync integer not null,
  constraint home_location_days_pkey PRIMARY KEY (location_id, day)
);
CREATE INDEX home_location_days_day ON public.home_location_days USING brin (day);

create table home_locations (
  location_id bigint not null,
  partner_id bigint not null,
  business_id bigint not null,
  score smallint not null,
  completeness smallint not null,
  listings integer not null,
  listings_in_sync integer not null,
  reviews integer not null,
  reviews_answered integer not null,
  messages integer not null,
  messages_answered integer not null,
  posts_until timestamp with time zone,
  visibility_index smallint,
  ratings integer not null,
  average_rating double precision,
  constraint home_locations_pkey PRIMARY KEY (location_id)
) with (fillfactor=85);
CREATE INDEX home_locations_business ON public.home_locations USING btree (business_id, location_id);
CREATE INDEX home_locations_completeness ON public.home_locations USING btree (partner_id, completeness DESC, location_id);
CREATE INDEX home_locations_partner ON public.home_locations USING btree (partner_id, location_id);
CREATE INDEX home_locations_posts ON public.home_locations USING btree (partner_id, posts_until) WHERE (posts_until IS NOT NULL);
CREATE INDEX home_locations_rating ON public.home_locations USING btree (partner_id, average_rating DESC, location_id) WHERE (average_rating IS NOT NULL);
CREATE INDEX home_locations_ratings ON public.home_locations USING btree (partner_id, ratings DESC, location_id);
CREATE INDEX home_locations_score ON public.home_locations USING btree (partner_id, score DESC, location_id);
CREATE INDEX home_locations_score_in_business ON public.home_locations USING btree (business_id, score DESC, location_id);
CREATE INDEX home_locations_visibility ON public.home_locations USING btree (partner_id, visibility_index DESC, location_id) WHERE (visibility_index IS NOT NULL);

create table home_totals (
  partner_id bigint not null,
  business_id bigint not null,
  day date not null,
  locations integer not null,
  score_sum bigint not null,
  completeness_sum bigint not null,
  listings bigint not null,
  listings_in_sync bigint not null,
  constraint home_totals_pkey PRIMARY KEY (partner_id, business_id, day)
);

create table home_waiting (
  partner_id bigint not null,
  location_id bigint not null,
  id bigint not null generated always as identity,
  constraint home_waiting_pkey PRIMARY KEY (partner_id, location_id, id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=10000);

create table hourly_uses (
  what text not null,
  whom text not null,
  hour timestamp with time zone not null,
  used integer not null,
  constraint hourly_uses_pkey PRIMARY KEY (what, whom, hour)
);
CREATE INDEX hourly_uses_hour ON public.hourly_uses USING btree (hour);

create table id_checkpoint (
  single boolean not null default true,
  database_identity text not null,
  server_started_at timestamp with time zone not null,
  event_id bigint not null,
  taken_at timestamp with time zone not null,
  cell integer not null default 0,
  constraint id_checkpoint_pkey PRIMARY KEY (single),
  constraint id_checkpoint_cell_check CHECK (((cell >= 0) AND (cell <= 255))),
  constraint id_checkpoint_single_check CHECK (single)
);

create table idempotency_keys (
  partner_id bigint not null,
  key text not null,
  request_hash bytea not null,
  status_code smallint not null,
  answer text not null,
  date_created timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (partner_id, key)
);
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (date_created);

create table insight_deltas (
  id bigint not null generated always as identity,
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  month date not null,
  metric text not null,
  sign smallint not null,
  counts integer[] not null,
  total bigint not null,
  constraint insight_deltas_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=10000);
CREATE INDEX insight_deltas_partner ON public.insight_deltas USING btree (partner_id, directory_type, month);

create table insight_figures (
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  month date not null,
  metric text not null,
  counts bigint[] not null,
  known integer[] not null,
  total bigint not null,
  known_days bigint not null,
  constraint insight_figures_pkey PRIMARY KEY (partner_id, business_id, directory_type, month, metric)
) with (fillfactor=85);

create table insights (
  listing_id bigint not null,
  metric text not null,
  month date not null,
  location_id bigint not null,
  partner_id bigint not null,
  directory_type text not null,
  counts integer[] not null,
  total bigint not null generated always as (sum_of_days(counts)),
  constraint insights_pkey PRIMARY KEY (listing_id, metric, month),
  constraint insights_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id),
  constraint insights_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
) with (fillfactor=85);
CREATE INDEX insights_location ON public.insights USING btree (location_id, directory_type, month);

create table installation (
  name text not null,
  value text not null,
  constraint installation_pkey PRIMARY KEY (name)
);

create table job_workers (
  worker_id text not null,
  presence integer not null,
  missing_since timestamp with time zone,
  constraint job_workers_pkey PRIMARY KEY (worker_id)
);

create table keyword_deltas (
  id bigint not null generated always as identity,
  partner_id bigint not null,
  business_id bigint not null,
  month date not null,
  keyword text not null,
  impressions bigint not null,
  locations smallint not null,
  constraint keyword_deltas_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=10000);
CREATE INDEX keyword_deltas_partner ON public.keyword_deltas USING btree (partner_id, month);

create table keyword_figures (
  partner_id bigint not null,
  business_id bigint not null,
  month date not null,
  keyword text not null,
  impressions bigint not null,
  locations bigint not null,
  constraint keyword_figures_pkey PRIMARY KEY (partner_id, business_id, month, keyword) INCLUDE (impressions, locations)
) with (fillfactor=85);

create table labels (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  name text not null,
  admin_only boolean not null default false,
  date_created timestamp with time zone not null default now(),
  constraint labels_pkey PRIMARY KEY (id),
  constraint labels_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE UNIQUE INDEX labels_name ON public.labels USING btree (partner_id, lower(name));

create table listing_deltas (
  id bigint not null generated always as identity,
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  kind text not null,
  claim_status text not null,
  flow_status text not null,
  sync_status text not null,
  connect_status text not null,
  linked boolean not null,
  listings bigint not null,
  matching_fields bigint not null,
  comparable_fields bigint not null,
  constraint listing_deltas_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=10000);
CREATE INDEX listing_deltas_partner ON public.listing_deltas USING btree (partner_id);

create table listing_figures (
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  kind text not null,
  claim_status text not null,
  flow_status text not null,
  sync_status text not null,
  connect_status text not null,
  linked boolean not null,
  listings bigint not null,
  matching_fields bigint not null,
  comparable_fields bigint not null,
  constraint listing_figures_pkey PRIMARY KEY (partner_id, business_id, directory_type, kind, claim_status, flow_status, sync_status, connect_status, linked)
) with (fillfactor=85);

create table listing_submissions (
  id bigint not null generated by default as identity,
  listing_id bigint not null,
  submitted_at timestamp with time zone not null default now(),
  result text not null,
  update_status text,
  messages text[] not null default '{}'::text[],
  constraint listing_submissions_pkey PRIMARY KEY (id),
  constraint listing_submissions_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id)
);
CREATE INDEX listing_submissions_listing ON public.listing_submissions USING btree (listing_id, id DESC);

create table listings (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  location_id bigint not null,
  directory_type text not null,
  external_id text,
  url text,
  claim_status text not null default 'UNKNOWN'::text,
  flow_status text not null default 'SUBMISSION_NEEDED'::text,
  sync_status text not null default 'NOT_FOUND'::text,
  status text not null default 'ACTIVE'::text,
  connect_status text not null default 'NOT_CONNECTED'::text,
  fields jsonb not null default '{}'::jsonb,
  matching_fields smallint not null default 0,
  comparable_fields smallint not null default 0,
  duplicate_of bigint,
  suppressed_at timestamp with time zone,
  not_before timestamp with time zone,
  checked_revision integer,
  tried_revision integer,
  submitted_revision integer,
  submitted jsonb,
  flow_held boolean not null default false,
  link_held boolean not null default false,
  failed_checks smallint not null default 0,
  lease_until timestamp with time zone,
  lease_token uuid,
  last_checked timestamp with time zone,
  last_successful_update timestamp with time zone,
  datapoint_cursor text,
  datapoint_cursor_of text,
  datapoints_checked timestamp with time zone,
  datapoints_due timestamp with time zone,
  datapoints_doubted timestamp with time zone,
  insights_until date,
  insights_due timestamp with time zone not null default now(),
  date_created timestamp with time zone not null default now(),
  had_page boolean not null default false,
  submission_requested boolean not null default false,
  submission_round integer not null default 0,
  under_review boolean not null default false,
  lease_process integer,
  unlinked_pages text[] not null default '{}'::text[],
  insights_of text,
  keywords_until date,
  constraint listings_pkey PRIMARY KEY (id),
  constraint listings_duplicate_of_fkey FOREIGN KEY (duplicate_of) REFERENCES listings(id),
  constraint listings_location_id_fkey FOREIGN KEY (location_id) REFERENCES locations(id),
  constraint listings_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
) with (fillfactor=85);
CREATE INDEX listings_connection ON public.listings USING btree (partner_id, connect_status, location_id) INCLUDE (directory_type, claim_status, flow_status) WHERE (duplicate_of IS NULL);
CREATE INDEX listings_datapoints_due ON public.listings USING btree (datapoints_due) WHERE (datapoints_due IS NOT NULL);
CREATE INDEX listings_directory ON public.listings USING btree (partner_id, directory_type, id);
CREATE UNIQUE INDEX listings_duplicate_page ON public.listings USING btree (location_id, directory_type, external_id) WHERE (duplicate_of IS NOT NULL);
CREATE INDEX listings_external ON public.listings USING btree (directory_type, external_id);
CREATE INDEX listings_flow ON public.listings USING btree (partner_id, flow_status, id);
CREATE INDEX listings_insights_due ON public.listings USING btree (directory_type, insights_due) WHERE (external_id IS NOT NULL);
CREATE INDEX listings_location ON public.listings USING btree (location_id, id) INCLUDE (directory_type, claim_status, flow_status, sync_status, connect_status, external_id, duplicate_of, suppressed_at, matching_fields, comparable_fields);
CREATE UNIQUE INDEX listings_one_per_directory ON public.listings USING btree (location_id, directory_type) WHERE (duplicate_of IS NULL);
CREATE INDEX listings_original ON public.listings USING btree (duplicate_of) WHERE (duplicate_of IS NOT NULL);
CREATE UNIQUE INDEX listings_page ON public.listings USING btree (directory_type, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX listings_partner ON public.listings USING btree (partner_id, id);
CREATE INDEX listings_sync ON public.listings USING btree (partner_id, sync_status, id);
CREATE TRIGGER home_listing_added AFTER INSERT ON public.listings REFERENCING NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION home_row_added();
CREATE TRIGGER home_listing_changed AFTER UPDATE ON public.listings REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION home_listing_changed();
CREATE TRIGGER home_listing_removed AFTER DELETE ON public.listings REFERENCING OLD TABLE AS before_change FOR EACH STATEMENT EXECUTE FUNCTION home_row_removed();
CREATE TRIGGER listing_changed AFTER UPDATE ON public.listings FOR EACH ROW WHEN ((((((((((old.claim_status IS DISTINCT FROM new.claim_status) OR (old.flow_status IS DISTINCT FROM new.flow_status)) OR (old.sync_status IS DISTINCT FROM new.sync_status)) OR (old.connect_status IS DISTINCT FROM new.connect_status)) OR ((old.external_id IS NULL) IS DISTINCT FROM (new.external_id IS NULL))) OR (old.duplicate_of IS DISTINCT FROM new.duplicate_of)) OR ((old.suppressed_at IS NULL) IS DISTINCT FROM (new.suppressed_at IS NULL))) OR (old.matching_fields IS DISTINCT FROM new.matching_fields)) OR (old.comparable_fields IS DISTINCT FROM new.comparable_fields))) EXECUTE FUNCTION listing_changed();
CREATE TRIGGER listings_came AFTER INSERT ON public.listings REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION listings_came_or_went();
CREATE TRIGGER listings_went AFTER DELETE ON public.listings REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION listings_came_or_went();

create table location_changes (
  id bigint not null generated by default as identity,
  location_id bigint not null,
  changed_at timestamp with time zone not null default now(),
  changed_by text not null,
  fields text[] not null,
  constraint location_changes_pkey PRIMARY KEY (id),
  constraint location_changes_location_id_fkey FOREIGN KEY (location_id) REFERENCES locations(id)
);
CREATE INDEX location_changes_location ON public.location_changes USING btree (location_id, id DESC);

create table location_deltas (
  id bigint not null generated always as identity,
  partner_id bigint not null,
  business_id bigint not null,
  status text not null,
  classification text not null,
  awaits_sync boolean not null,
  locations bigint not null,
  completeness bigint not null,
  constraint location_deltas_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=10000);
CREATE INDEX location_deltas_partner ON public.location_deltas USING btree (partner_id);

create table location_figures (
  partner_id bigint not null,
  business_id bigint not null,
  status text not null,
  classification text not null,
  awaits_sync boolean not null,
  locations bigint not null,
  completeness bigint not null,
  constraint location_figures_pkey PRIMARY KEY (partner_id, business_id, status, classification, awaits_sync)
) with (fillfactor=85);

create table location_import_errors (
  task_id bigint not null,
  id bigint not null generated by default as identity,
  line integer not null,
  field text not null,
  message text not null,
  identifier text,
  raw text not null,
  constraint location_import_errors_pkey PRIMARY KEY (task_id, id),
  constraint location_import_errors_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id) ON DELETE CASCADE
);
CREATE INDEX location_import_errors_line ON public.location_import_errors USING btree (task_id, line, id);

create table locations (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  business_id bigint not null,
  identifier text,
  status text not null default 'CREATED'::text,
  source text not null,
  name text not null,
  street text not null,
  street_no text,
  address_extra text,
  zip text,
  city text not null,
  province text,
  country text not null,
  lat double precision,
  lng double precision,
  address_display boolean not null default true,
  time_zone text,
  phone text,
  fax text,
  cellphone text,
  website text,
  email text,
  categories bigint[] not null default '{}'::bigint[],
  label_ids bigint[] not null default '{}'::bigint[],
  auto_sync boolean not null default true,
  temporarily_closed boolean not null default false,
  profile jsonb not null default '{}'::jsonb,
  services_count integer not null default 0,
  profile_completeness smallint not null default 0,
  classification text not null default 'REQUIRED'::text,
  missing_mandatory_fields text[] not null default '{}'::text[],
  visibility_index smallint,
  listings_count integer not null default 0,
  listings_in_sync integer not null default 0,
  data_points_count integer not null default 0,
  ratings_count integer not null default 0,
  ratings_sum double precision not null default 0,
  cleansing_status text not null default 'NOT_CLEANSED'::text,
  normalization_status text not null default 'NOT_NORMALIZED'::text,
  revision integer not null default 1,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  last_sync_started timestamp with time zone,
  synced_revision integer,
  next_check_at timestamp with time zone,
  end_date date,
  search tsvector generated always as (to_tsvector('simple'::regconfig, translate(((((((((((((((name || ' '::text) || COALESCE(identifier, ''::text)) || ' '::text) || street) || ' '::text) || COALESCE(street_no, ''::text)) || ' '::text) || COALESCE(zip, ''::text)) || ' '::text) || city) || ' '::text) || COALESCE(phone, ''::text)) || ' '::text) || COALESCE(email, ''::text)), '@./-_+&'''::text, '        '::text))),
  constraint locations_pkey PRIMARY KEY (id),
  constraint locations_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint locations_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
) with (fillfactor=85);
CREATE INDEX locations_business ON public.locations USING btree (business_id, id);
CREATE INDEX locations_categories ON public.locations USING gin (categories) WITH (gin_pending_list_limit='64');
CREATE INDEX locations_city ON public.locations USING btree (partner_id, lower(city), id);
CREATE INDEX locations_cleansing ON public.locations USING btree (id) WHERE (cleansing_status = 'PENDING'::text);
CREATE INDEX locations_country ON public.locations USING btree (partner_id, country, id);
CREATE INDEX locations_created ON public.locations USING btree (partner_id, date_created, id);
CREATE INDEX locations_end ON public.locations USING btree (end_date) WHERE (status = 'CANCELLED'::text);
CREATE UNIQUE INDEX locations_identifier ON public.locations USING btree (partner_id, identifier) WHERE (status <> 'DELETED'::text);
CREATE INDEX locations_labels ON public.locations USING gin (label_ids) WITH (gin_pending_list_limit='64');
CREATE INDEX locations_name ON public.locations USING btree (partner_id, lower(name), id);
CREATE INDEX locations_next_check ON public.locations USING btree (next_check_at) WHERE (status = ANY (ARRAY['ACTIVE'::text, 'NEEDS_REVIEW'::text, 'CANCELLED'::text]));
CREATE INDEX locations_on_map ON public.locations USING btree (partner_id, lat, lng) WHERE (status = ANY (ARRAY['ACTIVE'::text, 'NEEDS_REVIEW'::text]));
CREATE INDEX locations_partner ON public.locations USING btree (partner_id, id);
CREATE INDEX locations_payment ON public.locations USING gin (((profile -> 'paymentOptions'::text))) WHERE (status = ANY (ARRAY['ACTIVE'::text, 'NEEDS_REVIEW'::text]));
CREATE INDEX locations_place ON public.locations USING btree (business_id, lower(street), lower(city));
CREATE INDEX locations_search ON public.locations USING gin (search) WITH (gin_pending_list_limit='64');
CREATE INDEX locations_shown ON public.locations USING btree (partner_id, id) WHERE (status = ANY (ARRAY['ACTIVE'::text, 'NEEDS_REVIEW'::text]));
CREATE INDEX locations_status ON public.locations USING btree (partner_id, status, id);
CREATE INDEX locations_updated ON public.locations USING btree (partner_id, last_updated, id);
CREATE INDEX locations_zip ON public.locations USING btree (partner_id, translate(upper(zip), ' -'::text, ''::text), id);
CREATE TRIGGER home_location_added AFTER INSERT ON public.locations REFERENCING NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION home_location_changed();
CREATE TRIGGER home_location_changed AFTER UPDATE ON public.locations REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION home_location_changed();
CREATE TRIGGER location_changed AFTER UPDATE ON public.locations FOR EACH ROW WHEN ((((((old.business_id IS DISTINCT FROM new.business_id) OR (old.status IS DISTINCT FROM new.status)) OR (old.classification IS DISTINCT FROM new.classification)) OR (old.profile_completeness IS DISTINCT FROM new.profile_completeness)) OR (awaits_sync(old.status, old.auto_sync, old.revision, old.synced_revision) IS DISTINCT FROM awaits_sync(new.status, new.auto_sync, new.revision, new.synced_revision)))) EXECUTE FUNCTION location_changed();
CREATE TRIGGER location_moved AFTER UPDATE ON public.locations FOR EACH ROW WHEN (((old.business_id <> new.business_id) OR ((old.status = 'DELETED'::text) <> (new.status = 'DELETED'::text)))) EXECUTE FUNCTION location_moved();
CREATE TRIGGER locations_came AFTER INSERT ON public.locations REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION locations_came_or_went();
CREATE TRIGGER locations_moved AFTER UPDATE ON public.locations FOR EACH ROW WHEN (((old.business_id <> new.business_id) OR ((old.status = 'DELETED'::text) <> (new.status = 'DELETED'::text)))) EXECUTE FUNCTION take_datapoints_along();
CREATE TRIGGER locations_went AFTER DELETE ON public.locations REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION locations_came_or_went();

create table login_attempts (
  account text not null,
  attempts integer not null,
  last_attempt timestamp with time zone not null default now(),
  blocked_until timestamp with time zone not null default now(),
  constraint login_attempts_pkey PRIMARY KEY (account)
);

create table migrations (
  name text not null,
  hash text,
  applied_at timestamp with time zone not null default now(),
  release text,
  constraint migrations_pkey PRIMARY KEY (name)
);

create table near_me_reports (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  token_hash bytea not null,
  name text not null,
  street_and_no text not null,
  zip text,
  city text not null,
  country text not null,
  category_id bigint not null,
  phone text,
  website text,
  status text not null default 'RUNNING'::text,
  score integer,
  error text,
  date_created timestamp with time zone not null default now(),
  date_finished timestamp with time zone,
  expires_at timestamp with time zone not null,
  constraint near_me_reports_pkey PRIMARY KEY (id),
  constraint near_me_reports_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE INDEX near_me_reports_expiry ON public.near_me_reports USING btree (expires_at);
CREATE INDEX near_me_reports_partner ON public.near_me_reports USING btree (partner_id, id);
CREATE INDEX near_me_reports_running ON public.near_me_reports USING btree (date_created) WHERE (status = 'RUNNING'::text);

create table near_me_results (
  report_id bigint not null,
  directory_type text not null,
  position integer not null,
  status text not null default 'PENDING'::text,
  listing_url text,
  claim text,
  duplicates integer not null default 0,
  fields jsonb not null default '[]'::jsonb,
  matching_fields integer not null default 0,
  comparable_fields integer not null default 0,
  message text,
  constraint near_me_results_pkey PRIMARY KEY (report_id, directory_type),
  constraint near_me_results_report_id_fkey FOREIGN KEY (report_id) REFERENCES near_me_reports(id) ON DELETE CASCADE
);

create table partner_keys (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  hash bytea not null,
  sealed bytea not null,
  date_created timestamp with time zone not null default now(),
  expires_at timestamp with time zone,
  constraint partner_keys_pkey PRIMARY KEY (id),
  constraint partner_keys_hash_key UNIQUE (hash),
  constraint partner_keys_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE INDEX partner_keys_partner ON public.partner_keys USING btree (partner_id);

create table partner_moves (
  partner_id bigint not null,
  partner_ids bigint[] not null default '{}'::bigint[],
  target_cell integer not null,
  state text not null default 'FREEZING'::text,
  started_at timestamp with time zone not null default now(),
  moved_at timestamp with time zone,
  constraint partner_moves_pkey PRIMARY KEY (partner_id),
  constraint partner_moves_state_check CHECK ((state = ANY (ARRAY['FREEZING'::text, 'FROZEN'::text, 'MOVED'::text]))),
  constraint partner_moves_target_cell_check CHECK (((target_cell >= 0) AND (target_cell <= 255)))
);

create table product_plans (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  identifier text,
  name text not null,
  description text not null default ''::text,
  price integer not null,
  currency text not null,
  status text not null default 'PENDING_APPROVAL'::text,
  directory_types text[] not null default '{}'::text[],
  features text[] not null default '{}'::text[],
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  constraint product_plans_pkey PRIMARY KEY (id),
  constraint product_plans_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE UNIQUE INDEX product_plans_identifier ON public.product_plans USING btree (partner_id, identifier);
CREATE INDEX product_plans_partner ON public.product_plans USING btree (partner_id, id);

create table replays (
  id bigint not null generated by default as identity,
  webhook_id bigint not null,
  status text not null,
  since timestamp with time zone not null,
  until timestamp with time zone not null,
  states text[] not null,
  rate_per_second integer not null,
  total integer not null,
  queued integer not null default 0,
  after_event_id bigint not null default 0,
  next_due_at timestamp with time zone,
  error text,
  date_created timestamp with time zone not null default now(),
  date_finished timestamp with time zone,
  constraint replays_pkey PRIMARY KEY (id),
  constraint replays_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id),
  constraint replays_status_check CHECK ((status = ANY (ARRAY['CREATED'::text, 'RUNNING'::text, 'FINISHED'::text, 'CANCELLED'::text, 'FAILED'::text])))
);
CREATE INDEX replays_webhook ON public.replays USING btree (webhook_id, id);

create table request_settings (
  id bigint not null generated by default as identity,
  webhook_id bigint not null,
  revision integer not null,
  user_agent text not null,
  header_names text[] not null,
  sends_token boolean not null,
  asymmetric_signature boolean not null,
  secret bytea not null,
  previous_secret bytea,
  previous_secret_expires_at timestamp with time zone,
  key_ids bigint[] not null,
  key_expiries timestamp with time zone[] not null,
  loaded_at timestamp with time zone not null default now(),
  cloud_events boolean not null default false,
  constraint request_settings_pkey PRIMARY KEY (id),
  constraint request_settings_webhook_id_revision_user_agent_key_ids_key_key UNIQUE (webhook_id, revision, user_agent, key_ids, key_expiries)
);
CREATE INDEX request_settings_age ON public.request_settings USING btree (loaded_at);

create table sales_partners (
  id bigint not null generated by default as identity,
  identifier text not null,
  name text not null,
  status text not null default 'ACTIVE'::text,
  api_version text not null,
  parent_id bigint,
  lineage bigint[] not null,
  public_key text not null,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  constraint sales_partners_pkey PRIMARY KEY (id),
  constraint sales_partners_identifier_key UNIQUE (identifier),
  constraint sales_partners_public_key_key UNIQUE (public_key),
  constraint sales_partners_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES sales_partners(id)
);
CREATE INDEX sales_partners_parent ON public.sales_partners USING btree (parent_id);

create table search_keywords (
  listing_id bigint not null,
  month date not null,
  keyword text not null,
  location_id bigint not null,
  partner_id bigint not null,
  impressions integer not null,
  constraint search_keywords_pkey PRIMARY KEY (listing_id, month, keyword),
  constraint search_keywords_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id)
);
CREATE INDEX search_keywords_location ON public.search_keywords USING btree (location_id, month);

create table service_items (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  location_id bigint not null,
  identifier text,
  title text not null,
  description text,
  category bigint,
  price integer,
  currency text,
  google_service text,
  translations jsonb not null default '{}'::jsonb,
  position integer not null default 0,
  constraint service_items_pkey PRIMARY KEY (id),
  constraint service_items_location_id_fkey FOREIGN KEY (location_id) REFERENCES locations(id),
  constraint service_items_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE UNIQUE INDEX service_items_identifier ON public.service_items USING btree (location_id, identifier);
CREATE INDEX service_items_location ON public.service_items USING btree (location_id, "position", id);
CREATE INDEX service_items_title ON public.service_items USING btree (partner_id, lower(title), location_id);

create table social_post_publications (
  id bigint not null generated by default as identity,
  post_id bigint not null,
  location_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  listing_id bigint,
  status text not null default 'PENDING'::text,
  wanted_revision integer not null,
  published_revision integer,
  external_id text,
  url text,
  stale_external_id text,
  error_code text,
  message text,
  attempts integer not null default 0,
  not_before timestamp with time zone,
  lease_until timestamp with time zone,
  lease_token uuid,
  published_at timestamp with time zone,
  last_updated timestamp with time zone not null default now(),
  lease_process integer,
  attempted_revision integer,
  constraint social_post_publications_pkey PRIMARY KEY (id),
  constraint social_post_publications_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint social_post_publications_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id),
  constraint social_post_publications_location_id_fkey FOREIGN KEY (location_id) REFERENCES locations(id),
  constraint social_post_publications_post_id_fkey FOREIGN KEY (post_id) REFERENCES social_posts(id) ON DELETE CASCADE
);
CREATE INDEX social_post_publications_due ON public.social_post_publications USING btree (post_id, id) WHERE ((status = ANY (ARRAY['PENDING'::text, 'WITHDRAWING'::text])) OR (stale_external_id IS NOT NULL));
CREATE INDEX social_post_publications_first ON public.social_post_publications USING btree (post_id, published_at) WHERE (published_at IS NOT NULL);
CREATE INDEX social_post_publications_location ON public.social_post_publications USING btree (location_id, post_id);
CREATE UNIQUE INDEX social_post_publications_place ON public.social_post_publications USING btree (post_id, location_id, directory_type);
CREATE INDEX social_post_publications_post ON public.social_post_publications USING btree (post_id, id);
CREATE INDEX social_post_publications_shown ON public.social_post_publications USING btree (location_id, published_at) INCLUDE (post_id) WHERE (published_at IS NOT NULL);
CREATE TRIGGER home_post_added AFTER INSERT ON public.social_post_publications REFERENCING NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION home_post_published();
CREATE TRIGGER home_post_published AFTER UPDATE ON public.social_post_publications REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION home_post_published();

create table social_posts (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  type text not null default 'POST'::text,
  status text not null,
  title text,
  description text,
  directories text[] not null,
  location_ids bigint[] not null default '{}'::bigint[],
  business_ids bigint[] not null default '{}'::bigint[],
  label_ids bigint[] not null default '{}'::bigint[],
  publication_date timestamp with time zone not null,
  date_start timestamp with time zone,
  date_end timestamp with time zone,
  photos jsonb not null default '[]'::jsonb,
  videos text[] not null default '{}'::text[],
  call_to_actions jsonb not null default '[]'::jsonb,
  coupon_code text,
  terms_and_conditions text,
  is_store_locator boolean not null default true,
  rejection_reason text,
  revision integer not null default 1,
  planned_revision integer not null default 0,
  target_business_ids bigint[] not null default '{}'::bigint[],
  reach jsonb,
  created_by text not null,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  search tsvector generated always as (to_tsvector('simple'::regconfig, ((COALESCE(title, ''::text) || ' '::text) || COALESCE(description, ''::text)))),
  constraint social_posts_pkey PRIMARY KEY (id),
  constraint social_posts_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE INDEX social_posts_due ON public.social_posts USING btree (publication_date) WHERE (status = 'SCHEDULED'::text);
CREATE INDEX social_posts_ending ON public.social_posts USING btree (date_end) WHERE (status = ANY (ARRAY['SCHEDULED'::text, 'ACTIVE'::text]));
CREATE INDEX social_posts_locations ON public.social_posts USING gin (location_ids);
CREATE INDEX social_posts_partner ON public.social_posts USING btree (partner_id, publication_date DESC, id DESC);
CREATE INDEX social_posts_search ON public.social_posts USING gin (search);
CREATE INDEX social_posts_unplanned ON public.social_posts USING btree (id) WHERE ((status = 'ACTIVE'::text) AND (planned_revision < revision));

create table store_finders (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  store_key text not null,
  name text not null,
  business_ids bigint[] not null default '{}'::bigint[],
  label_ids bigint[] not null default '{}'::bigint[],
  settings jsonb not null default '{}'::jsonb,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  constraint store_finders_pkey PRIMARY KEY (id),
  constraint store_finders_store_key_key UNIQUE (store_key),
  constraint store_finders_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE INDEX store_finders_partner ON public.store_finders USING btree (partner_id, id);

create table suggestions (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  location_id bigint not null,
  listing_id bigint not null,
  directory_type text not null,
  field text not null,
  current_value jsonb,
  suggested_value jsonb,
  status text not null default 'PENDING'::text,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  decided_by text,
  constraint suggestions_pkey PRIMARY KEY (id),
  constraint suggestions_listing_id_fkey FOREIGN KEY (listing_id) REFERENCES listings(id),
  constraint suggestions_location_id_fkey FOREIGN KEY (location_id) REFERENCES locations(id),
  constraint suggestions_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE INDEX suggestions_listing ON public.suggestions USING btree (listing_id, field);
CREATE INDEX suggestions_location ON public.suggestions USING btree (location_id, id);
CREATE UNIQUE INDEX suggestions_open ON public.suggestions USING btree (listing_id, field) WHERE (status = 'PENDING'::text);
CREATE TRIGGER home_suggestion_added AFTER INSERT ON public.suggestions REFERENCING NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION home_row_added();
CREATE TRIGGER home_suggestion_changed AFTER UPDATE ON public.suggestions REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change FOR EACH STATEMENT EXECUTE FUNCTION home_suggestion_changed();

create table tasks (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  type text not null,
  status text not null default 'CREATED'::text,
  parameters jsonb not null default '{}'::jsonb,
  total integer,
  done integer not null default 0,
  failed integer not null default 0,
  result jsonb not null default '{}'::jsonb,
  error text,
  job text,
  last_progress timestamp with time zone,
  take_ups smallint not null default 0,
  step integer not null default 0,
  position jsonb,
  created_by text not null,
  date_created timestamp with time zone not null default now(),
  date_started timestamp with time zone,
  date_finished timestamp with time zone,
  user_id bigint,
  constraint tasks_pkey PRIMARY KEY (id),
  constraint tasks_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE INDEX tasks_partner ON public.tasks USING btree (partner_id, id DESC);
CREATE INDEX tasks_type ON public.tasks USING btree (partner_id, type, id DESC);
CREATE INDEX tasks_under_way ON public.tasks USING btree (id) WHERE (status = ANY (ARRAY['CREATED'::text, 'RUNNING'::text]));

create table unsettled_files (
  name text not null,
  state text not null,
  since timestamp with time zone not null default now(),
  constraint unsettled_files_pkey PRIMARY KEY (name),
  constraint unsettled_files_state_check CHECK ((state = ANY (ARRAY['ARRIVING'::text, 'LEAVING'::text])))
);
CREATE INDEX unsettled_files_state ON public.unsettled_files USING btree (state, since, name);

create table user_sessions (
  token_hash bytea not null,
  user_id bigint not null,
  date_created timestamp with time zone not null default now(),
  last_used timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  constraint user_sessions_pkey PRIMARY KEY (token_hash),
  constraint user_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX user_sessions_expiry ON public.user_sessions USING btree (expires_at);
CREATE INDEX user_sessions_user ON public.user_sessions USING btree (user_id);

create table users (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  email text not null,
  password_hash text,
  role text not null,
  date_created timestamp with time zone not null default now(),
  name text not null default ''::text,
  status text not null default 'ACTIVE'::text,
  language text not null default 'en'::text,
  features text[],
  field_groups text[],
  business_ids bigint[] not null default '{}'::bigint[],
  location_ids bigint[] not null default '{}'::bigint[],
  last_updated timestamp with time zone not null default now(),
  last_login timestamp with time zone,
  alert_emails boolean not null default false,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE INDEX users_by_email ON public.users USING btree (lower(email));
CREATE UNIQUE INDEX users_email ON public.users USING btree (partner_id, lower(email));
CREATE INDEX users_partner ON public.users USING btree (partner_id, id);

create table visibility_changes (
  location_id bigint not null,
  directory_type text not null,
  day date not null,
  partner_id bigint not null,
  matching_fields integer not null,
  comparable_fields integer not null,
  constraint visibility_changes_pkey PRIMARY KEY (location_id, directory_type, day)
) with (fillfactor=85);

create table visibility_deltas (
  id bigint not null generated always as identity,
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  day date not null,
  matching_fields bigint not null,
  comparable_fields bigint not null,
  constraint visibility_deltas_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=10000);
CREATE INDEX visibility_deltas_partner ON public.visibility_deltas USING btree (partner_id, day);

create table visibility_figures (
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  day date not null,
  matching_fields bigint not null,
  comparable_fields bigint not null,
  constraint visibility_figures_pkey PRIMARY KEY (partner_id, business_id, day, directory_type)
) with (fillfactor=85);

create table webhook_alert_messages (
  alert_id bigint not null,
  channel text not null,
  content text not null,
  sent_at timestamp with time zone not null default now(),
  constraint webhook_alert_messages_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES webhook_alerts(id) ON DELETE CASCADE
);
CREATE INDEX webhook_alert_messages_of_alert ON public.webhook_alert_messages USING btree (alert_id);

create table webhook_alerts (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  webhook_id bigint not null,
  kind text not null,
  cause text not null,
  detail text,
  opened_at timestamp with time zone not null default now(),
  over_at timestamp with time zone,
  deadline timestamp with time zone,
  constraint webhook_alerts_pkey PRIMARY KEY (id),
  constraint webhook_alerts_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id),
  constraint webhook_alerts_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id)
);
CREATE INDEX webhook_alerts_of_partner ON public.webhook_alerts USING btree (partner_id, id);
CREATE INDEX webhook_alerts_of_webhook ON public.webhook_alerts USING btree (webhook_id, id);
CREATE UNIQUE INDEX webhook_alerts_open ON public.webhook_alerts USING btree (webhook_id, kind) WHERE (over_at IS NULL);
CREATE INDEX webhook_alerts_over ON public.webhook_alerts USING btree (over_at) WHERE (over_at IS NOT NULL);

create table webhook_health (
  webhook_id bigint not null,
  send_window integer not null,
  consecutive_failures integer not null default 0,
  failing_since timestamp with time zone,
  trips integer not null default 0,
  open_until timestamp with time zone,
  last_error text,
  constraint webhook_health_pkey PRIMARY KEY (webhook_id),
  constraint webhook_health_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id)
) with (fillfactor=50);

create table webhook_history (
  webhook_id bigint not null,
  changed_at timestamp with time zone not null,
  type text not null,
  enabled boolean not null,
  include_children boolean not null,
  deleted boolean not null,
  filter jsonb,
  filter_path jsonpath,
  constraint webhook_history_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id)
);
CREATE INDEX webhook_history_moment ON public.webhook_history USING btree (webhook_id, changed_at DESC);

create table webhook_leases (
  webhook_id bigint not null,
  worker_id integer not null,
  token bigint not null,
  lease_until timestamp with time zone not null,
  constraint webhook_leases_pkey PRIMARY KEY (webhook_id)
) with (fillfactor=50);

create table webhook_statistics (
  webhook_id bigint not null,
  width_seconds integer not null,
  bucket timestamp with time zone not null,
  delivered integer not null,
  failed integer not null,
  discarded integer not null,
  latency integer[] not null,
  constraint webhook_statistics_pkey PRIMARY KEY (webhook_id, width_seconds, bucket)
) with (fillfactor=70);

create table webhooks (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  type text not null,
  push_url text not null,
  description text not null default ''::text,
  enabled boolean not null default true,
  disabled_reason text,
  include_children boolean not null default true,
  retry_schedule integer[],
  secret bytea not null,
  previous_secret bytea,
  previous_secret_expires_at timestamp with time zone,
  revision integer not null default 1,
  date_created timestamp with time zone not null default now(),
  last_updated timestamp with time zone not null default now(),
  deleted_at timestamp with time zone,
  filter jsonb,
  filter_path jsonpath,
  headers bytea,
  header_names text[] not null default '{}'::text[],
  max_per_second integer,
  timeout_seconds integer,
  asymmetric_signature boolean not null default false,
  ordered boolean not null default false,
  oauth jsonb,
  oauth_secret bytea,
  client_certificate jsonb,
  client_key bytea,
  cloud_events boolean not null default false,
  queue_credentials bytea,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id),
  constraint webhooks_client_certificate_complete CHECK (((client_certificate IS NULL) = (client_key IS NULL))),
  constraint webhooks_filter_compiled CHECK (((filter IS NULL) = (filter_path IS NULL))),
  constraint webhooks_headers_named CHECK (((headers IS NULL) = (header_names = '{}'::text[]))),
  constraint webhooks_max_per_second_check CHECK (((max_per_second >= 1) AND (max_per_second <= 1000))),
  constraint webhooks_oauth_complete CHECK (((oauth IS NULL) = (oauth_secret IS NULL))),
  constraint webhooks_timeout_seconds_check CHECK (((timeout_seconds >= 1) AND (timeout_seconds <= 30)))
);
CREATE INDEX webhooks_enabled ON public.webhooks USING btree (id) INCLUDE (partner_id) WHERE (enabled AND (deleted_at IS NULL));
CREATE INDEX webhooks_fan_out ON public.webhooks USING btree (partner_id, type) WHERE (enabled AND (deleted_at IS NULL));
CREATE UNIQUE INDEX webhooks_one_per_target ON public.webhooks USING btree (partner_id, type, push_url) WHERE (deleted_at IS NULL);
CREATE INDEX webhooks_ordered ON public.webhooks USING btree (partner_id, push_url) WHERE (ordered AND enabled AND (deleted_at IS NULL));
CREATE TRIGGER webhook_history AFTER INSERT OR UPDATE ON public.webhooks FOR EACH ROW EXECUTE FUNCTION keep_webhook_history();
