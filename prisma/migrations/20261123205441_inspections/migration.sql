create unlogged table "inspection" (
  "id" text collate "C" not null,
  "version" bigint not null,
  "node_ids" text[] collate "C" not null,
  "names" text[] collate "C" not null,
  "until" timestamptz(3) not null,
  primary key ("id")
);
create unlogged table "inspection_answer" (
  "inspection_id" text collate "C" not null,
  "node_id" text collate "C" not null,
  "answer" text collate "C" not null,
  primary key ("inspection_id", "node_id")
);

create index "inspection_version_idx" on "inspection" ("version");
alter table "inspection_answer" add constraint "inspection_answer_inspection_id_fkey" foreign key ("inspection_id") references "inspection" ("id") on delete cascade;
