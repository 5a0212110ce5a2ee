import { Button, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { kindOfType } from '../../description/fields.js';
import { AddEnrollment, type EnrollmentMethod } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { EntitySelect } from '../../parts/entity-select.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Panel } from '../../parts/panel.js';
import { texts } from '../../texts.js';
import { endOf, FIRST_HOURS, ValidFor } from './valid-for.js';

interface NewEnrollmentProps {
  readonly identityId: string;
  /** One of each method can be outstanding. */
  readonly pending: readonly EnrollmentMethod[];
  readonly done: () => void;
}

/** The methods of identities. */
const METHODS: readonly EnrollmentMethod[] = ['ott', 'updb', 'ottca'];

/** The further members that some methods need beside the identity. */
interface MethodMembers {
  readonly username?: string;
  readonly caId?: string | undefined;
}

/** Invites an identity in a way in which it is not invited yet. */
export function NewEnrollment({ identityId, pending, done }: NewEnrollmentProps) {
  const methods = METHODS.filter((each) => !pending.includes(each));
  const [chosen, setChosen] = useState<EnrollmentMethod>();
  const [members, setMembers] = useState<MethodMembers>({});
  const [hours, setHours] = useState(FIRST_HOURS);
  const { isBusy, failure, attempt } = useAttempt();
  const method = methods.find((each) => each === chosen) ?? methods[0];
  if (method === undefined) return null;
  const create = async (): Promise<void> => {
    await ask(AddEnrollment, {
      input: { identityId, method, expiresAt: endOf(hours), ...members },
    });
    setMembers({});
    done();
  };
  return (
    <Panel title={texts.enrollment.newOne}>
      <form
        className="stack form"
        onSubmit={(event) => {
          event.preventDefault();
          attempt(create);
        }}
      >
        <Select
          label={texts.enrollment.method}
          data={methods.map((value) => ({ value, label: texts.enrollment.methods[value] }))}
          value={method}
          allowDeselect={false}
          onChange={(value) => {
            setChosen(methods.find((each) => each === value));
            setMembers({});
          }}
        />
        <MethodFields method={method} members={members} setMembers={setMembers} />
        <ValidFor hours={hours} setHours={setHours} />
        <FailureNotice failure={failure} />
        <div>
          <Button type="submit" loading={isBusy}>
            {texts.enrollment.create}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

interface MethodFieldsProps {
  readonly method: EnrollmentMethod;
  readonly members: MethodMembers;
  readonly setMembers: (members: MethodMembers) => void;
}

function MethodFields({ method, members, setMembers }: MethodFieldsProps) {
  const authorities = kindOfType('CertificateAuthority');
  if (method === 'updb') {
    return (
      <TextInput
        label={texts.enrollment.username}
        required
        autoComplete="off"
        value={members.username ?? ''}
        onChange={(event) => {
          setMembers({ username: event.currentTarget.value });
        }}
      />
    );
  }
  return method === 'ottca' && authorities ? (
    <EntitySelect
      kind={authorities}
      label={texts.enrollment.authority}
      isRequired
      value={members.caId}
      choose={(caId) => {
        setMembers({ caId });
      }}
    />
  ) : null;
}
