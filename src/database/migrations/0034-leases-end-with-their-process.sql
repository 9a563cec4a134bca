-- The process that holds a lease: when it has died, its leases are released at once instead of after minutes.
alter table listings add column lease_process integer;
alter table social_post_publications add column lease_process integer;
alter table datapoint_replies add column sending_process integer;

-- A process whose connection broke for a moment comes back; only one that stays away is taken for dead.
alter table job_workers add column missing_since timestamptz;
