-- The revision of a started call whose result is not known: the directory may show a post that has no external id here.
alter table social_post_publications add column attempted_revision integer;
