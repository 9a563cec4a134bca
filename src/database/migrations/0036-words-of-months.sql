-- The words of a query in any of several months: one parameter instead of one per month.
create function words_of(partner bigint, months integer[], words tsquery) returns tsquery
  language sql immutable strict parallel safe
  return (
    select string_agg('(' || words_of(partner, month, words)::text || ')', ' | ')::tsquery from unnest(months) as month
  );
