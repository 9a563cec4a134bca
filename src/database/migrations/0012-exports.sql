-- Files made of figures, for people who work with them elsewhere.

-- What an export is beyond the task that makes it.
create table exports (
  id bigint primary key references tasks on delete cascade,
  partner_id bigint not null references sales_partners,
  name text not null,
  format text not null,
  -- The stored file, from when it is whole until it is removed.
  file_name text,
  size_bytes bigint,
  expires_at timestamptz
);
create index exports_expiring on exports (expires_at) where file_name is not null;
