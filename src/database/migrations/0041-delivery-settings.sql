-- Delivery settings of a webhook. `headers` is a sealed JSON object of custom headers; their names are not secret.
alter table webhooks
  add column headers bytea,
  add column header_names text[] not null default '{}',
  add column max_per_second integer check (max_per_second between 1 and 1000),
  add column timeout_seconds integer check (timeout_seconds between 1 and 30),
  add column asymmetric_signature boolean not null default false,
  add constraint webhooks_headers_named check ((headers is null) = (header_names = '{}'));
