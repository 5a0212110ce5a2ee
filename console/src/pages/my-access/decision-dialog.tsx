import { Button, NumberInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  ApproveRequest,
  DenyRequest,
  RequestEffect,
  type RequestEffectResult,
  type WaitingRequest,
} from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { Dialog } from '../../parts/dialog.js';
import { EntityLink } from '../../parts/entity-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { PlainTable } from '../../parts/plain-table.js';
import { texts } from '../../texts.js';

interface DecisionDialogProps {
  readonly request: WaitingRequest;
  readonly decided: () => void;
  readonly close: () => void;
}

/** Shows the effect of a grant, and takes the decision. */
export function DecisionDialog({ request, decided, close }: DecisionDialogProps) {
  const { id, identityName, offerName, requestedMinutes, reason } = request;
  const form = useForm<{ minutes: number | string; comment: string }>({
    initialValues: { minutes: requestedMinutes, comment: '' },
  });
  const { isBusy, failure, attempt } = useAttempt();
  const decide = (work: (comment: string | null) => Promise<unknown>): void => {
    const comment = form.values.comment.trim();
    attempt(async () => {
      await work(comment === '' ? null : comment);
      decided();
      close();
    });
  };
  const minutes = Number(form.values.minutes);
  return (
    <Dialog size="lg" close={close} title={texts.myAccess.decideOn(identityName, offerName)}>
      <form
        className="stack"
        onSubmit={form.onSubmit(() => {
          decide((comment) => ask(ApproveRequest, { id, minutes, comment }));
        })}
      >
        <div>
          {texts.myAccess.request(identityName, texts.myAccess.inMinutes(requestedMinutes), reason)}
        </div>
        <GrantEffect id={id} />
        <NumberInput
          label={texts.myAccess.minutes}
          description={texts.myAccess.minutesHelp(requestedMinutes)}
          required
          min={1}
          max={requestedMinutes}
          allowDecimal={false}
          {...form.getInputProps('minutes')}
        />
        <TextInput
          label={texts.myAccess.comment}
          maxLength={500}
          {...form.getInputProps('comment')}
        />
        <FailureNotice failure={failure} />
        <div className="row end">
          <Button
            variant="default"
            loading={isBusy}
            onClick={() => {
              decide((comment) => ask(DenyRequest, { id, comment }));
            }}
          >
            {texts.myAccess.deny}
          </Button>
          <Button type="submit" loading={isBusy}>
            {texts.myAccess.approve}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

type Effect = NonNullable<RequestEffectResult['accessRequestEffect']>;

/** The access that the requester gains, and the access rules that refuse the grant. */
function GrantEffect({ id }: { id: string }) {
  const { data, failure } = useAnswer(RequestEffect, { id });
  const effect = data?.accessRequestEffect;
  return (
    <>
      <FailureNotice failure={failure} />
      {effect || failure ? null : <div className="dim">{texts.loading}</div>}
      {effect?.violations.map(({ ruleId, ruleName, serviceId, serviceName, type }) => (
        <div key={`${ruleId} ${serviceId} ${type}`} className="notice bad">
          {texts.myAccess.refuses(ruleName, serviceName, type)}
        </div>
      ))}
      {effect ? <Gained effect={effect} /> : null}
    </>
  );
}

function Gained({ effect: { gainedCount, gained } }: { effect: Effect }) {
  if (gainedCount === 0) return <div className="dim">{texts.myAccess.gainsNothing}</div>;
  const title = texts.myAccess.gains(gainedCount);
  return (
    <>
      <div>{title}</div>
      <PlainTable
        label={title}
        heads={[texts.myAccess.service, texts.myAccess.type]}
        rows={gained.map(({ serviceId, serviceName, type }) => [
          `${serviceId} ${type}`,
          [<EntityLink key="service" type="Service" id={serviceId} name={serviceName} />, type],
        ])}
      />
      {gainedCount > gained.length ? (
        <div className="dim">{texts.myAccess.more(gainedCount - gained.length)}</div>
      ) : null}
    </>
  );
}
