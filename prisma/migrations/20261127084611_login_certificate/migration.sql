alter table "api_session" add column "certificate_fingerprint" text collate "C";
