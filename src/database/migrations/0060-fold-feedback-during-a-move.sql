-- Rows of a partner in a move cannot be changed: they would use up the limit, or fail the fold for all partners.
create or replace function fold_feedback(most integer) returns integer language plpgsql as $$
declare
  folded integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('fold_feedback')) then return null; end if;
  with taken as materialized (
    delete from feedback_deltas where ctid = any (array(
      select ctid from feedback_deltas
      where partner_id + 0 <> all (array(select unnest(partner_ids) from partner_moves)) limit most
    )) returning *
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
