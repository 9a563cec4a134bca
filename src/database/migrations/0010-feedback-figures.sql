-- Figures of what customers leave at locations: rolled up by deltas, see decisions/0017.

-- Of a location that is deleted: in no figure.
alter table datapoints add column location_deleted boolean not null default false;
update datapoints set location_deleted = true
where location_id in (select id from locations where status = 'DELETED');

-- Any choice of locations is counted without reading the rows.
create index datapoints_figures on datapoints (location_id, action_date, id)
  include (directory_type, type, rating, read, owner_replied_at)
  where status = 'VALID' and location_id is not null and not location_deleted;
create index datapoints_unread on datapoints (partner_id, action_date desc, id desc)
  include (business_id, location_id, directory_type)
  where status = 'VALID' and not read and location_id is not null and not location_deleted;

-- Words that reviews use, as they are written, and what they are forms of.
create table feedback_keywords (
  id integer generated always as identity primary key,
  language text not null,
  stem text not null,
  unique (language, stem)
);
create table feedback_words (
  id integer generated always as identity primary key,
  keyword_id integer not null references feedback_keywords,
  form text not null,
  unique (keyword_id, form)
);

-- The words of a review that was read, each keyword once.
create table datapoint_words (
  datapoint_id bigint primary key,
  words integer[] not null
);

-- Reviews that are new or were changed, to be read for their words. One may be here twice; nobody waits for anybody.
create table feedback_to_read (
  datapoint_id bigint not null
);

-- Businesses that are large enough for roll-ups of their own; the others are counted by their locations.
create table feedback_businesses (
  business_id bigint primary key references businesses,
  date_created timestamptz not null default now()
);

-- What was added (1) and taken away (-1) and is not in the roll-ups yet. A rating of -1 stands for none.
create table feedback_deltas (
  partner_id bigint not null,
  business_id bigint not null,
  -- False for what a business gets when its roll-up begins: the partner has it already.
  for_partner boolean not null default true,
  day date not null,
  directory_type text not null,
  type text not null,
  rating real not null,
  count smallint not null,
  replied smallint not null,
  unread smallint not null,
  response_seconds integer,
  analysed smallint not null,
  words integer[]
);
create index feedback_deltas_partner on feedback_deltas (partner_id);

-- By day (D) and by month (M); business 0 is the partner as a whole.
create table feedback_figures (
  partner_id bigint not null,
  business_id bigint not null,
  grain text not null,
  start date not null,
  directory_type text not null,
  type text not null,
  rating real not null,
  count integer not null,
  replied integer not null,
  unread integer not null,
  analysed integer not null,
  responded integer not null,
  response_seconds bigint not null,
  primary key (partner_id, business_id, grain, start, directory_type, type, rating)
) with (fillfactor = 80);

-- How many reviews were answered within which time. The directory '' is all of them.
create table feedback_response_figures (
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  grain text not null,
  start date not null,
  bin smallint not null,
  count integer not null,
  primary key (partner_id, business_id, directory_type, grain, start, bin) include (count)
) with (fillfactor = 80);

create table feedback_word_figures (
  partner_id bigint not null,
  business_id bigint not null,
  directory_type text not null,
  grain text not null,
  start date not null,
  keyword_id integer not null,
  word_id integer not null,
  count integer not null,
  rated integer not null,
  rating_sum double precision not null,
  primary key (partner_id, business_id, directory_type, grain, start, keyword_id, word_id)
    include (count, rated, rating_sum)
) with (fillfactor = 80);

-- Of all words that are ever used most are used once: those that can be among the most frequent are few.
create index feedback_word_figures_frequent
  on feedback_word_figures (partner_id, business_id, directory_type, grain, start, count) include (keyword_id)
  where count > 1;

create function day_of(moment timestamptz) returns date language sql immutable parallel safe as
  $$ select (moment at time zone 'UTC')::date $$;

-- From a review to the first answer of its owner. One that was changed after it was answered was answered at once.
create function response_seconds(type text, left_at timestamptz, replied_at timestamptz) returns integer
language sql immutable parallel safe as $$
  select case when type = 'REVIEW' and replied_at is not null
    then least(greatest(extract(epoch from replied_at - left_at), 0), 2147483647)::integer end
$$;

-- A bin is 1.5 % wide, so that its middle is within 0.75 % of whatever is in it.
create function response_bin(seconds integer) returns smallint language sql immutable parallel safe as $$
  select (case when seconds > 0 then 1 + floor(ln(seconds::double precision) / ln(1.015::double precision)) else 0 end)::smallint
$$;

