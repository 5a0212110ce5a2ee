alter table "api_session" add column "oidc_client" text collate "C";
create unlogged table "authorization_request" (
  "id" text collate "C" not null,
  "created_at" timestamptz(3) not null,
  "expires_at" timestamptz(3) not null,
  "sender" text collate "C" not null,
  "client_id" text collate "C" not null,
  "redirect_uri" text not null,
  "code_challenge" text not null,
  "scopes" text[] collate "C" not null,
  "state" text,
  "nonce" text,
  "config_types" text[] collate "C" not null,
  "api_session_id" text collate "C",
  "key_hash" text collate "C",
  "code_hash" text collate "C",
  "code_expires_at" timestamptz(3),
  "is_code_used" boolean not null default false,
  primary key ("id")
);
create table "used_refresh_token" (
  "jti" text collate "C" not null,
  "api_session_id" text collate "C" not null,
  "used_at" timestamptz(3) not null,
  "expires_at" timestamptz(3) not null,
  primary key ("jti")
);

create index "authorization_request_code_hash_idx" on "authorization_request" ("code_hash") where "code_hash" is not null;
create index "authorization_request_sender_idx" on "authorization_request" ("sender");
create index "authorization_request_expires_at_idx" on "authorization_request" ("expires_at");
create index "authorization_request_api_session_id_idx" on "authorization_request" ("api_session_id");
alter table "authorization_request" add constraint "authorization_request_api_session_id_fkey" foreign key ("api_session_id") references "api_session" ("id") on delete cascade;
create index "used_refresh_token_api_session_id_idx" on "used_refresh_token" ("api_session_id");
create index "used_refresh_token_expires_at_idx" on "used_refresh_token" ("expires_at");
alter table "used_refresh_token" add constraint "used_refresh_token_api_session_id_fkey" foreign key ("api_session_id") references "api_session" ("id") on delete cascade;
