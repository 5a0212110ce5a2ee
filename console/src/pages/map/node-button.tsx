import { texts } from '../../texts.js';
import type { MapNode } from './map-graph.js';
import { labelOf } from './map-words.js';
import { variableOfKind, variableOfLevel } from '../../parts/picture/palette.js';

interface NodeButtonProps {
  readonly node: MapNode | undefined;
  readonly select: (key: string) => void;
}

/** A node by its name with the mark of its kind; it selects the node. */
export function NodeButton({ node, select }: NodeButtonProps) {
  if (!node) return <>{texts.none}</>;
  return (
    <button
      type="button"
      className="link"
      onClick={() => {
        select(node.key);
      }}
    >
      <NodeMark node={node} /> {labelOf(node)}
    </button>
  );
}

interface NodeMarkProps {
  readonly node: Pick<MapNode, 'kind'>;
  /** Where colours do not say the kind. */
  readonly isPlain?: boolean;
}

/** Its form and its colour say the kind; words say it, too. */
export function NodeMark({ node: { kind }, isPlain = false }: NodeMarkProps) {
  const color = isPlain ? variableOfLevel('other') : variableOfKind(kind);
  return (
    <span
      className={kind.endsWith('Policy') ? 'map-mark policy' : 'map-mark'}
      style={{ background: `var(${color})` }}
    />
  );
}
