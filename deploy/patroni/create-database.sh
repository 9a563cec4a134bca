#!/bin/sh
# Creates the role and the database of Waypost. Patroni calls it once, with the URL of the new primary.
set -eu
psql "$1" --quiet --no-psqlrc --set ON_ERROR_STOP=1 --set password="$WAYPOST_DATABASE_PASSWORD" <<'SQL'
create role waypost login password :'password';
create database waypost owner waypost;
SQL