create function note_feedback() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into feedback_deltas (partner_id, business_id, day, directory_type, type, rating, count, replied, unread,
      response_seconds, analysed)
    select partner_id, business_id, day_of(action_date), directory_type, type, coalesce(rating, -1), 1,
      (owner_replied_at is not null)::integer, (not read)::integer,
      response_seconds(type, action_date, owner_replied_at), 0
    from added where status = 'VALID' and location_id is not null and not location_deleted;
    insert into feedback_to_read
    select id from added where type = 'REVIEW' and text is not null and location_id is not null;

  elsif tg_op = 'UPDATE' then
    insert into feedback_deltas (partner_id, business_id, day, directory_type, type, rating, count, replied, unread,
      response_seconds, analysed, words)
    select side.partner_id, side.business_id, side.day, side.directory_type, side.type, side.rating, sign,
      sign * side.replied, sign * side.unread, side.response_seconds,
      case when words is null then 0 else sign end, words
    from taken as was
    join added as became on became.id = was.id
    -- Words that stay where they are need not be counted again.
    left join datapoint_words on datapoint_id = was.id
      and (was.partner_id, was.business_id, was.location_id, was.action_date, was.directory_type, was.rating, was.status,
           was.location_deleted)
        is distinct from (became.partner_id, became.business_id, became.location_id, became.action_date,
           became.directory_type, became.rating, became.status, became.location_deleted)
    cross join lateral (values
      (-1, was.status = 'VALID' and was.location_id is not null and not was.location_deleted, was.partner_id,
       was.business_id, day_of(was.action_date), was.directory_type, was.type, coalesce(was.rating, -1),
       (was.owner_replied_at is not null)::integer, (not was.read)::integer,
       response_seconds(was.type, was.action_date, was.owner_replied_at)),
      (1, became.status = 'VALID' and became.location_id is not null and not became.location_deleted, became.partner_id,
       became.business_id, day_of(became.action_date), became.directory_type, became.type, coalesce(became.rating, -1),
       (became.owner_replied_at is not null)::integer, (not became.read)::integer,
       response_seconds(became.type, became.action_date, became.owner_replied_at))
    ) as side (sign, counts, partner_id, business_id, day, directory_type, type, rating, replied, unread, response_seconds)
    where side.counts
      and (was.partner_id, was.business_id, was.location_id, was.action_date, was.directory_type, was.type, was.rating,
           was.status, was.location_deleted, was.read, was.owner_replied_at)
        is distinct from (became.partner_id, became.business_id, became.location_id, became.action_date,
           became.directory_type, became.type, became.rating, became.status, became.location_deleted, became.read,
           became.owner_replied_at);
    insert into feedback_to_read
    select became.id from taken as was join added as became on became.id = was.id
    where (was.text, was.language, was.type) is distinct from (became.text, became.language, became.type)
      and became.location_id is not null;

  else
    insert into feedback_deltas (partner_id, business_id, day, directory_type, type, rating, count, replied, unread,
      response_seconds, analysed, words)
    select partner_id, business_id, day_of(action_date), directory_type, type, coalesce(rating, -1), -1,
      -(owner_replied_at is not null)::integer, -(not read)::integer,
      response_seconds(type, action_date, owner_replied_at), case when words is null then 0 else -1 end, words
    from taken left join datapoint_words on datapoint_id = taken.id
    where status = 'VALID' and location_id is not null and not location_deleted;
    delete from datapoint_words where datapoint_id in (select id from taken);
  end if;
  return null;
end $$;
create trigger datapoints_added after insert on datapoints
  referencing new table as added for each statement execute function note_feedback();
create trigger datapoints_changed after update on datapoints
  referencing old table as taken new table as added for each statement execute function note_feedback();
create trigger datapoints_removed after delete on datapoints
  referencing old table as taken for each statement execute function note_feedback();

-- What was left at a location goes where the location goes. Writers of new datapoints hold the location's row first.
create function take_datapoints_along() returns trigger language plpgsql as $$
begin
  update datapoints set business_id = new.business_id, location_deleted = (new.status = 'DELETED')
  where location_id = new.id
    and (business_id, location_deleted) is distinct from (new.business_id, new.status = 'DELETED');
  return null;
end $$;
create trigger locations_moved after update on locations for each row
  when (old.business_id <> new.business_id or (old.status = 'DELETED') <> (new.status = 'DELETED'))
  execute function take_datapoints_along();

-- Takes down which words reviews have; null for what is no review any more. The caller holds the rows of the datapoints.
create function note_feedback_words(ids bigint[], lists text[]) returns void language plpgsql as $$
begin
  insert into feedback_deltas (partner_id, business_id, day, directory_type, type, rating, count, replied, unread,
    analysed, words)
  select partner_id, business_id, day_of(action_date), directory_type, type, coalesce(rating, -1), 0, 0, 0, sign, side.words
  from unnest(ids, lists) as given (id, list)
  join datapoints on datapoints.id = given.id
  left join datapoint_words known on known.datapoint_id = given.id
  cross join lateral (values (-1, known.words), (1, given.list::integer[])) as side (sign, words)
  where status = 'VALID' and location_id is not null and not location_deleted
    and side.words is not null and known.words is distinct from given.list::integer[];
  delete from datapoint_words where datapoint_id in (
    select id from unnest(ids, lists) as given (id, list) where list is null);
  insert into datapoint_words
  select id, list::integer[] from unnest(ids, lists) as given (id, list) where list is not null
  on conflict (datapoint_id) do update set words = excluded.words;
