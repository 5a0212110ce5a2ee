alter table "external_jwt_signer" add column "conditions" jsonb not null default '[]';
