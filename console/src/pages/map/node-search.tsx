import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { wordsOf } from '../../description/names.js';
import { AccessMapPlaces, FindOnMap } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { texts } from '../../texts.js';
import { SHOWN_TYPES, typeOfKind } from './map-words.js';
import type { MapVariables } from './map-variables.js';

interface NodeSearchProps {
  readonly variables: MapVariables;
  /** Selects a node, and brings it into view. */
  readonly goTo: (key: string) => void;
}

const PAUSE_MS = 250;

/** Finds identities, services, routers and policies by name, and goes to their nodes. */
export function NodeSearch({ variables, goTo }: NodeSearchProps) {
  const [text, setText] = useState('');
  const [absent, setAbsent] = useState<string>();
  const { hits, isLoading } = useHits(text);
  const { attempt, failure } = useAttempt();
  const choose = (value: string | null): void => {
    const hit = hits.find((each) => valueOf(each) === value);
    if (!hit) return;
    setText('');
    setAbsent(undefined);
    attempt(async () => {
      const { accessMap } = await ask(AccessMapPlaces, { ...variables, ids: [hit.entityId] });
      const place = accessMap?.places.find(({ kind }) => typeOfKind(kind) === hit.type);
      if (place) goTo(place.key);
      else setAbsent(hit.name ?? hit.entityId);
    });
  };
  return (
    <div className="map-search">
      <Select
        aria-label={texts.map.find}
        placeholder={texts.map.find}
        searchable
        nothingFoundMessage={isLoading ? texts.loading : texts.select.nothing}
        data={hits.map((hit) => ({ value: valueOf(hit), label: labelOf(hit) }))}
        // The controller has chosen them already.
        filter={({ options }) => options}
        value={null}
        onChange={choose}
        searchValue={text}
        onSearchChange={setText}
      />
      <FailureNotice failure={failure} />
      <div role="status" className="dim">
        {absent === undefined ? '' : texts.map.notOnMap(absent)}
      </div>
    </div>
  );
}

interface Hit {
  readonly type: string;
  readonly entityId: string;
  readonly name: string | null;
}

const valueOf = ({ type, entityId }: Hit): string => `${type} ${entityId}`;

const labelOf = ({ type, entityId, name }: Hit): string =>
  texts.map.withWords(name ?? entityId, wordsOf(type).toLowerCase());

const NOTHING: readonly Hit[] = [];

/** The best hits, after a pause in the typing. */
function useHits(text: string): { readonly hits: readonly Hit[]; readonly isLoading: boolean } {
  const typed = text.trim().slice(0, MAX_CHARACTERS);
  const [wanted] = useDebouncedValue(typed, PAUSE_MS);
  const { data, isLoading } = useAnswer(
    FindOnMap,
    { text: wanted, types: SHOWN_TYPES },
    { when: wanted !== '' },
  );
  const hits = typed === '' ? undefined : data?.search?.nodes;
  return { hits: hits ?? NOTHING, isLoading: isLoading || wanted !== typed };
}

/** The controller searches for no longer texts. */
const MAX_CHARACTERS = 200;
