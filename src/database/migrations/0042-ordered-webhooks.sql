-- Ordered webhooks receive the events of the same location, else of the same business, in the order of their ids.
alter table webhooks add column ordered boolean not null default false;

-- Ordered webhooks of the same partner and push URL keep one order over all their event types.
create index webhooks_ordered on webhooks (partner_id, push_url) where ordered and enabled and deleted_at is null;

-- Only for ordered webhooks, see orderKey in record-event.ts.
alter table delivery_queue add column order_key bigint;
create index delivery_queue_order on delivery_queue (webhook_id, lane, order_key, event_id) where order_key is not null;
