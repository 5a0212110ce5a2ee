alter table "directory" add column "kind" text collate "C" not null default 'identityProvider';
