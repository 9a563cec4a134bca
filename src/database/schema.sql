-- Where the migrations lead. Written and checked by describe-schema.test.ts.

create sequence event_id;

create sequence lease_token;

create sequence worker_id;

CREATE OR REPLACE FUNCTION public.add_bins(a integer[], b integer[])
 RETURNS integer[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (SELECT array_agg((COALESCE(t.x, 0) + COALESCE(t.y, 0)) ORDER BY t.n) AS array_agg FROM UNNEST(add_bins.a, add_bins.b) WITH ORDINALITY t(x, y, n));

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

CREATE OR REPLACE FUNCTION public.keep_webhook_history()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT'
     or (old.type, old.enabled, old.include_children, old.deleted_at is null)
        is distinct from (new.type, new.enabled, new.include_children, new.deleted_at is null) then
    insert into webhook_history
    values (new.id, now(), new.type, new.enabled, new.include_children, new.deleted_at is not null);
  end if;
  return null;
end $function$;

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
  constraint attempts_verdict_check CHECK ((verdict = ANY (ARRAY['DELIVERED'::text, 'RETRY'::text, 'DISCARDED'::text, 'SUPERSEDED'::text])))
) partition by RANGE (started_at);
CREATE INDEX attempts_delivery ON ONLY public.attempts USING btree (webhook_id, event_id);
CREATE INDEX attempts_discarded ON ONLY public.attempts USING btree (webhook_id, event_id) WHERE (verdict = 'DISCARDED'::text);
CREATE INDEX attempts_replayed ON ONLY public.attempts USING btree (replay_id, verdict) WHERE (replay_id IS NOT NULL);

create table delivery_queue (
  event_id bigint not null,
  webhook_id bigint not null,
  recorded_at timestamp with time zone not null,
  lane smallint not null,
  due_at timestamp with time zone not null,
  attempts smallint not null,
  tries smallint not null,
  replay_id bigint,
  constraint delivery_queue_pkey PRIMARY KEY (event_id, webhook_id)
) with (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=2000, autovacuum_vacuum_insert_scale_factor=0.2, autovacuum_vacuum_cost_delay=0);
CREATE INDEX delivery_queue_replay ON public.delivery_queue USING btree (replay_id) WHERE (replay_id IS NOT NULL);
CREATE INDEX delivery_queue_turn ON public.delivery_queue USING btree (lane, webhook_id, due_at, event_id);

create table events (
  id bigint not null,
  recorded_at timestamp with time zone not null,
  partner_id bigint not null,
  type text not null,
  body text not null,
  constraint events_pkey PRIMARY KEY (id, recorded_at)
) partition by RANGE (recorded_at);
CREATE INDEX events_partner_type ON ONLY public.events USING btree (partner_id, type, id);

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

create table installation (
  name text not null,
  value text not null,
  constraint installation_pkey PRIMARY KEY (name)
);

create table migrations (
  name text not null,
  applied_at timestamp with time zone not null default now(),
  constraint migrations_pkey PRIMARY KEY (name)
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

create table users (
  id bigint not null generated by default as identity,
  partner_id bigint not null,
  email text not null,
  password_hash text not null,
  role text not null,
  date_created timestamp with time zone not null default now(),
  constraint users_pkey PRIMARY KEY (id),
  constraint users_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));

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
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES sales_partners(id)
);
CREATE INDEX webhooks_fan_out ON public.webhooks USING btree (partner_id, type) WHERE (enabled AND (deleted_at IS NULL));
CREATE UNIQUE INDEX webhooks_one_per_target ON public.webhooks USING btree (partner_id, type, push_url) WHERE (deleted_at IS NULL);
CREATE TRIGGER webhook_history AFTER INSERT OR UPDATE ON public.webhooks FOR EACH ROW EXECUTE FUNCTION keep_webhook_history();
