alter table "authorization_request" add column "device_code_hash" text collate "C";
alter table "authorization_request" add column "is_approved" boolean;
alter table "authorization_request" add column "poll_seconds" integer;
alter table "authorization_request" add column "polled_at" timestamptz(3);
alter table "authorization_request" add column "user_code_hash" text collate "C";

create index "authorization_request_device_code_hash_idx" on "authorization_request" ("device_code_hash") where "device_code_hash" is not null;
create unique index "authorization_request_user_code_hash_key" on "authorization_request" ("user_code_hash") where "user_code_hash" is not null;
