-- Figures of insights, search words, listings and locations: by business, and for the whole partner as business 0. Whatever
-- is counted in them appends what it changes to a table of deltas in the same transaction, so that nobody waits for a row
-- in which everybody is counted; jobs fold the deltas into the figures. Readers add up both. Deleted locations count nowhere.

create table insight_figures (
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  month date not null,
  metric text not null,
  -- By day of the month: the sum, and of how many listings it is known.
  counts bigint[] not null,
  known integer[] not null,
  total bigint not null,
  known_days bigint not null,
  primary key (partner_id, business_id, directory_type, month, metric)
) with (fillfactor = 85);

-- What a listing has for a month from now on, and with the sign of minus one what it had before.
create table insight_deltas (
  id bigint generated always as identity primary key,
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  month date not null,
  metric text not null,
  sign smallint not null,
  counts integer[] not null,
  total bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index insight_deltas_partner on insight_deltas (partner_id, directory_type, month);

create table keyword_figures (
  partner_id bigint not null,
  business_id bigint not null,
  month date not null,
  keyword text not null,
  impressions bigint not null,
  locations bigint not null,
  -- With all that is asked for: a year of words is added up without reading the rows.
  primary key (partner_id, business_id, month, keyword) include (impressions, locations)
) with (fillfactor = 85);
create table keyword_deltas (
  id bigint generated always as identity primary key,
  partner_id bigint not null,
  business_id bigint not null,
  month date not null,
  keyword text not null,
  impressions bigint not null,
  locations smallint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index keyword_deltas_partner on keyword_deltas (partner_id, month);

create table location_figures (
  partner_id bigint not null,
  business_id bigint not null,
  status text not null,
  classification text not null,
  awaits_sync boolean not null,
  locations bigint not null,
  completeness bigint not null,
  primary key (partner_id, business_id, status, classification, awaits_sync)
) with (fillfactor = 85);
create table location_deltas (
  id bigint generated always as identity primary key,
  partner_id bigint not null,
  business_id bigint not null,
  status text not null,
  classification text not null,
  awaits_sync boolean not null,
  locations bigint not null,
  completeness bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index location_deltas_partner on location_deltas (partner_id);

create table listing_figures (
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  -- ORIGINAL, DUPLICATE or SUPPRESSED.
  kind text not null,
  claim_status text not null,
  flow_status text not null,
  sync_status text not null,
  connect_status text not null,
  linked boolean not null,
  listings bigint not null,
  matching_fields bigint not null,
  comparable_fields bigint not null,
  primary key
    (partner_id, business_id, directory_type, kind, claim_status, flow_status, sync_status, connect_status, linked)
) with (fillfactor = 85);
create table listing_deltas (
  id bigint generated always as identity primary key,
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
  comparable_fields bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index listing_deltas_partner on listing_deltas (partner_id);

-- By how much the fields that match and those that could be compared changed on a day: what they came to at the end of an
-- earlier day is what they come to now without the changes since.
create table visibility_changes (
  location_id bigint not null,
  directory_type text not null,
  day date not null,
  partner_id bigint not null,
  matching_fields integer not null,
  comparable_fields integer not null,
  primary key (location_id, directory_type, day)
) with (fillfactor = 85);
create table visibility_figures (
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  day date not null,
  matching_fields bigint not null,
  comparable_fields bigint not null,
  primary key (partner_id, business_id, day, directory_type)
) with (fillfactor = 85);
create table visibility_deltas (
  id bigint generated always as identity primary key,
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  day date not null,
  matching_fields bigint not null,
  comparable_fields bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index visibility_deltas_partner on visibility_deltas (partner_id, day);

-- Which locations are connected with a directory, in the order of their ids.
create index listings_connection on listings (partner_id, connect_status, location_id)
  include (directory_type, claim_status, flow_status) where duplicate_of is null;

create function listing_kind(duplicate_of bigint, suppressed_at timestamptz) returns text
language sql immutable parallel safe as $$
  select case when duplicate_of is null then 'ORIGINAL' when suppressed_at is null then 'DUPLICATE' else 'SUPPRESSED' end
$$;

-- Whether the fields of a listing count for the visibility of its location.
create function counts_for_visibility(duplicate_of bigint, flow_status text) returns boolean
language sql immutable parallel safe as $$
  select duplicate_of is null and flow_status <> 'INACTIVE'
$$;

create function listings_came_or_went() returns trigger language plpgsql as $$
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
end $$;
create trigger listings_came after insert on listings
  referencing new table as changed for each statement execute function listings_came_or_went();
create trigger listings_went after delete on listings
  referencing old table as changed for each statement execute function listings_came_or_went();

create function listing_changed() returns trigger language plpgsql as $$
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
end $$;
-- By row: of ten writes of a listing nine change nothing that is counted, and cost no more than this comparison.
create trigger listing_changed after update on listings for each row
  when (
    (old.claim_status, old.flow_status, old.sync_status, old.connect_status, old.external_id is null, old.duplicate_of,
      old.suppressed_at is null, old.matching_fields, old.comparable_fields)
    is distinct from
    (new.claim_status, new.flow_status, new.sync_status, new.connect_status, new.external_id is null, new.duplicate_of,
      new.suppressed_at is null, new.matching_fields, new.comparable_fields)
  )
  execute function listing_changed();

-- Never synced, or changed since without anything that would pass the change on by itself.
create function awaits_sync(status text, auto_sync boolean, revision integer, synced_revision integer) returns boolean
language sql immutable parallel safe as $$
  select status in ('CREATED', 'ACTIVE', 'NEEDS_REVIEW', 'CANCELLED')
    and (synced_revision is null or (not auto_sync and revision <> synced_revision))
$$;

create function locations_came_or_went() returns trigger language plpgsql as $$
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
end $$;
create trigger locations_came after insert on locations
  referencing new table as changed for each statement execute function locations_came_or_went();
create trigger locations_went after delete on locations
  referencing old table as changed for each statement execute function locations_came_or_went();

create function location_changed() returns trigger language plpgsql as $$
begin
  insert into location_deltas (partner_id, business_id, status, classification, awaits_sync, locations, completeness)
  select * from (values
    (old.partner_id, old.business_id, old.status, old.classification,
      awaits_sync(old.status, old.auto_sync, old.revision, old.synced_revision), -1, -old.profile_completeness),
    (new.partner_id, new.business_id, new.status, new.classification,
      awaits_sync(new.status, new.auto_sync, new.revision, new.synced_revision), 1, new.profile_completeness)
  ) as side (partner_id, business_id, status) where side.status <> 'DELETED';
  return null;
end $$;
create trigger location_changed after update on locations for each row
  when (
    (old.business_id, old.status, old.classification, old.profile_completeness,
      awaits_sync(old.status, old.auto_sync, old.revision, old.synced_revision))
    is distinct from
    (new.business_id, new.status, new.classification, new.profile_completeness,
      awaits_sync(new.status, new.auto_sync, new.revision, new.synced_revision))
  )
  execute function location_changed();

-- A location that changes its business takes its figures along, those of the past as well; a deleted one takes them away.
-- Whoever writes what is counted holds the location's row first, so nothing is written meanwhile.
create function location_moved() returns trigger language plpgsql as $$
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
end $$;
create trigger location_moved after update on locations for each row
  when (
    old.business_id <> new.business_id or (old.status = 'DELETED') <> (new.status = 'DELETED')
  )
  execute function location_moved();
