alter table "identity" add column "assigned_role_attributes" text[] collate "C" not null default '{}';
alter table "identity" add column "effective_role_attributes" text[] collate "C" not null generated always as (role_attributes || assigned_role_attributes) stored;

create index "identity_effective_role_attributes_gin" on "identity" using gin ("effective_role_attributes");
