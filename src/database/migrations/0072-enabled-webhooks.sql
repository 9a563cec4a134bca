-- The search for due deliveries skips disabled and deleted webhooks.
create index webhooks_enabled on webhooks (id) include (partner_id) where enabled and deleted_at is null;
