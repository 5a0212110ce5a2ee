import { Link } from '@tanstack/react-router';
import { wordsOf } from '../../description/names.js';
import type { AccessType } from '../../emitted/operations.js';
import { EntityLink } from '../entity-link.js';
import { PolicyLinks } from '../entity-links.js';
import type { Column } from '../long-table.js';
import { texts } from '../../texts.js';

/** An identity and a service, with the policies that join them. */
interface PairRow {
  readonly identityId: string;
  readonly identityName: string | null;
  readonly serviceId: string;
  readonly serviceName: string | null;
  readonly type: AccessType;
  readonly paths: readonly { readonly policyId: string; readonly policyName: string | null }[];
}

export const PAIR_COLUMNS: readonly Column<PairRow>[] = [
  {
    name: 'identity',
    title: wordsOf('Identity'),
    width: 'minmax(10rem, 1fr)',
    show: ({ identityId, identityName }) => (
      <EntityLink type="Identity" id={identityId} name={identityName} />
    ),
  },
  {
    name: 'service',
    title: wordsOf('Service'),
    width: 'minmax(10rem, 1fr)',
    show: ({ serviceId, serviceName }) => (
      <EntityLink type="Service" id={serviceId} name={serviceName} />
    ),
  },
  {
    name: 'type',
    title: texts.ask.type,
    width: '5rem',
    show: ({ type }) => <span className="tag">{wordsOf(type)}</span>,
  },
  {
    name: 'policies',
    title: wordsOf('servicePolicies'),
    width: 'minmax(12rem, 2fr)',
    show: ({ paths }) => <PolicyLinks policies={paths} />,
  },
];

/** Leads to the question about the pair. */
export const whyColumn = (at: string | undefined): Column<PairRow> => ({
  name: 'why',
  title: texts.ask.question,
  width: '6rem',
  show: ({ identityId, serviceId, type }) => (
    <Link to="/ask" search={{ identity: identityId, service: serviceId, type, at }}>
      {texts.ask.why}
    </Link>
  ),
});
