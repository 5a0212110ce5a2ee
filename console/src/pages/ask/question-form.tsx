import { Button, Input, SegmentedControl } from '@mantine/core';
import { kindOfType } from '../../description/fields.js';
import { wordsOf } from '../../description/names.js';
import { EntitySelect } from '../../parts/entity-select.js';
import { TimeField } from '../../parts/time-field.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { ACCESS_TYPES, isInstant, type AskSearch } from '../../addresses/ask-search.js';

interface QuestionFormProps {
  readonly search: AskSearch;
  readonly change: (changed: AskSearch) => void;
}

/** Chooses what is asked. One end alone asks for all that it reaches, or for all who reach it. */
export function QuestionForm({ search, change }: QuestionFormProps) {
  const { identity, service, at } = search;
  const may = useMay();
  const [identities, services] = [kindOfType('Identity'), kindOfType('Service')];
  return (
    <div className="question" role="search" aria-label={texts.pages.ask}>
      {identities ? (
        <EntitySelect
          kind={identities}
          label={wordsOf('Identity')}
          value={identity}
          choose={(id) => {
            change({ identity: id });
          }}
        />
      ) : null}
      {services ? (
        <EntitySelect
          kind={services}
          label={wordsOf('Service')}
          value={service}
          choose={(id) => {
            change({ service: id });
          }}
        />
      ) : null}
      <TypeControl search={search} change={change} />
      {may('Query', 'changes') ? (
        <PointOfTime
          key={at ?? ''}
          at={at}
          choose={(next) => {
            change({ at: next });
          }}
        />
      ) : null}
    </div>
  );
}

const ALL = 'all';

function TypeControl({ search: { identity, service, type }, change }: QuestionFormProps) {
  const isPair = identity !== undefined && service !== undefined;
  const options = ACCESS_TYPES.map((value) => ({ value, label: wordsOf(value) }));
  return (
    <Input.Wrapper
      size="xs"
      label={texts.ask.type}
      labelElement="div"
      labelProps={{ id: 'type-of-access' }}
    >
      <SegmentedControl
        aria-labelledby="type-of-access"
        data={isPair ? options : [{ value: ALL, label: texts.ask.allTypes }, ...options]}
        value={type ?? (isPair ? 'Dial' : ALL)}
        onChange={(value) => {
          change({ type: value === ALL ? undefined : value });
        }}
      />
    </Input.Wrapper>
  );
}

interface PointOfTimeProps {
  readonly at: string | undefined;
  readonly choose: (at: string | undefined) => void;
}

/** A time, or the change after which the question is asked, as links to it have it. */
function PointOfTime({ at, choose }: PointOfTimeProps) {
  const isTime = at === undefined || isInstant(at);
  return (
    <div className="row end-line">
      {isTime ? (
        <TimeField label={texts.ask.at} value={at} choose={choose} />
      ) : (
        <span className="tag info">{texts.ask.afterChange(at)}</span>
      )}
      {at === undefined ? null : (
        <Button
          variant="default"
          onClick={() => {
            choose(undefined);
          }}
        >
          {texts.ask.now}
        </Button>
      )}
    </div>
  );
}
