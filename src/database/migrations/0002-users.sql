-- Users: who they are, what they may, and their sessions.
-- Every row knows its partner, so that one condition separates partners everywhere.

alter table users add column name text not null default '';
alter table users add column status text not null default 'ACTIVE';
alter table users add column language text not null default 'en';
-- Null: the features that come with the role.
alter table users add column features text[];
-- The parts of a location that LOCATION_WRITE is about; null: all of them.
alter table users add column field_groups text[];
-- A user without a password logs in by the partner's key.
alter table users alter column password_hash drop not null;
-- What a business or location manager sees. Empty means nothing for these roles; admins and account managers see all.
alter table users add column business_ids bigint[] not null default '{}';
alter table users add column location_ids bigint[] not null default '{}';
alter table users add column last_updated timestamptz not null default now();
alter table users add column last_login timestamptz;
create index users_partner on users (partner_id, id);

create table user_sessions (
  token_hash bytea primary key,
  user_id bigint not null references users on delete cascade,
  date_created timestamptz not null default now(),
  last_used timestamptz not null default now(),
  expires_at timestamptz not null
);
create index user_sessions_user on user_sessions (user_id);
create index user_sessions_expiry on user_sessions (expires_at);
