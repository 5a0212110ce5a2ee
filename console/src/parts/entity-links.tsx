import { Fragment } from 'react';
import { texts } from '../texts.js';
import { EntityLink } from './entity-link.js';

interface EntityLinksProps {
  /** The name of their type in the graph. */
  readonly type: string;
  readonly entities: readonly { readonly id: string; readonly name: string | null }[];
}

/** The names of entities of one type, with commas between. */
export function EntityLinks({ type, entities }: EntityLinksProps) {
  if (entities.length === 0) return <>{texts.none}</>;
  return entities.map(({ id, name }, i) => (
    <Fragment key={id}>
      {i === 0 ? '' : ', '}
      <EntityLink type={type} id={id} name={name} />
    </Fragment>
  ));
}

interface NamedPolicy {
  readonly policyId: string;
  readonly policyName: string | null;
}

/** The names of the policies that grant something. */
export function PolicyLinks({
  type = 'ServicePolicy',
  policies,
}: {
  type?: string;
  policies: readonly NamedPolicy[];
}) {
  const entities = policies.map(({ policyId, policyName }) => ({ id: policyId, name: policyName }));
  return <EntityLinks type={type} entities={entities} />;
}
