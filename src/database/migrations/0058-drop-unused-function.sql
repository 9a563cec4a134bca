-- The search of the inbox combines the months itself.
drop function words_of(bigint, integer[], tsquery);
