-- Directory listings that a user unlinked: checks do not link them again.
alter table listings add column unlinked_pages text[] not null default '{}';
