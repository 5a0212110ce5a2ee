import { Button } from '@mantine/core';
import { useCanGoBack, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { Kind } from '../../description/description.js';
import type { Row } from '../../description/documents.js';
import { keptMembers } from '../../description/kept-entities.js';
import { inputFields, type InputField } from '../../description/inputs.js';
import { addToDraft, type DraftChange } from '../../draft/draft.js';
import type { FormFaults } from '../../forms/faults.js';
import { sectionsOf, withheldMembers } from '../../forms/form-sections.js';
import {
  changedMembers,
  faultsOf,
  inputOf,
  valuesOf,
  type FormValues,
} from '../../forms/form-values.js';
import { withFixedGroups } from '../../forms/fixed-groups.js';
import { SectionedFields } from '../../forms/sectioned-fields.js';
import { withoutTypedNames } from '../../forms/find-typed-names.js';
import { ask } from '../../graph/ask.js';
import { failureOf, type Failure } from '../../graph/failure.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { useIsLeft } from '../../graph/use-is-left.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { RuleOverride } from '../../parts/rule-override.js';
import { LeaveQuestion } from '../../parts/leave-question.js';
import { textOfValue } from '../../parts/value.js';
import { useCaller, useMay } from '../../graph/caller-context.js';
import type { Caller } from '../../graph/permissions.js';
import { texts } from '../../texts.js';
import { KeptMembers } from './kept-members.js';
import { createOperation, updateOperation } from './form-operations.js';
import { useDataSchema, withDataSchema } from './use-data-schema.js';

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
  const { form, fields, values, setValues, faults, refusal, isBusy, isChanged, save, draft } =
    useEntityForm(props);
  const may = useMay();
  const caller = useCaller();
  const cancel = useCancel(props);
  return (
    <form
      ref={form}
      className="stack form"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <LeaveQuestion isChanged={isChanged} />
      {props.entity ? <KeptMembers kind={kind} entity={props.entity} /> : null}
      {/* What is typed after the saving began would be lost. */}
      <fieldset className="stack plain" disabled={isBusy}>
        <SectionedFields
          sections={sectionsOf(kind.type, caller)}
          fields={fields}
          values={values}
          faults={faults}
          change={setValues}
        />
      </fieldset>
      <FailureNotice failure={refusal.failure} />
      <RuleOverride failure={refusal.isOfPresent ? refusal.failure : undefined} override={save} />
      <div className="row">
        <Button type="submit" loading={isBusy}>
          {texts.form.save}
        </Button>
        {kind.isDrafted === true && may('Query', 'simulate') ? (
          <Button variant="default" disabled={isBusy} onClick={draft}>
            {texts.form.draft}
          </Button>
        ) : null}
        <Button variant="subtle" onClick={cancel}>
          {texts.form.cancel}
        </Button>
      </div>
    </form>
  );
}

/** Leads back to the page before. Where the form was opened by its address, there is none. */
function useCancel({ kind: { list }, entity }: EntityFormProps): () => void {
  const canGoBack = useCanGoBack();
  const navigate = useNavigate();
  const { history } = useRouter();
  return () => {
    if (canGoBack) history.back();
    else if (entity) void navigate({ to: '/entities/$list/$id', params: { list, id: entity.id } });
    else void navigate({ to: '/entities/$list', params: { list } });
  };
}

function useEntityForm({ kind, input, entity }: EntityFormProps) {
  const plain = useFieldsOfForm({ kind, input, entity });
  const first = useMemo(() => valuesOf(plain, entity ?? {}), [plain, entity]);
  const [values, setValues] = useState(first);
  const fields = withDataSchema(plain, useDataSchema(kind, entity, values));
  const { isBusy, failure, attempt } = useAttempt();
  const { form, faults, check, refuse, forget } = useFaults(fields, values, isBusy);
  const [attempted, setAttempted] = useState<FormValues>();
  const isDone = useRef(false);
  const isLeft = useIsLeft();
  const navigate = useNavigate();

  /** Does something with the input, unless the browser already sees a fault. */
  const send = (work: (given: Input) => Promise<() => Promise<void>>): void => {
    attempt(async () => {
      const named = await withoutTypedNames(fields, values);
      setValues(named);
      setAttempted(named);
      if (!check(named)) return;
      const leave = await work(sentMembers(fields, named, entity && first));
      // The answer may come after the form was left.
      if (isLeft()) return;
      isDone.current = true;
      await leave();
    });
  };
  const save = (overrideReason?: string): void => {
    send(async (given) => {
      const id = await saveEntity({ kind, entity, overrideReason }, given).catch(
        (fault: unknown) => {
          refuse(failureOf(fault));
          throw fault;
        },
      );
      return () => navigate({ to: '/entities/$list/$id', params: { list: kind.list, id } });
    });
  };
  const draft = (): void => {
    send((given) => {
      // An edit of nothing is none.
      if (Object.keys(given).length > 0) addToDraft(draftOf(kind, entity, given, values.name));
      return Promise.resolve(() => navigate({ to: '/draft' }));
    });
  };
  const change = (changed: FormValues): void => {
    setValues(changed);
    forget();
  };
  const isChanged = (): boolean =>
    !isDone.current && !isEqual(inputOf(fields, first), inputOf(fields, values));
  return {
    form,
    fields,
    values,
    setValues: change,
    faults,
    refusal: { failure, isOfPresent: attempted === values },
    isBusy,
    isChanged,
    save,
    draft,
  };
}

