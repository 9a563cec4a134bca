-- Removed listings are not counted, like inactive ones. Their fields no longer count from today.
update listings set matching_fields = 0, comparable_fields = 0
where flow_status = 'REMOVED' and duplicate_of is null and comparable_fields > 0
  and partner_id <> all (array(select unnest(partner_ids) from partner_moves));

create or replace function counts_for_visibility(duplicate_of bigint, flow_status text) returns boolean
language sql immutable parallel safe as $$
  select duplicate_of is null and flow_status not in ('INACTIVE', 'REMOVED')
$$;
