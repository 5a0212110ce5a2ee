alter table "directory_user" add column "identity_disabled_at" timestamptz(3);

-- Those whom providers have disabled so far. The directory enables them again as before.
update "directory_user" u set "identity_disabled_at" = i."disabled_at"
from "identity" i where i."id" = u."identity_id" and not u."active" and i."disabled_until" is null;
