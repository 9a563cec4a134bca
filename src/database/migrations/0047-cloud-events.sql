-- Webhooks whose deliveries have CloudEvents headers.
alter table webhooks add column cloud_events boolean not null default false;
alter table request_settings add column cloud_events boolean not null default false;
