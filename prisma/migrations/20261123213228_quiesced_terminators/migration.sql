alter table "terminator" add column "saved_precedence" text collate "C";