/** All members of a new entity, else those that differ from the values of before. */
function sentMembers(
  fields: readonly InputField[],
  values: FormValues,
  before: FormValues | undefined,
): Input {
  const given = inputOf(fields, values);
  return before ? changedMembers(fields, inputOf(fields, before), given) : given;
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function useFieldsOfForm({ kind, input, entity }: EntityFormProps) {
  const caller = useCaller();
  return useMemo(
    () => fieldsOfForm({ kind, input, entity }, caller),
    [input, kind, entity, caller],
  );
}

/**
 * The fields that callers can change, with the names of the roles that the entity has. The form says of
 * the others where they come from.
 */
function fieldsOfForm({ input, kind, entity }: EntityFormProps, caller: Caller) {
  const leftOut = [...keptMembers(kind, entity ?? {}), ...withheldMembers(kind.type, caller)];
  const fields = inputFields(input, kind.type).filter(({ name }) => !leftOut.includes(name));
  const offered = entity ? withFixedGroups(fields, kind.type, entity) : fields;
  return offered.map((field) => {
    const roles = entity?.[`${field.name}Display`] as readonly NamedRole[] | undefined;
    if (!roles || field.control !== 'roles') return field;
    return { ...field, names: new Map(roles.map(({ role, name }) => [role, name])) };
  });
}

interface NamedRole {
  readonly role: string;
  readonly name: string;
}

/** The faults that the page sees since the first attempt to save, and those that the controller told. */
function useFaults(fields: readonly InputField[], values: FormValues, isBusy: boolean) {
  const form = useRef<HTMLFormElement>(null);
  const [attempts, setAttempts] = useState(0);
  const [refused, setRefused] = useState<FormFaults>({});
  useFirstFault(form, isBusy ? 0 : attempts);
  return {
    form,
    faults: attempts === 0 ? {} : { ...refused, ...faultsOf(fields, values) },
    check: (checked: FormValues): boolean => {
      setAttempts((number) => number + 1);
      return Object.keys(faultsOf(fields, checked)).length === 0;
    },
    refuse: ({ field, reason, message }: Failure): void => {
      if (field === undefined) return;
      const places = placesOf(field, fields);
      setRefused(Object.fromEntries(places.map((place) => [place, reason ?? message])));
      setAttempts((number) => number + 1);
    },
    forget: (): void => {
      setRefused({});
    },
  };
}

/** Goes to the first field with a fault after an attempt. */
function useFirstFault(form: RefObject<HTMLFormElement | null>, attempts: number): void {
  useEffect(() => {
    if (attempts > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, attempts]);
}

/**
 * The places of the form that an error means: `input.primary.updb` means `primary.updb`, and
 * `weeklyWindows[0].days` means `weeklyWindows.0.days`. A place within data that has a schema is told
 * without the name of the member.
 */
function placesOf(field: string, fields: readonly InputField[]): readonly string[] {
  const place = field.replace(/^input\./, '').replaceAll(/\[(\d+)\]/g, '.$1');
  const [member = ''] = place.split('.');
  const isMember = fields.some(({ name }) => name === member);
  const data = fields.find(({ schema }) => schema !== undefined);
  if (isMember || !data) return [place];
  return [place === WHOLE ? data.name : `${data.name}.${place}`];
}

/** How an error names the whole of the data. */
const WHOLE = '(root)';

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

interface Saving {
  readonly kind: Kind;
  readonly entity: Row | undefined;
  readonly overrideReason: string | undefined;
}

async function saveEntity({ kind, entity, overrideReason }: Saving, input: Input): Promise<string> {
  const options = { overrideReason };
  if (!entity) {
    const { saved } = await ask(createOperation(kind), { input }, options);
    return saved?.id ?? '';
  }
  const { id, revision } = entity;
  if (Object.keys(input).length > 0) {
    await ask(updateOperation(kind), { id, ifRevision: Number(revision), input }, options);
  }
  return id;
}
