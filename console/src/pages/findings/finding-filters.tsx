import { Checkbox, MultiSelect } from '@mantine/core';
import { description } from '../../description/description.js';
import { wordsOf, wordsOfValue } from '../../description/names.js';
import { texts } from '../../texts.js';
import {
  FINDING_KINDS,
  SEVERITIES,
  someOf,
  type FindingsSearch,
} from '../../addresses/findings-search.js';

interface FindingFiltersProps {
  readonly search: FindingsSearch;
  readonly change: (changed: FindingsSearch) => void;
}

/** Chooses the findings by severity and kind; nothing chosen stands for all. */
export function FindingFilters({ search, change }: FindingFiltersProps) {
  const { kinds = [], severities = SEVERITIES, muted = false } = search;
  return (
    <div className="row" role="search" aria-label={texts.findings.filters}>
      <Checkbox.Group
        aria-label={wordsOf('severity')}
        value={[...severities]}
        onChange={(chosen) => {
          change({ severities: someOf(SEVERITIES, chosen) });
        }}
      >
        <div className="row">
          {SEVERITIES.map((severity) => (
            <Checkbox
              key={severity}
              value={severity}
              label={wordsOfValue(severity)}
              title={description.enums.Severity?.[severity]}
            />
          ))}
        </div>
      </Checkbox.Group>
      <MultiSelect
        className="grow"
        aria-label={texts.findings.kinds}
        placeholder={kinds.length === 0 ? texts.findings.allKinds : ''}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': texts.select.clear(texts.findings.kinds) }}
        data={FINDING_KINDS.map((kind) => ({ value: kind, label: wordsOfValue(kind) }))}
        value={[...kinds]}
        onChange={(chosen) => {
          change({ kinds: someOf(FINDING_KINDS, chosen) });
        }}
      />
      <Checkbox
        label={texts.findings.withMuted}
        checked={muted}
        onChange={(event) => {
          change({ muted: event.currentTarget.checked ? true : undefined });
        }}
      />
    </div>
  );
}
