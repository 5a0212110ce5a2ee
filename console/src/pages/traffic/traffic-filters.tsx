import { Button } from '@mantine/core';
import { kindOfType } from '../../description/fields.js';
import { wordsOf } from '../../description/names.js';
import { EntitySelect } from '../../parts/entity-select.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import type { ChangeSearch, TrafficSearch } from '../../addresses/traffic-search.js';

type End = 'identity' | 'service' | 'router';

const TYPES: Readonly<Record<End, string>> = {
  identity: 'Identity',
  service: 'Service',
  router: 'Router',
};

interface TrafficFiltersProps {
  /** What can be chosen. */
  readonly ends: readonly End[];
  readonly search: TrafficSearch;
  readonly change: ChangeSearch;
}

/** Chooses a part of the traffic. What the caller may not look up can only come with the address. */
export function TrafficFilters({ ends, search, change }: TrafficFiltersProps) {
  return (
    <div className="question" role="search" aria-label={texts.traffic.filters}>
      {ends.map((end) => (
        <EndFilter key={end} end={end} search={search} change={change} />
      ))}
    </div>
  );
}

interface EndFilterProps extends Omit<TrafficFiltersProps, 'ends'> {
  readonly end: End;
}

function EndFilter({ end, search, change }: EndFilterProps) {
  const may = useMay();
  const kind = kindOfType(TYPES[end]);
  const value = search[end];
  if (!kind) return null;
  if (may('Query', kind.list)) {
    return (
      <EntitySelect
        kind={kind}
        label={wordsOf(TYPES[end])}
        value={value}
        choose={(id) => {
          change({ [end]: id });
        }}
      />
    );
  }
  if (value === undefined) return null;
  return (
    <FilterTag
      text={texts.traffic.only(wordsOf(TYPES[end]), value)}
      clear={() => {
        change({ [end]: undefined });
      }}
    />
  );
}

/** A condition that came with a link; it can be taken away. */
export const FilterTag = ({ text, clear }: { text: string; clear: () => void }) => (
  <div className="row">
    <span className="tag info">{text}</span>
    <Button variant="default" onClick={clear}>
      {texts.list.all}
    </Button>
  </div>
);
