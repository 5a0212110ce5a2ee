/*
 * Whether a migration only adds, so that controllers of the release before go on working beside the
 * one that brings it. What is not known to be harmless is not.
 */

/** What a migration has made itself, which no older controller knows. */
interface Made {
  readonly tables: Set<string>;
  /** `table.column` */
  readonly columns: Set<string>;
}

type Rule = (statement: string, made: Made) => boolean;

const NAME = '"?(\\w+)"?';

const column: Rule = (statement, made) => {
  const [, table = '', actions = ''] = match(`^alter table (?:only )?${NAME} ([^]*)$`, statement);
  return (
    table !== '' &&
    splitOutside(actions, ',').every((action) => isAddition(action.trim(), table, made))
  );
};

function isAddition(action: string, table: string, made: Made): boolean {
  const [, name] = match(`^add column ${NAME} `, action);
  if (name !== undefined) {
    made.columns.add(`${table}.${name}`);
    return !/ not null/.test(action) || / (default|generated always as) /.test(action);
  }
  const [, columns] = match(
    '^add constraint \\S+ (?:foreign key|unique|check) \\((.*?)\\)',
    action,
  );
  return columns !== undefined && isNew(table, columns, made);
}

const index: Rule = (statement, made) => {
  const [, unique, table = '', columns = ''] = match(
    `^create (unique )?index \\S+ on ${NAME}(?: using \\w+)? \\((.*?)\\)`,
    statement,
  );
  return table !== '' && (unique === undefined || isNew(table, columns, made));
};

/** A rule for values that older controllers write would refuse them. */
const isNew = (table: string, columns: string, { tables, columns: known }: Made): boolean =>
  tables.has(table) ||
  columns.split(',').every((name) => known.has(`${table}.${name.replaceAll('"', '').trim()}`));

const table: Rule = (statement, made) => {
  const [, name] = match(`^create (?:unlogged )?table ${NAME} `, statement);
  if (name === undefined) return false;
  made.tables.add(name);
  return true;
};

/**
 * Rows are filled in, never taken away. PostgreSQL refuses a function in place of another one when its
 * result differs, and keeps both when the arguments differ.
 */
const harmless: Rule = (statement) =>
  /^(drop index|create (or replace )?function|create sequence|comment on|insert into|update|select) /.test(
    statement,
  );

const RULES: readonly Rule[] = [table, column, index, harmless];

/** The statements of a migration that older controllers could stumble over. */
export function notAdditive(script: string): string[] {
  const made: Made = { tables: new Set(), columns: new Set() };
  return statementsOf(script).filter((text) => !RULES.some((rule) => rule(text, made)));
}

const statementsOf = (script: string): string[] =>
  splitOutside(script.replace(/--.*$/gm, ''), ';')
    .map((text) => text.replace(/\s+/g, ' ').trim().toLowerCase())
    .filter((text) => text !== '');

const match = (pattern: string, text: string): readonly (string | undefined)[] =>
  new RegExp(pattern).exec(text) ?? [];

/** Splits where no parenthesis, text or body of a function is open. */
function splitOutside(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const piece of text.match(/'[^']*'|\$\$[^]*?\$\$|[^]/g) ?? []) {
    if (piece === '(') depth += 1;
    if (piece === ')') depth -= 1;
    if (piece === separator && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${piece}`);
  }
  return parts;
}
