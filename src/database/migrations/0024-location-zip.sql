-- Lists of locations are filtered by zip whatever their status; the former index served the store finder only.
drop index locations_zip;
create index locations_zip on locations (partner_id, translate(upper(zip), ' -', ''), id);
