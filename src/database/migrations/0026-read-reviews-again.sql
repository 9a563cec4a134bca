-- The lists of words that are no topics have changed: every review is read for its keywords again.
insert into feedback_to_read
select id from datapoints where type = 'REVIEW' and text is not null and location_id is not null;
