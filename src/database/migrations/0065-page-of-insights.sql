-- The page whose insights are stored, and the last month whose search terms were read.
-- Null until the first collection by this version.
alter table listings add column insights_of text, add column keywords_until date;
