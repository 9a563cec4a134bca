-- User name and password, or token, of a webhook whose push URL names a queue. Sealed.
alter table webhooks add column queue_credentials bytea;
