import pg from 'pg';
import type { RequestScope } from '../../kernel/request/request-scope.js';
import type { ScopedStatement } from './scoped-statement.js';

export interface DriverQueryOptions {
  readonly text: string;
  readonly values: unknown[];
  /** The name under which a connection keeps the plan. */
  readonly name: string | undefined;
  readonly scope: RequestScope | undefined;
  /** Gives rows as lists of values that these types parse; default: as objects of the driver's. */
  readonly listsOf?: pg.CustomTypesConfig;
}

/**
 * A statement as the driver sends it. The driver makes the same of an object with these members, but
 * copies that object by the descriptors of its members: 3 % of the processor time of an edit
 * (docs/benchmark.md, "edit a policy (patch name)").
 */
export class DriverQuery extends pg.Query<pg.QueryResultRow, unknown[]> implements ScopedStatement {
  readonly scope: RequestScope | undefined;
  /** Members that the driver reads and its types do not declare. */
  declare readonly text: string;
  declare name: string | undefined;
  declare callback: (error: Error | null | undefined, result: pg.QueryResult) => void;

  constructor({ text, values, name, scope, listsOf }: DriverQueryOptions) {
    if (listsOf) {
      const config: pg.QueryArrayConfig<unknown[]> = {
        text,
        values,
        rowMode: 'array',
        types: listsOf,
      };
      super(config);
    } else super(text, values);
    this.name = name;
    this.scope = scope;
  }

  /** Sends it on a connection. The driver gives a promise only for what it made itself. */
  sendBy(send: (query: this) => unknown): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      this.callback = (error, result) => {
        if (error) reject(error);
        else resolve(result);
      };
      send(this);
    });
  }
}
