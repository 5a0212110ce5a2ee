import { Button, Select, Textarea, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { description } from '../../description/description.js';
import { wordsOfValue } from '../../description/names.js';
import { StartReview, type AccessType } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { IfPermitted } from '../../parts/if-permitted.js';
import { LeaveQuestion } from '../../parts/leave-question.js';
import { PageHeading } from '../../parts/page-heading.js';
import { useNavigateIfShown } from '../../parts/use-navigate-if-shown.js';
import { texts } from '../../texts.js';

const TYPES = Object.keys(description.enums.AccessType ?? {}) as readonly AccessType[];

/** Begins a review of the access of this moment. */
export function StartReviewPage() {
  return (
    <div className="stack">
      <PageHeading text={texts.reviews.start} />
      <IfPermitted operation="startAccessReview">
        <StartForm />
      </IfPermitted>
    </div>
  );
}

function StartForm() {
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({});
  const [type, setType] = useState<AccessType>();
  const { isBusy, failure, attempt } = useAttempt();
  const isBegun = useRef(false);
  const navigate = useNavigateIfShown();
  const begin = async (): Promise<void> => {
    const { startAccessReview } = await ask(StartReview, { name: '', ...fields, type });
    if (!startAccessReview) return;
    isBegun.current = true;
    const params = { list: 'accessReviews', id: startAccessReview.id };
    await navigate({ to: '/entities/$list/$id', params, search: { tab: 'lines' } });
  };
  const shown = (name: keyof typeof texts.reviews.fields) => ({
    ...texts.reviews.fields[name],
    value: fields[name] ?? '',
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
      const others = Object.entries(fields).filter(([other]) => other !== name);
      setFields(Object.fromEntries(value === '' ? others : [...others, [name, value]]));
    },
  });
  return (
    <form
      className="stack form"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(begin);
      }}
    >
      <LeaveQuestion isChanged={() => !isBegun.current && Object.keys(fields).length > 0} />
      <TextInput required {...shown('name')} />
      <Textarea autosize minRows={2} {...shown('description')} />
      <TextInput {...shown('identityFilter')} />
      <TextInput {...shown('serviceFilter')} />
      <Select
        {...texts.reviews.fields.type}
        data={TYPES.map((value) => ({ value, label: wordsOfValue(value) }))}
        value={type ?? null}
        clearable
        onChange={(value) => {
          setType(TYPES.find((each) => each === value));
        }}
      />
      <FailureNotice failure={failure} />
      <div>
        <Button type="submit" loading={isBusy}>
          {texts.reviews.begin}
        </Button>
      </div>
    </form>
  );
}
