-- A webhook with a filter receives only the events that match it. `filter_path` is the filter compiled to jsonpath, so
-- that the statement that records an event evaluates it.
alter table webhooks
  add column filter jsonb,
  add column filter_path jsonpath,
  add constraint webhooks_filter_compiled check ((filter is null) = (filter_path is null));

alter table webhook_history add column filter jsonb, add column filter_path jsonpath;

create or replace function keep_webhook_history() returns trigger language plpgsql as $$
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
end $$;

-- The fields that a filter can use: those of the event, the business and the labels of its location, and the directory
-- of its listing.
create function filter_fields(event jsonb) returns jsonb language sql stable
  return coalesce((
      select jsonb_build_object('business', business_id, 'labels', label_ids)
      from locations where id = (event ->> 'location')::bigint
    ), '{}')
    || coalesce((
      select jsonb_build_object('directoryType', directory_type) from listings where id = (event ->> 'listing')::bigint
    ), '{}')
    || event;

create function filter_matches(path jsonpath, body text) returns boolean language plpgsql stable as $$
begin
  return coalesce(jsonb_path_match(filter_fields(body::jsonb), path, silent => true), false);
exception when data_exception then
  -- jsonb cannot store some texts, such as \u0000. The event is sent rather than lost.
  return true;
end $$;
