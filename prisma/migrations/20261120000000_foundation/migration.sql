-- The whole model. Text compares by bytes everywhere, as clients sort and page by it.
create table "auth_policy" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "primary" jsonb not null,
  "secondary" jsonb not null
);

create table "identity_type" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null
);

create table "identity" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "type_id" text collate "C" not null,
  "is_admin" boolean not null default false,
  "is_default_admin" boolean not null default false,
  "is_mfa_enabled" boolean not null default false,
  "role_attributes" text[] collate "C" not null default '{}',
  "external_id" text collate "C",
  "auth_policy_id" text collate "C" not null,
  "default_hosting_cost" integer not null default 0,
  "default_hosting_precedence" text collate "C" not null default 'default',
  "service_hosting_costs" jsonb not null default '{}',
  "service_hosting_precedences" jsonb not null default '{}',
  "app_data" jsonb not null default '{}',
  "permissions" text[] collate "C" not null default '{}',
  "disabled_at" timestamptz(3),
  "disabled_until" timestamptz(3),
  "env_info" jsonb not null default '{}',
  "sdk_info" jsonb not null default '{}',
  "interfaces" jsonb not null default '[]'
);

create table "authenticator" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "identity_id" text collate "C" not null,
  "method" text collate "C" not null,
  "username" text collate "C",
  "password_hash" text collate "C",
  "fingerprint" text collate "C",
  "cert_pem" text collate "C",
  "public_key_print" text collate "C",
  "is_issued_by_network" boolean not null default false,
  "is_extend_requested" boolean not null default false,
  "is_key_roll_requested" boolean not null default false,
  "extend_requested_at" timestamptz(3),
  "last_extend_rolled_keys" boolean not null default false,
  "last_auth_resolved_to_root" boolean not null default false
);

create table "certificate_authority" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "cert_pem" text collate "C" not null,
  "is_verified" boolean not null default false,
  "verification_token" text collate "C" not null,
  "is_auth_enabled" boolean not null,
  "is_auto_ca_enrollment_enabled" boolean not null,
  "is_ott_ca_enrollment_enabled" boolean not null,
  "identity_roles" text[] collate "C" not null default '{}',
  "identity_name_format" text collate "C" not null,
  "external_id_claim" jsonb
);

create table "router" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "is_edge" boolean not null,
  "role_attributes" text[] collate "C" not null default '{}',
  "app_data" jsonb not null default '{}',
  "cost" integer not null default 0,
  "no_traversal" boolean not null default false,
  "disabled" boolean not null default false,
  "is_tunneler_enabled" boolean not null default false,
  "is_verified" boolean not null default false,
  "fingerprint" text collate "C",
  "cert_pem" text collate "C",
  "unverified_fingerprint" text collate "C",
  "unverified_cert_pem" text collate "C",
  "configs" text[] collate "C" not null default '{}',
  "ctrl_chan_listeners" jsonb not null default '{}',
  "interfaces" jsonb not null default '[]'
);

create table "enrollment" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "method" text collate "C" not null,
  "token" text collate "C" not null,
  "jwt" text collate "C" not null,
  "expires_at" timestamptz(3) not null,
  "identity_id" text collate "C",
  "edge_router_id" text collate "C",
  "transit_router_id" text collate "C",
  "ca_id" text collate "C",
  "username" text collate "C"
);

create table "external_jwt_signer" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "issuer" text collate "C" not null,
  "audience" text collate "C",
  "enabled" boolean not null,
  "cert_pem" text collate "C",
  "kid" text collate "C",
  "fingerprint" text collate "C",
  "common_name" text collate "C",
  "not_before" timestamptz(3),
  "not_after" timestamptz(3),
  "jwks_endpoint" text collate "C",
  "claims_property" text collate "C" not null,
  "use_external_id" boolean not null default false,
  "client_id" text collate "C",
  "external_auth_url" text collate "C",
  "scopes" text[] collate "C" not null default '{}',
  "target_token" text collate "C" not null default 'ACCESS',
  "enroll_to_cert_enabled" boolean not null default false,
  "enroll_to_token_enabled" boolean not null default false,
  "enroll_attribute_claims_selector" text collate "C",
  "enroll_name_claims_selector" text collate "C",
  "enroll_auth_policy_id" text collate "C"
);

create table "config_type" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "schema" jsonb,
  "target" text collate "C" not null default 'service'
);

create table "config" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "config_type_id" text collate "C" not null,
  "data" jsonb not null
);

