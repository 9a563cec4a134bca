-- How a webhook identifies itself to its receiver: an access token (OAuth 2.0 client credentials), a client certificate, or
-- both. The secret and the key are sealed.
alter table webhooks
  add column oauth jsonb,
  add column oauth_secret bytea,
  add column client_certificate jsonb,
  add column client_key bytea,
  add constraint webhooks_oauth_complete check ((oauth is null) = (oauth_secret is null)),
  add constraint webhooks_client_certificate_complete check ((client_certificate is null) = (client_key is null));

-- Time until an access token was available; null if none was requested.
alter table attempts add column token_ms real;
