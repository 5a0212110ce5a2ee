-- What the auth policy asked for on top of a login and did not come with it.
alter table "api_session" add column "unproved" jsonb not null default '{}';
