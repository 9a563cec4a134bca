-- They prevented the deletion of their collections. Locations now lose them when they are deleted.
delete from content_lists using locations where locations.id = content_lists.location_id and locations.status = 'DELETED';
