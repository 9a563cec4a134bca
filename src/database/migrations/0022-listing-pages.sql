alter table listings
  -- Whether it was ever linked to a page: the first link is no change of the link.
  add column had_page boolean not null default false,
  -- Somebody asked for a submission: it is sent even when nothing differs.
  add column submission_requested boolean not null default false,
  -- Counts the needs to submit; with the location's revision it names what is sent, so that a directory carries it out once.
  add column submission_round integer not null default 0,
  -- The directory reviews what was submitted, and has not said yet what came of it.
  add column under_review boolean not null default false;
update listings set under_review = true where flow_status = 'WAITING_DIRECTORY_ACTION' and submitted is not null;

update listings set had_page = true where external_id is not null;

-- A page of a directory belongs to at most one listing over all partners: to the one that manages it, or the oldest.
update listings set external_id = null, url = null
where id in (
  select id from (
    select id, row_number() over (
      partition by directory_type, external_id order by claim_status = 'CLAIMED_BY_US' desc, id
    ) as place
    from listings where external_id is not null
  ) as holders where place > 1
);
drop index listings_claimed_page;
create unique index listings_page on listings (directory_type, external_id) where external_id is not null;
