alter table "inspection" add column "fixes" boolean not null default false;
alter table "inspection" add column "validation" text collate "C";
