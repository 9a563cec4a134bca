-- What of the API a partner still uses that a later version has replaced: a row for each day, version and name.
create table deprecated_use (
  partner_id bigint not null references sales_partners,
  day date not null,
  -- The version of the request.
  version text not null,
  name text not null,
  -- The entry of the change record that replaced it.
  replaced_by text not null,
  count bigint not null,
  last_used timestamptz not null,
  primary key (partner_id, day, version, name, replaced_by)
);
