import { useRef } from 'react';
import { texts } from '../../texts.js';
import type { Picture } from '../../parts/picture/draw.js';
import type { Lit } from '../../parts/picture/scene.js';
import { variableOfEdge, variableOfKind } from '../../parts/picture/palette.js';
import { MapPicture } from '../../parts/picture/picture.js';
import { LINK_KINDS, ROUTER_KINDS } from '../../parts/picture/scene.js';
import type { RouterScene } from './router-scene.js';

interface TrafficPictureProps {
  readonly scene: RouterScene;
  /** Whether there are more routers or links. */
  readonly isPart: boolean;
  readonly lit: Lit | undefined;
  readonly select: (router: string | undefined) => void;
}

/** The routers and the links between them. The tables have the same content. */
export function TrafficPicture({ scene, isPart, lit, select }: TrafficPictureProps) {
  const picture = useRef<Picture>(undefined);
  const { nodes, edges } = scene;
  return (
    <>
      {isPart ? <div className="notice">{texts.traffic.isPart}</div> : null}
      <Legend scene={scene} />
      {nodes.length === 0 ? (
        <div className="notice">{texts.traffic.noRouters}</div>
      ) : (
        <MapPicture
          scene={scene}
          label={texts.traffic.describe(nodes.length, edges.length)}
          lit={lit}
          select={select}
          picture={picture}
        />
      )}
    </>
  );
}

/** Words say the state of a router, too, and tables say that of a link. */
function Legend({ scene: { nodes, edges } }: { scene: RouterScene }) {
  return (
    <ul className="map-legend" aria-label={texts.map.legend}>
      {ROUTER_KINDS.filter((kind) => nodes.some((node) => node.kind === kind)).map((kind) => (
        <li key={kind}>
          <span className="map-mark" style={{ background: `var(${variableOfKind(kind)})` }} />
          {texts.traffic.kinds[kind]}
        </li>
      ))}
      {LINK_KINDS.filter((kind) => edges.some((edge) => edge.kind === kind)).map((kind) => (
        <li key={kind}>
          <span className="map-mark edge" style={{ background: `var(${variableOfEdge(kind)})` }} />
          {texts.traffic.kinds[kind]}
        </li>
      ))}
    </ul>
  );
}