create table "service" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "role_attributes" text[] collate "C" not null default '{}',
  "configs" text[] collate "C" not null default '{}',
  "encryption_required" boolean not null,
  "max_idle_time_millis" integer not null default 0,
  "terminator_strategy" text collate "C" not null default 'smartrouting'
);

create table "service_policy" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "type" text collate "C" not null,
  "semantic" text collate "C" not null,
  "identity_roles" text[] collate "C" not null default '{}',
  "service_roles" text[] collate "C" not null default '{}',
  "posture_check_roles" text[] collate "C" not null default '{}'
);

create table "edge_router_policy" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "semantic" text collate "C" not null,
  "identity_roles" text[] collate "C" not null default '{}',
  "edge_router_roles" text[] collate "C" not null default '{}'
);

create table "service_edge_router_policy" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "semantic" text collate "C" not null,
  "service_roles" text[] collate "C" not null default '{}',
  "edge_router_roles" text[] collate "C" not null default '{}'
);

create table "posture_check_type" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "version" text collate "C" not null,
  "operating_systems" jsonb not null default '[]'
);

create table "posture_check" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "type_id" text collate "C" not null,
  "version" integer not null default 1,
  "role_attributes" text[] collate "C" not null default '{}',
  "domains" text[] collate "C" not null default '{}',
  "mac_addresses" text[] collate "C" not null default '{}',
  "operating_systems" jsonb not null default '[]',
  "process" jsonb,
  "processes" jsonb not null default '[]',
  "semantic" text collate "C",
  "timeout_seconds" integer,
  "prompt_on_wake" boolean,
  "prompt_on_unlock" boolean,
  "ignore_legacy_endpoints" boolean
);

create table "terminator" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "service_id" text collate "C" not null,
  "router_id" text collate "C" not null,
  "binding" text collate "C" not null,
  "address" text collate "C" not null,
  "identity" text collate "C" not null default '',
  "identity_secret" bytea,
  "cost" integer not null default 0,
  "precedence" text collate "C" not null default 'default',
  "dynamic_cost" integer not null default 0,
  "instance_id" text collate "C" not null default '',
  "host_id" text collate "C" not null default '',
  "source_ctrl" text collate "C" not null default ''
);

create table "api_session" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "token" text collate "C" not null,
  "identity_id" text collate "C" not null,
  "authenticator_id" text collate "C" not null,
  "ip_address" text collate "C" not null,
  "config_types" text[] collate "C" not null default '{}',
  "is_mfa_required" boolean not null default false,
  "is_mfa_complete" boolean not null default false,
  "is_cert_extendable" boolean not null default false,
  "improper_client_cert_chain" boolean not null default false,
  "last_activity_at" timestamptz(3) not null
);

create table "session" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "token" text collate "C" not null,
  "api_session_id" text collate "C" not null,
  "identity_id" text collate "C" not null,
  "service_id" text collate "C" not null,
  "type" text collate "C" not null
);

create table "controller" (
  "id" text collate "C" primary key,
  "created_at" timestamptz(3) not null,
  "updated_at" timestamptz(3) not null,
  "tags" jsonb not null default '{}',
  "is_system" boolean not null default false,
  "revision" integer not null default 1,
  "name" text collate "C" not null,
  "ctrl_address" text collate "C",
  "cert_pem" text collate "C" not null,
  "fingerprint" text collate "C" not null,
  "api_addresses" jsonb not null default '{}',
  "last_joined_at" timestamptz(3) not null,
  "last_seen_at" timestamptz(3) not null
);

create table "service_config_override" (
  "identity_id" text collate "C" not null,
  "service_id" text collate "C" not null,
  "config_type_id" text collate "C" not null,
  "config_id" text collate "C" not null,
  primary key ("identity_id", "service_id", "config_type_id")
);

create table "change" (
  "seq" bigserial primary key,
  "epoch" integer not null,
  "xid" bigint not null default (pg_current_xact_id()::text::bigint),
  "at" timestamptz(3) not null,
  "entity_type" text collate "C" not null,
  "entity_id" text collate "C" not null,
  "operation" text collate "C" not null,
  "revision" integer not null,
  "before" jsonb,
  "after" jsonb,
  "actor_id" text collate "C",
  "api_session_id" text collate "C",
  "address" text collate "C",
  "request_id" text collate "C",
  "import_id" text collate "C"
);

