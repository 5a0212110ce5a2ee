import {
  OwnServices as OwnServicesQuery,
  type OwnServicesResult,
} from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useLiveRows } from '../../graph/use-live.js';
import type { PartWanted } from '../../graph/use-rows.js';
import { EntityLink } from '../../parts/entity-link.js';
import { Instant } from '../../parts/instant.js';
import { LongTable, type Column } from '../../parts/long-table.js';
import { texts } from '../../texts.js';
import type { AccessRounds } from './use-access-rounds.js';

type OwnService = NonNullable<OwnServicesResult['myAccess']>['nodes'][number];

/** The services that the caller reaches now, with their ends. */
export function OwnServices({ round }: AccessRounds) {
  const rows = useLiveRows('own services', readServices, round);
  return (
    <>
      <p className="dim">{texts.myAccess.servicesHelp}</p>
      <LongTable label={texts.myAccess.views.services} columns={COLUMNS} rows={rows} />
    </>
  );
}

const COLUMNS: readonly Column<OwnService>[] = [
  {
    name: 'service',
    title: texts.myAccess.service,
    width: 'minmax(12rem, 2fr)',
    show: ({ serviceId, serviceName }) => (
      <EntityLink type="Service" id={serviceId} name={serviceName} />
    ),
  },
  {
    name: 'dial',
    title: texts.myAccess.dial,
    width: 'minmax(10rem, 1fr)',
    show: ({ dial }) => <End of={dial} />,
  },
  {
    name: 'bind',
    title: texts.myAccess.bind,
    width: 'minmax(10rem, 1fr)',
    show: ({ bind }) => <End of={bind} />,
  },
];

function End({ of: access }: { of: OwnService['dial'] }) {
  if (!access) return texts.none;
  return access.until === null ? texts.myAccess.noEnd : <Instant at={access.until} />;
}

async function readServices({ offset, first, signal }: PartWanted) {
  const { myAccess } = await ask(OwnServicesQuery, { first, offset }, { signal });
  return myAccess ?? { totalCount: 0, nodes: [] };
}
