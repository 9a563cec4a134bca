-- Look-ups compare composed texts (NFC). A text that already has a composed twin stays decomposed.

do $$
declare
  moving bigint[] := array(select unnest(partner_ids) from partner_moves);
begin
  if exists (
    select from locations
    where partner_id = any (moving) and concat_ws(' ', identifier, name, street, city) is not nfc normalized
  ) or exists (
    select from businesses where partner_id = any (moving) and concat_ws(' ', identifier, name, city) is not nfc normalized
  ) or exists (
    select from labels where partner_id = any (moving) and name is not nfc normalized
  ) or exists (
    select from content_lists where partner_id = any (moving) and name is not nfc normalized
  ) or exists (
    select from content_collections
    where partner_id = any (moving) and concat_ws(' ', identifier, name) is not nfc normalized
  ) or exists (
    select from content_items join content_collections as collection on collection.id = content_items.collection_id
    where collection.partner_id = any (moving)
      and concat_ws(' ', content_items.identifier, content_items.name) is not nfc normalized
  ) then
    raise exception 'A partner with decomposed texts is being moved to another cell.'
      using hint = 'Finish or undo the move with the previous version of Waypost, then migrate.';
  end if;
end $$;

update locations set name = normalize(name), street = normalize(street), city = normalize(city)
where concat_ws(' ', name, street, city) is not nfc normalized;

update businesses set name = normalize(name), city = normalize(city)
where concat_ws(' ', name, city) is not nfc normalized;

update content_collections set name = normalize(name) where name is not nfc normalized;
update content_lists set name = normalize(name) where name is not nfc normalized;
update content_items set name = normalize(name) where name is not nfc normalized;

-- Unique texts: the first of several that become the same.
update locations set identifier = normalize(identifier)
where id in (
    select min(id) from locations where status <> 'DELETED' and identifier is not nfc normalized
    group by partner_id, normalize(identifier)
  )
  and not exists (
    select from locations as twin
    where twin.partner_id = locations.partner_id and twin.status <> 'DELETED'
      and twin.identifier = normalize(locations.identifier)
  );

update businesses set identifier = normalize(identifier)
where id in (
    select min(id) from businesses where status <> 'DELETED' and identifier is not nfc normalized
    group by partner_id, normalize(identifier)
  )
  and not exists (
    select from businesses as twin
    where twin.partner_id = businesses.partner_id and twin.status <> 'DELETED'
      and twin.identifier = normalize(businesses.identifier)
  );

update content_collections set identifier = normalize(identifier)
where id in (
    select min(id) from content_collections where identifier is not nfc normalized
    group by partner_id, normalize(identifier)
  )
  and not exists (
    select from content_collections as twin
    where twin.partner_id = content_collections.partner_id and twin.identifier = normalize(content_collections.identifier)
  );

update content_items set identifier = normalize(identifier)
where id in (
    select min(id) from content_items where identifier is not nfc normalized
    group by collection_id, normalize(identifier)
  )
  and not exists (
    select from content_items as twin
    where twin.collection_id = content_items.collection_id and twin.identifier = normalize(content_items.identifier)
  );

update labels set name = normalize(name)
where id in (
    select min(id) from labels where name is not nfc normalized group by partner_id, lower(normalize(name))
  )
  and not exists (
    select from labels as twin
    where twin.partner_id = labels.partner_id and twin.id <> labels.id
      and lower(twin.name) = lower(normalize(labels.name))
  );