end $$;

-- Brings deltas into the roll-ups; answers how many, or null while somebody else does.
create function fold_feedback(most integer) returns integer language plpgsql as $$
declare
  folded integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('fold_feedback')) then return null; end if;
  with taken as materialized (
    delete from feedback_deltas where ctid = any (array(select ctid from feedback_deltas limit most)) returning *
  ), owned as (
    select 0::bigint as owner, * from taken where for_partner
    union all
    select business_id, * from taken where business_id in (select business_id from feedback_businesses)
  ), counted as (
    insert into feedback_figures
    select partner_id, owner, grain, start, directory_type, type, rating, sum(count), sum(replied), sum(unread),
      sum(analysed), coalesce(sum(count) filter (where response_seconds is not null), 0),
      coalesce(sum(count * response_seconds::bigint), 0)
    from owned cross join lateral (values ('D', day), ('M', date_trunc('month', day)::date)) as period (grain, start)
    group by 1, 2, 3, 4, 5, 6, 7
    on conflict (partner_id, business_id, grain, start, directory_type, type, rating) do update
    set count = feedback_figures.count + excluded.count, replied = feedback_figures.replied + excluded.replied,
      unread = feedback_figures.unread + excluded.unread, analysed = feedback_figures.analysed + excluded.analysed,
      responded = feedback_figures.responded + excluded.responded,
      response_seconds = feedback_figures.response_seconds + excluded.response_seconds
  ), responses as (
    insert into feedback_response_figures
    select partner_id, owner, directory, grain, start, response_bin(response_seconds), sum(count)
    from owned
    cross join lateral (values ('D', day), ('M', date_trunc('month', day)::date)) as period (grain, start)
    cross join lateral (values (directory_type), ('')) as place (directory)
    where response_seconds is not null
    group by 1, 2, 3, 4, 5, 6 having sum(count) <> 0
    on conflict (partner_id, business_id, directory_type, grain, start, bin) do update
    set count = feedback_response_figures.count + excluded.count
  ), spoken as (
    select partner_id, owner, directory_type, day, keyword_id, word.id as word_id, sum(analysed) as count,
      coalesce(sum(analysed) filter (where rating >= 0), 0) as rated,
      coalesce(sum(analysed * rating::double precision) filter (where rating >= 0), 0) as rating_sum
    from owned cross join unnest(words) as spoken (id) join feedback_words word on word.id = spoken.id
    group by 1, 2, 3, 4, 5, 6
  ), words as (
    insert into feedback_word_figures
    select partner_id, owner, directory, grain, start, keyword_id, word_id, sum(count), sum(rated), sum(rating_sum)
    from spoken
    cross join lateral (values ('D', day), ('M', date_trunc('month', day)::date)) as period (grain, start)
    cross join lateral (values (directory_type), ('')) as place (directory)
    group by 1, 2, 3, 4, 5, 6, 7 having sum(count) <> 0 or sum(rated) <> 0 or sum(rating_sum) <> 0
    on conflict (partner_id, business_id, directory_type, grain, start, keyword_id, word_id) do update
    set count = feedback_word_figures.count + excluded.count, rated = feedback_word_figures.rated + excluded.rated,
      rating_sum = feedback_word_figures.rating_sum + excluded.rating_sum
  )
  select count(*) into folded from taken;
  return folded;
end $$;

-- Begins the roll-up of a business: it gets what its datapoints come to, less what is still on its way to the roll-ups.
create function begin_feedback_business(business bigint) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('fold_feedback'));
  insert into feedback_businesses values (business) on conflict do nothing;
  if not found then return; end if;
  insert into feedback_deltas
  select partner_id, business_id, false, day_of(action_date), directory_type, type, coalesce(rating, -1), 1,
    (owner_replied_at is not null)::integer, (not read)::integer,
    response_seconds(type, action_date, owner_replied_at), case when words is null then 0 else 1 end, words
  from datapoints left join datapoint_words on datapoint_id = id
  where business_id = business and status = 'VALID' and location_id is not null and not location_deleted
  union all
  select partner_id, business_id, false, day, directory_type, type, rating, -count, -replied, -unread,
    response_seconds, -analysed, words
  from feedback_deltas where business_id = business;
end $$;

-- What was there before.
insert into feedback_deltas (partner_id, business_id, day, directory_type, type, rating, count, replied, unread,
  response_seconds, analysed)
select partner_id, business_id, day_of(action_date), directory_type, type, coalesce(rating, -1), 1,
  (owner_replied_at is not null)::integer, (not read)::integer,
  response_seconds(type, action_date, owner_replied_at), 0
from datapoints where status = 'VALID' and location_id is not null and not location_deleted;
insert into feedback_to_read
select id from datapoints where type = 'REVIEW' and text is not null and location_id is not null;
