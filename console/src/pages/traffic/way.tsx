import { EntityLink } from '../../parts/entity-link.js';
import { texts } from '../../texts.js';
import { nameOf, type Way } from './router-scene.js';

/** The routers of a way in order, each with the link to the next one. */
export function WayList({ way: { routers, linkIds } }: { way: Way }) {
  return (
    <ol className="way" aria-label={texts.traffic.way}>
      {routers.map((router, i) => (
        // A way leads over a router once.
        <li key={router.id}>
          <EntityLink type="Router" id={router.id} name={nameOf(router)} />
          {linkIds[i] === undefined ? null : (
            <div>
              <span className="tag">{texts.traffic.overLink}</span>{' '}
              <EntityLink type="Link" id={linkIds[i]} name={linkIds[i]} />
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}
