-- Removed listings are not counted, like inactive ones. Their fields no longer count from today.

-- A listing that is removed during the update would stay counted. Checks lock rows before they write: they finish first.
lock table listings in exclusive mode;

do $$
begin
  if exists (
    select from listings
    where flow_status = 'REMOVED' and duplicate_of is null and comparable_fields > 0
      and partner_id = any (array(select unnest(partner_ids) from partner_moves))
  ) then
    raise exception 'A partner with removed listings is being moved to another cell.'
      using hint = 'Finish or undo the move with the previous version of Waypost, then migrate.';
  end if;
end $$;

update listings set matching_fields = 0, comparable_fields = 0
where flow_status = 'REMOVED' and duplicate_of is null and comparable_fields > 0;

create or replace function counts_for_visibility(duplicate_of bigint, flow_status text) returns boolean
language sql immutable parallel safe as $$
  select duplicate_of is null and flow_status not in ('INACTIVE', 'REMOVED')
$$;
