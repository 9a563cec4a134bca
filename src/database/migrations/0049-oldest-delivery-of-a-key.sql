-- Without the lane: the oldest delivery of a key, in whichever lane, is the first row of the key.
create index delivery_queue_key on delivery_queue (webhook_id, order_key, event_id) where order_key is not null;
drop index delivery_queue_order;