create table "network_record" (
  "id" text collate "C" primary key,
  "epoch" integer not null,
  "system_identifier" text collate "C" not null,
  "root_fingerprint" text collate "C" not null,
  "key_check" text collate "C" not null,
  "created_at" timestamptz(3) not null
);

create table "lease" (
  "name" text collate "C" primary key,
  "holder" text collate "C" not null,
  "expires_at" timestamptz(3) not null
);

create unlogged table "posture_data" (
  "identity_id" text collate "C" not null,
  "scope" text collate "C" not null,
  "data" jsonb not null,
  "updated_at" timestamptz(3) not null,
  primary key ("identity_id", "scope")
);

create unlogged table "router_presence" (
  "router_id" text collate "C" primary key,
  "controller_id" text collate "C" not null,
  "hostname" text collate "C" not null,
  "listeners" jsonb not null default '[]',
  "version_info" jsonb,
  "api_sessions" text[] collate "C" not null default '{}',
  "connected_at" timestamptz(3) not null,
  "lapses_at" timestamptz(3) not null
);

create unlogged table "login_counter" (
  "key" text collate "C" primary key,
  "failures" integer not null,
  "resets_at" timestamptz(3) not null
);

create unique index "auth_policy_name_key" on "auth_policy" ("name");
create unique index "identity_type_name_key" on "identity_type" ("name");
create unique index "identity_name_key" on "identity" ("name");
create unique index "identity_external_id_key" on "identity" ("external_id");
create index "identity_auth_policy_id_idx" on "identity" ("auth_policy_id");
create index "identity_type_id_idx" on "identity" ("type_id");
create unique index "certificate_authority_name_key" on "certificate_authority" ("name");
create unique index "certificate_authority_fingerprint_key" on "certificate_authority" ("fingerprint");
create unique index "router_name_key" on "router" ("name");
create unique index "external_jwt_signer_name_key" on "external_jwt_signer" ("name");
create unique index "external_jwt_signer_issuer_key" on "external_jwt_signer" ("issuer");
create unique index "external_jwt_signer_fingerprint_key" on "external_jwt_signer" ("fingerprint");
create unique index "external_jwt_signer_kid_key" on "external_jwt_signer" ("kid");
create index "external_jwt_signer_enroll_auth_policy_id_idx" on "external_jwt_signer" ("enroll_auth_policy_id");
create unique index "config_type_name_key" on "config_type" ("name");
create unique index "config_name_key" on "config" ("name");
create index "config_config_type_id_idx" on "config" ("config_type_id");
create unique index "service_name_key" on "service" ("name");
create unique index "service_policy_name_key" on "service_policy" ("name");
create unique index "edge_router_policy_name_key" on "edge_router_policy" ("name");
create unique index "service_edge_router_policy_name_key" on "service_edge_router_policy" ("name");
create unique index "posture_check_type_name_key" on "posture_check_type" ("name");
create unique index "posture_check_name_key" on "posture_check" ("name");
create index "posture_check_type_id_idx" on "posture_check" ("type_id");
create unique index "controller_name_key" on "controller" ("name");
create unique index "authenticator_username_key" on "authenticator" ("username");
create unique index "authenticator_fingerprint_key" on "authenticator" ("fingerprint");
create unique index "authenticator_identity_id_method_key" on "authenticator" ("identity_id", "method");
create unique index "enrollment_token_key" on "enrollment" ("token");
create index "enrollment_identity_id_idx" on "enrollment" ("identity_id");
create index "enrollment_edge_router_id_idx" on "enrollment" ("edge_router_id");
create index "enrollment_transit_router_id_idx" on "enrollment" ("transit_router_id");
create index "enrollment_ca_id_idx" on "enrollment" ("ca_id");
create unique index "api_session_token_key" on "api_session" ("token");
create index "api_session_identity_id_idx" on "api_session" ("identity_id");
create index "api_session_authenticator_id_idx" on "api_session" ("authenticator_id");
create index "api_session_last_activity_at_idx" on "api_session" ("last_activity_at");
create unique index "session_token_key" on "session" ("token");
create unique index "session_api_session_id_service_id_type_key" on "session" ("api_session_id", "service_id", "type");
create index "session_identity_id_idx" on "session" ("identity_id");
create index "session_service_id_idx" on "session" ("service_id");
create index "terminator_service_id_idx" on "terminator" ("service_id");
create index "terminator_router_id_idx" on "terminator" ("router_id");
create index "service_config_override_service_id_idx" on "service_config_override" ("service_id");
create index "service_config_override_config_id_idx" on "service_config_override" ("config_id");
create index "service_config_override_config_type_id_idx" on "service_config_override" ("config_type_id");
create index "posture_data_identity_id_idx" on "posture_data" ("identity_id");
create index "change_epoch_xid_seq_idx" on "change" ("epoch", "xid", "seq");
create index "change_entity_type_entity_id_idx" on "change" ("entity_type", "entity_id");
create index "identity_role_attributes_gin" on "identity" using gin ("role_attributes");
create index "identity_permissions_gin" on "identity" using gin ("permissions");
create index "service_role_attributes_gin" on "service" using gin ("role_attributes");
create index "service_configs_gin" on "service" using gin ("configs");
create index "router_role_attributes_gin" on "router" using gin ("role_attributes");
create index "router_configs_gin" on "router" using gin ("configs");
create index "posture_check_role_attributes_gin" on "posture_check" using gin ("role_attributes");
create index "service_policy_identity_roles_gin" on "service_policy" using gin ("identity_roles");
create index "service_policy_service_roles_gin" on "service_policy" using gin ("service_roles");
create index "service_policy_posture_check_roles_gin" on "service_policy" using gin ("posture_check_roles");
create index "edge_router_policy_identity_roles_gin" on "edge_router_policy" using gin ("identity_roles");
create index "edge_router_policy_edge_router_roles_gin" on "edge_router_policy" using gin ("edge_router_roles");
create index "service_edge_router_policy_service_roles_gin" on "service_edge_router_policy" using gin ("service_roles");
create index "service_edge_router_policy_edge_router_roles_gin" on "service_edge_router_policy" using gin ("edge_router_roles");

