-- The cell whose ids and credentials this database issues. Databases that exist already are cell 0.
alter table id_checkpoint add column cell integer not null default 0 check (cell between 0 and 255);
