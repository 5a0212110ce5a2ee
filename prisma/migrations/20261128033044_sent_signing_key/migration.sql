alter table "signing_key" add column "sent_at" timestamptz(3);
