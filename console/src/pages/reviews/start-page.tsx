import { Button, Select, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRef } from 'react';
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

const NO_ANSWERS = {
  name: '',
  description: '',
  identityFilter: '',
  serviceFilter: '',
  type: null as AccessType | null,
};

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
  const form = useForm({ initialValues: NO_ANSWERS });
  const { isBusy, failure, attempt } = useAttempt();
  const isBegun = useRef(false);
  const navigate = useNavigateIfShown();
  const begin = async ({ name, ...others }: typeof NO_ANSWERS): Promise<void> => {
    const given = Object.entries(others).filter(([, value]) => value !== '' && value !== null);
    const { startAccessReview } = await ask(StartReview, { name, ...Object.fromEntries(given) });
    if (!startAccessReview) return;
    isBegun.current = true;
    const params = { list: 'accessReviews', id: startAccessReview.id };
    await navigate({ to: '/entities/$list/$id', params, search: { tab: 'lines' } });
  };
  const shown = (name: keyof typeof texts.reviews.fields) => ({
    ...texts.reviews.fields[name],
    ...form.getInputProps(name),
  });
  return (
    <form
      className="stack form"
      onSubmit={form.onSubmit((answers) => {
        attempt(() => begin(answers));
      })}
    >
      <LeaveQuestion isChanged={() => !isBegun.current && form.isDirty()} />
      <TextInput required {...shown('name')} />
      <Textarea autosize minRows={2} {...shown('description')} />
      <TextInput {...shown('identityFilter')} />
      <TextInput {...shown('serviceFilter')} />
      <Select
        {...shown('type')}
        data={TYPES.map((value) => ({ value, label: wordsOfValue(value) }))}
        clearable
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
