import type { ReactNode } from 'react';
import type { Shape, ShownField } from '../description/fields.js';
import { texts } from '../texts.js';
import { CertificateDetails, type Certificate } from './certificate-details.js';
import { EntityLink } from './entity-link.js';
import { Instant } from './instant.js';

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
  boolean: (value) => (value === true ? texts.yes : texts.no),
  json: (value) => <Json value={value} />,
  number: (value) => <span className="number">{Number(value).toLocaleString()}</span>,
  reference: (value, field) => <Reference field={field} value={value as Referred} />,
  roles: (value) => <Roles roles={value as readonly NamedRole[]} />,
  text: (value) => textOfValue(value),
  texts: (value) => <Tags values={value as readonly string[]} />,
  time: (value) => <Instant at={textOfValue(value)} />,
};

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

/** Values of any form, as JSON. */
export function Json({ value }: { value: unknown }) {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  if (isEmpty) return <>{texts.none}</>;
  return <pre>{typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}</pre>;
}
