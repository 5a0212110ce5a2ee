import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import {
  BeginSecondFactor,
  ProveSecondFactor,
  RemoveSecondFactor,
  SecondFactor as SecondFactorQuery,
  SecondFactorImage,
} from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { texts } from '../../texts.js';

/** Sets a second factor up by an authenticator app, or removes it. */
export function SecondFactor() {
  const { data, failure, reload } = useAnswer(SecondFactorQuery, {});
  const factor = data?.currentMfa;
  if (factor?.isVerified === true) {
    return (
      <CodeForm
        help={texts.account.isOn}
        label={texts.account.turnOff}
        send={remove}
        done={reload}
      />
    );
  }
  if (factor)
    return <Pending url={factor.provisioningUrl} codes={factor.recoveryCodes} done={reload} />;
  const isMissing = failure?.code === 'NOT_FOUND' || data?.currentMfa === null;
  return isMissing ? <Begin done={reload} /> : <FailureNotice failure={failure} />;
}

const remove = async (code: string): Promise<void> => {
  await ask(RemoveSecondFactor, { code });
};

const prove = async (code: string): Promise<void> => {
  await ask(ProveSecondFactor, { code });
};

function Begin({ done }: { done: () => void }) {
  const { isBusy, failure, attempt } = useAttempt();
  return (
    <div className="stack">
      <div>{texts.account.isOff}</div>
      <FailureNotice failure={failure} />
      <div>
        <Button
          loading={isBusy}
          onClick={() => {
            attempt(async () => {
              await ask(BeginSecondFactor, {});
              done();
            });
          }}
        >
          {texts.account.turnOn}
        </Button>
      </div>
    </div>
  );
}

interface PendingProps {
  readonly url: string | null;
  readonly codes: readonly string[] | null;
  readonly done: () => void;
}

/** The factor counts from the first code on, which proves that the app has it. */
function Pending({ url, codes, done }: PendingProps) {
  const { data } = useAnswer(SecondFactorImage, {});
  const image = data?.currentMfaQrCode;
  return (
    <div className="stack">
      <div>{texts.account.scan}</div>
      {image ? (
        <img
          className="qr"
          src={`data:image/png;base64,${image}`}
          alt={texts.account.image}
          width={200}
          height={200}
        />
      ) : null}
      {url === null ? null : <pre>{url}</pre>}
      {codes ? (
        <div>
          <div>{texts.account.recovery}</div>
          <pre>{codes.join('\n')}</pre>
        </div>
      ) : null}
      <CodeForm
        help={texts.account.proveHelp}
        label={texts.account.prove}
        send={prove}
        done={done}
      />
    </div>
  );
}

interface CodeFormProps {
  readonly help: string;
  readonly label: string;
  readonly send: (code: string) => Promise<void>;
  readonly done: () => void;
}

function CodeForm({ help, label, send, done }: CodeFormProps) {
  const form = useForm({ initialValues: { code: '' } });
  const { isBusy, failure, attempt } = useAttempt();
  const submit = form.onSubmit(({ code }) => {
    attempt(async () => {
      await send(code);
      form.reset();
      done();
    });
  });
  return (
    <form className="stack" onSubmit={submit}>
      <TextInput
        label={texts.account.code}
        description={help}
        autoComplete="one-time-code"
        required
        {...form.getInputProps('code')}
      />
      <FailureNotice failure={failure} />
      <div>
        <Button type="submit" loading={isBusy}>
          {label}
        </Button>
      </div>
    </form>
  );
}
