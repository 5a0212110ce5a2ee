import { sql, type Sql } from '../../../base/sql.js';

/** Each config with the name of its type: a table for statements of other homes. */
export const typedConfigs: Sql = sql`(select g.id, g.data, g.config_type_id, t.name as type_name
  from config g join config_type t on t.id = g.config_type_id)`;
