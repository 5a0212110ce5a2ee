import { Link } from '@tanstack/react-router';
import { useMay } from '../graph/caller-context.js';
import { texts } from '../texts.js';
import type { TrafficSearch } from '../addresses/traffic-search.js';

/** Leads from the page of an entity to its circuits, and from that of a circuit to its way. */
export function TrafficLink({ type, id }: { type: string; id: string }) {
  const may = useMay();
  const search = SEARCHES[type]?.(id);
  if (!search || !may('Query', 'circuits')) return null;
  return (
    <Link to="/traffic" search={search}>
      {type === 'Circuit' ? texts.traffic.showWay : texts.traffic.showCircuits}
    </Link>
  );
}

const ofRouter = (router: string): TrafficSearch => ({ view: 'circuits', router });

const SEARCHES: Readonly<Record<string, (id: string) => TrafficSearch>> = {
  Circuit: (circuit) => ({ circuit }),
  EdgeRouter: ofRouter,
  Identity: (identity) => ({ view: 'circuits', identity }),
  Link: (link) => ({ view: 'circuits', link }),
  Router: ofRouter,
  Service: (service) => ({ view: 'circuits', service }),
  TransitRouter: ofRouter,
};
