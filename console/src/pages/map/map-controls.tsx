import { Checkbox, Input, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { useEffect, useId, useRef } from 'react';
import { kindOfType } from '../../description/fields.js';
import { useDraft } from '../../draft/draft.js';
import { EntitySelect } from '../../parts/entity-select.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { FilterField } from '../../parts/filter-field.js';
import {
  DEFAULT_NODES,
  LAYOUTS,
  LENSES,
  LOOKS,
  type MapSearch,
} from '../../addresses/map-search.js';

interface MapControlsProps {
  readonly search: MapSearch;
  readonly change: (changed: MapSearch) => void;
}

/** What the map shows: all of it stands in the address. */
export function MapControls({ search, change }: MapControlsProps) {
  return (
    <section className="stack tight" aria-label={texts.map.controls}>
      <div className="map-controls">
        <Condition
          type="Identity"
          label={texts.map.identities}
          filter={search.identities}
          setFilter={(identities) => {
            change({ identities });
          }}
        />
        <Condition
          type="Service"
          label={texts.map.services}
          filter={search.services}
          setFilter={(services) => {
            change({ services });
          }}
        />
      </div>
      <PathEnds search={search} change={change} />
      <div className="row">
        <Choice
          label={texts.map.lens}
          value={search.lens ?? 'all'}
          values={LENSES}
          words={texts.map.lenses}
          choose={(lens) => {
            change({ lens: lens === 'all' ? undefined : lens });
          }}
        />
        <Choice
          label={texts.map.look}
          value={search.look ?? 'kinds'}
          values={LOOKS}
          words={texts.map.looks}
          choose={(look) => {
            change({ look: look === 'kinds' ? undefined : look });
          }}
        />
        <Choice
          label={texts.map.layout}
          value={search.layout ?? 'lanes'}
          values={LAYOUTS}
          words={texts.map.layouts}
          choose={(layout) => {
            change({ layout: layout === 'lanes' ? undefined : layout });
          }}
        />
        <MaxNodes search={search} change={change} />
        <Time search={search} change={change} />
        <TimeSwitch search={search} change={change} />
        <DraftSwitch search={search} change={change} />
      </div>
    </section>
  );
}

/** The ends of the paths to show. */
function PathEnds({ search, change }: MapControlsProps) {
  const [identities, services] = [kindOfType('Identity'), kindOfType('Service')];
  if (!identities || !services) return null;
  return (
    <div className="map-controls">
      <EntitySelect
        kind={identities}
        label={texts.map.pathFrom}
        value={search.identity}
        choose={(identity) => {
          change({ identity, node: undefined });
        }}
      />
      <EntitySelect
        kind={services}
        label={texts.map.pathTo}
        value={search.service}
        choose={(service) => {
          change({ service, node: undefined });
        }}
      />
    </div>
  );
}

interface ConditionProps {
  readonly type: string;
  readonly label: string;
  readonly filter: string | undefined;
  readonly setFilter: (filter: string | undefined) => void;
}

function Condition({ type, label, filter, setFilter }: ConditionProps) {
  const kind = kindOfType(type);
  if (!kind) return null;
  return (
    <div>
      <Input.Label size="xs" component="div" aria-hidden="true">
        {label}
      </Input.Label>
      <FilterField kind={kind} label={label} filter={filter} setFilter={setFilter} />
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly values: readonly Value[];
  readonly words: Readonly<Record<Value, string>>;
  readonly choose: (value: Value) => void;
}

function Choice<Value extends string>({ label, value, values, words, choose }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <div className="map-choice">
      <Input.Label size="xs" component="div" id={id}>
        {label}
      </Input.Label>
      <SegmentedControl
        aria-labelledby={id}
        value={value}
        data={values.map((each) => ({ value: each, label: words[each] }))}
        onChange={choose}
      />
    </div>
  );
}

const STEPS = [25, 50, 100, DEFAULT_NODES, 500, 1_000, 2_000];

/** The next larger number of nodes that is offered. */
export const moreNodes = (most: number): number | undefined => STEPS.find((each) => each > most);

function MaxNodes({ search, change }: MapControlsProps) {
  const most = search.nodes ?? DEFAULT_NODES;
  const offered = [...new Set([...STEPS, most])].sort((a, b) => a - b);
  return (
    <NativeSelect
      size="xs"
      label={texts.map.maxNodes}
      value={String(most)}
      data={offered.map((each) => ({ value: String(each), label: each.toLocaleString() }))}
      onChange={(event) => {
        const nodes = Number(event.currentTarget.value);
        change({ nodes: nodes === DEFAULT_NODES ? undefined : nodes });
      }}
    />
  );
}

/** The fields of browsers for times have no zone: they show that of the reader. */
function Time({ search: { at }, change }: MapControlsProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // A browser keeps a time that is typed in part, so the field is not bound to its value.
    if (field.current) field.current.value = localTime(at);
  }, [at]);
  return (
    <TextInput
      ref={field}
      type="datetime-local"
      step={1}
      label={texts.map.at}
      defaultValue={localTime(at)}
      onBlur={(event) => {
        const next = instantOf(event.currentTarget.value);
        if (event.currentTarget.value !== localTime(at)) change({ at: next });
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') change({ at: instantOf(event.currentTarget.value) });
      }}
    />
  );
}

function TimeSwitch({ search: { time }, change }: MapControlsProps) {
  const may = useMay();
  if (!may('Query', 'changes')) return null;
  return (
    <Checkbox
      label={texts.map.showTime}
      checked={time === true}
      onChange={(event) => {
        change(
          event.currentTarget.checked
            ? { time: true, draft: undefined }
            : { time: undefined, at: undefined },
        );
      }}
    />
  );
}

/** Offered while the draft of this tab has changes. */
function DraftSwitch({ search, change }: MapControlsProps) {
  const may = useMay();
  const changes = useDraft();
  if (changes.length === 0 || !may('Query', 'simulate')) return null;
  return (
    <Checkbox
      label={texts.map.withDraft(changes.length)}
      checked={search.draft === true && search.at === undefined}
      onChange={(event) => {
        change(
          event.currentTarget.checked
            ? { draft: true, at: undefined, time: undefined }
            : { draft: undefined },
        );
      }}
    />
  );
}

const MINUTE_MS = 60_000;

/** `2026-01-31T10:00:00`, in the zone of the reader; empty for the id of a change. */
function localTime(at: string | undefined): string {
  const time = new Date(at ?? '');
  if (at === undefined || /^\d+$/.test(at) || Number.isNaN(time.getTime())) return '';
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS);
  return shifted.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
}

function instantOf(local: string): string | undefined {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
