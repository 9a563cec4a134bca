/** Times are milliseconds since 1970. Structured values are JSON. */
export const schema = `
  create table if not exists facts (name text primary key, value text not null);
  create table if not exists installations (
    id integer primary key,
    name text not null,
    key_hash text not null unique
  );
  create table if not exists directory_settings (
    directory text not null,
    name text not null,
    value text not null,
    primary key (directory, name)
  ) without rowid;
  create table if not exists pages (
    number integer primary key,
    directory text not null,
    id text not null,
    kind text not null,
    business text not null,
    profile text not null,
    -- An installation's id, 'others', 'another' (installation) or 'nobody'; null if it can be claimed.
    owner text,
    claimed_at integer,
    duplicate_of text,
    -- A submission under review. A new page is not visible until the review ends.
    pending text,
    decide_at integer,
    visible integer not null default 1,
    followers integer not null default 0,
    since integer not null,
    name_key text not null,
    zip_key text not null,
    city_key text not null,
    phone_key text not null,
    unique (directory, id)
  );
  create index if not exists pages_zip on pages (directory, zip_key);
  create index if not exists pages_city on pages (directory, city_key, name_key);
  create index if not exists pages_phone on pages (directory, phone_key);
  create index if not exists pages_name on pages (directory, name_key);
  create index if not exists pages_waiting on pages (decide_at) where decide_at is not null;
  -- Result of the last review of a page, also if the page was deleted with it.
  create table if not exists reviews (
    directory text not null,
    page text not null,
    owner text not null,
    state text not null,
    messages text not null,
    primary key (directory, page)
  ) without rowid;
  create table if not exists data_points (
    number integer primary key,
    directory text not null,
    id text not null,
    page text not null,
    type text not null,
    text text,
    language text,
    rating real,
    author text not null,
    author_image text,
    photo_url text,
    acted_at integer not null,
    thread_at integer not null,
    -- Position in the stream that clients read. Increases with every change in the thread.
    changed integer not null,
    removed_at integer,
    unique (directory, id)
  );
  create index if not exists data_points_stream on data_points (directory, page, changed);
  create index if not exists data_points_lately on data_points (acted_at);
  create index if not exists data_points_removed on data_points (removed_at) where removed_at is not null;
  create table if not exists replies (
    number integer primary key,
    directory text not null,
    id text not null,
    data_point text not null,
    author text not null,
    text text not null,
    is_owner integer not null,
    replied_at integer not null,
    removed_at integer,
    unique (directory, id)
  );
  create index if not exists replies_thread on replies (directory, data_point, number);
  create table if not exists posts (
    number integer primary key,
    directory text not null,
    id text not null,
    page text not null,
    post text not null,
    posted_at integer not null,
    withdrawn_at integer,
    unique (directory, id)
  );
  create index if not exists posts_page on posts (directory, page);
  -- Responses to requests with an Idempotency-Key.
  create table if not exists answers (
    installation integer not null,
    directory text not null,
    key text not null,
    request text not null,
    status integer not null,
    body text not null,
    answered_at integer not null,
    primary key (installation, directory, key)
  ) without rowid;
  create index if not exists answers_age on answers (answered_at);
`;

/** Without `facts`, which also names the endpoints of the demo receiver. */
export const contentTables = ['directory_settings', 'pages', 'reviews', 'data_points', 'replies', 'posts', 'answers'];
