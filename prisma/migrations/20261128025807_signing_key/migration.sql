create table "signing_key" (
  "kid" text collate "C" not null,
  "controller_id" text collate "C" not null,
  "cert_pem" text not null,
  "published_at" timestamptz(3) not null,
  "ends_at" timestamptz(3),
  primary key ("kid")
);

create index "signing_key_controller_id_idx" on "signing_key" ("controller_id");
