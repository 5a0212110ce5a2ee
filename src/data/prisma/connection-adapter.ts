import {
  ColumnTypeEnum,
  DriverAdapterError,
  type ArgType,
  type ColumnType,
  type SqlQuery,
  type SqlResultSet,
  type Transaction,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';
import type { RequestScope } from '../../kernel/request/request-scope.js';

/** A statement with its values as the driver takes them. */
export interface DriverStatement {
  readonly text: string;
  readonly values: unknown[];
}

/** Sends a statement on a connection of the pool; rows are lists of values of `VALUE_TYPES`. */
export type SendStatement = (
  client: pg.PoolClient,
  statement: DriverStatement,
  scope: RequestScope | undefined,
) => Promise<pg.QueryArrayResult<unknown[]>>;

/** A call of a model that is under way on a connection: exactly one statement. */
export interface ModelCall {
  readonly scope: RequestScope | undefined;
  /** Called with its statement when that is on the wire. */
  readonly onSent: (text: string) => void;
  /** Called with the error of the driver, which says more than Prisma tells of it. */
  readonly onError: (error: unknown) => void;
}

/**
 * A connection of the pool, which Prisma takes for a transaction without end: so one client of Prisma
 * serves it for all its life. Its owner begins and commits the real transactions, and says before each
 * call of a model to which call the next statement belongs.
 */
export class ConnectionAdapter implements Transaction {
  readonly provider = 'postgres';
  readonly adapterName = 'overgraph';
  /** Prisma sends neither its commit nor its rollback to the database. */
  readonly options = { usePhantomQuery: true };
  call: ModelCall | undefined;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly send: SendStatement,
  ) {}

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    const { fields, rows } = await this.run(query);
    return {
      columnNames: fields.map(({ name }) => name),
      columnTypes: fields.map(
        ({ dataTypeID }) => COLUMN_TYPES.get(dataTypeID) ?? ColumnTypeEnum.Text,
      ),
      rows,
    };
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    return (await this.run(query)).rowCount ?? 0;
  }

  commit(): Promise<void> {
    return Promise.resolve();
  }

  rollback(): Promise<void> {
    return Promise.resolve();
  }

  private async run({
    sql: text,
    args,
    argTypes,
  }: SqlQuery): Promise<pg.QueryArrayResult<unknown[]>> {
    const { call } = this;
    if (!call) throw new Error('a call of a model takes more than one statement');
    this.call = undefined;
    const values = args.map((value, i) => driverValue(value, argTypes[i]));
    const answer = this.send(this.client, { text, values }, call.scope);
    call.onSent(text);
    try {
      return await answer;
    } catch (error) {
      call.onError(error);
      throw adapterError(error);
    }
  }
}

function driverValue(value: unknown, type: ArgType | undefined): unknown {
  if (Array.isArray(value)) return value.map((entry) => driverValue(entry, type));
  return type?.scalarType === 'bytes' && typeof value === 'string'
    ? Buffer.from(value, 'base64')
    : value;
}

/** Prisma handles errors of this class alone; who called the model gets the one of the driver. */
const adapterError = (error: unknown): DriverAdapterError =>
  new DriverAdapterError({
    kind: 'postgres',
    code: error instanceof pg.DatabaseError ? (error.code ?? '') : '',
    severity: 'ERROR',
    message: 'the statement failed',
    detail: undefined,
    column: undefined,
    hint: undefined,
  });

/** The types of values by the ids of the server. */
const COLUMN_TYPES = new Map<number, ColumnType>([
  [pg.types.builtins.INT2, ColumnTypeEnum.Int32],
  [pg.types.builtins.INT4, ColumnTypeEnum.Int32],
  [pg.types.builtins.INT8, ColumnTypeEnum.Int64],
  [pg.types.builtins.BOOL, ColumnTypeEnum.Boolean],
  [pg.types.builtins.TIMESTAMPTZ, ColumnTypeEnum.DateTime],
  [pg.types.builtins.JSONB, ColumnTypeEnum.Json],
  [pg.types.builtins.BYTEA, ColumnTypeEnum.Bytes],
  // `text[]`, which has no name there.
  [1009, ColumnTypeEnum.TextArray],
]);

/** Times with their zone as `+00:00`, since sessions are in UTC and the server writes `+00`. */
const isoTime = (text: string): string =>
  `${text.slice(0, text.lastIndexOf('+'))}+00:00`.replace(' ', 'T');

const unchanged = (text: string): string => text;

/** Values that Prisma takes as text. */
const TEXT_FORMS = new Map<number, (text: string) => string>([
  [pg.types.builtins.TIMESTAMPTZ, isoTime],
  [pg.types.builtins.JSONB, unchanged],
]);

type TypeId = Parameters<typeof pg.types.getTypeParser>[0];

/** How values become those that Prisma reads. */
export const VALUE_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (id: TypeId, format?: 'text' | 'binary') => {
    const ownForm = format === 'binary' ? undefined : TEXT_FORMS.get(id);
    return ownForm ?? (pg.types.getTypeParser(id, format) as (value: string) => unknown);
  },
};