alter table "identity" add constraint "identity_type_id_fkey" foreign key ("type_id") references "identity_type" ("id");
alter table "identity" add constraint "identity_auth_policy_id_fkey" foreign key ("auth_policy_id") references "auth_policy" ("id");
alter table "authenticator" add constraint "authenticator_identity_id_fkey" foreign key ("identity_id") references "identity" ("id") on delete cascade;
alter table "enrollment" add constraint "enrollment_identity_id_fkey" foreign key ("identity_id") references "identity" ("id") on delete cascade;
alter table "enrollment" add constraint "enrollment_edge_router_id_fkey" foreign key ("edge_router_id") references "router" ("id") on delete cascade;
alter table "enrollment" add constraint "enrollment_transit_router_id_fkey" foreign key ("transit_router_id") references "router" ("id") on delete cascade;
alter table "enrollment" add constraint "enrollment_ca_id_fkey" foreign key ("ca_id") references "certificate_authority" ("id") on delete cascade;
alter table "external_jwt_signer" add constraint "external_jwt_signer_enroll_auth_policy_id_fkey" foreign key ("enroll_auth_policy_id") references "auth_policy" ("id");
alter table "config" add constraint "config_config_type_id_fkey" foreign key ("config_type_id") references "config_type" ("id");
alter table "posture_check" add constraint "posture_check_type_id_fkey" foreign key ("type_id") references "posture_check_type" ("id");
alter table "terminator" add constraint "terminator_service_id_fkey" foreign key ("service_id") references "service" ("id") on delete cascade;
alter table "terminator" add constraint "terminator_router_id_fkey" foreign key ("router_id") references "router" ("id") on delete cascade;
alter table "api_session" add constraint "api_session_identity_id_fkey" foreign key ("identity_id") references "identity" ("id") on delete cascade;
alter table "session" add constraint "session_api_session_id_fkey" foreign key ("api_session_id") references "api_session" ("id") on delete cascade;
alter table "session" add constraint "session_identity_id_fkey" foreign key ("identity_id") references "identity" ("id") on delete cascade;
alter table "session" add constraint "session_service_id_fkey" foreign key ("service_id") references "service" ("id") on delete cascade;
alter table "service_config_override" add constraint "service_config_override_identity_id_fkey" foreign key ("identity_id") references "identity" ("id") on delete cascade;
alter table "service_config_override" add constraint "service_config_override_service_id_fkey" foreign key ("service_id") references "service" ("id") on delete cascade;
alter table "service_config_override" add constraint "service_config_override_config_type_id_fkey" foreign key ("config_type_id") references "config_type" ("id") on delete cascade;
alter table "service_config_override" add constraint "service_config_override_config_id_fkey" foreign key ("config_id") references "config" ("id");
