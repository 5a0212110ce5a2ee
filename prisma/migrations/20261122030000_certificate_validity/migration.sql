-- When the certificates that are stored with entities begin and end; a controller fills the rows that
-- there are when it starts, since SQL can not read certificates.
alter table "authenticator"
  add column "not_before" timestamptz(3),
  add column "not_after" timestamptz(3);
alter table "certificate_authority"
  add column "not_before" timestamptz(3),
  add column "not_after" timestamptz(3);
alter table "router"
  add column "not_before" timestamptz(3),
  add column "not_after" timestamptz(3);
alter table "controller"
  add column "not_before" timestamptz(3),
  add column "not_after" timestamptz(3);

-- Of many thousands those that end next.
create index "authenticator_not_after_id_idx" on "authenticator" ("not_after", "id");
