-- An e-mail address is unique in a partner: a conflict with a user of another partner would reveal that user.
drop index users_email;
create unique index users_email on users (partner_id, lower(email));
create index users_by_email on users (lower(email));
