alter table "lease" add column "address" text collate "C";
alter table "lease" add column "session_holder" text collate "C";
