import { texts } from '../../texts.js';
import type { ColoredBy } from './levels.js';
import type { AccessMap, MapKind } from './map-graph.js';
import { manyOfKind } from './map-words.js';
import { NodeMark } from './node-button.js';
import { variableOfEdge, variableOfLevel, variableOfMark } from '../../parts/picture/palette.js';
import { edgeKindOf } from './map-scene.js';
import { EDGE_KINDS, LEVELS, MAP_KINDS, type Level, type Mark } from '../../parts/picture/scene.js';

interface LegendProps {
  readonly map: AccessMap;
  /** What the picture marks. */
  readonly marks: readonly Mark[];
  readonly look: ColoredBy;
  /** Whether it is a step on the way through time. */
  readonly isStep: boolean;
}

/** The marks of the kinds with their numbers, in the order of the lanes; then the kinds of lines. */
export function Legend({ map, marks, look, isStep }: LegendProps) {
  const kinds = MAP_KINDS.filter((kind) => map.nodes.some((node) => node.kind === kind));
  const lines = new Set(map.edges.map(edgeKindOf));
  return (
    <ul className="map-legend" aria-label={texts.map.legend}>
      {kinds.map((kind) => (
        <li key={kind}>
          <NodeMark node={{ kind }} isPlain={look !== undefined} />
          {texts.map.legendOf(manyOfKind(kind), countOf(map, kind), classCountOf(map, kind))}
        </li>
      ))}
      {levelsOf(look).map(([level, words]) => (
        <li key={level}>
          <span className="map-mark" style={{ background: `var(${variableOfLevel(level)})` }} />
          {words}
        </li>
      ))}
      {EDGE_KINDS.filter((kind) => lines.has(kind)).map((kind) => (
        <li key={kind}>
          <span className="map-mark edge" style={{ background: `var(${variableOfEdge(kind)})` }} />
          {texts.map.edgeKinds[kind]}
        </li>
      ))}
      {marks.map((mark) => (
        <li key={mark}>
          <span className="map-mark" style={{ background: `var(${variableOfMark(mark)})` }} />
          {texts.map.marked[mark](texts.map.marks[isStep ? 'step' : mark])}
        </li>
      ))}
    </ul>
  );
}

/** The levels of a look, with their words. */
function levelsOf(look: ColoredBy): readonly (readonly [Level, string])[] {
  const words: Partial<Record<Level, string>> = look === undefined ? {} : texts.map.levels[look];
  return LEVELS.flatMap((level) => {
    const ofLevel = words[level];
    return ofLevel === undefined ? [] : [[level, ofLevel] as const];
  });
}

const countOf = ({ nodes }: AccessMap, wanted: MapKind): number =>
  nodes.reduce((sum, { kind, count }) => sum + (kind === wanted ? count : 0), 0);

/** Before small classes are merged. */
function classCountOf(map: AccessMap, kind: MapKind): number | undefined {
  if (kind === 'identity') return map.identityClassCount;
  if (kind === 'service') return map.serviceClassCount;
  return kind === 'edgeRouter' ? map.edgeRouterClassCount : undefined;
}
