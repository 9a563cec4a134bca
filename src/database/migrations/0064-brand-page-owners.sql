-- A brand page belongs to one business over all partners. Of several owners the first one keeps it; the next check of
-- the datapoints of the others marks them INVALID, with the event.
do $$
begin
  if exists (
    select from directory_business_pages where partner_id = any (array(select unnest(partner_ids) from partner_moves))
  ) then
    raise exception 'A partner with brand pages is being moved to another cell.'
      using hint = 'Finish or undo the move with the previous version of Waypost, then migrate.';
  end if;
end $$;

alter table directory_business_pages add column missing_since timestamptz, add column detached_at timestamptz;

with ranked as (
  select page.id, business.status = 'DELETED' as is_deleted, row_number() over (
    partition by page.directory_type, page.external_id order by (business.status = 'DELETED'), page.id
  ) as position
  from directory_business_pages page join businesses business on business.id = page.business_id
)
update directory_business_pages page set detached_at = now(), datapoints_due = now()
from ranked where ranked.id = page.id and (ranked.position > 1 or ranked.is_deleted);

-- Not unique: a moved partner may bring a page that a partner of the other cell has.
create index directory_business_pages_owner on directory_business_pages (directory_type, external_id)
  where detached_at is null;
