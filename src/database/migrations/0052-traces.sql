-- The trace of a change, which the attempts of its deliveries continue, and the header that an attempt sent.
alter table events add column traceparent text;
alter table attempts add column traceparent text;
