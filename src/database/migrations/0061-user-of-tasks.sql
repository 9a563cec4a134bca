-- E-mail addresses of users change and are used again. Null for keys, the system and tasks of earlier versions.
alter table tasks add column user_id bigint;
