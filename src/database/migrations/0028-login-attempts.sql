-- Attempts to sign in with a password since the last success, by a digest of the e-mail address: of every address that
-- was sent, so that it does not show which have a user.
create table login_attempts (
  account text primary key,
  attempts integer not null,
  last_attempt timestamptz not null default now(),
  blocked_until timestamptz not null default now()
);
