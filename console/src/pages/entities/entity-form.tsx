import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Kind } from '../../description/description.js';
import type { Row } from '../../description/documents.js';
import { inputFields } from '../../description/inputs.js';
import { addToDraft, type DraftChange } from '../../draft/draft.js';
import { FormFields } from '../../forms/form-field.js';
import {
  changedMembers,
  faultsOf,
  inputOf,
  valuesOf,
  type FormFaults,
} from '../../forms/form-values.js';
import { ask } from '../../graph/ask.js';
import { failureOf, type Failure } from '../../graph/failure.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { textOfValue } from '../../parts/value.js';
import { useMay } from '../../shell/caller-context.js';
import { texts } from '../../texts.js';
import { createOperation, updateOperation } from './form-operations.js';

interface EntityFormProps {
  readonly kind: Kind;
  /** The name of its input. */
  readonly input: string;
  /** Undefined: a new one. */
  readonly entity: Row | undefined;
}

type Input = Readonly<Record<string, unknown>>;

/** Edits the members of an entity, and saves them or adds them to the draft. */
export function EntityForm(props: EntityFormProps) {
  const { kind } = props;
  const { fields, values, setValues, faults, failure, isBusy, save, draft } = useEntityForm(props);
  const may = useMay();
  return (
    <form
      className="stack form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <FormFields fields={fields} values={values} faults={faults} change={setValues} />
      <FailureNotice failure={failure} />
      <div className="row">
        <Button type="submit" loading={isBusy}>
          {texts.form.save}
        </Button>
        {kind.isDrafted === true && may('Query', 'simulate') ? (
          <Button variant="default" onClick={draft}>
            {texts.form.draft}
          </Button>
        ) : null}
        <Button
          variant="subtle"
          onClick={() => {
            window.history.back();
          }}
        >
          {texts.form.cancel}
        </Button>
      </div>
    </form>
  );
}

function useEntityForm({ kind, input, entity }: EntityFormProps) {
  const fields = useMemo(() => inputFields(input, kind.type), [input, kind]);
  const first = useMemo(() => valuesOf(fields, entity ?? {}), [fields, entity]);
  const [values, setValues] = useState(first);
  const [faults, setFaults] = useState<FormFaults>({});
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const navigate = useNavigate();

  /** The input, unless the browser already sees a fault. */
  const checkedInput = (): Input | undefined => {
    const formFaults = faultsOf(fields, values, texts.form.faults);
    setFaults(formFaults);
    if (Object.keys(formFaults).length > 0) return undefined;
    const given = inputOf(fields, values);
    return entity ? changedMembers(inputOf(fields, first), given) : given;
  };
  const save = async (): Promise<void> => {
    const given = checkedInput();
    if (!given) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const id = await saveEntity(kind, entity, given);
      await navigate({ to: '/entities/$list/$id', params: { list: kind.list, id } });
    } catch (fault) {
      const failed = failureOf(fault);
      setFailure(failed);
      if (failed.field !== undefined) setFaults({ [placeOf(failed.field)]: failed.message });
    } finally {
      setBusy(false);
    }
  };
  const draft = (): void => {
    const given = checkedInput();
    if (!given) return;
    addToDraft(draftOf(kind, entity, given, values.name));
    void navigate({ to: '/draft' });
  };
  return { fields, values, setValues, faults, failure, isBusy, save, draft };
}

const draftOf = (
  { type }: Kind,
  entity: Row | undefined,
  input: Input,
  name: unknown,
): DraftChange => ({
  operation: entity ? 'update' : 'create',
  type,
  id: entity?.id,
  name: textOfValue(name ?? entity?.name ?? entity?.id ?? ''),
  input,
  revision: entity ? Number(entity.revision) : undefined,
});

/** `input.primary.updb` of an error -> `primary.updb` of the form. */
const placeOf = (field: string): string => field.replace(/^input\./, '');

async function saveEntity(kind: Kind, entity: Row | undefined, input: Input): Promise<string> {
  if (!entity) {
    const { saved } = await ask(createOperation(kind), { input });
    return saved?.id ?? '';
  }
  const { id, revision } = entity;
  if (Object.keys(input).length > 0) {
    await ask(updateOperation(kind), { id, ifRevision: Number(revision), input });
  }
  return id;
}
