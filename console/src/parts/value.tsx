import type { ReactNode } from 'react';
import { shownFields, type Shape, type ShownField } from '../description/fields.js';
import { wordsOf, wordsOfValue } from '../description/names.js';
import { texts } from '../texts.js';
import type { Certificate } from '../emitted/operations.js';
import { CertificateDetails } from './certificate-details.js';
import { EntityLink } from './entity-link.js';
import { Instant } from './instant.js';
import { PlainTable } from './plain-table.js';

interface ValueProps {
  readonly field: ShownField;
  readonly value: unknown;
}

/** Shows the value of a field by its shape. */
export function Value({ field, value }: ValueProps) {
  if (value === null || value === undefined || value === '') return <>{texts.none}</>;
  return <>{BY_SHAPE[field.shape](value, field)}</>;
}

type Show = (value: unknown, field: ShownField) => ReactNode;

const BY_SHAPE: Readonly<Record<Shape, Show>> = {
  certificate: (value) => <CertificateDetails details={value as Certificate} />,
  certificates: (value) => <Certificates certificates={value as readonly Certificate[]} />,
  enum: (value) => wordsOfEnum(textOfValue(value)),
  members: (value, field) => <Members type={field.type ?? ''} values={value as Values} />,
  boolean: (value) => (value === true ? texts.yes : texts.no),
  json: (value) => <Json value={value} />,
  number: (value) => <span className="number">{Number(value).toLocaleString()}</span>,
  reference: (value, field) => <Reference field={field} value={value as Referred} />,
  roles: (value) => <Roles roles={value as readonly NamedRole[]} />,
  rows: (value, field) => <Rows field={field} rows={value as readonly Values[]} />,
  text: (value) => <Text value={textOfValue(value)} />,
  texts: (value) => <Tags values={value as readonly string[]} />,
  time: (value) => <Instant at={textOfValue(value)} />,
};

type Values = Readonly<Record<string, unknown>>;

/** The members of a value that has a type of its own, without those that are not set. */
function Members({ type, values }: { type: string; values: Values }) {
  const fields = shownFields(type).filter(({ name }) => (values[name] ?? null) !== null);
  return fields.length === 0 ? (
    <>{texts.none}</>
  ) : (
    <Attributes fields={fields} values={values} isInner />
  );
}

function Certificates({ certificates }: { certificates: readonly Certificate[] }) {
  if (certificates.length === 0) return <>{texts.none}</>;
  return certificates.map((each) => <CertificateDetails key={each.fingerprint} details={each} />);
}

/** Values with the same members: a table. */
function Rows({ field, rows }: { field: ShownField; rows: readonly Values[] }) {
  if (rows.length === 0) return <>{texts.none}</>;
  const fields = shownFields(field.type ?? '');
  return (
    <PlainTable
      label={wordsOf(field.name)}
      heads={fields.map(({ name }) => wordsOf(name))}
      rows={rows.map((row, i) => [
        String(i),
        fields.map((each) => <Value key={each.name} field={each} value={row[each.name]} />),
      ])}
    />
  );
}

interface AttributesProps {
  readonly fields: readonly ShownField[];
  readonly values: Values;
  /** Whether they stand within another value. */
  readonly isInner?: boolean;
  /** Replacements of values, by the names of their fields. */
  readonly inPlace?: Readonly<Record<string, ReactNode>>;
}

/** Values with their names. */
export function Attributes({ fields, values, isInner = false, inPlace = {} }: AttributesProps) {
  return (
    <dl className={isInner ? 'attributes inner' : 'attributes'}>
      {fields.map((field) => (
        <div key={field.name}>
          <dt title={field.description}>{wordsOf(field.name)}</dt>
          <dd>{inPlace[field.name] ?? <Value field={field} value={values[field.name]} />}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Names that clients write with small letters, such as `ott`, stay as they are. */
const wordsOfEnum = (value: string): string => (/^[A-Z]/.test(value) ? wordsOfValue(value) : value);

/** Certificates have lines of their own. */
function Text({ value }: { value: string }) {
  return value.trim().includes('\n') ? (
    <pre>{value.trim()}</pre>
  ) : (
    <span title={value}>{value}</span>
  );
}

/** A text as it is; other values as JSON. */
export const textOfValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

interface Referred {
  readonly id: string;
  readonly name?: string;
}

function Reference({ field, value: { id, name } }: { field: ShownField; value: Referred }) {
  return <EntityLink type={field.kind?.type ?? ''} id={id} name={name} />;
}

function Tags({ values }: { values: readonly string[] }) {
  if (values.length === 0) return <>{texts.none}</>;
  return (
    <span className="tags">
      {values.map((each) => (
        <span key={each} className="tag" title={each}>
          {each}
        </span>
      ))}
    </span>
  );
}

interface NamedRole {
  readonly role: string;
  readonly name: string;
}

/** Roles by the names of what they select. */
function Roles({ roles }: { roles: readonly NamedRole[] }) {
  if (roles.length === 0) return <>{texts.none}</>;
  return (
    <span className="tags">
      {roles.map(({ role, name }) => (
        <span key={role} className="tag" title={role}>
          {name}
        </span>
      ))}
    </span>
  );
}

/** A value of any form. */
export function AnyValue({ value }: { value: unknown }) {
  if (value === null || value === undefined || value === '') return <>{texts.none}</>;
  if (typeof value === 'boolean') return <>{value ? texts.yes : texts.no}</>;
  return isTexts(value) ? <Tags values={value} /> : <Json value={value} />;
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Values of any form, as JSON. */
function Json({ value }: { value: unknown }) {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  if (isEmpty) return <>{texts.none}</>;
  return <pre>{typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}</pre>;
}
